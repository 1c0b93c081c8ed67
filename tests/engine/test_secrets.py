"""No secret of the settings, and no token of an invite, is to be read in anything that a run says or stores."""

import base64
import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from local.hub_emulator import INTERNAL_500, Fault
from local.services import LocalServices
from local.stack import ROOT, STACK, LocalStack
from tests.engine.conftest import CLOUDFLARE_ZONE, EDGE_TARGETS, ROUTE53_ZONE

# Characters that JSON, YAML and URLs write in other forms.
HUB_KEY = 'hub-key-of-the-test-"<&>\\-x1'
CLOUDFLARE_TOKEN = 'cloudflare-token-of-the-test-"<&>\\-x2'
AWS_SECRET_KEY = 'aws/secret+key-of-the-test-"<&>\\-x3'
VERBOSE = ("--debug", "--verbose=9", "--logtostderr")


def forms(secret: str) -> set[str]:
    """The secret as it is, as JSON texts write it (Python's and Go's way), and in base64 at each of three offsets."""
    quoted = json.dumps(secret)[1:-1]
    go = quoted.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")
    twice = [json.dumps(text)[1:-1] for text in (quoted, go)]
    encoded = []
    for shift in range(3):
        text = base64.b64encode(b"_" * shift + secret.encode()).decode().rstrip("=")
        # The ends depend on what stands before and after.
        encoded.append(text[4 if shift else 0 : -2])
    return {secret, quoted, go, *twice, *encoded}


