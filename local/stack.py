"""One Pulumi stack of this project on a local file backend, run by the real `pulumi` as a user would."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tools import toolchain

ROOT = Path(__file__).resolve().parent.parent
PLUGINS = ROOT / "local" / "plugins" / "bin"
STACK = "local"
PASSPHRASE = "local"  # noqa: S105 - it protects nothing but the emulators' own keys
STACK_FILE = ROOT / "stacks" / f"Pulumi.{STACK}.yaml"
_QUIET = ("--non-interactive", "--color", "never")
_LOOPBACK = "127.0.0.1,localhost"
_END_SECONDS = 10
_COLOR = re.compile(r"<\{%.*?%\}>")
_WRAPPED = re.compile(r"\n {4}(?=\S)")
_WRAPPED_AS_SHOWN = re.compile(r"\n {8}(?=\S)")
"""Where a message of one name goes on in the next line (components/told.py), in itself and as the engine shows it."""
_DIAGNOSTICS = re.compile(r"^Diagnostics:\n(?:[ \t].*\n|\n)*", re.MULTILINE)
"""What the engine prints of messages, up to the next part; outputs have such indents of their own."""
_Event = dict[str, Any]  # as the engine writes them, read for the few fields below


@dataclass(frozen=True, slots=True, order=True)
class Step:
    """One step of the engine: what it does (`create`, `update`, `delete`, …) to which resource."""

    op: str
    type: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A finished `pulumi` command: exit status, everything it printed, the steps that were not `same`, and messages.

    `messages` are the warnings and errors of the engine, the program and the providers. Messages of names, which the
    program wraps, are in one line in both.
    """

    status: int
    text: str
    steps: tuple[Step, ...] = ()
    messages: tuple[str, ...] = ()


