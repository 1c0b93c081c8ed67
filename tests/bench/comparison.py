"""Two commands that ran in turn, compared."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import median
from typing import Literal

from tests.bench.measure import Sample

Metric = Literal["wall", "cpu"]
Key = tuple[str, str, int]
"""Scenario, phase and size of a comparison."""

CallCounts = Mapping[str, int]
"""API calls by service, as the emulators and the API server counted them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """API calls of one run."""

    ours: CallCounts
    reference: CallCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One line of the table: ours against the reference, samples of runs in turn; no reference where none ran.

    The ratio is of seconds that are divided by `ours_units` and `reference_units`, so that work of different size can
    be compared. `contents` says how many things of each kind there were in the run.
    """

    scenario: str
    phase: str
    size: int
    ours: Sequence[Sample]
    reference: Sequence[Sample] = ()
    ours_units: float = 1
    reference_units: float = 1
    calls: Calls | None = None
    contents: Mapping[str, int] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        """What it is found by."""
        return self.scenario, self.phase, self.size

    def ratio(self, metric: Metric, *, of: Callable[[list[float]], float] = min) -> float | None:
        """Return ours by reference: of the minima, or of what `of` makes of the seconds of a side."""
        if not self.reference:
            return None
        ours, reference = (of(seconds(side, metric)) for side in (self.ours, self.reference))
        return (ours / self.ours_units) / (reference / self.reference_units)

    def memory_ratio(self) -> float | None:
        """Return the peak memory of ours by that of the reference."""
        return peak_bytes(self.ours) / peak_bytes(self.reference) if self.reference else None

    def noise(self, metric: Metric) -> float:
        """Return how far the slowest run is above the fastest, as a part of it: that of the noisier side."""
        sides = [seconds(side, metric) for side in (self.ours, self.reference) if side]
        return max(max(side) / min(side) - 1 for side in sides)

    def to_json(self) -> dict[str, object]:
        """Return everything as JSON values."""
        metrics: tuple[Metric, ...] = ("wall", "cpu")
        return {
            "scenario": self.scenario,
            "phase": self.phase,
            "size": self.size,
            "contents": dict(self.contents),
            "units": {"ours": self.ours_units, "reference": self.reference_units},
            **{metric: self._metric_json(metric) for metric in metrics},
            "peakBytes": {
                "ours": [sample.peak_bytes for sample in self.ours],
                "reference": [sample.peak_bytes for sample in self.reference],
            },
            "calls": asdict(self.calls) if self.calls else None,
        }

    def against(self, smaller: "Comparison") -> "Comparison":
        """Return it with a smaller size of the same as its reference, per unit of size."""
        calls = Calls(ours=self.calls.ours, reference=smaller.calls.ours) if self.calls and smaller.calls else None
        return replace(self, reference=smaller.ours, ours_units=self.size, reference_units=smaller.size, calls=calls)

    def _metric_json(self, metric: Metric) -> dict[str, object]:
        return {
            "ours": seconds(self.ours, metric),
            "reference": seconds(self.reference, metric),
            "ratioOfMinima": self.ratio(metric),
            "ratioOfMedians": self.ratio(metric, of=median),
            "noise": self.noise(metric),
        }


def seconds(samples: Sequence[Sample], metric: Metric) -> list[float]:
    """Return the seconds of each sample."""
    return [getattr(sample, metric) for sample in samples]


def peak_bytes(samples: Sequence[Sample]) -> int:
    """Return the largest peak of all samples."""
    return max(sample.peak_bytes for sample in samples)


def growing(comparisons: Iterable[Comparison]) -> Iterator[Comparison]:
    """Yield the comparisons, ascending in size, each against the first."""
    smallest: Comparison | None = None
    for one in comparisons:
        yield one.against(smallest) if smallest else one
        smallest = smallest or one
