"""Exceptions of the settings: a rule that one hostname may break, with a reason, until the end of a day (UTC)."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import TypeVar

from edge_dns.core.notices import Notice
from edge_dns.core.rules import Refused
from edge_dns.core.settings import RuleException

EXCEPTABLE = frozenset(
    {
        "cname-coexistence",
        "cname-loop",
        "internal-name-public-zone",
        "private-address-public-zone",
        "record-not-allowed-by-zone",
        "ttl-range",
        "wildcard-opt-in",
    }
)
"""The rules that an exception can suspend: those that judge a value or a zone, where there is something to publish."""

InForce = Mapping[str, Mapping[str, RuleException]]
"""The exceptions that count, by hostname and rule."""

T = TypeVar("T")


def in_force(exceptions: Iterable[RuleException], today: date | None) -> InForce:
    """Return the exceptions whose last day is not over; without `today` nothing is known of that."""
    found: dict[str, dict[str, RuleException]] = {}
    for one in exceptions:
        if not _has_expired(one, today):
            found.setdefault(one.name, {})[one.rule] = one
    return found


def with_exceptions(
    allowed: Mapping[str, RuleException], attempt: Callable[[Collection[str]], T]
) -> tuple[T, tuple[RuleException, ...]]:
    """Return what the attempt gives, and the exceptions that it needed, sorted by rule.

    The attempt is given the rules that it must not ask. Raises Refused under a rule that has no exception.
    """
    waived: set[str] = set()
    while True:
        try:
            return attempt(waived), tuple(allowed[rule] for rule in sorted(waived))
        except Refused as refused:
            if refused.refusal.rule not in allowed.keys() - waived:
                raise
            waived.add(refused.refusal.rule)


def described(exception: RuleException) -> str:
    """Return an exception that is used, in words."""
    return f"exception: it may break {exception.rule} until {exception.expires}: {exception.reason}"


def exception_notices(
    exceptions: Sequence[RuleException],
    used: Mapping[str, Collection[RuleException]],
    published: Collection[str],
    named: Collection[str],
    today: date | None,
) -> Iterator[Notice]:
    """Yield a warning for each exception that is over (`exception-expired`), and for each that is of no use.

    Without `today` one warning says that nothing is known of their ends.

    `used` are by hostname the exceptions that this run needed, `published` the hostnames that need no more, `named` all
    hostnames of the run: of one that is refused for another reason it is not known what it will need.
    """
    if exceptions and today is None:
        message = "the day is not known, so what has ended is still honoured here; give it with --today"
        yield Notice(rule=None, path="edge-dns:exceptions", message=message)
    for index, one in enumerate(exceptions):
        path = f"edge-dns:exceptions[{index}]"
        what = f"{path}: {one.name}, rule {one.rule}"
        idle = one not in used.get(one.name, ()) and (one.name in published or one.name not in named)
        if _has_expired(one, today):
            now = "nothing breaks the rule; remove it" if idle else "is not honoured; renew it or remove it"
            message = f"{what}: it ended on {one.expires} and {now}"
            yield Notice(rule="exception-expired", path=path, message=message)
        elif idle:
            message = f"{what}, until {one.expires}: nothing breaks the rule; remove it"
            yield Notice(rule=None, path=path, message=message)


def _has_expired(exception: RuleException, today: date | None) -> bool:
    return today is not None and exception.expires < today
