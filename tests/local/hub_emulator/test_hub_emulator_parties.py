import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from werkzeug.test import Client, TestResponse

from local.hub_emulator import HubEmulator, HubSettings, InvariantError
from local.hub_emulator.clock import Clock
from tests.local.hub_emulator.api import Api, code


def conflict_message(api: Api, invite_id: str, hostname: str) -> str:
    reply = api("POST", f"/v1/invites/{invite_id}/hostnames", {"hostnames": [hostname]})
    assert code(reply) == (409, "hostname_conflict")
    message: str = reply.json()["error"]["message"]
    return message


def test_a_name_another_tenant_took_is_a_conflict_until_it_is_released(hub: HubEmulator, api: Api) -> None:
    foreign = hub.take("taken.x.test", "more.x.test")
    invite_id = api.create("a.x.test")["invite_id"]
    assert f"owned by tenant {foreign.tenant_id}" in conflict_message(api, invite_id, "TAKEN.x.test")
    hub.release("taken.x.test")
    assert api("POST", f"/v1/invites/{invite_id}/hostnames", {"hostnames": ["taken.x.test"]}).status == 200
    hub.release("more.x.test")
    assert [row.invite_id for row in hub.invites] == [invite_id]


def test_a_foreign_name_can_look_like_an_own_duplicate(hub: HubEmulator, api: Api) -> None:
    hub.take("taken.x.test", disguised=True)
    invite_id = api.create("a.x.test")["invite_id"]
    message = conflict_message(api, invite_id, "taken.x.test")
    assert message == conflict_message(api, invite_id, "a.x.test").replace("a.x.test", "taken.x.test")


def test_only_what_the_other_tenant_took_is_released_and_nothing_is_taken_twice(hub: HubEmulator, api: Api) -> None:
    api.create("a.x.test")
    with pytest.raises(ValueError, match=r"no other tenant holds a\.x\.test"):
        hub.release("a.x.test")
    with pytest.raises(ValueError, match=r"already held: A\.x\.test"):
        hub.take("A.x.test")


def test_somebody_else_can_drop_a_hostname_and_revoke_an_invite(hub: HubEmulator, api: Api) -> None:
    invite_id = api.create("a.x.test", "b.x.test")["invite_id"]
    hub.drop_hostname(invite_id, "A.x.test")
    assert api.get(invite_id)["hostnames"] == ["b.x.test"]
    hub.revoke(invite_id)
    assert code(api("GET", f"/v1/invites/{invite_id}")) == (404, "not_found")
    assert hub.writes == 1


def test_users_see_their_own_invites_and_operators_all(hub: HubEmulator, api: Api) -> None:
    user, admin = hub.add_user("dev@example.test"), hub.add_user("root@example.test", "operator")
    own = Api(hub, user.key).create("own.x.test")["invite_id"]
    other = api.create("other.x.test")["invite_id"]

    def listed(key: str, query: str = "") -> list[str]:
        return [row["invite_id"] for row in Api(hub, key)("GET", f"/v1/invites{query}").json()["invites"]]

    assert listed(user.key) == listed(user.key, "?scope=all") == [own]
    assert (listed(admin.key), set(listed(admin.key, "?scope=all"))) == ([], {own, other})
    assert set(listed(hub.operator_key)) == {own, other}
    assert code(Api(hub, user.key)("GET", f"/v1/invites/{other}")) == (404, "not_found")
    assert (api.get(own)["owner_email"], Api(hub, user.key).get(own)["owner_email"]) == ("dev@example.test", None)


@pytest.mark.parametrize(
    ("email", "expected"), [(" ", (400, "invalid_request")), ("nobody@example.test", (404, "not_found"))]
)
def test_an_owner_must_exist(email: str, expected: tuple[int, str], hub: HubEmulator, api: Api) -> None:
    assert code(api("POST", "/v1/invites", {"hostnames": ["a.x.test"], "owner_email": email})) == expected


