"""One call to the hub: timeouts, waiting on 429, retries of idempotent calls, and the reading of the answer."""

import json
import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn
from urllib.parse import urlsplit

import urllib3
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError, SSLError
from urllib3.exceptions import TimeoutError as HTTPTimeoutError

from edge_dns.hub.errors import (
    HubConflict,
    HubError,
    HubNotAHub,
    HubNotFound,
    HubRateLimited,
    HubRefused,
    HubServerError,
    HubUnauthorized,
    HubUnreachable,
    NotFound,
    scrub,
)

CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 20.0
ATTEMPTS = 4
"""Tries of an idempotent call that meets a connection error (not a timeout) or a 5xx of `_RETRIED`."""
RATE_LIMIT_BUDGET_S = 60.0
"""How long one call waits on 429 in all."""
_BACKOFF_S = (0.5, 8.0)
_RETRIED = frozenset({500, 502, 503, 504})
_WAIT_TEXT = re.compile(r"Wait for (\d+)s")


@dataclass(frozen=True, slots=True)
class Answer:
    """A successful answer: the decoded JSON body and the headers."""

    body: object
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Reply:
    status: int
    headers: Mapping[str, str]
    data: bytes

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", "replace")

    def json(self) -> object:
        """The decoded body, or None when it is not JSON by its content type or by itself."""
        if not self.headers.get("content-type", "").lower().startswith("application/json"):
            return None
        try:
            decoded: object = json.loads(self.data)
        except ValueError:
            return None
        return decoded

    def error(self) -> tuple[str | None, str]:
        """The hub's error code and message; code None and a description for an answer that is not of that form."""
        body = self.json()
        error = body.get("error") if isinstance(body, dict) else None
        if isinstance(error, dict) and isinstance(error.get("code"), str):
            return error["code"], str(error.get("message", ""))
        kind = self.headers.get("content-type", "").partition(";")[0]
        if kind == "text/plain":
            return None, self.text
        return None, f"a body of type {kind}" if self.data else "an empty body"


