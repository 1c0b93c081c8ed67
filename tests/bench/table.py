"""The comparisons as a table of 80 columns."""

from statistics import median

from tests.bench.measure import Comparison, Metric, peak_bytes

LEGEND = """\
n runs of each side in turn; ours and base: fewest seconds (of edge-dns plan per
1,000 hostnames); ratio: of these; median: ratio of the medians; noise: slowest
run above the fastest, of the noisier side; MB: our largest process; calls: to
the three APIs in one run, ours/base. The base of edge-dns plan is its smallest
size, of start-up a program that only loads the SDK, else the bare program."""

_COLUMNS = "{:<13} {:>6} {:>2} {:<4} {:>7} {:>7} {:>6} {:>6} {:>5} {:>4} {:>9}"


HEAD = _COLUMNS.format("scenario", "names", "n", "s", "ours", "base", "ratio", "median", "noise", "MB", "calls")


def table_lines(one: Comparison) -> tuple[str, str]:
    """Return the two lines of a comparison: time on the clock, and processor time."""
    calls = f"{one.calls.ours}/{one.calls.reference}" if one.calls else ""
    head = (one.scenario, one.hostnames, len(one.ours))
    return (
        _line(one, "wall", head, (f"{peak_bytes(one.ours) / 1e6:.0f}", calls)),
        _line(one, "cpu", ("", "", ""), ("", "")),
    )


def _line(one: Comparison, metric: Metric, head: tuple[object, ...], tail: tuple[str, ...]) -> str:
    ours, reference = (f"{min(side):.2f}" for side in one.seconds(metric))
    ratio, middle = one.ratio(metric), one.ratio(metric, of=median)
    noise = f"{one.noise(metric):.0%}" if len(one.ours) > 1 else "-"
    return _COLUMNS.format(*head, metric, ours, reference, f"{ratio:.2f}", f"{middle:.2f}", noise, *tail).rstrip()
