"""Puts a summary on a pull request as one comment: makes it, or changes the one that is there.

    python workflows/comment.py summary.md

On GitHub the environment holds GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN and PULL_REQUEST (its number); on GitLab
CI_API_V4_URL, CI_PROJECT_ID, CI_MERGE_REQUEST_IID and COMMENT_TOKEN. Needs the standard library alone.
Exit status: 0 the comment is there, 1 it is not (the message says why).
"""

import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path

SECONDS = 30
_PAGE = 100
_GITHUB_BOT = "github-actions[bot]"
"""The author of comments that are made with the token of a GitHub workflow."""


class CommentFailed(Exception):  # noqa: N818 - named after what happened
    """The comment is not there; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forge:
    """Where the comments of one pull request are: `comments` lists and takes them, `one` is the address of each.

    `author` is the name of who writes here, which stands in each comment as `user`.
    """

    headers: Mapping[str, str]
    comments: str
    one: str
    change: str
    user: str
    name: str
    author: str

    def ask(self, method: str, url: str, body: object = None) -> object:
        """Return the answer as JSON values; raises CommentFailed."""
        headers = {**self.headers, "Content-Type": "application/json", "User-Agent": "edge-dns"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, headers=headers, method=method)  # noqa: S310 - of the forge
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310 - of the forge
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise CommentFailed(f"{method} {url}: {error.code} {error.reason}") from None
        except (OSError, ValueError) as error:
            raise CommentFailed(f"{method} {url}: {error}") from None

    def own(self) -> Iterator[tuple[str, str]]:
        """Yield id and text of each comment that the author has written, oldest first."""
        page = 1
        while True:
            found = self.ask("GET", f"{self.comments}?per_page={_PAGE}&page={page}")
            entries = found if isinstance(found, list) else []
            for entry in entries:
                # An account that is gone is null.
                if (entry[self.user] or {}).get(self.name) == self.author:
                    yield str(entry["id"]), str(entry["body"])
            if len(entries) < _PAGE:
                return
            page += 1


def github(environment: Mapping[str, str]) -> Forge:
    """Return the pull request of a GitHub workflow. Raises KeyError where the environment lacks something."""
    issues = f"{environment['GITHUB_API_URL']}/repos/{environment['GITHUB_REPOSITORY']}/issues"
    return Forge(
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {environment['GITHUB_TOKEN']}",
            "X-GitHub-Api-Version": "2022-11-28",
        },
        comments=f"{issues}/{environment['PULL_REQUEST']}/comments",
        one=f"{issues}/comments",
        change="PATCH",
        user="user",
        name="login",
        author=_GITHUB_BOT,
    )


def gitlab(environment: Mapping[str, str]) -> Forge:
    """Return the merge request of a GitLab job. Raises KeyError where the environment lacks something."""
    api = environment["CI_API_V4_URL"]
    notes = f"{api}/projects/{environment['CI_PROJECT_ID']}/merge_requests/{environment['CI_MERGE_REQUEST_IID']}/notes"
    forge = Forge(
        headers={"PRIVATE-TOKEN": environment["COMMENT_TOKEN"]},
        comments=notes,
        one=notes,
        change="PUT",
        user="author",
        name="username",
        author="",
    )
    return replace(forge, author=_user(forge, api))


def put(forge: Forge, text: str) -> str:
    """Make the text the comment on its stack, which its first line names; returns what was done."""
    for number, there in forge.own():
        if _first_line(there) == _first_line(text):
            forge.ask(forge.change, f"{forge.one}/{number}", {"body": text})
            return "changed"
    forge.ask("POST", forge.comments, {"body": text})
    return "made"


def main() -> int:
    """Run the command; returns the exit status."""
    environment = os.environ
    try:
        text = Path(sys.argv[1]).read_text(encoding="utf-8")
        forge = gitlab(environment) if "GITLAB_CI" in environment else github(environment)
        print(f"comment {put(forge, text)}")
    except KeyError as error:
        print(f"error: {error.args[0]} is not set, or the answer lacks it", file=sys.stderr)
        return 1
    except (CommentFailed, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _user(forge: Forge, api: str) -> str:
    """Return who the token belongs to."""
    user = forge.ask("GET", f"{api}/user")
    return str(user["username"]) if isinstance(user, dict) else ""


def _first_line(text: str) -> str:
    return unescape(text.partition("\n")[0]).strip()


if __name__ == "__main__":
    sys.exit(main())
