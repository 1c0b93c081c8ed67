"""The endpoint record sets of a plan, and the memory that they leave for the next run."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from edge_dns.core.admission import Admission
from edge_dns.core.cloudflare_tunnels import CloudflareTunnelPlan
from edge_dns.core.decision import Decision
from edge_dns.core.gateway_sets import GatewaySet, gateway_set_name
from edge_dns.core.memory import CloudflareTunnelMemory, InviteMemory, Memory, ServiceMemory, SetMemory
from edge_dns.core.settings import Cluster, Settings
from edge_dns.core.tunnels import TunnelPlan, fixed_on_hub, set_name, tunnel_key
from edge_dns.core.values import RRset, SlotRecord, Source, Target, Visibility
from edge_dns.core.zones import zone_key


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSet:
    """One endpoint record set: `id` is its Pulumi name, `name` its deterministic name inside the cluster.

    `hostnames`, `targets` and `retained` are what admission gives. Of the record resources by hostname, `records` are
    declared directly and `conditional` ones once the hub confirms the hostname. `memory` holds both. By slot, `imports`
    are the import ids of the live records that are taken over, `spelt` the records in the provider's own spelling.
    Of the conditional hostnames, `expected` are those that this run is expected to get. `former_ids` are Pulumi names
    that it had before. `untouched` and `renamed` are those of the decisions.
    """

    id: str
    name: str
    source: Source
    visibility: Visibility
    hostnames: tuple[str, ...]
    targets: tuple[Target, ...]
    retained: tuple[str, ...]
    records: Mapping[str, tuple[SlotRecord, ...]]
    conditional: Mapping[str, tuple[SlotRecord, ...]]
    memory: SetMemory
    imports: Mapping[str, str]
    spelt: Mapping[str, RRset]
    expected: frozenset[str] = frozenset()
    former_ids: tuple[str, ...] = ()
    untouched: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = field(default_factory=dict)


def planned_sets(
    settings: Settings,
    admissions: Mapping[str, Admission],
    tunnels: Iterable[TunnelPlan],
    cloudflare: Iterable[CloudflareTunnelPlan],
    decisions: Iterable[Decision],
    *,
    owners: tuple[str, ...] = (),
) -> tuple[PlannedSet, ...]:
    """Return one endpoint record set per Gateway and per tunnel, sorted by its Pulumi name.

    `owners` is what each of them remembers as the owners of markers that stand for this stack.
    """
    by_source: dict[Source, list[Decision]] = defaultdict(list)
    kept: set[str] = set()
    for decision in decisions:
        by_source[decision.source].append(decision)
        if decision.state != "elsewhere":
            kept.add(decision.hostname)
    sets = [
        _gateway_set(cluster, gateway, by_source.get(gateway.source, ()), kept)
        for cluster in settings.clusters
        for gateway in admissions[cluster.name].sets
    ]
    sets += [_tunnel_set(tunnel, by_source.get(tunnel.source, ())) for tunnel in tunnels]
    sets += [_cloudflare_set(tunnel, by_source.get(tunnel.source, ())) for tunnel in cloudflare]
    known = {one.source for one in sets}
    sets += [
        _released_set(source, group)
        for source, group in by_source.items()
        if source not in known and any(one.records for one in group)
    ]
    remembering = (replace(one, memory=replace(one.memory, owners=owners)) for one in sets)
    return tuple(sorted(remembering, key=lambda one: one.id))


def next_memory(
    sets: Iterable[PlannedSet],
    decisions: Iterable[Decision],
    tunnels: Iterable[TunnelPlan],
    cloudflare: Iterable[CloudflareTunnelPlan],
    memory: Memory,
    *,
    services: Mapping[str, ServiceMemory],
    agents: tuple[str, ...],
) -> Memory:
    """Return the memory after this run where no engine tells what really exists: predictions are taken for done."""
    promised = {(one.source, one.hostname) for one in decisions if one.promised}
    remembered = {
        one.id: replace(
            one.memory,
            published={
                hostname: records
                for hostname, records in one.memory.published.items()
                if (one.source, hostname) in promised
            },
        )
        for one in sets
    }
    return Memory(
        sets={set_id: one for set_id, one in remembered.items() if one.published or one.receipts},
        invites={tunnel_key(plan.tunnel): _invite_memory(plan, memory) for plan in tunnels if plan.invite_id},
        services=services,
        agents=agents,
        tunnels={
            tunnel_key(plan.tunnel): CloudflareTunnelMemory(
                account_id=plan.account_id, tunnel_id=plan.tunnel_id, name=plan.name, rules=plan.rules
            )
            for plan in cloudflare
            if plan.tunnel_id and plan.declared
        },
    )


def _gateway_set(
    cluster: Cluster, gateway: GatewaySet, decisions: Iterable[Decision], kept: Collection[str]
) -> PlannedSet:
    """Return the set of a Gateway; `kept` are the hostnames that are not left to another stack."""
    receipts = tuple(one for one in gateway.receipts if one.hostname in kept)
    return _planned_set(
        set_id=f"{cluster.name}/{gateway.name}",
        name=gateway.name,
        visibility=cluster.visibility,
        hostnames=gateway.hostnames if gateway.exists else (),
        retained=tuple(dict.fromkeys(name.hostname for name in gateway.admitted if name.hold)),
        memory=SetMemory(source=gateway.source, targets=gateway.targets, receipts=receipts),
        decisions=decisions,
    )


def _tunnel_set(plan: TunnelPlan, decisions: Iterable[Decision]) -> PlannedSet:
    name = set_name(plan.source)
    return _planned_set(
        set_id=name,
        name=name,
        former_ids=tuple(set_name(plan.source, alias) for alias in plan.tunnel.aliases),
        visibility=plan.tunnel.visibility,
        hostnames=tuple(claim.hostname for claim in plan.claims if claim.doubt is None),
        retained=(),
        memory=SetMemory(source=plan.source, targets=(plan.target,) if plan.claims and plan.target else ()),
        decisions=decisions,
    )


def _cloudflare_set(plan: CloudflareTunnelPlan, decisions: Iterable[Decision]) -> PlannedSet:
    name = set_name(plan.source)
    targets = (Target("Hostname", plan.target),) if plan.claims and plan.tunnel_id else ()
    return _planned_set(
        set_id=name,
        name=name,
        former_ids=tuple(set_name(plan.source, alias) for alias in plan.tunnel.aliases),
        visibility=plan.tunnel.visibility,
        hostnames=tuple(claim.hostname for claim in plan.claims),
        retained=(),
        memory=SetMemory(source=plan.source, targets=targets),
        decisions=decisions,
    )


def _released_set(source: Source, decisions: Sequence[Decision]) -> PlannedSet:
    """Return the set of a source that is gone while names of it are released: their records still need a parent."""
    name = gateway_set_name(source.namespace, source.name) if source.kind == "Gateway" else set_name(source)
    return _planned_set(
        set_id=f"{source.cluster}/{name}" if source.cluster else name,
        name=name,
        visibility=decisions[0].visibility,
        hostnames=(),
        retained=(),
        memory=SetMemory(source=source),
        decisions=decisions,
    )


def _planned_set(
    *,
    set_id: str,
    name: str,
    visibility: Visibility,
    hostnames: tuple[str, ...],
    retained: tuple[str, ...],
    memory: SetMemory,
    decisions: Iterable[Decision],
    former_ids: tuple[str, ...] = (),
) -> PlannedSet:
    with_records = [decision for decision in decisions if decision.records]
    zones = sorted({zone_key(one.zone): one.zone for one in with_records if one.zone}.items())
    return PlannedSet(
        id=set_id,
        name=name,
        source=memory.source,
        visibility=visibility,
        hostnames=hostnames,
        targets=memory.targets if hostnames else (),
        retained=retained,
        records={one.hostname: one.records for one in with_records if not one.conditional},
        conditional={one.hostname: one.records for one in with_records if one.conditional},
        memory=replace(
            memory,
            published={one.hostname: _settled(one.records) for one in with_records},
            domains={key: zone.domain for key, zone in zones},
            views={key: zone.visibility for key, zone in zones},
        ),
        imports={slot: import_id for one in with_records for slot, import_id in one.imports.items()},
        expected=frozenset(one.hostname for one in with_records if one.conditional and one.promised),
        spelt={slot: rrset for one in with_records for slot, rrset in one.spelt.items()},
        former_ids=former_ids,
        untouched=frozenset(slot for one in with_records for slot in one.untouched),
        renamed={new: old for one in with_records for new, old in one.renamed.items()},
    )


def _settled(records: Iterable[SlotRecord]) -> tuple[SlotRecord, ...]:
    """Return the records as the next run finds them: a rename has been done by then."""
    return tuple(replace(record, former=None) if record.former else record for record in records)


def _invite_memory(plan: TunnelPlan, memory: Memory) -> InviteMemory:
    """Return what is remembered of an invite. That another invite holds a name is seen anew each time."""
    known = memory.invites.get(tunnel_key(plan.tunnel))
    doubted = {claim.hostname for claim in plan.claims if claim.doubt}
    return InviteMemory(
        invite_id=plan.invite_id or "",
        generation=plan.tunnel.generation,
        fixed=fixed_on_hub(plan.tunnel),
        refused=tuple(sorted(doubted & set(known.refused))) if known else (),
        retain=plan.tunnel.deletion_policy == "Retain",
        # What is to be taken off counts as asked for until the hub shows it gone.
        asked=tuple(sorted({*plan.hostnames, *plan.held})),
    )
