"""The audit of exposure over a real API server, and what a program without the permission to list Services does."""

import json
from pathlib import Path

import pytest
import yaml

from edge_dns.cli.main import main
from edge_dns.observe.gateway_api import REQUIRED
from local.kube import READER, wait_for
from tests.cluster.objects import Scene
from tests.engine.conftest import World

OLD = "external-dns.alpha.kubernetes.io/"


def test_publishers_of_a_cluster_are_audited_and_never_taken_for_absent(
    scene: Scene, world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene.gateway("front", "203.0.113.7")
    scene.accepted_route("shop", ["shop.example.com"], to="front")
    hostname = {f"{OLD}hostname": "db.example.com", f"{OLD}target": "10.0.0.7"}
    metadata = {"namespace": "edge", "name": "db", "annotations": hostname}
    scene.kube.apply({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"ports": [{"port": 80}]}})

    register = [{"namespace": "edge", "name": "shop"}]
    cluster = {"name": "prod", "kubeconfig": str(scene.kube.kubeconfig()), "context": "local"}
    exposure = {"publishers": "listed", "register": register}
    settings = tmp_path / "settings.yaml"
    settings.write_text(yaml.safe_dump({"clusters": [cluster], "exposure": exposure}))
    assert main(["audit", "exposure", "--settings", str(settings), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert [(one["rule"], one["kind"], one["name"]) for one in document["findings"]] == [
        ("unlisted-publisher", "Service", "db"),
        ("private-address-public-zone", "Service", "db"),
    ]

    world.configure(clusters=[cluster], exposure=exposure)
    run = world.up("--skip-preview")
    assert world.published() == {("shop.example.com", "A", "203.0.113.7")}
    assert "Service prod:edge/db is neither a service of this stack nor in exposure.register" in run.text

    forbidden = {**cluster, "kubeconfig": str(scene.kube.kubeconfig(READER)), "context": "local"}
    rules = [{"apiGroups": ["gateway.networking.k8s.io"], "resources": ["*"], "verbs": ["list"]}]
    rules += [{"apiGroups": [""], "resources": ["namespaces"], "verbs": ["list"]}]
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "without"}}
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "without"}
    subjects = [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": READER}]
    binding = {**role, "kind": "ClusterRoleBinding", "roleRef": reference, "subjects": subjects}
    scene.kube.apply({**role, "rules": rules}, binding)
    wait_for(lambda: scene.kube.allows(READER, REQUIRED[-1].path), "the role has no effect")
    world.configure(clusters=[forbidden], exposure=exposure)
    run = world.stack.up("--skip-preview")
    assert run.status != 0
    assert "forbids to list services (API group core)" in " ".join(run.text.split())
    assert world.published() == {("shop.example.com", "A", "203.0.113.7")}
