"""Killing a process of a running `pulumi` at a moment that the emulators tell."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from local.stack import Run
from tests.processes import alive, descendants, engine, until

ENGINE = "pulumi "
PROGRAM = "pulumi-language-python-exec"
TOWONEL = "providers/towonel"
CLOUDFLARE_PLUGIN = "local.plugins.cloudflare_plugin"
AWS_PLUGIN = "local.plugins.aws_plugin"


# A file backend writes its state in place: an engine that dies in that instant leaves half of it.
STATE_IS_WRITTEN_SECONDS = 1


def kill_during(
    operation: Callable[[], Run],
    victims: Sequence[str],
    moment: Callable[[], bool],
    then: Callable[[], None],
    state: Path,
) -> Run:
    """Run an operation, and kill -9 the processes with these command lines once the moment has come.

    At that moment everything is held, so that the engine does not write to the file of its state; `then` ends that.
    Whatever the engine had started is gone afterwards.
    """
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(operation)
        until(lambda: (moment() and _quiet(state)) or running.done(), f"the moment to kill {victims}")
        assert not running.done(), running.result().text
        pid = engine()
        children = descendants(pid)
        for victim in _pids(pid, children, victims):
            os.kill(victim, signal.SIGKILL)
        if ENGINE in victims:
            # Held calls would keep nobody but the plugins, which have to see by themselves that the engine is gone.
            until(lambda: not any(alive(*child) for child in children.items()), f"all of {children} are gone")
        then()
        return running.result()


def _quiet(state: Path) -> bool:
    return time.time() - state.stat().st_mtime > STATE_IS_WRITTEN_SECONDS


def _pids(pid: int, children: dict[int, str], victims: Sequence[str]) -> set[int]:
    found = {pid} if ENGINE in victims else set()
    for victim in set(victims) - {ENGINE}:
        matching = {child for child, command in children.items() if victim in command}
        assert matching, f"no {victim} in {children}"
        found |= matching
    return found
