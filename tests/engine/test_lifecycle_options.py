"""The check of every run's event log, on an engine that is given what no program of ours may declare."""

import json
import os
import subprocess
from pathlib import Path

from local.stack import PLUGINS
from tests.engine.event_log import Listed, forbidden
from tools.toolchain import VENV, environment, install_plugins

PROGRAM = """
import pulumi

def record(name, opts=None, **inputs):
    inputs |= {"zoneId": "Z1", "name": name + ".example.org", "type": "A", "ttl": 300, "records": ["192.0.2.1"]}
    pulumi.CustomResource("aws:route53/record:Record", "Z1/" + inputs["name"], inputs, opts)

record("plain")
record("kept", pulumi.ResourceOptions(retain_on_delete=True))
record("overwriting", allowOverwrite=True)
"""


def test_an_option_that_keeps_or_overwrites_a_record_is_seen_in_the_event_log(tmp_path: Path) -> None:
    project = {"name": "options", "runtime": {"name": "python", "options": {"virtualenv": str(VENV)}}}
    (tmp_path / "Pulumi.yaml").write_text(json.dumps(project), encoding="utf-8")
    (tmp_path / "__main__.py").write_text(PROGRAM, encoding="utf-8")
    skips = ("skipCredentialsValidation", "skipMetadataApiCheck", "skipRequestingAccountId")
    config = {"aws:region": "us-east-1", "aws:accessKey": "none", "aws:secretKey": "none"}
    text = json.dumps({"config": {**config, **{f"aws:{skip}": True for skip in skips}}})
    (tmp_path / "Pulumi.test.yaml").write_text(text, encoding="utf-8")
    install_plugins(tmp_path / "home", [PLUGINS / "pulumi-resource-aws"])
    env = environment(os.environ, home=tmp_path / "home") | {
        "PULUMI_BACKEND_URL": f"file://{tmp_path}",
        "PULUMI_CONFIG_PASSPHRASE": "",
        "PULUMI_DEBUG_COMMANDS": "true",
    }
    log = tmp_path / "events.json"
    for command in (["stack", "init", "test"], ["preview", "--stack", "test", "--event-log", str(log)]):
        subprocess.run(["pulumi", "--non-interactive", *command], cwd=tmp_path, env=env, check=True)
    record = "urn:pulumi:test::options::aws:route53/record:Record::Z1"
    kept, overwriting = (
        f"{record}/kept.example.org: retainOnDelete",
        f"{record}/overwriting.example.org: allowOverwrite",
    )
    assert forbidden(log, Listed(hostnames=frozenset({"plain.example.org"}))) == [kept, overwriting]
    # What is listed may be retained, and nothing but that.
    for listed in (Listed(hostnames=frozenset({"kept.example.org"})), Listed(zone_ids=frozenset({"Z1"}))):
        assert forbidden(log, listed) == [overwriting]
