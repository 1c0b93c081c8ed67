"""A server as people write it: `host`, `host:port`, `[IPv6]`, `[IPv6]:port`."""

import ipaddress
import re
from dataclasses import dataclass

from edge_dns.core.names import NameSyntax, normalise_domain

DNS_PORT = 53

_IN_BRACKETS = re.compile(r"\[(?P<host>[^\]]*)\](?::(?P<port>[0-9]{1,5}))?", re.ASCII)
_PLAIN = re.compile(r"(?P<host>[^:]*)(?::(?P<port>[0-9]{1,5}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class HostPort:
    """A host (address without brackets, or name without a dot at the end) and a port."""

    host: str
    port: int

    @property
    def is_address(self) -> bool:
        """Whether the host is an IP address."""
        return _address(self.host) is not None

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_host_port(text: str, *, default_port: int = DNS_PORT) -> HostPort:
    """Read a server; raises ValueError, which says what is expected."""
    found = _IN_BRACKETS.fullmatch(text.strip()) or _PLAIN.fullmatch(text.strip())
    if found is None:
        return HostPort(_whole_address(text), default_port)
    port = int(found["port"]) if found["port"] else default_port
    host = _address(found["host"]) or (None if "[" in text else _name(found["host"]))
    if host is None or not 0 < port < 65536:
        raise _refused(text)
    return HostPort(host, port)


def _whole_address(text: str) -> str:
    """Return an IPv6 address, which without brackets has no port."""
    address = _address(text.strip())
    if address is None:
        raise _refused(text)
    return address


def _address(text: str) -> str | None:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return None


def _name(text: str) -> str | None:
    try:
        return normalise_domain(text)
    except NameSyntax:
        return None


def _refused(text: str) -> ValueError:
    return ValueError(f"{text!r} is no server: host or host:port, such as ns1.example.net or [2001:db8::1]:53")
