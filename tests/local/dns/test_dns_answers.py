"""What a name server says becomes an outcome; a doubt never becomes "no such name"."""

import socket
from contextlib import ExitStack

import dns.flags
import dns.message
import dns.rcode
import dns.resolver
import pytest

from edge_dns.core.dns_outcome import Answer, NoData, NxDomain, Outcome, Unknown
from edge_dns.core.errors import ObservationFailed
from edge_dns.observe.dns_answers import Server, ask, ask_twice, authoritative_servers, resolver, server_at
from local.bind import NAME_SERVERS, BindServer
from local.child import LOOPBACK
from local.zone_answers import RRsetAnswer
from tests.local.dns.responder import Change, responder

SECONDS = 1.0
ADDRESSES = tuple(sorted(f"192.0.2.{number}" for number in range(80)))


def rrset(name: str, kind: str, *values: str) -> RRsetAnswer:
    return RRsetAnswer(name=name, type=kind, ttl=60, values=values)


@pytest.fixture
def zone(bind: BindServer) -> None:
    bind.push(
        "example.com",
        [
            rrset("app.example.com", "A", "192.0.2.1", "192.0.2.2"),
            rrset("app.example.com", "AAAA", "2001:db8:0::1"),
            rrset("www.example.com", "CNAME", "Edge.example.net."),
            rrset("dangling.example.com", "CNAME", "gone.example.com."),
            rrset("*.shop.example.com", "CNAME", "edge.example.net."),
            rrset("many.example.com", "A", *ADDRESSES),
            rrset("_edge-dns.app.example.com", "TXT", '"one " "two"'),
            rrset("away.example.com", "NS", "ns.elsewhere.test."),
        ],
    )


def answer(kind: str, *values: str) -> Answer:
    return Answer(type=kind, values=values, ttl=60)


@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize(
    ("name", "kind", "outcome"),
    [
        pytest.param("app.example.com", "A", answer("A", "192.0.2.1", "192.0.2.2"), id="addresses, sorted"),
        pytest.param("app.example.com", "AAAA", answer("AAAA", "2001:db8::1"), id="IPv6 in normal form"),
        pytest.param("www.example.com", "CNAME", answer("CNAME", "edge.example.net"), id="CNAME"),
        pytest.param("www.example.com", "A", answer("CNAME", "edge.example.net"), id="CNAME instead of an address"),
        pytest.param(
            "dangling.example.com", "A", answer("CNAME", "gone.example.com"), id="CNAME to a name that is not"
        ),
        pytest.param("x.shop.example.com", "A", answer("CNAME", "edge.example.net"), id="below a wildcard"),
        pytest.param("*.shop.example.com", "A", answer("CNAME", "edge.example.net"), id="the wildcard itself"),
        pytest.param("many.example.com", "A", answer("A", *ADDRESSES), id="too much for UDP"),
        pytest.param("_edge-dns.app.example.com", "TXT", answer("TXT", "one two"), id="text"),
        pytest.param("app.example.com", "TXT", NoData(), id="no record of this type"),
        pytest.param("shop.example.com", "A", NoData(), id="a name with names below it only"),
        pytest.param("gone.example.com", "A", NxDomain(), id="no such name"),
    ],
)
def test_an_authoritative_answer_is_what_stands_at_the_name_itself(
    server: Server, name: str, kind: str, outcome: Outcome
) -> None:
    assert ask(server, name, kind) == outcome
    assert ask_twice([server], name, kind) == outcome


@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        pytest.param("app.example.net", "answers REFUSED", id="another zone"),
        pytest.param("x.away.example.com", "answers without authority for x.away.example.com", id="delegated away"),
    ],
)
def test_a_server_that_is_not_responsible_is_not_believed(server: Server, name: str, reason: str) -> None:
    assert ask(server, name, "A") == Unknown(reason=f"{server} {reason}")
    assert ask_twice([server], name, "A") == Unknown(reason=f"{server} {reason}")


def status(rcode: dns.rcode.Rcode) -> Change:
    return lambda response: response.set_rcode(rcode)


def without_authority(response: dns.message.Message) -> None:
    response.set_rcode(dns.rcode.NXDOMAIN)
    response.flags &= ~dns.flags.AA


def of_another_query(response: dns.message.Message) -> None:
    response.set_rcode(dns.rcode.NXDOMAIN)
    response.id ^= 1


