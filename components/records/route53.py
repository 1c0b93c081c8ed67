"""Records at Route 53: one `Record` per RRset, and one TXT record per hostname as the ownership marker."""

from collections.abc import Sequence

import pulumi
from pulumi_aws.route53 import Record, RecordAliasArgs

from components.records.placement import Placement, plain_first
from edge_dns.core.markers import marker_name
from edge_dns.core.settings import Zone
from edge_dns.core.slots import is_released, released_slot, slot_key
from edge_dns.core.values import Alias, SlotRecord

MARKER_TTL = 300


def declare(records: Sequence[SlotRecord], *, zone: Zone, marker: str, place: Placement) -> list[pulumi.Resource]:
    """Declare the RRsets of one hostname, each after its marker; released ones have none but that of somebody else.

    Nothing overwrites a record that is there already.
    """
    first = _declare_marker(records, zone, marker, place) if zone.marker == "txt" else []
    declared: list[pulumi.Resource] = []
    for record in plain_first(records):
        rrset = place.spelt.get(record.slot, record.rrset)
        declared.append(
            Record(
                record.slot,
                zone_id=rrset.zone_id,
                name=rrset.name,
                type=rrset.type,
                records=None if rrset.alias else list(rrset.values),
                ttl=rrset.ttl,
                aliases=[_alias(rrset.alias)] if rrset.alias else None,
                opts=place.options(record.slot, *first, *declared[:1], former=record.former),
            )
        )
    return [*first, *declared]


def _declare_marker(records: Sequence[SlotRecord], zone: Zone, marker: str, place: Placement) -> list[pulumi.Resource]:
    record = records[0]
    name = marker_name(record.rrset.name, zone.domain)
    zone_id = record.rrset.zone_id
    slot = slot_key(zone_id, name)
    if all(is_released(one.slot) for one in records):
        slot = released_slot(slot)
        if slot not in place.untouched:
            return []
    # The provider quotes the value itself.
    resource = Record(
        slot,
        zone_id=zone_id,
        name=name,
        type="TXT",
        records=[marker],
        ttl=MARKER_TTL,
        opts=place.options(slot, former=place.renamed.get(slot)),
    )
    return [resource]


def _alias(alias: Alias) -> RecordAliasArgs:
    return RecordAliasArgs(name=alias.name, zone_id=alias.zone_id, evaluate_target_health=alias.evaluate_target_health)
