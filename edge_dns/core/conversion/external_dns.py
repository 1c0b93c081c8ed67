"""external-dns: the entries of a DNSEndpoint, one per type; the instance that reads them turns them into records."""

from edge_dns.core.conversion.common import (
    DEFAULT_TTL,
    ConversionOptions,
    Targets,
    address_rrsets,
    chosen_ttl,
    cname_rrset,
    refuse,
)
from edge_dns.core.settings import Zone
from edge_dns.core.values import RRset

# 0 in recordTTL stands for the default of the provider.
_ALLOWED_TTL = range(1, 2**31)
_MAX_LABEL = 63


def convert(hostname: str, targets: Targets, zone: Zone, options: ConversionOptions) -> tuple[RRset, ...]:
    """Return the entries as RRsets; raises Refused with `ttl-range`, `cname-apex` or `consumer-capability`."""
    fixed = chosen_ttl(zone, options, _ALLOWED_TTL)
    ttl = DEFAULT_TTL if fixed is None else fixed
    if targets.hostname is None:
        rrsets = address_rrsets(hostname, targets.addresses, zone, ttl=ttl)
    elif hostname == zone.domain:
        refuse("cname-apex", f"a CNAME cannot stand at the zone apex {hostname} (RFC 1034 §3.6.2); use addresses")
    else:
        rrsets = (cname_rrset(hostname, targets.hostname, zone, ttl=ttl),)
    for rrset in rrsets:
        _check_managed(rrset, zone)
        _check_owned(rrset)
    return rrsets


def _check_managed(rrset: RRset, zone: Zone) -> None:
    if zone.consumer and rrset.type not in zone.consumer.managed_types:
        reason = f"the consumer of zone {zone.domain} ignores type {rrset.type} (managedTypes)"
        refuse("consumer-capability", reason)


def _check_owned(rrset: RRset) -> None:
    """external-dns keeps ownership at `<type>-<first label>`; without that record it never deletes the name again."""
    owner_label = f"{rrset.type.lower()}-{rrset.name.partition('.')[0]}"
    if len(owner_label) > _MAX_LABEL:
        reason = f"external-dns cannot own a {rrset.type} record whose first label makes {owner_label!r} longer than 63"
        refuse("consumer-capability", reason)
