"""Tunnels in the plan: which invite is ours, what the hub says of each hostname, and where the records point."""

from typing import Any

import pytest

from tests.unit.plan.world import CLOUDFLARE, FREE, ROUTE53, invite, run, settings_of, tunnel

_TWO = invite("two.example.com", invite_id="inv-2", name="shop/two")


@pytest.mark.parametrize(
    ("hub", "expected"),
    [
        pytest.param(None, ("published", None), id="without a hub state all is predicted"),
        pytest.param([], ("published", None), id="on no invite: predicted"),
        pytest.param([invite("a.example.com")], ("published", None), id="on the own invite: confirmed"),
        pytest.param(
            [invite("a.example.com", invite_id="inv-9", name="other/web")],
            ("refused", "host-taken"),
            id="on another live invite: refused",
        ),
        pytest.param(
            [invite(), invite("a.example.com", invite_id="inv-9", name="other/web")],
            ("refused", "host-taken"),
            id="on another live invite beside the own one: refused",
        ),
        pytest.param(
            [invite("a.example.com", invite_id="inv-9", name="other/web", status="revoked")],
            ("published", None),
            id="on another, revoked invite: predicted",
        ),
        pytest.param(
            [invite("a.example.com", status="revoked")],
            ("published", None),
            id="a revoked invite of the own name is not ours",
        ),
        pytest.param(
            [invite("a.example.com"), invite(invite_id="inv-2")],
            ("refused", "host-taken"),
            id="of two live invites of the own name none is ours",
        ),
        pytest.param(
            [invite("a.example.com"), invite("a.example.com", invite_id="inv-2", status="revoked")],
            ("published", None),
            id="the one live invite of the own name is ours",
        ),
        pytest.param(
            [invite("a.example.com", status="a word of a later hub")],
            ("published", None),
            id="an unknown status is alive",
        ),
        pytest.param(
            [invite("A.Example.COM", invite_id="inv-9", name="other/web")],
            ("refused", "host-taken"),
            id="the hub's letter case is folded",
        ),
    ],
)
def test_the_hub_decides_on_a_hostname(hub: Any, expected: tuple[str, str | None]) -> None:
    outcome = run(settings_of(tunnels=[tunnel("a.example.com")]), hub=hub)
    assert outcome.outcome == {"a.example.com": expected}
    assert bool(outcome.records) == (expected[0] == "published")
    assert outcome.status == (0 if expected[0] == "published" else 1)


def test_a_hostname_taken_by_another_never_fails_its_siblings() -> None:
    hub = [invite("a.example.com"), invite("b.example.com", invite_id="inv-9", name="other/web")]
    outcome = run(settings_of(tunnels=[tunnel("a.example.com", "b.example.com", "c.example.com")]), hub=hub)
    assert outcome.states == {"a.example.com": "published", "b.example.com": "refused", "c.example.com": "published"}
    (found,) = outcome.document["endpointRecordSets"]
    assert found["hostnames"] == ["a.example.com", "c.example.com"]
    assert "other/web" in outcome.reason("b.example.com")


def test_the_invite_in_memory_is_ours_whatever_its_name_became() -> None:
    settings = settings_of(tunnels=[tunnel("a.example.com")])
    first = run(settings, hub=[invite("a.example.com")])
    renamed = [invite("a.example.com", name="renamed"), invite(invite_id="inv-2")]
    second = run(settings, hub=renamed, memory=first.memory)
    assert second.outcome == {"a.example.com": ("published", None)}
    assert second.memory["invites"]["shop/web"]["invite_id"] == "inv-1"


def test_without_memory_another_name_on_the_hub_is_another_invite() -> None:
    outcome = run(settings_of(tunnels=[tunnel("a.example.com")]), hub=[invite("a.example.com", name="renamed")])
    assert outcome.outcome == {"a.example.com": ("refused", "host-taken")}


def test_a_name_that_the_hub_freed_is_promised_again() -> None:
    settings = settings_of(tunnels=[tunnel("a.example.com")])
    taken = [invite(), invite("a.example.com", invite_id="inv-9", name="other/web")]
    refused = run(settings, hub=taken)
    assert refused.states == {"a.example.com": "refused"}
    assert run(settings, hub=[invite()], memory=refused.memory).states == {"a.example.com": "published"}
    assert run(settings, memory=refused.memory).states == {"a.example.com": "published"}


def test_a_name_that_the_hub_refused_in_an_update_is_not_promised() -> None:
    settings = settings_of(tunnels=[tunnel("a.example.com", "b.example.com")])
    memory = run(settings, hub=[invite("a.example.com")]).memory
    memory["invites"]["shop/web"]["refused"] = ["b.example.com"]
    outcome = run(settings, hub=[invite("a.example.com")], memory={**memory, "sets": {}})
    assert outcome.outcome == {"a.example.com": ("published", None), "b.example.com": ("refused", "host-taken")}
    assert outcome.memory["invites"]["shop/web"]["refused"] == ["b.example.com"]


