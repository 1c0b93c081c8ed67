"""The hub's clock, which a test can stop and move."""

import time


class Clock:
    """Epoch milliseconds; runs with the system clock until frozen."""

    def __init__(self) -> None:
        self._frozen_ms: int | None = None
        self._offset_ms = 0

    def now_ms(self) -> int:
        """The hub's time."""
        base = time.time_ns() // 1_000_000 if self._frozen_ms is None else self._frozen_ms
        return base + self._offset_ms

    def freeze(self, at_ms: int | None = None) -> None:
        """Stop the clock, at `at_ms` or now."""
        self._frozen_ms, self._offset_ms = self.now_ms() if at_ms is None else at_ms, 0

    def advance(self, milliseconds: int) -> None:
        """Move the clock, frozen or not."""
        self._offset_ms += milliseconds
