"""Output files of commands."""

import os
import tempfile
from pathlib import Path


def write_whole(file: Path, text: str) -> None:
    """Write a whole file or none, for its owner only; raises OSError."""
    with tempfile.NamedTemporaryFile("w", dir=file.parent, encoding="utf-8", delete=False) as partial:
        try:
            partial.write(text)
            partial.close()
            os.replace(partial.name, file)
        except BaseException:
            os.unlink(partial.name)
            raise
