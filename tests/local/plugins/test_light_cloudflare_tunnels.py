"""Tunnels of the light Cloudflare plugin, against the emulator."""

from collections.abc import Iterator
from typing import Any

import pytest

from local.cloudflare_emulator import CloudflareEmulator
from local.plugins.cloudflare_plugin import CloudflareProvider
from local.plugins.cloudflare_tunnels import CONFIG, GET_CONFIG, GET_TOKEN, GET_TUNNELS, TUNNEL
from local.plugins.properties import UNKNOWN
from tests.local.plugins.engine_calls import AbortedError, EngineCalls

CATCH_ALL = {"service": "http_status:404"}
APP = {"hostname": "app.example.com", "service": "http://app:80"}

Json = dict[str, Any]


@pytest.fixture
def emulator() -> Iterator[CloudflareEmulator]:
    with CloudflareEmulator() as running:
        yield running


def calls(emulator: CloudflareEmulator, resource_type: str) -> EngineCalls:
    settings = {"apiToken": emulator.token, "baseUrl": emulator.url}
    return EngineCalls(CloudflareProvider(), settings, resource_type)


@pytest.fixture
def tunnels(emulator: CloudflareEmulator) -> EngineCalls:
    return calls(emulator, TUNNEL)


@pytest.fixture
def configs(emulator: CloudflareEmulator) -> EngineCalls:
    return calls(emulator, CONFIG)


def wanted(emulator: CloudflareEmulator, name: str = "team.app") -> Json:
    return {"accountId": emulator.account_id, "name": name, "configSrc": "cloudflare"}


def config(emulator: CloudflareEmulator, tunnel_id: str, *rules: Json) -> Json:
    return {"accountId": emulator.account_id, "tunnelId": tunnel_id, "config": {"ingresses": list(rules)}}


def test_a_tunnel_lives_through_create_refresh_rename_and_delete(
    tunnels: EngineCalls, emulator: CloudflareEmulator
) -> None:
    inputs = wanted(emulator)
    tunnel_id, outputs = tunnels.create(inputs)
    assert emulator.tunnels() == {"team.app": tunnel_id}
    assert (outputs["status"], outputs.get("deletedAt")) == ("inactive", None)
    assert tunnels.diff(inputs, outputs, inputs) == ([], [])
    assert tunnels.read(tunnel_id, outputs, inputs)[2] == inputs
    renamed = {**inputs, "name": "team.other"}
    assert tunnels.diff(inputs, outputs, renamed) == (["name"], [])
    updated = tunnels.update(tunnel_id, outputs, renamed)
    assert emulator.tunnels() == {"team.other": tunnel_id}
    tunnels.delete(tunnel_id, updated)
    assert emulator.tunnels() == {}


@pytest.mark.parametrize("changed", [{"accountId": "f" * 32}, {"configSrc": "local"}], ids=["account", "config-src"])
def test_another_account_or_way_of_configuration_replaces(
    changed: Json, tunnels: EngineCalls, emulator: CloudflareEmulator
) -> None:
    _, outputs = tunnels.create(wanted(emulator))
    assert tunnels.diff(wanted(emulator), outputs, wanted(emulator) | changed) == (list(changed), list(changed))


def test_a_tunnel_is_imported_by_account_and_id(tunnels: EngineCalls, emulator: CloudflareEmulator) -> None:
    made = emulator.add_tunnel("team.app")
    assert tunnels.read(f"{emulator.account_id}/{made}")[::2] == (made, wanted(emulator))
    with pytest.raises(AbortedError, match="expected <account_id>/<tunnel_id>"):
        tunnels.read(made)


def test_a_deleted_tunnel_is_still_read_and_cannot_be_deleted_again(
    tunnels: EngineCalls, emulator: CloudflareEmulator
) -> None:
    tunnel_id, outputs = tunnels.create(wanted(emulator))
    emulator.delete_tunnel(tunnel_id)
    assert tunnels.read(tunnel_id, outputs, wanted(emulator))[1]["deletedAt"]
    with pytest.raises(AbortedError, match=r"404 Tunnel not found \(1003\)"):
        tunnels.delete(tunnel_id, outputs)
    assert tunnels.read("9f0c1b1e-5a0d-4c8a-9d0e-2f6f0d3f7a11", outputs, wanted(emulator))[0] == ""


