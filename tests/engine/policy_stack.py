"""A stack of a small program of a test's own, run with the policy pack against the emulators of both providers."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.cloudflare_emulator import CloudflareEmulator
from local.route53 import Route53Service
from tools.toolchain import ROOT, VENV, environment, install_plugins

PLUGINS = (ROOT / "local" / "plugins" / "bin", Path(__file__).parent / "plugins")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How a `pulumi` run ended: exit status, output, and the text of each violation by (policy, resource).

    `violations` are the mandatory ones, `advice` the others.
    """

    status: int
    output: str
    violations: Mapping[tuple[str, str], str]
    advice: Mapping[tuple[str, str], str]


class PolicyStack:
    """One stack of one small program, with the policy pack; the pack's settings know its zones."""

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
        executables = [path for plugins in PLUGINS for path in plugins.glob("pulumi-resource-*")]
        install_plugins(folder / "home", executables)
        self._write("Pulumi.yaml", _project())
        self._write("Pulumi.test.yaml", {"config": self._config()})
        self._pulumi("stack", "init", "test")

    def declare(self, *program: str) -> None:
        """Make these lines the program of the stack."""
        (self._folder / "__main__.py").write_text("\n".join(program), encoding="utf-8")

    def preview(self, rules: Mapping[str, object]) -> Run:
        """Run `pulumi preview` with the pack, `rules` being its configuration."""
        return self._run("preview", rules)

    def update(self, rules: Mapping[str, object], *options: str) -> Run:
        """Run `pulumi up` without a preview, with the pack."""
        return self._run("up", rules, "--yes", "--skip-preview", *options)

    def analyze(self, rules: Mapping[str, object]) -> tuple[int, str]:
        """Run the pack over the state alone, without program and providers; exit status and output."""
        pack = ["--policy-pack", str(ROOT / "policy"), "--policy-pack-config", str(self._write("rules.json", rules))]
        done = self._pulumi("policy", "analyze", "--stack", "test", *pack)
        return done.returncode, done.stdout

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
        found = _findings(events)
        return Run(status=done.returncode, output=done.stdout, violations=found["mandatory"], advice=found["advisory"])

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


@contextmanager
def open_policy_stack(folder: Path) -> Iterator[PolicyStack]:
    """A stack in an empty folder, on fresh emulators."""
    with CloudflareEmulator() as cloudflare, Route53Service() as route53:
        yield PolicyStack(folder, cloudflare, route53)


def _project() -> dict[str, object]:
    return {"name": "policy-test", "runtime": {"name": "python", "options": {"virtualenv": str(VENV)}}}


def _findings(events: Path) -> dict[str, dict[tuple[str, str], str]]:
    found: dict[str, dict[tuple[str, str], str]] = {"mandatory": {}, "advisory": {}}
    lines = events.read_text(encoding="utf-8").splitlines() if events.exists() else []
    for line in lines:
        event: dict[str, Any] | None = json.loads(line).get("policyEvent")
        if event:
            key = (event["policyName"], event.get("resourceUrn", "").rpartition("::")[2])
            found[event["enforcementLevel"]][key] = event["message"]
    return found
