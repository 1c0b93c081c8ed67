"""How much is measured: sizes, and runs of each side; and what a scenario gets to run with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

_MOST_RUNS_UP_TO = 1000

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Sizes by scenario; `created_up_to` is the largest stack whose creation and destruction are measured.

    `rounds` are the runs of each side, one less above 1,000.
    """

    sizes: Mapping[str, tuple[int, ...]]
    created_up_to: int
    rounds: int

    def rounds_of(self, size: int) -> int:
        """Return the runs of each side at a size."""
        return self.rounds if size <= _MOST_RUNS_UP_TO else max(1, self.rounds - 1)

    def creations_of(self, size: int) -> int:
        """Return how often a stack is created: the larger the less, since the time grows faster than the size."""
        return max(1, self.rounds * 100 // max(size, 100)) if size <= self.created_up_to else 0


_PLAN = {"plan": (1000, 10_000, 50_000), "observe": (1000, 5000), "audit": (1000, 5000), "start-up": (0,)}
_ALL = (100, 500, 1000, 3000)

DEFAULT = Scale(
    sizes={**_PLAN, "mixed": _ALL, "cloudflare": (500, 1000), "route53": (500, 1000), "dnsendpoint": _ALL},
    created_up_to=500,
    rounds=3,
)
LONG = Scale(
    sizes={**_PLAN, **dict.fromkeys(("mixed", "cloudflare", "route53", "dnsendpoint"), _ALL)},
    created_up_to=1000,
    rounds=3,
)
QUICK = Scale(
    sizes={
        "plan": (20, 40),
        "observe": (4, 8),
        "audit": (4, 8),
        "start-up": (0,),
        "mixed": (4,),
        "cloudflare": (4,),
        "route53": (4,),
        "dnsendpoint": (4,),
    },
    created_up_to=4,
    rounds=1,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What a scenario runs with: the scale, a folder of its own, and where progress goes.

    `at_once` runs both sides at the same time, for a bench that shows that it works and not what it costs.
    """

    scale: Scale
    folder: Path
    tell: Tell
    at_once: bool = False
