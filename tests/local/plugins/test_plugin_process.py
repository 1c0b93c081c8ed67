"""The light plugins as processes, started and ended as the engine does it."""

import signal
import subprocess
from pathlib import Path

import pytest

from tools.toolchain import ROOT

EXECUTABLES = sorted((ROOT / "local" / "plugins" / "bin").iterdir())


@pytest.mark.parametrize("executable", EXECUTABLES, ids=lambda path: path.name)
def test_a_plugin_ends_when_the_engine_interrupts_it(executable: Path) -> None:
    with subprocess.Popen([executable, "127.0.0.1:1"], stdout=subprocess.PIPE, text=True, process_group=0) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) > 0
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
