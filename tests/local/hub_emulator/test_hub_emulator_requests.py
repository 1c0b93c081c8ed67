import string

import pytest
import urllib3
from hypothesis import given
from hypothesis import strategies as st

from local.hub_emulator import HubEmulator, hostnames
from tests.local.hub_emulator.api import Api, code

ID = "A" * 22
TENANT = "ab" * 32


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/invites"),
        ("PUT", "/v1/invites"),
        ("GET", "/v1/invites/not-base64"),
        ("POST", "/v1/invites"),
        ("GET", "/nope"),
        ("GET", "/v1/edges"),
        ("GET", "/v1/ports"),
        ("GET", "/v1/auth/me"),
        ("GET", "/v1/invites/"),
    ],
)
@pytest.mark.parametrize("key", ["", "nope", "twk_" + "A" * 43], ids=["none", "wrong", "unknown user key"])
def test_who_shows_no_known_key_learns_nothing_but_that(key: str, method: str, path: str, hub: HubEmulator) -> None:
    reply = Api(hub, key)(method, path)
    assert reply.json() == {"error": {"code": "unauthorized", "message": "authentication required"}}
    assert (reply.status, reply.headers.get("www-authenticate")) == (401, None)


@pytest.mark.parametrize("header", ["bearer {}", "Basic {}", "Bearer  {}", "{}"])
def test_the_bearer_scheme_is_taken_literally(header: str, hub: HubEmulator) -> None:
    headers = {"authorization": header.format(hub.operator_key)}
    assert urllib3.request("GET", f"{hub.url}/v1/invites", headers=headers).status == 401


@pytest.mark.parametrize("path", ["/nope", "/v1/invites/", "/v1//invites", "/", f"/v1/invites/{ID}/nope"])
def test_an_unknown_route_is_empty_for_the_operator_and_json_for_a_user(path: str, hub: HubEmulator, api: Api) -> None:
    operator, user = api("GET", path), Api(hub, hub.add_user("dev@example.test").key)("GET", path)
    assert (operator.status, operator.data, operator.headers.get("content-type")) == (404, b"", None)
    assert (user.status, user.json()["error"]["message"]) == (404, "not found")


@pytest.mark.parametrize("path", ["/v1/edges", "/v1/ports", f"/v1/tenants/{TENANT}"])
def test_an_operator_route_is_hidden_from_users(path: str, hub: HubEmulator) -> None:
    reply = Api(hub, hub.add_user("dev@example.test").key)("GET", path)
    assert (reply.status, reply.json()["error"]["message"]) == (404, "not found")


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PUT", "/v1/invites", "POST,GET,HEAD"),
        ("PATCH", f"/v1/invites/{ID}", "GET,HEAD,DELETE"),
        ("GET", f"/v1/invites/{ID}/hostnames", "POST"),
        ("POST", "/v1/invites/not-base64", "GET,HEAD,DELETE"),
    ],
)
def test_a_wrong_method_is_told_before_a_bad_id(method: str, path: str, allow: str, hub: HubEmulator, api: Api) -> None:
    reply = api(method, path)
    assert (reply.status, reply.data, reply.headers["allow"]) == (405, b"", allow)


def test_public_endpoints_need_no_key(hub: HubEmulator) -> None:
    anybody = Api(hub, "")
    assert anybody("GET", "/v1/health").json()["status"] == "ok"
    assert anybody("GET", "/v1/readyz").json() == {"status": "ok"}
    proof = {"invite_id": ID, "invite_secret": "A" * 43}
    assert "invite_secret is invalid" in anybody("POST", "/v1/bootstrap", proof).json()["error"]["message"]


def send(hub: HubEmulator, path: str, body: bytes, content_type: str | None) -> urllib3.BaseHTTPResponse:
    headers = {"authorization": f"Bearer {hub.operator_key}"} | ({"content-type": content_type} if content_type else {})
    return urllib3.request("POST", hub.url + path, headers=headers, body=body, retries=False)


@pytest.mark.parametrize(
    ("path", "body", "content_type", "status"),
    [
        ("/v1/invites/not-base64/hostnames", b"{", None, 400),
        ("/v1/invites", b"{", None, 415),
        ("/v1/invites", b"{", "application/json", 400),
        ("/v1/invites", b"\xff", "application/json", 400),
        ("/v1/invites", b'{"hostnames": NaN}', "application/json", 400),
        ("/v1/invites", b"3", "application/json", 422),
        ("/v1/invites", b'{"hostnames": [1]}', "application/json", 422),
        ("/v1/invites", b'{"hostnames": null}', "application/json", 422),
        ("/v1/invites", b'{"hostnames": [], "expires_in_secs": 1.5}', "application/json", 422),
        ("/v1/invites", b'{"hostnames": [], "expires_in_secs": true}', "application/json", 422),
        ("/v1/invites", b'{"hostnames": [], "failover_regions": null}', "application/json", 422),
        ("/v1/invites", b'{"hostnames": [], "region": null}', "application/json; charset=utf-8", 400),
        ("/v1/invites", b" " * 65_537, None, 413),
    ],
)
def test_body_checks_come_in_the_hubs_order(
    path: str, body: bytes, content_type: str | None, status: int, hub: HubEmulator
) -> None:
    assert send(hub, path, body, content_type).status == status
    assert not hub.invites


