"""What became of predictions once the hub has answered."""

import pytest

from edge_dns.core.decision import Decision, State
from edge_dns.core.rules import Refusal
from edge_dns.core.settle import HubAnswer, settle
from edge_dns.core.values import Source

A = "a.example.com"
TUNNEL = Source(cluster=None, kind="TowonelTunnel", namespace="shop", name="web")
DOUBT = Refusal(rule="host-taken", reason="refused before")
GONE = Refusal(rule="invite-gone", reason="no longer there")
TTL = Refusal(rule="ttl-range", reason="too low")


def decision(state: State, refusal: Refusal | None = None, *, before: bool = False, sure: bool = False) -> Decision:
    return Decision(
        hostname=A,
        visibility="public",
        source=TUNNEL,
        state=state,
        refusal=refusal,
        conditional=not sure,
        published_before=before,
    )


@pytest.mark.parametrize(
    ("predicted", "state", "rule"),
    [
        pytest.param(decision("published"), "published", None, id="predicted"),
        pytest.param(decision("refused", DOUBT), "published", None, id="refused before, freed"),
        pytest.param(decision("withdrawn", DOUBT, before=True), "published", None, id="taken before, freed"),
        pytest.param(decision("withdrawn", GONE, before=True), "published", None, id="replaced after all"),
        pytest.param(decision("held", TTL, before=True), "held", "ttl-range", id="held for another reason"),
    ],
)
def test_confirmed(predicted: Decision, state: str, rule: str | None) -> None:
    (settled,) = settle([predicted], {TUNNEL: HubAnswer(confirmed=[A], refused={})})
    assert (settled.state, settled.refusal and settled.refusal.rule) == (state, rule)


@pytest.mark.parametrize(
    ("predicted", "state"),
    [
        pytest.param(decision("published"), "refused", id="a new name"),
        pytest.param(decision("published", before=True), "withdrawn", id="a published name"),
        pytest.param(decision("refused", DOUBT), "refused", id="refused before"),
        pytest.param(decision("withdrawn", DOUBT, before=True), "withdrawn", id="taken before"),
        pytest.param(decision("held", TTL, before=True), "withdrawn", id="held for another reason"),
    ],
)
@pytest.mark.parametrize(
    ("refused", "reason"), [({A: "it is taken"}, "it is taken"), ({}, "another invite or account of the hub holds it")]
)
def test_not_confirmed(predicted: Decision, state: str, refused: dict[str, str], reason: str) -> None:
    (settled,) = settle([predicted], {TUNNEL: HubAnswer(confirmed=[], refused=refused)})
    assert settled.state == state
    assert settled.refusal
    assert settled.refusal.rule == "host-taken"
    assert reason in settled.refusal.reason


@pytest.mark.parametrize("confirmed", [[A], []])
def test_what_never_depended_on_the_hub_is_as_it_was(confirmed: list[str]) -> None:
    sure = decision("published", sure=True)
    assert settle([sure], {TUNNEL: HubAnswer(confirmed=confirmed, refused={})}) == (sure,)


@pytest.mark.parametrize(("predicted", "rule"), [(None, "host-taken"), (TTL, "ttl-range")], ids=["published", "held"])
def test_a_name_that_the_hub_had_confirmed_and_then_refuses_stays_for_this_run_which_says_so(
    predicted: Refusal | None, rule: str
) -> None:
    sure = decision("held" if predicted else "published", predicted, before=True, sure=True)
    (settled,) = settle([sure], {TUNNEL: HubAnswer(confirmed=[], refused={A: "it is taken"})})
    assert settled.state == "held"
    assert settled.refusal
    assert settled.refusal.rule == rule


def test_without_an_answer_the_prediction_stays() -> None:
    assert settle([decision("published")], {}) == (decision("published"),)


def test_an_invite_that_has_ended_for_good_is_told_as_such() -> None:
    predicted = decision("withdrawn", GONE, before=True)
    assert settle([predicted], {TUNNEL: HubAnswer(confirmed=[], refused={})}) == (predicted,)
