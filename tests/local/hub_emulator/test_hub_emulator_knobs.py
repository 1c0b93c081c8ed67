import pytest
import urllib3

from local.hub_emulator import Edge, HubEmulator, HubSettings, RateLimit
from tests.local.hub_emulator.api import Api, code

PRIMARY = Edge(node_id="1" * 64, region="eu", public_ips=("203.0.113.2",))
FAILOVER = Edge(node_id="2" * 64, region="CA")
COLOCATED = Edge(node_id="3" * 64, public_ips=("203.0.113.9",), colocated=True)


def edges_of(api: Api, invite_id: str) -> list[tuple[str, str, list[str]]]:
    regions = api("GET", f"/v1/invites/{invite_id}/status").json()["regions"]
    return [(row["region"], row["role"], [edge["node_id"][0] for edge in row["edges"]]) for row in regions]


def test_hard_delete_forgets_the_row_and_soft_delete_lists_it_as_revoked(hub: HubEmulator, api: Api) -> None:
    hard, soft = api.create("a.x.test")["invite_id"], api.create("b.x.test")["invite_id"]
    api("DELETE", f"/v1/invites/{hard}")
    hub.settings.delete_mode = "soft"
    api("DELETE", f"/v1/invites/{soft}")
    assert code(api("GET", f"/v1/invites/{hard}")) == (404, "not_found")
    assert api.get(soft)["status"] == "revoked"
    assert [row["invite_id"] for row in api("GET", "/v1/invites").json()["invites"]] == [soft]


@pytest.mark.parametrize("default", [None, "EU"])
def test_a_missing_region_reads_as_the_hub_serialises_it(default: str | None, hub: HubEmulator, api: Api) -> None:
    missing, given = api.create("a.x.test")["invite_id"], api.create("b.x.test", region=" ca ")["invite_id"]
    hub.settings.region_default_serialised = "EU" if default else None
    assert api.get(missing)["region"] == default
    assert api.get(given)["region"] == "CA"


def test_failover_regions_are_folded_kept_in_order_and_may_repeat(hub: HubEmulator, api: Api) -> None:
    created = api.create("a.x.test", failover_regions=["ca", " ", "us", "CA"])
    assert api.get(created["invite_id"])["failover_regions"] == ["CA", "US", "CA"]


def test_an_old_hub_has_no_route_for_one_invite(hub: HubEmulator, api: Api) -> None:
    invite_id = api.create("a.x.test")["invite_id"]
    hub.settings.api_level = "v0.0.22"
    assert (api("GET", f"/v1/invites/{invite_id}").status, api("GET", "/v1/readyz").status) == (405, 404)


def test_without_web_routes_only_the_operator_key_works(hub: HubEmulator, api: Api) -> None:
    user = Api(hub, hub.add_user("dev@example.test").key)
    assert (user("GET", "/v1/auth/me").json()["email"], api("GET", "/v1/auth/me").json()["id"]) == (
        "dev@example.test",
        "operator-key",
    )
    hub.settings.web_enabled = False
    assert code(user("GET", "/v1/invites")) == (401, "unauthorized")
    absent = api("GET", "/v1/auth/me")
    assert (absent.status, absent.data) == (404, b"")


def test_the_rate_limit_covers_the_paths_it_names_and_refills_by_the_clock(hub: HubEmulator, api: Api) -> None:
    hub.clock.freeze(1_000_000)
    hub.settings.rate_limit = RateLimit(burst=2, period_seconds=3, paths=("/v1/invites/**", "/v1/invites"))
    assert [api("GET", "/v1/invites").status for _ in range(3)] == [200, 200, 429]
    limited = api("POST", "/v1/invites", {"hostnames": ["a.x.test"]})
    assert (limited.status, limited.data, limited.headers["retry-after"]) == (
        429,
        b"Too Many Requests! Wait for 3s",
        "3",
    )
    assert api("GET", "/v1/edges").status == 200
    hub.clock.advance(3_000)
    assert [api("GET", "/v1/invites").status for _ in range(2)] == [200, 429]
    assert not hub.invites


def test_invite_calls_are_not_limited_by_default(hub: HubEmulator, api: Api) -> None:
    assert {api("GET", "/v1/invites").status for _ in range(40)} == {200}


def test_status_lists_remote_edges_by_region_and_the_colocated_one_only_when_asked(hub: HubEmulator, api: Api) -> None:
    hub.settings.edges = (PRIMARY, FAILOVER, COLOCATED)
    invite_id = api.create("a.x.test", failover_regions=["CA", "EU", "US"])["invite_id"]
    expected = [("EU", "primary", ["1"]), ("CA", "failover", ["2"]), ("US", "failover", [])]
    assert edges_of(api, invite_id) == expected
    hub.settings.colocated_in_status = True
    assert edges_of(api, invite_id)[0] == ("EU", "primary", ["1", "3"])


