"""The hub as one object: served on loopback, watched by its log, and moved by the other parties' hands."""

from __future__ import annotations

import re
import threading
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from werkzeug.wrappers import Request, Response

from local.delays import Delays
from local.hub_emulator.app import Incoming, answer, caller_of
from local.hub_emulator.faults import Drop, Fault, FaultQueue
from local.hub_emulator.identifiers import TOKEN_PATTERN, new_secret
from local.hub_emulator.limiter import Limiter
from local.hub_emulator.model import Invite, PortReservation, Role, User
from local.hub_emulator.patterns import matches
from local.hub_emulator.replies import Reply
from local.hub_emulator.settings import HubSettings
from local.hub_emulator.state import HubState
from local.serving import Serving, drop_connection

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_OTHER_TENANT = "other-tenant@example.test"
_SECRET_IN_PATH = re.compile(r"twk_[A-Za-z0-9_-]+|" + TOKEN_PATTERN.pattern)


class InvariantError(AssertionError):
    """Something holds that a hub never lets happen; the message lists it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """One request. `status` is what the caller got, None when the connection was dropped; secrets are masked."""

    method: str
    path: str
    status: int | None
    caller: str
    is_write: bool


class HubEmulator:
    """A Towonel hub in this process; also a WSGI application. All public members are safe to use from any thread.

    `with HubEmulator(HubSettings(delete_mode="soft")) as hub:` serves it at `hub.url`.
    """

    def __init__(self, settings: HubSettings | None = None, *, operator_key: str | None = None, port: int = 0) -> None:
        self.settings = settings or HubSettings()
        self.operator_key = operator_key or new_secret()
        self._lock = threading.RLock()
        self._state = HubState(self.settings, self.operator_key)
        self.clock = self._state.clock
        self._limiter = Limiter()
        self._faults = FaultQueue()
        self._log: list[LogEntry] = []
        self._tokens_sent: Counter[str] = Counter()
        self._taken: set[str] = set()
        self._delays = Delays()
        self._serving = Serving(self, port)

    # Serving

    def start(self) -> None:
        """Serve on 127.0.0.1, on a free port unless one was given; after `stop` on the same port again."""
        self._serving.start()
        if self.settings.public_url is None:
            self._state.public_url = self.url

    def stop(self) -> None:
        """Stop serving; the state stays, and delayed answers are cut short."""
        self._delays.cut_short()
        self._serving.stop()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """The base URL, without a slash at the end; stays the same while stopped."""
        return self._serving.origin

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one WSGI request."""
        request = Request(environ)
        incoming = _incoming(request)
        with self._lock:
            fault = self._faults.take(incoming.method, incoming.path)
        outcome = self._outcome(incoming, fault)
        if isinstance(outcome, Drop):
            drop_connection(environ)
        return _response(outcome, request)(environ, start_response)

    def _outcome(self, request: Incoming, fault: Fault | None) -> Reply | Drop:
        if fault is not None and not fault.after_commit:
            self._delays.wait(fault.delay_seconds)
            if fault.outcome is not None:
                return self._record(request, fault.outcome)
        with self._lock:
            reply = answer(self._state, self._limiter, request)
            replaced = fault.outcome if fault is not None and fault.after_commit else None
            outcome = self._record(request, replaced or reply)
        if fault is not None and fault.after_commit:
            self._delays.wait(fault.delay_seconds)
        return outcome

    def _record(self, request: Incoming, outcome: Reply | Drop) -> Reply | Drop:
        with self._lock:
            entry = LogEntry(
                method=request.method,
                path=_SECRET_IN_PATH.sub("<secret>", request.path.replace(self.operator_key, "<secret>")),
                status=outcome.status if isinstance(outcome, Reply) else None,
                caller=caller_of(self._state, request).name,
                is_write=request.method not in ("GET", "HEAD", "OPTIONS"),
            )
            self._log.append(entry)
            if isinstance(outcome, Reply):
                self._tokens_sent.update(TOKEN_PATTERN.findall(outcome.body.decode(errors="replace")))
        return outcome

    # Faults

    def inject(self, fault: Fault) -> None:
        """Queue a fault; the first queued one that fits a call hits it."""
        with self._lock:
            self._faults.add(fault)

    def clear_faults(self) -> None:
        """Forget all faults, and cut short the delays of those that have happened."""
        with self._lock:
            self._faults.clear()
        self._delays.cut_short()

    @property
    def waiting(self) -> int:
        """How many calls a fault delays right now."""
        return self._delays.waiting

    def fail_removals(self, times: int = 1) -> None:
        """Let the next deletes revoke the invite, then answer 500 and leave its names in the in-memory policy."""
        with self._lock:
            self._state.removals_to_fail = times

    def restart(self) -> None:
        """Forget what a hub keeps in memory only: the policy is read again from the live rows."""
        with self._lock:
            self._state.rebuild_policy()
            self._limiter = Limiter()

    # The log

    @property
    def requests(self) -> tuple[LogEntry, ...]:
        """All requests so far, in the order they were answered."""
        with self._lock:
            return tuple(self._log)

    @property
    def writes(self) -> int:
        """How many requests were writes (any method but GET, HEAD and OPTIONS)."""
        return sum(entry.is_write for entry in self.requests)

    def count(self, method: str = "*", path: str = "**") -> int:
        """How many requests had this method and path form (`*` one segment, `**` anything)."""
        return sum(method in ("*", entry.method) and matches(path, entry.path) for entry in self.requests)

    def clear_log(self) -> None:
        """Forget the requests so far."""
        with self._lock:
            self._log.clear()

    # Other parties

    def add_user(self, email: str, role: Role = "user") -> User:
        """Another user of the hub, with an API key of its own."""
        with self._lock:
            return self._state.add_user(email, role)

    def disable_user(self, user_id: str) -> None:
        """Make all keys of a user worthless."""
        with self._lock:
            self._state.disabled_users.add(user_id)

    def create(self, *hostnames: str, name: str = "made/by-hand", region: str | None = None) -> Invite:
        """An invite made by the operator elsewhere, not through the API."""
        with self._lock:
            return self._state.create_invite(name=name, hostnames=hostnames, region=region)

    def take(self, *hostnames: str, disguised: bool = False) -> Invite:
        """Another tenant's invite holds these names; ValueError when one is taken already.

        `disguised`: its tenant is not in the hub's policy, so that a 409 looks like an own duplicate.
        """
        with self._lock:
            owner = self._state.user_by_email(_OTHER_TENANT) or self._state.add_user(_OTHER_TENANT, "user")
            if held := [name for name in hostnames if self._holder(name)]:
                raise ValueError(f"already held: {', '.join(held)}")
            invite = self._state.create_invite(name="other/tenant", hostnames=hostnames, owner_id=owner.user_id)
            self._taken.add(invite.invite_id)
            if disguised:
                self._state.policy.discard(invite.tenant_id)
            return invite

    def release(self, hostname: str) -> None:
        """The other tenant lets go of a name it took; its last one ends its invite. ValueError when it holds none."""
        with self._lock:
            invite = self._holder(hostname)
            if invite is None or invite.invite_id not in self._taken:
                raise ValueError(f"no other tenant holds {hostname}")
            if len(invite.hostnames) == 1:
                self._state.delete_invite(invite)
            else:
                self._state.remove_hostname(invite, hostname)

    def revoke(self, invite_id: str) -> None:
        """Somebody else deletes the invite; what is left of it follows `delete_mode`."""
        with self._lock:
            self._state.delete_invite(self._state.invites[invite_id])

    def drop_hostname(self, invite_id: str, hostname: str) -> None:
        """Somebody else removes a name from the invite, under the hub's rules."""
        with self._lock:
            self._state.remove_hostname(self._state.invites[invite_id], hostname)

    def set_status(self, invite_id: str, status: str) -> None:
        """Put the invite in a status: `claimed`, or one that no client knows."""
        with self._lock:
            self._state.set_status(invite_id, status)

    def set_expiry(self, invite_id: str, expires_at_ms: int) -> None:
        """Let the invite end at another time, in epoch milliseconds, perhaps past."""
        with self._lock:
            self._state.set_expiry(invite_id, expires_at_ms)

    # What the hub holds

    @property
    def invites(self) -> tuple[Invite, ...]:
        """All rows in the order of their creation, revoked ones too."""
        with self._lock:
            return tuple(self._state.invites.values())

    @property
    def ports(self) -> tuple[PortReservation, ...]:
        """All reservations, oldest first."""
        with self._lock:
            return tuple(self._state.ports)

    def invite(self, invite_id: str) -> Invite:
        """The row, or KeyError."""
        with self._lock:
            return self._state.invites[invite_id]

    def holder(self, hostname: str) -> Invite | None:
        """The live invite that holds a name, in any case."""
        with self._lock:
            return self._holder(hostname)

    def _holder(self, hostname: str) -> Invite | None:
        live = (invite for invite in self._state.invites.values() if not invite.revoked)
        return next((invite for invite in live if hostname.lower() in invite.folded), None)

    def check_invariants(self) -> None:
        """Raise InvariantError unless everything holds that a hub guarantees; for the end of every test."""
        with self._lock:
            problems = [*self._row_problems(), *self._secret_problems()]
        if problems:
            raise InvariantError("; ".join(problems))

    def _row_problems(self) -> Iterable[str]:
        rows = self._state.invites.values()
        if self.settings.last_hostname == "refused":
            yield from (f"invite {row.invite_id} has no hostname" for row in rows if not row.hostnames)
        held = Counter(name for row in rows if not row.revoked for name in row.folded)
        yield from (f"hostname {name} is on {times} live invites" for name, times in held.items() if times > 1)
        places = Counter((port.ip, port.port, port.protocol) for port in self._state.ports)
        yield from (f"port {place} is reserved {times} times" for place, times in places.items() if times > 1)

    def _secret_problems(self) -> Iterable[str]:
        yield from (f"a token was sent {times} times" for times in self._tokens_sent.values() if times > 1)
        secrets = {self.operator_key, *(user.key for user in self._state.users.values())}
        secrets |= {row.token for row in self._state.invites.values()}
        logged = "\n".join(map(repr, self._log))
        if any(secret in logged for secret in secrets):
            yield "the request log shows a key or token"


def _incoming(request: Request) -> Incoming:
    raw: Mapping[str, str] = request.environ
    return Incoming(
        method=request.method,
        path=raw.get("REQUEST_URI", request.path).partition("?")[0],
        query=request.args.to_dict(),
        headers=request.headers,
        body=request.get_data(),
        declared_length=request.content_length,
        client=request.remote_addr or "",
    )


def _response(reply: Reply, request: Request) -> Response:
    response = Response(reply.body, status=reply.status, content_type=reply.content_type)
    if reply.content_type is None:
        response.headers.remove("content-type")
    response.headers.extend(reply.headers)
    response.headers["x-request-id"] = request.headers.get("x-request-id") or str(uuid.uuid4())
    return response
