"""What the memory says of each hostname: by whom and where it is published, and what its slots hold."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from edge_dns.core.decision import Published
from edge_dns.core.gateway_sets import gateway_set_name
from edge_dns.core.memory import Memory, SetMemory
from edge_dns.core.receipts import GatewayMemory
from edge_dns.core.settings import Settings
from edge_dns.core.slots import is_released, managed_slot, plain_slot
from edge_dns.core.tunnels import tunnel_source
from edge_dns.core.values import RRset, SlotRecord, Visibility
from edge_dns.core.zones import ZoneIndex, domain_of


def published_by_hostname(settings: Settings, memory: Memory, zones: ZoneIndex) -> Mapping[str, Sequence[Published]]:
    """Return by hostname what the last run published; the visibility is that of its zone, now or then."""
    published: dict[str, list[Published]] = defaultdict(list)
    for _, one in sorted(memory.sets.items()):
        for hostname, records in one.published.items():
            key = records[0].rrset.zone_id
            zone = zones.by_key(key)
            published[hostname].append(
                Published(
                    hostname=hostname,
                    visibility=zone.visibility if zone else _visibility(one, key, settings),
                    source=one.source,
                    zone=zone,
                    records=tuple(_managed(record) for record in records),
                )
            )
    return published


def public_names(settings: Settings, memory: Memory) -> frozenset[str]:
    """Return the hostnames that the last run published in public zones of the settings."""
    published = published_by_hostname(settings, memory, ZoneIndex.of(settings.zones))
    return frozenset(
        hostname
        for hostname, group in published.items()
        if any(one.zone and one.zone.visibility == "public" for one in group)
    )


def _managed(record: SlotRecord) -> SlotRecord:
    """Return a record as it is declared when its release is called off."""
    if not is_released(record.slot):
        return record
    return replace(record, slot=managed_slot(record.slot), former=record.slot)


def gateway_memory(memory: Memory, cluster: str) -> Mapping[str, GatewayMemory]:
    """Return what admission needs to know of the Gateways of a cluster, by the name of their sets."""
    return {
        gateway_set_name(one.source.namespace, one.source.name): GatewayMemory(
            receipts=one.receipts, targets=one.targets, hostnames=frozenset(one.published)
        )
        for one in memory.sets.values()
        if one.source.kind == "Gateway" and one.source.cluster == cluster
    }


def slots_by_name(memory: Memory) -> Mapping[str, Mapping[str, RRset]]:
    """Group what every slot holds by plain slot; a resource that exists counts more than what a set remembers."""
    slots = {
        record.slot: record.rrset
        for one in memory.sets.values()
        for records in one.published.values()
        for record in records
    }
    grouped: dict[str, dict[str, RRset]] = defaultdict(dict)
    for slot, rrset in {**slots, **memory.slots}.items():
        grouped[plain_slot(slot)][slot] = rrset
    return grouped


def _visibility(one: SetMemory, key: str, settings: Settings) -> Visibility:
    """Return the visibility of the records of a set in a zone that left the settings.

    A memory that does not tell leaves that of the source; where that left the settings too, it is the one of which no
    zone of the domain is left, public before private.
    """
    if view := one.views.get(key):
        return view
    source = one.source
    if source.cluster is not None:
        found = [cluster.visibility for cluster in settings.clusters if cluster.name == source.cluster]
    else:
        found = [tunnel.visibility for tunnel in settings.tunnels if tunnel_source(tunnel) == source]
    domain = one.domains.get(key) or domain_of(key)
    views = {zone.visibility for zone in settings.zones if zone.domain == domain}
    return found[0] if found else "private" if views == {"public"} else "public"
