"""Whole RRsets from the record resources of their slots."""

from collections.abc import Iterable
from dataclasses import replace

from edge_dns.core.values import RRset, SlotRecord


def join_slots(records: Iterable[SlotRecord]) -> tuple[RRset, ...]:
    """Return one RRset per (zone, name, type) with all values, sorted by zone, name and type; values are sorted."""
    joined: dict[tuple[str, str, str], RRset] = {}
    for record in records:
        rrset = record.rrset
        key = (rrset.zone_id, rrset.name, rrset.type)
        values = joined[key].values + rrset.values if key in joined else rrset.values
        joined[key] = replace(rrset, values=tuple(sorted(values)))
    return tuple(joined[key] for key in sorted(joined))
