"""Entry point of the `towonel` provider plugin; the engine runs this folder."""

import sys
from pathlib import Path

# The engine runs the folder as a script, which puts the folder itself first on the path: its modules would then be
# found as top-level ones. The project's root takes its place.
sys.path[0] = str(Path(__file__).resolve().parents[2])

from providers.towonel.server import serve  # noqa: E402 - needs the path above

if __name__ == "__main__":
    serve(sys.argv[1:])
