"""Asks name servers: what an authoritative server says of a name, and which servers are authoritative for it.

A doubt is `Unknown`, never "no such name": time-outs, SERVFAIL, REFUSED, and answers without authority (RFC 1034 §4.1,
RFC 2308 §2).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.query
import dns.rcode
import dns.rdatatype
import dns.resolver

from edge_dns.core.dns_outcome import Answer, NoData, NxDomain, Outcome, Unknown, agreed
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.host_port import DNS_PORT, HostPort, parse_host_port
from edge_dns.core.live import normal_name, normal_value

Resolver = dns.resolver.Resolver

ASK_SECONDS = 4.0
RESOLVE_SECONDS = 10.0
_ROUNDS = 2
"""A packet may be lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A name server: its name (or address), and the addresses that it is asked at, in this order."""

    host: str
    addresses: tuple[str, ...]
    port: int = DNS_PORT

    def __str__(self) -> str:
        return str(HostPort(self.host, self.port))


def ask(server: Server, name: str, kind: str, *, seconds: float = ASK_SECONDS) -> Outcome:
    """Ask one authoritative server for the records of a type at a name in normal form, within so many seconds.

    UDP, and TCP where the answer is truncated. A CNAME is an answer; what it points at is not followed.
    """
    reason = "has no address"
    tries = server.addresses * _ROUNDS
    for address in tries:
        try:
            response = _exchange(address, server.port, name, kind, seconds / len(tries))
        except dns.exception.Timeout:
            reason = "does not answer in time"
        except (OSError, EOFError) as error:
            reason = f"cannot be reached ({getattr(error, 'strerror', None) or 'it closed the connection'})"
        except dns.exception.DNSException as error:
            return Unknown(reason=f"{server} gives no valid answer ({type(error).__name__})")
        else:
            return _outcome(response, name, kind, server)
    return Unknown(reason=f"{server} {reason}", silent=True)


def ask_twice(servers: Sequence[Server], name: str, kind: str, *, seconds: float = ASK_SECONDS) -> Outcome:
    """Return what two independent look-ups agree on; see `two_look_ups`."""
    told = [outcome for _, outcome in two_look_ups(servers, name, kind, seconds=seconds)]
    known = [outcome for outcome in told if not isinstance(outcome, Unknown)]
    if len(known) == 2:
        return agreed(*known)
    unknown = [outcome for outcome in told if isinstance(outcome, Unknown)]
    return unknown[0] if unknown else Unknown(reason=f"no name server is known for {name}")


def two_look_ups(
    servers: Sequence[Server], name: str, kind: str, *, seconds: float = ASK_SECONDS
) -> list[tuple[Server, Outcome]]:
    """Return what servers said until two knew: two servers where there are two, else the same one twice."""
    told: list[tuple[Server, Outcome]] = []
    for server in servers if len(servers) > 1 else [*servers] * 2:
        told.append((server, ask(server, name, kind, seconds=seconds)))
        if sum(not isinstance(outcome, Unknown) for _, outcome in told) == 2:
            break
    return told


def resolver(at: str | None = None) -> Resolver:
    """Return the system's resolver, or the one at `host:port`; raises ObservationFailed."""
    try:
        system = dns.resolver.Resolver(configure=at is None or not parse_host_port(at).is_address)
    except (dns.exception.DNSException, OSError) as error:
        raise ObservationFailed(f"the system's DNS resolver is not configured: {error}") from None
    except ValueError as error:
        raise ObservationFailed(str(error)) from None
    system.lifetime = RESOLVE_SECONDS
    if at is None:
        return system
    server = server_at(at, system)
    chosen = dns.resolver.Resolver(configure=False)
    chosen.lifetime = RESOLVE_SECONDS
    chosen.nameservers = list(server.addresses)
    chosen.port = server.port
    return chosen


