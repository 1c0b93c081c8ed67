"""Token bucket per client address, after the hub's limiter: refill is one token per period."""

from local.hub_emulator.settings import RateLimit


class Limiter:
    """Counts calls; not thread-safe by itself."""

    def __init__(self) -> None:
        self._next_free_ms: dict[str, float] = {}

    def wait_seconds(self, client: str, limit: RateLimit, now_ms: int) -> int | None:
        """None when the call may pass, else the whole seconds (rounded down, as the hub does) until one may."""
        period_ms = limit.period_seconds * 1000
        due = max(self._next_free_ms.get(client, 0.0), float(now_ms))
        earliest = due - (limit.burst - 1) * period_ms
        if earliest > now_ms:
            return int((earliest - now_ms) // 1000)
        self._next_free_ms[client] = due + period_ms
        return None
