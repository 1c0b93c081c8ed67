"""The policy pack on the real engine: what it stops, when, and what it lets through."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from local.cloudflare_emulator import CloudflareEmulator
from local.route53 import Route53Service
from tools.toolchain import ROOT, VENV, environment, install_plugins

PROGRAM = """
import pulumi

zones = pulumi.Config().require_object("zones")

def cloudflare(name, **inputs):
    inputs = {"zoneId": zones["cloudflare"], "name": name + ".example.com", "ttl": 300, **inputs}
    return pulumi.CustomResource("cloudflare:index/dnsRecord:DnsRecord", name, inputs)

def route53(name, **inputs):
    inputs = {"zoneId": zones["route53"], "name": name + ".example.net", "ttl": 300, **inputs}
    return pulumi.CustomResource("aws:route53/record:Record", name, inputs)
"""

LATER = """
first = cloudflare("first", type="TXT", content='"first"')

def later(value):
    return first.id.apply(lambda _: value)
"""

SDK_PROGRAM = """
import pulumi
import pulumi_aws as aws
import pulumi_cloudflare as cloudflare

zones = pulumi.Config().require_object("zones")
cloudflare.DnsRecord("cf-private", zone_id=zones["cloudflare"], name="cf-private.example.com", type="A",
                     content="10.0.0.5", ttl=300)
cloudflare.DnsRecord("cf-proxied", zone_id=zones["cloudflare"], name="cf-proxied.example.com", type="CNAME",
                     content="edge.example.org", proxied=True, ttl=300)
aws.route53.Record("aws-private", zone_id=zones["route53"], name="aws-private.example.net", type="A",
                   records=["192.0.2.1", "100.64.0.1"], ttl=300)
aws.route53.Record("aws-overwrite", zone_id=zones["route53"], name="aws-overwrite.example.net", type="A",
                   records=["192.0.2.1"], ttl=300, allow_overwrite=True)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One record of a program, `VALUE` in it replaced by a wrong, a right or a not yet known one."""

    rule: str
    name: str
    record: str
    wrong: str
    right: str

    def violating(self) -> str:
        return self.record.replace("VALUE", self.wrong)

    def lawful(self) -> str:
        return self.record.replace("VALUE", self.right)

    def unknown(self) -> str:
        return self.record.replace("VALUE", f"later({self.right})")


CASES = [
    Case(
        rule="private-address-public-zone",
        name="cf-address",
        record='cloudflare("cf-address", type="A", content=VALUE)',
        wrong='"10.0.0.5"',
        right='"192.0.2.5"',
    ),
    Case(
        rule="private-address-public-zone",
        name="aws-address",
        record='route53("aws-address", type="AAAA", records=["2001:db8::1", VALUE])',
        wrong='"fd00::5"',
        right='"2001:db8::5"',
    ),
    Case(
        rule="allow-overwrite",
        name="overwrite",
        record='route53("overwrite", type="A", records=["192.0.2.5"], allowOverwrite=VALUE)',
        wrong="True",
        right="False",
    ),
    Case(
        rule="proxied-ttl",
        name="proxied",
        record='cloudflare("proxied", type="CNAME", content="edge.example.org", proxied=True, ttl=VALUE)',
        wrong="300",
        right="1",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How a `pulumi` run ended: exit status, output, and the text of each mandatory violation by (rule, resource)."""

    status: int
    output: str
    violations: Mapping[tuple[str, str], str]


