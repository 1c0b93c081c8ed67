"""The comparisons as a table of 80 columns."""

from tests.bench.comparison import Comparison, peak_bytes, seconds

LEGEND = """\
n runs of each side in turn; ours and base: fewest seconds; ratio: of these, of
"per" lines divided by the sizes; cpu: ratio of processor times; noise: slowest
run above the fastest, of the noisier side; MB: largest process, ours/base;
calls: to the APIs in one run, ours/base. Each heading says what the base is.
change/preview: ours of "up, one change" by ours of "preview, same"."""

_COLUMNS = "{:<14} {:>6} {:>1} {:>7} {:>7} {:>5} {:>5} {:>5} {:>9} {:>11}"

HEAD = _COLUMNS.format("scenario", "size", "n", "ours", "base", "ratio", "cpu", "noise", "MB", "calls")


def table_line(one: Comparison) -> str:
    """Return the line of a comparison."""
    sides = [side for side in (one.ours, one.reference) if side]
    runs = min(len(side) for side in sides)
    return _COLUMNS.format(
        one.phase,
        one.size,
        runs,
        *(f"{min(seconds(side, 'wall')):.2f}" if side else "-" for side in (one.ours, one.reference)),
        _ratio(one.ratio("wall")),
        _ratio(one.ratio("cpu")),
        f"{one.noise('wall'):.0%}" if runs > 1 else "-",
        "/".join(f"{peak_bytes(side) / 1e6:.0f}" for side in sides),
        _calls(one),
    ).rstrip()


def _ratio(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.2f}"


def _calls(one: Comparison) -> str:
    return f"{sum(one.calls.ours.values())}/{sum(one.calls.reference.values())}" if one.calls else ""
