"""The stack outputs as values: keyed, so that one change is one line of a diff."""

from typing import Any

from edge_dns.core.decision import Decision, State
from edge_dns.core.outputs import hostnames_output, tunnels_output, zones_output
from edge_dns.core.rules import Refusal
from edge_dns.core.settings import Zone
from edge_dns.core.values import RRset, Source, Visibility
from edge_dns.core.zone_changes import zone_changes
from edge_dns.core.zones import ZoneIndex

PUBLIC = Zone(domain="example.com", provider="cloudflare", zone_id="z1")
PRIVATE = Zone(domain="example.com", provider="route53", zone_id="z2", visibility="private")
WEB = Source(cluster=None, kind="TowonelTunnel", namespace="shop", name="web")


def _decision(hostname: str, state: State, *, zone: Zone | None = None, visibility: Visibility = "public") -> Decision:
    refusal = None if state == "published" else Refusal(rule="not-declared", reason="gone")
    return Decision(hostname=hostname, visibility=visibility, source=WEB, state=state, refusal=refusal, zone=zone)


def _record(zone_id: str, name: str) -> RRset:
    return RRset(zone_id=zone_id, name=name, type="A", values=("8.8.8.8",), ttl=300)


def test_zones_tell_hostnames_by_state_and_records_and_one_key_is_never_two_zones() -> None:
    decisions = [
        _decision("a.example.com", "published", zone=PUBLIC),
        _decision("b.example.com", "withdrawn", zone=PUBLIC),
        _decision("a.example.com", "published", zone=PRIVATE, visibility="private"),
        _decision("x.example.net", "refused"),
        # Refused before its zone was chosen.
        _decision("new.example.com", "refused"),
    ]
    before = [_record("z1", "a.example.com"), _record("z1", "b.example.com"), _record("gone", "old.example.org")]
    after = [_record("z1", "a.example.com"), _record("z2", "a.example.com")]
    zones = ZoneIndex.of([PUBLIC, PRIVATE])
    found: Any = zones_output(decisions, zone_changes(before, after, zones), zones)
    assert list(found) == ["(no zone)", "example.com", "example.com (private)", "gone (left the settings)"]
    assert {zone: one["hostnames"] for zone, one in found.items()} == {
        "(no zone)": {"refused": 1},
        "example.com": {"published": 1, "refused": 1, "withdrawn": 1},
        "example.com (private)": {"published": 1},
        "gone (left the settings)": {},
    }
    numbers = {
        zone: one["records"] and (one["records"]["own"], one["records"]["withdrawn"]) for zone, one in found.items()
    }
    assert numbers == {
        "(no zone)": None,
        "example.com": (1, 1),
        "example.com (private)": (1, 0),
        "gone (left the settings)": (0, 1),
    }


def test_hostnames_are_those_that_are_not_published_and_both_views_of_one_stand_there() -> None:
    found: Any = hostnames_output(
        [
            _decision("a.example.com", "published", zone=PUBLIC),
            _decision("b.example.com", "held", zone=PUBLIC),
            _decision("b.example.com", "refused", visibility="private"),
            _decision("x.example.net", "refused"),
        ],
        ZoneIndex.of([PUBLIC, PRIVATE]),
    )
    assert {name: (one["state"], one["zone"]) for name, one in found.items()} == {
        "b.example.com": ("held", "example.com"),
        "b.example.com (private)": ("refused", "example.com"),
        "x.example.net": ("refused", None),
    }


def test_a_towonel_and_a_cloudflare_tunnel_of_one_name_both_stand_in_the_outputs() -> None:
    found = tunnels_output({"shop/web": {"a": 1}, "shop/api": {"a": 2}}, {"shop/web": {"b": 1}, "shop/cdn": {"b": 2}})
    assert found == {
        "shop/api": {"a": 2},
        "shop/cdn": {"b": 2},
        "shop/web": {"a": 1},
        "shop/web (cloudflare)": {"b": 1},
    }
