"""Reads JSON bodies as the hub's framework does: what is wrong before a handler runs is answered in plain text."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NoReturn, cast

from local.hub_emulator.replies import JsonObject, JsonValue, Refusal, text

MAX_BODY_BYTES = 65_536

Kind = Literal["strings", "string", "u64", "u16"]
_MAXIMUM = {"u64": 2**64 - 1, "u16": 2**16 - 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a request body; a field that is not required may be absent, and null when `nullable`."""

    kind: Kind
    required: bool = False
    nullable: bool = True


Schema = Mapping[str, Field]


def parse(body: bytes, content_type: str | None, schema: Schema) -> JsonObject:
    """The body's known fields; raises 415, 400 or 422 as a text answer. Unknown fields are ignored."""
    media_type = (content_type or "").partition(";")[0].strip().lower()
    if media_type != "application/json" and not (
        media_type.startswith("application/") and media_type.endswith("+json")
    ):
        raise Refusal(text(415, "Expected request with `Content-Type: application/json`"))
    value = _loads(body)
    if not isinstance(value, Mapping):
        _mismatch("invalid type, expected a map")
    for name, field in schema.items():
        if name not in value and field.required:
            _mismatch(f"missing field `{name}`")
        if name in value:
            _check(name, value[name], field)
    return {name: value[name] for name in schema if name in value}


def _loads(body: bytes) -> JsonValue:
    try:
        return cast("JsonValue", json.loads(body.decode(), parse_constant=_no_constant))
    except (ValueError, RecursionError) as problem:
        raise Refusal(text(400, f"Failed to parse the request body as JSON: {problem}")) from problem


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"expected value, got {name}")


def _check(name: str, value: JsonValue, field: Field) -> None:
    if value is None and field.nullable and not field.required:
        return
    if field.kind == "strings":
        _check_strings(name, value)
    elif field.kind == "string":
        if not isinstance(value, str):
            _mismatch(f"{name}: {_invalid(value)}, expected a string")
    elif not isinstance(value, int) or isinstance(value, bool):
        _mismatch(f"{name}: {_invalid(value)}, expected {field.kind}")
    elif not 0 <= value <= _MAXIMUM[field.kind]:
        _mismatch(f"{name}: invalid value: integer `{value}`, expected {field.kind}")


def _check_strings(name: str, value: JsonValue) -> None:
    if not isinstance(value, list):
        _mismatch(f"{name}: {_invalid(value)}, expected a sequence")
    for position, item in enumerate(value):
        if not isinstance(item, str):
            _mismatch(f"{name}[{position}]: {_invalid(item)}, expected a string")


def _invalid(value: JsonValue) -> str:
    if isinstance(value, str):
        return f'invalid type: string "{value}"'
    return f"invalid type: {'null' if value is None else type(value).__name__}"


def _mismatch(problem: str) -> NoReturn:
    message = f"Failed to deserialize the JSON body into the target type: {problem} at line 1 column 1"
    raise Refusal(text(422, message))
