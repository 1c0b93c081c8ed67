"""Registration: one window for all record sets of a run, and what a person sees of it."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import cast

import pulumi

from components.registration import WINDOW, Registration


class Engine:
    """Stands for the engine: answers for a resource when it is told to."""

    def __init__(self) -> None:
        self.waiting: list[asyncio.Future[str]] = []
        self.most_in_flight = 0
        self.declared: list[str] = []

    def resource(self, name: str) -> pulumi.Resource:
        self.declared.append(name)
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.waiting.append(future)
        self.most_in_flight = max(self.most_in_flight, len(self.waiting))
        return cast("pulumi.Resource", SimpleNamespace(urn=SimpleNamespace(future=lambda: future)))

    def hostname(self, name: str) -> Sequence[pulumi.Resource]:
        return [self.resource(name)]

    async def answer(self, error: Exception | None = None) -> None:
        """Answer for the resource that waits longest."""
        future = self.waiting.pop(0)
        if error:
            future.set_exception(error)
        else:
            future.set_result("urn")
        await _idle()


async def _idle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def _silent(line: str) -> None:
    del line


def _run(story: Callable[[], object]) -> None:
    asyncio.run(story())  # type: ignore[arg-type]


def test_two_record_sets_share_one_window() -> None:
    async def story() -> None:
        engine, registration = Engine(), Registration(_silent)
        sets = [
            asyncio.ensure_future(
                registration.register(partial(engine.hostname, f"{one}-{index}") for index in range(WINDOW))
            )
            for one in ("first", "second")
        ]
        await _idle()
        assert len(engine.waiting) == WINDOW
        while engine.waiting:
            await engine.answer()
        await asyncio.gather(*sets)
        assert engine.most_in_flight == WINDOW
        assert len(engine.declared) == 2 * WINDOW

    _run(story)


def test_a_registration_that_fails_gives_its_place_to_the_next() -> None:
    async def story() -> None:
        engine, registration = Engine(), Registration(_silent)
        done = asyncio.ensure_future(
            registration.register(partial(engine.hostname, str(index)) for index in range(WINDOW + 1))
        )
        await _idle()
        await engine.answer(RuntimeError("the provider refuses"))
        await done
        assert engine.declared[-1] == str(WINDOW)

    _run(story)


def test_records_whose_invite_is_not_there_yet_take_no_room() -> None:
    async def story() -> None:
        engine, registration = Engine(), Registration(_silent)
        invite = engine.resource("invite")
        behind = asyncio.ensure_future(
            registration.register((partial(engine.hostname, f"tunnel-{n}") for n in range(WINDOW)), after=[invite])
        )
        await asyncio.ensure_future(
            registration.register(partial(engine.hostname, f"gateway-{n}") for n in range(WINDOW))
        )
        assert not any(name.startswith("tunnel") for name in engine.declared)
        await engine.answer()
        while engine.waiting:
            await engine.answer()
        await behind
        assert engine.declared[-1] == f"tunnel-{WINDOW - 1}"

    _run(story)


def test_progress_is_told_once_a_second_at_most() -> None:
    told: list[str] = []
    now = 0.0

    async def story() -> None:
        nonlocal now
        engine, registration = Engine(), Registration(told.append, clock=lambda: now)
        done = asyncio.ensure_future(registration.register(partial(engine.hostname, str(n)) for n in range(1200)))
        await _idle()
        for after in (0.5, 0.4, 0.2, 0.5):
            now += after
            await engine.answer()
        while engine.waiting:
            await engine.answer()
        await done

    _run(story)
    assert told == ["records: 3 of 1,200 hostnames done"]
