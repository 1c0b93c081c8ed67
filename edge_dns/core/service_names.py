"""Hostnames of internal services: those that they name, and those below their wildcards."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from edge_dns.core.names import is_wildcard
from edge_dns.core.rules import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class InternalNames:
    """Hostnames in normal form, each with why it is internal.

    One of the `wildcards` stands for every name below it (any number of labels, as in Gateway API,
    HTTPRouteSpec.hostnames), except for those that a service of the settings names itself (`named`).
    """

    names: Mapping[str, Refusal] = field(default_factory=dict)
    wildcards: Mapping[str, Refusal] = field(default_factory=dict)
    named: frozenset[str] = frozenset()

    def why(self, hostname: str) -> Refusal | None:
        """Return why a hostname in normal form is internal, None when nothing says so."""
        if not self.names and not self.wildcards:
            return None
        by = self.by(hostname)
        if by is None or by == hostname:
            return self.names.get(hostname)
        why = self.wildcards[by]
        return replace(why, reason=f"{why.reason}, and {by} covers this name")

    def by(self, hostname: str) -> str | None:
        """Return what makes a hostname internal: itself, or the nearest wildcard above it; None when nothing does."""
        if hostname in self.names:
            return hostname
        return None if hostname in self.named else self._above(hostname)

    def _above(self, hostname: str) -> str | None:
        """Return the nearest of the wildcards that the hostname is below."""
        dots = (at for at, character in enumerate(hostname) if character == ".") if self.wildcards else ()
        return next((above for at in dots if (above := f"*{hostname[at:]}") in self.wildcards), None)


def of_services(names: Mapping[str, Refusal], named: frozenset[str]) -> InternalNames:
    """Return the names of internal services; `named` are the hostnames of all services."""
    wildcards = {name: why for name, why in names.items() if is_wildcard(name)}
    return InternalNames(names=names, wildcards=wildcards, named=named)
