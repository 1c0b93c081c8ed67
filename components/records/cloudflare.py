"""Records at Cloudflare: one `DnsRecord` per value, with the ownership marker as its comment."""

from collections.abc import Sequence

import pulumi
from pulumi_cloudflare import DnsRecord

from components.records.placement import Placement, plain_first
from edge_dns.core.markers import RELEASED_COMMENT
from edge_dns.core.settings import Zone
from edge_dns.core.slots import is_released
from edge_dns.core.values import SlotRecord


def declare(records: Sequence[SlotRecord], *, zone: Zone, marker: str, place: Placement) -> list[pulumi.Resource]:
    """Declare the records of one hostname; `marker` is the comment (at most 100 characters), but of released ones."""
    del zone  # only Route 53 needs it
    declared: list[pulumi.Resource] = []
    for record in plain_first(records):
        rrset = record.rrset
        declared.append(
            DnsRecord(
                record.slot,
                zone_id=rrset.zone_id,
                name=rrset.name,
                type=rrset.type,
                content=place.contents.get(rrset.values[0], rrset.values[0]),
                ttl=float(rrset.ttl or 1),
                proxied=bool(rrset.proxied),
                comment=RELEASED_COMMENT if is_released(record.slot) else marker,
                opts=place.options(record.slot, *declared[:1], former=record.former),
            )
        )
    return declared
