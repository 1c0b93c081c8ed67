"""Time, processor time and memory of commands, and the comparison of two of them that ran in turn."""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Literal

Metric = Literal["wall", "cpu"]

_TAIL = 2000


class CommandFailed(Exception):  # noqa: N818 - the measurement is worth nothing
    """A measured command failed; holds the end of what it printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One run: seconds on the clock, seconds of user and system time, bytes of the largest process.

    Both of the latter are over the command and all processes under it that were waited for.
    """

    wall: float
    cpu: float
    peak_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """API calls, as the emulators counted them."""

    ours: int
    reference: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Ours against the reference: samples of runs in turn, as many of each.

    The seconds are divided by `ours_units` and `reference_units`, so that work of different size can be compared.
    """

    scenario: str
    hostnames: int
    ours: Sequence[Sample]
    reference: Sequence[Sample]
    ours_units: float = 1
    reference_units: float = 1
    calls: Calls | None = None

    def seconds(self, metric: Metric) -> tuple[list[float], list[float]]:
        """Return the seconds of both sides, divided by their units."""
        ours = [getattr(sample, metric) / self.ours_units for sample in self.ours]
        return ours, [getattr(sample, metric) / self.reference_units for sample in self.reference]

    def ratio(self, metric: Metric, *, of: Callable[[list[float]], float] = min) -> float:
        """Return ours by reference: of the minima, or of what `of` makes of the seconds of a side."""
        ours, reference = self.seconds(metric)
        return of(ours) / of(reference)

    def noise(self, metric: Metric) -> float:
        """Return how far the slowest run is above the fastest, as a part of it: that of the noisier side."""
        return max(max(side) / min(side) - 1 for side in self.seconds(metric))

    def to_json(self) -> dict[str, object]:
        """Return everything as JSON values; `peakBytes` are those of the largest process in any run."""
        metrics: tuple[Metric, ...] = ("wall", "cpu")
        return {
            "scenario": self.scenario,
            "hostnames": self.hostnames,
            "runs": len(self.ours),
            **{metric: self._metric_json(metric) for metric in metrics},
            "peakBytes": {"ours": peak_bytes(self.ours), "reference": peak_bytes(self.reference)},
            "calls": {"ours": self.calls.ours, "reference": self.calls.reference} if self.calls else None,
        }

    def _metric_json(self, metric: Metric) -> dict[str, object]:
        ours, reference = self.seconds(metric)
        return {
            "ours": ours,
            "reference": reference,
            "ratioOfMinima": self.ratio(metric),
            "ratioOfMedians": self.ratio(metric, of=median),
            "noise": self.noise(metric),
        }


def peak_bytes(samples: Sequence[Sample]) -> int:
    """Return the largest peak of all samples."""
    return max(sample.peak_bytes for sample in samples)


def measure(command: Sequence[str], *, cwd: Path, environment: Mapping[str, str], output: Path) -> Sample:
    """Run a command, its output going to a file. Raises CommandFailed when its exit status is not 0."""
    with output.open("wb") as sink:
        started = perf_counter()
        process = subprocess.Popen(
            command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT
        )
        # Only wait4 tells the usage of this child alone.
        _, status, usage = os.wait4(process.pid, 0)
        wall = perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        text = output.read_text(encoding="utf-8", errors="replace")[-_TAIL:]
        raise CommandFailed(f"{' '.join(command)} ended with status {process.returncode}:\n{text}")
    return Sample(wall=wall, cpu=usage.ru_utime + usage.ru_stime, peak_bytes=usage.ru_maxrss * 1024)
