"""Writes the schema and the reference page of the settings into docs: ``python -m tools.settings_schema``."""

import json
from pathlib import Path
from typing import TypeAlias, cast

from edge_dns.core.settings import NAMESPACE, Settings

Schema: TypeAlias = "dict[str, object]"

_DOCS = Path(__file__).resolve().parent.parent / "docs"
SCHEMA_FILE = _DOCS / "settings.schema.json"
REFERENCE_FILE = _DOCS / "settings.md"

_INTRODUCTION = """\
# Settings

Everything that a stack's config may hold under `edge-dns:`. `stacks/Pulumi.example.yaml`
shows every setting at work; `settings.schema.json` is the JSON schema of a stack file, for
editors. Both, and this page, are checked against the program's own models.

- Unknown keys are refused, nothing is converted silently, and all errors are reported in one
  run, each with its path in the YAML.
- A secret is a text; set it with `pulumi config set --secret --path`, so that the stack file
  holds `{secure: …}` in its place.
- Relative paths count from the folder of Pulumi.yaml.
- Names are written as people write them: letter case, a dot at the end and international
  letters are brought to one form. A hostname that is none is refused on its own, with the rule
  `name-syntax`; domains and targets that are none are errors of the settings.
"""


def stack_file_schema() -> Schema:
    """Return the JSON schema (draft 2020-12) of a stack file with the config of this program."""
    settings = cast("Schema", Settings.model_json_schema(by_alias=True))
    definitions = settings.pop("$defs")
    properties = {f"{NAMESPACE}:{key}": value for key, value in _members(settings).items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Stack file of edge-dns",
        "type": "object",
        "properties": {
            "config": {
                "type": "object",
                "description": settings["description"],
                "properties": properties,
                "propertyNames": {"anyOf": [{"enum": list(properties)}, {"not": {"pattern": f"^{NAMESPACE}:"}}]},
            }
        },
        "$defs": definitions,
    }


def reference() -> str:
    """Return the page of all settings in Markdown: one table for the top and one for each model below it."""
    settings = cast("Schema", Settings.model_json_schema(by_alias=True))
    definitions = cast("dict[str, Schema]", settings["$defs"])
    sections = [_INTRODUCTION, _section("Top level", settings, prefix=f"{NAMESPACE}:")]
    sections += [_section(name, definitions[name]) for name in _in_order_of_use(settings, definitions)]
    return "\n".join(sections)


def _members(schema: Schema) -> dict[str, Schema]:
    return cast("dict[str, Schema]", schema["properties"])


def _in_order_of_use(schema: Schema, definitions: dict[str, Schema]) -> list[str]:
    order: list[str] = []
    for name in _references(schema["properties"]):
        below = [name, *_in_order_of_use(definitions[name], definitions)]
        order += [found for found in below if found not in order]
    return order


def _references(value: object) -> list[str]:
    if isinstance(value, list):
        return [name for item in value for name in _references(item)]
    if not isinstance(value, dict):
        return []
    here = [value["$ref"].removeprefix("#/$defs/")] if "$ref" in value else []
    return here + [name for item in value.values() for name in _references(item)]


def _section(title: str, schema: Schema, prefix: str = "") -> str:
    required = cast("list[str]", schema.get("required", []))
    rows = [_row(prefix + key, member, key in required) for key, member in _members(schema).items()]
    head = f"## {title}\n\n{schema['description']}\n\n| setting | value | default | meaning |\n|---|---|---|---|\n"
    return head + "\n".join(rows) + "\n"


def _row(key: str, member: Schema, is_required: bool) -> str:
    default = "required" if is_required else _default(member)
    return f"| `{key}` | {_kind(member)} | {default} | {member.get('description', '')} |"


def _default(member: Schema) -> str:
    default = member.get("default")
    # The default of a mapping is the defaults of its own settings.
    return "" if default is None or isinstance(default, dict) else f"`{json.dumps(default)}`"


def _kind(schema: Schema) -> str:
    """Return the kind of value in a few words."""
    if "$ref" in schema:
        name = str(schema["$ref"]).removeprefix("#/$defs/")
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        kinds = [_kind(part) for part in cast("list[Schema]", schema["anyOf"]) if part != {"type": "null"}]
        return " or ".join(kinds)
    if "enum" in schema:
        values = cast("list[str]", schema["enum"])
        return ", ".join(f"`{value}`" for value in values) if len(values) < 9 else "text"
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema["type"] == "array":
        return f"list of {_kind(cast('Schema', schema['items']))}"
    return {"string": "text", "integer": "whole number", "boolean": "true, false", "object": "mapping"}.get(
        str(schema["type"]), str(schema["type"])
    )


def render() -> dict[Path, str]:
    """Return the contents of both files by path."""
    schema = json.dumps(stack_file_schema(), indent=2, ensure_ascii=False) + "\n"
    return {SCHEMA_FILE: schema, REFERENCE_FILE: reference()}


def main() -> None:
    """Write both files."""
    for path, content in render().items():
        path.write_text(content, encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
