"""Reading a cluster: every answer that is not a complete list is an error of its own, and never an empty list."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from edge_dns.core.errors import ObservationFailed
from edge_dns.observe import kubernetes_access
from edge_dns.observe.gateway_api import read_objects, read_states
from edge_dns.observe.kubernetes_lists import RESTARTS
from local.loopback import Fault
from tests.local.kubernetes.fake_server import TOKEN, FakeServer, Object, namespace

HTTPROUTES = "/httproutes$"


def failure(server: FakeServer, folder: Path, **how: float) -> str:
    """The message of a reading that must fail; it holds no credential."""
    with pytest.raises(ObservationFailed) as caught:
        read_states([server.cluster(folder)], folder, **how)  # type: ignore[arg-type]  # seconds is a float
    assert TOKEN not in str(caught.value)
    assert "cluster prod: " in str(caught.value) or "cluster prod could" in str(caught.value)
    return str(caught.value)


def test_an_empty_cluster_is_a_state_without_objects(server: FakeServer, tmp_path: Path) -> None:
    state = read_states([server.cluster(tmp_path)], tmp_path)["prod"]
    assert (state.gateways, state.routes, state.namespaces) == ((), (), {})


def test_lists_are_read_page_by_page(server: FakeServer, tmp_path: Path) -> None:
    server.objects["namespaces"] = [namespace(f"n{number}") for number in range(5)]
    state = read_states([server.cluster(tmp_path)], tmp_path, page_items=2)["prod"]
    assert list(state.namespaces) == ["n0", "n1", "n2", "n3", "n4"]
    assert server.asked("namespaces") == ["limit=2", "limit=2&continue=2", "limit=2&continue=4"]


def test_half_of_a_surrogate_pair_is_read_as_go_reads_it(server: FakeServer, tmp_path: Path) -> None:
    server.objects["namespaces"] = [namespace("\ud800")]
    assert list(read_states([server.cluster(tmp_path)], tmp_path)["prod"].namespaces) == ["\ufffd"]


def test_an_expired_list_is_read_anew_from_its_start(server: FakeServer, tmp_path: Path) -> None:
    server.objects["namespaces"] = [namespace(f"n{number}") for number in range(3)]
    server.http.inject(Fault(path="/namespaces$", delay_seconds=0))  # the first page is as it is
    server.http.inject(Fault(path="/namespaces$", status=410))
    told: list[str] = []
    state = read_states([server.cluster(tmp_path)], tmp_path, page_items=2, tell=told.append)["prod"]
    assert list(state.namespaces) == ["n0", "n1", "n2"]
    assert server.asked("namespaces") == ["limit=2", "limit=2&continue=2", "limit=2", "limit=2&continue=2"]
    assert "cluster prod: the list of namespaces has expired, reading it anew" in told


def test_a_list_that_always_expires_is_given_up(server: FakeServer, tmp_path: Path) -> None:
    server.http.inject(Fault(path=HTTPROUTES, status=410, times=100))
    assert "let the list of httproutes expire 4 times" in failure(server, tmp_path)
    assert len(server.asked("httproutes")) == RESTARTS + 1


def service(name: str, **metadata: object) -> Object:
    return {"metadata": {"namespace": "team", "name": name, **metadata}, "spec": {"type": "LoadBalancer"}}


def test_services_are_read_page_by_page_where_they_are_needed(server: FakeServer, tmp_path: Path) -> None:
    hostname = {"external-dns.kubernetes.io/hostname": "a.example.com"}
    server.objects["services"] = [service("a", annotations=hostname), service("b", labels={"x": "y"}), service("c")]
    state = read_states([server.cluster(tmp_path)], tmp_path, services=["prod"], page_items=2)["prod"]
    assert [(str(one), one.type) for one in state.services] == [
        (f"Service team/{name}", "LoadBalancer") for name in "abc"
    ]
    assert (state.services[0].annotations, state.services[1].labels) == (hostname, {"x": "y"})
    assert server.asked("services") == ["limit=2", "limit=2&continue=2"]


def test_services_are_not_asked_for_where_nothing_needs_them(server: FakeServer, tmp_path: Path) -> None:
    server.objects["services"] = [service("a")]
    clusters = [server.cluster(tmp_path), server.cluster(tmp_path, name="other")]
    states = read_states(clusters, tmp_path, services=["other"])
    assert [len(states[name].services) for name in ("prod", "other")] == [0, 1]
    assert len(server.asked("services")) == 1


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        pytest.param(
            Fault(path="/services$", status=403),
            'forbids to list services (API group core); add to the ClusterRole of .*: {apiGroups: [""], '
            'resources: ["services"], verbs: ["list"]}',
            id="forbidden",
        ),
        pytest.param(Fault(path="/services$", status=500), "answers 500 to the list of services", id="500"),
        pytest.param(Fault(path="/services$", status=410, times=100), "let the list of services expire", id="expired"),
        pytest.param(Fault(path="/services$", drop=True), "broke off its answer", id="dropped"),
    ],
)
def test_services_that_are_needed_and_cannot_be_read_fail_the_reading(
    server: FakeServer, tmp_path: Path, fault: Fault, message: str
) -> None:
    server.http.inject(fault)
    with pytest.raises(ObservationFailed) as caught:
        read_states([server.cluster(tmp_path)], tmp_path, services=["prod"])
    assert re.search(".*".join(map(re.escape, message.split(".*"))), str(caught.value))


def without(*path: str) -> Callable[[Object], Object]:
    def edit(body: Object) -> Object:
        *parents, last = path
        part = body
        for key in parents:
            part = part[key]
        del part[last]
        return body

    return edit


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        pytest.param(without("metadata"), "it has no resourceVersion", id="no metadata"),
        pytest.param(without("metadata", "resourceVersion"), "it has no resourceVersion", id="no resourceVersion"),
        pytest.param(without("items"), "its items are no list", id="no items"),
        pytest.param(lambda body: body | {"items": None}, "its items are no list", id="null items"),
        pytest.param(lambda body: body | {"items": ["x"]}, "its items are no list", id="items of another form"),
        pytest.param(
            lambda body: body | {"metadata": {"resourceVersion": "7", "remainingItemCount": 3}},
            "it says that more follows, but not where",
            id="more remains",
        ),
        pytest.param(
            lambda body: body | {"metadata": {"resourceVersion": "7", "continue": "1"}},
            "a page leads back to itself",
            id="a loop",
        ),
        pytest.param(lambda body: body | {"kind": "GatewayList"}, "it is no HTTPRouteList of", id="another kind"),
        pytest.param(lambda body: body | {"apiVersion": "v1"}, "it is no HTTPRouteList of", id="another version"),
        pytest.param(lambda _: {}, "it is no HTTPRouteList of", id="an empty object"),
    ],
)
def test_a_list_that_is_not_complete_is_an_error(
    server: FakeServer, tmp_path: Path, edit: Callable[[Object], Object], message: str
) -> None:
    server.edit = lambda request, body: edit(body) if request.path.endswith("httproutes") else body
    assert f"gives a list of httproutes that is not complete: {message}" in failure(server, tmp_path)


@pytest.mark.parametrize("body", [b"<html>sign in</html>", b"", b'{"kind": "HTTPRouteList"', b"\xff"])
def test_an_answer_that_is_not_json_is_an_error(server: FakeServer, tmp_path: Path, body: bytes) -> None:
    server.edit = lambda request, page: body if request.path.endswith("httproutes") else page
    assert "answers the list of httproutes with text/html that is not JSON" in failure(server, tmp_path)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        pytest.param(Fault(status=500, body='{"reason":"InternalError"}'), "answers 500 InternalError to", id="500"),
        pytest.param(Fault(status=400, body='{"message":"x"}'), "answers 400 to the list of httproutes", id="400"),
        pytest.param(Fault(status=502, body="<html>"), "answers 502 to the list of httproutes", id="502"),
        pytest.param(Fault(status=302, headers=(("Location", "/login"),)), "answers 302 to the list", id="redirect"),
        pytest.param(Fault(status=401), "says Unauthorized; renew the credentials", id="401"),
        pytest.param(Fault(status=403), "forbids to list httproutes (API group gateway.networking", id="403"),
        pytest.param(Fault(drop=True), "broke off its answer", id="dropped"),
    ],
)
def test_each_failing_answer_has_its_own_error(server: FakeServer, tmp_path: Path, fault: Fault, message: str) -> None:
    server.http.inject(Fault(**{name: getattr(fault, name) for name in fault.__slots__} | {"path": HTTPROUTES}))
    assert message in failure(server, tmp_path)


@pytest.mark.parametrize(
    ("status", "headers", "times"),
    [(429, (("Retry-After", "0"),), 3), (429, (), 1), (503, (), 1)],
    ids=["429 with Retry-After", "429", "503"],
)
def test_a_server_that_asks_for_patience_gets_it(
    server: FakeServer, tmp_path: Path, status: int, headers: tuple[tuple[str, str], ...], times: int
) -> None:
    server.http.inject(Fault(path=HTTPROUTES, status=status, headers=headers, times=times))
    read_states([server.cluster(tmp_path)], tmp_path)
    assert len(server.asked("httproutes")) == times + 1


def test_a_slow_server_is_not_waited_for_longer_than_allowed(server: FakeServer, tmp_path: Path) -> None:
    server.http.inject(Fault(path=HTTPROUTES, delay_seconds=5))
    # Which of the two comes first does not matter.
    assert re.search("did not answer in time|could not be read within 1 s", failure(server, tmp_path, seconds=1.0))


def test_a_server_that_is_not_there_is_said_once(server: FakeServer, tmp_path: Path) -> None:
    cluster = server.cluster(tmp_path)
    server.http.stop()
    with pytest.raises(ObservationFailed) as caught:
        read_states([cluster], tmp_path)
    assert str(caught.value).count("cannot be reached (Connection refused)") == 1


def test_optional_kinds_may_be_missing_or_forbidden(server: FakeServer, tmp_path: Path) -> None:
    server.http.inject(Fault(path="/tlsroutes$", status=403))
    server.http.inject(Fault(path="/listenersets$", status=404))
    told: list[str] = []
    assert read_objects([server.cluster(tmp_path)], tmp_path, tell=told.append) == {"prod": []}
    assert "cluster prod: tlsroutes are not read, listing them is forbidden" in told
    assert "cluster prod: listenersets are not installed" in told


@pytest.mark.parametrize("status", [401, 500])
def test_optional_kinds_fail_the_reading_when_they_cannot_be_read(
    server: FakeServer, tmp_path: Path, status: int
) -> None:
    server.http.inject(Fault(path="/grpcroutes$", status=status, body="{}"))
    assert "cluster prod: the API server" in failure(server, tmp_path)


def test_what_is_wrong_in_any_cluster_is_told_in_one_run(server: FakeServer, tmp_path: Path) -> None:
    clusters = [
        server.cluster(tmp_path, name="one", token="also-wr0ng"),
        server.cluster(tmp_path, name="two", token="wrong-t0k3n"),
        server.cluster(tmp_path, name="three"),
    ]
    with pytest.raises(ObservationFailed) as caught:
        read_states(clusters, tmp_path)
    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == ["cluster one", "cluster two"]
    assert "wr0ng" not in str(caught.value)
    assert "wrong-t0k3n" not in str(caught.value)


def test_a_malformed_object_is_named_with_its_cluster(server: FakeServer, tmp_path: Path) -> None:
    server.objects["httproutes"] = [{"metadata": {"namespace": "edge", "name": "shop"}, "spec": {"hostnames": "x"}}]
    assert "cluster prod: HTTPRoute edge/shop: metadata.generation is missing" in failure(server, tmp_path)


def test_a_token_that_no_header_may_hold_is_not_shown(server: FakeServer, tmp_path: Path) -> None:
    cluster = server.cluster(tmp_path, token="t0k3n\nX-Other: 1")
    with pytest.raises(ObservationFailed, match="the kubeconfig has a server, certificate, key, token or") as caught:
        read_states([cluster], tmp_path)
    assert "t0k3n" not in str(caught.value)


def test_without_any_access_the_error_says_what_to_set(tmp_path: Path, server: FakeServer) -> None:
    cluster = server.cluster(tmp_path).model_copy(update={"kubeconfig": None})
    with pytest.raises(ObservationFailed, match="neither 'kubeconfig' nor 'files'"):
        read_states([cluster], tmp_path)


def test_in_a_pod_the_service_account_is_used(
    tmp_path: Path, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, _, port = server.http.origin.removeprefix("http://").partition(":")
    (tmp_path / "token").write_text(f"{TOKEN}\n", encoding="utf-8")
    (tmp_path / "ca.crt").write_text("x", encoding="utf-8")
    monkeypatch.setattr(kubernetes_access, "SERVICE_ACCOUNT", tmp_path)
    monkeypatch.setitem(os.environ, "KUBERNETES_SERVICE_HOST", host)
    monkeypatch.setitem(os.environ, "KUBERNETES_SERVICE_PORT", port)
    cluster = server.cluster(tmp_path).model_copy(update={"kubeconfig": None})
    found = kubernetes_access.connect(cluster, tmp_path)
    assert found.url == f"https://{host}:{port}"
    assert found.origin == "the pod's service account"
