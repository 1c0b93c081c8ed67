"""What a plain Pulumi program would declare for a plan: the same invites, records, markers and DNSEndpoints.

Without components.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from edge_dns.core.endpoint_entries import GROUP, KIND, VERSION
from edge_dns.core.endpoint_objects import STACK_LABEL, PlannedObject, planned_objects
from edge_dns.core.endpoint_places import Places
from edge_dns.core.markers import marker_name, marker_text
from edge_dns.core.memory import SetMemory, decode
from edge_dns.core.record_sets import PlannedSet
from edge_dns.core.settings import Settings, Tunnel, Zone
from edge_dns.core.values import RRset, SlotRecord, Source
from edge_dns.core.zones import ZoneIndex

Json = dict[str, object]

_MARKER_TTL = 300


def bare_resources(document: Mapping[str, object], settings: Settings, project: str, stack: str) -> list[Json]:
    """Return `{"class", "name", "inputs", "dependsOn"}` of each resource of a plan JSON, each after what it depends on.

    Knows A and CNAME records, not aliases. `project` and `stack` own the markers.
    """
    memory = decode(document["memory"])
    zones = ZoneIndex.of(settings.zones)
    places = Places.of(settings)
    resources = [_invite(tunnel) for tunnel in settings.tunnels]
    for name, one in memory.sets.items():
        resources += _records_of_set(one, zones.by_zone_key, marker_text(project, stack, one.source))
        objects = planned_objects(_declared(name, one), places, zones, project=project, stack=stack)
        resources += [_endpoint(planned, _invite_of(one.source)) for planned in objects]
    return resources


def by_class(resources: Sequence[Json]) -> dict[str, int]:
    """Return how many resources there are of each class."""
    return dict(Counter(str(one["class"]) for one in resources))


def _invite(tunnel: Tunnel) -> Json:
    inputs: Json = {
        "name": f"{tunnel.namespace}/{tunnel.name}",
        "hostnames": sorted(tunnel.hostnames),
        "region": tunnel.region,
        "expires_in_secs": tunnel.expires_in_secs,
    }
    return {"class": "invite", "name": inputs["name"], "inputs": inputs, "dependsOn": []}


def _invite_of(source: Source) -> list[str]:
    return [f"{source.namespace}/{source.name}"] if source.kind == "TowonelTunnel" else []


def _declared(name: str, memory: SetMemory) -> PlannedSet:
    """Return the set as it is declared once all of its hostnames are confirmed."""
    return PlannedSet(
        id=name,
        name=name,
        source=memory.source,
        visibility="public",
        hostnames=tuple(memory.published),
        targets=memory.targets,
        retained=(),
        records=memory.published,
        conditional={},
        memory=memory,
        imports={},
        spelt={},
    )


def _records_of_set(one: SetMemory, zones: Mapping[str, Zone], marker: str) -> Iterator[Json]:
    invite = _invite_of(one.source)
    for records in one.published.values():
        for record in records:
            zone = zones[record.rrset.zone_id]
            if zone.provider == "cloudflare":
                yield _cloudflare(record, marker, invite)
            elif zone.provider == "route53":
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


def _endpoint(planned: PlannedObject, after: list[str]) -> Json:
    options = {
        "pulumi.com/patchFieldManager": f"edge-dns-{planned.labels[STACK_LABEL]}",
        "pulumi.com/deletionPropagationPolicy": "background",
    }
    metadata: Json = {
        "namespace": planned.key.namespace,
        "name": planned.key.name,
        "labels": dict(planned.labels),
        "annotations": {**planned.annotations, **options},
    }
    inputs: Json = {
        "api_version": f"{GROUP}/{VERSION}",
        "kind": KIND,
        "metadata": metadata,
        "spec": {"endpoints": planned.endpoints(())},
    }
    return {"class": "dnsendpoint", "name": planned.key.id, "inputs": inputs, "dependsOn": after}
