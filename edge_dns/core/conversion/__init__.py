"""From neutral targets to the records of a provider: one pure function per provider, and the checks on its result."""

from collections.abc import Iterable

from edge_dns.core.conversion import cloudflare, external_dns, route53
from edge_dns.core.conversion.checks import check_beside, check_public, check_together
from edge_dns.core.conversion.common import ConversionOptions, Converter, parse_targets
from edge_dns.core.settings import Zone
from edge_dns.core.values import Provider, RRset, Target

__all__ = ["ConversionOptions", "check_beside", "check_public", "check_together", "convert"]

_CONVERTERS: dict[Provider, Converter] = {
    "cloudflare": cloudflare.convert,
    "route53": route53.convert,
    "external-dns": external_dns.convert,
}


def convert(hostname: str, targets: Iterable[Target], zone: Zone, options: ConversionOptions) -> tuple[RRset, ...]:
    """Return the RRsets that make a hostname (normal form, in the zone) point at its targets, sorted by type.

    Values are canonical, without duplicates, in the order of the targets. Raises Refused with the first rule that hits:
    no-address, value-ip-syntax, target-syntax, target-not-ip, target-mixed-kinds, cname-single, cname-self, then those
    of the provider: ttl-range, proxied-ttl, cname-apex, alias-unknown, consumer-capability.
    """
    return _CONVERTERS[zone.provider](hostname, parse_targets(hostname, targets), zone, options)
