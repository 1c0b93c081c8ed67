"""What an internal resolver must say before public names are withdrawn; every doubt is no answer."""

import dns.flags
import dns.message
import dns.rcode
import dns.rrset
import pytest

from edge_dns.core.authority import ResolverAnswer
from edge_dns.observe.internal_resolvers import ask_resolvers
from local.bind import BindServer
from local.zone_answers import RRsetAnswer
from tests.local.dns.responder import Change, responder

NAME = "wiki.example.com"
SECONDS = 1.0


def rrset(name: str, kind: str, *values: str) -> RRsetAnswer:
    return RRsetAnswer(name=name, type=kind, ttl=60, values=values)


def test_an_authoritative_server_counts_with_any_address_of_the_name(bind: BindServer) -> None:
    bind.push(
        "example.com",
        [
            rrset(NAME, "A", "192.168.10.20", "192.168.10.19"),
            rrset("six.example.com", "AAAA", "2001:db8:0::6"),
            rrset("alias.example.com", "CNAME", "wiki.example.com."),
            rrset("away.example.com", "CNAME", "elsewhere.test."),
            rrset("text.example.com", "TXT", '"no address"'),
            rrset("*.apps.example.com", "A", "10.0.0.7"),
        ],
    )
    names = ["alias", "away", "gone", "six", "text", "wiki", "*.apps", "x.apps"]
    found = ask_resolvers([(bind.address, f"{name}.example.com") for name in names])
    assert {name.removesuffix(".example.com"): (one.counts, one.told) for (_, name), one in found.items()} == {
        "alias": (True, "A 192.168.10.19 192.168.10.20"),
        # A name that leads out of what this server knows has no address for its clients.
        "away": (False, "no address"),
        "gone": (False, "NXDOMAIN"),
        "six": (True, "AAAA 2001:db8::6"),
        "text": (False, "no address"),
        "wiki": (True, "A 192.168.10.19 192.168.10.20"),
        "*.apps": (True, "A 10.0.0.7"),
        "x.apps": (True, "A 10.0.0.7"),
    }


def test_what_is_no_name_of_its_zones_is_refused_and_so_not_answered(bind: BindServer) -> None:
    ((_, found),) = ask_resolvers([(bind.address, "wiki.example.net")]).items()
    assert not found.counts
    assert "REFUSED" in found.told


def forwarded(*addresses: str) -> Change:
    """Answer as a resolver that has asked somebody else."""

    def change(response: dns.message.Message) -> None:
        response.flags &= ~dns.flags.AA
        question = response.question[0]
        if question.rdtype == dns.rdatatype.A:
            response.answer.append(dns.rrset.from_text(question.name, 60, "IN", "A", *addresses))

    return change


@pytest.mark.parametrize(
    ("addresses", "counts"),
    [
        (["203.0.113.7"], False),
        (["104.16.0.1", "104.16.0.2"], False),
        (["192.168.10.20"], True),
        (["100.64.0.1"], True),
        (["0.0.0.0", "10.0.0.7"], True),
    ],
)
def test_a_resolver_that_forwards_counts_only_with_an_address_that_no_public_zone_holds(
    addresses: list[str], counts: bool
) -> None:
    with responder(forwarded(*addresses), forwarded()) as server:
        ((_, found),) = ask_resolvers([(f"127.0.0.1:{server.port}", NAME)]).items()
    assert found.counts is counts
    assert found.told.startswith(f"A {' '.join(addresses)}")
    assert ("without authority" in found.told) is not counts


@pytest.mark.parametrize("authority", [True, False], ids=["with authority", "without"])
@pytest.mark.parametrize("address", ["0.0.0.0", "127.0.0.1", "127.0.0.53", "198.18.0.1", "169.254.0.1", "240.0.0.1"])
def test_a_resolver_that_blocks_the_name_has_not_answered_it(address: str, authority: bool) -> None:
    def blocked(response: dns.message.Message) -> None:
        forwarded(address)(response)
        response.flags |= dns.flags.AA if authority else 0

    with responder(blocked, blocked) as server:
        ((_, found),) = ask_resolvers([(f"127.0.0.1:{server.port}", NAME)]).items()
    assert not found.counts
    assert found.told.startswith(f"A {address}, which no host has")


@pytest.mark.parametrize("address", ["::", "::1", "::ffff:0.0.0.0", "64:ff9b::7f00:1", "fe80::1", "2001:2::1"])
def test_an_address_of_ipv6_that_no_host_has_is_no_answer_either(bind: BindServer, address: str) -> None:
    bind.push("example.com", [rrset(NAME, "AAAA", address)])
    ((_, found),) = ask_resolvers([(bind.address, NAME)]).items()
    assert not found.counts


def test_a_resolver_that_is_silent_or_fails_has_not_answered(bind: BindServer) -> None:
    bind.push("example.com", [rrset(NAME, "A", "192.168.10.20")])

    def servfail(response: dns.message.Message) -> None:
        response.set_rcode(dns.rcode.SERVFAIL)

    with responder(None) as silent, responder(servfail, servfail, servfail) as failing:
        asked = [
            (f"127.0.0.1:{silent.port}", NAME),
            (f"127.0.0.1:{silent.port}", "x.example.com"),
            (f"127.0.0.1:{failing.port}", NAME),
            ("no-such-host.invalid:53", NAME),
            (bind.address, NAME),
        ]
        found = ask_resolvers(asked, seconds=SECONDS)
    assert list(found) == sorted(asked)
    assert {question for question, one in found.items() if one.counts} == {(bind.address, NAME)}
    told = ResolverAnswer(counts=False, told="it does not answer in time")
    assert found[asked[0]] == found[asked[1]] == told
    assert all("\n" not in one.told for one in found.values())


def test_nothing_is_asked_where_there_is_no_question() -> None:
    assert ask_resolvers([]) == {}
