"""Reading the tunnels of an account: complete, or one message, and never less than all of it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from edge_dns.core.cloudflare_view import AccountTunnels, IngressRule, ingress_rules
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.live import Answer, LiveZone
from edge_dns.core.memory import CloudflareTunnelMemory
from edge_dns.core.settings import Zone, load_settings
from edge_dns.observe.cloudflare_tunnels import (
    GET_CONFIG,
    GET_TUNNELS,
    MAX_TUNNELS,
    read_of_zones,
    read_tunnels,
    tunnels_to_read,
)
from edge_dns.observe.live_zones import LookupFailed

ACCOUNT, OTHER = "a" * 32, "b" * 32
ID, ELSE = "9f0c1b1e-5a0d-4c8a-9d0e-2f6f0d3f7a11", "1d0c1b1e-5a0d-4c8a-9d0e-2f6f0d3f7a12"
OURS = {"shop/web": CloudflareTunnelMemory(account_id=ACCOUNT, tunnel_id=ID, name="shop.web")}
RULES = {"ingresses": [{"hostname": "App.example.com", "service": "http://app"}, {"service": "http_status:404"}]}


class Account:
    """What the lookups answer of one account; `asked` are the ids whose configuration was asked for."""

    def __init__(self, *tunnels: Mapping[str, object], config: object = None) -> None:
        self.tunnels = list(tunnels)
        self.config = config
        self.asked: list[object] = []

    def __call__(self, token: str, arguments: Mapping[str, str | int], seconds: float) -> Sequence[Answer]:
        assert seconds > 0
        if token == GET_TUNNELS:
            assert arguments == {"accountId": ACCOUNT, "maxItems": MAX_TUNNELS}
            return self.tunnels
        assert token == GET_CONFIG
        self.asked.append(arguments["tunnelId"])
        return [{"config": self.config}]


def failing(token: str, arguments: Mapping[str, str | int], seconds: float) -> Sequence[Answer]:
    raise LookupFailed("listing the tunnels:\n 403 Authentication error (10000)")


def read(lookup: Any) -> AccountTunnels:
    return read_tunnels({ACCOUNT: {ID}}, lookup=lookup, tell=lambda _: None)[ACCOUNT]


def listed(tunnel_id: str, **more: object) -> dict[str, object]:
    return {"id": tunnel_id, "name": "shop.web", "configSrc": "cloudflare", **more}


def test_only_the_rules_of_our_own_tunnels_are_read() -> None:
    account = Account(listed(ID), listed(ELSE, name="other", configSrc="local"), config=RULES)
    found = read(account)
    assert account.asked == [ID]
    assert found.by_id[ID].ingress == (
        IngressRule(hostname="app.example.com", service="http://app"),
        IngressRule(hostname="", service="http_status:404"),
    )
    assert (found.by_id[ELSE].ingress, found.by_id[ELSE].remote) == (None, False)


@pytest.mark.parametrize(
    ("deleted_at", "deleted"),
    [(None, False), ("", False), ("0001-01-01T00:00:00Z", False), ("2026-11-30T10:00:00Z", True)],
)
def test_a_deleted_tunnel_is_told_by_its_time_of_deletion_and_not_asked_for_rules(
    deleted_at: str | None, deleted: bool
) -> None:
    account = Account(listed(ID, deletedAt=deleted_at))
    assert read(account).by_id[ID].deleted == deleted
    assert account.asked == ([] if deleted else [ID])


def test_a_tunnel_that_was_never_configured_has_no_rules() -> None:
    assert read(Account(listed(ID))).by_id[ID].ingress == ()


@pytest.mark.parametrize(
    ("lookup", "reason"),
    [
        (failing, "listing the tunnels: 403 Authentication error (10000)"),
        (Account({"name": "x"}), "a tunnel without id"),
        (Account(listed(ID), config={"ingresses": [{"hostname": "a.example.com"}]}), "an ingress rule without service"),
        (Account(*([listed(ELSE)] * MAX_TUNNELS)), f"it lists {MAX_TUNNELS} tunnels or more, which is too many"),
    ],
    ids=["refused", "no id", "no service", "cut off"],
)
def test_what_is_not_all_of_it_is_a_failure(lookup: Any, reason: str) -> None:
    with pytest.raises(ObservationFailed) as failed:
        read(lookup)
    assert f"the tunnels of Cloudflare account {ACCOUNT} cannot be read: {reason}" in str(failed.value)
    assert "cloudflare:apiToken" in str(failed.value)
    assert "\n" not in str(failed.value)


def test_an_empty_account_has_no_tunnels() -> None:
    assert read(Account()).by_id == {}


def test_the_accounts_of_the_settings_are_read_for_what_their_tunnels_have_or_adopt() -> None:
    def tunnel(name: str, account: str, **more: str) -> dict[str, object]:
        of = {"accountId": account, **more}
        return {"name": name, "namespace": "shop", "kind": "cloudflare", "cloudflare": of}

    settings = load_settings({"tunnels": [tunnel("web", ACCOUNT), tunnel("new", OTHER, adopt=ELSE)]})
    assert tunnels_to_read(settings, OURS) == {ACCOUNT: {ID}, OTHER: {ELSE}}
    assert tunnels_to_read(load_settings({}), OURS) == {}


def test_the_accounts_of_zones_are_read_once_each_and_a_failure_is_told() -> None:
    zones = [Zone(domain=f"{one}.example", provider="cloudflare", zone_id=one) for one in ("z1", "z2", "z3")]
    live = {"z1": LiveZone(account=ACCOUNT), "z2": LiveZone(account=ACCOUNT), "z3": LiveZone(account=OTHER)}
    asked = []

    def lookup(zone: Zone, token: str, arguments: Mapping[str, str | int], seconds: float) -> Sequence[Answer]:
        asked.append(zone.domain)
        return failing(token, arguments, seconds) if zone.zone_id == "z3" else [listed(ID)]

    accounts, unread = read_of_zones(zones, live, {}, lookup, lambda _: None)
    assert (list(accounts), list(unread), asked) == ([ACCOUNT], [OTHER], ["z1.example", "z3.example"])
    assert "403" in unread[OTHER]


def test_settings_of_an_origin_count_only_where_they_say_something() -> None:
    def tuned(origin_request: object) -> bool:
        rule = {"service": "http://a", "originRequest": origin_request}
        return ingress_rules({"config": {"ingresses": [rule]}})[0].tuned

    assert [tuned(one) for one in (None, {}, {"noTlsVerify": False, "caPool": "", "access": {"audTags": []}})] == [
        False,
        False,
        False,
    ]
    assert tuned({"access": {"required": True}})


def test_settings_of_origins_for_the_whole_configuration_count_for_each_rule() -> None:
    config = {**RULES, "originRequest": {"access": {"required": True}}}
    assert {one.tuned for one in ingress_rules({"config": config})} == {True}
    assert {one.tuned for one in ingress_rules({"config": {**RULES, "originRequest": {}}})} == {False}
