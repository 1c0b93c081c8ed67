"""The hub's hostname rules, as recorded from a running hub."""

import pytest

from edge_dns.hub import hostnames


@pytest.mark.parametrize(
    "name",
    ["app.net1.test", "*.net1.test", "1.2.3.4", "*.com", "xn--bcher-kva.example", "a-b.test", f"{'a' * 63}.test"],
)
def test_the_hub_takes(name: str) -> None:
    assert hostnames.problem(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "",
        "localhost",
        "*",
        "a.b.",
        ".a.b",
        "a..b",
        "under_score.a.b",
        "a.*.b",
        "*a.b.c",
        "-x.a.b",
        "x-.a.b",
        "héllo.a.b",
        "a.b:443",
        f"{'a' * 64}.test",
        ".".join(["a" * 49] * 6),
    ],
)
def test_the_hub_refuses(name: str) -> None:
    assert hostnames.problem(name)


def test_names_are_compared_in_lower_case() -> None:
    assert hostnames.normalise(" App.Example.COM ") == "app.example.com"
