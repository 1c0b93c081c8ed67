import pytest

from local.hub_emulator import HubEmulator
from tests.local.hub_emulator.pairs import Node, Replay, scenarios, settings_of

RECORDED = scenarios("recorded_v0_0_22.yaml")
DERIVED = scenarios("derived_1_x.yaml")


def test_the_recording_holds_all_71_pairs_in_order() -> None:
    numbers = [step["pair"] for step in RECORDED[0]["steps"] if isinstance(step["pair"], int)]
    assert numbers == list(range(1, 72))


@pytest.mark.parametrize("scenario", RECORDED + DERIVED, ids=lambda scenario: scenario["scenario"])
def test_the_emulator_answers_as_the_hub_did(scenario: Node) -> None:
    with HubEmulator(settings_of(scenario)) as hub:
        hub.clock.freeze(1_796_001_417_182)
        Replay(hub, hub.add_user("outsider@example.test").key).run(scenario["steps"])
        hub.check_invariants()


def test_a_token_has_the_recorded_length_and_carries_the_invite_id() -> None:
    with HubEmulator(settings_of(RECORDED[0])) as hub:
        invite = hub.create("a.x.test")
    assert len(invite.token) == 152
    assert invite.token.split(".")[1] == invite.invite_id
