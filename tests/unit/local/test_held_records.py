"""What the demo reads from the providers, shows, and compares."""

from dataclasses import replace

import pytest

from edge_dns.core.settings import Zone
from local.held_records import HeldRecord, cloudflare_records, route53_records, short_marker, surprises, table_lines
from local.route53 import HostedRecord

APP = HeldRecord(
    zone="example.com",
    name="app.example.com",
    type="CNAME",
    value="edge.example.net",
    ttl="auto",
    proxied=False,
    marker="edge-dns/1 edge-dns/local TowonelTunnel/team/web",
)
CART = replace(APP, name="cart.example.com", type="A", value="203.0.113.10", marker="")
BEFORE = (APP, CART, replace(CART, type="AAAA", value="2001:db8::10"))
ZONES = (
    Zone(domain="example.com", provider="cloudflare", zone_id="0" * 32),
    Zone(domain="example.org", provider="route53", zone_id="Z1", visibility="private"),
)


def hosted(name: str, kind: str, *values: str, alias: str | None = None) -> HostedRecord:
    return HostedRecord(
        name=name, type=kind, values=values, ttl=None if alias else 300, alias=(alias, "Z2", True) if alias else None
    )


def test_a_cloudflare_record_shows_its_comment_as_marker_and_ttl_1_as_auto() -> None:
    api = {"name": "app.example.com", "type": "CNAME", "content": "edge.example.net", "ttl": 1, "proxied": False}
    assert cloudflare_records("example.com", [{**api, "comment": APP.marker}]) == [APP]
    assert cloudflare_records("example.com", [{**api, "ttl": 60, "proxied": True, "comment": None}]) == [
        replace(APP, ttl="60", proxied=True, marker="")
    ]


def test_each_value_of_a_route53_set_is_a_record_of_its_own() -> None:
    rows = route53_records("example.org", [hosted("a.example.org", "A", "192.0.2.1", "192.0.2.2")])
    assert [(row.value, row.ttl, row.proxied) for row in rows] == [
        ("192.0.2.1", "300", None),
        ("192.0.2.2", "300", None),
    ]


def test_a_route53_alias_has_no_ttl() -> None:
    (row,) = route53_records("example.org", [hosted("a.example.org", "A", alias="lb.example.net.")])
    assert (row.value, row.ttl) == ("lb.example.net", "alias")


@pytest.mark.parametrize(
    ("name", "marker"),
    [("a.example.org", "_edge-dns.a.example.org"), ("*.example.org", "_edge-dns._wildcard.example.org")],
    ids=["plain", "wildcard"],
)
def test_a_txt_that_marks_a_name_stands_with_its_records(name: str, marker: str) -> None:
    text = "edge-dns/1 edge-dns/local Gateway/prod/infra/front"
    rows = route53_records("example.org", [hosted(marker, "TXT", f'"{text}"'), hosted(name, "A", "192.0.2.1")])
    assert [(row.name, row.type, row.marker) for row in rows] == [(name, "A", text)]


def test_a_marker_without_its_record_is_shown_as_a_record() -> None:
    (row,) = route53_records("example.org", [hosted("_edge-dns.a.example.org", "TXT", '"text"')])
    assert (row.name, row.type, row.value) == ("_edge-dns.a.example.org", "TXT", '"text"')


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("edge-dns/1 edge-dns/local TowonelTunnel/team/web", "team/web"),
        ("edge-dns/1 edge-dns/local Gateway/prod/infra/front", "infra/front"),
        ("edge-dns/1 edge-dns/local sha256:0123", "sha256:0123"),
        ("made by hand", "-"),
        ("", "-"),
    ],
    ids=["tunnel", "gateway", "hashed", "of others", "none"],
)
def test_a_marker_is_shortened_to_its_source(text: str, shown: str) -> None:
    assert short_marker(text) == shown


def test_the_table_groups_by_zone_and_shows_names_relative_to_it() -> None:
    apex = replace(APP, zone="example.org", name="example.org", proxied=None, ttl="300", marker="")
    assert list(table_lines([apex, APP], ZONES)) == [
        "  NAME  TYPE   TTL   PROXY  MARKER    VALUE",
        "example.com (Cloudflare, public)",
        "  app   CNAME  auto  no     team/web  edge.example.net",
        "example.org (Route 53, private)",
        "  @     CNAME  300   -      -         edge.example.net",
    ]


def test_a_value_that_does_not_fit_stands_on_a_line_of_its_own() -> None:
    value = "a" * 60 + ".example.net"
    assert list(table_lines([replace(APP, value=value)], ZONES))[2:] == [
        "  app   CNAME  auto  no     team/web",
        f"{value:>80}",
    ]


def test_nothing_is_surprising_when_exactly_the_records_of_the_removed_name_went() -> None:
    assert surprises(BEFORE, [APP], ["cart.example.com"]) == ()


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ([APP, CART], "cart.example.com A 203.0.113.10 is there"),
        ([], "app.example.com CNAME edge.example.net is gone or changed"),
        ([replace(APP, ttl="60")], "app.example.com CNAME edge.example.net is gone or changed"),
        ([replace(APP, marker="")], "app.example.com CNAME edge.example.net is gone or changed"),
        ([APP, replace(APP, name="_edge-dns.cart.example.com")], "_edge-dns.cart.example.com CNAME edge.example.net"),
    ],
    ids=["one stays", "another went", "another changed", "another lost its marker", "something is new"],
)
def test_everything_else_is_surprising(after: list[HeldRecord], said: str) -> None:
    assert any(line.startswith(said) for line in surprises(BEFORE, after, ["cart.example.com"]))


def test_a_removed_name_that_had_no_record_is_surprising() -> None:
    assert surprises([APP], [APP], ["cart.example.com"]) == ("cart.example.com had no record to remove",)
