"""A stack of the project as the `pulumi` on the PATH knows it: which one, and what its last state holds.

Read-only. Secrets stay encrypted: the export is asked for without them.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from edge_dns.core import yaml_text
from edge_dns.core.errors import ObservationFailed
from edge_dns.observe.own_state import Outputs
from edge_dns.observe.state_export import PROJECT, exported_outputs

_QUIET = ("--non-interactive", "--color", "never")
_SECONDS = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """A stack of the project in a folder: its name, and its stack file."""

    project: Path
    name: str
    config_file: Path


def find_stack(name: str | None, config_file: str | None, *, folder: Path) -> Stack:
    """Return the stack of this name, else the one that `pulumi stack select` has set, of the project at the folder.

    Raises ObservationFailed where there is no project, no `pulumi`, or no stack.
    """
    project, _ = _project(folder.resolve())
    chosen = name or _checked(["stack", "--show-name"], project).strip()
    file = Path(config_file).resolve() if config_file else stack_file(chosen, folder)
    return Stack(project=project, name=chosen, config_file=file)


def stack_file(name: str, folder: Path) -> Path:
    """Return where the stack file of this name is, of the project at the folder. Raises ObservationFailed."""
    project, settings = _project(folder.resolve())
    # An organization and a project may stand before the name: `org/edge-dns/prod`.
    return project / settings / f"Pulumi.{name.rpartition('/')[2]}.yaml"


def outputs_of(stack: Stack) -> Outputs:
    """Return the outputs of each resource of the stack's last state. Raises ObservationFailed."""
    text = _checked(["stack", "export", "--stack", stack.name], stack.project)
    try:
        return exported_outputs(json.loads(text))
    except (ValueError, RecursionError):
        raise ObservationFailed(f"the export of stack {stack.name} is not JSON") from None


def _project(folder: Path) -> tuple[Path, str]:
    """Return the folder of the project at or above a folder, and where its stack files are, relative to it."""
    for at in (folder, *folder.parents):
        file = at / "Pulumi.yaml"
        if file.exists():
            document = _document(file)
            if document.get("name") == PROJECT:
                return at, str(document.get("stackConfigDir") or ".")
    raise ObservationFailed(f"there is no project {PROJECT} at or above {folder}; run the command in its folder")


def _document(file: Path) -> Mapping[str, object]:
    try:
        document = yaml_text.load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ObservationFailed(f"{file} cannot be read: {error}") from None
    return document if isinstance(document, dict) else {}


def run_pulumi(
    arguments: Sequence[str],
    folder: Path,
    *,
    environment: Mapping[str, str] | None = None,
    seconds: float = _SECONDS,
) -> subprocess.CompletedProcess[str]:
    """Run a `pulumi` command that only reads, without a question. Raises ObservationFailed where it cannot end."""
    program = shutil.which("pulumi")
    if program is None:
        raise ObservationFailed("pulumi is not on the PATH (https://www.pulumi.com/docs/install/)")
    try:
        return subprocess.run(  # noqa: S603 - the user's own pulumi
            [program, *arguments, *_QUIET],
            cwd=folder,
            env={**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true", **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        raise ObservationFailed(f"`pulumi {arguments[0]}` does not end in time") from None


def problem_of(done: subprocess.CompletedProcess[str]) -> str:
    """Return the errors that `pulumi` printed, or the end of what it printed."""
    lines = [line.strip() for line in (done.stdout + "\n" + done.stderr).splitlines() if line.strip()]
    errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    return "; ".join(dict.fromkeys(errors)) or (lines[-1] if lines else "it said nothing")


def _checked(arguments: Sequence[str], folder: Path) -> str:
    done = run_pulumi(arguments, folder)
    if done.returncode:
        raise ObservationFailed(f"`pulumi {arguments[0]} {arguments[1]}` failed: {problem_of(done)}")
    return done.stdout
