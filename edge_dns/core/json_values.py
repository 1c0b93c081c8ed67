"""JSON as Go, and so Kubernetes and Pulumi, read it (half of a surrogate pair is U+FFFD), and what it holds."""

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import TypeAlias, TypeVar

Value = TypeVar("Value")

Json: TypeAlias = dict[str, object]
"""A JSON object that is to be printed."""

_SURROGATE = re.compile(r"\\ud[89a-f]", re.IGNORECASE)


def load_json(text: str | bytes, read: Callable[[str], Value] = json.loads) -> Value:
    """Return what `read` makes of a JSON text, which is UTF-8 where it is bytes. Raises ValueError or RecursionError.

    An escape may stand for half of a character, which could be neither printed nor stored.
    """
    decoded = text if isinstance(text, str) else text.decode()
    value = read(decoded)
    return _whole(value) if _SURROGATE.search(decoded) else value


def whole_of(value: object) -> int | None:
    """Return a number of the engine, which are all floats, as a whole one; None for anything else."""
    return int(value) if isinstance(value, int | float) and abs(value) < math.inf else None


def object_in(value: object, key: str) -> Mapping[str, object]:
    """Return the object that a member of a value is, an empty one where it is none."""
    found = value.get(key) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def objects_in(value: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
    """Return the objects in the list that a member of a value is, none where it is no list."""
    found = value.get(key)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def _whole(value: Value) -> Value:
    found: object = value
    if isinstance(value, str):
        found = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    elif isinstance(value, list):
        found = [_whole(item) for item in value]
    elif isinstance(value, dict):
        found = {_whole(key): _whole(item) for key, item in value.items()}
    return found  # type: ignore[return-value]  # of the same form
