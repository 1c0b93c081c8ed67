"""Looks the targets of records up at their own authoritative servers. Read-only; a doubt is `unknown`."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from edge_dns.core.dns_outcome import Answer, NxDomain, Outcome, Unknown, agreed, describe_outcome
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.host_port import DNS_PORT
from edge_dns.core.orphans import Evidence, Liveness
from edge_dns.observe.dns_answers import Resolver, authoritative_servers, two_look_ups
from edge_dns.observe.telling import Passing, Tell, silent

_AT_ONCE = 8


def look_up_targets(
    names: Iterable[str], by: Resolver, *, port: int = DNS_PORT, tell: Tell = silent
) -> dict[str, Evidence]:
    """Return the evidence on each hostname; the resolver finds the name servers, which are asked at this port.

    `tell` gets progress lines.
    """
    wanted = list(names)
    found: dict[str, Evidence] = {}
    if wanted:
        tell(f"looking up {len(wanted):,} targets")
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for name, evidence in zip(wanted, pool.map(lambda name: _look_up(name, by, port), wanted), strict=True):
            found[name] = evidence
            tell(Passing(f"looking up targets: {len(found):,} of {len(wanted):,}"))
    return found


def _look_up(name: str, by: Resolver, port: int) -> Evidence:
    try:
        servers = authoritative_servers(name, by, port=port)
    except ObservationFailed as failed:
        return Evidence(liveness="unknown", told=(str(failed),))
    told = two_look_ups(servers, name, "A")
    lines = tuple(
        outcome.reason if isinstance(outcome, Unknown) else f"{server}: {describe_outcome(outcome)}"
        for server, outcome in told
    )
    known = [outcome for _, outcome in told if not isinstance(outcome, Unknown)]
    together = agreed(*known) if len(known) == 2 else Unknown(reason="fewer than two know")
    return Evidence(liveness=_liveness(together), told=lines)


def _liveness(outcome: Outcome) -> Liveness:
    """A name without an address may have another use: only NXDOMAIN says that it does not exist."""
    if isinstance(outcome, NxDomain):
        return "nxdomain"
    return "exists" if isinstance(outcome, Answer) else "unknown"
