"""`edge-dns summary` on what the engine prints."""

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from edge_dns.cli.main import main
from local.stack import ROOT, STACK
from tests.engine.conftest import World

STREAMING = {"PULUMI_ENABLE_STREAMING_JSON_PREVIEW": "true"}


def _preview(world: World, environment: dict[str, str] = STREAMING) -> str:
    """Return what `pulumi preview --json` prints, with the policy pack."""
    command = ["pulumi", "preview", "--json", "--stack", STACK, "--config-file", str(world.stack.config_file)]
    done = subprocess.run(
        [*command, "--policy-pack", "policy", "--non-interactive"],
        cwd=ROOT,
        env=world.stack.environment | environment,
        check=False,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout


def test_a_preview_is_told_with_what_goes_first_and_an_exit_status_for_each_outcome(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bug cases: BC-E11, where credentials are refused."""

    def summary(text: str) -> tuple[int, dict[str, object], str]:
        events = tmp_path / "events.jsonl"
        events.write_text(text, encoding="utf-8")
        status = main(["summary", str(events), "--json-file", str(tmp_path / "summary.json")])
        return status, json.loads((tmp_path / "summary.json").read_text(encoding="utf-8")), capsys.readouterr().out

    hostnames = ["app.example.com", "www.example.org"]
    world.configure(world.tunnel("app", hostnames))
    status, document, _ = summary(_preview(world))
    assert (status, document["counts"]) == (3, {**_COUNTS, "added": 2})
    world.up("--skip-preview")

    status, _, text = summary(_preview(world))
    assert (status, text) == (0, f"## edge-dns: {STACK}\n\nNo changes.\n")

    world.configure(world.tunnel("app", ["www.example.org", "new.example.com", "x.nozone.example"]))
    key = world.services.hub.operator_key
    file = ("--config-file", str(world.stack.config_file), "--stack", STACK)
    world.stack.checked("config", "set", "--secret", "--path", "edge-dns:hub.apiKey", key, *file)
    events = _preview(world)
    status, document, text = summary(events)
    assert (status, document["counts"]) == (1, {**_COUNTS, "withdrawn": 1, "added": 1, "same": 1})
    assert text.index("### Withdrawn") < text.index("app.example.com") < text.index("### Added")
    assert "<code>not-declared</code>: TowonelTunnel team/app no longer declares it" in text
    assert "x.nozone.example" in text
    assert key not in events

    # The plain form holds neither what a policy finds nor the new stack outputs.
    plain = _preview(world, {})
    assert "x.nozone.example" in json.dumps(json.loads(plain)["diagnostics"])
    assert "policyEvent" not in plain
    assert '"zone-none"' not in plain

    document = yaml.safe_load(world.stack.config_file.read_text(encoding="utf-8"))
    document["config"]["cloudflare:apiToken"] = "of-nobody"
    world.stack.configure_text(yaml.safe_dump(document))
    status, document, text = summary(_preview(world))
    assert (status, document["succeeded"]) == (2, False)
    assert "**The run would stop: nothing would change.**" in text
    assert "observation-failed" in text


def test_a_violated_policy_is_told_first_with_a_status_of_its_own_and_what_is_not_known_yet_in_words(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cloudflare, route53 = world.zones()
    account = {"accountId": world.services.cloudflare.account_id, "origin": "http://app.team.svc:8080"}
    tunnel = world.tunnel("web", ["app.example.com", "*.example.com"], kind="cloudflare", cloudflare=account, dns=DNS)
    world.configure(tunnel, zones=[cloudflare | {"wildcards": True}, route53])
    events = tmp_path / "events.jsonl"
    events.write_text(_preview(world), encoding="utf-8")
    # The pack was given no configuration, in which the zone would take wildcards.
    assert main(["summary", str(events), "--json-file", str(tmp_path / "summary.json")]) == 1
    text, document = capsys.readouterr().out, json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert text.splitlines()[2] == "**A mandatory policy is violated: nothing would change.**"
    assert "### Policy findings (1)" in text
    assert "<pre>" not in text
    assert {one["policy"] for one in document["findings"]} == {"wildcard-opt-in"}
    assert "CNAME (known after the update) (ttl auto, proxied)" in text
    assert "04da6b54" not in text + json.dumps(document)


DNS = {"mode": "Zone", "includeWildcards": True}
_COUNTS = {"withdrawn": 0, "released": 0, "changed": 0, "adopted": 0, "added": 0, "same": 0}
