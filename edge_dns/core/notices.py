"""A notice: what a person should know of a run although no hostname is refused for it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A warning about the run: the id of its rule (None without one), the setting that it is about, the text."""

    rule: str | None
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.message}" if self.rule else self.message
