"""What the set-up says, in lines of at most 80 columns, and how it runs other programs."""

import re
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

WIDTH = 80
# Between two signs of life where nobody watches a terminal.
LOG_INTERVAL_SECONDS = 30


class SetupError(Exception):
    """The set-up cannot go on: what is missing, the way out, and what another program said about it."""

    def __init__(self, problem: str, remedy: str, detail: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy
        self.detail = detail

    def __str__(self) -> str:
        """The message for the terminal."""
        paragraphs = [_wrap(self.problem, "setup: ", "  ")]
        paragraphs += [_wrap(line, "  | ", "  | ") for line in self.detail.splitlines()]
        paragraphs += [_wrap(self.remedy, "  What to do: ", "  ")]
        return "\n".join(paragraphs)


def _wrap(text: str, first: str, rest: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )


def say(text: str) -> None:
    """Print one line of progress."""
    print(_wrap(text, "setup: ", "  "), flush=True)


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """A failure of another program that has a cause outside of it."""

    pattern: str
    problem: str
    remedy: str


NETWORK = (
    "Check the network. Behind a proxy set HTTPS_PROXY; with a mirror set {mirror}. Then run the same command again."
)

# The first that matches decides, so the more particular ones come first.
EXPLANATIONS = (
    Explanation(
        pattern=r"No space left on device|no space left on device|ENOSPC",
        problem="the disk is full",
        remedy="Free some space (a full build takes about 4 GB, most of it in Go's own caches: `go env GOCACHE "
        "GOMODCACHE`), or set XDG_CACHE_HOME, GOCACHE and GOMODCACHE to folders on a larger disk, and run it again.",
    ),
    Explanation(
        pattern=r"SECURITY ERROR|checksum mismatch|DO NOT MATCH THE HASHES|Hash mismatch|EINTEGRITY",
        problem="a download is not the file that is pinned here",
        remedy="Find out who changed it: a mirror or proxy on the way, or the publisher. Do not use the file.",
    ),
    Explanation(
        pattern=r"requires go >= |toolchain not available|invalid go version",
        problem="this Go is too old",
        remedy="Install a newer Go (https://go.dev/dl/), or the Pulumi CLI itself "
        "(https://www.pulumi.com/docs/install/), and run it again.",
    ),
    Explanation(
        pattern=r"(?i)dial tcp|proxyconnect|no such host|i/o timeout|connection refused|connection reset|TLS handshake"
        r"|x509:|\b40[37] |\b50[234] |error sending request|dns error|failed to fetch|Could not find a version"
        r"|ConnectionError|ProxyError|Max retries exceeded|name resolution|No matching distribution"
        r"|certificate verify failed|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|E40[1347]\b",
        problem="a download failed or was refused",
        remedy=NETWORK,
    ),
)


def failure(doing: str, output: str, *, mirror: str, otherwise: str) -> SetupError:
    """Make the error for a program that failed while doing something, from what it printed.

    mirror names the setting for a mirror of what was downloaded; otherwise is the remedy where no cause is known.
    """
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    for known in EXPLANATIONS:
        said = next((number for number, line in enumerate(lines) if re.search(known.pattern, line)), None)
        if said is not None:
            detail = "\n".join(lines[said : said + 2])
            return SetupError(f"{doing}: {known.problem}.", known.remedy.format(mirror=mirror), detail)
    return SetupError(f"{doing} failed.", otherwise, "\n".join(lines[-15:]))


def run(command: Sequence[str | Path], *, cwd: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a program to its end without a terminal and keep what it prints. Its exit code is for the caller to judge."""
    return subprocess.run(
        command, check=False, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )


def run_long(
    command: Sequence[str | Path], *, cwd: Path, env: Mapping[str, str], progress: Callable[[list[str]], str]
) -> tuple[int, list[str]]:
    """Run a program that takes minutes; return its exit code and the lines it printed.

    Shows elapsed time with what progress makes of the lines so far: in one line on a terminal, else now and then.
    """
    lines: list[str] = []
    with subprocess.Popen(
        command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None  # noqa: S101 - for the type checker: it is a pipe
        reader = threading.Thread(target=lines.extend, args=(process.stdout,), daemon=True)
        reader.start()
        terminal = sys.stdout.isatty()
        start = time.monotonic()
        while True:
            try:
                code = process.wait(timeout=1 if terminal else LOG_INTERVAL_SECONDS)
                break
            except subprocess.TimeoutExpired:
                _show(terminal, f"  {duration(time.monotonic() - start)}  {progress(lines)}")
        reader.join()
        if terminal:
            _show(terminal, "")
    return code, [line.rstrip("\n") for line in lines]


def _show(terminal: bool, text: str) -> None:
    """Overwrite the line on a terminal, else add one."""
    print(f"\r{text:<{WIDTH - 1}.{WIDTH - 1}}\r" if terminal else text, end="" if terminal else "\n", flush=True)


def duration(seconds: float) -> str:
    """Write a span of time as a person says it, to the second below one minute: "40 s", "3 min 10 s"."""
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"
