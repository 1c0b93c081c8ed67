from itertools import product

import pytest

from edge_dns.core.dns_outcome import Answer, NoData, NxDomain, Outcome, Unknown, agreed, describe_outcome

HERE = Answer(type="A", values=("192.0.2.1",), ttl=60)
ELSEWHERE = Answer(type="A", values=("192.0.2.2",), ttl=60)
ALIAS = Answer(type="CNAME", values=("192.0.2.1",), ttl=60)
SILENT = Unknown(reason="ns1 does not answer in time")
KNOWN = (HERE, ELSEWHERE, ALIAS, NoData(), NxDomain())


@pytest.mark.parametrize("outcome", KNOWN, ids=describe_outcome)
def test_two_look_ups_that_say_the_same_agree(outcome: Outcome) -> None:
    assert agreed(outcome, outcome) == outcome


def test_a_ttl_that_runs_down_is_no_difference() -> None:
    assert agreed(HERE, Answer(type="A", values=("192.0.2.1",), ttl=17)) == HERE


@pytest.mark.parametrize(
    ("first", "second"),
    [pair for pair in product(KNOWN, repeat=2) if pair[0] != pair[1]],
    ids=describe_outcome,
)
def test_two_look_ups_that_differ_tell_nothing(first: Outcome, second: Outcome) -> None:
    together = agreed(first, second)
    assert isinstance(together, Unknown)
    assert describe_outcome(first) in together.reason
    assert describe_outcome(second) in together.reason


@pytest.mark.parametrize("outcome", [*KNOWN, SILENT], ids=describe_outcome)
def test_a_server_that_does_not_know_spoils_the_other(outcome: Outcome) -> None:
    assert agreed(outcome, SILENT) == SILENT
    assert agreed(SILENT, outcome) == SILENT