def test_an_operator_can_make_an_invite_for_a_user(hub: HubEmulator, api: Api) -> None:
    user = hub.add_user("dev@example.test")
    created = api.create("a.x.test", owner_email="dev@example.test")
    assert Api(hub, user.key).get(created["invite_id"])["hostnames"] == ["a.x.test"]


def test_personal_keys_are_shown_once_expire_and_end_with_their_user(hub: HubEmulator) -> None:
    user = hub.add_user("dev@example.test")
    api = Api(hub, user.key)
    made = api("POST", "/v1/auth/api-keys", {"name": " ci ", "expires_in_days": 1}).json()
    ci = Api(hub, made["token"])
    assert (made["name"], len(made["token"]), ci("GET", "/v1/invites").status) == ("ci", 47, 200)
    assert made["token"] not in api("GET", "/v1/auth/api-keys").data.decode()
    hub.clock.advance(86_400_000)
    assert ci("GET", "/v1/invites").status == 401
    assert api("DELETE", f"/v1/auth/api-keys/{made['id']}").json() == {"ok": True}
    hub.disable_user(user.user_id)
    assert code(api("GET", "/v1/invites")) == (401, "unauthorized")


def test_the_last_use_of_a_key_is_noted_once_a_minute(hub: HubEmulator) -> None:
    hub.clock.freeze(1_000_000)
    api = Api(hub, hub.add_user("dev@example.test").key)
    seen = []
    for step in (0, 59_999, 1):
        hub.clock.advance(step)
        seen.append(api("GET", "/v1/auth/api-keys").json()["keys"][0]["last_used_at_ms"])
    assert seen == [1_000_000, 1_000_000, 1_060_000]


def test_a_name_that_stands_twice_in_one_add_is_stored_once_and_echoed_twice(hub: HubEmulator, api: Api) -> None:
    invite_id = api.create("a.x.test")["invite_id"]
    reply = api("POST", f"/v1/invites/{invite_id}/hostnames", {"hostnames": ["b.x.test", "B.x.test"]})
    assert reply.json()["hostnames"] == ["b.x.test", "B.x.test"]
    assert api.get(invite_id)["hostnames"] == ["a.x.test", "b.x.test"]


def test_the_operator_key_owns_no_personal_keys(hub: HubEmulator, api: Api) -> None:
    assert code(api("GET", "/v1/auth/api-keys")) == (403, "user_required")


def test_removing_a_tenant_removes_its_invite(hub: HubEmulator, api: Api) -> None:
    tenant = api.create("a.x.test")["tenant_id"]
    user = Api(hub, hub.add_user("dev@example.test").key)
    assert user("DELETE", f"/v1/tenants/{tenant}").json()["error"]["message"] == "not found"
    assert api("DELETE", f"/v1/tenants/{tenant}").json() == {"status": "removed", "tenant_id": tenant}
    assert not hub.invites


def test_the_log_tells_reads_from_writes_and_callers_apart(hub: HubEmulator, api: Api) -> None:
    user = hub.add_user("dev@example.test")
    invite_id = api.create("a.x.test")["invite_id"]
    Api(hub, user.key)("GET", f"/v1/invites/{invite_id}?limit=1")
    Api(hub, "")("GET", "/v1/invites")
    log = [(entry.method, entry.path, entry.status, entry.caller, entry.is_write) for entry in hub.requests]
    assert log == [
        ("POST", "/v1/invites", 200, "operator", True),
        ("GET", f"/v1/invites/{invite_id}", 404, "user:dev@example.test", False),
        ("GET", "/v1/invites", 401, "anonymous", False),
    ]
    assert (hub.writes, hub.count("GET", "/v1/invites/*"), hub.count()) == (1, 1, 3)
    hub.clear_log()
    assert (hub.writes, hub.requests) == (0, ())


def test_keys_and_tokens_in_a_path_do_not_reach_the_log(hub: HubEmulator, api: Api) -> None:
    user, token = hub.add_user("dev@example.test"), api.create("a.x.test")["token"]
    for secret in (user.key, token, hub.operator_key):
        api("GET", f"/v1/invites/{secret}")
    assert [entry.path for entry in hub.requests[1:]] == ["/v1/invites/<secret>"] * 3


