"""What `edge-dns audit orphans` costs, per record of one zone at growing sizes of one run."""

from collections.abc import Iterator
from functools import partial

from edge_dns.core.markers import marker_text
from edge_dns.core.values import Source
from local.stack import ROOT, STACK
from tests.bench.comparison import Comparison, growing
from tests.bench.measure import Sample, measure
from tests.bench.scale import Bench
from tests.bench.side import Side
from tests.bench.stack_cost import PROJECT
from tests.bench.turns import run_alone
from tests.bench.workload import CLOUDFLARE, CLOUDFLARE_ZONE, ZONE_IDS, stack_settings
from tools.toolchain import VENV

PHASE = "per record"

_OWN = 5
"""Every fifth record carries the marker of the stack, whose state knows none."""
_LISTED = 1
"""The exit status when something is listed."""


def compare_audits(bench: Bench) -> Iterator[Comparison]:
    """Yield the audit of each number of records, ascending, against the smallest."""
    yield from growing(_audits(bench))


def _audits(bench: Bench) -> Iterator[Comparison]:
    with Side(ROOT, bench.folder / "ours", CLOUDFLARE) as side:
        settings = stack_settings(
            0, hub=side.services.hub_settings, gateway_state=bench.folder / "gateways.json", workload=CLOUDFLARE
        )
        side.stack.configure(settings)
        present = 0
        for size in bench.scale.sizes["audit"]:
            _fill(side, present, size)
            present = size
            yield _audit(side, size, bench)


def _fill(side: Side, start: int, end: int) -> None:
    marker = marker_text(PROJECT, STACK, Source(cluster="prod", kind="Gateway", namespace="edge", name="gone"))
    for number in range(start, end):
        side.services.cloudflare.add_record(
            ZONE_IDS[CLOUDFLARE_ZONE],
            name=f"name-{number}.{CLOUDFLARE_ZONE}",
            type="A",
            content=f"203.0.113.{number % 250 + 1}",
            ttl=1,
            proxied=False,
            comment=marker if number % _OWN == 0 else "of somebody else",
        )


def _audit(side: Side, size: int, bench: Bench) -> Comparison:
    samples, calls = run_alone(
        partial(_measure, side), side.calls, rounds=bench.scale.rounds, what=f"audit {size:,}", bench=bench
    )
    return Comparison(
        scenario="audit",
        phase=PHASE,
        size=size,
        ours=samples,
        calls=calls,
        contents={"cloudflare": size},
    )


def _measure(side: Side) -> Sample:
    command = [str(VENV / "bin" / "edge-dns"), "audit", "orphans", "--json"]
    stack = ["--stack", STACK, "--config-file", str(side.stack.config_file)]
    return measure(
        [*command, *stack],
        cwd=ROOT,
        environment=side.stack.environment,
        output=side.folder / "output",
        statuses=(_LISTED,),
    )
