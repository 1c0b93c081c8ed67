"""Delays that injected faults put before an answer, and that can be cut short all at once."""

import threading


class Delays:
    """The delays of one service; safe to use from the threads that answer."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._released = threading.Event()
        self._waiting = 0

    @property
    def waiting(self) -> int:
        """How many answers are delayed right now."""
        with self._lock:
            return self._waiting

    def wait(self, seconds: float) -> None:
        """Wait so long, or until the delays are cut short."""
        with self._lock:
            released = self._released
            self._waiting += 1
        released.wait(seconds)
        with self._lock:
            self._waiting -= 1

    def cut_short(self) -> None:
        """End all delays of now; later ones last again."""
        with self._lock:
            self._released.set()
            self._released = threading.Event()