class LocalStack:
    """A stack in a folder of its own, with its backend, its plugin home and its stack file.

    `provider_config` are the config values of the DNS providers (`cloudflare:apiToken`, …); the stack is initialised
    at once.
    """

    def __init__(self, folder: Path, provider_config: Mapping[str, object], name: str = STACK) -> None:
        self.folder = folder
        self.name = name
        self.config_file = folder / f"Pulumi.{name}.yaml"
        self._provider_config = provider_config
        home, backend = folder / "home", folder / "backend"
        backend.mkdir(parents=True, exist_ok=True)
        toolchain.install_plugins(home, sorted(PLUGINS.iterdir()))
        self.environment = toolchain.environment(os.environ, home=home) | {
            # Else the backend writes a file of attributes beside each file, and reads no state where one is cut off.
            "PULUMI_BACKEND_URL": f"file://{backend}?metadata=skip",
            "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
            # gRPC in the program would ask a proxy for the engine, and the plugins one for the emulators.
            "NO_PROXY": _LOOPBACK,
            "no_proxy": _LOOPBACK,
            # Only with it does the engine write its events to a file.
            "PULUMI_DEBUG_COMMANDS": "true",
            # What commands say on stderr is then what a person at a pipe gets.
            "CI": "",
            # Without bytecode on the disk each run compiles the SDKs anew, which takes seconds.
            "PYTHONDONTWRITEBYTECODE": "",
        }
        self.configure({})
        if not list(backend.glob(f".pulumi/stacks/edge-dns/{name}.json")):
            # In the project's folder it would write a stack file of its own beside those of people.
            (folder / "Pulumi.yaml").write_text("{name: edge-dns, runtime: python}\n", encoding="utf-8")
            self.checked("stack", "init", name, "--cwd", str(folder))

    def configure(self, settings: Mapping[str, object]) -> None:
        """Write the stack file: these settings (keys without the prefix `edge-dns:`) and the providers' config."""
        config = {**self._provider_config, **{f"edge-dns:{key}": value for key, value in settings.items()}}
        salt = yaml.safe_load(STACK_FILE.read_text(encoding="utf-8"))["encryptionsalt"]
        self.configure_text(yaml.safe_dump({"encryptionsalt": salt, "config": config}))

    def configure_text(self, text: str) -> None:
        """Write the stack file; its secrets are encrypted with the salt of the local stack's file."""
        self.config_file.write_text(text, encoding="utf-8")

    def preview(self, *flags: str) -> Run:
        """Preview, with the stack's file."""
        return self._operation("preview", *flags)

    def up(self, *flags: str) -> Run:
        """Update without a question, as the shipped commands do."""
        return self._operation("up", "--yes", "--continue-on-error", *flags)

    def destroy(self, *flags: str) -> Run:
        """Destroy without a question, as the shipped commands do."""
        return self._operation("destroy", "--yes", "--continue-on-error", *flags)

    def outputs(self) -> dict[str, object]:
        """Return the stack outputs; secrets stay hidden."""
        found: dict[str, object] = json.loads(self.checked("stack", "output", "--json", "--stack", self.name))
        return found

    def state(self) -> str:
        """Return the checkpoint as the backend keeps it."""
        return self.checked("stack", "export", "--stack", self.name)

    def command(self, *arguments: str) -> subprocess.Popen[str]:
        """Start `edge-dns` with these arguments, as a user would in the project's folder; its output goes to pipes."""
        return self._start("edge-dns", *arguments)

    def checked(self, *arguments: str) -> str:
        """Run a command that must succeed; returns its stdout."""
        done = self._run([*arguments, *_QUIET])
        if done.returncode:
            raise RuntimeError(f"pulumi {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def _start(self, *command: str, start_new_session: bool = False) -> subprocess.Popen[str]:
        """Start a program in the project's folder, with its output in pipes."""
        return subprocess.Popen(
            command,
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=start_new_session,
        )

    def _operation(self, command: str, *flags: str) -> Run:
        log = self.folder / "events.json"
        log.unlink(missing_ok=True)
        stack = ("--stack", self.name, "--config-file", str(self.config_file))
        done = self._run([command, *stack, "--event-log", str(log), *flags, *_QUIET])
        events = _last_phase(log)
        return Run(
            status=done.returncode,
            text=_unwrapped(done.stdout + done.stderr),
            steps=_steps(events),
            messages=_messages(events),
        )

    def _run(self, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
        # In a session of its own, so that Ctrl-C reaches it once: at the second one the engine drops everything.
        with self._start("pulumi", *arguments, start_new_session=True) as process:
            try:
                out, err = process.communicate()
            except BaseException:
                _end(process)
                raise
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def _unwrapped(shown: str) -> str:
    """Return what the engine printed with each message of a name in one line."""
    return _DIAGNOSTICS.sub(lambda found: _WRAPPED_AS_SHOWN.sub(" ", found[0]), shown)


def _end(process: subprocess.Popen[str]) -> None:
    """Let the engine end its work in order, and kill it with all its children when it does not."""
    process.send_signal(signal.SIGINT)
    try:
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=_END_SECONDS)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def _last_phase(log: Path) -> list[_Event]:
    """Return the events of the last phase in the event log: the update's where there was one, else the preview's."""
    events: list[_Event] = []
    for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else ():
        event = json.loads(line)
        if "preludeEvent" in event:
            events = []
        events.append(event)
    return events


def _steps(events: Iterable[_Event]) -> tuple[Step, ...]:
    found = [event["resourcePreEvent"]["metadata"] for event in events if "resourcePreEvent" in event]
    steps = [Step(one["op"], one["type"], one["urn"].split("::", 3)[3]) for one in found]
    return tuple(step for step in steps if step.op not in {"same", "refresh"})


def _messages(events: Iterable[_Event]) -> tuple[str, ...]:
    found = [event["diagnosticEvent"] for event in events if "diagnosticEvent" in event]
    told = [one for one in found if one["severity"] in {"warning", "error"} and not one.get("ephemeral")]
    return tuple(_WRAPPED.sub(" ", _COLOR.sub("", one["message"]).strip()) for one in told)
