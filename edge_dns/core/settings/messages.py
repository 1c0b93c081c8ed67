"""Errors of the settings in words: the value (never a secret), and what was expected."""

import difflib
import json
from collections.abc import Mapping
from typing import get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from edge_dns.core.settings.secret import Secret

Location = tuple[str | int, ...]

_MAX_SHOWN = 80
_CONTAINER_ERRORS = {
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "tuple_type": "a list",
}
_TEXT_ERRORS = frozenset({"string_type", "text"})
_EXPECTED = {
    "bool_type": "true or false",
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "a text",
    "too_short": "at least one entry",
    "invalid_key": "keys that are texts",
}
_RULES = frozenset({"crossfield", "duplicate"})
_BESIDE_TOKENS = frozenset({"accountId", "adopt", "catchAll", "image", "internalResolver", "origin", "origins"})
"""Settings into which a token is easily pasted: their wrong values are never shown."""


def describe(detail: ErrorDetails, model: type[BaseModel]) -> str:
    """Return the message of one error of validating the model; its value is shown unless it may hold a secret."""
    kind, location = detail["type"], detail["loc"]
    if kind == "missing":
        return "is required"
    if kind == "extra_forbidden":
        parent = _model_at(model, location[:-1])
        return unknown_key(str(location[-1]), parent) if parent else "unknown key"
    if kind in _CONTAINER_ERRORS:
        return f"is {_kind_of(detail['input'])}, expected {_CONTAINER_ERRORS[kind]}"
    # Where a URL stands, a text that is none may be the key that belongs beside it.
    is_hidden = (
        _is_secret(model, location)
        or (location[-1:] == ("url",) and "://" not in str(detail["input"]))
        or not _BESIDE_TOKENS.isdisjoint(location[1:])
    )
    shown = _show(detail["input"], is_hidden)
    if kind in _RULES:
        return f"{shown} does not fit: {detail['msg']}" if _is_scalar(detail["input"]) else detail["msg"]
    expected = _EXPECTED.get(kind) or detail["msg"].removeprefix("Input should be ")
    if kind in _TEXT_ERRORS and isinstance(detail["input"], bool | int | float):
        expected += ": write it in quotes"
    prefix = "a value " if expected.startswith(("less", "greater")) else ""
    subject = "the key is" if location[-1:] == ("[key]",) else "is"
    return f"{subject} {shown}, expected {prefix}{expected}"


def is_consequence(detail: ErrorDetails) -> bool:
    """Say whether an error is no more than another one: a list that is too short without its wrong entries."""
    given = detail["input"]
    return detail["type"] == "too_short" and isinstance(given, list) and len(given) >= detail["ctx"]["min_length"]


def unknown_key(key: str, model: type[BaseModel]) -> str:
    """Return the message for a key that the model does not have, with the nearest one that it has."""
    if near := _nearest(key, model):
        return f"unknown key; did you mean '{near}'?"
    return f"unknown key; known are {', '.join(sorted(_fields(model)))}"


def is_hidden_key(model: type[BaseModel], location: Location) -> bool:
    """Say whether a key may be a secret itself: one that is unknown where secrets stand, and near none of them."""
    parent, key = _model_at(model, location[:-1]), location[-1]
    if parent is None or isinstance(key, int) or key in (fields := _fields(parent)):
        return False
    return any(Secret in (one, *get_args(one)) for one in fields.values()) and _nearest(key, parent) is None


def _nearest(key: str, model: type[BaseModel]) -> str | None:
    """Return the key of the model that is spelt most like this one."""
    known = {_fold(alias): alias for alias in _fields(model)}
    near = difflib.get_close_matches(_fold(key), known, n=1)
    return known[near[0]] if near else None


def _fold(text: str) -> str:
    return text.lower().replace("_", "").replace("-", "")


def _fields(model: type[BaseModel]) -> dict[str, object]:
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def _annotation_at(model: type[BaseModel], location: Location) -> object:
    annotation: object = model
    for part in location:
        if isinstance(part, int):
            continue
        inside = _model_in(annotation)
        if inside is None or part not in (fields := _fields(inside)):
            return None
        annotation = fields[part]
    return annotation


def _model_at(model: type[BaseModel], location: Location) -> type[BaseModel] | None:
    return _model_in(_annotation_at(model, location))


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)


def _is_secret(model: type[BaseModel], location: Location) -> bool:
    annotation = _annotation_at(model, location)
    return annotation is Secret or Secret in get_args(annotation)


def _is_scalar(value: object) -> bool:
    return isinstance(value, bool | int | float | str)


def _kind_of(value: object) -> str:
    if value is None:
        return "empty"
    kinds: tuple[tuple[type, str], ...] = (
        (bool, "true or false"),
        (int, "a number"),
        (float, "a number"),
        (str, "a text"),
        (Mapping, "a mapping"),
        (list, "a list"),
    )
    return next((name for kind, name in kinds if isinstance(value, kind)), f"of type {type(value).__name__}")


def _show(value: object, is_secret: bool) -> str:
    if is_secret:
        return "(hidden)" if value is not None else "empty"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < 2**64):
        return repr(value)
    if isinstance(value, str):
        return _show_text(value)
    return _kind_of(value)


def _show_text(text: str) -> str:
    """Show a text that is short and on one line; others, JSON and URLs with a user or a query may hold secrets."""
    may_hold_secret = len(text) > _MAX_SHOWN or text.lstrip().startswith(("{", "[{")) or "\n" in text
    is_url_with_more = "://" in text and ("@" in text or "?" in text)
    return f"a text of {len(text)} characters" if may_hold_secret or is_url_with_more else json.dumps(text)
