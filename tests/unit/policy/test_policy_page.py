"""docs/policy.md against the pack."""

import json
import re
from pathlib import Path

import pytest
from pulumi_policy import EnforcementLevel, ResourceValidationPolicy

from policy.policies import POLICIES
from policy.settings import load
from tests.unit.policy.resources import TODAY

PAGE = (Path(__file__).parents[3] / "docs" / "policy.md").read_text(encoding="utf-8")
EXAMPLES = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]


def _rows(section: str) -> dict[str, str]:
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| `([^`]+)` \| (.*) \|$", text, re.MULTILINE))


def test_each_section_lists_its_rules_and_says_which_are_advice() -> None:
    one, across = _rows("Rules about one resource"), _rows("Rules across resources")
    rules = {policy.name: policy for policy in POLICIES if policy.name not in ("settings", "exceptions")}
    assert set(one) == {name for name, policy in rules.items() if isinstance(policy, ResourceValidationPolicy)}
    assert set(across) == set(rules) - set(one)
    for name, text in (one | across).items():
        advice = rules[name].enforcement_level is EnforcementLevel.ADVISORY
        assert text.startswith("advisory: ") is advice


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_are_valid_configurations(example: dict[str, dict[str, object]]) -> None:
    load(example["settings"], TODAY)
    assert set(example) <= {policy.name for policy in POLICIES}


def test_the_page_names_each_setting() -> None:
    (schema,) = (policy.config_schema for policy in POLICIES if policy.name == "settings")
    assert schema is not None
    assert set(_rows("Its configuration")) == set(schema.properties)
    assert set(EXAMPLES[0]["settings"]) == set(schema.properties)
