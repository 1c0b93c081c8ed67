"""Pulumi property values as plain Python: conversion from and to protobuf, unknowns and secrets. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from google.protobuf.struct_pb2 import Struct, Value

Properties: TypeAlias = Mapping[str, object]

# What stands for a value that is known only after the update (Pulumi SDK, rpc.UNKNOWN).
UNKNOWN: Final = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
_SIGNATURE_KEY: Final = "4dabf18193072939515e22adb298388d"
_SECRET_SIGNATURE: Final = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - a marker of the protocol


def from_struct(struct: Struct) -> dict[str, object]:
    """The struct as dict, list, str, float, bool and None; secrets are unwrapped, whole numbers are int."""
    return {key: _from_value(value) for key, value in struct.fields.items()}


def to_struct(properties: Properties) -> Struct:
    """A struct of the properties; those that are None are left out."""
    struct = Struct()
    struct.update(_plain_mapping(properties))
    return struct


def with_secrets(struct: Struct, keys: Iterable[str]) -> Struct:
    """The struct with the text values of these keys marked as secrets."""
    marked = Struct()
    marked.CopyFrom(struct)
    for key in keys:
        text = struct.fields[key].string_value if key in struct.fields else ""
        if text:
            marked.update({key: {_SIGNATURE_KEY: _SECRET_SIGNATURE, "value": text}})
    return marked


def is_unknown(value: object) -> bool:
    """Whether the value, or a part of it, is not known yet."""
    if isinstance(value, Mapping):
        return any(is_unknown(part) for part in value.values())
    if isinstance(value, list):
        return any(is_unknown(part) for part in value)
    return value == UNKNOWN


def _from_value(value: Value) -> object:
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return _from_nested(value.struct_value)
    if kind == "list_value":
        return [_from_value(item) for item in value.list_value.values]
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() else number
    return None if kind in {None, "null_value"} else getattr(value, kind)


def _from_nested(struct: Struct) -> object:
    if _SIGNATURE_KEY in struct.fields and struct.fields[_SIGNATURE_KEY].string_value == _SECRET_SIGNATURE:
        return _from_value(struct.fields["value"])
    return from_struct(struct)


def _plain_mapping(properties: Properties) -> dict[str, Any]:  # Any: protobuf's own recursive value type is private
    return {key: _plain(value) for key, value in properties.items() if value is not None}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return _plain_mapping(value)
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value
