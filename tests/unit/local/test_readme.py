"""What the README and the pages of docs/ say is true of this checkout."""

import json
import re
import tomllib
from itertools import chain
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml

from edge_dns.cli.main import main
from edge_dns.core.program_settings import program_settings
from edge_dns.core.settings import stack_values
from edge_dns.core.yaml_text import load
from local.stack import ROOT
from tests.unit.admission.objects import gateway
from tests.unit.plan.world import CLOUDFLARE, run, settings_of, tunnel

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_plan_in_the_readme_is_the_plan(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["plan", "--settings", "stacks/Pulumi.local.yaml"]) == 0
    assert f"$ edge-dns plan --settings stacks/Pulumi.local.yaml\n{capsys.readouterr().out}```" in README


def test_the_first_stack_of_the_readme_has_a_plan(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (block,) = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    (tmp_path / "Pulumi.prod.yaml").write_text(block, encoding="utf-8")
    assert main(["plan", "--settings", str(tmp_path / "Pulumi.prod.yaml")]) == 0
    assert "published  shop.example.com  CNAME edge-eu.towonel.dev" in capsys.readouterr().out


def test_the_configuration_of_the_pack_in_the_readme_has_the_zones_of_the_first_stack() -> None:
    (stack,), (pack,) = (re.findall(rf"```{form}\n(.*?)```", README, re.DOTALL) for form in ("yaml", "json"))
    assert json.loads(pack)["settings"]["zones"] == yaml.safe_load(stack)["config"]["edge-dns:zones"]


def test_the_services_of_the_readme_follow_the_first_stack() -> None:
    (stack,) = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    (services,) = re.findall(r"```\n(  edge-dns:clusters:.*?)```", README, re.DOTALL)
    values = stack_values(dedent(stack) + services)
    settings = {key.removeprefix("edge-dns:"): value for key, value in values.items()}
    assert run(settings, clusters={"prod": [gateway("infra/front")]}).states == {
        "shop.example.com": "published",
        "store.example.com": "refused",  # its route is not written yet
        "wiki.example.com": "refused",  # internal
    }


def test_the_stop_in_the_readme_is_what_the_guard_says() -> None:
    shop = tunnel(*(f"{name}.example.com" for name in ("app", "cart", "docs", "help", "img", "pay", "www")))
    blog = tunnel(*(f"{name}.example.com" for name in ("blog", "feed", "news", "press")), namespace="team", name="blog")
    zone = {**CLOUDFLARE, "zoneId": "12bd20a41e90d97064a9b7b98f05e32a"}
    first = run(settings_of(zones=[zone], tunnels=[shop, blog]))
    (stop,) = run(settings_of(zones=[zone], tunnels=[shop]), memory=first.memory).document["errors"]
    assert f"```\nerror: {stop['rule']}: {stop['message']}\nNothing was changed.\n```" in README


def test_the_least_cluster_file_of_the_page_publishes_its_hostname() -> None:
    page = (ROOT / "docs" / "clusters.md").read_text(encoding="utf-8")
    (block,) = (one for one in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if one.startswith("apiVersion: v1\n"))
    objects: Any = load(block)
    assert run(settings_of(), *objects["items"]).states == {"www.example.com": "published"}


def test_the_program_acts_on_every_setting_of_the_example() -> None:
    text = (ROOT / "stacks" / "Pulumi.example.yaml").read_text(encoding="utf-8")
    assert program_settings(stack_values(text)).zones


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]*)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if link and not (page.parent / link).exists()] == []


def test_the_readme_leads_to_every_page() -> None:
    assert [page.name for page in PAGES[1:] if f"(docs/{page.name}" not in README] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_make_target_that_is_named_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"(?:`|^)make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)) <= targets


def test_every_direct_dependency_is_justified() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    first_column = re.split(r"[\s,]+", " ".join(re.findall(r"^\| ([^|]*)", page, re.MULTILINE)))
    assert {name.partition("[")[0] for name in wanted} <= set(first_column)
