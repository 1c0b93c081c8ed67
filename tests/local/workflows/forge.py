"""The comments of one pull request on loopback, by the APIs of GitHub and GitLab as far as they are used."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

TOKEN = "token-of-the-job"
GITHUB_BOT, GITLAB_BOT = "github-actions[bot]", "project_7_bot"
LONGEST = 65_536


@dataclass(slots=True)
class Comment:
    author: str
    body: str


@dataclass(slots=True)
class Forge:
    """The comments by id; `bot` is who writes with the token."""

    url: str
    bot: str
    comments: dict[int, Comment] = field(default_factory=dict)

    def say(self, author: str, body: str) -> None:
        self.comments[len(self.comments) + 1] = Comment(author, body)

    def environment(self) -> dict[str, str]:
        """Return what a job's environment holds there."""
        if self.bot == GITLAB_BOT:
            return {
                "GITLAB_CI": "true",
                "CI_API_V4_URL": self.url,
                "CI_PROJECT_ID": "7",
                "CI_MERGE_REQUEST_IID": "3",
                "COMMENT_TOKEN": TOKEN,
            }
        return {
            "GITHUB_API_URL": self.url,
            "GITHUB_REPOSITORY": "acme/dns",
            "GITHUB_TOKEN": TOKEN,
            "PULL_REQUEST": "3",
        }


@contextmanager
def serve(bot: str = GITHUB_BOT) -> Iterator[Forge]:
    """Serve the API of the forge that this bot belongs to."""
    forge = Forge(url="", bot=bot)

    class Handler(_Handler):
        answer = staticmethod(lambda *request: _answer(forge, *request))

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    forge.url = f"http://127.0.0.1:{server.server_port}"
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield forge
    finally:
        server.shutdown()
        server.server_close()


def _answer(forge: Forge, method: str, target: str, body: str | None) -> tuple[int, object]:
    path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
    gitlab = forge.bot == GITLAB_BOT
    listing = "/projects/7/merge_requests/3/notes" if gitlab else "/repos/acme/dns/issues/3/comments"
    one = re.fullmatch(f"{listing if gitlab else '/repos/acme/dns/issues/comments'}/(\\d+)", path)
    if body is not None and len(body) > LONGEST:
        return 422, {"message": "Body is too long (maximum is 65536 characters)"}
    if method == "GET" and path == "/user" and gitlab:
        return 200, {"username": forge.bot}
    if method == "GET" and path == listing:
        size, page = int(query["per_page"][0]), int(query["page"][0])
        entries = [_entry(forge, number) for number in sorted(forge.comments)]
        return 200, entries[size * (page - 1) : size * page]
    if method == "POST" and path == listing and body is not None:
        forge.say(forge.bot, body)
        return 201, _entry(forge, len(forge.comments))
    if method == ("PUT" if gitlab else "PATCH") and one and body is not None:
        forge.comments[int(one[1])].body = body
        return 200, _entry(forge, int(one[1]))
    return 404, {"message": "Not Found"}


def _entry(forge: Forge, number: int) -> dict[str, object]:
    comment = forge.comments[number]
    author = (
        {"author": {"username": comment.author}} if forge.bot == GITLAB_BOT else {"user": {"login": comment.author}}
    )
    return {"id": number, "body": comment.body, **author}


class _Handler(BaseHTTPRequestHandler):
    answer: Callable[[str, str, str | None], tuple[int, object]]

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length))["body"] if length else None
        allowed = TOKEN in {
            self.headers.get("PRIVATE-TOKEN"),
            (self.headers.get("Authorization") or "")[len("Bearer ") :],
        }
        status, document = self.answer(self.command, self.path, body) if allowed else (401, {"message": "no"})
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(document).encode())

    do_GET = do_POST = do_PATCH = do_PUT = _serve  # noqa: N815 - names that the server looks for

    def log_message(self, *_: object) -> None:
        pass
