"""Asks the authoritative servers of zones whether they answer what they must; all zones and servers side by side."""

import secrets
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from edge_dns.core.dns_outcome import Outcome, Unknown
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.settings import Zone
from edge_dns.core.verification import Expectation, State, Verdict, judge
from edge_dns.core.zones import zone_key
from edge_dns.observe.dns_answers import Server, ask, authoritative_servers, resolver, server_at
from edge_dns.observe.telling import Passing, Tell, silent

_WORKERS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What each server of the zone says of one expectation; servers that could not be found have an empty name."""

    expected: Expectation
    verdicts: Mapping[str, Verdict]

    @property
    def state(self) -> State:
        """`agrees` when every server does; a difference counts more than what is not known."""
        states = [verdict.state for verdict in self.verdicts.values() if verdict.state != "agrees"]
        return next((state for state in states if state != "unknown"), "unknown" if states else "agrees")


@dataclass(frozen=True, slots=True)
class ZoneServers:
    """The servers of a zone, or why they are not known."""

    servers: tuple[Server, ...] = ()
    problem: str = ""


def find_servers(zones: Iterable[Zone], tell: Tell = silent) -> dict[str, ZoneServers]:
    """Return by zone key whom to ask: the `nameservers` of the settings, else those of the zone's NS records.

    `tell` gets progress lines.
    """
    return {key: _servers(zone, tell) for key, zone in {zone_key(zone): zone for zone in zones}.items()}


def verify(
    expected: Sequence[Expectation],
    servers: Mapping[str, ZoneServers],
    every: Sequence[Expectation],
    tell: Tell = silent,
) -> list[Finding]:
    """Ask every server of each zone about each of these expectations, which are some of `every` one of the stack.

    `servers` are by zone key. `tell` gets progress lines, from several threads.
    """
    by_zone: dict[str, list[Expectation]] = defaultdict(list)
    for one in expected:
        by_zone[zone_key(one.zone)].append(one)
    # One that nobody has, another one each time.
    label = f"edge-dns-{secrets.token_hex(6)}"
    with ThreadPoolExecutor(_WORKERS) as pool:
        running = {
            key: {str(server): pool.submit(_ask_all, server, group, label, tell) for server in servers[key].servers}
            for key, group in by_zone.items()
        }
        answers = {key: {name: future.result() for name, future in asked.items()} for key, asked in running.items()}
    findings: list[Finding] = []
    for key, group in by_zone.items():
        problem = {"": Verdict(state="unknown", text=servers[key].problem)} if servers[key].problem else {}
        beside = [one for one in every if zone_key(one.zone) == key]
        for index, one in enumerate(group):
            verdicts = {server: judge(one, said[index], beside) for server, said in answers[key].items()}
            findings.append(Finding(expected=one, verdicts=verdicts or problem))
    return findings


def _servers(zone: Zone, tell: Tell) -> ZoneServers:
    try:
        tell(f"looking for the name servers of zone {zone.domain}")
        if zone.nameservers:
            return ZoneServers(tuple(map(server_at, zone.nameservers)))
        return ZoneServers(authoritative_servers(zone.domain, resolver()))
    except ObservationFailed as error:
        return ZoneServers(problem=str(error))


def _ask_all(server: Server, expected: Sequence[Expectation], label: str, tell: Tell) -> list[list[Outcome]]:
    """Ask a server about all names in turn; one that gives no answer at all is not asked again."""
    silent: Unknown | None = None
    said: list[list[Outcome]] = []
    tell(f"asking {server} for {len(expected):,} names")
    for one in expected:
        outcomes: list[Outcome] = []
        for kind in one.types:
            outcome = silent or ask(server, one.asked_name(label), kind)
            silent = outcome if isinstance(outcome, Unknown) and outcome.silent else None
            outcomes.append(outcome)
        said.append(outcomes)
        tell(Passing(f"asking {server}: {len(said):,} of {len(expected):,}"))
    return said