def test_refusals_of_the_api_are_told_with_their_codes(tunnels: EngineCalls, emulator: CloudflareEmulator) -> None:
    tunnel_id, outputs = tunnels.create(wanted(emulator))
    with pytest.raises(AbortedError, match=r"creating tunnel team.app: 409 You already have a tunnel .* \(1013\)"):
        tunnels.create(wanted(emulator))
    emulator.connect(tunnel_id)
    with pytest.raises(AbortedError, match=r"active connections \(1022\)"):
        tunnels.delete(tunnel_id, outputs)


def test_a_preview_makes_no_call(tunnels: EngineCalls, configs: EngineCalls, emulator: CloudflareEmulator) -> None:
    assert tunnels.create(wanted(emulator), preview=True)[0] == ""
    assert configs.create(config(emulator, UNKNOWN, CATCH_ALL), preview=True)[0] == ""
    assert emulator.requests == []


def test_a_configuration_is_put_as_a_whole_and_stays_when_it_is_deleted(
    configs: EngineCalls, emulator: CloudflareEmulator
) -> None:
    tunnel_id = emulator.add_tunnel("team.app")
    first, second = config(emulator, tunnel_id, APP, CATCH_ALL), config(emulator, tunnel_id, CATCH_ALL)
    config_id, outputs = configs.create(first)
    assert config_id == tunnel_id
    assert emulator.ingress(tunnel_id) == ["app.example.com -> http://app:80", "* -> http_status:404"]
    assert configs.diff(first, outputs, first) == ([], [])
    assert configs.read(config_id, outputs, first)[2] == first
    assert configs.diff(first, outputs, second) == (["config"], [])
    updated = configs.update(config_id, outputs, second)
    assert emulator.ingress(tunnel_id) == ["* -> http_status:404"]
    configs.delete(config_id, updated)
    assert emulator.ingress(tunnel_id) == ["* -> http_status:404"]
    assert [write.method for write in emulator.writes] == ["PUT", "PUT"]


def test_settings_of_origins_are_left_to_the_official_plugin(
    configs: EngineCalls, emulator: CloudflareEmulator
) -> None:
    tunnel_id = emulator.add_tunnel("team.app")
    tuned = {**APP, "originRequest": {"noTlsVerify": True}}
    with pytest.raises(AbortedError, match="install the official plugin"):
        configs.create(config(emulator, tunnel_id, tuned, CATCH_ALL))


def test_the_lookups_give_the_tunnels_the_configuration_and_the_token(
    tunnels: EngineCalls, emulator: CloudflareEmulator
) -> None:
    account = emulator.account_id
    tunnel_id = emulator.add_tunnel("team.app", ingress=[APP, CATCH_ALL])
    gone = emulator.add_tunnel("team.gone")
    emulator.delete_tunnel(gone)
    listed = tunnels.invoke(GET_TUNNELS, {"accountId": account, "maxItems": 5000})["results"]
    assert [(one["id"], one["name"], bool(one.get("deletedAt"))) for one in listed] == [
        (tunnel_id, "team.app", False),
        (gone, "team.gone", True),
    ]
    assert len(tunnels.invoke(GET_TUNNELS, {"accountId": account, "isDeleted": False})["results"]) == 1
    assert len(tunnels.invoke(GET_TUNNELS, {"accountId": account, "maxItems": 1})["results"]) == 1
    of_tunnel = {"accountId": account, "tunnelId": tunnel_id}
    assert tunnels.invoke(GET_CONFIG, of_tunnel)["config"] == {"ingresses": [APP, CATCH_ALL]}
    assert "config" not in tunnels.invoke(GET_CONFIG, {**of_tunnel, "tunnelId": gone})
    assert tunnels.invoke(GET_TOKEN, of_tunnel)["token"] == emulator.tunnel_token(tunnel_id)
