"""Property values as plain Python values, and back."""

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from typing import Final, TypeAlias, TypeVar

from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.runtime import rpc

T = TypeVar("T")


class Unknown(Enum):
    """The type of UNKNOWN: a value that is known only at update."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN
Plain: TypeAlias = "bool | int | float | str | Unknown | Sequence[Plain] | Mapping[str, Plain] | None"
Properties: TypeAlias = Mapping[str, Plain]


def plain(value: PropertyValue) -> Plain:
    """The value without its secret mark; whole numbers become int, and what is not data (assets) becomes None."""
    inner = value.value
    if isinstance(inner, str):
        return UNKNOWN if inner == rpc.UNKNOWN else inner
    if isinstance(inner, float):
        return int(inner) if inner.is_integer() else inner
    if isinstance(inner, Mapping):
        return plain_map(inner)
    if isinstance(inner, Sequence):
        return [plain(item) for item in inner if isinstance(item, PropertyValue)]
    return inner if isinstance(inner, bool) else None


def plain_map(values: Mapping[str, PropertyValue]) -> dict[str, Plain]:
    """All values of a property map by `plain`."""
    return {key: plain(value) for key, value in values.items()}


def property_value(value: Plain) -> PropertyValue:
    """The inverse of `plain`."""
    if value is UNKNOWN:
        # The SDK has no wire form for its own Computed; the engine's sentinel is a string.
        return PropertyValue(rpc.UNKNOWN)
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return PropertyValue(value)
    if isinstance(value, int | float):
        return PropertyValue(float(value))
    if isinstance(value, Mapping):
        return PropertyValue({key: property_value(item) for key, item in value.items()})
    return PropertyValue([property_value(item) for item in value])


def property_map(values: Properties, *, secret: Collection[str] = ()) -> dict[str, PropertyValue]:
    """The inverse of `plain_map`; the values of the keys in `secret` are marked as secrets unless null."""
    wrapped = {key: property_value(value) for key, value in values.items()}
    return {key: v.with_secret(key in secret and v.value is not None) for key, v in wrapped.items()}


def known(value: T | Unknown) -> T:
    """The value itself; UNKNOWN here is a bug of the engine or the plugin, since an update knows all values."""
    if isinstance(value, Unknown):
        raise TypeError("an input is still unknown at update")
    return value
