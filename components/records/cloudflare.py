"""Records at Cloudflare: one `DnsRecord` per value, with the ownership marker as its comment."""

import pulumi
from pulumi_cloudflare import DnsRecord

from edge_dns.core.values import SlotRecord


def declare(record: SlotRecord, *, marker: str, opts: pulumi.ResourceOptions) -> pulumi.Resource:
    """Declare the record of one slot; `marker` is the comment (at most 100 characters)."""
    rrset = record.rrset
    return DnsRecord(
        record.slot,
        zone_id=rrset.zone_id,
        name=rrset.name,
        type=rrset.type,
        content=rrset.values[0],
        ttl=float(rrset.ttl or 1),
        proxied=bool(rrset.proxied),
        comment=marker,
        opts=opts,
    )
