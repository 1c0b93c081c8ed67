"""Whole RRsets from the record resources of their slots, and RRsets in words."""

from collections.abc import Iterable
from dataclasses import replace

from edge_dns.core.values import RRset, SlotRecord


def join_slots(records: Iterable[SlotRecord]) -> tuple[RRset, ...]:
    """Return the RRsets that these record resources make together; see `join_rrsets`."""
    return join_rrsets(record.rrset for record in records)


def join_rrsets(rrsets: Iterable[RRset]) -> tuple[RRset, ...]:
    """Return one RRset per (zone, name, type) with all values, sorted by zone, name and type; values are sorted."""
    joined: dict[tuple[str, str, str], RRset] = {}
    for rrset in rrsets:
        key = (rrset.zone_id, rrset.name, rrset.type)
        values = tuple(sorted(joined[key].values + rrset.values if key in joined else rrset.values))
        joined[key] = rrset if values == rrset.values else replace(rrset, values=values)
    return tuple(joined[key] for key in sorted(joined))


def describe_rrset(rrset: RRset) -> str:
    """Return type, values, TTL and proxying in words."""
    if rrset.alias:
        return f"{rrset.type} alias {rrset.alias.name}"
    proxied = ", proxied" if rrset.proxied else ""
    return f"{rrset.type} {' '.join(rrset.values)} (ttl {ttl_text(rrset.ttl)}{proxied})"


def ttl_text(ttl: int | None) -> str:
    """Return a TTL in words; 1 is Cloudflare's automatic one."""
    return "auto" if ttl == 1 else str(ttl)
