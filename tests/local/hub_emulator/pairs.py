"""Replays request and answer pairs from a data file against a running emulator.

In strings, `${name.field}` is a field of an earlier answer saved as `name`; `<operator key>` is the hub's key. As an
expected value, `<int>`, `<string>`, `<hex64>`, `<invite_id>`, `<token>` stand for any such value and `<now+N>` for the
hub's time in N milliseconds.
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import urllib3
import yaml

from local.hub_emulator import Edge, HubEmulator, HubSettings

DATA = Path(__file__).parent / "data"

Node = dict[str, Any]  # YAML of these files, read by key

_FORMS = {
    "<string>": re.compile(r".+"),
    "<hex64>": re.compile(r"[0-9a-f]{64}"),
    "<invite_id>": re.compile(r"[A-Za-z0-9_-]{22}"),
    "<token>": re.compile(r"tt_inv_2_[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){3}"),
}


def scenarios(file: str) -> list[Node]:
    """The scenarios of a data file."""
    loaded: list[Node] = yaml.safe_load((DATA / file).read_text())
    return loaded


def settings_of(scenario: Node) -> HubSettings:
    """The hub settings a scenario asks for."""
    given = dict(scenario["settings"])
    edges = tuple(Edge(**{**edge, "public_ips": tuple(edge["public_ips"])}) for edge in given.pop("edges", ()))
    bound = frozenset((port, protocol) for port, protocol in given.pop("bound_ports", ()))
    return HubSettings(**given, edges=edges, bound_ports=bound, public_url="https://hub.test.example")


@dataclass
class Replay:
    """One run of a scenario's steps; `user_key` is the key of a user who owns nothing."""

    hub: HubEmulator
    user_key: str = ""
    saved: dict[str, dict[str, str]] = field(default_factory=dict)

    def run(self, steps: list[Node]) -> None:
        for step in steps:
            for _ in range(step.get("times", 1)):
                self.hub.clock.advance(1)
                self._step(step)

    def _step(self, step: Node) -> None:
        reply = self._send(step["request"])
        where = f"{step['pair']}: {reply.status} {reply.data!r}"
        want = step["response"]
        assert reply.status == want["status"], where
        assert reply.headers["x-request-id"], where
        for name, value in want.get("headers", {}).items():
            assert reply.headers[name] == value, where
        if "text" in want:
            assert reply.data.decode().startswith(want["text"]), where
        if want.get("empty"):
            assert (reply.data, reply.headers.get("content-type")) == (b"", None), where
        if "json" in want:
            assert reply.headers["content-type"] == "application/json; charset=utf-8", where
            self._same(reply.json(), self._filled(want["json"]), where)
        if "listing" in want:
            check_listing(reply.json(), want["listing"])
        if "save_as" in step:
            self._save(step["save_as"], reply.json())

    def _send(self, request: Node) -> urllib3.BaseHTTPResponse:
        headers = dict(request.get("headers", {}))
        headers |= self._authorization(request.get("auth", "operator"))
        body = None
        if "json" in request:
            body = json.dumps(self._filled(request["json"]), ensure_ascii=False).encode()
            headers["content-type"] = "application/json"
        elif "text" in request:
            body = request["text"].encode()
        elif "filler_bytes" in request:
            body = b" " * request["filler_bytes"]
        if "content_type" in request:
            headers["content-type"] = request["content_type"]
        url = self.hub.url + self._filled(request["path"])
        return urllib3.request(request["method"], url, headers=headers, body=body, retries=False, timeout=10)

    def _authorization(self, auth: str) -> dict[str, str]:
        known = {"operator": f"Bearer {self.hub.operator_key}", "user": f"Bearer {self.user_key}"}
        header = known.get(auth, auth.replace("<operator key>", self.hub.operator_key))
        return {} if auth == "none" else {"authorization": header}

    def _save(self, name: str, body: Node) -> None:
        self.saved[name] = dict(body)
        if "token" in body:
            self.saved[name]["invite_secret"] = body["token"].split(".")[2]

    def _filled(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._filled(item) for item in value]
        if not isinstance(value, str):
            return value
        return re.sub(r"\$\{(\w+)\.(\w+)\}", lambda found: self.saved[found[1]][found[2]], value)

    def _same(self, got: Any, want: Any, where: str) -> None:
        if isinstance(want, dict):
            assert isinstance(got, dict), where
            assert got.keys() == want.keys(), where
            for key, value in want.items():
                self._same(got[key], value, where)
        elif isinstance(want, list):
            assert len(got) == len(want), where
            for one, other in zip(got, want, strict=True):
                self._same(one, other, where)
        elif want == "<int>":
            assert isinstance(got, int), where
        elif isinstance(want, str) and want in _FORMS:
            assert _FORMS[want].fullmatch(got), where
        elif isinstance(want, str) and want.startswith("<now+"):
            assert got == self.hub.clock.now_ms() + int(want[5:-1]), where
        else:
            assert got == want, where


def check_listing(body: Node, want: Node) -> None:
    """Compare an invite list of v0.0.22: order, keys, hostnames, and the hostnames of revoked rows."""
    rows = body["invites"]
    assert [row["invite_id"] for row in rows] == sorted(row["invite_id"] for row in rows)
    assert all(sorted(row) == want["keys"] for row in rows)
    assert sorted(row["hostnames"] for row in rows) == sorted(want["hostnames"])
    assert [name for row in rows if row["status"] == "revoked" for name in row["hostnames"]] == want["revoked"]
