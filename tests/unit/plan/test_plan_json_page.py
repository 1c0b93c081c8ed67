"""docs/plan-json.md against what the command prints."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from edge_dns.core.yaml_text import load
from tests.unit.plan.world import run

PAGE = (Path(__file__).parents[3] / "docs" / "plan-json.md").read_text(encoding="utf-8")


def _block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


def test_the_example_is_what_the_plan_prints() -> None:
    settings: Any = load(_block("yaml"))
    assert {**run(settings).document, "memory": {"version": 1}} == json.loads(_block("json"))


@pytest.mark.parametrize("list_name", ["endpointRecordSets", "records", "hostnames", "zones"])
def test_every_member_is_explained(list_name: str) -> None:
    entry = json.loads(_block("json"))[list_name][0]
    section = PAGE.split(f"\n### {list_name}\n")[1].split("\n### ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(entry)
