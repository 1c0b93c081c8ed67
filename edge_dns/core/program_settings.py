"""Settings that are valid but that the program does not act on, or not without others: told with all other errors."""

from collections.abc import Iterator, Mapping, Sequence

from edge_dns.core.exceptions import EXCEPTABLE
from edge_dns.core.rules import RULES, Level
from edge_dns.core.settings import Settings, SettingsError, SettingsInvalid, load_settings


def program_settings(values: Mapping[str, object]) -> Settings:
    """Return the settings of config values as `load_settings` does, without any that the program does not act on.

    Raises SettingsInvalid with the errors of both kinds at once.
    """
    return _settings_without(tuple(_impossible_exceptions(values)), values)


def engine_settings(values: Mapping[str, object]) -> Settings:
    """Return the settings as `program_settings` does, with everything that an update needs and a plan does not."""
    return _settings_without((*_impossible_exceptions(values), *_missing_hub(values)), values)


def _settings_without(more: Sequence[SettingsError], values: Mapping[str, object]) -> Settings:
    """Return the settings of config values where they have no error, and there are no more errors beside theirs."""
    try:
        settings = load_settings(values)
    except SettingsInvalid as invalid:
        raise SettingsInvalid((*invalid.errors, *more)) from None
    if more:
        raise SettingsInvalid(more)
    return settings


def _missing_hub(values: Mapping[str, object]) -> Iterator[SettingsError]:
    """Look at what is written, since a setting with another error in it is none."""
    _, tunnels = _written("tunnels", values)
    if not any(isinstance(one, Mapping) and one.get("kind", "towonel") == "towonel" for one in _list(tunnels)):
        return
    key, hub = _written("hub", values)
    if hub is None:
        yield SettingsError(path=key, message="missing; tunnels need {url, apiKey}")
    elif isinstance(hub, Mapping) and hub.get("apiKey") is None:
        message = "missing; set it with: pulumi config set --secret --path edge-dns:hub.apiKey"
        yield SettingsError(path=f"{key}.apiKey", message=message)


def _impossible_exceptions(values: Mapping[str, object]) -> Iterator[SettingsError]:
    """The policy pack has exceptions of its own, in the same form, for all of its rules."""
    key, entries = _written("exceptions", values)
    for index, one in enumerate(_list(entries)):
        rule = one.get("rule") if isinstance(one, Mapping) else None
        if isinstance(rule, str) and _is_of_one_name(rule) and rule not in EXCEPTABLE:
            message = f"the program makes no exception of {rule}, only of {', '.join(sorted(EXCEPTABLE))}"
            yield SettingsError(path=f"{key}[{index}].rule", message=message)


def _written(name: str, values: Mapping[str, object]) -> tuple[str, object]:
    """Return a setting's key as it is written, with or without the prefix, and its value."""
    key = name if name in values else f"edge-dns:{name}"
    return key, values.get(key)


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _is_of_one_name(rule: str) -> bool:
    """Say whether there is such a rule, and it judges one name; the settings themselves refuse all others."""
    return rule in RULES and RULES[rule].level is not Level.STOP
