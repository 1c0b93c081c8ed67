"""DNSEndpoint objects as a state or a cluster holds them (`externaldns.k8s.io/v1alpha1`): entries, zones, owner."""

import json
from collections.abc import Iterator, Mapping

from edge_dns.core.json_values import object_in, objects_in, whole_of
from edge_dns.core.markers import Marker, parse_marker
from edge_dns.core.names import in_zone
from edge_dns.core.slots import entry_slots, slot_key
from edge_dns.core.values import RRset, record_type

GROUP = "externaldns.k8s.io"
VERSION = "v1alpha1"
KIND = "DNSEndpoint"

MARKER = "edge-dns/marker"
"""Annotation with the ownership marker, as other records carry it."""
ZONES = "edge-dns/zones"
"""Annotation with the key of each zone by its domain, as JSON: what an entry of the state belongs to."""

Entry = Mapping[str, object]
"""One item of `spec.endpoints`."""


def object_records(properties: Mapping[str, object]) -> dict[str, RRset]:
    """Return by slot the entries of an object of ours; those that are not of a zone it names are left out."""
    domains = _domains(annotation(properties, ZONES))
    by_slot: dict[str, list[RRset]] = {}
    for entry in entries_of(properties):
        rrset = _rrset(entry, domains)
        if rrset:
            by_slot.setdefault(slot_key(rrset.zone_id, rrset.name), []).append(rrset)
    return {one.slot: one.rrset for key, rrsets in by_slot.items() for one in entry_slots(key, rrsets)}


def marker_of(properties: Mapping[str, object]) -> Marker | None:
    """Return the marker of an object, None where it has none."""
    return parse_marker(annotation(properties, MARKER))


def uid_of(properties: Mapping[str, object]) -> str:
    """Return the UID of an object, empty where it has none."""
    return str(object_in(properties, "metadata").get("uid") or "")


def annotation(properties: Mapping[str, object], key: str) -> str:
    """Return an annotation of an object, empty where there is none."""
    return str(object_in(object_in(properties, "metadata"), "annotations").get(key) or "")


def entries_of(properties: Mapping[str, object]) -> Iterator[Entry]:
    """Yield the entries of an object."""
    yield from objects_in(object_in(properties, "spec"), "endpoints")


def _domains(text: str) -> Mapping[str, str]:
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return {str(domain): str(key) for domain, key in found.items()} if isinstance(found, dict) else {}


def _rrset(entry: Entry, domains: Mapping[str, str]) -> RRset | None:
    name, targets, kind = entry.get("dnsName"), entry.get("targets"), record_type(entry.get("recordType"))
    if not isinstance(name, str) or kind is None or not isinstance(targets, list) or not targets:
        return None
    domain = max((one for one in domains if in_zone(name, one)), key=len, default=None)
    if domain is None:
        return None
    return RRset(
        zone_id=domains[domain],
        name=name,
        type=kind,
        values=tuple(map(str, targets)),
        ttl=whole_of(entry.get("recordTTL")),
    )
