"""Verdicts on the promises about time and about calls."""

from collections.abc import Mapping

import pytest

from tests.bench.call_promises import call_verdicts
from tests.bench.comparison import Calls, Comparison
from tests.bench.measure import Sample
from tests.bench.promises import time_verdicts
from tests.bench.stack_cost import CHANGE, SAME
from tests.bench.verdicts import Verdict, verdict_line


def compared(
    scenario: str,
    phase: str,
    size: int,
    ours: float,
    base: float = 1,
    *,
    calls: Mapping[str, int] | None = None,
    contents: Mapping[str, int] | None = None,
) -> Comparison:
    samples = [[Sample(wall=wall, cpu=wall, peak_bytes=int(wall * 1000))] for wall in (ours, base)]
    return Comparison(
        scenario=scenario,
        phase=phase,
        size=size,
        ours=samples[0],
        reference=samples[1],
        calls=Calls(ours=calls, reference={}) if calls else None,
        contents=contents or {},
    )


def verdict(promise: str, *comparisons: Comparison) -> Verdict:
    (found,) = [
        one for one in (*time_verdicts(comparisons), *call_verdicts(comparisons)) if one.promise.startswith(promise)
    ]
    return found


def test_what_was_not_measured_is_said_to_be_so() -> None:
    verdicts = [*time_verdicts([]), *call_verdicts([])]
    assert {one.word for one in verdicts} == {"not measured"}
    assert max(len(verdict_line(one)) for one in verdicts) <= 80


@pytest.mark.parametrize(("ours", "word"), [(0.8, "holds"), (0.81, "MISSED")])
def test_a_ratio_is_held_against_its_limit(ours: float, word: str) -> None:
    one = verdict("route53: preview, same, 1,000 / bare", compared("route53", SAME, 1000, ours))
    assert (one.measured, one.limit, one.word) == (f"{ours:.2f}", "0.80", word)


def test_growth_of_a_plan_is_that_of_time_and_memory() -> None:
    growth = compared("plan", "size before", 50_000, 5.6)
    assert verdict("plan 50,000 / 10,000: time", growth).word == "MISSED"
    assert verdict("plan 50,000 / 10,000: memory", growth).measured == "5.60"


def test_time_per_hostname_is_that_of_two_sizes() -> None:
    sizes = [compared("mixed", SAME, 500, 5), compared("mixed", SAME, 3000, 39)]
    assert verdict("mixed: preview, same, 3,000 / 500 per name", *sizes).measured == "1.30"


def test_start_up_is_a_difference_in_seconds() -> None:
    one = verdict("start-up, empty plan", compared("start-up", "empty plan", 0, 1.75, 1.25))
    assert (one.measured, one.limit, one.word) == ("0.50 s", "0.60 s", "holds")


CONTENTS = {
    # Half of the names at Route 53, each with its marker.
    size: {"invite": size // 50, "cloudflare": size // 2, "route53": size}
    for size in (100, 1000, 4000)
}
PAGES = {100: (2, 1), 1000: (2, 4), 4000: (3, 14)}


def run(phase: str, size: int, *, hub: int = 0, route53: int = 0) -> Comparison:
    """A run with so many calls more than promised."""
    cloudflare, pages = PAGES[size]
    calls = {"hub": 1 + 3 * (size // 50) + hub, "cloudflare": cloudflare, "route53": pages + route53}
    return compared("mixed", phase, size, 1, calls=calls, contents=CONTENTS[size])


def test_reads_are_pages_and_a_constant_at_every_size() -> None:
    one = verdict("mixed: preview, same: calls above pages", *(run(SAME, size) for size in PAGES))
    # The second lookup at Cloudflare starts at 1,000 records.
    assert (one.measured, one.word) == ("1,1,1", "holds")


def test_a_call_per_hostname_is_missed() -> None:
    runs = [run(SAME, 100), run(SAME, 1000, route53=900)]
    one = verdict("mixed: preview, same: calls above pages", *runs)
    assert (one.measured, one.word) == ("1,901", "MISSED")


@pytest.mark.parametrize(("above", "word"), [(0, "holds"), (1, "MISSED")])
def test_reads_of_the_hub_are_one_list_and_three_per_invite(above: int, word: str) -> None:
    assert verdict("mixed: preview, same: hub above 1+3/invite", run(SAME, 100, hub=above)).word == word


def test_a_change_costs_two_calls_at_the_hub_and_the_same_number_of_others_at_every_size() -> None:
    runs = [run(phase, size) for phase in (SAME,) for size in (100, 1000)]
    runs += [run(CHANGE, 100, hub=4, route53=9), run(CHANGE, 1000, hub=5, route53=10)]
    hub = verdict("mixed: one change: hub above preview", *runs)
    others = verdict("mixed: one change: others above preview", *runs)
    assert (hub.measured, hub.limit, hub.word) == ("4,5", "4", "MISSED")
    assert (others.measured, others.limit, others.word) == ("9,10", "9", "MISSED")