def test_secrets_are_in_no_repr(hub: HubEmulator, api: Api) -> None:
    user = hub.add_user("dev@example.test")
    token = api.create("a.x.test")["token"]
    shown = repr((hub, hub.settings, hub.invites, user))
    assert not any(secret in shown for secret in (token, user.key, hub.operator_key))


def test_the_invariants_see_a_name_on_two_live_invites_and_an_empty_invite() -> None:
    with HubEmulator(HubSettings(delete_mode="soft", last_hostname="removed")) as hub:
        api = Api(hub, hub.operator_key)
        first, second = api.create("a.x.test")["invite_id"], api.create("b.x.test")["invite_id"]
        hub.revoke(first)
        api.create("a.x.test")
        hub.check_invariants()
        hub.set_status(first, "pending")
        with pytest.raises(InvariantError, match=r"a\.x\.test is on 2 live invites"):
            hub.check_invariants()
        hub.revoke(first)
        hub.drop_hostname(second, "b.x.test")
        hub.settings.last_hostname = "refused"
        with pytest.raises(InvariantError, match=f"{second} has no hostname"):
            hub.check_invariants()


@pytest.fixture
def eager_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Threads change places whenever the clock is read, so inside a create or a reservation too, and as often as
    the interpreter allows: a missing lock shows.
    """

    def read_slowly(clock: Clock) -> int:
        time.sleep(0.001)
        return read(clock)

    read, before = Clock.now_ms, sys.getswitchinterval()
    monkeypatch.setattr(Clock, "now_ms", read_slowly)
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


class Direct:
    """Calls the emulator as a WSGI application in this thread."""

    def __init__(self, hub: HubEmulator) -> None:
        self._client = Client(hub)
        self._headers = {"authorization": f"Bearer {hub.operator_key}"}

    def __call__(self, method: str, path: str, body: object = None) -> TestResponse:
        return self._client.open(path, method=method, headers=self._headers, json=body)


@pytest.mark.usefixtures("eager_threads")
def test_parallel_writers_never_share_a_name_or_a_port(hub: HubEmulator, api: Api) -> None:
    tenant = api.create("base.x.test")["tenant_id"]
    start = threading.Barrier(4, timeout=20)

    def work(_worker: int) -> list[int]:
        call = Direct(hub)
        statuses = []
        for step in range(8):
            start.wait()
            created = call("POST", "/v1/invites", {"hostnames": [f"n{step}.x.test", "shared.x.test"]})
            statuses.append(created.status_code)
            statuses.append(call("POST", f"/v1/tenants/{tenant}/ports", {"protocol": "tcp"}).status_code)
            hub.check_invariants()
            start.wait()
            if created.status_code == 200:
                call("DELETE", f"/v1/invites/{created.get_json()['invite_id']}")
        return statuses

    with ThreadPoolExecutor(4) as pool:
        statuses = [status for result in pool.map(work, range(4)) for status in result]
    assert Counter(statuses) == {200: 8, 409: 24, 201: 32}
    assert len({port.port for port in hub.ports}) == 32
    assert hub.writes == 1 + 64 + 8


@pytest.mark.usefixtures("eager_threads")
def test_an_add_of_many_names_is_all_or_nothing_under_contention(hub: HubEmulator, api: Api) -> None:
    invites = [api.create(f"base{number}.x.test")["invite_id"] for number in range(4)]
    wanted = [f"n{number}.x.test" for number in range(20)]
    start = threading.Barrier(4, timeout=20)

    def add(position: int) -> int:
        call = Direct(hub)
        start.wait()
        order = wanted[position:] + wanted[:position]
        return call("POST", f"/v1/invites/{invites[position]}/hostnames", {"hostnames": order}).status_code

    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(add, range(4)))
    assert sorted(statuses) == [200, 409, 409, 409]
    assert sorted(len(hub.invite(invite_id).hostnames) for invite_id in invites) == [1, 1, 1, 21]
