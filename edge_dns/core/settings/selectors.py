"""Label selectors in Kubernetes' grammar (apimachinery, pkg/labels): as text and as a LabelSelector object."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

_NAME = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_KEY = re.compile(rf"(?:[a-z0-9](?:[-a-z0-9.]{{0,251}}[a-z0-9])?/)?{_NAME}", re.ASCII)
_VALUE = re.compile(rf"(?:{_NAME})?", re.ASCII)
_TOKEN = re.compile(r"\s*(!=|==|=|!|\(|\)|,|[-A-Za-z0-9_./]+)\s*", re.ASCII)

Operator = Literal["In", "NotIn", "Exists", "DoesNotExist"]


class SelectorSyntax(ValueError):  # noqa: N818 - says what is wrong, like its siblings in names.py
    """A text that is not a label selector; the message is the reason in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One condition on one label."""

    key: str
    operator: Operator
    values: frozenset[str] = frozenset()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Say whether the labels fulfil it; NotIn also admits objects without the label, as in Kubernetes."""
        value = labels.get(self.key)
        if self.operator == "Exists":
            return value is not None
        if self.operator == "DoesNotExist":
            return value is None
        return (value is not None and value in self.values) == (self.operator == "In")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """A conjunction of requirements; without any it matches everything."""

    requirements: tuple[Requirement, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it asks for nothing."""
        return not self.requirements

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Say whether the labels fulfil every requirement."""
        return all(requirement.matches(labels) for requirement in self.requirements)


def parse_selector(text: str) -> Selector:
    """Return the selector of a text such as ``a=b,c in (d,e),!f``; raises SelectorSyntax."""
    tokens = _tokens(text)
    requirements: list[Requirement] = []
    while tokens:
        requirements.append(_requirement(tokens))
        if tokens and (tokens.pop(0) != "," or not tokens):
            raise SelectorSyntax("requirements are separated by single commas")
    return Selector(requirements=tuple(requirements))


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    position = 0
    stripped = text.strip()
    while position < len(stripped):
        match = _TOKEN.match(stripped, position)
        if match is None:
            raise SelectorSyntax(f"unexpected {stripped[position]!r}")
        tokens.append(match.group(1))
        position = match.end()
    return tokens


def _requirement(tokens: list[str]) -> Requirement:
    if tokens[0] == "!":
        del tokens[0]
        return Requirement(key=_key(tokens), operator="DoesNotExist")
    key = _key(tokens)
    if not tokens or tokens[0] == ",":
        return Requirement(key=key, operator="Exists")
    word = tokens.pop(0)
    if word in {"=", "==", "!="}:
        value = tokens.pop(0) if tokens and tokens[0] != "," else ""
        return Requirement(
            key=key, operator="NotIn" if word == "!=" else "In", values=frozenset({_checked(value, _VALUE, "value")})
        )
    if word in {"in", "notin"}:
        return Requirement(key=key, operator="In" if word == "in" else "NotIn", values=_value_set(tokens))
    raise SelectorSyntax(f"unexpected {word!r} after {key!r}; expected =, ==, !=, in or notin")


def _key(tokens: list[str]) -> str:
    return _checked(tokens.pop(0) if tokens else "", _KEY, "label key")


def _value_set(tokens: list[str]) -> frozenset[str]:
    if not tokens or tokens.pop(0) != "(" or ")" not in tokens:
        raise SelectorSyntax("'in' and 'notin' are followed by values in brackets")
    end = tokens.index(")")
    inside = tokens[:end]
    del tokens[: end + 1]
    # Between two commas there is one value or none; none is the empty value, as in Kubernetes.
    values = " ".join(inside).split(",")
    return frozenset(_checked(value.strip(), _VALUE, "value") for value in values)


def _checked(text: str, pattern: re.Pattern[str], what: str) -> str:
    if not pattern.fullmatch(text):
        raise SelectorSyntax(f"{text!r} is not a {what}")
    return text


class _Expression(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    key: str
    operator: Operator
    values: Annotated[tuple[str, ...], Field(strict=False)] = ()


class _SelectorObject(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, alias_generator=to_camel)

    match_labels: dict[str, str] = {}
    match_expressions: Annotated[tuple[_Expression, ...], Field(strict=False)] = ()


def _selector_of(value: object) -> Selector:
    if isinstance(value, Selector):
        return value
    try:
        if isinstance(value, str):
            return parse_selector(value)
        if isinstance(value, Mapping):
            return _from_object(_SelectorObject.model_validate(value))
    except SelectorSyntax as error:
        raise PydanticCustomError(
            "selector", "a label selector as Kubernetes writes it: {reason}", {"reason": str(error)}
        ) from None
    except ValidationError as error:
        raise PydanticCustomError(
            "selector", "{matchLabels, matchExpressions}: {reason}", {"reason": _first(error)}
        ) from None
    raise PydanticCustomError("selector", "a label selector: a text such as 'a=b,c in (d,e),!f', or an object")


def _first(error: ValidationError) -> str:
    detail = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return f"{'.'.join(map(str, detail['loc']))}: {detail['msg'].lower()}"


def _from_object(selector: _SelectorObject) -> Selector:
    labels = [
        Requirement(
            key=_checked(key, _KEY, "label key"), operator="In", values=frozenset({_checked(value, _VALUE, "value")})
        )
        for key, value in selector.match_labels.items()
    ]
    return Selector(requirements=(*labels, *map(_from_expression, selector.match_expressions)))


def _from_expression(expression: _Expression) -> Requirement:
    if (expression.operator in {"In", "NotIn"}) != bool(expression.values):
        raise SelectorSyntax(f"operator {expression.operator} and values {list(expression.values)} do not go together")
    return Requirement(
        key=_checked(expression.key, _KEY, "label key"),
        operator=expression.operator,
        values=frozenset(_checked(value, _VALUE, "value") for value in expression.values),
    )


_JSON_SCHEMA = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {
                "matchLabels": {"type": "object", "additionalProperties": {"type": "string"}},
                "matchExpressions": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "key": {"type": "string"},
                            "operator": {"enum": ["In", "NotIn", "Exists", "DoesNotExist"]},
                            "values": {"type": "array", "items": {"type": "string"}},
                        },
                        "required": ["key", "operator"],
                        "additionalProperties": False,
                    },
                },
            },
            "additionalProperties": False,
        },
    ]
}

SelectorSetting = Annotated[Selector, BeforeValidator(_selector_of), WithJsonSchema(_JSON_SCHEMA)]
"""A label selector in the settings, in either form."""
