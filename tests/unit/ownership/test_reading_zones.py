"""Reading live zones: complete, or one message per zone, and never less than all of it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from edge_dns.core.errors import ObservationFailed
from edge_dns.core.live import Answer, LiveZone
from edge_dns.core.settings import Credentials, Zone
from edge_dns.core.settings.secret import Secret
from edge_dns.observe.live_zones import (
    ALL_ITEMS,
    FIRST_ITEMS,
    GET_DNS_RECORDS,
    GET_HOSTED_ZONE,
    GET_ZONE,
    LookupFailed,
    read_live_zones,
)

TOKEN = "cloudflare-token-0123456789"
CLOUDFLARE = Zone(
    domain="example.com", provider="cloudflare", zone_id="z1", credentials=Credentials(api_token=Secret(TOKEN))
)
ROUTE53 = Zone(domain="example.org", provider="route53", zone_id="Z2")
INSIDE = Zone(domain="lan.example.com", provider="external-dns", visibility="private")
SOA = {"name": "example.org.", "type": "SOA", "ttl": 900, "resourceRecords": [{"value": "ns"}]}

Answers = Callable[[Zone, str, Mapping[str, str | int], float], Sequence[Answer]]


def _records(number: int) -> list[dict[str, Any]]:
    return [{"id": f"r{i}", "name": f"h{i}.example.com", "type": "A", "content": "198.51.100.7"} for i in range(number)]


def _holding(number: int, calls: list[object] | None = None) -> Answers:
    """A zone at Cloudflare with so many records, and a hosted zone with none."""

    def lookup(zone: Zone, token: str, arguments: Mapping[str, str | int], seconds: float) -> Sequence[Answer]:
        if token == GET_ZONE:
            return [{"name": "example.com"}]
        if calls is not None:
            calls.append((token, arguments.get("maxItems")))
        return _records(number)[: int(arguments["maxItems"])] if zone is CLOUDFLARE else [SOA]

    return lookup


def _failing(problem: str, only: Zone = CLOUDFLARE) -> Answers:
    def lookup(zone: Zone, token: str, arguments: Mapping[str, str | int], seconds: float) -> Sequence[Answer]:
        if zone is only:
            raise LookupFailed(problem)
        return _holding(1)(zone, token, arguments, seconds)

    return lookup


def _read(lookup: Answers, *zones: Zone) -> dict[str, LiveZone]:
    return read_live_zones(zones or (CLOUDFLARE, ROUTE53), lookup=lookup, tell=lambda _: None)


def test_the_zones_of_both_providers_are_read_and_no_others() -> None:
    found = _read(_holding(2), CLOUDFLARE, ROUTE53, INSIDE)
    assert {key: set(zone.by_name) for key, zone in found.items()} == {
        "z1": {"h0.example.com", "h1.example.com"},
        "Z2": {"example.org"},
    }


@pytest.mark.parametrize(
    ("number", "limits"),
    [
        (0, [FIRST_ITEMS]),
        (FIRST_ITEMS - 1, [FIRST_ITEMS]),
        (FIRST_ITEMS, [FIRST_ITEMS, ALL_ITEMS]),
        (2 * FIRST_ITEMS + 1, [FIRST_ITEMS, ALL_ITEMS]),
    ],
)
def test_a_zone_is_read_whole_however_many_records_it_holds(number: int, limits: list[int]) -> None:
    calls: list[object] = []
    assert len(_read(_holding(number, calls), CLOUDFLARE)["z1"].by_name) == number
    assert calls == [(GET_DNS_RECORDS, limit) for limit in limits]


def test_an_answer_as_long_as_its_limit_is_never_taken_for_the_whole_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edge_dns.observe.live_zones.ALL_ITEMS", FIRST_ITEMS + 1)
    with pytest.raises(ObservationFailed, match="too many"):
        _read(_holding(FIRST_ITEMS + 5), CLOUDFLARE)


def test_a_zone_that_cannot_be_read_is_named_with_the_reason_and_what_to_do() -> None:
    with pytest.raises(ObservationFailed) as raised:
        _read(_failing("403 Authentication error (10000)"))
    text = str(raised.value)
    assert "zone example.com (cloudflare z1)" in text
    assert "403 Authentication error (10000)" in text
    assert "cloudflare:apiToken" in text
    assert "example.org" not in text


def test_every_zone_that_cannot_be_read_is_told_in_one_run() -> None:
    def lookup(zone: Zone, token: str, arguments: Mapping[str, str | int], seconds: float) -> Sequence[Answer]:
        raise LookupFailed(f"no {zone.domain}")

    with pytest.raises(ObservationFailed, match=r"(?s)no example\.com.*\n.*no example\.org"):
        _read(lookup)


def test_a_page_of_html_is_cut_and_no_secret_is_told() -> None:
    page = f"<html>\n<body>{TOKEN}</body>\n" + "x" * 5000
    with pytest.raises(ObservationFailed) as raised:
        _read(_failing(page))
    assert TOKEN not in str(raised.value)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 700


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        pytest.param([], "no SOA", id="nothing at all"),
        pytest.param([{"name": "example.org."}], "without type", id="half a record"),
        pytest.param([SOA, {**SOA, "type": "A", "name": "example.net."}], "another zone", id="another zone"),
        pytest.param([{**SOA, "name": "sub.example.org."}], r"that of sub\.example\.org", id="a zone below"),
    ],
)
def test_an_answer_that_makes_no_sense_is_no_answer(answers: list[Answer], told: str) -> None:
    with pytest.raises(ObservationFailed, match=told):
        _read(lambda *_: answers, ROUTE53)


@pytest.mark.parametrize("name", ["other.example.net", "sub.example.com", ""])
def test_a_zone_id_of_another_domain_is_refused_even_where_that_zone_holds_nothing(name: str) -> None:
    def lookup(zone: Zone, token: str, arguments: Mapping[str, str | int], seconds: float) -> Sequence[Answer]:
        return [{"name": name}] if token == GET_ZONE else []

    with pytest.raises(ObservationFailed, match=f"that of {name}"):
        _read(lookup, CLOUDFLARE)


@pytest.mark.parametrize(
    ("about", "told"),
    [
        pytest.param([{"privateZone": False}], "zoneId is that of a public hosted zone", id="a public zone"),
        pytest.param([{}], "zoneId is that of a public hosted zone", id="an answer that does not tell"),
        pytest.param(None, "route53:GetHostedZone .* are needed: 403 AccessDenied", id="no permission to ask"),
    ],
)
def test_a_private_zone_is_never_a_public_hosted_zone_of_the_same_domain(
    about: Sequence[Answer] | None, told: str
) -> None:
    def lookup(zone: Zone, token: str, arguments: Mapping[str, str | int], seconds: float) -> Sequence[Answer]:
        if token != GET_HOSTED_ZONE:
            return [SOA]
        if about is None:
            raise LookupFailed("403 AccessDenied")
        return about

    private = Zone(domain="example.org", provider="route53", zone_id="Z2", visibility="private")
    with pytest.raises(ObservationFailed, match=rf"zone example\.org \(route53 Z2\) cannot be read: .*{told}"):
        _read(lookup, private)
    assert _read(lookup, ROUTE53).keys() == {"Z2"}


def test_a_private_hosted_zone_is_read() -> None:
    private = Zone(domain="example.org", provider="route53", zone_id="Z2", visibility="private")
    found = _read(lambda _, token, *__: [{"privateZone": True}] if token == GET_HOSTED_ZONE else [SOA], private)
    assert found.keys() == {"Z2"}


def test_a_zone_named_in_another_spelling_is_the_same_zone() -> None:
    zone = Zone(domain="xn--bcher-kva.example", provider="cloudflare", zone_id="z3")

    def lookup(zone: Zone, token: str, arguments: Mapping[str, str | int], seconds: float) -> Sequence[Answer]:
        return [{"name": "B\N{LATIN SMALL LETTER U WITH DIAERESIS}cher.example."}] if token == GET_ZONE else []

    assert _read(lookup, zone)["z3"].by_name == {}
