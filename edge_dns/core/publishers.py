"""Who may publish where `exposure.publishers` is `listed`: the services of the stack, and the register.

The register holds the publishers that nobody has decided about yet. It may only shrink: an entry that it did not list
before does not count, so that what is not decided becomes less with every run. Of an entry that was widened to any
cluster the part that it listed before counts.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from edge_dns.core.memory import RegisterMemory
from edge_dns.core.publisher_register import entries_in_force, grown, is_listed, publisher_text
from edge_dns.core.rules import Refusal
from edge_dns.core.services import plan_services
from edge_dns.core.settings import Settings
from edge_dns.core.values import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Publishers:
    """Publishers as texts (`publisher_text`): `own` are of services of this stack, `added` do not count (see above)."""

    own: frozenset[str]
    register: frozenset[str]
    added: frozenset[str]

    def refusal(self, publisher: str) -> Refusal | None:
        """Return why an object must not publish, None when it may."""
        if is_listed(publisher, self.own) or is_listed(publisher, self.register):
            return None
        if is_listed(publisher, self.added):
            reason = f"{publisher} was not in exposure.register before, and the register may only shrink"
            return Refusal(rule="register-grew", reason=reason)
        reason = f"{publisher} is neither a service of this stack nor in exposure.register"
        return Refusal(rule="unlisted-publisher", reason=reason)


def next_register(settings: Settings, memory: RegisterMemory | None) -> RegisterMemory | None:
    """Return the register to remember. While everybody may publish it stays as it is, so that it cannot grow that way.

    `before` changes together with the entries only: a run without a change declares what the last one did.
    """
    if settings.exposure.publishers == "all":
        return memory
    listed = register_texts(settings)
    if memory is None:
        return RegisterMemory(entries=listed)
    entries = entries_in_force(listed, memory.entries)
    return memory if entries == memory.entries else RegisterMemory(entries=entries, before=memory.entries)


def publishers_of(settings: Settings, memory: RegisterMemory | None) -> Publishers | None:
    """Return who may publish; None: everybody may. `memory` is the register of the last run."""
    if settings.exposure.publishers == "all":
        return None
    listed = register_texts(settings)
    before = memory.entries if memory else None
    own = frozenset(text for service in plan_services(settings) for text in _texts(service.source))
    return Publishers(
        own=own, register=frozenset(entries_in_force(listed, before)), added=frozenset(grown(listed, before))
    )


def register_texts(settings: Settings) -> tuple[str, ...]:
    """Return the entries of the register as texts, sorted."""
    entries = settings.exposure.registered
    return tuple(sorted({publisher_text(one.kind, one.cluster, one.namespace, one.name) for one in entries}))


def _texts(service: Source) -> Iterator[str]:
    """Yield what a service publishes by: its Service, and its HTTPRoute, whoever declares that."""
    for kind in ("Service", "HTTPRoute"):
        yield publisher_text(kind, service.cluster, service.namespace, service.name)
