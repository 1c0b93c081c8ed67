"""The job for pull requests of forks: the plan from files, with nothing but the checkout."""

import os
from pathlib import Path

import yaml

from tests.local.workflows.runner import Runner
from tests.unit.admission.objects import gateway, route
from tools.toolchain import VENV

SETTINGS = {
    "config": {
        "edge-dns:zones": [{"domain": "example.com", "provider": "cloudflare", "zoneId": "z1"}],
        "edge-dns:clusters": [{"name": "prod", "kubeconfig": "/nowhere/kubeconfig"}],
    }
}


def test_a_cluster_is_what_was_observed_and_the_page_of_the_run_shows_the_plan(tmp_path: Path) -> None:
    path = os.pathsep.join([str(VENV / "bin"), os.environ["PATH"]])
    runner = Runner(folder=tmp_path, environment={"PATH": path}, values={})
    runner.check_out()
    file = tmp_path / "Pulumi.prod.yaml"
    file.write_text(yaml.safe_dump(SETTINGS), encoding="utf-8")
    job = runner.run("preview", "plan", STACK_FILE=str(file))
    assert (job.succeeded, job.steps) == (False, ["Plan"])
    assert "give its objects with --gateway-state prod=FILE" in " ".join(runner.summary().split())

    objects = {"apiVersion": "v1", "kind": "List", "items": [gateway(), route(hostnames=["g.example.com"])]}
    (tmp_path / "checkout" / "observed").mkdir()
    (tmp_path / "checkout" / "observed" / "prod.yaml").write_text(yaml.safe_dump(objects), encoding="utf-8")
    job = runner.run("preview", "plan", STACK_FILE=str(file))
    assert job.succeeded, job.text
    assert runner.summary().startswith("~~~~~~\npublished  g.example.com ")
