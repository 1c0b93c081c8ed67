"""Services that turn internal: their public names wait until the internal resolver of the service answers them.

A service waits as a whole, since its route has one annotation for all of its hostnames. What could not be asked is not
answered: nothing is withdrawn because a resolver was silent.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from edge_dns.core.rules import Refusal
from edge_dns.core.services import ServicePlan

RULE = "internal-authority-missing"

Question = tuple[str, str]
"""Resolver (`host:port`) and hostname."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolverAnswer:
    """What an internal resolver says of a hostname, in words; `counts`: it has an address of its own for it."""

    counts: bool
    told: str


Answers = Mapping[Question, ResolverAnswer]

_NOT_ASKED = ResolverAnswer(counts=False, told="this command does not ask it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turning:
    """What the internal resolvers mean for names that would be withdrawn as internal.

    `waiting` are the hostnames that stay for now, with the reason; `overruled` those that go although their resolver
    does not answer, by acknowledgement; `inside` what a resolver answers for a hostname.
    """

    waiting: Mapping[str, Refusal] = field(default_factory=dict)
    overruled: Mapping[str, str] = field(default_factory=dict)
    inside: Mapping[str, str] = field(default_factory=dict)


def questions(services: Iterable[ServicePlan], public: Collection[str]) -> tuple[Question, ...]:
    """Return what has to be asked, sorted: of internal services with a resolver the hostnames among the public ones."""
    return tuple(
        sorted({(resolver, name) for one in services for resolver, names in _asked(one, public) for name in names})
    )


def turning(
    services: Iterable[ServicePlan], public: Collection[str], answers: Answers | None, acknowledged: Collection[str]
) -> Turning:
    """Return which of the public hostnames wait. Without `answers` none was asked, so that all of them do."""
    waiting: dict[str, Refusal] = {}
    overruled: dict[str, str] = {}
    inside: dict[str, str] = {}
    for service in services:
        for resolver, names in _asked(service, public):
            found = {name: (answers or {}).get((resolver, name), _NOT_ASKED) for name in names}
            missing = {name: f"{resolver}: {one.told}" for name, one in found.items() if not one.counts}
            inside |= {name: f"{resolver} answers {one.told}" for name, one in found.items() if one.counts}
            overruled |= {name: told for name, told in missing.items() if name in acknowledged}
            left = {name: told for name, told in missing.items() if name not in acknowledged}
            waiting |= {name: _refusal(service, resolver, name, left) for name in names if left}
    return Turning(
        waiting={name: one for name, one in waiting.items() if name not in overruled},
        overruled=overruled,
        inside=inside,
    )


def _asked(plan: ServicePlan, public: Collection[str]) -> Iterator[tuple[str, list[str]]]:
    if plan.why_internal and plan.service.internal_resolver:
        yield plan.service.internal_resolver, sorted(set(plan.hostnames) & set(public))


def _refusal(service: ServicePlan, resolver: str, name: str, left: Mapping[str, str]) -> Refusal:
    known = f"{service} is internal"
    if name in left:
        reason = f"{known}, and its resolver does not answer the name yet ({left[name]})"
    else:
        first = next(iter(left))
        reason = f"{known} and waits as a whole: its resolver {resolver} does not answer {first} yet"
    return Refusal(rule=RULE, reason=f"{reason}; its records stay until it does")
