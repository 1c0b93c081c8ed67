"""The shipped workflows, read."""

import re
from typing import Any

import yaml

from local.stack import ROOT

GITHUB = sorted((ROOT / "workflows" / "github").glob("*.yaml"))
GITLAB = ROOT / "workflows" / "gitlab" / "edge-dns.gitlab-ci.yml"

Job = dict[str, Any]


def jobs(workflow: str) -> dict[str, Job]:
    """Return the jobs of the GitHub workflow `edge-dns-<workflow>.yaml`, with its `env` in each step."""
    document = yaml.safe_load((ROOT / "workflows" / "github" / f"edge-dns-{workflow}.yaml").read_text(encoding="utf-8"))
    for job in document["jobs"].values():
        for step in job["steps"]:
            step["env"] = document["env"] | step.get("env", {})
    found: dict[str, Job] = document["jobs"]
    return found


def step(workflow: str, job: str, name: str) -> dict[str, Any]:
    """Return the step of this name."""
    return next(one for one in jobs(workflow)[job]["steps"] if one.get("name") == name)


def gitlab_jobs() -> dict[str, Job]:
    """Return the jobs of the GitLab file."""
    document = yaml.safe_load(GITLAB.read_text(encoding="utf-8"))
    return {name: job for name, job in document.items() if isinstance(job, dict) and "script" in job}


def secrets_in(value: object) -> set[str]:
    """Return the names of the secrets that a part of a workflow asks for; the token of the job is one too."""
    return set(re.findall(r"\$\{\{\s*(secrets\.\w+|github\.token)", str(value)))
