"""What became of a promise: what was measured, the limit, and whether it holds."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A promise, its limit, and what was measured; None where this selection has not measured it."""

    promise: str
    limit: str
    measured: str | None = None
    holds: bool | None = None

    @property
    def word(self) -> str:
        """`holds`, `MISSED` or `not measured`."""
        return {True: "holds", False: "MISSED", None: "not measured"}[self.holds]

    def to_json(self) -> dict[str, object]:
        """Return everything as JSON values."""
        return {**asdict(self), "verdict": self.word}


def at_most(promise: str, limit: float, measured: float | None, unit: str = "") -> Verdict:
    """Return the verdict on a number that must not exceed a limit."""
    if measured is None:
        return Verdict(promise=promise, limit=f"{limit:.2f}{unit}")
    return Verdict(
        promise=promise, limit=f"{limit:.2f}{unit}", measured=f"{measured:.2f}{unit}", holds=measured <= limit
    )


def verdict_line(one: Verdict) -> str:
    """Return a line of 80 columns at most."""
    return f"{one.promise:<48} {one.measured or '-':>8} of {one.limit:<6} {one.word}"
