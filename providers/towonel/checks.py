"""Strict reading of resource inputs: every failure names its property path, and all are reported at once."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from providers.towonel.values import UNKNOWN, Plain, Properties, Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What is wrong with the property at `path`, as a sentence after the path."""

    path: str
    reason: str


@dataclass(slots=True)
class InputReader:
    """Reads one resource's inputs; what is wrong is collected in `failures`, and the value read is then a default."""

    inputs: Properties
    failures: list[Failure] = field(default_factory=list)

    def refuse_others(self, known: Collection[str]) -> None:
        """Report each property that is not in `known`."""
        for key in sorted(set(self.inputs) - set(known)):
            self.fail(key, f"is not a property of this resource; it has {', '.join(sorted(known))}")

    def fail(self, path: str, reason: str) -> None:
        """Collect a failure."""
        self.failures.append(Failure(path=path, reason=reason))

    def text(self, key: str, *, missing: str = "is missing") -> str | Unknown:
        """A string that is not blank; `missing` says what to do without it."""
        value = self.inputs.get(key)
        if value is UNKNOWN:
            return UNKNOWN
        if value is None:
            self.fail(key, missing)
        elif not isinstance(value, str) or not value.strip():
            self.fail(key, "should be a string that is not blank")
        else:
            return value
        return ""

    def choice(self, key: str, choices: Sequence[str], default: str | None = None) -> str | Unknown:
        """One of `choices`; absent is `default`, or a failure without one."""
        value = self.inputs.get(key)
        if value is UNKNOWN:
            return UNKNOWN
        if value is None and default is not None:
            return default
        if isinstance(value, str) and value in choices:
            return value
        self.fail(key, f"should be one of {', '.join(choices)}")
        return choices[0]

    def integer(self, key: str, lowest: int, highest: int) -> int | Unknown | None:
        """A whole number in the range, or None when absent."""
        value = self.inputs.get(key)
        if value is None or value is UNKNOWN:
            return value
        if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
            self.fail(key, f"should be a whole number from {lowest} to {highest}")
            return None
        return value

    def texts(self, key: str) -> tuple[str, ...] | Unknown:
        """A list of strings, empty when absent; one unknown item makes the whole list unknown."""
        value = self.inputs.get(key)
        if value is None:
            return ()
        if value is UNKNOWN or (isinstance(value, list | tuple) and UNKNOWN in value):
            return UNKNOWN
        if not isinstance(value, list | tuple):
            self.fail(key, "should be a list of strings")
            return ()
        return tuple(self._item(f"{key}[{index}]", item) for index, item in enumerate(value))

    def _item(self, path: str, item: Plain) -> str:
        if isinstance(item, str):
            return item
        self.fail(path, "should be a string")
        return ""
