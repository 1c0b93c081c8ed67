"""Registers the records of a stack in a window that all its record sets share, and tells how far it is."""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence

import pulumi

WINDOW = 50
"""Hostnames whose records are in flight: the SDK's cost per registration grows with the number of those that wait.

More than the engine works on at a time, unless it is told a larger `--parallel`.
"""

_TELL_SECONDS = 1.0

Declaration = Callable[[], Sequence[pulumi.Resource]]
"""Declares the records of one hostname."""


class Registration:
    """The window of one run; `tell` takes lines of progress."""

    def __init__(self, tell: Callable[[str], None], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._free = asyncio.Semaphore(WINDOW)
        self._settling: set[asyncio.Task[None]] = set()
        self._tell = tell
        self._clock = clock
        self._told = clock()
        self._hostnames = self._done = 0

    async def register(self, hostnames: Iterable[Declaration], *, after: Sequence[pulumi.Resource] = ()) -> None:
        """Declare one hostname after the other, each when there is room; ends when the last one is declared.

        What their records depend on comes first (`after`), so that nothing takes up room while it waits for that.
        """
        waiting = list(hostnames)
        self._hostnames += len(waiting)
        await _registered(after)
        for declare in waiting:
            await self._free.acquire()
            task = asyncio.ensure_future(self._settle(declare()))
            # The loop itself holds tasks weakly.
            self._settling.add(task)
            task.add_done_callback(self._settling.discard)

    async def _settle(self, records: Sequence[pulumi.Resource]) -> None:
        await _registered(records)
        self._free.release()
        self._done += 1
        if self._clock() - self._told >= _TELL_SECONDS:
            self._told = self._clock()
            self._tell(f"records: {self._done:,} of {self._hostnames:,} hostnames done")


async def _registered(resources: Sequence[pulumi.Resource]) -> None:
    """Wait until the engine has answered for all of them; whoever registered one reports its failure."""
    await asyncio.gather(*(resource.urn.future() for resource in resources), return_exceptions=True)
