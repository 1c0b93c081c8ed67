"""The zones of emulators in a real BIND: exactly what was pushed last."""

import dns.exception
import dns.query
import dns.update
import pytest

from edge_dns.core.dns_outcome import Answer, NoData, NxDomain
from edge_dns.observe.dns_answers import Server, ask
from local import bind as bind_module
from local.bind import BindError, BindServer
from local.child import LOOPBACK
from local.services import LocalServices
from local.zone_answers import RRsetAnswer
from tools.named import MISSING

NAME = "app.example.com"


def rrset(kind: str, *values: str, ttl: int = 60) -> RRsetAnswer:
    return RRsetAnswer(name=NAME, type=kind, ttl=ttl, values=values)


def answer(kind: str, *values: str, ttl: int = 60) -> Answer:
    return Answer(type=kind, values=values, ttl=ttl)


def test_each_push_replaces_the_whole_zone(bind: BindServer, server: Server) -> None:
    other = RRsetAnswer(name="www.example.com", type="A", ttl=60, values=("192.0.2.9",))
    steps = [
        (rrset("A", "192.0.2.1"), answer("A", "192.0.2.1")),
        (rrset("A", "192.0.2.1", ttl=90), answer("A", "192.0.2.1", ttl=90)),
        (rrset("A", "192.0.2.1", "192.0.2.2"), answer("A", "192.0.2.1", "192.0.2.2")),
        (rrset("CNAME", "edge.example.net."), answer("CNAME", "edge.example.net")),
        (rrset("A", "192.0.2.1"), answer("A", "192.0.2.1")),
        (rrset("AAAA", "2001:db8::1"), NoData()),
    ]
    for pushed, expected in steps:
        bind.push("example.com", [pushed, other])
        assert ask(server, NAME, "A") == expected
        assert ask(server, "www.example.com", "A") == answer("A", "192.0.2.9")
    bind.push("example.com", [other])
    assert ask(server, NAME, "A") == NxDomain()
    assert ask(server, "www.example.com", "A") == answer("A", "192.0.2.9")
    bind.push("example.com", [])
    assert ask(server, "www.example.com", "A") == NxDomain()
    assert ask(server, "example.com", "NS") == Answer(
        type="NS", values=("ns1.name-servers.test", "ns2.name-servers.test"), ttl=300
    )


def test_a_push_without_a_change_sends_no_update(bind: BindServer, server: Server) -> None:
    bind.push("example.com", [rrset("A", "192.0.2.2", "192.0.2.1")])
    before = ask(server, "example.com", "SOA")
    bind.push("example.com", [rrset("A", "192.0.2.1", "192.0.2.2")])
    assert ask(server, "example.com", "SOA") == before


def test_an_update_without_the_key_is_refused(bind: BindServer, server: Server) -> None:
    bind.push("example.com", [])
    update = dns.update.UpdateMessage("example.com")
    update.add(NAME + ".", 60, "A", "192.0.2.1")
    assert dns.query.tcp(update, LOOPBACK, port=bind.port, timeout=10).rcode() == dns.rcode.REFUSED
    assert ask(server, NAME, "A") == NxDomain()


def test_what_bind_does_not_take_is_told_with_its_reason(bind: BindServer) -> None:
    with pytest.raises(BindError, match=r"app.example.com A 192.0.2.999 is no record"):
        bind.push("example.com", [rrset("A", "192.0.2.999")])
    with pytest.raises(BindError, match="too many records"):
        bind.push("example.com", [rrset("A", *(f"192.0.2.{number}" for number in range(120)))])
    with pytest.raises(BindError, match=r"zone example.net cannot be transferred"):
        bind.push("example.net", [])


def test_without_named_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bind_module, "find_named", lambda: None)
    with pytest.raises(BindError, match=f"{MISSING} On Debian: `apt-get install bind9`"), BindServer([]):
        pass


def test_the_zones_of_both_providers_are_answered_as_they_hold_them(bind: BindServer, server: Server) -> None:
    with LocalServices(cloudflare_zones=["example.com"], route53_zones=["lan.example.com"]) as services:
        ids = services.zone_ids
        services.cloudflare.add_record(ids["example.com"], name="www", type="CNAME", content="edge.example.net")
        services.route53.add_record(
            ids["lan.example.com"], name="*.wiki.lan.example.com", record_type="A", values=["192.0.2.7"], ttl=60
        )
        services.push_zones(bind)
        assert ask(server, "www.example.com", "A") == answer("CNAME", "edge.example.net", ttl=300)
        assert ask(server, "x.wiki.lan.example.com", "A") == answer("A", "192.0.2.7")
        services.route53.delete_record(ids["lan.example.com"], name="*.wiki.lan.example.com", record_type="A")
        services.push_zones(bind)
        assert ask(server, "x.wiki.lan.example.com", "A") == NxDomain()
        assert ask(server, "www.example.com", "A") == answer("CNAME", "edge.example.net", ttl=300)
