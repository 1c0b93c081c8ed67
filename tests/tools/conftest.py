import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Script = Callable[[Path, str], Path]


@pytest.fixture
def script() -> Script:
    """Write an executable Python script, with its folder: stands in for `go` or `pulumi` on a faked PATH."""

    def write(path: Path, body: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!{sys.executable} -S\n{body}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    return write
