"""Hostnames that pass from one tunnel of the settings to another: the hub gives one only once the other lets go."""

from typing import Any

import pytest

from tests.unit.plan.world import FREE, Run, invite, run, settings_of, tunnel

_HELD = [
    invite("a.example.com", "m.example.com", invite_id="inv-a", name="shop/a"),
    invite("b.example.com", "n.example.com", invite_id="inv-b", name="shop/b"),
]
_BEFORE = [
    tunnel("a.example.com", "m.example.com", name="a"),
    tunnel("b.example.com", "n.example.com", name="b"),
]


def _outcome(*tunnels: Any) -> dict[str, tuple[str, str | None]]:
    memory = run(settings_of(tunnels=_BEFORE, safety=FREE), hub=_HELD).memory
    return run(settings_of(tunnels=list(tunnels), safety=FREE), hub=_HELD, memory=memory).outcome


def test_a_hostname_that_another_tunnel_gives_up_stays_published() -> None:
    outcome = _outcome(
        tunnel("a.example.com", name="a"), tunnel("b.example.com", "m.example.com", "n.example.com", name="b")
    )
    assert outcome == dict.fromkeys(
        ["a.example.com", "b.example.com", "m.example.com", "n.example.com"], ("published", None)
    )


SWAPPED = [tunnel("a.example.com", "n.example.com", name="a"), tunnel("b.example.com", "m.example.com", name="b")]
REMOVED = [tunnel("b.example.com", "m.example.com", name="b")]
EMPTIED = [tunnel(name="a"), tunnel("b.example.com", "m.example.com", name="b")]


def _second(*tunnels: Any, before: Any = _BEFORE, hub: Any = _HELD, hub_is_read: bool = True, **safety: Any) -> Run:
    memory = run(settings_of(tunnels=before, safety=FREE), hub=hub).memory
    now = hub if hub_is_read else None
    return run(settings_of(tunnels=list(tunnels), safety={**FREE, **safety}), hub=now, memory=memory)


@pytest.mark.parametrize("hub_is_read", [True, False], ids=["hub read", "from the memory alone"])
@pytest.mark.parametrize(
    ("tunnels", "hostnames", "told"),
    [
        pytest.param(
            SWAPPED,
            ["m.example.com", "n.example.com"],
            "tunnel shop/b takes from tunnel shop/a, which itself takes a hostname at the same time",
            id="each waits for the other",
        ),
        pytest.param(
            REMOVED,
            ["m.example.com"],
            "tunnel shop/b takes from tunnel shop/a, which left the settings and is deleted last",
            id="the other tunnel is removed, which comes last",
        ),
        pytest.param(
            EMPTIED,
            ["m.example.com"],
            "tunnel shop/b takes from tunnel shop/a, which has no hostname left and is deleted last",
            id="the other invite is deleted, which comes last",
        ),
        pytest.param(
            [tunnel("c.example.com", "m.example.com", "n.example.com", name="c")],
            ["m.example.com", "n.example.com"],
            "`aliases: [shop/a]` on tunnel shop/c and `aliases: [shop/b]` on tunnel shop/c",
            id="two tunnels become one",
        ),
    ],
)
def test_a_hostname_that_another_tunnel_lets_go_too_late_stops_the_run_until_that_is_acknowledged(
    tunnels: Any, hostnames: list[str], told: str, hub_is_read: bool
) -> None:
    stopped = _second(*tunnels, hub_is_read=hub_is_read)
    assert stopped.stops == ["host-transition"]
    (error,) = stopped.document["errors"]
    message = " ".join(error["message"].split())
    for part in (told, *hostnames, f"acknowledge.count to {len(hostnames)}", "in two runs"):
        assert part in message

    for acknowledge in ({"count": len(hostnames)}, {"names": hostnames}):
        passed = _second(*tunnels, acknowledge=acknowledge)
        assert passed.stops == []
        assert passed.status == 0
        assert {name: passed.outcome[name] for name in hostnames} == dict.fromkeys(
            hostnames, ("withdrawn", "host-transition")
        )
        assert "the next run gives it to" in passed.reason(hostnames[0])


def test_after_an_acknowledged_transition_the_next_run_promises_the_hostname() -> None:
    only = [tunnel("m.example.com", name="b")]
    passed = _second(*only, acknowledge={"names": [f"{name}.example.com" for name in "abmn"]})
    assert passed.outcome["m.example.com"] == ("withdrawn", "host-transition")
    settings = settings_of(tunnels=only, safety=FREE)
    # The invite of the tunnel is kept, although it gets its only hostname in the next run.
    hub = [invite("b.example.com", "n.example.com", invite_id="inv-b", name="shop/b")]
    assert run(settings, hub=hub, memory=passed.memory).outcome["m.example.com"] == ("published", None)


def test_in_a_chain_each_tunnel_waits_for_the_one_that_it_takes_from() -> None:
    held = [invite(f"{name}.example.com", invite_id=f"inv-{name}", name=f"shop/{name}") for name in "abc"]
    before = [tunnel(f"{name}.example.com", name=name) for name in "abc"]
    after = [
        tunnel("b.example.com", name="a"),
        tunnel("c.example.com", name="b"),
        tunnel("d.example.com", name="c"),
    ]
    outcome = _second(*after, before=before, hub=held).outcome
    assert {name: outcome[f"{name}.example.com"] for name in "bcd"} == dict.fromkeys("bcd", ("published", None))


def test_tunnels_that_swap_their_only_hostnames_cannot_be_acknowledged() -> None:
    held = [invite(f"{name}.example.com", invite_id=f"inv-{name}", name=f"shop/{name}") for name in "ab"]
    before = [tunnel(f"{name}.example.com", name=name) for name in "ab"]
    after = [tunnel("b.example.com", name="a"), tunnel("a.example.com", name="b")]
    stopped = _second(*after, before=before, hub=held, acknowledge={"names": ["a.example.com", "b.example.com"]})
    assert stopped.stops == ["host-transition"]
    assert "another hostname for one run" in " ".join(stopped.document["errors"][0]["message"].split())


def test_one_of_two_that_swap_may_have_nothing_else() -> None:
    held = [
        invite("a.example.com", invite_id="inv-a", name="shop/a"),
        invite("b.example.com", "x.example.com", invite_id="inv-b", name="shop/b"),
    ]
    before = [tunnel("a.example.com", name="a"), tunnel("b.example.com", "x.example.com", name="b")]
    after = [tunnel("b.example.com", name="a"), tunnel("a.example.com", "x.example.com", name="b")]
    outcome = _second(*after, before=before, hub=held, acknowledge={"count": 1}).outcome
    assert outcome["b.example.com"] == ("published", None)
    assert outcome["a.example.com"] == ("withdrawn", "host-transition")


def test_a_hostname_that_two_tunnels_want_is_no_transition() -> None:
    one, two = _BEFORE
    outcome = _second(one, {**two, "hostnames": [*two["hostnames"], "m.example.com"]})
    assert outcome.stops == []
    assert outcome.outcome["m.example.com"] == ("published", None)


def test_a_retained_invite_keeps_its_hostnames_for_good() -> None:
    retained = [{**_BEFORE[0], "deletionPolicy": "Retain"}, _BEFORE[1]]
    stopped = _second(*REMOVED, before=retained)
    assert stopped.stops == ["host-transition"]
    passed = _second(*REMOVED, before=retained, acknowledge={"count": 1})
    assert "until somebody deletes it" in passed.reason("m.example.com")
    assert "the next run" not in passed.reason("m.example.com")
