"""Cloudflare: a CNAME for a hostname (flattened at the apex), A and AAAA for addresses; TTL 1 means automatic."""

from edge_dns.core.conversion.common import ConversionOptions, Targets, address_rrsets, chosen_ttl, cname_rrset
from edge_dns.core.rules import refuse
from edge_dns.core.settings import Zone
from edge_dns.core.values import RRset

AUTOMATIC_TTL = 1
ALLOWED_TTL = range(60, 86400 + 1)


def convert(hostname: str, targets: Targets, zone: Zone, options: ConversionOptions) -> tuple[RRset, ...]:
    """Return the RRsets; raises Refused with `ttl-range` or `proxied-ttl`.

    The provider reports a proxied record with a TTL only when it creates it, so it is refused here.
    """
    if options.proxied and options.ttl is not None:
        refuse("proxied-ttl", f"a proxied record has the automatic TTL only; remove ttl {options.ttl}")
    fixed = None if options.proxied else chosen_ttl(zone, options, ALLOWED_TTL)
    ttl = AUTOMATIC_TTL if fixed is None else fixed
    if targets.hostname is not None:
        return (cname_rrset(hostname, targets.hostname, zone, ttl=ttl, proxied=options.proxied),)
    return address_rrsets(hostname, targets.addresses, zone, ttl=ttl, proxied=options.proxied)
