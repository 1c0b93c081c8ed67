"""Faults to inject: what goes wrong, on which calls, how often, and before or after the hub has acted."""

from dataclasses import dataclass

from local.hub_emulator.patterns import matches
from local.hub_emulator.replies import Reply, error, text

_HTML = b"<html><body><h1>Welcome</h1></body></html>"


@dataclass(frozen=True, slots=True)
class Drop:
    """Close the connection without an answer."""


EMPTY_404 = Reply(status=404)
HTML_404 = Reply(status=404, body=_HTML, content_type="text/html")
HTML_200 = Reply(status=200, body=_HTML, content_type="text/html")
TEXT_200 = text(200, "OK")
INTERNAL_500 = error(500, "internal", "internal error")
NOT_READY_503 = error(503, "not_ready", "hub is not ready")


def rate_limited(seconds: int) -> Reply:
    """429 as the hub's limiter gives it."""
    wait = str(seconds)
    reply = text(429, f"Too Many Requests! Wait for {wait}s")
    return Reply(
        status=429,
        body=reply.body,
        content_type=reply.content_type,
        headers=(("retry-after", wait), ("x-ratelimit-after", wait)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Applies to the next `times` calls (None: until cleared) of `method` (`*`: any) whose path has the form `path`.

    `outcome` replaces the hub's own answer (None: keep it); `after_commit` lets the hub act first. `delay_seconds`
    passes before the answer is sent, and before the hub acts unless `after_commit`.
    """

    method: str = "*"
    path: str = "**"
    outcome: Reply | Drop | None = None
    after_commit: bool = False
    delay_seconds: float = 0.0
    times: int | None = 1

    def applies(self, method: str, path: str) -> bool:
        """Whether this call is hit."""
        return self.method in ("*", method) and matches(self.path, path)


class FaultQueue:
    """Injected faults, first in first served; not thread-safe by itself."""

    def __init__(self) -> None:
        self._pending: list[tuple[Fault, int | None]] = []

    def add(self, fault: Fault) -> None:
        """Queue a fault."""
        self._pending.append((fault, fault.times))

    def clear(self) -> None:
        """Forget all faults."""
        self._pending.clear()

    def take(self, method: str, path: str) -> Fault | None:
        """The fault that hits this call, counted down."""
        for position, (fault, left) in enumerate(self._pending):
            if fault.applies(method, path):
                if left is not None:
                    self._pending[position : position + 1] = [(fault, left - 1)] if left > 1 else []
                return fault
        return None
