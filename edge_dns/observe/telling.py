"""Lines of progress of a reading, of three kinds, and who may see them."""

from collections.abc import Callable, Mapping

Tell = Callable[[str], None]
"""Takes one line of progress: what is being read, told before it is, unless it is `Passing` or `Lasting`."""


class Passing(str):
    """A line for somebody who watches: how far a reading is, or what it found."""

    __slots__ = ()


class Lasting(str):
    """A line that is still worth reading when all is done."""

    __slots__ = ()


def silent(line: str) -> None:
    """A `Tell` where nobody watches."""
    del line


def in_ci(environment: Mapping[str, str]) -> bool:
    """Say whether this is a job of CI, as all of its systems tell: what is printed goes to a log."""
    return environment.get("CI", "").lower() not in {"", "0", "false"}
