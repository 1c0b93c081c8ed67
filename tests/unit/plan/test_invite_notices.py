"""What the plan warns of about invites: the end of one, and whoever else uses it."""

from typing import Any

import pytest

from edge_dns.observe.hub import parse_hub_list
from tests.unit.plan.world import FREE, Json, Run, invite, plan_of, run, settings_of, tunnel

TODAY = "2026-11-30"
DAY_MS = 86_400_000
NOON_MS = 1_796_040_000_000
"""Noon of that day, in UTC."""

APP = tunnel("a.example.com", "b.example.com", name="app")
KEPT = tunnel("kept.example.com", name="kept")
CLOUDFLARE_NOW = {**APP, "kind": "cloudflare", "cloudflare": {"accountId": "a" * 32, "origin": "http://app:80"}}
HELD = [
    invite("a.example.com", "b.example.com", invite_id="inv-a", name="shop/app"),
    invite("kept.example.com", invite_id="inv-k", name="shop/kept"),
]


def _second(*tunnels: Json, before: Any = APP, hub: Any = HELD, today: str | None = None) -> Run:
    memory = run(settings_of(tunnels=[before, KEPT], safety=FREE), hub=HELD).memory
    return run(settings_of(tunnels=[*tunnels, KEPT], safety=FREE), hub=hub, memory=memory, today=today)


def _warnings(outcome: Run) -> list[tuple[str, str]]:
    return [(one["rule"], one["message"]) for one in outcome.document["warnings"]]


@pytest.mark.parametrize(
    ("tunnels", "why", "replaced"),
    [
        pytest.param([], "the tunnel left the settings", False, id="the tunnel left"),
        pytest.param([CLOUDFLARE_NOW], "its kind is cloudflare now", False, id="another kind"),
        pytest.param([{**APP, "hostnames": []}], "the tunnel has no hostname any more", False, id="no hostname"),
        pytest.param([{**APP, "region": "US"}], "region changed", True, id="region"),
        pytest.param([{**APP, "failoverRegions": ["US"]}], "failoverRegions changed", True, id="failoverRegions"),
        pytest.param([{**APP, "expiresInSecs": 60}], "expiresInSecs changed", True, id="expiresInSecs"),
        pytest.param(
            [{**APP, "generation": 2, "region": "US"}], "region and generation changed", True, id="several changes"
        ),
    ],
)
@pytest.mark.parametrize("hub", [HELD, None], ids=["hub read", "from the memory alone"])
def test_the_end_of_an_invite_is_told_in_one_wording(
    tunnels: list[Json], why: str, replaced: bool, hub: list[Json] | None
) -> None:
    ((rule, message),) = _warnings(_second(*tunnels, hub=hub))
    assert rule == "invite-deleted"
    assert message.startswith(
        f"tunnel shop/app: this run deletes its invite ({why}), and token, tenant and ports go with it"
    )
    assert ("Agents need the new token." in message) is replaced
    assert ("`aliases: [shop/app]`" in message) is (tunnels == [])


@pytest.mark.parametrize("hub", [HELD, None], ids=["hub read", "from the memory alone"])
@pytest.mark.parametrize("tunnels", [[], [{**APP, "hostnames": []}]], ids=["left", "emptied"])
def test_a_retained_invite_is_not_deleted(tunnels: list[Json], hub: list[Json] | None) -> None:
    assert _warnings(_second(*tunnels, before={**APP, "deletionPolicy": "Retain"}, hub=hub)) == []


def test_an_invite_that_has_ended_already_is_not_deleted_once_more() -> None:
    assert _warnings(_second({**APP, "generation": 2}, hub=HELD[1:])) == []


def _expiring(days: float, **more: Any) -> Any:
    return [{**HELD[0], "expires_at_ms": NOON_MS + round(days * DAY_MS), **more}, HELD[1]]


@pytest.mark.parametrize(
    ("days", "told"),
    [
        pytest.param(8, None, id="eight days"),
        pytest.param(7, "ends on 2026-12-07", id="seven days"),
        pytest.param(0, "ends on 2026-11-30", id="the day itself"),
        pytest.param(-1, "ended on 2026-11-29", id="over"),
    ],
)
def test_a_week_before_its_end_an_invite_is_warned_of_and_its_names_stay(days: float, told: str | None) -> None:
    outcome = _second(APP, hub=_expiring(days), today=TODAY)
    assert [rule for rule, _ in _warnings(outcome)] == (["invite-expires"] if told else [])
    assert told is None or told in _warnings(outcome)[0][1]
    assert set(outcome.states.values()) == {"published"}
    assert outcome.status == 0


@pytest.mark.parametrize(
    ("hub", "today"),
    [(_expiring(1), None), (HELD, TODAY), (_expiring(1e9), TODAY)],
    ids=["no day given", "never", "beyond the calendar"],
)
def test_nothing_is_said_of_an_end_that_is_not_known_or_not_near(hub: Any, today: str | None) -> None:
    assert _warnings(_second(APP, hub=hub, today=today)) == []


def test_the_end_is_told_without_a_memory_too() -> None:
    outcome = run(settings_of(tunnels=[APP]), hub=_expiring(1), today=TODAY)
    assert [rule for rule, _ in _warnings(outcome)] == ["invite-expires"]


def test_an_invite_that_is_replaced_in_this_run_is_not_warned_of_once_more() -> None:
    warnings = _warnings(_second({**APP, "generation": 2}, hub=_expiring(1), today=TODAY))
    assert [rule for rule, _ in warnings] == ["invite-deleted"]


def test_a_hostname_on_the_invite_that_was_never_asked_for_is_left_alone_and_told() -> None:
    hub = [{**HELD[0], "hostnames": ["a.example.com", "b.example.com", "x.example.com"]}, HELD[1]]
    outcome = _second(APP, hub=hub)
    ((rule, message),) = _warnings(outcome)
    assert rule == "invite-shared"
    assert "tunnel shop/app: its invite inv-a holds what this stack never asked for: x.example.com" in message

    # It is nothing that this stack could hand on to another tunnel.
    outcome = _second(APP, tunnel("x.example.com", name="new"), hub=hub)
    assert outcome.outcome["x.example.com"] == ("refused", "host-taken")


def test_a_hostname_that_the_run_before_failed_to_take_off_counts_as_our_own() -> None:
    hub = HELD
    memory = run(settings_of(tunnels=[APP, KEPT], safety=FREE), hub=hub).memory
    less = settings_of(tunnels=[{**APP, "hostnames": ["a.example.com"]}, KEPT], safety=FREE)
    for _ in range(2):
        outcome = run(less, hub=hub, memory=memory)
        assert _warnings(outcome) == []
        memory = outcome.memory


def test_the_day_of_the_end_is_read_from_the_list_of_the_hub() -> None:
    (found,) = parse_hub_list({"invites": [_expiring(0)[0]]})
    assert str(found.expires) == TODAY


@pytest.mark.parametrize("known", [False, True], ids=["new", "had an invite"])
def test_a_tunnel_without_hostnames_is_told_what_it_gets(known: bool) -> None:
    memory = run(settings_of(tunnels=[APP, KEPT], safety=FREE), hub=HELD).memory if known else None
    plan = plan_of(settings_of(tunnels=[{**APP, "hostnames": []}, KEPT], safety=FREE), hub=HELD, memory=memory)
    expected = "tunnel shop/app has no hostname: it gets no invite, so no token, and publishes nothing"
    assert [one.message for one in plan.notes] == ([] if known else [expected])
