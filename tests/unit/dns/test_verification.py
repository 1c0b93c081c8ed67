"""What DNS must answer for the records of the state and the names that were withdrawn, and how answers compare."""

import pytest

from edge_dns.core.dns_outcome import Answer, NoData, NxDomain, Outcome, Unknown
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.settings import load_settings
from edge_dns.core.values import Alias, RRset
from edge_dns.core.verification import (
    Expectation,
    Verdict,
    Withdrawn,
    describe_expectation,
    expectations,
    judge,
    withdrawn_of,
)
from edge_dns.core.zones import ZoneIndex

ZONES = load_settings(
    {
        "zones": [
            {"domain": "example.com", "provider": "cloudflare", "zoneId": "c1"},
            {"domain": "example.org", "provider": "route53", "zoneId": "Z1"},
            {"domain": "lan.test", "provider": "route53", "zoneId": "Z2", "visibility": "private"},
            {
                "domain": "home.test",
                "provider": "route53",
                "zoneId": "Z3",
                "visibility": "private",
                "nameservers": ["192.0.2.53"],
            },
        ]
    }
).zones
INDEX = ZoneIndex.of(ZONES)
COM = ZONES[0]
ALIAS = Alias(name="lb.example.net.", zone_id="Z9", evaluate_target_health=False)


def rrset(name: str, kind: str, *values: str, zone: str = "c1", **more: object) -> RRset:
    return RRset(zone_id=zone, name=name, type=kind, values=values, ttl=60, **more)  # type: ignore[arg-type]


def expected(hostname: str = "app.example.com", *records: tuple[str, str], addresses_only: bool = False) -> Expectation:
    return Expectation(hostname=hostname, zone=COM, records=frozenset(records), addresses_only=addresses_only)


@pytest.mark.parametrize(
    ("records", "words", "types"),
    [
        pytest.param(
            [rrset("App.example.com.", "CNAME", "Edge.example.net.")], "CNAME edge.example.net", ("CNAME",), id="CNAME"
        ),
        pytest.param(
            [
                rrset("app.example.com", "A", "192.0.2.2"),
                rrset("app.example.com", "A", "192.0.2.1"),
                rrset("app.example.com", "AAAA", "2001:db8:0::1"),
            ],
            "A 192.0.2.1 192.0.2.2, AAAA 2001:db8::1",
            ("A", "AAAA"),
            id="one record per value",
        ),
        pytest.param(
            [rrset("app.example.com", "CNAME", "edge.example.net", proxied=True)],
            "addresses of the provider",
            ("A", "AAAA"),
            id="proxied",
        ),
        pytest.param(
            [rrset("example.com", "CNAME", "edge.example.net")],
            "addresses of the provider",
            ("A", "AAAA"),
            id="flattened at the apex",
        ),
        pytest.param(
            [
                rrset("app.example.org", "A", zone="Z1", alias=ALIAS),
                rrset("app.example.org", "AAAA", zone="Z1", alias=ALIAS),
            ],
            "addresses of the provider",
            ("A", "AAAA"),
            id="alias",
        ),
        pytest.param(
            [rrset(r"\052.example.org", "A", "192.0.2.1", zone="Z1")],
            "A 192.0.2.1",
            ("A", "AAAA"),
            id="escaped wildcard",
        ),
    ],
)
def test_what_exists_must_be_answered(records: list[RRset], words: str, types: tuple[str, ...]) -> None:
    found, skipped = expectations(INDEX, records, [])
    assert [(describe_expectation(one), one.types, one.is_published) for one in found] == [(words, types, True)]
    assert skipped == []


def test_what_was_withdrawn_must_not_be_answered_unless_it_exists_again() -> None:
    existing = [rrset("back.example.com", "A", "192.0.2.1")]
    withdrawn = [Withdrawn(hostname=f"{name}.example.com", zone="example.com") for name in ("old", "back")]
    found, skipped = expectations(INDEX, existing, withdrawn)
    assert [(one.hostname, one.is_published) for one in found] == [
        ("back.example.com", True),
        ("old.example.com", False),
    ]
    assert skipped == []


