"""What the program costs before its first registration, against one that only loads the SDK."""

import os
import sys
from collections.abc import Iterator
from functools import partial

from edge_dns.observe.live_zones import GET_DNS_RECORDS, GET_RECORDS
from local.stack import ROOT
from tests.bench.comparison import Comparison
from tests.bench.measure import measure
from tests.bench.scale import Bench
from tests.bench.side import PREVIEW, Side
from tests.bench.stack_cost import PROGRAMS
from tests.bench.turns import take_turns
from tests.bench.workload import CLOUDFLARE_ZONE, ROUTE53_ZONE, ZONE_IDS, stack_settings
from tools.toolchain import VENV

NOTHING, EMPTY_PLAN, HELP = "no settings", "empty plan", "--help"

# The program asks for them too; else the start of both plugins would be on one side.
_LOOKUPS = [
    [GET_DNS_RECORDS, {"zoneId": ZONE_IDS[CLOUDFLARE_ZONE], "maxItems": 1000}],
    [GET_RECORDS, {"zoneId": ZONE_IDS[ROUTE53_ZONE]}],
]


def compare_start_up(bench: Bench) -> Iterator[Comparison]:
    """Yield the preview of a stack without settings, of one whose zones are read for nothing, and a help."""
    folder, rounds = bench.folder, bench.scale.rounds
    with Side(ROOT, folder / "ours") as ours, Side(PROGRAMS / "empty", folder / "empty") as empty:
        for phase in (NOTHING, EMPTY_PLAN):
            if phase == EMPTY_PLAN:
                hub, gateways = ours.services.hub_settings, folder / "gateways.json"
                ours.stack.configure(stack_settings(0, hub=hub, gateway_state=gateways))
                empty.stack.configure({"lookups": _LOOKUPS})
            samples = take_turns(
                partial(ours.pulumi, PREVIEW),
                partial(empty.pulumi, PREVIEW),
                rounds=rounds,
                what=f"start-up: {phase}",
                bench=bench,
            )
            yield Comparison(scenario="start-up", phase=phase, size=0, ours=samples[0], reference=samples[1])
    run = partial(measure, cwd=ROOT, environment=os.environ, output=folder / "output")
    samples = take_turns(
        partial(run, [str(VENV / "bin" / "edge-dns"), "--help"]),
        partial(run, [sys.executable, "-c", ""]),
        rounds=rounds,
        what=f"start-up: {HELP}",
        bench=bench,
    )
    yield Comparison(scenario="start-up", phase=HELP, size=0, ours=samples[0], reference=samples[1])
