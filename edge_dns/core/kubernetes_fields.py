"""Fields of Kubernetes objects, read one by one: the right type, or Malformed with the path of the field."""

from collections.abc import Mapping
from typing import TypeAlias, TypeVar

Object: TypeAlias = Mapping[str, object]

_Text = TypeVar("_Text", bound=str)
_NOTHING: Object = {}


class Malformed(ValueError):  # noqa: N818 - says what is wrong, like its siblings
    """A field that is missing or of a wrong type; the message has its path and never its value."""


def object_at(value: object, path: str) -> Object:
    """Return an object."""
    if isinstance(value, Mapping):
        return value
    raise _wrong(path, "an object", value)


def optional_object_at(value: object, path: str) -> Object:
    """Return an object, an empty one for a missing field."""
    return _NOTHING if value is None else object_at(value, path)


def list_at(value: object, path: str) -> list[object]:
    """Return a list, an empty one for a missing field."""
    if value is None:
        return []
    if isinstance(value, list):
        return value
    raise _wrong(path, "a list", value)


def text_at(value: object, path: str) -> str:
    """Return a text that is not empty."""
    if isinstance(value, str) and value:
        return value
    raise _wrong(path, "a text", value)


def optional_text_at(value: object, path: str) -> str:
    """Return a text, an empty one for a missing field."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    raise _wrong(path, "a text", value)


def texts_at(value: object, path: str) -> tuple[str, ...]:
    """Return a list of texts."""
    return tuple(optional_text_at(text, path) for text in list_at(value, path))


def texts_by_key_at(value: object, path: str) -> Mapping[str, str]:
    """Return an object of texts, such as labels."""
    pairs = optional_object_at(value, path)
    return {text_at(key, path): optional_text_at(text, f"{path}.{key}") for key, text in pairs.items()}


def number_at(value: object, path: str) -> int:
    """Return a whole number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise _wrong(path, "a whole number", value)


def optional_number_at(value: object, path: str) -> int | None:
    """Return a whole number, None for a missing field."""
    return None if value is None else number_at(value, path)


def one_of_at(value: object, allowed: tuple[_Text, ...], path: str) -> _Text:
    """Return one of the allowed texts."""
    for text in allowed:
        if value == text:
            return text
    raise _wrong(path, f"one of {', '.join(allowed)}", value)


def _wrong(path: str, expected: str, value: object) -> Malformed:
    return Malformed(f"{path} is missing" if value is None else f"{path} is {kind_of_value(value)}, not {expected}")


def kind_of_value(value: object) -> str:
    """Say what a value is without showing it, since an object may hold secrets."""
    if value is None:
        return "missing"
    names = {str: "a text", bool: "a boolean", int: "a whole number", float: "a number", list: "a list"}
    if value == "":
        return "an empty text"
    return names.get(type(value), "an object")
