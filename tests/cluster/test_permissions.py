"""A user with exactly the permissions of docs/clusters.md reads everything; without one of them it is told which."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from edge_dns.core.errors import ObservationFailed
from edge_dns.observe.gateway_api import OPTIONAL, REQUIRED, Resource, read_states
from local.kube import READER, KubeServer, wait_for
from tests.cluster.conftest import cluster
from tests.cluster.objects import Scene

DOCS = Path(__file__).resolve().parents[2] / "docs" / "clusters.md"
INSTALLED = [versions[0] for versions in OPTIONAL]
BINDING = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "ClusterRoleBinding",
    "metadata": {"name": "edge-dns-reader"},
    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "edge-dns-reader"},
    "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": READER}],
}


def documented_role() -> dict[str, Any]:
    """The ClusterRole as the page shows it."""
    blocks = DOCS.read_text(encoding="utf-8").split("```yaml\n")[1:]
    documents = [one for block in blocks for one in yaml.safe_load_all(block.split("```")[0])]
    [role] = [one for one in documents if isinstance(one, dict) and one.get("kind") == "ClusterRole"]
    return role


def without(resource: Resource) -> dict[str, Any]:
    role = documented_role()
    for rule in role["rules"]:
        rule["resources"] = [plural for plural in rule["resources"] if plural != resource.plural]
    return role | {"rules": [rule for rule in role["rules"] if rule["resources"]]}


def grant(kube: KubeServer, role: dict[str, Any], missing: Sequence[Resource] = ()) -> Path:
    """Give the role to the reader and wait until the server acts by it; returns the reader's kubeconfig."""
    kube.apply(role, BINDING)
    for resource in (*REQUIRED, *INSTALLED):
        expected = resource not in missing
        wait_for(
            lambda path=resource.path, allowed=expected: kube.allows(READER, path) == allowed,  # type: ignore[misc]
            f"the role has no effect on {resource.plural}",
        )
    return kube.kubeconfig(READER)


def test_the_documented_permissions_suffice(scene: Scene) -> None:
    scene.gateway("front", "203.0.113.7")
    scene.accepted_route("shop", ["shop.example.com"], to="front")
    state = read_states([cluster(grant(scene.kube, documented_role()))], Path("/"))["prod"]
    assert state == read_states([cluster(scene.kube.kubeconfig())], Path("/"))["prod"]
    assert (len(state.gateways), len(state.routes), state.classes) == (1, 1, {"edge": "example.net/edge"})


@pytest.mark.parametrize("resource", REQUIRED, ids=lambda resource: resource.plural)
def test_each_missing_permission_has_its_own_error(kube: KubeServer, resource: Resource) -> None:
    kubeconfig = grant(kube, without(resource), [resource])
    with pytest.raises(ObservationFailed) as caught:
        read_states([cluster(kubeconfig)], Path("/"))
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
    assert [rule["verbs"] for rule in documented_role()["rules"]] == [["list"]] * 3
