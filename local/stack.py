"""One Pulumi stack of this project on a local file backend, run by the real `pulumi` as a user would."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from tools import toolchain

ROOT = Path(__file__).resolve().parent.parent
PLUGINS = ROOT / "local" / "plugins" / "bin"
STACK = "local"
PASSPHRASE = "local"  # noqa: S105 - it protects nothing but the emulators' own keys
_STACK_FILE = ROOT / "stacks" / f"Pulumi.{STACK}.yaml"
_QUIET = ("--non-interactive", "--color", "never")


@dataclass(frozen=True, slots=True, order=True)
class Step:
    """One step of the engine: what it does (`create`, `update`, `delete`, …) to which resource."""

    op: str
    type: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A finished `pulumi` command: exit status, everything it printed, and the steps that were not `same`."""

    status: int
    text: str
    steps: tuple[Step, ...] = ()


class LocalStack:
    """A stack in a folder of its own, with its backend, its plugin home and its stack file.

    `provider_config` are the config values of the DNS providers (`cloudflare:apiToken`, …); the stack is initialised
    at once.
    """

    def __init__(self, folder: Path, provider_config: Mapping[str, object]) -> None:
        self.folder = folder
        self.config_file = folder / f"Pulumi.{STACK}.yaml"
        self._provider_config = provider_config
        home, backend = folder / "home", folder / "backend"
        backend.mkdir(parents=True, exist_ok=True)
        toolchain.install_plugins(home, sorted(PLUGINS.iterdir()))
        self.environment = toolchain.environment(os.environ, home=home) | {
            "PULUMI_BACKEND_URL": f"file://{backend}",
            "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
            # Only with it does the engine write its events to a file.
            "PULUMI_DEBUG_COMMANDS": "true",
        }
        self.configure({})
        if not list(backend.glob(f".pulumi/stacks/edge-dns/{STACK}.json")):
            self.checked("stack", "init", STACK)

    def configure(self, settings: Mapping[str, object]) -> None:
        """Write the stack file: these settings (keys without the prefix `edge-dns:`) and the providers' config."""
        config = {**self._provider_config, **{f"edge-dns:{key}": value for key, value in settings.items()}}
        salt = yaml.safe_load(_STACK_FILE.read_text(encoding="utf-8"))["encryptionsalt"]
        self.config_file.write_text(yaml.safe_dump({"encryptionsalt": salt, "config": config}), encoding="utf-8")

    def preview(self, *flags: str) -> Run:
        """Preview, with the stack's file."""
        return self._operation("preview", *flags)

    def up(self, *flags: str) -> Run:
        """Update without a question, as the shipped commands do."""
        return self._operation("up", "--yes", "--continue-on-error", *flags)

    def destroy(self, *flags: str) -> Run:
        """Destroy without a question."""
        return self._operation("destroy", "--yes", *flags)

    def outputs(self) -> dict[str, object]:
        """Return the stack outputs; secrets stay hidden."""
        found: dict[str, object] = json.loads(self.checked("stack", "output", "--json", "--stack", STACK))
        return found

    def state(self) -> str:
        """Return the checkpoint as the backend keeps it."""
        return self.checked("stack", "export", "--stack", STACK)

    def checked(self, *arguments: str) -> str:
        """Run a command that must succeed; returns its stdout."""
        done = self._run([*arguments, *_QUIET])
        if done.returncode:
            raise RuntimeError(f"pulumi {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def _operation(self, command: str, *flags: str) -> Run:
        log = self.folder / "events.json"
        log.unlink(missing_ok=True)
        stack = ("--stack", STACK, "--config-file", str(self.config_file))
        done = self._run([command, *stack, "--event-log", str(log), *flags, *_QUIET])
        return Run(status=done.returncode, text=done.stdout + done.stderr, steps=_steps(log))

    def _run(self, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["pulumi", *arguments],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


def _steps(log: Path) -> tuple[Step, ...]:
    """Return the steps of the last phase in the event log: the update's where there was one, else the preview's."""
    steps: list[Step] = []
    for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else ():
        event = json.loads(line)
        if "preludeEvent" in event:
            steps = []
        if metadata := event.get("resourcePreEvent", {}).get("metadata"):
            urn = metadata["urn"]
            steps.append(Step(metadata["op"], metadata["type"], urn.split("::", 3)[3]))
    return tuple(step for step in steps if step.op not in {"same", "refresh"})
