"""Reading a real API server: pages, credentials, TLS, proxies, and what it says when the Gateway API is not there."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from urllib3 import PoolManager
from werkzeug.wrappers import Request, Response

from edge_dns.core.errors import ObservationFailed
from edge_dns.observe.gateway_api import read_states
from local.kube import KubeServer
from local.loopback import LoopbackServer
from tests.cluster.conftest import cluster
from tests.cluster.connect_proxy import ConnectProxy
from tests.cluster.objects import GROUP, Scene
from tools import toolchain


def failure(kubeconfig: Path) -> str:
    with pytest.raises(ObservationFailed) as caught:
        read_states([cluster(kubeconfig)], Path("/"))
    return str(caught.value)


def test_every_page_size_gives_the_same_state(scene: Scene) -> None:
    scene.gateway("front", "203.0.113.7")
    for number in range(7):
        scene.accepted_route(f"shop-{number}", [f"shop-{number}.example.com"], to="front")
    prod = cluster(scene.kube.kubeconfig())
    states = [read_states([prod], Path("/"), page_items=items) for items in (500, 7, 3, 1)]
    assert [route.name for route in states[0]["prod"].routes] == [f"shop-{number}" for number in range(7)]
    assert states[1:] == states[:1] * 3


def in_front_of(kube: KubeServer, before: Callable[[Request], None]) -> LoopbackServer:
    """A server that passes every GET on to the API server, after `before`."""

    @Request.application
    def forward(request: Request) -> Response:
        before(request)
        with PoolManager(ca_certs=str(kube.certificate_authority)) as pool:
            headers = {"Authorization": request.headers["Authorization"]}
            answer = pool.request("GET", f"{kube.url}{request.full_path}", headers=headers)
        return Response(answer.data, answer.status, content_type=answer.headers["content-type"])

    return LoopbackServer(forward)


def test_a_list_that_expires_between_its_pages_is_read_anew_and_complete() -> None:
    told: list[str] = []

    with KubeServer(watch_cache=False) as kube:
        kube.install_gateway_api()
        scene = Scene(kube)
        for name in ("a", "b", "c"):
            scene.route(name, [f"{name}.example.com"], to="front")
        late: list[str] = []

        def change_between_pages(request: Request) -> None:
            if request.path.endswith("httproutes") and "continue" in request.args and not late:
                late.append("late")
                scene.route("late", ["late.example.com"], to="front")
                kube.compact()

        with in_front_of(kube, change_between_pages) as front:
            prod = cluster(kube.kubeconfig(server=front.origin))
            state = read_states([prod], Path("/"), page_items=2, tell=told.append)["prod"]
    assert [route.name for route in state.routes] == ["a", "b", "c", "late"]
    assert told.count("cluster prod: the list of httproutes has expired, reading it anew") == 1


def test_kinds_that_get_no_records_are_seen(scene: Scene) -> None:
    scene.kube.apply(
        {
            "apiVersion": f"{GROUP}/v1",
            "kind": "GRPCRoute",
            "metadata": {"namespace": "edge", "name": "grpc"},
            "spec": {"hostnames": ["grpc.example.com"], "parentRefs": [{"name": "front"}]},
        },
        {
            "apiVersion": f"{GROUP}/v1",
            "kind": "TLSRoute",
            "metadata": {"namespace": "edge", "name": "tls"},
            "spec": {
                "hostnames": ["tls.example.com"],
                "parentRefs": [{"name": "front"}],
                "rules": [{"backendRefs": [{"name": "app", "port": 443}]}],
            },
        },
        {
            "apiVersion": f"{GROUP}/v1",
            "kind": "ListenerSet",
            "metadata": {"namespace": "edge", "name": "more"},
            "spec": {
                "parentRef": {"name": "front"},
                "listeners": [{"name": "web", "hostname": "set.example.com", "port": 80, "protocol": "HTTP"}],
            },
        },
    )
    state = read_states([cluster(scene.kube.kubeconfig())], Path("/"))["prod"]
    assert sorted(name for found in state.not_supported for name in found.hostnames) == [
        "grpc.example.com",
        "set.example.com",
        "tls.example.com",
    ]


def test_clusters_are_read_side_by_side(kube: KubeServer) -> None:
    clusters = [cluster(kube.kubeconfig()).model_copy(update={"name": name}) for name in ("one", "two")]
    states = read_states(clusters, Path("/"))
    assert states["one"] == states["two"]


def test_a_client_certificate_is_a_credential(kube: KubeServer) -> None:
    message = failure(kube.kubeconfig(credentials=kube.client_certificate("nobody-in-particular")))
    assert "forbids to list httproutes" in message
    assert "Unauthorized" not in message


def test_a_wrong_token_is_unauthorized(kube: KubeServer) -> None:
    kubeconfig = kube.kubeconfig(credentials={"token": "wr0ng"})
    assert failure(kubeconfig) == (
        f"cluster prod: the API server {kube.url} says Unauthorized; renew the credentials of kubeconfig {kubeconfig}"
    )


def test_a_server_of_another_authority_is_not_trusted(kube: KubeServer, tmp_path: Path) -> None:
    other = tmp_path / "other.crt"
    other.write_text(kube.client_authority.read_text(encoding="utf-8"), encoding="utf-8")
    message = failure(kube.kubeconfig(certificate_authority=str(other)))
    assert "cannot be trusted (" in message
    assert "certificate" in message


def test_a_server_of_another_name_is_not_trusted(kube: KubeServer) -> None:
    assert "cannot be trusted (" in failure(kube.kubeconfig(tls_server_name="other.example.com"))


def test_the_clusters_own_name_can_be_given_where_its_address_is_not_in_its_certificate(kube: KubeServer) -> None:
    kubeconfig = kube.kubeconfig(tls_server_name="kubernetes.default.svc")
    assert read_states([cluster(kubeconfig)], Path("/"))["prod"].routes == ()


def test_a_proxy_is_gone_through(kube: KubeServer) -> None:
    with ConnectProxy() as proxy:
        assert read_states([cluster(kube.kubeconfig(proxy_url=proxy.url))], Path("/"))["prod"].routes == ()
        assert set(proxy.targets) == {kube.url.removeprefix("https://")}


def test_a_proxy_that_is_not_there_is_named_without_its_password(kube: KubeServer) -> None:
    with ConnectProxy() as proxy:
        url = proxy.url
    message = failure(kube.kubeconfig(proxy_url=url.replace("//", "//user:s3cr3t@")))
    assert "cannot be reached through the proxy" in message
    assert "s3cr3t" not in message


@pytest.fixture(scope="module")
def bare() -> Iterator[KubeServer]:
    """An API server without CRDs."""
    with KubeServer() as server:
        yield server


def crds(**served: bool) -> list[dict[str, Any]]:
    """The CRDs of the Gateway API, with these versions served or not."""
    found = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in toolchain.gateway_crds()]
    for crd in found:
        for version in crd["spec"]["versions"]:
            version["served"] = served.get(version["name"], version["served"])
    return found


def test_what_is_missing_of_the_gateway_api_is_named(bare: KubeServer) -> None:
    prod = bare.kubeconfig()
    assert failure(prod) == (
        f"cluster prod: the API server {bare.url} has no Gateway API ({GROUP}): its CRDs are missing; "
        "install the CRDs of Gateway API 1.1 or newer"
    )

    bare.apply(*crds(v1=False))
    bare.wait_until_served(f"/apis/{GROUP}/v1beta1/httproutes")
    assert f"serves {GROUP} as v1beta1, not as v1; install the CRDs" in failure(prod)

    routes = [crd for crd in crds() if crd["spec"]["names"]["plural"] == "httproutes"]
    bare.delete(*routes)
    bare.apply(*(crd for crd in crds() if crd not in routes))
    for plural in ("gateways", "gatewayclasses"):
        bare.wait_until_served(f"/apis/{GROUP}/v1/{plural}")
    message = failure(prod)
    assert f"has no httproutes in {GROUP}/v1: this CRD is missing" in message
    assert "gateways" not in message
