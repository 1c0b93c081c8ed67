"""Whatever is wanted and whatever is taken: the state says what the hub holds, and nobody else's invite is touched."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from edge_dns.hub import HubClient
from local.hub_emulator import HubEmulator
from providers.towonel.invite_resource import InviteResource
from tests.local.towonel.recorded_log import Lines

NAMES = [f"{letter}.x.test" for letter in "abcd"]
INVITES = InviteResource()

wanted_sets = st.lists(st.sampled_from(NAMES), min_size=1, unique=True)
taken_sets = st.lists(st.sampled_from(NAMES), unique=True)


def checked(hostnames: list[str]) -> Any:
    return INVITES.check({"name": "net/app", "hostnames": hostnames})[0]


@settings(max_examples=40)
@given(steps=st.lists(wanted_sets, min_size=2, max_size=4), taken=taken_sets)
def test_the_state_says_what_the_hub_holds(steps: list[list[str]], taken: list[str]) -> None:
    with HubEmulator() as hub:
        foreign = hub.take(*taken) if taken else None
        client, log = HubClient(hub.url, hub.operator_key, sleep=lambda _: None), Lines()
        live = INVITES.create(client, checked(steps[0]), log)
        outputs: Any = live.outputs
        for step in steps[1:]:
            outputs = INVITES.update(client, live.resource_id, outputs, checked(step), log)
            free = set(step) - set(taken)
            held = {name for row in hub.invites if row.name == "net/app" for name in row.folded}
            assert set(outputs["confirmed"]) == held
            # An invite keeps one name of before where none of the wanted ones is free.
            assert held == free if free else len(held) <= 1
            assert {row["hostname"] for row in outputs["refused"]} == set(step) - free
        assert sum(row.name == "net/app" for row in hub.invites) <= 1
        assert foreign is None or hub.invite(foreign.invite_id) == foreign
        hub.check_invariants()