def test_what_cannot_be_asked_is_skipped_by_name() -> None:
    existing = [
        rrset("a.lan.test", "A", "10.0.0.1", zone="Z2"),
        rrset("b.lan.test", "A", "10.0.0.2", zone="Z2"),
        rrset("a.home.test", "A", "10.0.0.3", zone="Z3"),
        rrset("a.gone.test", "A", "192.0.2.1", zone="Z4"),
    ]
    withdrawn = [Withdrawn(hostname="b.gone.test", zone=None), Withdrawn(hostname="c.gone.test", zone="gone.test")]
    found, skipped = expectations(INDEX, existing, withdrawn)
    assert [one.hostname for one in found] == ["a.home.test"]
    assert skipped == [
        *(f"{name}.gone.test: its zone is not in the settings" for name in "abc"),
        "zone lan.test: private, and without nameservers in the settings",
    ]


def test_a_withdrawn_name_is_asked_for_in_every_zone_of_its_domain_that_does_not_hold_it() -> None:
    zones = load_settings(
        {
            "zones": [
                {"domain": "example.com", "provider": "cloudflare", "zoneId": "c1"},
                {
                    "domain": "example.com",
                    "provider": "route53",
                    "zoneId": "Z1",
                    "visibility": "private",
                    "nameservers": ["192.0.2.53"],
                },
            ]
        }
    ).zones
    found, _ = expectations(ZoneIndex.of(zones), [], [Withdrawn(hostname="old.example.com", zone="example.com")])
    assert [one.zone.visibility for one in found] == ["private", "public"]


def test_below_a_wildcard_a_name_is_asked_for_that_nobody_has() -> None:
    assert expected("*.example.com").asked_name("nobody") == "nobody.example.com"
    assert expected("app.example.com").asked_name("nobody") == "app.example.com"


def answer(kind: str, *values: str) -> Answer:
    return Answer(type=kind, values=values, ttl=60)


CNAME = answer("CNAME", "edge.example.net")
SILENT = Unknown(reason="ns1 does not answer in time")
EDGE_NAME = ("CNAME", "edge.example.net")
TWO = (("A", "192.0.2.1"), ("AAAA", "2001:db8::1"))


@pytest.mark.parametrize(
    ("wanted", "outcomes", "verdict"),
    [
        pytest.param([EDGE_NAME], [CNAME], Verdict(state="agrees", text="CNAME edge.example.net"), id="same CNAME"),
        pytest.param([EDGE_NAME], [NxDomain()], Verdict(state="missing"), id="no such name"),
        pytest.param([EDGE_NAME], [NoData()], Verdict(state="missing"), id="no such type"),
        pytest.param(
            [EDGE_NAME],
            [answer("CNAME", "other.example.net")],
            Verdict(state="wrong", text="CNAME other.example.net"),
            id="another target",
        ),
        pytest.param([EDGE_NAME], [SILENT], Verdict(state="unknown", text=SILENT.reason), id="silence"),
        pytest.param(
            TWO,
            [answer("A", "192.0.2.1"), answer("AAAA", "2001:db8::1")],
            Verdict(state="agrees", text="A 192.0.2.1, AAAA 2001:db8::1"),
            id="both families",
        ),
        pytest.param(
            TWO,
            [answer("A", "192.0.2.1"), NoData()],
            Verdict(state="wrong", text="A 192.0.2.1"),
            id="a family is missing",
        ),
        pytest.param(
            TWO[:1],
            [answer("A", "192.0.2.1", "192.0.2.2"), NoData()],
            Verdict(state="wrong", text="A 192.0.2.1 192.0.2.2"),
            id="a value too many",
        ),
        pytest.param(
            TWO[:1],
            [answer("A", "192.0.2.1"), answer("AAAA", "2001:db8::1")],
            Verdict(state="wrong", text="A 192.0.2.1, AAAA 2001:db8::1"),
            id="a family too many",
        ),
        pytest.param(
            TWO, [CNAME, CNAME], Verdict(state="wrong", text="CNAME edge.example.net"), id="CNAME instead of addresses"
        ),
        pytest.param(
            TWO, [answer("A", "192.0.2.9"), SILENT], Verdict(state="unknown", text=SILENT.reason), id="half an answer"
        ),
        pytest.param([], [NxDomain(), NxDomain()], Verdict(state="agrees"), id="gone"),
        pytest.param([], [NoData(), NoData()], Verdict(state="agrees"), id="gone, names below it are left"),
        pytest.param(
            [],
            [NoData(), answer("AAAA", "2001:db8::1")],
            Verdict(state="answered", text="AAAA 2001:db8::1"),
            id="not gone",
        ),
        pytest.param([], [NxDomain(), SILENT], Verdict(state="unknown", text=SILENT.reason), id="gone as far as known"),
    ],
)
def test_answers_are_compared(wanted: list[tuple[str, str]], outcomes: list[Outcome], verdict: Verdict) -> None:
    assert judge(expected("app.example.com", *wanted), outcomes) == verdict


