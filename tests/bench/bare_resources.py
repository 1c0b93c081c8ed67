"""What a plain Pulumi program would declare for a plan: the same invites, records and markers, without components."""

from collections.abc import Iterator, Mapping

from edge_dns.core.markers import marker_name, marker_text
from edge_dns.core.memory import SetMemory, decode
from edge_dns.core.settings import Settings, Tunnel, Zone
from edge_dns.core.values import RRset, SlotRecord

Json = dict[str, object]

_MARKER_TTL = 300


def bare_resources(document: Mapping[str, object], settings: Settings, project: str, stack: str) -> list[Json]:
    """Return `{"class", "name", "inputs", "dependsOn"}` of each resource of a plan JSON, each after what it depends on.

    Knows A and CNAME records, not aliases. `project` and `stack` own the markers.
    """
    memory = decode(document["memory"])
    zones = {str(zone.zone_id): zone for zone in settings.zones}
    resources = [_invite(tunnel) for tunnel in settings.tunnels]
    for one in memory.sets.values():
        resources += _records_of_set(one, zones, marker_text(project, stack, one.source))
    return resources


def _invite(tunnel: Tunnel) -> Json:
    inputs: Json = {
        "name": f"{tunnel.namespace}/{tunnel.name}",
        "hostnames": sorted(tunnel.hostnames),
        "region": tunnel.region,
        "expires_in_secs": tunnel.expires_in_secs,
    }
    return {"class": "invite", "name": inputs["name"], "inputs": inputs, "dependsOn": []}


def _records_of_set(one: SetMemory, zones: Mapping[str, Zone], marker: str) -> Iterator[Json]:
    source = one.source
    invite = [f"{source.namespace}/{source.name}"] if source.kind == "TowonelTunnel" else []
    for records in one.published.values():
        for record in records:
            zone = zones[record.rrset.zone_id]
            if zone.provider == "cloudflare":
                yield _cloudflare(record, marker, invite)
            else:
                yield from _route53(record, zone, marker, invite)


def _cloudflare(record: SlotRecord, marker: str, after: list[str]) -> Json:
    rrset = record.rrset
    inputs: Json = {
        **_common(rrset),
        "content": rrset.values[0],
        "ttl": float(rrset.ttl or 1),
        "proxied": bool(rrset.proxied),
        "comment": marker,
    }
    return {"class": "cloudflare", "name": record.slot, "inputs": inputs, "dependsOn": after}


def _route53(record: SlotRecord, zone: Zone, marker: str, after: list[str]) -> Iterator[Json]:
    rrset = record.rrset
    name = marker_name(rrset.name, zone.domain)
    slot = f"{rrset.zone_id}/{name}"
    text: Json = {"zone_id": rrset.zone_id, "name": name, "type": "TXT", "records": [marker], "ttl": _MARKER_TTL}
    yield {"class": "route53", "name": slot, "inputs": text, "dependsOn": after}
    inputs: Json = {**_common(rrset), "records": list(rrset.values), "ttl": rrset.ttl}
    yield {"class": "route53", "name": record.slot, "inputs": inputs, "dependsOn": [*after, slot]}


def _common(rrset: RRset) -> Json:
    return {"zone_id": rrset.zone_id, "name": rrset.name, "type": rrset.type}