@pytest.mark.parametrize(
    ("of_settings", "of_hub", "target"),
    [
        pytest.param("EU", "US", "edge-us.example.net", id="the invite's region wins"),
        pytest.param("us", None, "edge-eu.example.net", id="null of the hub is EU"),
        pytest.param("EU", "us", "edge-us.example.net", id="letter case of the hub is folded"),
        pytest.param("US", "", "edge-eu.example.net", id="an empty region of the hub is EU"),
    ],
)
def test_the_region_is_that_of_the_invite(of_settings: str, of_hub: str | None, target: str) -> None:
    settings = settings_of(tunnels=[tunnel("a.example.com", region=of_settings)])
    outcome = run(settings, hub=[invite("a.example.com", region=of_hub)])
    assert outcome.records == {"a.example.com": {"CNAME": [target]}}


@pytest.mark.parametrize(
    ("region", "target"), [("us", "edge-us.example.net"), ("EU", "edge-eu.example.net"), (None, "edge-eu.example.net")]
)
def test_without_an_invite_the_region_is_that_of_the_settings(region: str | None, target: str) -> None:
    given = {} if region is None else {"region": region}
    settings = settings_of(
        tunnels=[tunnel("a.example.com", **given)],
        edgeTargets={"eu": "edge-eu.example.net", "Us": "edge-us.example.net"},
    )
    assert run(settings).records == {"a.example.com": {"CNAME": [target]}}


@pytest.mark.parametrize(
    ("url", "region", "target"),
    [
        pytest.param("https://hub.towonel.dev", "EU", "edge-eu.towonel.dev", id="exactly the public hub, EU"),
        pytest.param("https://hub.towonel.dev/", "CA", "edge-na.towonel.dev", id="one trailing slash, CA"),
        pytest.param("https://hub.towonel.dev//", "EU", None, id="two trailing slashes"),
        pytest.param("http://hub.towonel.dev", "EU", None, id="another scheme"),
        pytest.param("https://hub.towonel.dev:443", "EU", None, id="with a port"),
        pytest.param("https://hub.towonel.dev/v1", "EU", None, id="with a path"),
        pytest.param("https://hub.towonel.dev.example.net", "EU", None, id="a longer host"),
        pytest.param("https://hub.example.net", "EU", None, id="another hub"),
        pytest.param("https://hub.towonel.dev", "US", None, id="a region without a default"),
    ],
)
def test_only_the_public_hub_has_default_edge_targets(url: str, region: str, target: str | None) -> None:
    settings = settings_of(tunnels=[tunnel("a.example.com", region=region)], edgeTargets={}, hub={"url": url})
    outcome = run(settings)
    if target:
        assert outcome.records == {"a.example.com": {"CNAME": [target]}}
    else:
        assert outcome.outcome == {"a.example.com": ("refused", "edge-target-unknown")}


def test_the_settings_edge_targets_win_over_the_defaults() -> None:
    settings = settings_of(
        hub={"url": "https://hub.towonel.dev"},
        edgeTargets={"eu": "own.example.net"},
        tunnels=[tunnel("a.example.com"), tunnel("b.example.com", name="ca", region="CA")],
    )
    assert run(settings).records == {
        "a.example.com": {"CNAME": ["own.example.net"]},
        "b.example.com": {"CNAME": ["edge-na.towonel.dev"]},
    }


def test_without_an_edge_target_nothing_of_the_tunnel_is_published_and_the_known_regions_are_named() -> None:
    outcome = run(settings_of(tunnels=[tunnel("a.example.com", region="AP"), tunnel("b.example.com", name="eu")]))
    assert outcome.outcome == {
        "a.example.com": ("refused", "edge-target-unknown"),
        "b.example.com": ("published", None),
    }
    assert "AP" in outcome.reason("a.example.com")
    assert "EU, US" in outcome.reason("a.example.com")
    assert [one["name"] for one in outcome.document["endpointRecordSets"]] == ["towonel.shop.eu"]
    assert outcome.status == 1


def test_the_tunnels_own_target_needs_no_edge_target() -> None:
    dns = {"mode": "Zone", "cnameTarget": "Own.Example.NET."}
    outcome = run(settings_of(tunnels=[tunnel("a.example.com", region="AP", dns=dns)]))
    assert outcome.records == {"a.example.com": {"CNAME": ["own.example.net"]}}


