"""All scenarios by name; a new one is added here, in `scale.py` and, where it shows a promise, in `promises.py`."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from tests.bench.audit_cost import compare_audits
from tests.bench.comparison import Comparison
from tests.bench.observe_cost import compare_observations
from tests.bench.plan_cost import compare_plans
from tests.bench.scale import Bench
from tests.bench.stack_cost import compare_stacks
from tests.bench.start_up_cost import compare_start_up
from tests.bench.workload import CLOUDFLARE, DNSENDPOINT, MIXED, ROUTE53


@dataclass(frozen=True, slots=True)
class Scenario:
    """What yields its comparisons, and its heading in the table, which says what the base is."""

    heading: str
    compare: Callable[[Bench], Iterator[Comparison]]


SCENARIOS: Mapping[str, Scenario] = {
    "plan": Scenario("edge-dns plan; base: octodns-sync without --doit, ours of the size before", compare_plans),
    "observe": Scenario("edge-dns observe of HTTPRoutes; base: ours of the smallest size", compare_observations),
    "start-up": Scenario("what the program costs with nothing to do; base: the SDK alone, python", compare_start_up),
    "audit": Scenario("edge-dns audit orphans; base: ours of the smallest size", compare_audits),
    "mixed": Scenario("Cloudflare and Route 53; base: bare program", partial(compare_stacks, MIXED)),
    "cloudflare": Scenario("Cloudflare alone; base: bare program", partial(compare_stacks, CLOUDFLARE)),
    "route53": Scenario("Route 53 alone; base: bare program", partial(compare_stacks, ROUTE53)),
    "dnsendpoint": Scenario("DNSEndpoint objects; base: bare program", partial(compare_stacks, DNSENDPOINT)),
}
