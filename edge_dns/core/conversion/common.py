"""What the converters of all providers share: options, parsed targets, TTLs, record building."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address

from edge_dns.core.addresses import Address, canonical, parse_address
from edge_dns.core.names import NameSyntax, TargetNotIp, normalise_target
from edge_dns.core.rules import refuse
from edge_dns.core.settings import Zone
from edge_dns.core.values import RRset, Target
from edge_dns.core.zones import zone_key

DEFAULT_TTL = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionOptions:
    """What the source of a hostname wants of its records.

    `prefer_cname`: a hostname target becomes a CNAME, never an alias. `ttl`: seconds set for this source, None to take
    the zone's, which `any_ttl` leaves unchecked. `is_tunnel`: the target is the edge of a tunnel, not a Gateway.
    `proxied`: through Cloudflare's proxy.
    """

    prefer_cname: bool = False
    ttl: int | None = None
    any_ttl: bool = False
    is_tunnel: bool = False
    proxied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """Targets of one name after the checks: either one hostname or at least one address, in the order given."""

    hostname: str | None = None
    addresses: tuple[Address, ...] = ()


Converter = Callable[[str, Targets, Zone, ConversionOptions], tuple[RRset, ...]]


def parse_targets(hostname: str, targets: Iterable[Target]) -> Targets:
    """Return the targets of a hostname, deduplicated by what they mean; raises Refused (see `convert`)."""
    hostnames: dict[str, None] = {}
    addresses: dict[Address, None] = {}
    for target in targets:
        if target.type == "IPAddress":
            addresses[_address(target.value)] = None
        else:
            hostnames[_target_name(target.value)] = None
    _check_kinds(hostname, tuple(hostnames), tuple(addresses))
    return Targets(hostname=next(iter(hostnames), None), addresses=tuple(addresses))


def _check_kinds(hostname: str, hostnames: tuple[str, ...], addresses: tuple[Address, ...]) -> None:
    if not hostnames and not addresses:
        refuse("no-address", "there is no target to point at")
    if hostnames and addresses:
        refuse(
            "target-mixed-kinds",
            f"hostname and address targets together: {hostnames[0]}, {canonical(addresses[0])}; use one kind",
        )
    if len(hostnames) > 1:
        refuse("cname-single", f"{len(hostnames)} hostname targets ({', '.join(hostnames)}) where one is possible")
    if hostnames == (hostname,):
        refuse("cname-self", f"{hostname} would point at itself")


def _address(text: str) -> Address:
    try:
        return parse_address(text)
    except ValueError:
        refuse("value-ip-syntax", f"target {text!r} is not an IP address")


def _target_name(text: str) -> str:
    try:
        return normalise_target(text)
    except TargetNotIp:
        refuse("target-not-ip", f"target {text!r} is an address but declared as a hostname")
    except NameSyntax as error:
        refuse("target-syntax", f"target {text!r} is not a hostname: {error}")


def chosen_ttl(zone: Zone, options: ConversionOptions, allowed: range) -> int | None:
    """Return the TTL in seconds that the source or else the zone sets, None when neither does; `ttl-range` outside."""
    ttl = zone.ttl if options.ttl is None else options.ttl
    if ttl is not None and ttl not in allowed and not options.any_ttl:
        refuse(
            "ttl-range",
            f"ttl {ttl} is outside {allowed.start} to {allowed.stop - 1} seconds, which {zone.provider} allows; "
            "leave it out for the default",
        )
    return ttl


def address_rrsets(
    hostname: str, addresses: tuple[Address, ...], zone: Zone, *, ttl: int, proxied: bool | None = None
) -> tuple[RRset, ...]:
    """Return one A RRset with all IPv4 addresses and one AAAA with all IPv6 addresses, where there are any."""
    ipv4 = tuple(canonical(address) for address in addresses if isinstance(address, IPv4Address))
    ipv6 = tuple(canonical(address) for address in addresses if not isinstance(address, IPv4Address))
    key = zone_key(zone)
    a = RRset(zone_id=key, name=hostname, type="A", values=ipv4, ttl=ttl, proxied=proxied)
    aaaa = RRset(zone_id=key, name=hostname, type="AAAA", values=ipv6, ttl=ttl, proxied=proxied)
    return tuple(rrset for rrset in (a, aaaa) if rrset.values)


def cname_rrset(hostname: str, target: str, zone: Zone, *, ttl: int, proxied: bool | None = None) -> RRset:
    """Return the CNAME RRset of a hostname."""
    return RRset(zone_id=zone_key(zone), name=hostname, type="CNAME", values=(target,), ttl=ttl, proxied=proxied)
