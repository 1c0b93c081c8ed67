"""Settings that are valid but that the program does not act on: refused, since ignoring them would be unsafe."""

from collections.abc import Iterator

from edge_dns.core.exceptions import EXCEPTABLE
from edge_dns.core.settings import Settings, SettingsError


def unsupported_settings(settings: Settings) -> tuple[SettingsError, ...]:
    """Return one error for each setting that the program does not act on."""
    return tuple(_impossible_exceptions(settings))


def _impossible_exceptions(settings: Settings) -> Iterator[SettingsError]:
    """The policy pack has exceptions of its own, in the same form, for all of its rules."""
    for index, one in enumerate(settings.exceptions):
        if one.rule not in EXCEPTABLE:
            message = f"the program makes no exception of {one.rule}, only of {', '.join(sorted(EXCEPTABLE))}"
            yield SettingsError(path=f"edge-dns:exceptions[{index}].rule", message=message)