@pytest.mark.parametrize(
    ("edges", "request_body", "expected"),
    [
        ((), {"protocol": "tcp"}, (201, None, 10_000)),
        ((), {"protocol": "tcp", "preferred": 2222}, "no_assignable_ip"),
        ((FAILOVER, Edge(node_id="4" * 64, region="US", public_ips=("203.0.113.4",))), {"protocol": "tcp"}, 503),
        ((PRIMARY,), {"protocol": "udp"}, (201, "203.0.113.2", 10_000)),
        ((PRIMARY, COLOCATED), {"protocol": "tcp", "ip": "203.0.113.9"}, (201, "203.0.113.9", 10_000)),
        ((PRIMARY,), {"protocol": "tcp", "ip": "203.0.113.9"}, "invalid_request"),
        ((PRIMARY,), {"protocol": "tcp", "preferred": 1023}, "invalid_request"),
    ],
    ids=["shared pool", "preferred, no edge", "no edge in region", "automatic", "by ip", "ip not served", "low port"],
)
def test_ports_are_taken_from_the_edges_of_the_invites_regions(
    edges: tuple[Edge, ...], request_body: object, expected: object, hub: HubEmulator, api: Api
) -> None:
    hub.settings.edges = edges
    reply = api("POST", f"/v1/tenants/{api.create('a.x.test')['tenant_id']}/ports", request_body)
    body = reply.json()
    got = (reply.status, body.get("ip"), body.get("port"), body.get("error", {}).get("code"))
    if isinstance(expected, tuple):
        assert got == (*expected, None)
    else:
        assert expected in got


def test_a_bound_port_is_not_released(hub: HubEmulator, api: Api) -> None:
    tenant = api.create("a.x.test")["tenant_id"]
    port = api("POST", f"/v1/tenants/{tenant}/ports", {"protocol": "tcp"}).json()["port"]
    hub.settings.bound_ports = frozenset({(port, "tcp")})
    assert code(api("DELETE", f"/v1/tenants/{tenant}/ports/tcp/{port}")) == (409, "port_in_use")
    hub.settings.bound_ports = frozenset()
    assert api("DELETE", f"/v1/tenants/{tenant}/ports/tcp/{port}").status == 200
    assert not hub.ports


@pytest.mark.parametrize(("fate", "left"), [("released", 0), ("kept", 1)])
def test_the_ports_of_a_deleted_invite(fate: str, left: int, hub: HubEmulator, api: Api) -> None:
    hub.settings.ports_of_deleted_invite = "kept" if fate == "kept" else "released"
    created = api.create("a.x.test")
    api("POST", f"/v1/tenants/{created['tenant_id']}/ports", {"protocol": "tcp"})
    api("DELETE", f"/v1/invites/{created['invite_id']}")
    assert len(hub.ports) == left


def test_a_user_port_quota_spares_the_operator(hub: HubEmulator, api: Api) -> None:
    hub.settings.user_port_quota = 1
    user = Api(hub, hub.add_user("dev@example.test").key)
    path = f"/v1/tenants/{user.create('a.x.test')['tenant_id']}/ports"
    assert user("POST", path, {"protocol": "tcp"}).status == 201
    assert code(user("POST", path, {"protocol": "tcp"})) == (403, "port_quota_exceeded")
    assert api("POST", path, {"protocol": "tcp"}).status == 201


def test_free_ports_are_counted_across_tenants(hub: HubEmulator, api: Api) -> None:
    for hostname in ("a.x.test", "b.x.test"):
        api("POST", f"/v1/tenants/{api.create(hostname)['tenant_id']}/ports", {"protocol": "tcp"})
    free = api("GET", "/v1/ports/available?protocol=tcp&count=2").json()["ports"]
    assert (free, len(api("GET", "/v1/ports").json()["ports"])) == ([10_002, 10_003], 2)


@pytest.mark.parametrize(("count", "given"), [("0", 1), ("500", 200), (None, 20)])
def test_the_count_of_free_ports_is_clamped(count: str | None, given: int, hub: HubEmulator, api: Api) -> None:
    query = f"&count={count}" if count else ""
    assert len(api("GET", f"/v1/ports/available?protocol=udp{query}").json()["ports"]) == given


def test_tcp_and_udp_are_two_namespaces(hub: HubEmulator, api: Api) -> None:
    path = f"/v1/tenants/{api.create('a.x.test')['tenant_id']}/ports"
    ports = [api("POST", path, {"protocol": protocol}).json()["port"] for protocol in ("tcp", "udp")]
    assert ports == [10_000, 10_000]
    assert api("DELETE", f"{path}/tcp/10000").status == 200
    assert [port.protocol for port in hub.ports] == ["udp"]


def test_the_list_can_be_empty_while_every_invite_still_answers(hub: HubEmulator, api: Api) -> None:
    invite_id = api.create("a.x.test")["invite_id"]
    hub.settings.list_content = "empty"
    reply = api("GET", "/v1/invites")
    assert (reply.json(), reply.headers["x-total-count"]) == ({"invites": []}, "0")
    assert api.get(invite_id)["status"] == "pending"


