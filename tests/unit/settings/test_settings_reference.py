import json
from pathlib import Path
from typing import get_args

import jsonschema
import pytest
from pydantic import BaseModel

from edge_dns.core import yaml_text
from edge_dns.core.settings import Acknowledge, Settings, load_settings, stack_values
from tools.settings_schema import render, stack_file_schema

EXAMPLE = Path(__file__).parents[3] / "stacks" / "Pulumi.example.yaml"


def models_in(annotation: object) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in models_in(part)]


def missing_settings(model: type[BaseModel], values: list[dict[str, object]]) -> list[str]:
    """Return the settings of the model that none of the mappings holds, and those of the models below."""
    missing: list[str] = []
    for name, field in model.model_fields.items():
        key = field.alias or name
        found = [value[key] for value in values if key in value]
        if not found:
            missing.append(f"{model.__name__}.{key}")
        inside = [item for value in found for item in (value if isinstance(value, list) else [value])]
        for below in models_in(field.annotation):
            missing += missing_settings(below, [value for value in inside if isinstance(value, dict)])
    return missing


def test_the_example_shows_every_setting() -> None:
    config = {key.removeprefix("edge-dns:"): value for key, value in stack_values(EXAMPLE.read_text()).items()}
    # count and names exclude each other; the comment beside names shows count.
    assert missing_settings(Settings, [config]) == [f"{Acknowledge.__name__}.count"]
    assert "or count:" in EXAMPLE.read_text()


def test_the_example_is_valid() -> None:
    settings = load_settings(stack_values(EXAMPLE.read_text()))
    assert len(settings.zones) == 3


def test_every_line_of_the_example_fits_a_wide_terminal() -> None:
    assert max(map(len, EXAMPLE.read_text().splitlines())) <= 96


def test_the_schema_accepts_the_example_and_refuses_an_unknown_setting() -> None:
    validator = jsonschema.Draft202012Validator(stack_file_schema())
    validator.check_schema(stack_file_schema())
    document = yaml_text.load(EXAMPLE.read_text())
    validator.validate(document)
    validator.validate({"config": {"aws:region": "eu-central-1"}})
    wrong_configs: list[dict[str, object]] = [
        {"edge-dns:tunels": []},
        {"edge-dns:zones": [{"domain": "a.example"}]},
        {"edge-dns:onRefused": "x"},
    ]
    for wrong in wrong_configs:
        with pytest.raises(jsonschema.ValidationError):
            validator.validate({"config": wrong})


def test_the_committed_reference_is_current() -> None:
    for path, content in render().items():
        assert path.read_text(encoding="utf-8") == content, f"{path.name}: run python -m tools.settings_schema"


def test_every_setting_says_what_it_means() -> None:
    schema = Settings.model_json_schema(by_alias=True)
    for model in [schema, *schema["$defs"].values()]:
        for key, member in model["properties"].items():
            assert member.get("description"), f"{model['title']}.{key}"
    assert json.dumps(schema)
