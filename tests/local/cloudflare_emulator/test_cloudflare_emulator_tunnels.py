"""Tunnels of the emulator, through Cloudflare's own Python client."""

import base64
import json
from collections.abc import Callable
from typing import Any

import cloudflare
import pytest

from local.cloudflare_emulator import CloudflareEmulator
from tests.local.cloudflare_emulator.test_cloudflare_emulator_api import error_of

CATCH_ALL = {"service": "http_status:404"}
APP = {"hostname": "app.example.com", "service": "http://app:80"}


@pytest.fixture
def api(client: cloudflare.Cloudflare) -> Any:
    return client.zero_trust.tunnels.cloudflared


def create(api: Any, emulator: CloudflareEmulator, name: str = "team.app", **more: Any) -> Any:
    return api.create(account_id=emulator.account_id, name=name, config_src="cloudflare", **more)


def put(api: Any, emulator: CloudflareEmulator, tunnel_id: str, *ingress: dict[str, Any]) -> Any:
    return api.configurations.update(tunnel_id, account_id=emulator.account_id, config={"ingress": list(ingress)})


def test_a_tunnel_lives_through_create_rename_and_delete_and_stays_in_the_list_as_deleted(
    api: Any, emulator: CloudflareEmulator
) -> None:
    account = emulator.account_id
    made = create(api, emulator)
    assert (made.name, made.config_src, made.status, made.deleted_at) == ("team.app", "cloudflare", "inactive", None)
    assert api.edit(made.id, account_id=account, name="other").name == "other"
    assert api.delete(made.id, account_id=account).deleted_at is not None
    assert api.get(made.id, account_id=account).deleted_at is not None
    listed = {
        deleted: [one.id for one in api.list(account_id=account, is_deleted=deleted)] for deleted in (True, False)
    }
    assert listed == {True: [made.id], False: []}
    assert [one.id for one in api.list(account_id=account)] == [made.id]


def test_a_name_is_taken_by_a_live_tunnel_only(api: Any, emulator: CloudflareEmulator) -> None:
    made = create(api, emulator)
    with pytest.raises(cloudflare.ConflictError) as raised:
        create(api, emulator)
    assert error_of(raised) == (409, 1013)
    emulator.delete_tunnel(made.id)
    assert create(api, emulator).id != made.id
    with pytest.raises(cloudflare.ConflictError):
        api.edit(create(api, emulator, "b").id, account_id=emulator.account_id, name="team.app")


def test_a_tunnel_with_connections_is_not_deleted(api: Any, emulator: CloudflareEmulator) -> None:
    made = create(api, emulator)
    emulator.connect(made.id)
    assert api.get(made.id, account_id=emulator.account_id).status == "healthy"
    with pytest.raises(cloudflare.BadRequestError, match="active connections") as raised:
        api.delete(made.id, account_id=emulator.account_id)
    assert error_of(raised) == (400, 1022)
    emulator.disconnect(made.id)
    api.delete(made.id, account_id=emulator.account_id)
    assert emulator.tunnels() == {}


@pytest.mark.parametrize("deleted", [True, False], ids=["deleted", "never-there"])
def test_nothing_can_be_done_to_a_tunnel_that_is_not_there(
    deleted: bool, api: Any, emulator: CloudflareEmulator
) -> None:
    account, tunnel_id = emulator.account_id, "9f0c1b1e-5a0d-4c8a-9d0e-2f6f0d3f7a11"
    if deleted:
        tunnel_id = create(api, emulator).id
        emulator.delete_tunnel(tunnel_id)
    calls: list[Callable[[], object]] = [
        lambda: api.delete(tunnel_id, account_id=account),
        lambda: api.edit(tunnel_id, account_id=account, name="x"),
        lambda: api.token.get(tunnel_id, account_id=account),
        lambda: put(api, emulator, tunnel_id, CATCH_ALL),
    ]
    for call in calls:
        with pytest.raises(cloudflare.NotFoundError) as raised:
            call()
        assert error_of(raised) == (404, 1003)


def test_the_token_holds_account_tunnel_and_secret(api: Any, emulator: CloudflareEmulator) -> None:
    secret = base64.b64encode(b"s" * 32).decode()
    made = create(api, emulator, tunnel_secret=secret)
    token = api.token.get(made.id, account_id=emulator.account_id)
    assert json.loads(base64.b64decode(token)) == {"a": emulator.account_id, "t": made.id, "s": secret}
    with pytest.raises(cloudflare.BadRequestError, match="32 bytes"):
        create(api, emulator, "short", tunnel_secret="eA==")


def test_a_configuration_is_replaced_as_a_whole(api: Any, emulator: CloudflareEmulator) -> None:
    made = create(api, emulator)
    assert api.configurations.get(made.id, account_id=emulator.account_id).config is None
    assert put(api, emulator, made.id, APP, CATCH_ALL).version == 1
    assert put(api, emulator, made.id, CATCH_ALL).version == 2
    (rule,) = api.configurations.get(made.id, account_id=emulator.account_id).config.ingress
    assert rule.service == "http_status:404"
    assert emulator.ingress(made.id) == ["* -> http_status:404"]


@pytest.mark.parametrize(
    ("ingress", "reason"),
    [
        ([], "At least one"),
        ([APP], "last ingress rule must match all URLs"),
        ([{**CATCH_ALL, "path": "/x"}], "last ingress rule must match all URLs"),
        ([CATCH_ALL, APP, CATCH_ALL], "Rule #1 matches every URL"),
        ([{**APP, "hostname": "a.*.example.com"}, CATCH_ALL], "at most one wildcard"),
        ([{**APP, "hostname": "app.example.com:80"}, CATCH_ALL], "cannot contain a port"),
        ([{"hostname": "app.example.com", "service": "app"}, CATCH_ALL], "not a valid service"),
    ],
)
def test_ingress_rules_that_cloudflared_would_not_take_are_refused(
    ingress: list[dict[str, Any]], reason: str, api: Any, emulator: CloudflareEmulator
) -> None:
    made = create(api, emulator)
    with pytest.raises(cloudflare.BadRequestError, match=reason) as raised:
        put(api, emulator, made.id, *ingress)
    assert error_of(raised) == (400, 1056)
    assert emulator.ingress(made.id) == []


def test_a_tunnel_that_is_configured_locally_takes_no_configuration(api: Any, emulator: CloudflareEmulator) -> None:
    tunnel_id = emulator.add_tunnel("local", config_src="local")
    with pytest.raises(cloudflare.BadRequestError, match="configured locally"):
        put(api, emulator, tunnel_id, CATCH_ALL)


def test_the_list_comes_in_pages_and_can_be_narrowed(api: Any, emulator: CloudflareEmulator) -> None:
    ids = [emulator.add_tunnel(f"team.t{number}") for number in range(25)]
    account = emulator.account_id
    first = api.list(account_id=account)
    assert (len(first.result), first.result_info.total_count) == (20, 25)
    assert [one.id for one in api.list(account_id=account, per_page=10)] == ids
    assert [one.id for one in api.list(account_id=account, name="team.t7")] == [ids[7]]
    assert [one.id for one in api.list(account_id=account, uuid=ids[3])] == [ids[3]]
    assert len(list(api.list(account_id=account, include_prefix="team.t1", per_page=50))) == 11
    assert len(list(api.list(account_id=account, exclude_prefix="team.t1", per_page=50))) == 14


def test_another_account_is_hidden(api: Any) -> None:
    with pytest.raises(cloudflare.PermissionDeniedError) as raised:
        api.list(account_id="f" * 32)
    assert error_of(raised) == (403, 10000)
