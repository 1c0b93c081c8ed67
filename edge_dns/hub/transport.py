"""One call to the hub: timeouts, waiting on 429, retries of idempotent calls, and the reading of the answer."""

import json
import queue
import random
import re
import threading
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
CALL_TIMEOUT_S = 120.0
"""How long one call may take in all, with its retries, waits and the reading of the answer."""
MAX_ANSWER_BYTES = 32 * 2**20
"""The longest answer that is read: some 50,000 invites."""
RATE_LIMIT_BUDGET_S = 60.0
"""How long one call waits on 429 in all."""
_BACKOFF_S = (0.5, 8.0)
_RETRIED = frozenset({500, 502, 503, 504})
_WAIT_TEXT = re.compile(r"Wait for ([0-9]{1,9})s")


@dataclass(frozen=True, slots=True)
class Answer:
    """A successful answer: the decoded JSON body, the headers, and the hub's id of the request as it may be shown."""

    body: object
    headers: Mapping[str, str]
    request_id: str | None


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
            # Half of a surrogate pair is no text (RFC 8259, section 8.2), and no hub could store it.
            if b"\\ud" in self.data.lower():
                json.dumps(decoded, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """One call with its JSON body; `deadline` is a time of `time.monotonic`."""

    method: str
    path: str
    body: bytes | None
    deadline: float

    @property
    def call(self) -> str:
        """The call as errors name it."""
        return f"{self.method} {self.path}"


class Transport:
    """Calls to one hub with one key. Thread-safe. `sleep` takes seconds; `jitter` returns a number in [0, 1)."""

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        sleep: Callable[[float], object] = time.sleep,
        jitter: Callable[[], float] = random.random,
        timeout_s: float = CALL_TIMEOUT_S,
    ) -> None:
        self.url = _base_url(url)
        self._timeout_s = timeout_s
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
        request = _Request(
            method=method,
            path=path,
            body=None if body is None else json.dumps(body).encode(),
            deadline=time.monotonic() + self._timeout_s,
        )
        attempts = ATTEMPTS if method in {"GET", "DELETE"} else 1
        for attempt in range(attempts):
            last = attempt == attempts - 1
            try:
                reply = self._within_rate_limit(request)
            except HubUnreachable as error:
                if last or error.timed_out:
                    raise
            else:
                if last or reply.status not in _RETRIED:
                    return self._read(reply, request.call)
            self._sleep(self._backoff(attempt))
        raise AssertionError("the last attempt returns or raises")

    def _within_rate_limit(self, request: _Request) -> _Reply:
        """The first reply that is not a 429; a 429 did nothing, so every call may be repeated."""
        waited = 0.0
        for attempt in range(int(RATE_LIMIT_BUDGET_S)):
            reply = self._send(request)
            if reply.status != 429:
                return reply
            wait = _asked_wait(reply) or self._backoff(attempt) or _BACKOFF_S[0]
            if waited + wait > RATE_LIMIT_BUDGET_S:
                break
            self._sleep(wait)
            waited += wait
        detail = f"rate limited, after {waited:.0f} s of waiting"
        raise HubRateLimited(request.call, detail, status=429, request_id=self._request_id(reply))

    def _send(self, request: _Request) -> _Reply:
        try:
            reply = self._exchange(request)
        except HTTPError as error:
            sent = not isinstance(error, NewConnectionError | ConnectTimeoutError | SSLError)
            # A refused connection is a NewConnectionError, which urllib3 derives from a timeout.
            timed_out = isinstance(error, HTTPTimeoutError) and not isinstance(error, NewConnectionError)
            raise HubUnreachable(request.call, self._reason(error), sent=sent, timed_out=timed_out) from None
        if reply is None:
            detail = f"no whole answer from {self.url} within {self._timeout_s:.0f} s"
            raise HubUnreachable(request.call, detail, sent=True, timed_out=True)
        if len(reply.data) > MAX_ANSWER_BYTES:
            self._fail(HubNotAHub, reply, request.call, f"an answer of more than {MAX_ANSWER_BYTES} bytes")
        return reply

    def _exchange(self, request: _Request) -> _Reply | None:
        """The reply, or None when it is not whole by the deadline. Raises HTTPError.

        A server that sends a byte now and then passes every timeout of a socket, so a thread waits for it.
        """
        done: queue.SimpleQueue[_Reply | Exception] = queue.SimpleQueue()
        headers = {"Authorization": f"Bearer {self._key}", "Accept": "application/json"}
        if request.body is not None:
            headers["Content-Type"] = "application/json"

        def exchange() -> None:
            try:
                response = self._pool.request(
                    request.method,
                    self.url + request.path,
                    headers=headers,
                    body=request.body,
                    redirect=False,
                    preload_content=False,
                )
                done.put(_Reply(response.status, response.headers, _body(response)))
            except Exception as error:  # noqa: BLE001 - raised again by who waits
                done.put(error)

        threading.Thread(target=exchange, daemon=True, name="hub call").start()
        try:
            found = done.get(timeout=max(0.0, request.deadline - time.monotonic()))
        except queue.Empty:
            return None
        if isinstance(found, Exception):
            raise found
        return found

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
        return Answer(body, reply.headers, self._request_id(reply))

    def _raise(self, reply: _Reply, call: str) -> NoReturn:
        code, message = reply.error()
        if reply.status < 400:
            target = _host(reply.headers.get("location", "")) or "another place"
            self._fail(HubNotAHub, reply, call, f"a redirect to {target}, which is not followed with the key")
        if reply.status == 404 and code == "not_found":
            what = next((known for known in NotFound if known.value == message), NotFound.OTHER)
            detail = scrub(message, self._key)
            raise HubNotFound(call, detail, what=what, status=404, request_id=self._request_id(reply))
        self._fail(_error_type(reply.status, code), reply, call, message, code)

    def _fail(self, kind: type[HubError], reply: _Reply, call: str, detail: str, code: str | None = None) -> NoReturn:
        detail = scrub(detail, self._key)
        raise kind(call, detail, status=reply.status, request_id=self._request_id(reply), code=code)

    def _request_id(self, reply: _Reply) -> str | None:
        return scrub(reply.headers.get("x-request-id", ""), self._key) or None


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
    if re.fullmatch("[0-9]{1,9}", header) and int(header) > 0:
        return float(header)
    text = _WAIT_TEXT.search(reply.text)
    return float(text[1]) if text and int(text[1]) > 0 else None


def _body(response: urllib3.BaseHTTPResponse) -> bytes:
    """The whole body, or a little more than may be read. Not unpacked: a few packed bytes could fill the memory."""
    body = bytearray()
    for part in response.stream(2**16, decode_content=False):
        body += part
        if len(body) > MAX_ANSWER_BYTES:
            response.close()
            return bytes(body)
    response.release_conn()
    return bytes(body)


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


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
