"""The shortest possible client for tests of the emulator."""

from dataclasses import dataclass
from typing import Any

import urllib3

from local.hub_emulator import HubEmulator


@dataclass(frozen=True)
class Api:
    """Calls a running emulator with one key; answers are not interpreted."""

    hub: HubEmulator
    key: str

    def __call__(
        self, method: str, path: str, body: object = None, *, timeout: float = 10.0
    ) -> urllib3.BaseHTTPResponse:
        headers = {"authorization": f"Bearer {self.key}"} if self.key else {}
        return urllib3.request(method, self.hub.url + path, headers=headers, json=body, retries=False, timeout=timeout)

    def create(self, *hostnames: str, **fields: object) -> dict[str, Any]:
        reply = self("POST", "/v1/invites", {"hostnames": hostnames, **fields})
        assert reply.status == 200, reply.data
        created: dict[str, Any] = reply.json()
        return created

    def get(self, invite_id: str) -> dict[str, Any]:
        reply = self("GET", f"/v1/invites/{invite_id}")
        assert reply.status == 200, reply.data
        found: dict[str, Any] = reply.json()
        return found


def code(reply: urllib3.BaseHTTPResponse) -> tuple[int, str]:
    """Status and error code."""
    return reply.status, reply.json()["error"]["code"]
