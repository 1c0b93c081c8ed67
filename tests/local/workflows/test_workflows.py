"""What the shipped workflows promise, and that the linters of both forges take them."""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from local.stack import ROOT
from tests.local.workflows.files import GITHUB, GITLAB, Job, gitlab_jobs, jobs, secrets_in, step
from tools import toolchain

SAME_REPOSITORY = "github.event.pull_request.head.repo.full_name == github.repository"
UPDATE, PREVIEWS = ("up", "up", "Up"), (("preview", "preview", "Preview"), ("drift", "drift", "Drift"))


def _actionlint(file: Path) -> subprocess.CompletedProcess[str]:
    shellcheck = str(toolchain.VENV / "bin" / "shellcheck")
    command = [str(toolchain.test_directory() / "actionlint"), "-no-color", "-shellcheck", shellcheck, str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _gitlab_schema(file: Path) -> subprocess.CompletedProcess[str]:
    command = [str(toolchain.VENV / "bin" / "check-jsonschema"), "--builtin-schema", "vendor.gitlab-ci", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _shellcheck(script: str) -> subprocess.CompletedProcess[str]:
    command = [str(toolchain.VENV / "bin" / "shellcheck"), "--shell=bash", "-"]
    return subprocess.run(command, input=script, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("file", GITHUB, ids=lambda file: file.stem)
def test_actionlint_finds_nothing_in_the_workflow_and_its_shell(file: Path) -> None:
    done = _actionlint(file)
    assert (done.stdout, done.returncode) == ("", 0)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("runs-on:", "runs-one:", 'unexpected key "runs-one"'),
        ("steps.preview.outputs", "steps.previeww.outputs", '"previeww" is not defined'),
        ('"$POLICY_CONFIG" > preview', "$POLICY_CONFIG > preview", "SC2086"),
    ],
    ids=["key", "expression", "shell"],
)
def test_actionlint_would_find_a_mistake(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = (ROOT / "workflows" / "github" / "edge-dns-preview.yaml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "broken.yaml").write_text(text.replace(old, new), encoding="utf-8")
    assert said in _actionlint(tmp_path / "broken.yaml").stdout


def test_the_gitlab_file_is_one_by_gitlabs_own_schema_and_its_shell_is_sound(tmp_path: Path) -> None:
    done = _gitlab_schema(GITLAB)
    assert done.returncode == 0, done.stdout
    for name, job in gitlab_jobs().items():
        for line in job["script"]:
            checked = _shellcheck(line)
            assert checked.returncode == 0, f"{name}: {checked.stdout}"
    text = GITLAB.read_text(encoding="utf-8").replace("when: always", "when: seldom")
    (tmp_path / "broken.yml").write_text(text, encoding="utf-8")
    assert _gitlab_schema(tmp_path / "broken.yml").returncode == 1


@pytest.mark.parametrize("file", GITHUB, ids=lambda file: file.stem)
def test_actions_are_pinned_by_commit_with_their_version_beside_it(file: Path) -> None:
    used = re.findall(r"uses: (.*)", file.read_text(encoding="utf-8"))
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)] == []


@pytest.mark.parametrize("file", GITHUB, ids=lambda file: file.stem)
def test_nothing_has_more_rights_than_it_needs(file: Path) -> None:
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    # YAML 1.1 reads `on` as true.
    assert "pull_request_target" not in document[True]
    assert document["permissions"] == {}
    for job in document["jobs"].values():
        rights = dict(job["permissions"])
        assert rights.pop("contents") == "read"
        assert rights == ({"pull-requests": "write"} if _comments(job) else {})
        for one in job["steps"]:
            if one.get("uses", "").startswith("actions/checkout@"):
                assert one["with"]["persist-credentials"] is False
            # What an expression holds would be run as shell.
            assert "${{" not in one.get("run", "")


def _comments(job: Job) -> bool:
    return any("comment.py" in one.get("run", "") for one in job["steps"])


def test_a_secret_stands_in_the_step_that_needs_it_and_never_where_a_fork_runs() -> None:
    found = jobs("preview")
    assert SAME_REPOSITORY in found["preview"]["if"]
    assert "||" not in found["preview"]["if"]
    assert SAME_REPOSITORY.replace("==", "!=") in found["plan"]["if"]
    assert secrets_in(found["plan"]) == set()
    assert "environment" not in found["plan"]
    assert not any("pulumi" in str(one.get("run", one.get("uses"))) for one in found["plan"]["steps"])
    for workflow, job in (("preview", "preview"), ("up", "up"), ("drift", "drift")):
        asking = [one["name"] for one in jobs(workflow)[job]["steps"] if secrets_in(one)]
        assert asking == (["Preview", "Comment"] if job == "preview" else [job.capitalize()])
    assert secrets_in(step("preview", "preview", "Comment")) == {"github.token"}


def test_what_a_pull_request_can_change_never_runs_with_the_secrets_of_another_job() -> None:
    environments = [jobs(name)[name]["environment"] for name in ("preview", "drift", "up")]
    assert environments == ["edge-dns-preview", "edge-dns-drift", "edge-dns-prod"]
    gitlab = gitlab_jobs()
    found = [gitlab[f"edge-dns {name}"]["environment"] for name in ("preview", "drift", "up")]
    assert [one["name"] if isinstance(one, dict) else one for one in found] == environments
    # Protected variables reach them there alone, and only the update is a deployment.
    for name in ("drift", "up"):
        (rule,) = gitlab[f"edge-dns {name}"]["rules"]
        assert rule["if"].startswith("$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && ")
    assert [one["action"] for one in found if isinstance(one, dict)] == ["access", "verify"]


def test_a_merge_request_of_a_fork_runs_no_pulumi_in_either_project() -> None:
    found = gitlab_jobs()
    (preview,), (plan,) = (one["rules"] for one in (found["edge-dns preview"], found["edge-dns plan"]))
    ours, theirs = {"project": "1", "source": "1", "target": "1"}, {"project": "1", "source": "2", "target": "1"}
    in_the_fork = {"project": "2", "source": "2", "target": "1"}
    assert [_holds(preview["if"], where) for where in (ours, theirs, in_the_fork)] == [True, False, False]
    assert [_holds(plan["if"], where) for where in (ours, theirs, in_the_fork)] == [False, True, True]
    assert "pulumi " not in str(found["edge-dns plan"])


def _holds(rule: str, where: dict[str, str]) -> bool:
    """Evaluate a rule of comparisons that are joined by `&&`, in a pipeline of a merge request."""
    values = {
        "$CI_PIPELINE_SOURCE": '"merge_request_event"',
        "$CI_PROJECT_ID": where["project"],
        "$CI_MERGE_REQUEST_PROJECT_ID": where["target"],
        "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID": where["source"],
    }
    words = [values.get(word, word) for word in rule.split()]
    comparisons = [words[start : start + 3] for start in range(0, len(words), 4)]
    assert set(words[3::4]) <= {"&&"}
    return all((left == right) is (sign == "==") for left, sign, right in comparisons)


def test_updates_go_on_after_an_error_and_keep_their_checkpoints_and_previews_keep_none() -> None:
    up = step(*UPDATE)
    gitlab = gitlab_jobs()
    for command, environment in (
        (up["run"], up["env"]),
        ("\n".join(gitlab["edge-dns up"]["script"]), gitlab["edge-dns up"].get("variables", {})),
    ):
        assert {"up", "--yes", "--continue-on-error", "--suppress-outputs"} <= set(command.split())
        assert "--skip-preview" not in command
        assert "PULUMI_SKIP_CHECKPOINTS" not in environment
    for place in PREVIEWS:
        assert step(*place)["env"]["PULUMI_SKIP_CHECKPOINTS"] == "true"
    for name in ("edge-dns preview", "edge-dns drift"):
        assert gitlab[name]["variables"]["PULUMI_SKIP_CHECKPOINTS"] == "true"


def test_every_pulumi_command_has_the_policy_pack_and_its_configuration() -> None:
    scripts = [step(*place)["run"] for place in (UPDATE, *PREVIEWS)]
    scripts += ["\n".join(job["script"]) for job in gitlab_jobs().values()]
    commands = [one for script in scripts for one in _commands(script)]
    assert len(commands) == 6
    for command in commands:
        assert {"--policy-pack policy", '--policy-pack-config "$POLICY_CONFIG"'} <= _options(command)


def _commands(script: str) -> list[str]:
    """Return the commands of `pulumi` in a script, each on one line."""
    return re.findall(r"^\s*(pulumi .*)$", script.replace("\\\n", " "), re.MULTILINE)


def _options(command: str) -> set[str]:
    return {" ".join(one) for one in re.findall(r"(--[\w-]+) +([\w\"$]+)", command)}


def test_one_update_of_a_stack_runs_at_a_time_and_none_is_cut_off() -> None:
    documents: Iterable[Any] = (yaml.safe_load(file.read_text(encoding="utf-8")) for file in GITHUB)
    groups = {one["name"]: one.get("concurrency") or one["jobs"]["preview"]["concurrency"] for one in documents}
    assert groups["edge-dns up"] == {"group": "edge-dns-prod", "cancel-in-progress": False}
    # A waiting run gives way to a newer one of its group: a check must not take the place of an update.
    assert len({one["group"] for one in groups.values()}) == len(groups)
    assert gitlab_jobs()["edge-dns up"]["resource_group"] == "edge-dns-prod"


def test_the_installed_pulumi_is_the_one_that_is_pinned_here() -> None:
    pinned = re.findall(r"^pulumi==(\S+)$", (ROOT / "requirements.in").read_text(encoding="utf-8"), re.MULTILINE)
    asked = [
        match for file in GITHUB for match in re.findall(r"pulumi-version: (\S+)", file.read_text(encoding="utf-8"))
    ]
    asked += re.findall(r"pulumi/pulumi-python[\w.-]*:(\S+)", GITLAB.read_text(encoding="utf-8"))
    assert len(asked) == 4
    assert set(asked) == set(pinned)


def test_the_plan_of_a_fork_knows_the_day_so_that_what_has_expired_does_not_count() -> None:
    scripts = [step("preview", "plan", "Plan")["run"], "\n".join(gitlab_jobs()["edge-dns plan"]["script"])]
    assert [script.count('--today "$(date -u +%F)"') for script in scripts] == [1, 1]
