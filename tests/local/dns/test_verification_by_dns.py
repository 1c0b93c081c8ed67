"""Every server of a zone is asked, and one that differs or does not answer is told."""

import socket

import pytest

from edge_dns.core.settings import load_settings
from edge_dns.core.verification import Expectation
from edge_dns.observe.telling import Passing
from edge_dns.observe.verification import ZoneServers, find_servers, verify
from local.bind import BindServer
from local.child import LOOPBACK
from local.zone_answers import RRsetAnswer

APP = RRsetAnswer(name="app.example.com", type="CNAME", ttl=60, values=("edge.example.net.",))
EDGE = frozenset({("CNAME", "edge.example.net")})


def expectations(*nameservers: str) -> list[Expectation]:
    zone = {"domain": "example.com", "provider": "cloudflare", "zoneId": "c1", "nameservers": list(nameservers)}
    (read,) = load_settings({"zones": [zone]}).zones
    names = {"app.example.com": EDGE, "old.example.com": frozenset[tuple[str, str]](), "www.example.com": EDGE}
    return [Expectation(hostname=name, zone=read, records=records) for name, records in names.items()]


@pytest.fixture
def second() -> BindServer:
    return BindServer(["example.com"])


def test_a_name_agrees_when_every_server_does(bind: BindServer, second: BindServer) -> None:
    with second:
        expected = expectations(bind.address, second.address)
        servers = find_servers(one.zone for one in expected)
        bind.push("example.com", [APP])
        assert [one.state for one in verify(expected, servers, expected)] == ["missing", "agrees", "missing"]
        second.push("example.com", [APP])
        findings = verify(expected, servers, expected)
        assert [one.state for one in findings] == ["agrees", "agrees", "missing"]
        assert {server: verdict.state for server, verdict in findings[2].verdicts.items()} == {
            bind.address: "missing",
            second.address: "missing",
        }
        # Only what did not agree is asked for again.
        assert [one.expected.hostname for one in verify(expected[2:], servers, expected)] == ["www.example.com"]


def test_each_server_is_told_before_it_is_asked_and_how_far_it_is(bind: BindServer) -> None:
    told: list[str] = []
    expected = expectations(bind.address)
    verify(expected, find_servers((one.zone for one in expected), told.append), expected, told.append)
    assert told == [
        "looking for the name servers of zone example.com",
        f"asking {bind.address} for 3 names",
        *(f"asking {bind.address}: {number} of 3" for number in (1, 2, 3)),
    ]
    assert [isinstance(one, Passing) for one in told] == [False, False, True, True, True]


def test_a_silent_server_leaves_names_unknown_but_hides_no_difference(bind: BindServer) -> None:
    bind.push("example.com", [APP])
    with socket.socket(type=socket.SOCK_DGRAM) as silent:
        silent.bind((LOOPBACK, 0))
        expected = expectations(bind.address, f"{LOOPBACK}:{silent.getsockname()[1]}")
        findings = verify(expected, find_servers(one.zone for one in expected), expected)
    assert [one.state for one in findings] == ["unknown", "unknown", "missing"]
    assert all("does not answer in time" in [*one.verdicts.values()][1].text for one in findings)


def test_servers_that_cannot_be_found_leave_the_names_of_the_zone_unknown() -> None:
    expected = expectations()
    findings = verify(expected, {"c1": ZoneServers(problem="NS of example.com cannot be looked up")}, expected)
    assert [one.state for one in findings] == ["unknown"] * 3
    assert [verdict.text for verdict in findings[0].verdicts.values()] == ["NS of example.com cannot be looked up"]