def server_at(host_port: str, by: Resolver | None = None) -> Server:
    """Return the server `host` or `host:port`; a name is looked up, by the system's resolver unless told.

    Raises ObservationFailed.
    """
    try:
        parsed = parse_host_port(host_port)
    except ValueError as error:
        raise ObservationFailed(str(error)) from None
    addresses = (parsed.host,) if parsed.is_address else _addresses(parsed.host, by or resolver())
    if not addresses:
        raise ObservationFailed(f"the name server {parsed.host} has no address")
    return Server(host=parsed.host, addresses=addresses, port=parsed.port)


def authoritative_servers(name: str, by: Resolver, *, port: int = DNS_PORT) -> tuple[Server, ...]:
    """Return the servers of the zone that holds a name, sorted: those of the nearest NS records at or above it.

    Raises ObservationFailed when they cannot be found, which says nothing about the name.
    """
    hosts = _name_servers(name, by)
    servers = [Server(host=host, addresses=_addresses(host, by), port=port) for host in hosts]
    reachable = tuple(server for server in servers if server.addresses)
    if not reachable:
        raise ObservationFailed(f"the name servers of {name} ({', '.join(hosts)}) have no address")
    return reachable


def _name_servers(name: str, by: Resolver) -> list[str]:
    """Walk up to the zone cut: a name that is no apex has no NS records of its own."""
    at = dns.name.from_text(name)
    while True:
        found = _resolve(at, "NS", by)
        if found:
            return found
        if at == dns.name.root:
            raise ObservationFailed(f"the name servers of {name} cannot be found: there are none")
        at = at.parent()


def _addresses(host: str, by: Resolver) -> tuple[str, ...]:
    """Return one address of each family, IPv4 first."""
    name = dns.name.from_text(host)
    return tuple(address for kind in ("A", "AAAA") for address in _resolve(name, kind, by, follow=True)[:1])


def _resolve(name: dns.name.Name, kind: str, by: Resolver, *, follow: bool = False) -> list[str]:
    """Return the values of a type, sorted; empty where there is none, also at the end of a CNAME unless `follow`."""
    try:
        answer = by.resolve(name, kind, search=False, raise_on_no_answer=False)
    except dns.resolver.NXDOMAIN:
        return []
    except (dns.exception.DNSException, OSError) as error:
        reason = " ".join(str(error).split())
        raise ObservationFailed(f"{kind} of {_text(name)} cannot be looked up: {reason}") from None
    if answer.rrset is None or not (follow or answer.rrset.name == name):
        return []
    return sorted(normal_value(kind, one.to_text()) for one in answer.rrset)


def _exchange(address: str, port: int, name: str, kind: str, seconds: float) -> dns.message.Message:
    query = dns.message.make_query(name, kind, flags=0)
    # What does not belong to the question may come from anybody: it is passed over.
    response, _ = dns.query.udp_with_fallback(
        query, address, timeout=seconds, port=port, ignore_unexpected=True, ignore_errors=True
    )
    return response


def _outcome(response: dns.message.Message, name: str, kind: str, server: Server) -> Outcome:
    rcode = response.rcode()
    if rcode not in (dns.rcode.NOERROR, dns.rcode.NXDOMAIN):
        return Unknown(reason=f"{server} answers {dns.rcode.to_text(rcode)}")
    if not response.flags & dns.flags.AA:
        return Unknown(reason=f"{server} answers without authority for {name}")
    # Before the status: that of an answer with a CNAME is about what the CNAME points at (RFC 6604 §3).
    for rrset in response.answer:
        found = dns.rdatatype.to_text(rrset.rdtype)
        if normal_name(rrset.name.to_text()) == name and found in (kind, "CNAME"):
            values = {normal_value(found, one.to_text()) for one in rrset}
            return Answer(type=found, values=tuple(sorted(values)), ttl=rrset.ttl)
    return NxDomain() if rcode == dns.rcode.NXDOMAIN else NoData()


def _text(name: dns.name.Name) -> str:
    return normal_name(name.to_text()) or "the root"
