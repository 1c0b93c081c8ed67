"""The DNSEndpoint objects of an endpoint record set (`externaldns.k8s.io/v1alpha1`), from its records."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from edge_dns.core.endpoint_entries import MARKER, ZONES, Entry
from edge_dns.core.endpoint_places import ObjectKey, Places, digest
from edge_dns.core.markers import marker_text, owner
from edge_dns.core.record_sets import PlannedSet
from edge_dns.core.settings import Tunnel, Zone
from edge_dns.core.values import RRset, SlotRecord
from edge_dns.core.zones import ZoneIndex, zone_key

STACK_LABEL = "edge-dns/stack"

_LABEL_VALUE = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedObject:
    """One object to declare: `entries` by hostname, `conditional` ones once the hub confirms the hostname.

    `expected` are the conditional hostnames that this run is expected to get.
    """

    key: ObjectKey
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    entries: Mapping[str, Sequence[Entry]]
    conditional: Mapping[str, Sequence[Entry]]
    expected: frozenset[str]

    @property
    def hostnames(self) -> tuple[str, ...]:
        """All hostnames that it may hold after the run, sorted."""
        return tuple(sorted({*self.entries, *self.conditional}))

    def endpoints(self, confirmed: Iterable[str]) -> list[Entry]:
        """Return `spec.endpoints` when the hub confirms these hostnames, sorted by name."""
        known = set(confirmed)
        by_name = {**self.entries, **{name: one for name, one in self.conditional.items() if name in known}}
        return [entry for _, entries in sorted(by_name.items()) for entry in entries]


def planned_objects(
    planned: PlannedSet, places: Places, zones: ZoneIndex, *, project: str, stack: str
) -> tuple[PlannedObject, ...]:
    """Return the objects of one endpoint record set, sorted."""
    grouped: dict[str, dict[str, Zone]] = {}
    keys: dict[str, ObjectKey] = {}
    for records in (*planned.records.values(), *planned.conditional.values()):
        zone = zones.by_zone_key[records[0].rrset.zone_id]
        if key := places.key(planned.source, zone):
            keys[key.id] = key
            grouped.setdefault(key.id, {})[zone_key(zone)] = zone
    return tuple(
        _planned_object(planned, keys[name], by_key, places, (project, stack))
        for name, by_key in sorted(grouped.items())
    )


def _planned_object(
    planned: PlannedSet, key: ObjectKey, zones: Mapping[str, Zone], places: Places, identity: tuple[str, str]
) -> PlannedObject:
    def entries(of: Mapping[str, Sequence[SlotRecord]]) -> dict[str, Sequence[Entry]]:
        return {
            hostname: [_entry(one.rrset, _properties(places.tunnels.get(planned.source), zone)) for one in records]
            for hostname, records in of.items()
            if (zone := zones.get(records[0].rrset.zone_id))
        }

    any_zone = zones[min(zones)]
    domains = json.dumps({zone.domain: name for name, zone in zones.items()}, sort_keys=True)
    return PlannedObject(
        key=key,
        labels={**places.labels(planned.source, any_zone), STACK_LABEL: stack_label(*identity)},
        annotations={
            **places.annotations(planned.source, any_zone),
            MARKER: marker_text(*identity, planned.source),
            ZONES: domains,
        },
        entries=entries(planned.records),
        conditional=entries(planned.conditional),
        expected=planned.expected,
    )


def stack_label(project: str, stack: str) -> str:
    """Return the value of the label that names a stack: `<project>.<stack>`, or a hash where that is no label value."""
    text = f"{project}.{stack}"
    return text if _LABEL_VALUE.fullmatch(text) else f"sha256-{digest(owner(project, stack))}"


def _entry(rrset: RRset, properties: Mapping[str, str]) -> Entry:
    entry: dict[str, object] = {
        "dnsName": rrset.name,
        "recordType": rrset.type,
        "targets": list(rrset.values),
        "recordTTL": rrset.ttl,
    }
    if properties:
        entry["providerSpecific"] = [{"name": name, "value": value} for name, value in sorted(properties.items())]
    return entry


def _properties(tunnel: Tunnel | None, zone: Zone) -> Mapping[str, str]:
    """Return the provider's properties; external-dns looks for those of Cloudflare under its annotation prefix."""
    if zone.consumer is None:
        return {}
    given = {**zone.consumer.provider_specific, **(tunnel.dns.provider_specific if tunnel else {})}
    prefix = zone.consumer.annotation_prefix
    return {name if "/" in name or name == "alias" else f"{prefix}{name}": value for name, value in given.items()}