@pytest.mark.parametrize(
    ("outcomes", "state"),
    [
        ([answer("A", "192.0.2.80"), NoData()], "agrees"),
        ([NoData(), answer("AAAA", "2001:db8::80")], "agrees"),
        ([NoData(), NoData()], "missing"),
        ([NxDomain(), NxDomain()], "missing"),
        ([CNAME, CNAME], "wrong"),
    ],
    ids=["IPv4", "IPv6", "no data", "no such name", "CNAME"],
)
def test_where_the_provider_answers_addresses_of_its_own_any_will_do(outcomes: list[Outcome], state: str) -> None:
    assert judge(expected(addresses_only=True), outcomes).state == state


@pytest.mark.parametrize(
    ("wildcard", "outcomes", "state"),
    [
        (expected("*.example.com", EDGE_NAME), [CNAME, CNAME], "agrees"),
        (expected("*.example.com", EDGE_NAME), [answer("CNAME", "old.example.net")] * 2, "answered"),
        (expected("*.shop.example.com", EDGE_NAME), [CNAME, CNAME], "answered"),
        (expected("www.example.com", EDGE_NAME), [CNAME, CNAME], "answered"),
        (expected("*.example.com"), [CNAME, CNAME], "answered"),
        (expected("*.example.com", addresses_only=True), [answer("A", "192.0.2.80"), NoData()], "agrees"),
    ],
    ids=[
        "the wildcard's",
        "another value",
        "another wildcard",
        "no wildcard",
        "a withdrawn wildcard",
        "proxied wildcard",
    ],
)
def test_what_a_published_wildcard_answers_is_no_answer_of_a_withdrawn_name(
    wildcard: Expectation, outcomes: list[Outcome], state: str
) -> None:
    assert judge(expected(), outcomes, [expected(), wildcard]).state == state


def test_withdrawn_names_are_read_from_the_stack_output() -> None:
    entries = {
        "a.example.com": {"state": "withdrawn", "zone": "example.com"},
        "b.example.com": {"state": "refused", "zone": "example.com"},
        "c.example.net": {"state": "withdrawn", "zone": None},
        "d.lan.test (private)": {"state": "withdrawn", "zone": "lan.test"},
    }
    assert withdrawn_of(entries) == [
        Withdrawn(hostname="a.example.com", zone="example.com"),
        Withdrawn(hostname="c.example.net", zone=None),
        Withdrawn(hostname="d.lan.test", zone="lan.test"),
    ]
    assert withdrawn_of(None) == []


@pytest.mark.parametrize("broken", ["text", {"a": 1}, [1]], ids=str)
def test_an_output_of_another_form_is_told(broken: object) -> None:
    with pytest.raises(ObservationFailed, match="another form"):
        withdrawn_of(broken)
