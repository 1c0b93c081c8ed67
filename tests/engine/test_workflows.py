"""The steps of the shipped workflows, run against the local stack."""

import json
from pathlib import Path

from local.stack import PASSPHRASE, STACK
from tests.engine.conftest import CLOUDFLARE_ZONE, World
from tests.local.workflows.forge import TOKEN, Forge, serve
from tests.local.workflows.runner import Runner


def _runner(world: World, folder: Path, forge: Forge) -> Runner:
    environment = {**world.stack.environment, "GITHUB_API_URL": forge.url, "GITHUB_REPOSITORY": "acme/dns"}
    backend = environment.pop("PULUMI_BACKEND_URL")
    del environment["PULUMI_CONFIG_PASSPHRASE"]
    runner = Runner(
        folder=folder,
        environment=environment,
        values={
            "vars.PULUMI_BACKEND_URL": backend,
            "secrets.PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
            "secrets.AWS_ACCESS_KEY_ID": "",
            "secrets.AWS_SECRET_ACCESS_KEY": "",
            "github.token": TOKEN,
            "github.event.pull_request.number": "3",
        },
    )
    runner.check_out()
    (folder / "policy.json").write_text(json.dumps({"settings": {"zones": world.zones()}}), encoding="utf-8")
    return runner


def test_a_pull_request_from_its_preview_to_the_update_and_the_check_for_drift(world: World, tmp_path: Path) -> None:
    with serve() as forge:
        runner = _runner(world, tmp_path / "runner", forge)
        here = {
            "STACK": STACK,
            "STACK_FILE": str(world.stack.config_file),
            "POLICY_CONFIG": str(tmp_path / "runner" / "policy.json"),
        }
        world.configure(world.tunnel("app", ["app.example.com", "www.example.org"]))
        job = runner.run("preview", "preview", **here)
        assert (job.succeeded, job.steps) == (True, ["Preview", "Comment", "Judge"]), job.text
        assert "comment made" in job.text
        (comment,) = forge.comments.values()
        assert comment.body.startswith(f"## edge-dns: {STACK}\n\n**2 added**")
        assert runner.summary() == comment.body
        assert world.names() == set()

        job = runner.run("up", "up", **here)
        assert job.succeeded, job.text
        assert world.names() == {"app.example.com", "www.example.org"}
        assert "Outputs:" not in job.text
        job = runner.run("drift", "drift", **here)
        assert job.succeeded, job.text

        world.configure(world.tunnel("app", ["www.example.org", "x.nozone.example"]))
        job = runner.run("preview", "preview", **here)
        assert (job.succeeded, job.steps[-1]) == (False, "Judge")
        assert "::error::a policy is violated, or a hostname is refused" in job.text
        assert "comment changed" in job.text
        (comment,) = forge.comments.values()
        assert "**1 withdrawn**" in comment.body
        assert "x.nozone.example" in comment.body

        job = runner.run("preview", "preview", **here | {"STACK": "nobody"})
        assert (job.succeeded, job.steps[-1]) == (False, "Judge")
        assert [one.body.partition("\n")[0] for one in forge.comments.values()][1:] == ["## edge-dns: nobody"]

        # Of a fork: the same settings, without any secret.
        no_secret = Runner(folder=runner.folder, environment={"PATH": runner.environment["PATH"]}, values={})
        job = no_secret.run("preview", "plan", **here)
        assert not job.succeeded
        assert "refused" in runner.summary()
        assert "x.nozone.example" in runner.summary()

        world.configure(world.tunnel("app", ["app.example.com", "www.example.org"]))
        zone = world.services.zone_ids[CLOUDFLARE_ZONE]
        (record,) = (one for one in world.services.cloudflare.records(zone) if one["name"] == "app.example.com")
        world.services.cloudflare.edit_record(zone, str(record["id"]), content="somewhere.example.net")
        job = runner.run("drift", "drift", **here)
        assert not job.succeeded
        assert "app.example.com" in job.text
        assert len(forge.comments) == 2
