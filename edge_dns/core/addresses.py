"""Which addresses and names may stand in a public zone.

The table is ours and not `ipaddress.is_global`: that answer changes between patch releases of Python and counts NAT64,
6to4 and multicast addresses as global. It follows the registries IANA IPv4 Special-Purpose Address Space and IANA IPv6
Special-Purpose Address Space (RFC 6890, RFC 8190; as of 2025-10-09), the multicast ranges (RFC 5771, RFC 4291 §2.7) and
the rule that only 2000::/3 is allocated as global unicast (IANA IPv6 Address Space).
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Literal

Scope = Literal["global", "documentation", "private"]
Address = IPv4Address | IPv6Address


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """The scope of an address and, unless it is global, the name of the range that decided."""

    scope: Scope
    reason: str = ""


_GLOBAL = Classification(scope="global")

_PRIVATE_RANGES = {
    "0.0.0.0/8": "this network, RFC 791",
    "10.0.0.0/8": "private use, RFC 1918",
    "100.64.0.0/10": "shared address space (CGNAT), RFC 6598",
    "127.0.0.0/8": "loopback, RFC 1122",
    "169.254.0.0/16": "link-local, RFC 3927",
    "172.16.0.0/12": "private use, RFC 1918",
    "192.0.0.0/24": "IETF protocol assignments, RFC 6890",
    "192.88.99.0/24": "deprecated 6to4 relay anycast, RFC 7526",
    "192.168.0.0/16": "private use, RFC 1918",
    "198.18.0.0/15": "benchmarking, RFC 2544",
    "224.0.0.0/4": "multicast, RFC 5771",
    "240.0.0.0/4": "reserved, RFC 1112",
    "255.255.255.255/32": "limited broadcast, RFC 919",
    "::/0": "outside the global unicast space 2000::/3",
    "::/128": "unspecified, RFC 4291",
    "::1/128": "loopback, RFC 4291",
    "64:ff9b:1::/48": "local-use NAT64, RFC 8215",
    "100::/64": "discard-only, RFC 6666",
    "100:0:0:1::/64": "dummy prefix, RFC 9780",
    "2001::/23": "IETF protocol assignments, RFC 2928",
    "2001::/32": "Teredo, RFC 4380",
    "2001:2::/48": "benchmarking, RFC 5180",
    "2001:10::/28": "deprecated ORCHID, RFC 4843",
    "5f00::/16": "segment routing identifiers, RFC 9602",
    "fc00::/7": "unique local, RFC 4193",
    "fe80::/10": "link-local, RFC 4291",
    "fec0::/10": "deprecated site-local, RFC 3879",
    "ff00::/8": "multicast, RFC 4291",
}

_DOCUMENTATION_RANGES = {
    "192.0.2.0/24": "documentation, RFC 5737",
    "198.51.100.0/24": "documentation, RFC 5737",
    "203.0.113.0/24": "documentation, RFC 5737",
    "2001:db8::/32": "documentation, RFC 3849",
    "3fff::/20": "documentation, RFC 9637",
}

# Globally reachable blocks inside the ones above.
_GLOBAL_RANGES = (
    "192.0.0.9/32",
    "192.0.0.10/32",
    "2000::/3",
    "2001:1::1/128",
    "2001:1::2/128",
    "2001:1::3/128",
    "2001:3::/32",
    "2001:4:112::/48",
    "2001:20::/28",
    "2001:30::/28",
)

_NAT64 = IPv6Network("64:ff9b::/96")

_PRIVATE_USE = tuple(map(ip_network, ("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")))


def _table() -> tuple[tuple[IPv4Network | IPv6Network, Classification], ...]:
    rows = {
        **{prefix: Classification(scope="private", reason=reason) for prefix, reason in _PRIVATE_RANGES.items()},
        **{
            prefix: Classification(scope="documentation", reason=reason)
            for prefix, reason in _DOCUMENTATION_RANGES.items()
        },
        **dict.fromkeys(_GLOBAL_RANGES, _GLOBAL),
    }
    networks = [(ip_network(prefix), row) for prefix, row in rows.items()]
    return tuple(sorted(networks, key=lambda row: row[0].prefixlen, reverse=True))


_TABLE = _table()


@lru_cache(maxsize=1024)
def parse_address(text: str) -> Address:
    """Return the address of a text, an IPv4-mapped IPv6 address as its IPv4 address (RFC 4291 §2.5.5.2).

    Raises ValueError for anything else than one address; a zone index (`fe80::1%eth0`) is no part of a DNS value.
    """
    address = ip_address(text.strip())
    if isinstance(address, IPv4Address):
        return address
    if address.scope_id:
        raise ValueError(f"{text!r} has a zone index")
    return address.ipv4_mapped or address


def canonical(address: Address) -> str:
    """Return the text of an address as it stands in a record (RFC 5952 for IPv6)."""
    return str(address)


@cache
def classify(address: Address) -> Classification:
    """Return the scope of an address; IPv4-mapped, NAT64 (RFC 6052) and 6to4 (RFC 3056) count as the IPv4 inside."""
    inner = _embedded(address) if isinstance(address, IPv6Address) else None
    if inner is not None:
        found = classify(inner)
        return Classification(scope=found.scope, reason=f"{found.reason}, embedded in IPv6" if found.reason else "")
    return next((row for network, row in _TABLE if address in network), _GLOBAL)


def is_private_use(address: Address) -> bool:
    """Say whether hosts of a private network have such an address (RFC 1918, RFC 6598, RFC 4193).

    Not one that blocking resolvers answer with, such as 0.0.0.0 or 127.0.0.1, nor any other special one.
    """
    inner = _embedded(address) if isinstance(address, IPv6Address) else None
    return any((inner or address) in network for network in _PRIVATE_USE)


def _embedded(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


# Suffixes that never resolve on the public internet: RFC 6761 §6.3 (localhost), RFC 6762 §3 (local, cluster.local with
# it), RFC 6762 appendix G (suffixes used on private networks), RFC 8375 (home.arpa), the ICANN Board's resolution
# 2024.07.29.06 (internal), and the Kubernetes DNS specification (<service>.<namespace>.svc).
_INTERNAL_SUFFIXES = frozenset(
    {"localhost", "local", "internal", "intranet", "private", "corp", "home", "lan", "home.arpa", "svc"}
)
_INTERNAL_LOAD_BALANCER = re.compile(r"(?:dualstack\.)?internal-[^.]+\.[^.]+\.elb\.amazonaws\.com(?:\.cn)?")


def internal_name(hostname: str) -> str | None:
    """Return why a hostname (lower case, no dot at the end) is never public, or None when it may be.

    A single label is only ever completed by a resolver's search list. The name of an internal load balancer of AWS
    resolves publicly, to private addresses (Elastic Load Balancing, Internal Classic Load Balancers).
    """
    labels = hostname.split(".")
    if len(labels) == 1:
        return "a single label"
    if _INTERNAL_LOAD_BALANCER.fullmatch(hostname):
        return "an internal load balancer"
    suffixes = (labels[-1], ".".join(labels[-2:]))
    return next((f"suffix {suffix}" for suffix in suffixes if suffix in _INTERNAL_SUFFIXES), None)
