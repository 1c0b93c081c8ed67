"""From the values of a config to Settings, with every error of one run and the path at which a person finds it."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from edge_dns.core import yaml_text
from edge_dns.core.json_values import load_json
from edge_dns.core.settings.checks import cross_errors
from edge_dns.core.settings.messages import Location, describe, is_consequence, is_hidden_key
from edge_dns.core.settings.settings import Settings

NAMESPACE = "edge-dns"
_PREFIX = NAMESPACE + ":"
_STACK_FILE_KEYS = frozenset({"config", "encryptedkey", "encryptionsalt", "environment", "secretsprovider"})

_PLAIN_KEY = re.compile(r"[\w-]+", re.ASCII)

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsError:
    """One error: its path as it stands in the YAML (``edge-dns:zones[2].ttl``), what is wrong and what was expected."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class SettingsInvalid(ValueError):  # noqa: N818 - it is the settings that are invalid
    """All errors of the settings, in the order of their paths."""

    def __init__(self, errors: Iterable[SettingsError]) -> None:
        self.errors = tuple(errors)
        super().__init__("\n".join(map(str, self.errors)))


def load_settings(values: Mapping[str, object]) -> Settings:
    """Return the settings of config values, whose keys have the ``edge-dns:`` prefix or none.

    Keys of other namespaces (``aws:region``) are ignored. Raises SettingsInvalid with all errors at once.
    """
    errors, spelling = _spelling_of(values)
    settings, found = _validate({name: values[key] for name, key in spelling.items()})
    for location, message in sorted(found.items(), key=lambda entry: _order(entry[0])):
        errors.append(SettingsError(path=_path(location, spelling), message=message))
    if errors or settings is None:
        # Hidden keys beside each other look the same.
        raise SettingsInvalid(dict.fromkeys(errors))
    return settings


def stack_values(text: str) -> Mapping[str, object]:
    """Return the config values of a stack file (``config:`` at the top) or of plain YAML of its config.

    Raises SettingsInvalid when the text is not YAML or not a mapping.
    """
    try:
        document = yaml_text.load(text)
    except yaml_text.TextInvalid as error:
        raise SettingsInvalid([SettingsError(path="", message=str(error))]) from None
    is_stack_file = isinstance(document, dict) and not _STACK_FILE_KEYS.isdisjoint(document)
    values = document.get("config") if isinstance(document, dict) and is_stack_file else document
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise SettingsInvalid(
            [SettingsError(path="config" if is_stack_file else "", message="a mapping of config keys is expected")]
        )
    return values


def engine_values(config: Mapping[str, object]) -> Mapping[str, object]:
    """Return the values of the config as Pulumi hands it to a program: objects and lists are JSON texts there."""
    return {key: _from_json(value) if isinstance(value, str) else value for key, value in config.items()}


def _from_json(text: str) -> object:
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        value: object = load_json(text)
    except (ValueError, RecursionError):
        return text
    return value


def _spelling_of(values: Mapping[str, object]) -> tuple[list[SettingsError], dict[str, str]]:
    """Return errors of the keys, and for each key without its prefix the key as it is written."""
    errors: list[SettingsError] = []
    spelling: dict[str, str] = {}
    for key in values:
        namespace, colon, name = key.rpartition(":")
        if colon and namespace != NAMESPACE:
            if _fold(namespace) == _fold(NAMESPACE):
                errors.append(SettingsError(path=key, message=f"unknown namespace; did you mean '{_PREFIX}{name}'?"))
        elif name in spelling:
            errors.append(SettingsError(path=key, message="stands twice, with and without the prefix 'edge-dns:'"))
        else:
            spelling[name] = key
    return errors, spelling


def _fold(text: str) -> str:
    return text.lower().replace("-", "").replace("_", "")