@dataclass(slots=True, kw_only=True)
class Scene:
    """A stack of two tunnels in two zones, and everything that its runs have said, by what said it."""

    services: LocalServices
    stack: LocalStack
    settings: dict[str, object]
    said: dict[str, str] = field(default_factory=dict)

    def run(self, what: str, *arguments: str, fails: bool = False) -> None:
        """Run `pulumi` on the stack and keep what it says, its event log included.

        The log begins with the stack's config as the engine prints it: what stands in plain text there does so here.
        """
        log = self.stack.folder / f"{what.replace(' ', '-')}.json"
        options = ["--stack", STACK, "--config-file", str(self.stack.config_file), "--event-log", str(log)]
        self.command(what, "pulumi", *arguments, *options, "--non-interactive", "--color=never", fails=fails)
        self.said[f"the event log of {what}"] = "\n".join(
            line for line in log.read_text(encoding="utf-8").splitlines() if "preludeEvent" not in json.loads(line)
        )

    def command(self, what: str, *command: str, fails: bool = False) -> None:
        """Run a command and keep what it says."""
        done = subprocess.run(
            command, cwd=ROOT, env=self.stack.environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        text = (done.stdout + done.stderr).decode(errors="replace")
        assert (done.returncode != 0) == fails, f"{what}:\n{text[-3000:]}"
        assert "Traceback (most recent call last)" not in text, f"{what}:\n{text[-3000:]}"
        self.said[what] = text

    def found(self, secrets: Mapping[str, str]) -> list[str]:
        """Where a secret is to be read."""
        return [f"{name} in {where}" for where, text in self.said.items() for name in names_in(text, secrets)]


def names_in(text: str, secrets: Mapping[str, str]) -> set[str]:
    """Which secrets are to be read in a text."""
    return {name for name, secret in secrets.items() if any(form in text for form in forms(secret))}


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with LocalServices(
        cloudflare_zones=[CLOUDFLARE_ZONE],
        route53_zones=[ROUTE53_ZONE],
        hub_key=HUB_KEY,
        cloudflare_token=CLOUDFLARE_TOKEN,
    ) as services:
        config = {
            key: value
            for key, value in services.provider_config.items()
            if key not in {"cloudflare:apiToken", "aws:secretKey"}
        }
        ids = services.zone_ids
        settings: dict[str, object] = {
            "hub": {"url": services.hub.url},
            "edgeTargets": EDGE_TARGETS,
            "zones": [
                {"domain": CLOUDFLARE_ZONE, "provider": "cloudflare", "zoneId": ids[CLOUDFLARE_ZONE]},
                {"domain": ROUTE53_ZONE, "provider": "route53", "zoneId": ids[ROUTE53_ZONE]},
            ],
            "tunnels": [
                {"name": name, "namespace": "team", "hostnames": hostnames, "dns": {"mode": "Zone"}}
                for name, hostnames in (("app", ["app.example.com", "app.example.org"]), ("shop", ["shop.example.com"]))
            ],
        }
        stack = LocalStack(tmp_path / "stack", config)
        yield Scene(services=services, stack=stack, settings=settings)


def test_nothing_that_a_run_says_or_stores_holds_a_secret(scene: Scene) -> None:
    """Secrets as `pulumi config set --secret` keeps them: the hub's, a zone's and a provider's of the stack."""
    stack, hub = scene.stack, scene.services.hub
    stack.configure(scene.settings)
    for path, secret in (
        ("edge-dns:hub.apiKey", HUB_KEY),
        ("edge-dns:zones[0].credentials.apiToken", CLOUDFLARE_TOKEN),
        ("aws:secretKey", AWS_SECRET_KEY),
    ):
        options = ["--secret", "--path", "--stack", STACK, "--config-file", str(stack.config_file)]
        stack.checked("config", "set", *options, path, secret)
    every_run(scene)
    scene.said |= {
        str(file): file.read_text(encoding="utf-8", errors="replace")
        for file in stack.folder.rglob("*")
        if file.is_file() and not file.is_symlink()
    }
    assert scene.found(secrets(scene)) == []
    assert hub.count() > 0


def test_nothing_that_a_run_says_holds_a_secret_that_stands_in_the_stack_file_as_plain_text(scene: Scene) -> None:
    """The other way round: the other zone's credentials are its own, the other provider's are the stack's."""
    stack = scene.stack
    zones = scene.settings["zones"]
    assert isinstance(zones, list)
    zones[1]["credentials"] = {
        "accessKey": scene.services.route53.access_key,
        "secretKey": AWS_SECRET_KEY,
        "region": scene.services.route53.region,
    }
    scene.settings["hub"] = {"url": scene.services.hub.url, "apiKey": HUB_KEY}
    config = {f"edge-dns:{key}": value for key, value in scene.settings.items()}
    document = yaml.safe_load(stack.config_file.read_text(encoding="utf-8"))
    document["config"] |= {**config, "cloudflare:apiToken": CLOUDFLARE_TOKEN, "aws:secretKey": AWS_SECRET_KEY}
    stack.configure_text(yaml.safe_dump(document))
    every_run(scene)
    assert scene.found(secrets(scene)) == []
    # Where the secrets do stand the search finds them.
    assert len(names_in(stack.config_file.read_text(encoding="utf-8"), secrets(scene))) == 3


def secrets(scene: Scene) -> dict[str, str]:
    """All secrets by what they are."""
    tokens = {f"the token of {invite.name}": invite.token for invite in scene.services.hub.invites}
    assert len(tokens) >= 2
    return {
        "the hub's key": HUB_KEY,
        "Cloudflare's token": CLOUDFLARE_TOKEN,
        "AWS's secret key": AWS_SECRET_KEY,
        **tokens,
    }


def every_run(scene: Scene) -> None:
    """Runs that succeed, that fail in every place, and the reading of what they left."""
    hub, stack = scene.services.hub, scene.stack
    # What ends stays to be seen, with its token.
    hub.settings.delete_mode = "soft"
    scene.run("preview", "preview", "--diff")
    scene.run("up", "up", "--yes", "--continue-on-error", *VERBOSE)
    scene.run("a second up", "up", "--yes", "--skip-preview")

    hub.inject(Fault(outcome=INTERNAL_500, times=None))
    scene.run("an up that the hub stops", "up", "--yes", *VERBOSE, fails=True)
    hub.clear_faults()
    good = stack.config_file.read_text(encoding="utf-8")
    broken = yaml.safe_load(good)
    broken["config"]["edge-dns:hub"]["key"] = broken["config"]["edge-dns:hub"]["apiKey"]
    broken["config"]["edge-dns:zones"][0]["apiToken"] = "shown"
    broken["config"]["edge-dns:zones"][0].setdefault("credentials", {})["secretKey"] = broken["config"]["aws:secretKey"]
    stack.configure_text(yaml.safe_dump(broken))
    scene.run("an up with wrong settings", "up", "--yes", fails=True)
    scene.command("plan with wrong settings", *PLAN, str(stack.config_file), fails=True)
    stack.configure_text(good)

    scene.command("plan", *PLAN, str(stack.config_file))
    scene.command("plan --json", *PLAN, str(stack.config_file), "--json")
    scene.command("stack output", "pulumi", "stack", "output", "--json", "--stack", STACK)
    scene.command("stack export", "pulumi", "stack", "export", "--stack", STACK)
    shown = stack.checked("stack", "export", "--show-secrets", "--stack", STACK)
    assert names_in(shown, secrets(scene)) == set(secrets(scene)), "the search misses what is there"
    plans_of_states(scene, {"a state": stack.checked("stack", "export", "--stack", STACK), "its secrets": shown})
    hub.stop()
    scene.run("a destroy without the hub", "destroy", "--yes", fails=True)
    hub.start()
    scene.run("destroy", "destroy", "--yes", *VERBOSE)


def plans_of_states(scene: Scene, exports: Mapping[str, str]) -> None:
    """Plans of a tunnel less with the memory of exported states: it tells what is published, and no secret."""
    settings, state = scene.stack.folder.parent / "settings.yaml", scene.stack.folder.parent / "state.json"
    document = yaml.safe_load(scene.stack.config_file.read_text(encoding="utf-8"))
    document["config"]["edge-dns:tunnels"].pop()
    settings.write_text(yaml.safe_dump(document), encoding="utf-8")
    for what, text in exports.items():
        state.write_text(text, encoding="utf-8")
        scene.command(f"plan of {what}", *PLAN, str(settings), "--memory", str(state), "--json")
        planned = json.loads(scene.said[f"plan of {what}"])
        assert {one["hostname"]: one["state"] for one in planned["hostnames"]} == {
            "app.example.com": "published",
            "app.example.org": "published",
            "shop.example.com": "withdrawn",
        }
        changes = {one["zone"]: (one["withdrawn"], one["changed"]) for one in planned["zones"]}
        assert changes == {"example.com": (1, 0), "example.org": (0, 0)}


PLAN = ("edge-dns", "plan", "--settings")
