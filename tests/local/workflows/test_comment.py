"""The comment of a summary on a pull request."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge_dns.core.summary import title
from local.stack import ROOT
from tests.local.workflows.forge import GITHUB_BOT, GITLAB_BOT, TOKEN, Forge, serve

PROD = f"{title('prod')}\n\nNo changes.\n"


@pytest.fixture(params=[GITHUB_BOT, GITLAB_BOT], ids=["GitHub", "GitLab"])
def forge(request: pytest.FixtureRequest) -> Iterator[Forge]:
    with serve(request.param) as served:
        yield served


def _comment(forge: Forge, text: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "summary.md").write_text(text, encoding="utf-8")
    return subprocess.run(
        [sys.executable, ROOT / "workflows" / "comment.py", folder / "summary.md"],
        env=forge.environment() | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_second_summary_of_a_stack_takes_the_place_of_the_first(forge: Forge, tmp_path: Path) -> None:
    assert _comment(forge, PROD, tmp_path).stdout == "comment made\n"
    assert _comment(forge, f"{title('other_stack')}\n\none\n", tmp_path).stdout == "comment made\n"
    again = PROD.replace("No changes", "**1 added**")
    assert _comment(forge, again, tmp_path).stdout == "comment changed\n"
    # As the workflow says it where there is no summary, without the escapes of Markdown.
    assert _comment(forge, "## edge-dns: other_stack\n\nfailed\n", tmp_path).stdout == "comment changed\n"
    assert [one.body for one in forge.comments.values()] == [again, "## edge-dns: other_stack\n\nfailed\n"]


def test_what_other_people_write_is_never_changed_whatever_it_looks_like(forge: Forge, tmp_path: Path) -> None:
    for number in range(150):
        forge.say("mallory", f"{PROD}\n{number}")
    before = list(forge.comments.values())
    assert _comment(forge, PROD, tmp_path).stdout == "comment made\n"
    assert _comment(forge, PROD, tmp_path).stdout == "comment changed\n"
    assert list(forge.comments.values())[:150] == before
    assert len(forge.comments) == 151


@pytest.mark.parametrize("wrong", [{"GITHUB_TOKEN": "x", "COMMENT_TOKEN": "x"}], ids=["token"])
def test_a_refusal_is_one_line_without_the_token(forge: Forge, tmp_path: Path, wrong: dict[str, str]) -> None:
    done = _comment(forge, PROD, tmp_path, **wrong)
    assert done.returncode == 1
    assert "401" in done.stderr
    assert done.stderr.count("\n") == 1
    assert TOKEN not in done.stderr


def test_what_the_environment_lacks_is_named(tmp_path: Path) -> None:
    done = _comment(Forge(url="http://127.0.0.1:1", bot=GITHUB_BOT), PROD, tmp_path, GITLAB_CI="true")
    assert (done.returncode, done.stderr) == (1, "error: CI_API_V4_URL is not set, or the answer lacks it\n")
