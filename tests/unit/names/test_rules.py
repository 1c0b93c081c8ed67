import pytest

from edge_dns.core.rules import RULES, Level, Refusal, level


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("observation-failed", Level.STOP),
        ("mass-delete", Level.STOP),
        ("hub-account", Level.STOP),
        ("name-syntax", Level.ERROR),
        ("host-taken", Level.ERROR),
        ("status-stale", Level.WAIT),
        ("exposure-internal", Level.WAIT),
        ("documentation-address", Level.WARNING),
    ],
)
def test_each_rule_has_its_level(rule: str, expected: Level) -> None:
    assert level(rule) is expected
    assert Refusal(rule=rule, reason="so").level is expected


def test_each_rule_says_its_meaning_in_one_line() -> None:
    assert all(rule.meaning and "\n" not in rule.meaning and rule.id == name for name, rule in RULES.items())


def test_a_refusal_names_a_known_rule() -> None:
    with pytest.raises(ValueError, match="no-such-rule"):
        Refusal(rule="no-such-rule", reason="so")