class Transport:
    """Calls to one hub with one key. Thread-safe. `sleep` takes seconds; `jitter` returns a number in [0, 1)."""

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        sleep: Callable[[float], object] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.url = _base_url(url)
        self._key = _checked_key(api_key)
        self._sleep = sleep
        self._jitter = jitter
        self._pool = urllib3.PoolManager(
            maxsize=8, retries=False, timeout=urllib3.Timeout(connect=CONNECT_TIMEOUT_S, read=READ_TIMEOUT_S)
        )

    def __repr__(self) -> str:
        return f"Transport({self.url!r})"

    def call(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Answer:
        """The answer to one call. GET and DELETE are retried, every call waits on 429; raises HubError."""
        call = f"{method} {path}"
        attempts = ATTEMPTS if method in {"GET", "DELETE"} else 1
        for attempt in range(attempts):
            last = attempt == attempts - 1
            try:
                reply = self._within_rate_limit(method, path, body, call)
            except HubUnreachable as error:
                if last or error.timed_out:
                    raise
            else:
                if last or reply.status not in _RETRIED:
                    return self._read(reply, call)
            self._sleep(self._backoff(attempt))
        raise AssertionError("the last attempt returns or raises")

    def _within_rate_limit(self, method: str, path: str, body: Mapping[str, object] | None, call: str) -> _Reply:
        """The first reply that is not a 429; a 429 did nothing, so every call may be repeated."""
        waited = 0.0
        for attempt in range(int(RATE_LIMIT_BUDGET_S)):
            reply = self._send(method, path, body, call)
            if reply.status != 429:
                return reply
            wait = _asked_wait(reply) or self._backoff(attempt) or _BACKOFF_S[0]
            if waited + wait > RATE_LIMIT_BUDGET_S:
                break
            self._sleep(wait)
            waited += wait
        detail = f"rate limited, after {waited:.0f} s of waiting"
        raise HubRateLimited(call, detail, status=429, request_id=_request_id(reply))

    def _send(self, method: str, path: str, body: Mapping[str, object] | None, call: str) -> _Reply:
        headers = {"Authorization": f"Bearer {self._key}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        data = None if body is None else json.dumps(body).encode()
        try:
            response = self._pool.request(method, self.url + path, headers=headers, body=data, redirect=False)
            return _Reply(response.status, response.headers, response.data)
        except HTTPError as error:
            sent = not isinstance(error, NewConnectionError | ConnectTimeoutError | SSLError)
            # A refused connection is a NewConnectionError, which urllib3 derives from a timeout.
            timed_out = isinstance(error, HTTPTimeoutError) and not isinstance(error, NewConnectionError)
            raise HubUnreachable(call, self._reason(error), sent=sent, timed_out=timed_out) from None

    def _reason(self, error: HTTPError) -> str:
        if isinstance(error, NewConnectionError):
            return f"no connection to {self.url} ({scrub(str(error.__cause__ or error), self._key)})"
        if isinstance(error, ConnectTimeoutError):
            return f"no connection to {self.url} within {CONNECT_TIMEOUT_S:.0f} s"
        if isinstance(error, HTTPTimeoutError):
            return f"no answer from {self.url} within {READ_TIMEOUT_S:.0f} s"
        return f"the connection to {self.url} failed ({scrub(str(error), self._key)})"

    def _backoff(self, attempt: int) -> float:
        base, cap = _BACKOFF_S
        return self._jitter() * min(cap, base * 2.0**attempt)

    def _read(self, reply: _Reply, call: str) -> Answer:
        if not 200 <= reply.status < 300:
            self._raise(reply, call)
        body = reply.json()
        if body is None:
            _, form = reply.error()
            self._fail(HubNotAHub, reply, call, f"not JSON but {form}" if reply.data else form)
        return Answer(body, reply.headers)

    def _raise(self, reply: _Reply, call: str) -> NoReturn:
        code, message = reply.error()
        detail = scrub(message, self._key)
        if reply.status < 400:
            target = urlsplit(reply.headers.get("location", "")).hostname or "another place"
            self._fail(HubNotAHub, reply, call, f"a redirect to {scrub(target)}, which is not followed with the key")
        if reply.status == 404 and code == "not_found":
            what = next((known for known in NotFound if known.value == message), NotFound.OTHER)
            raise HubNotFound(call, detail, what=what, status=404, request_id=_request_id(reply))
        self._fail(_error_type(reply.status, code), reply, call, detail, code)

    @staticmethod
    def _fail(kind: type[HubError], reply: _Reply, call: str, detail: str, code: str | None = None) -> NoReturn:
        raise kind(call, detail, status=reply.status, request_id=_request_id(reply), code=code)


def _error_type(status: int, code: str | None) -> type[HubError]:
    if status >= 500:
        return HubServerError
    if status == 401:
        return HubUnauthorized
    if status == 409 and code is not None:
        return HubConflict
    if status == 404:
        return HubNotAHub
    return HubRefused


def _asked_wait(reply: _Reply) -> float | None:
    """Seconds that a 429 asks for: `retry-after` when a positive integer, else its text's `Wait for <n>s`."""
    header = reply.headers.get("retry-after", "").strip()
    if header.isascii() and header.isdigit() and int(header) > 0:
        return float(header)
    text = _WAIT_TEXT.search(reply.text)
    return float(text[1]) if text and int(text[1]) > 0 else None


def _request_id(reply: _Reply) -> str | None:
    return scrub(reply.headers.get("x-request-id", "")) or None


def _base_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("the hub's url should look like https://hub.example.com")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("the hub's url should hold no user name, password, query or fragment")
    return url.removesuffix("/")


def _checked_key(api_key: str) -> str:
    if not api_key or not api_key.isascii() or not api_key.isprintable() or " " in api_key:
        raise ValueError("the hub's apiKey is empty or holds blanks or other characters that no key has")
    return api_key
