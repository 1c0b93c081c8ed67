"""The report on orphans: what a sweep found, with the evidence on its targets, and what is proposed for import."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from edge_dns.core.cloudflare_view import AccountTunnels, tunnel_of_target
from edge_dns.core.import_file import StackResources, knows_cluster, lacks_provider
from edge_dns.core.lost_objects import LostObject
from edge_dns.core.sweep import LostInvite, Remembered, Sweep, Unremembered

Liveness = Literal["exists", "nxdomain", "deleted", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What was found out about a target, and who said what, in words.

    `nxdomain` needs two who say so; `deleted` is a Cloudflare tunnel, by the list of its account.
    """

    liveness: Liveness
    told: tuple[str, ...]

    @property
    def is_gone(self) -> bool:
        """Whether the target is known not to exist."""
        return self.liveness in ("nxdomain", "deleted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Orphan:
    """A record that the state does not hold; `evidence` is on the hostname that it points at, if it does."""

    record: Unremembered
    evidence: Evidence | None
    proposed: bool
    lacks_provider: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OrphanObject:
    """A DNSEndpoint that the state lacks; `importable` where nothing wants it and the state has its provider."""

    object: LostObject
    importable: bool
    proposed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Dangling:
    """A record of the state whose target does not exist."""

    record: Remembered
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class OrphanReport:
    """Everything that is listed, sorted as the sweep is. `proposed_invites` go into the import with the records."""

    orphans: tuple[Orphan, ...]
    objects: tuple[OrphanObject, ...]
    dangling: tuple[Dangling, ...]
    invites: tuple[LostInvite, ...]
    proposed_invites: tuple[LostInvite, ...]
    blind: tuple[str, ...]

    @property
    def proposed(self) -> tuple[Unremembered, ...]:
        """The records to import."""
        return tuple(one.record for one in self.orphans if one.proposed)

    @property
    def proposed_objects(self) -> tuple[LostObject, ...]:
        """The DNSEndpoints to import."""
        return tuple(one.object for one in self.objects if one.proposed)

    @property
    def number_proposed(self) -> int:
        """How much goes into the import."""
        return len(self.proposed) + len(self.proposed_invites) + len(self.proposed_objects)

    @property
    def found(self) -> bool:
        """Whether anything is listed."""
        return bool(self.orphans or self.objects or self.dangling or self.invites)


def targets(found: Sweep) -> tuple[str, ...]:
    """Return the hostnames that the records of the sweep point at, sorted."""
    named = [one.target for one in found.unremembered] + [one.target for one in found.remembered]
    return tuple(sorted({target for target in named if target}))


def tunnel_evidence(
    names: Iterable[str], accounts: Mapping[str, AccountTunnels], unread: Mapping[str, str]
) -> dict[str, Evidence]:
    """Return the evidence on the targets that are Cloudflare tunnels, by the lists of accounts.

    DNS would not tell: the name of a deleted tunnel may still resolve. `unread` says of accounts why they could not be
    read.
    """
    found = ((name, tunnel_of_target(name)) for name in names)
    return {name: _tunnel(tunnel_id, accounts, unread) for name, tunnel_id in found if tunnel_id}


def _tunnel(tunnel_id: str, accounts: Mapping[str, AccountTunnels], unread: Mapping[str, str]) -> Evidence:
    for account, tunnels in sorted(accounts.items()):
        if one := tunnels.by_id.get(tunnel_id):
            state = "deleted" if one.deleted else "live"
            liveness: Liveness = "deleted" if one.deleted else "exists"
            return Evidence(liveness=liveness, told=(f"Cloudflare account {account} lists it as {state}",))
    read = [f"Cloudflare account {account} does not list it" for account in sorted(accounts)]
    told = (*read, *(reason for _, reason in sorted(unread.items())))
    return Evidence(liveness="unknown", told=told or ("no Cloudflare account was read",))


def report(found: Sweep, evidence: Mapping[str, Evidence], into: StackResources, *, every: bool) -> OrphanReport:
    """Return the report. Proposed are records that nobody wants and whose target is gone, with their markers.

    `every` proposes all that may be imported: also those whose target exists, and what the next update would take over.
    """
    proposed = _proposed(found.unremembered, evidence, every=every)
    return OrphanReport(
        orphans=tuple(
            Orphan(
                record=one,
                evidence=evidence[one.target] if one.target else None,
                proposed=one in proposed and not lacks_provider(one, into),
                lacks_provider=one in proposed and lacks_provider(one, into),
            )
            for one in found.unremembered
        ),
        objects=tuple(_orphan_object(one, into, every=every) for one in found.objects),
        dangling=tuple(
            Dangling(record=one, evidence=evidence[one.target])
            for one in found.remembered
            if evidence[one.target].is_gone
        ),
        invites=found.invites,
        proposed_invites=tuple(one for one in found.invites if every and not one.unissued),
        blind=found.blind,
    )


def _orphan_object(one: LostObject, into: StackResources, *, every: bool) -> OrphanObject:
    """Return what becomes of an object. Its entries have many targets, so that none of them makes it proposed."""
    importable = one.standing == "unwanted" and knows_cluster(one, into)
    return OrphanObject(object=one, importable=importable, proposed=importable and every)


def _proposed(
    found: Sequence[Unremembered], evidence: Mapping[str, Evidence], *, every: bool
) -> frozenset[Unremembered]:
    if every:
        return frozenset(one for one in found if one.slot)
    unwanted = [one for one in found if one.standing == "unwanted"]
    dead = {one for one in unwanted if one.target and evidence[one.target].is_gone}
    marked: dict[tuple[str, str], list[Unremembered]] = {}
    for one in found:
        if not one.is_marker:
            marked.setdefault((one.zone_id, one.hostname), []).append(one)
    # A marker goes with the last record of its name.
    markers = [one for one in unwanted if one.is_marker and (one.zone_id, one.hostname) in marked]
    return frozenset(dead).union(one for one in markers if dead.issuperset(marked[one.zone_id, one.hostname]))