class _Draft:
    """The values of one validation. Wrong parts are cut out, so that the next round shows what they hid."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self.values = dict(values)
        self._origins = {key: list(range(len(value))) for key, value in values.items() if isinstance(value, list)}

    def original(self, location: Location) -> Location:
        """Return the location as it was before anything was cut out."""
        origins = self._origins.get(str(location[0])) if location else None
        if origins is None or len(location) < 2 or not isinstance(location[1], int):
            return location
        return (location[0], origins[location[1]], *location[2:])

    def without(self, locations: Iterable[Location]) -> "_Draft":
        """Return a draft without the keys, items or whole settings at these locations."""
        draft = _Draft({})
        by_key = _grouped((str(location[0]), location[1:]) for location in locations if location)
        for key, value in self.values.items():
            if key not in by_key:
                draft.values[key] = value
            elif isinstance(value, list):
                items = _items_without(value, _grouped((rest[0], rest[1:]) for rest in by_key[key] if rest))
                if all(by_key[key]):
                    draft.values[key] = [item for _, item in items]
                    draft._origins[key] = [self._origins[key][index] for index, _ in items]
                continue
            elif isinstance(value, Mapping) and (rest_of := _without(value, by_key[key])) is not None:
                draft.values[key] = rest_of
            if key in self._origins and key in draft.values:
                draft._origins[key] = self._origins[key]
        return draft


def _grouped(pairs: Iterable[tuple[Key, Location]]) -> dict[Key, list[Location]]:
    groups: dict[Key, list[Location]] = {}
    for key, rest in pairs:
        groups.setdefault(key, []).append(rest)
    return groups


def _items_without(items: Sequence[object], wrong: Mapping[str | int, list[Location]]) -> list[tuple[int, object]]:
    kept: list[tuple[int, object]] = []
    for index, item in enumerate(items):
        if index not in wrong:
            kept.append((index, item))
        elif isinstance(item, Mapping) and (rest := _without(item, wrong[index])) is not None:
            kept.append((index, rest))
    return kept


def _without(mapping: Mapping[object, object], locations: list[Location]) -> dict[object, object] | None:
    """Return the mapping without the keys that the locations begin with; None when one of them is not a key of it."""
    keys = {location[0] if location else None for location in locations}
    if not keys <= set(mapping):
        return None
    return {key: value for key, value in mapping.items() if key not in keys}


def _validate(values: Mapping[str, object]) -> tuple[Settings | None, dict[Location, str]]:
    """Return the settings, or the message of each wrong location."""
    draft = _Draft(values)
    found: dict[Location, str] = {}
    while True:
        try:
            settings = Settings.model_validate(draft.values, by_alias=True, by_name=False)
        except ValidationError as error:
            details = [detail for detail in error.errors(include_url=False) if not is_consequence(detail)]
        else:
            found |= _new_cross_errors(draft, settings, found)
            return (None, found) if found else (settings, found)
        found |= _new_messages(draft, details, found)
        draft = draft.without([detail["loc"] for detail in details])


def _new_messages(
    draft: _Draft, details: Sequence[ErrorDetails], before: Mapping[Location, str]
) -> dict[Location, str]:
    """Return the messages of locations that are not at or below one that was cut out in an earlier round.

    What a setting says of a mapping of its own that was cut out with its wrong part would be none of its errors.
    """
    messages: dict[Location, str] = {}
    above = {location[:length] for location in before for length in range(1, len(location))}
    for detail in details:
        location = draft.original(detail["loc"])
        emptied = detail["type"] == "crossfield" and location in above
        if not emptied and not any(location[:length] in before for length in range(1, len(location) + 1)):
            messages.setdefault(location, describe(detail, Settings))
    return messages


def _new_cross_errors(draft: _Draft, settings: Settings, before: Mapping[Location, str]) -> dict[Location, str]:
    """Return the errors between settings; without those settings that were wrong themselves there is nothing to say."""
    wrong = {location[0] for location in before}
    errors = cross_errors(settings, wrong)
    return {draft.original(location): message for location, message in errors}


def _order(location: Location) -> list[tuple[bool, int, str]]:
    return [(True, part, "") if isinstance(part, int) else (False, 0, part) for part in location]


def _path(location: Location, spelling: Mapping[str, str]) -> str:
    first, *rest = location
    path = spelling.get(str(first), _PREFIX + str(first))
    if not path.strip('"'):
        path = json.dumps(path)
    for at, key in enumerate(rest, 1):
        if key == "[key]":
            continue
        if is_hidden_key(Settings, location[: at + 1]):
            path += ".(hidden)"
            continue
        is_plain = isinstance(key, str) and _PLAIN_KEY.fullmatch(key)
        path += f".{key}" if is_plain else f"[{json.dumps(key)}]"
    return path
