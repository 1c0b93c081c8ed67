"""What one name server says of one name and type. Only authority decides; everything else is unknown."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Records at the name itself: of the type that was asked for, or the CNAME that stands there instead.

    `values` are sorted and in normal form (`live.normal_value`), `ttl` is in seconds.
    """

    type: str
    values: tuple[str, ...]
    ttl: int


@dataclass(frozen=True, slots=True)
class NoData:
    """The name exists, without a record of this type."""


@dataclass(frozen=True, slots=True)
class NxDomain:
    """The name does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """The server did not say; the reason is in words and names it. `silent`: it gave no answer at all."""

    reason: str
    silent: bool = False


Outcome = Answer | NoData | NxDomain | Unknown


def agreed(first: Outcome, second: Outcome) -> Outcome:
    """Return what two independent look-ups say together; Unknown where one of them does not know, or they differ.

    TTLs may differ.
    """
    for one in (first, second):
        if isinstance(one, Unknown):
            return one
    if _content(first) != _content(second):
        return Unknown(reason=f"two look-ups differ: {describe_outcome(first)} and {describe_outcome(second)}")
    return first


def describe_outcome(outcome: Outcome) -> str:
    """Return an outcome in words."""
    match outcome:
        case Answer():
            return f"{outcome.type} {' '.join(outcome.values)}"
        case NoData():
            return "no record of this type"
        case NxDomain():
            return "NXDOMAIN"
        case Unknown():
            return outcome.reason


def _content(outcome: Outcome) -> Sequence[object]:
    return (outcome.type, outcome.values) if isinstance(outcome, Answer) else (type(outcome),)