def test_the_list_is_newest_first_and_paged(hub: HubEmulator, api: Api) -> None:
    hub.clock.freeze(5_000)
    for hostname in ("a.x.test", "b.x.test", "c.x.test"):
        hub.clock.advance(1)
        api.create(hostname)
    page = api("GET", "/v1/invites?limit=2&offset=1")
    assert [row["hostnames"] for row in page.json()["invites"]] == [["b.x.test"], ["a.x.test"]]
    assert page.headers["x-total-count"] == "3"
    assert api("GET", "/v1/invites?limit=-1").status == 400


def test_the_clock_decides_expiry_which_is_no_status(hub: HubEmulator, api: Api) -> None:
    hub.clock.freeze(1_000_000)
    created = api.create("a.x.test", expires_in_secs=60)
    assert created["expires_at_ms"] == 1_060_000
    proof = {"invite_id": created["invite_id"], "invite_secret": created["token"].split(".")[2]}
    assert api("POST", "/v1/bootstrap", proof).status == 200
    hub.clock.advance(60_000)
    assert code(api("POST", "/v1/bootstrap", proof)) == (410, "invite_expired")
    assert api.get(created["invite_id"])["status"] == "claimed"
    assert hub.holder("a.x.test") is not None


@pytest.mark.parametrize(("choice", "status"), [("accepted", 200), ("refused", 404)])
def test_an_add_on_a_revoked_row(choice: str, status: int, hub: HubEmulator, api: Api) -> None:
    hub.settings.delete_mode = "soft"
    hub.settings.add_on_revoked = "refused" if choice == "refused" else "accepted"
    invite_id = api.create("a.x.test")["invite_id"]
    hub.revoke(invite_id)
    path = f"/v1/invites/{invite_id}/hostnames"
    assert api("POST", path, {"hostnames": ["b.x.test"]}).status == status
    assert hub.holder("b.x.test") is None


def test_names_already_on_a_revoked_row_are_not_added_again(hub: HubEmulator, api: Api) -> None:
    hub.settings.delete_mode = "soft"
    invite_id = api.create("a.x.test")["invite_id"]
    hub.revoke(invite_id)
    reply = api("POST", f"/v1/invites/{invite_id}/hostnames", {"hostnames": ["A.x.test"]})
    assert reply.json()["error"]["message"] == "all hostnames already exist on this invite"


def test_a_hub_may_let_the_last_hostname_go(hub: HubEmulator, api: Api) -> None:
    hub.settings.last_hostname = "removed"
    invite_id = api.create("a.x.test")["invite_id"]
    reply = api("DELETE", f"/v1/invites/{invite_id}/hostnames/a.x.test")
    assert reply.json() == {"status": "ok", "hostname": "a.x.test", "remaining_hostnames": []}


def test_status_values_and_fields_may_be_unknown_to_clients(hub: HubEmulator, api: Api) -> None:
    invite_id = api.create("a.x.test")["invite_id"]
    hub.set_status(invite_id, "paused")
    hub.settings.unknown_fields = True
    assert api.get(invite_id)["status"] == "paused"
    assert "x_future" in api.get(invite_id)
    assert "x_future" in api("GET", f"/v1/invites/{invite_id}/status").json()
    assert code(api("POST", "/v1/invites", {"hostnames": ["a.x.test"]})) == (409, "hostname_conflict")


def test_a_delete_may_revoke_and_then_fail_and_leaves_the_names_in_the_policy(hub: HubEmulator, api: Api) -> None:
    created = api.create("a.x.test")
    hub.fail_removals()
    path = f"/v1/invites/{created['invite_id']}"
    assert [api("DELETE", path).status, api("DELETE", path).status] == [500, 404]
    again = api("POST", "/v1/invites", {"hostnames": ["a.x.test"]})
    assert f"already owned by tenant {created['tenant_id']}" in again.json()["error"]["message"]
    hub.restart()
    api.create("a.x.test")


def test_it_serves_where_and_with_the_key_it_is_told() -> None:
    with HubEmulator(HubSettings(public_url="https://hub.x.test"), operator_key="k" * 43) as hub:
        assert Api(hub, "k" * 43)("GET", "/v1/invites").status == 200
    with HubEmulator(port=urllib3.util.parse_url(hub.url).port or 0) as again:
        assert again.url == hub.url


def test_a_stopped_hub_refuses_connections_and_comes_back_with_its_state(hub: HubEmulator, api: Api) -> None:
    invite_id = api.create("a.x.test")["invite_id"]
    hub.stop()
    with pytest.raises(urllib3.exceptions.NewConnectionError):
        api("GET", "/v1/invites")
    hub.start()
    assert api.get(invite_id)["hostnames"] == ["a.x.test"]


def test_a_url_is_known_only_once_it_serves() -> None:
    with pytest.raises(RuntimeError, match="not been started"):
        _ = HubEmulator().url