class Stack:
    """One stack of one small program against the two emulators, with the policy pack."""

    def __init__(self, folder: Path, cloudflare: CloudflareEmulator, route53: Route53Service) -> None:
        self.cloudflare = cloudflare
        self.route53 = route53
        self.zones = {"cloudflare": cloudflare.add_zone("example.com"), "route53": route53.add_zone("example.net")}
        self._folder = folder
        state = folder / "state"
        state.mkdir()
        self._env = environment(os.environ, home=folder / "home") | {
            "PULUMI_BACKEND_URL": state.as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "PULUMI_DEBUG_COMMANDS": "true",  # for --event-log
        }
        install_plugins(folder / "home", (ROOT / "local" / "plugins" / "bin").glob("pulumi-resource-*"))
        self._write("Pulumi.yaml", _project())
        self._write("Pulumi.test.yaml", {"config": self._config()})
        self._pulumi("stack", "init", "test")

    def declare(self, program: str) -> None:
        """Make this the program of the stack."""
        (self._folder / "__main__.py").write_text(program, encoding="utf-8")

    def preview(self, *, rules: Mapping[str, object] | None = None) -> Run:
        """Run `pulumi preview` with the pack, `rules` being its configuration."""
        return self._run("preview", rules or {})

    def update(self) -> Run:
        """Run `pulumi up` without a preview, with the pack."""
        return self._run("up", {}, "--yes", "--skip-preview")

    def calls(self) -> int:
        """The number of requests that reached a provider's API so far."""
        return len(self.cloudflare.requests) + len(self.route53.requests)

    def published(self) -> set[str]:
        """The names that the two providers hold."""
        at_cloudflare = {str(record["name"]) for record in self.cloudflare.records(self.zones["cloudflare"])}
        return at_cloudflare | {record.name for record in self.route53.records(self.zones["route53"])}

    def _run(self, command: str, rules: Mapping[str, object], *options: str) -> Run:
        events = self._folder / "events"
        events.unlink(missing_ok=True)
        pack = ["--policy-pack", str(ROOT / "policy"), "--policy-pack-config", str(self._write("rules.json", rules))]
        done = self._pulumi(command, "--stack", "test", "--event-log", str(events), *pack, *options)
        return Run(status=done.returncode, output=done.stdout, violations=_violations(events))

    def _pulumi(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            ["pulumi", "--non-interactive", *arguments],
            cwd=self._folder,
            env=self._env,
            check=False,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        print(done.stdout)  # shown by pytest when the test fails
        return done

    def _write(self, name: str, content: object) -> Path:
        path = self._folder / name
        path.write_text(json.dumps(content), encoding="utf-8")  # JSON is YAML
        return path

    def _config(self) -> dict[str, object]:
        return {
            "policy-test:zones": self.zones,
            "cloudflare:baseUrl": self.cloudflare.url,
            "cloudflare:apiToken": self.cloudflare.token,
            "aws:region": self.route53.region,
            "aws:accessKey": "test",
            "aws:secretKey": "test",
            "aws:endpoints": [{"route53": self.route53.url}],
            "aws:skipCredentialsValidation": True,
            "aws:skipMetadataApiCheck": True,
            "aws:skipRequestingAccountId": True,
        }


def _project() -> dict[str, object]:
    return {"name": "policy-test", "runtime": {"name": "python", "options": {"virtualenv": str(VENV)}}}


def _violations(events: Path) -> dict[tuple[str, str], str]:
    lines: list[dict[str, Any]] = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
    found = [line["policyEvent"] for line in lines if "policyEvent" in line]
    return {
        (event["policyName"], event["resourceUrn"].rpartition("::")[2]): event["message"]
        for event in found
        if event["enforcementLevel"] == "mandatory"
    }


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    with CloudflareEmulator() as cloudflare, Route53Service() as route53:
        yield Stack(tmp_path, cloudflare, route53)


def test_each_violation_fails_the_preview_of_records_declared_with_the_official_sdks(stack: Stack) -> None:
    stack.declare(SDK_PROGRAM)
    run = stack.preview()
    assert run.status != 0
    assert set(run.violations) == {
        ("private-address-public-zone", "cf-private"),
        ("private-address-public-zone", "aws-private"),
        ("allow-overwrite", "aws-overwrite"),
        ("proxied-ttl", "cf-proxied"),
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_violation_stops_an_update_before_the_provider_is_called(stack: Stack, case: Case) -> None:
    stack.declare(PROGRAM + case.violating())
    run = stack.update()
    assert run.status != 0
    assert set(run.violations) == {(case.rule, case.name)}
    assert stack.calls() == 0


def test_the_lawful_twins_pass_preview_and_update(stack: Stack) -> None:
    stack.declare("\n".join([PROGRAM, *(case.lawful() for case in CASES)]))
    for run in (stack.preview(), stack.update()):
        assert (run.status, run.violations) == (0, {}), run.output
    assert stack.published() == {
        "aws-address.example.net",
        "cf-address.example.com",
        "overwrite.example.net",
        "proxied.example.com",
    }


def test_a_guarded_value_that_is_not_known_yet_fails_the_preview(stack: Stack) -> None:
    stack.declare("\n".join([PROGRAM, LATER, *(case.unknown() for case in CASES)]))
    run = stack.preview()
    assert run.status != 0
    assert set(run.violations) == {(case.rule, case.name) for case in CASES}
    assert all("unknown-guarded-value: record" in text for text in run.violations.values())


def test_private_zones_of_the_packs_configuration_may_hold_private_addresses_and_no_others(stack: Stack) -> None:
    stack.declare("\n".join([PROGRAM, *(case.violating() for case in CASES[:2])]))
    run = stack.preview(rules={"private-address-public-zone": {"privateZones": [stack.zones["cloudflare"]]}})
    assert run.status != 0
    assert set(run.violations) == {("private-address-public-zone", "aws-address")}