@pytest.mark.parametrize("dns", [{}, {"dns": {}}, {"dns": {"mode": "Disabled"}}], ids=["omitted", "empty", "said"])
def test_a_tunnel_publishes_nothing_unless_its_dns_mode_says_so(dns: Any) -> None:
    one = {"name": "web", "namespace": "shop", "hostnames": ["a.example.com"], **dns}
    outcome = run(settings_of(tunnels=[one]))
    assert outcome.outcome == {"a.example.com": ("refused", "dns-disabled")}
    assert outcome.document["endpointRecordSets"] == []
    assert outcome.status == 0


@pytest.mark.parametrize("included", [True, False])
def test_wildcards_of_a_tunnel_are_opt_in(included: bool) -> None:
    dns = {"mode": "Zone", "includeWildcards": included}
    outcome = run(settings_of(tunnels=[tunnel("*.example.com", dns=dns)]))
    assert outcome.outcome == {"*.example.com": ("published", None) if included else ("refused", "wildcard-opt-in")}
    assert outcome.status == 0


@pytest.mark.parametrize(("zone", "of_zone"), [("a.example.com", 1), ("a.example.org", 300)])
@pytest.mark.parametrize("ttl", [None, 600])
def test_the_ttl_is_the_tunnels_or_the_default_of_the_provider(zone: str, of_zone: int, ttl: int | None) -> None:
    dns = {"mode": "Zone"} if ttl is None else {"mode": "Zone", "ttl": ttl}
    (record,) = run(settings_of(tunnels=[tunnel(zone, dns=dns)])).document["records"]
    assert record["ttl"] == (of_zone if ttl is None else ttl)


def test_a_malformed_hostname_is_refused_on_its_own() -> None:
    outcome = run(settings_of(tunnels=[tunnel("under_score.example.com", "a.example.com")]))
    assert outcome.outcome == {
        "a.example.com": ("published", None),
        "under_score.example.com": ("refused", "name-syntax"),
    }
    assert outcome.status == 1


@pytest.mark.parametrize(
    ("hub", "rule"),
    [
        pytest.param([_TWO], "invite-gone", id="gone while another is visible"),
        pytest.param([_TWO, invite("a.example.com", status="revoked")], "invite-revoked", id="revoked"),
    ],
)
def test_an_invite_that_has_ended_withdraws_and_only_a_new_generation_makes_a_new_one(hub: Any, rule: str) -> None:
    def settings(generation: int) -> Any:
        two = tunnel("two.example.com", name="two")
        return settings_of(tunnels=[tunnel("a.example.com", generation=generation), two], safety=FREE)

    before = run(settings(1), hub=[invite("a.example.com"), _TWO])
    ended = run(settings(1), hub=hub, memory=before.memory)
    assert ended.outcome["a.example.com"] == ("withdrawn", rule)
    assert ended.status == 1
    again = run(settings(1), hub=hub, memory=ended.memory)
    assert again.outcome["a.example.com"] == ("refused", rule)
    renewed = run(settings(2), hub=hub, memory=again.memory)
    assert renewed.outcome["a.example.com"] == ("published", None)
    made = [*hub, invite("a.example.com", invite_id="inv-7")]
    assert run(settings(2), hub=made, memory=renewed.memory).outcome["a.example.com"] == ("published", None)


@pytest.mark.parametrize("hub", [[_TWO], [_TWO, invite("a.example.com", status="revoked")]], ids=["gone", "revoked"])
def test_an_invite_that_ended_while_its_region_changes_is_in_doubt_until_the_hub_answers(hub: Any) -> None:
    def settings(region: str) -> Any:
        two = tunnel("two.example.com", name="two")
        return settings_of(tunnels=[tunnel("a.example.com", region=region), two], safety=FREE)

    before = run(settings("EU"), hub=[invite("a.example.com"), _TWO])
    cut_off = run(settings("US"), hub=hub, memory=before.memory)
    assert cut_off.outcome["a.example.com"][0] == "withdrawn"
    assert "a.example.com" not in cut_off.records
    made = [*hub, invite("a.example.com", invite_id="inv-7", region="US")]
    made_memory = {**cut_off.memory, "invites": {}}
    assert run(settings("US"), hub=made, memory=made_memory).records["a.example.com"] == {
        "CNAME": ["edge-us.example.net"]
    }


def test_a_new_generation_is_not_taken_for_the_old_invite() -> None:
    first = run(settings_of(tunnels=[tunnel("a.example.com")]), hub=[invite("a.example.com")])
    settings = settings_of(tunnels=[tunnel("a.example.com", generation=2)])
    second = run(settings, hub=[invite("a.example.com")], memory=first.memory)
    after = [invite("a.example.com", status="revoked"), invite("a.example.com", invite_id="inv-2")]
    third = run(settings, hub=after, memory=second.memory)
    assert third.outcome == {"a.example.com": ("published", None)}
    assert third.memory["invites"]["shop/web"]["invite_id"] == "inv-2"


