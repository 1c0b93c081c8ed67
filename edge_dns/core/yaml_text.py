"""YAML and JSON texts as plain values, read as Pulumi reads them.

Pulumi reads YAML with go-yaml v3: the core schema of YAML 1.2, so that ``NO``, ``on`` and ``yes`` are texts, plus its
octals of YAML 1.1 (``012`` is 10), binary numbers and digit groups (``1_000``). Dates stay texts here.
"""

import json
import math
import re
from typing import TypeAlias

import yaml

from edge_dns.core.json_values import load_json

try:
    from yaml import CSafeLoader as _BaseLoader
except ImportError:  # PyYAML built without libyaml
    from yaml import SafeLoader as _BaseLoader  # type: ignore[assignment]  # same interface, slower

Value: TypeAlias = "bool | int | float | str | list[Value] | dict[str, Value] | None"
"""What a YAML or JSON text holds; keys of mappings are always texts."""

_MAX_DEPTH = 200
_MAX_ALIASED_NODES = 1_000_000

_WORDS: dict[str, bool | float | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_NUMBER_START = frozenset("+-.0123456789")
_DECIMAL = re.compile(r"[-+]?(?:0|[1-9][0-9]*)", re.ASCII)
_BASED = re.compile(r"[-+]?0(?:[bB][01]+|[oO]?[0-7]+|[xX][0-9a-fA-F]+)", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_BASES = {"b": 2, "o": 8, "x": 16}
_MAX_DIGITS = 100
_INT64, _UINT64 = -(2**63), 2**64 - 1

_INDICATORS = ("while scanning an alias", "while scanning an anchor")
_TAG = "tag:yaml.org,2002:"
_PLAIN = "plain"
_TYPES: dict[str, tuple[type, ...]] = {
    _TAG + "null": (type(None),),
    _TAG + "bool": (bool,),
    _TAG + "int": (int,),
    _TAG + "float": (float, int),
}


class TextInvalid(ValueError):  # noqa: N818 - says what is wrong with a text
    """A text that is neither YAML nor JSON; the message says what is wrong and, where known, line and column."""


def load(text: str) -> Value:
    """Return the value of a text with one YAML or JSON document (None when it is empty); raises TextInvalid."""
    documents = load_all(text)
    if len(documents) > 1:
        raise TextInvalid(f"one document is expected, not {len(documents)} separated by '---'")
    return documents[0] if documents else None


def load_all(text: str) -> list[Value]:
    """Return the values of all documents of a text; raises TextInvalid."""
    if text.lstrip()[:1] in {"{", "["}:
        try:
            return [load_json(text, _read_json)]
        except (ValueError, RecursionError):
            pass  # Flow style of YAML begins alike; if it is not that either, YAML's error names line and column.
    try:
        return [_Builder().build(node) for node in yaml.compose_all(text, Loader=_Loader)]
    except yaml.MarkedYAMLError as error:
        raise TextInvalid(_describe(error)) from None
    except RecursionError:
        raise TextInvalid("nested too deeply") from None
    except (yaml.YAMLError, UnicodeError) as error:
        reason = " ".join(str(error).split()).replace('in "<unicode string>", ', "at ")
        raise TextInvalid(f"not YAML: {reason}") from None


def _read_json(text: str) -> Value:
    value: Value = json.loads(text, object_pairs_hook=_unique_pairs, parse_constant=_no_constant)
    return value


def _unique_pairs(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise ValueError("duplicate key")
    return mapping


def _no_constant(text: str) -> Value:
    raise ValueError(f"{text} is no JSON")


def _describe(error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    told = where + " ".join(part for part in (error.context, error.problem) if part)
    # A wildcard such as *.example.com is an alias to YAML.
    needs_quotes = error.context in _INDICATORS or "cannot start any token" in (error.problem or "")
    return f"{told}; write the value in quotes" if needs_quotes else told


def _error(problem: str, node: yaml.Node) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)


class _Loader(_BaseLoader):
    """Composes nodes; marks scalars without quotes and tag, so that the builder resolves exactly those."""

    def resolve(self, kind: type[yaml.Node], value: str | None, implicit: tuple[bool, bool] | None) -> str:
        if kind is yaml.ScalarNode:
            return _PLAIN if implicit and implicit[0] else _TAG + "str"
        return _TAG + ("map" if kind is yaml.MappingNode else "seq")


class _Builder:
    """Builds the value of one document. Aliases are copied, within a limit; a node inside itself is refused."""

    def __init__(self) -> None:
        self._open: set[int] = set()
        self._seen: set[int] = set()
        self._aliased = 0

    def build(self, node: yaml.Node, in_alias: bool = False) -> Value:
        """Return the value of a node and everything below it; raises yaml.MarkedYAMLError."""
        if in_alias:
            self._aliased += 1
            if self._aliased > _MAX_ALIASED_NODES:
                raise _error("aliases expand to too much", node)
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        return self._collection(node, in_alias)

    def _collection(self, node: yaml.Node, in_alias: bool) -> Value:
        identity = id(node)
        if identity in self._open:
            raise _error("an alias stands inside its own anchor", node)
        if len(self._open) >= _MAX_DEPTH:
            raise _error(f"nested deeper than {_MAX_DEPTH} levels", node)
        in_alias = in_alias or identity in self._seen
        self._seen.add(identity)
        self._open.add(identity)
        value = self._sequence(node, in_alias) if isinstance(node, yaml.SequenceNode) else self._mapping(node, in_alias)
        self._open.discard(identity)
        return value

    def _sequence(self, node: yaml.Node, in_alias: bool) -> Value:
        _refuse_tag(node, "seq")
        return [self.build(item, in_alias) for item in node.value]

    def _mapping(self, node: yaml.Node, in_alias: bool) -> dict[str, Value]:
        _refuse_tag(node, "map")
        mapping: dict[str, Value] = {}
        merged: dict[str, Value] = {}
        for key_node, value_node in node.value:
            if key_node.tag == _PLAIN and key_node.value == "<<":
                merged = self._merge(value_node, in_alias) | merged
                continue
            key = _key(key_node)
            if key in mapping:
                raise _error(f"duplicate key {key!r}", key_node)
            mapping[key] = self.build(value_node, in_alias)
        return merged | mapping if merged else mapping

    def _merge(self, node: yaml.Node, in_alias: bool) -> dict[str, Value]:
        value = self.build(node, in_alias)
        merged: dict[str, Value] = {}
        for mapping in reversed(value) if isinstance(value, list) else (value,):
            if not isinstance(mapping, dict):
                raise _error("'<<' takes a mapping or a list of mappings", node)
            merged |= mapping
        return merged


def _refuse_tag(node: yaml.Node, kind: str) -> None:
    if node.tag not in {_TAG + kind, "!"}:
        raise _error(f"the tag {node.tag!r} is not supported here", node)


def _key(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise _error("a key must be a text", node)
    return str(node.value)


def _scalar(node: yaml.ScalarNode) -> Value:
    if node.tag == _PLAIN:
        return _resolve(node.value)
    if node.tag in {_TAG + "str", "!"}:
        return str(node.value)
    value = _resolve(node.value)
    if not isinstance(value, _TYPES.get(node.tag, ())) or (isinstance(value, bool) and node.tag != _TAG + "bool"):
        raise _error(f"the tag {node.tag!r} is not supported for {str(node.value)[:40]!r}", node)
    return float(value) if node.tag == _TAG + "float" and isinstance(value, int) else value


def _resolve(text: str) -> bool | int | float | str | None:
    """Return what a plain scalar stands for."""
    if text in _WORDS:
        return _WORDS[text]
    return _number(text) if text[0] in _NUMBER_START else text


def _number(text: str) -> int | float | str:
    digits = text.replace("_", "")
    if _DECIMAL.fullmatch(digits) or _BASED.fullmatch(digits):
        number = _integer(digits)
        if _INT64 <= number <= _UINT64:
            return number
    if _FLOAT.fullmatch(digits) and math.isfinite(real := float(digits)):
        return real
    return text


def _integer(digits: str) -> int:
    magnitude = digits.lstrip("+-").lower()
    if len(magnitude) > _MAX_DIGITS:
        return _UINT64 + 1
    base = _BASES.get(magnitude[1:2], 8) if len(magnitude) > 1 and magnitude[0] == "0" else 10
    number = int(magnitude[2:] if magnitude[1:2] in _BASES else magnitude, base)
    return -number if digits[0] == "-" else number
