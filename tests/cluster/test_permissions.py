"""A user with exactly the permissions of docs/clusters.md reads everything; without one of them it is told which."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from edge_dns.core.errors import ObservationFailed
from edge_dns.core.settings import Cluster
from edge_dns.observe import kubernetes_access
from edge_dns.observe.gateway_api import OPTIONAL, REQUIRED, SERVICES, read_states
from edge_dns.observe.kubernetes_lists import Resource
from local.kube import READER, KubeServer, wait_for
from tests.cluster.conftest import cluster
from tests.cluster.objects import Scene

DOCS = Path(__file__).resolve().parents[2] / "docs" / "clusters.md"
SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"namespace": "edge", "name": "shop"},
    "spec": {"ports": [{"port": 80}]},
}
INSTALLED = [versions[0] for versions in OPTIONAL]


def documented(kind: str) -> dict[str, Any]:
    """The object of this kind as the page shows it."""
    blocks = DOCS.read_text(encoding="utf-8").split("```yaml\n")[1:]
    documents = [one for block in blocks for one in yaml.safe_load_all(block.split("```")[0])]
    [found] = [one for one in documents if isinstance(one, dict) and one.get("kind") == kind]
    return found


def without(resource: Resource) -> dict[str, Any]:
    role = documented("ClusterRole")
    for rule in role["rules"]:
        rule["resources"] = [plural for plural in rule["resources"] if plural != resource.plural]
    return role | {"rules": [rule for rule in role["rules"] if rule["resources"]]}


def grant(kube: KubeServer, role: dict[str, Any], missing: Sequence[Resource] = ()) -> Path:
    """Give the role to the reader and wait until the server acts by it; returns the reader's kubeconfig."""
    reader = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": READER}
    kube.apply(role, documented("ClusterRoleBinding") | {"subjects": [reader]})
    for resource in (*REQUIRED, SERVICES, *INSTALLED):
        expected = resource not in missing
        wait_for(
            lambda path=resource.path, allowed=expected: kube.allows(READER, path) == allowed,  # type: ignore[misc]
            f"the role has no effect on {resource.plural}",
        )
    return kube.kubeconfig(READER)


def test_the_documented_permissions_suffice(scene: Scene) -> None:
    scene.gateway("front", "203.0.113.7")
    scene.accepted_route("shop", ["shop.example.com"], to="front")
    scene.kube.apply(SERVICE)
    state = read_states([cluster(grant(scene.kube, documented("ClusterRole")))], Path("/"), services=["prod"])["prod"]
    assert state == read_states([cluster(scene.kube.kubeconfig())], Path("/"), services=["prod"])["prod"]
    assert ("Service edge/shop", "ClusterIP") in [(str(one), one.type) for one in state.services]
    assert (len(state.gateways), len(state.routes), state.classes) == (1, 1, {"edge": "example.net/edge"})


def test_a_pod_reads_with_the_documented_service_account(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.namespace("edge-dns")
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"namespace": "edge-dns", "name": "edge-dns"}}
    scene.kube.apply(account, documented("ClusterRole"), documented("ClusterRoleBinding"))
    (tmp_path / "token").write_text(scene.kube.service_account_token("edge-dns", "edge-dns"), encoding="utf-8")
    (tmp_path / "ca.crt").write_bytes(scene.kube.certificate_authority.read_bytes())
    host, _, port = scene.kube.url.removeprefix("https://").partition(":")
    monkeypatch.setattr(kubernetes_access, "SERVICE_ACCOUNT", tmp_path)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", port)
    wait_for(can_read_in_pod, "the service account has no permission yet")


def can_read_in_pod() -> bool:
    try:
        return "edge-dns" in read_states([Cluster(name="here")], Path("/"))["here"].namespaces
    except ObservationFailed:
        return False


@pytest.mark.parametrize("resource", [*REQUIRED, SERVICES], ids=lambda resource: resource.plural)
def test_each_missing_permission_has_its_own_error(kube: KubeServer, resource: Resource) -> None:
    kubeconfig = grant(kube, without(resource), [resource])
    with pytest.raises(ObservationFailed) as caught:
        read_states([cluster(kubeconfig)], Path("/"), services=["prod"])
    assert str(caught.value) == (
        f"cluster prod: the API server {kube.url} forbids to list {resource.plural} "
        f"(API group {resource.group or 'core'}); add to the ClusterRole of kubeconfig {kubeconfig}: {resource.rule}"
    )


@pytest.mark.parametrize("resource", INSTALLED, ids=lambda resource: resource.plural)
def test_a_missing_permission_on_an_optional_kind_is_a_note(kube: KubeServer, resource: Resource) -> None:
    told: list[str] = []
    read_states([cluster(grant(kube, without(resource), [resource]))], Path("/"), tell=told.append)
    assert f"cluster prod: {resource.plural} are not read, listing them is forbidden" in told


def test_nothing_but_lists_is_allowed_by_the_documented_role() -> None:
    assert [rule["verbs"] for rule in documented("ClusterRole")["rules"]] == [["list"]] * 4
