"""external-dns: the entries of a DNSEndpoint, one per type; the instance that reads them turns them into records."""

from edge_dns.core.conversion.common import (
    DEFAULT_TTL,
    ConversionOptions,
    Targets,
    address_rrsets,
    chosen_ttl,
    cname_rrset,
)
from edge_dns.core.names import in_zone, is_wildcard
from edge_dns.core.rules import refuse
from edge_dns.core.settings import Consumer, Zone
from edge_dns.core.values import RRset

# 0 in recordTTL stands for the default of the provider.
_ALLOWED_TTL = range(1, 2**31)
_MAX_LABEL = 63
_MAX_NAME = 253
_TYPE = "%{record_type}"


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
    if zone.consumer:
        for rrset in rrsets:
            _check_managed(rrset, zone, zone.consumer)
            _check_owned(rrset, zone, zone.consumer)
    return rrsets


def registry_name(name: str, record_type: str, consumer: Consumer) -> str:
    """Return where external-dns keeps its ownership of a record (`AffixNameMapper.ToTXTName` of its TXT registry)."""
    kind = record_type.lower()
    first, dot, rest = name.partition(".")
    if first == "*" and consumer.txt_wildcard_replacement:
        first = consumer.txt_wildcard_replacement.lower()
    prefix = consumer.txt_prefix or ""
    label = first if _TYPE in prefix else f"{kind}-{first}"
    return f"{prefix.replace(_TYPE, kind)}{label}{dot}{rest}"


def _check_managed(rrset: RRset, zone: Zone, consumer: Consumer) -> None:
    if rrset.type not in consumer.managed_types:
        reason = f"the consumer of zone {zone.domain} ignores type {rrset.type} (managedTypes)"
        refuse("consumer-capability", reason)


def _check_owned(rrset: RRset, zone: Zone, consumer: Consumer) -> None:
    """Without its registry entry external-dns never deletes the record again."""
    name = registry_name(rrset.name, rrset.type, consumer)
    if any(len(label) > _MAX_LABEL for label in name.split(".")) or len(name) > _MAX_NAME:
        problem = f"{name} is too long for a name"
    elif not in_zone(name, zone.domain):
        problem = f"{name} is not in the zone; an external-dns with --txt-prefix=%{{record_type}}. (txtPrefix) can"
    elif is_wildcard(rrset.name) and "*" in name:
        problem = f"many providers refuse {name}; set txtWildcardReplacement to the consumer's"
    else:
        return
    refuse("consumer-capability", f"external-dns cannot own the {rrset.type} record of {rrset.name}: {problem}")
