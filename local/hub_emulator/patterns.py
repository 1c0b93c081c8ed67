"""Path patterns of faults and rate limits."""

import re
from functools import cache


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*|\*)", pattern)
    return re.compile("".join({"**": ".*", "*": "[^/]+"}.get(part, re.escape(part)) for part in parts))


def matches(pattern: str, path: str) -> bool:
    """Whether `path` has the form of `pattern`: `*` is one segment, `**` is anything."""
    return _compiled(pattern).fullmatch(path) is not None