def test_a_replaced_invite_points_at_the_region_of_the_settings() -> None:
    first = run(settings_of(tunnels=[tunnel("a.example.com")]), hub=[invite("a.example.com")])
    moved = settings_of(tunnels=[tunnel("a.example.com", region="US")])
    second = run(moved, hub=[invite("a.example.com")], memory=first.memory)
    assert second.records == {"a.example.com": {"CNAME": ["edge-us.example.net"]}}


def test_no_known_invite_on_the_hub_stops_the_run_until_it_is_acknowledged() -> None:
    settings = settings_of(tunnels=[tunnel("a.example.com", "b.example.com")])
    first = run(settings, hub=[invite("a.example.com", "b.example.com")])
    stopped = run(settings, hub=[], memory=first.memory)
    assert "hub-account" in stopped.stops
    assert stopped.status == 2
    assert stopped.memory == first.memory
    acknowledged = {**settings, "safety": {"acknowledge": {"count": 2}}}
    passed = run(acknowledged, hub=[], memory=first.memory)
    assert passed.outcome == {
        "a.example.com": ("withdrawn", "invite-gone"),
        "b.example.com": ("withdrawn", "invite-gone"),
    }
    by_names = {**settings, "safety": {"acknowledge": {"names": ["a.example.com", "b.example.com"]}}}
    assert run(by_names, hub=[], memory=first.memory).document == passed.document


@pytest.mark.parametrize(
    "tunnels",
    [
        pytest.param([tunnel("b.example.com", name="two")], id="the tunnel is no longer declared"),
        pytest.param(
            [tunnel("a.example.com", generation=2), tunnel("b.example.com", name="two")], id="its generation changed"
        ),
        pytest.param(
            [tunnel("a.example.com", kind="cloudflare", cloudflare={"accountId": "a" * 32, "origin": "http://a"})],
            id="the tunnel is of another kind now",
        ),
    ],
)
def test_an_invite_that_is_not_wanted_any_more_proves_nothing(tunnels: Any) -> None:
    first = run(settings_of(tunnels=[tunnel("a.example.com")]), hub=[invite("a.example.com")])
    second = run(settings_of(tunnels=tunnels, safety=FREE), hub=[], memory=first.memory)
    assert second.stops == []


def test_a_revoked_invite_in_the_list_is_proof_of_the_account() -> None:
    settings = settings_of(tunnels=[tunnel("a.example.com"), tunnel("b.example.com", name="two")], safety=FREE)
    hub = [invite("a.example.com"), invite("b.example.com", invite_id="inv-2", name="shop/two")]
    first = run(settings, hub=hub)
    second = run(settings, hub=[invite("a.example.com", status="revoked")], memory=first.memory)
    assert "hub-account" not in second.stops


def test_names_that_the_hub_refuses_are_not_held_whatever_else_is_wrong() -> None:
    settings = settings_of(tunnels=[tunnel("a.example.com", "b.example.com")], safety=FREE)
    first = run(settings, hub=[invite("a.example.com", "b.example.com")])
    nobody = [{**zone, "allowedRecordSets": []} for zone in settings["zones"]]
    taken = [invite("b.example.com"), invite("a.example.com", invite_id="inv-9", name="other/web")]
    second = run({**settings, "zones": nobody}, hub=taken, memory=first.memory)
    assert second.outcome == {
        "a.example.com": ("withdrawn", "host-taken"),
        "b.example.com": ("held", "record-not-allowed-by-zone"),
    }


def test_a_name_that_two_tunnels_leave_out_tells_both() -> None:
    wild = "*.example.org"
    off = tunnel(wild, name="a", dns={"mode": "Disabled"})
    outcome = run(settings_of(tunnels=[off, tunnel(wild, name="b")]))
    assert outcome.outcome == {wild: ("refused", "dns-disabled")}
    assert outcome.reason(wild) == (
        "dns.mode of TowonelTunnel shop/a is Disabled; "
        "TowonelTunnel shop/b: wildcard-opt-in: dns.includeWildcards of TowonelTunnel shop/b is false"
    )


def test_a_zone_that_selects_namespaces_by_labels_refuses_the_names_of_tunnels_alone() -> None:
    allowed = [{"namespaces": {"selector": "team=x"}, "names": [".*"], "types": ["A", "CNAME"]}]
    zones = [{**CLOUDFLARE, "allowedRecordSets": allowed}, ROUTE53]
    outcome = run(settings_of(zones=zones, tunnels=[tunnel("a.example.com", "b.example.org")]))
    assert outcome.outcome == {
        "a.example.com": ("refused", "record-not-allowed-by-zone"),
        "b.example.org": ("published", None),
    }
