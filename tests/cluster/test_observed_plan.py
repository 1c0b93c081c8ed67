"""`edge-dns observe` on a real API server: its file plans as the cluster itself does."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from edge_dns.cli.main import main
from edge_dns.core.memory import Memory
from edge_dns.core.plan import Observed, make_plan
from edge_dns.core.plan_json import plan_document
from edge_dns.core.settings import load_settings
from edge_dns.observe.gateway_api import read_states
from tests.cluster.objects import Scene

ZONES = [{"domain": "example.com", "provider": "cloudflare", "zoneId": "023e105f4ecef8ad9ca31a8372d0c353"}]


def planned(capsys: pytest.CaptureFixture[str], settings: Path, *arguments: str) -> Any:
    main(["plan", "--settings", str(settings), "--json", *arguments])
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_the_file_plans_as_the_cluster_does(
    scene: Scene, tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    scene.gateway("front", "203.0.113.7", "2001:db8::7")
    scene.namespace("team", commit="12e4567")
    scene.gateway("picky", "203.0.113.8", namespaces={"from": "Selector", "selector": {"matchLabels": {"a": "b"}}})
    scene.accepted_route("shop", ["shop.example.com", "*.example.com"], to="front", namespace="team")
    scene.accepted_route("picked", ["picked.example.com"], to="picky", namespace="team")
    scene.route("waiting", ["waiting.example.com"], to="front")
    scene.route_status(scene.route("denied", ["denied.example.com"], to="front"), "False")

    values: dict[str, Any] = {"zones": ZONES, "clusters": [{"name": "prod", "kubeconfig": "kubeconfig.yaml"}]}
    (tmp_path / "kubeconfig.yaml").write_bytes(scene.kube.kubeconfig().read_bytes())
    settings = tmp_path / "Pulumi.prod.yaml"
    settings.write_text(yaml.safe_dump({"config": {f"edge-dns:{key}": value for key, value in values.items()}}))
    live = load_settings(values)
    state = read_states(live.clusters, tmp_path)
    expected = json.loads(json.dumps(plan_document(make_plan(live, Observed(clusters=state), Memory()))))

    file = tmp_path / f"prod.{suffix}"
    assert main(["observe", "--settings", str(settings), "-o", str(file)]) == 0
    assert (
        capsys.readouterr().out == f"{file}: {len(yaml.safe_load(file.read_text())['items'])} objects of cluster prod\n"
    )
    assert planned(capsys, settings, "--gateway-state", f"prod={file}") == expected

    values["clusters"] = [{"name": "prod", "files": [file.name]}]
    settings.write_text(yaml.safe_dump(values))
    assert planned(capsys, settings) == expected
    assert {one["hostname"] for one in expected["hostnames"]} >= {"shop.example.com", "waiting.example.com"}
