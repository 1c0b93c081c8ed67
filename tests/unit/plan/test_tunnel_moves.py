"""Hostnames that pass from one tunnel of the settings to another: the hub gives one only once the other lets go."""

from typing import Any

import pytest

from tests.unit.plan.world import FREE, invite, run, settings_of, tunnel

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


@pytest.mark.parametrize(
    "tunnels",
    [
        pytest.param(
            [tunnel("a.example.com", "n.example.com", name="a"), tunnel("b.example.com", "m.example.com", name="b")],
            id="each waits for the other",
        ),
        pytest.param([tunnel("m.example.com", name="b")], id="the other tunnel is removed, which comes last"),
        pytest.param(
            [tunnel(name="a"), tunnel("m.example.com", name="b")], id="the other invite is deleted, which comes last"
        ),
    ],
)
def test_a_hostname_that_another_invite_holds_until_the_end_is_refused(tunnels: Any) -> None:
    assert _outcome(*tunnels)["m.example.com"] == ("withdrawn", "host-taken")
