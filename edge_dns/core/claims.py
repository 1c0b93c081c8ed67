"""Claims: a source wants a hostname published. Rejections: a source names it, but it gets no record from it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from edge_dns.core.rules import Refusal
from edge_dns.core.values import Provider, Source, Target, Visibility


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One hostname of one source, admitted at its source.

    `namespaces` are those of the routes (or of the tunnel) that name it. `at_edge`: the target is an edge of the hub,
    which ends TLS itself. `hold` says why the name is kept although a new one would not be admitted. A `conditional`
    claim is declared only once the hub has confirmed the name; with `doubt` the hub has refused it before, so that no
    preview promises it. With an `account` the target is a tunnel of that Cloudflare account: only a zone of it can hold
    the record, which is proxied. With `served_by` only a zone of this provider will do.
    """

    hostname: str
    source: Source
    targets: tuple[Target, ...]
    visibility: Visibility
    namespaces: frozenset[str]
    prefer_cname: bool = False
    at_edge: bool = False
    ttl: int | None = None
    wildcards: bool = False
    hold: Refusal | None = None
    conditional: bool = False
    doubt: Refusal | None = None
    account: str | None = None
    served_by: Provider | None = None

    def wants_the_same(self, other: "Claim") -> bool:
        """Say whether both claims lead to the same records."""
        return self._wanted == other._wanted

    @property
    def _wanted(self) -> tuple[object, ...]:
        return self.targets, self.prefer_cname, self.ttl, self.account, self.served_by


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """One hostname of one source that gets no record from it, with the rule that decided."""

    hostname: str
    source: Source
    visibility: Visibility
    refusal: Refusal


Told = TypeVar("Told", Claim, Rejection)


def by_hostname(told: Iterable[Told]) -> dict[tuple[str, Visibility], list[Told]]:
    """Group claims or rejections by hostname and visibility; each group is sorted by source."""
    groups: dict[tuple[str, Visibility], list[Told]] = {}
    for one in sorted(told, key=lambda one: one.source.sort_key):
        groups.setdefault((one.hostname, one.visibility), []).append(one)
    return groups
