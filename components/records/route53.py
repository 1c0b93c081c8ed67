"""Records at Route 53: one `Record` per RRset, and one TXT record per hostname as the ownership marker."""

import pulumi
from pulumi_aws.route53 import Record, RecordAliasArgs

from edge_dns.core.values import Alias, SlotRecord

MARKER_TTL = 300


def declare(record: SlotRecord, *, opts: pulumi.ResourceOptions) -> pulumi.Resource:
    """Declare the RRset of one slot; it never overwrites a record that is there already."""
    rrset = record.rrset
    return Record(
        record.slot,
        zone_id=rrset.zone_id,
        name=rrset.name,
        type=rrset.type,
        records=None if rrset.alias else list(rrset.values),
        ttl=None if rrset.alias else rrset.ttl,
        aliases=[_alias(rrset.alias)] if rrset.alias else None,
        opts=opts,
    )


def declare_marker(slot: str, *, zone_id: str, name: str, text: str, opts: pulumi.ResourceOptions) -> pulumi.Resource:
    """Declare the TXT record that marks a hostname as ours; `text` is the unquoted marker."""
    return Record(slot, zone_id=zone_id, name=name, type="TXT", records=[text], ttl=MARKER_TTL, opts=opts)


def _alias(alias: Alias) -> RecordAliasArgs:
    return RecordAliasArgs(
        name=alias.name, zone_id=alias.zone_id, evaluate_target_health=alias.evaluate_target_health
    )
