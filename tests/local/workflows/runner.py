"""Runs the shell steps of the shipped GitHub workflows, as a runner would."""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from local.stack import ROOT
from tests.local.workflows.files import jobs

SET_UP = "Set up"
"""The step that makes what the tests have already."""


@dataclass(slots=True)
class Job:
    """A finished job: the steps that ran, with all they printed, and whether it succeeded."""

    succeeded: bool = True
    steps: list[str] = field(default_factory=list)
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """A runner with a checkout in `folder`; `environment` is what each step finds, `values` what expressions give."""

    folder: Path
    environment: Mapping[str, str]
    values: Mapping[str, str]

    def check_out(self) -> None:
        """Make the checkout: the files of the project, in a folder that steps may write to."""
        (self.folder / "checkout").mkdir(parents=True)
        for entry in ROOT.iterdir():
            if entry.name not in {".git", ".local"}:
                (self.folder / "checkout" / entry.name).symlink_to(entry)

    def run(self, workflow: str, job: str, **overrides: str) -> Job:
        """Run the shell steps of a job in order; those behind one that fails do not run. `overrides` change its env."""
        done = Job()
        files = {name: self.folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("", encoding="utf-8")
        for step in jobs(workflow)[job]["steps"]:
            if "run" not in step or step["name"] == SET_UP or not done.succeeded:
                continue
            outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
            values = {**self.values, **{f"steps.preview.outputs.{name}": one for name, one in outputs.items()}}
            env = {name: _evaluated(str(value), values) for name, value in (step["env"] | overrides).items()}
            ran = subprocess.run(
                ["bash", "-e", "-c", step["run"]],
                cwd=self.folder / "checkout",
                env={**os.environ, **self.environment, **{name: str(file) for name, file in files.items()}, **env},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            done.steps.append(step["name"])
            done.text += ran.stdout
            done.succeeded = ran.returncode == 0
        return done

    def summary(self) -> str:
        """Return what the last job wrote to the page of the run."""
        return (self.folder / "GITHUB_STEP_SUMMARY").read_text(encoding="utf-8")


def _evaluated(text: str, values: Mapping[str, str]) -> str:
    """Return a value of `env` with its expressions evaluated; one that is not known is a KeyError."""
    return re.sub(r"\$\{\{\s*(\S+)\s*\}\}", lambda found: values[found[1]], text)