def test_a_body_of_the_largest_size_is_read_and_one_of_unknown_size_is_measured(hub: HubEmulator) -> None:
    largest = b'{"hostnames": ["a.x.test"]}'.ljust(65_536)
    assert send(hub, "/v1/invites", largest, "application/json").status == 200
    headers = {"authorization": f"Bearer {hub.operator_key}", "content-type": "application/json"}
    for key, status in ((headers, 413), ({**headers, "authorization": "Bearer nope"}, 401)):
        chunks = iter([largest, b" "])
        reply = urllib3.request("POST", f"{hub.url}/v1/invites", headers=key, body=chunks, retries=False)
        assert reply.status == status


def test_the_order_of_the_create_checks(hub: HubEmulator, api: Api) -> None:
    hub.take("taken.x.test")
    body: dict[str, object] = {
        "hostnames": ["taken.x.test", "bad"],
        "expires_in_secs": 9**9,
        "owner_email": "no@x.test",
    }
    seen = []
    for fix in ({}, {"hostnames": ["taken.x.test"]}, {"expires_in_secs": 0}, {"owner_email": None}):
        body.update(fix)
        seen.append(api("POST", "/v1/invites", body).json()["error"]["message"].split(" ")[0])
    assert seen == ["invalid", "expires_in_secs", "no", "hostname"]


def test_the_order_of_the_hostname_delete_checks(hub: HubEmulator, api: Api) -> None:
    alive, ended = hub.create("a.x.test").invite_id, hub.create("b.x.test").invite_id
    hub.settings.delete_mode = "soft"
    hub.revoke(ended)
    paths = (f"{ended}/hostnames/bad", f"{ended}/hostnames/b.x.test", f"{alive}/hostnames/c.x.test")
    assert [code(api("DELETE", f"/v1/invites/{path}")) for path in paths] == [
        (400, "invalid_request"),
        (404, "not_found"),
        (400, "invalid_request"),
    ]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("abc/ports/tcp/1", 400),
        (f"{TENANT}/ports/tcp/70000", 400),
        (f"{TENANT}/ports/tcp/x", 400),
        (f"{TENANT}/ports/sctp/2222", 400),
        (f"{TENANT}/ports/tcp/2222", 404),
    ],
)
def test_the_order_of_the_port_release_checks(path: str, status: int, hub: HubEmulator, api: Api) -> None:
    assert api("DELETE", f"/v1/tenants/{path}").status == status


def test_head_answers_like_get_without_a_body(hub: HubEmulator, api: Api) -> None:
    reply = api("HEAD", "/v1/invites")
    assert (reply.status, reply.data, reply.headers["x-total-count"]) == (200, b"", "0")


def accepted(hostname: str) -> bool:
    """The rules of the validator, one by one."""
    labels = hostname.split(".")
    plain = labels[1:] if labels[0] == "*" else labels
    letters = set(string.ascii_letters + string.digits + "-")
    return (
        len(hostname.encode()) <= 253
        and len(labels) >= 2
        and all(0 < len(label.encode()) <= 63 for label in labels)
        and all(set(label) <= letters for label in plain)
        and not any(label.startswith("-") or label.endswith("-") for label in plain)
    )


LABELS = st.one_of(
    st.text("aZ9-", min_size=1, max_size=4),
    st.sampled_from(["*", "", "a" * 63, "a" * 64, "_x", "*a", "é", "a:1", "a\n", "٣"]),
)


@given(st.lists(LABELS, max_size=6).map(".".join) | st.text(max_size=12))
def test_the_validator_agrees_with_its_rules(hostname: str) -> None:
    assert (hostnames.problem(hostname) is None) == accepted(hostname)


@pytest.mark.parametrize(("size", "fine"), [(253, True), (254, False)])
def test_a_hostname_has_at_most_253_characters(size: int, fine: bool) -> None:
    name = ".".join(["a" * 49] * 5)[: size - 4].ljust(size - 4, "b") + ".com"
    assert len(name) == size
    assert (hostnames.problem(name) is None) == fine == accepted(name)
