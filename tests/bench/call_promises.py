"""The promises about API calls, by formula: pages and a constant at every size. They fail the bench."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil

from tests.bench import audit_cost, observe_cost
from tests.bench.comparison import CallCounts, Comparison
from tests.bench.stack_cost import CHANGE, NEW, SAME
from tests.bench.verdicts import Verdict
from tests.bench.workload import WORKLOADS

_HUB_LISTS, _HUB_READS, _HUB_PER_CHANGE = 1, 3, 2
_CHANGES = 2
"""One hostname is added and one removed."""
_SAME = "equal"


def call_verdicts(comparisons: Sequence[Comparison]) -> list[Verdict]:
    """Return a verdict on each promise, with the numbers at each size, ascending.

    A Cloudflare zone takes one call for its description, beside those for its records.
    """
    verdicts = []
    for name in (workload.name for workload in WORKLOADS):
        phases = {phase: _of(comparisons, name, phase) for phase in (NEW, SAME, CHANGE)}
        verdicts += list(_of_workload(name, phases))
    audits = [_provider_calls(one) - _pages(one) for one in _of(comparisons, "audit", audit_cost.PHASE)]
    verdicts.append(_each("audit: calls above pages", audits, most=1))
    routes = [_calls(one)["httproutes"] - _pages(one) for one in _of(comparisons, "observe", observe_cost.PHASE)]
    verdicts.append(_each("observe: calls for routes above pages", routes, most=0))
    return verdicts


def _of_workload(name: str, phases: Mapping[str, Sequence[Comparison]]) -> Iterator[Verdict]:
    zones = 1 if name in {"mixed", "cloudflare"} else 0
    for phase, pages in ((NEW, _of_empty_zones), (SAME, _pages)):
        numbers = [_provider_calls(one) - pages(one) for one in phases[phase]]
        yield _each(f"{name}: {phase}: calls above pages", numbers, most=zones)
        numbers = [_hub_calls(one) - _HUB_LISTS - _HUB_READS * one.contents["invite"] for one in phases[phase]]
        yield _each(f"{name}: {phase}: hub above 1+3/invite", numbers, most=0)
    before = {one.size: one for one in phases[SAME]}
    both = [(one, before[one.size]) for one in phases[CHANGE]]
    numbers = [_hub_calls(change) - _hub_calls(same) for change, same in both]
    yield _each(f"{name}: one change: hub above preview", numbers, most=_CHANGES * _HUB_PER_CHANGE)
    numbers = [_provider_calls(change) - _provider_calls(same) for change, same in both]
    yield _each(f"{name}: one change: others above preview", numbers, most=min(numbers, default=None))


def _of(comparisons: Sequence[Comparison], scenario: str, phase: str) -> list[Comparison]:
    return [one for one in comparisons if one.calls and one.key[:2] == (scenario, phase)]


def _each(promise: str, numbers: Sequence[int], *, most: int | None) -> Verdict:
    if not numbers or most is None:
        return Verdict(promise=promise, limit=_SAME if most is None else str(most))
    return Verdict(promise=promise, limit=str(most), measured=",".join(map(str, numbers)), holds=max(numbers) <= most)


def _hub_calls(one: Comparison) -> int:
    return _calls(one)["hub"]


def _provider_calls(one: Comparison) -> int:
    return sum(number for service, number in _calls(one).items() if service != "hub")


def _calls(one: Comparison) -> CallCounts:
    return one.calls.ours if one.calls else {}


def _of_empty_zones(one: Comparison) -> int:
    """Return the list calls that empty zones take, and the Kubernetes provider's dry run of each new object."""
    return sum(_PAGES[kind](0) for kind in one.contents if kind in _PAGES) + one.contents.get("dnsendpoint", 0)


def _pages(one: Comparison) -> int:
    """Return the list calls that the contents of zones and kinds take."""
    return sum(_PAGES[kind](number) for kind, number in one.contents.items() if kind in _PAGES)


def _cloudflare_pages(records: int) -> int:
    """Return the calls of a lookup of 1,000 records and, where that many are there, of one of all in pages of 5,000."""
    return 1 if records < 1000 else 2 + records // 5000


def _kubernetes_pages(objects: int) -> int:
    return max(1, ceil(objects / 500))


_PAGES: Mapping[str, Callable[[int], int]] = {
    "cloudflare": _cloudflare_pages,
    # NS and SOA are in every zone.
    "route53": lambda rrsets: ceil((rrsets + 2) / 300),
    "dnsendpoint": _kubernetes_pages,
    "httproutes": _kubernetes_pages,
}
