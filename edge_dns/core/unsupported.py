"""Settings that are valid but that the program does not act on: refused, since ignoring them would be unsafe."""

from collections.abc import Iterator, Mapping

from edge_dns.core.exceptions import EXCEPTABLE
from edge_dns.core.rules import RULES, Level
from edge_dns.core.settings import Settings, SettingsError, SettingsInvalid, load_settings

_KEYS = ("exceptions", "edge-dns:exceptions")


def program_settings(values: Mapping[str, object]) -> Settings:
    """Return the settings of config values as `load_settings` does, without any that the program does not act on.

    Raises SettingsInvalid with the errors of both kinds at once.
    """
    impossible = tuple(_impossible_exceptions(values))
    try:
        settings = load_settings(values)
    except SettingsInvalid as invalid:
        raise SettingsInvalid((*invalid.errors, *impossible)) from None
    if impossible:
        raise SettingsInvalid(impossible)
    return settings


def _impossible_exceptions(values: Mapping[str, object]) -> Iterator[SettingsError]:
    """The policy pack has exceptions of its own, in the same form, for all of its rules."""
    for key in _KEYS:
        entries = values.get(key)
        for index, one in enumerate(entries if isinstance(entries, list) else ()):
            rule = one.get("rule") if isinstance(one, Mapping) else None
            if isinstance(rule, str) and _is_of_one_name(rule) and rule not in EXCEPTABLE:
                message = f"the program makes no exception of {rule}, only of {', '.join(sorted(EXCEPTABLE))}"
                yield SettingsError(path=f"{key}[{index}].rule", message=message)


def _is_of_one_name(rule: str) -> bool:
    """Say whether there is such a rule, and it judges one name; the settings themselves refuse all others."""
    return rule in RULES and RULES[rule].level is not Level.STOP
