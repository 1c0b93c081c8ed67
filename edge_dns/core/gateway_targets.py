"""The targets of a Gateway: what its hostnames point at, from status.addresses (Gateway API, GatewayStatusAddress)."""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

from edge_dns.core.gateway_state import Address
from edge_dns.core.names import TargetSyntax, normalise_target
from edge_dns.core.rules import Refusal
from edge_dns.core.values import Target

_KNOWN_TYPES = ("IPAddress", "Hostname")


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayTargets:
    """The targets of one Gateway, sorted, hostnames first; `problem` says why they cannot be published."""

    values: tuple[Target, ...] = ()
    problem: Refusal | None = None

    @property
    def are_usable(self) -> bool:
        """Whether names can point at them."""
        return bool(self.values) and self.problem is None


def gateway_targets(addresses: Iterable[Address], where: str) -> GatewayTargets:
    """Return the targets of status.addresses; `where` names the Gateway in the reason of a problem.

    The value decides what an address is, not its declared type; only types besides IPAddress and Hostname (such as
    NamedAddress), whose values are no DNS names, are a problem (target-syntax). So is a value that is neither an
    address nor a hostname with a dot inside. Addresses and hostnames together are target-mixed-kinds.
    """
    targets: set[Target] = set()
    for address in addresses:
        try:
            target = _target(address)
        except TargetSyntax as error:
            reason = f"{where}: address {address.value!r} of type {address.type} is no target: {error}"
            return GatewayTargets(problem=Refusal(rule="target-syntax", reason=reason))
        if target is not None:
            targets.add(target)
    return GatewayTargets(values=tuple(sorted(targets)), problem=_mixed(targets, where))


def _target(address: Address) -> Target | None:
    value = address.value.strip().removesuffix(".")
    if not value:
        return None
    if address.type not in _KNOWN_TYPES:
        raise TargetSyntax(f"only the types {' and '.join(_KNOWN_TYPES)} have values for DNS")
    ip = _ip_text(value)
    return Target("IPAddress", ip) if ip else Target("Hostname", normalise_target(value))


def _ip_text(value: str) -> str | None:
    """Return the canonical text of an IP address (RFC 5952; an IPv4-mapped one as IPv4), None for anything else."""
    try:
        ip = ipaddress.ip_address(value)
    except ValueError:
        return None
    if isinstance(ip, ipaddress.IPv4Address):
        return str(ip)
    if ip.scope_id is not None:
        raise TargetSyntax("an IPv6 address with a zone is valid on one host only")
    return str(ip.ipv4_mapped or ip)


def _mixed(targets: set[Target], where: str) -> Refusal | None:
    if len({target.type for target in targets}) < 2:
        return None
    values = ", ".join(target.value for target in sorted(targets))
    reason = f"{where} has IP addresses and hostnames together ({values}); DNS cannot hold both for one name"
    return Refusal(rule="target-mixed-kinds", reason=reason)
