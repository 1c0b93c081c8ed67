"""The cost of the program on the real engine, against a bare program that declares the same resources one by one.

Each side has emulators and a backend of its own, with the same zone ids, so that equal declarations have equal inputs.
Previews of both run without checkpoints, as the shipped commands do; updates write them.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from edge_dns.core.settings import load_settings
from local.services import LocalServices
from local.stack import ROOT, STACK, LocalStack
from tests.bench.bare_resources import bare_resources
from tests.bench.measure import Calls, CommandFailed, Comparison, Sample, measure
from tests.bench.plan_cost import measure_plan
from tests.bench.workload import CLOUDFLARE_ZONE, ROUTE53_ZONE, ZONE_IDS, stack_settings

PROJECT = "edge-dns"
PROGRAMS = Path(__file__).parent / "programs"

_PREVIEW = ("preview",)
_UP = ("up", "--yes", "--skip-preview")
_PHASES: Mapping[str, Sequence[str]] = {"preview, new": _PREVIEW, "up, new": _UP, "preview, same": _PREVIEW}
_NO_CHECKPOINTS = {"PULUMI_EXPERIMENTAL": "true", "PULUMI_SKIP_CHECKPOINTS": "true"}

Tell = Callable[[str], None]


class Side:
    """One program with its services and its stack, while the context is open."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.services = LocalServices()
        self.services.cloudflare.add_zone(CLOUDFLARE_ZONE, zone_id=ZONE_IDS[CLOUDFLARE_ZONE])
        self.services.route53.add_zone(ROUTE53_ZONE, zone_id=ZONE_IDS[ROUTE53_ZONE])
        self._running = ExitStack()

    def __enter__(self) -> Self:
        self._running.enter_context(self.services)
        self.stack = LocalStack(self.folder, self.services.provider_config)
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    def measure(self, command: Sequence[str]) -> Sample:
        """Run one command of `pulumi` on the stack."""
        options = ("--stack", STACK, "--config-file", str(self.stack.config_file))
        return measure(
            ["pulumi", *command, *options, "--non-interactive", "--color", "never"],
            cwd=self.program,
            environment=self.stack.environment | (_NO_CHECKPOINTS if "preview" in command else {}),
            output=self.folder / "output",
        )

    @property
    def calls(self) -> int:
        """How many API calls the three services have got so far."""
        services = self.services
        return len(services.hub.requests) + len(services.cloudflare.requests) + len(services.route53.requests)

    def resources(self) -> dict[tuple[str, str], object]:
        """Return the inputs of each resource at a provider, by type and name."""
        deployment = json.loads(self.stack.state())["deployment"]
        return {
            (one["type"], one["urn"].split("::", 3)[3]): one["inputs"]
            for one in deployment["resources"]
            if one["custom"] and not one["type"].startswith("pulumi:")
        }


def compare_with_bare(count: int, *, stacks: int, rounds: int, folder: Path, tell: Tell) -> list[Comparison]:
    """Preview a new stack of `count` hostnames, create it, preview it again: our program and the bare one in turn.

    All of it on as many new `stacks`; on each of them, each preview as often as `rounds` says.
    """
    ours: dict[str, list[Sample]] = {phase: [] for phase in _PHASES}
    bare: dict[str, list[Sample]] = {phase: [] for phase in _PHASES}
    calls: dict[str, Calls] = {}
    for stack in range(stacks):
        place = folder / f"{count}-{stack}"
        with Side(ROOT, place / "ours") as our_side, Side(PROGRAMS / "bare", place / "bare") as bare_side:
            _configure(our_side, bare_side, count)
            for phase, command in _PHASES.items():
                for number in range(rounds if command == _PREVIEW else 1):
                    tell(f"{phase}, {count} hostnames, stack {stack + 1} of {stacks}, run {number + 1}")
                    before = our_side.calls, bare_side.calls
                    _take_turns(command, [(our_side, ours[phase]), (bare_side, bare[phase])], stack + number)
                    calls[phase] = Calls(ours=our_side.calls - before[0], reference=bare_side.calls - before[1])
            if our_side.resources() != bare_side.resources():
                raise CommandFailed("the bare program has not declared the same resources")
    return [
        Comparison(scenario=phase, hostnames=count, ours=ours[phase], reference=bare[phase], calls=calls[phase])
        for phase in _PHASES
    ]


def compare_start_up(*, rounds: int, folder: Path, tell: Tell) -> Comparison:
    """Preview a stack with nothing in it: our program, and one that only loads the Pulumi SDK."""
    samples: tuple[list[Sample], list[Sample]] = ([], [])
    with Side(ROOT, folder / "ours") as our_side, Side(PROGRAMS / "empty", folder / "empty") as empty_side:
        for number in range(rounds):
            tell(f"start-up, run {number + 1}")
            _take_turns(_PREVIEW, [(our_side, samples[0]), (empty_side, samples[1])], number)
    return Comparison(scenario="start-up", hostnames=0, ours=samples[0], reference=samples[1])


def _take_turns(command: Sequence[str], sides: Sequence[tuple[Side, list[Sample]]], number: int) -> None:
    """Measure a command on each side; who begins changes with the number."""
    for side, samples in sides if number % 2 == 0 else reversed(sides):
        samples.append(side.measure(command))


def _configure(our_side: Side, bare_side: Side, count: int) -> None:
    gateway_state = our_side.folder / "gateways.json"
    settings = stack_settings(count, hub=our_side.services.hub_settings, gateway_state=gateway_state)
    our_side.stack.configure(settings)
    plan = our_side.folder / "plan.json"
    measure_plan(our_side.stack.config_file, output=plan)
    document = json.loads(plan.read_text(encoding="utf-8"))
    resources = bare_resources(document, load_settings(settings), project=PROJECT, stack=STACK)
    file = bare_side.folder / "resources.json"
    file.write_text(json.dumps(resources), encoding="utf-8")
    bare_side.stack.configure({"hub": dict(bare_side.services.hub_settings), "resources": str(file)})
