"""The cost of the program on the real engine, against a bare program that declares the same resources one by one.

Each side has services and a backend of its own. Previews of both run without checkpoints, as the shipped commands do;
updates that are measured write them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from edge_dns.core.settings import load_settings
from local.stack import ROOT, STACK
from tests.bench.bare_resources import bare_resources, by_class
from tests.bench.comparison import CallCounts, Calls, Comparison
from tests.bench.measure import CommandFailed, Sample
from tests.bench.plan_cost import measure_plan
from tests.bench.scale import Bench
from tests.bench.side import DESTROY, NO_CHECKPOINTS, PREVIEW, UP, Side
from tests.bench.turns import take_turn
from tests.bench.workload import Workload, stack_settings

PROJECT = "edge-dns"
PROGRAMS = Path(__file__).parent / "programs"

NEW, CREATE, SAME, CHANGE, OF_PREVIEW, GONE = (
    "preview, new",
    "up, new",
    "preview, same",
    "up, one change",
    "change/preview",
    "destroy",
)


def compare_stacks(workload: Workload, bench: Bench) -> Iterator[Comparison]:
    """Yield the phases in the life of a stack, at each size."""
    for size in bench.scale.sizes[workload.name]:
        place = bench.folder / str(size)
        with (
            Side(ROOT, place / "ours", workload) as ours,
            Side(PROGRAMS / "bare", place / "bare", workload) as bare,
        ):
            yield from _life(_Pair(workload=workload, size=size, ours=ours, bare=bare, bench=bench))


def _life(pair: "_Pair") -> Iterator[Comparison]:
    scale, size = pair.bench.scale, pair.size
    rounds, creations = scale.rounds_of(size), scale.creations_of(size)
    pair.configure(changes=0)
    for _ in range(rounds):
        pair.turn(NEW, PREVIEW, of=rounds)
    yield pair.comparison(NEW)
    if creations:
        yield from _creations(pair, creations)
    else:
        pair.set_up()
    pair.check_equal()
    for _ in range(rounds):
        pair.turn(SAME, PREVIEW, of=rounds)
    yield pair.comparison(SAME)
    for changes in range(1, rounds + 1):
        pair.configure(changes=changes)
        pair.turn(CHANGE, UP, of=rounds)
    yield pair.comparison(CHANGE)
    yield pair.change_by_preview()
    pair.check_equal()
    if creations:
        pair.turn(GONE, DESTROY, of=creations)
        yield pair.comparison(GONE)


def _creations(pair: "_Pair", creations: int) -> Iterator[Comparison]:
    """Create the stack as often, and destroy it in between; it stands at the end."""
    for number in range(creations):
        if number:
            pair.turn(GONE, DESTROY, of=creations)
        pair.turn(CREATE, UP, of=creations)
    yield pair.comparison(CREATE)


@dataclass(slots=True, kw_only=True)
class _Pair:
    """Both sides of a stack, and the samples of each phase so far."""

    workload: Workload
    size: int
    ours: Side
    bare: Side
    bench: Bench
    contents: Mapping[str, int] = field(default_factory=dict)
    samples: dict[str, tuple[list[Sample], list[Sample]]] = field(default_factory=dict)
    calls: dict[str, Calls] = field(default_factory=dict)

    def turn(self, phase: str, command: Sequence[str], *, of: int) -> None:
        """Run a command on both sides; keeps the samples and the last turn's calls. `of` says how many turns come."""
        ours, bare = self.samples.setdefault(phase, ([], []))
        before = self.ours.calls(), self.bare.calls()
        found = take_turn(
            partial(self.ours.pulumi, command),
            partial(self.bare.pulumi, command),
            number=len(ours),
            of=of,
            what=f"{self._name}: {phase}",
            bench=self.bench,
        )
        ours.append(found[0])
        bare.append(found[1])
        self.calls[phase] = Calls(
            ours=_since(before[0], self.ours.calls()), reference=_since(before[1], self.bare.calls())
        )

    def comparison(self, phase: str) -> Comparison:
        """Return the comparison of all turns of a phase."""
        ours, bare = self.samples[phase]
        return Comparison(
            scenario=self.workload.name,
            phase=phase,
            size=self.size,
            ours=ours,
            reference=bare,
            calls=self.calls[phase],
            contents=self.contents,
        )

    def change_by_preview(self) -> Comparison:
        """Return our own updates of one change by our own previews without change."""
        ours, reference = self.samples[CHANGE][0], self.samples[SAME][0]
        return Comparison(scenario=self.workload.name, phase=OF_PREVIEW, size=self.size, ours=ours, reference=reference)

    def set_up(self) -> None:
        """Create the stack without measuring it, and without checkpoints: the providers are emulators."""
        for side in (self.ours, self.bare):
            self.bench.tell(f"{self._name}: set-up without checkpoints, {side.folder.name}")
            side.pulumi(UP, NO_CHECKPOINTS)

    def check_equal(self) -> None:
        """Raise CommandFailed unless both sides have declared the same."""
        if self.ours.resources() != self.bare.resources():
            raise CommandFailed(f"{self._name}: the bare program has not declared the same resources")

    def configure(self, *, changes: int) -> None:
        """Write the settings of ours, and the same as resources of the bare program."""
        services = self.ours.services
        settings = stack_settings(
            self.size,
            hub=services.hub_settings,
            gateway_state=self.ours.folder / "gateways.json",
            workload=self.workload,
            kubeconfig=self.ours.kubeconfig,
            changes=changes,
        )
        self.ours.stack.configure(settings)
        plan = self.ours.folder / "plan.json"
        measure_plan(self.ours.stack.config_file, output=plan)
        document = json.loads(plan.read_text(encoding="utf-8"))
        resources = bare_resources(document, load_settings(settings), project=PROJECT, stack=STACK)
        self.contents = by_class(resources)
        file = self.bare.folder / "resources.json"
        file.write_text(json.dumps(resources), encoding="utf-8")
        kubeconfig = {"kubeconfig": str(self.bare.kubeconfig)} if self.bare.kubeconfig else {}
        self.bare.stack.configure({"hub": dict(self.bare.services.hub_settings), "resources": str(file), **kubeconfig})

    @property
    def _name(self) -> str:
        return f"{self.workload.name} {self.size:,}"


def _since(before: CallCounts, after: CallCounts) -> CallCounts:
    return {service: number - before[service] for service, number in after.items()}