NXDOMAIN = status(dns.rcode.NXDOMAIN)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param(status(dns.rcode.SERVFAIL), "answers SERVFAIL", id="SERVFAIL"),
        pytest.param(status(dns.rcode.NOTAUTH), "answers NOTAUTH", id="NOTAUTH"),
        pytest.param(without_authority, "answers without authority for app.example.com", id="a cache says NXDOMAIN"),
        pytest.param(of_another_query, "does not answer in time", id="forged answer"),
        pytest.param(None, "does not answer in time", id="silence"),
    ],
)
def test_a_doubt_is_unknown(change: Change | None, reason: str) -> None:
    with responder(change, None) as server:
        outcome = ask(server, "app.example.com", "A", seconds=SECONDS)
        assert outcome == Unknown(reason=f"{server} {reason}", silent="in time" in reason)


def test_a_lost_packet_is_sent_again() -> None:
    with responder(None, NXDOMAIN) as server:
        assert ask(server, "app.example.com", "A", seconds=SECONDS) == NxDomain()


def test_a_second_address_is_asked_where_the_first_is_silent(bind: BindServer) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.2", bind.port))
        server = Server(host="ns.test", addresses=("127.0.0.2", LOOPBACK), port=bind.port)
        assert ask(server, "gone.example.com", "A", seconds=SECONDS) == NxDomain()


@pytest.mark.parametrize(
    ("servers", "outcome"),
    [
        pytest.param([[NXDOMAIN], [NXDOMAIN]], NxDomain(), id="two servers agree"),
        pytest.param([[NXDOMAIN, NXDOMAIN]], NxDomain(), id="one server, asked twice"),
        pytest.param([[NXDOMAIN], [status(dns.rcode.SERVFAIL)], [NXDOMAIN]], NxDomain(), id="one of three is broken"),
        pytest.param([[NXDOMAIN], [status(dns.rcode.NOERROR)]], "two look-ups differ", id="two servers differ"),
        pytest.param([[NXDOMAIN], [status(dns.rcode.SERVFAIL)]], "answers SERVFAIL", id="one of two is broken"),
        pytest.param([[NXDOMAIN, NXDOMAIN], []], "does not answer in time", id="one of two is silent"),
        pytest.param([[NXDOMAIN, status(dns.rcode.NOERROR)]], "two look-ups differ", id="one server changes its mind"),
        pytest.param([], "no name server is known", id="no server"),
    ],
)
def test_no_such_name_takes_two_independent_look_ups(servers: list[list[Change]], outcome: Outcome | str) -> None:
    with ExitStack() as running:
        asked = [running.enter_context(responder(*changes)) for changes in servers]
        found = ask_twice(asked, "app.example.com", "A", seconds=SECONDS)
    if isinstance(outcome, str):
        assert isinstance(found, Unknown)
        assert outcome in found.reason
    else:
        assert found == outcome


@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize("name", ["example.com", "app.example.com", "www.example.com", "gone.a.b.example.com"])
def test_the_servers_of_a_name_are_those_of_the_zone_that_holds_it(bind: BindServer, name: str) -> None:
    expected = tuple(Server(host=host, addresses=(LOOPBACK,), port=bind.port) for host in NAME_SERVERS)
    assert authoritative_servers(name, resolver(bind.address), port=bind.port) == expected


def test_servers_that_cannot_be_found_say_nothing_about_the_name(bind: BindServer) -> None:
    with pytest.raises(ObservationFailed, match=r"NS of app.example.net cannot be looked up: .*REFUSED"):
        authoritative_servers("app.example.net", resolver(bind.address))


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("192.0.2.53", Server(host="192.0.2.53", addresses=("192.0.2.53",), port=53)),
        ("[2001:db8::53]:5353", Server(host="2001:db8::53", addresses=("2001:db8::53",), port=5353)),
        (f"{NAME_SERVERS[0]}:5353", Server(host=NAME_SERVERS[0], addresses=(LOOPBACK,), port=5353)),
    ],
    ids=["address", "address and port", "name, looked up"],
)
def test_a_server_is_named_by_address_or_name(bind: BindServer, text: str, server: Server) -> None:
    assert server_at(text, resolver(bind.address)) == server


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ns9.name-servers.test", "ns9.name-servers.test has no address"),
        ("ns1.example.net", "A of ns1.example.net cannot be looked up: .*REFUSED"),
        ("ns1.example.net:http", "is no server"),
    ],
    ids=["no address", "not looked up", "no server"],
)
def test_a_server_without_an_address_is_told(bind: BindServer, text: str, reason: str) -> None:
    with pytest.raises(ObservationFailed, match=reason):
        server_at(text, resolver(bind.address))


def test_without_a_name_the_resolver_is_the_systems() -> None:
    assert resolver().nameservers == dns.resolver.Resolver().nameservers
