"""The files that commands read: their text, and the settings in them."""

from collections.abc import Mapping
from pathlib import Path

from edge_dns.core.settings import SettingsError, SettingsInvalid, stack_values


class Unreadable(Exception):  # noqa: N818 - says what a file is
    """A file without a text; the message is the reason."""


def read_text(file: Path) -> str:
    """Return the text of a file; raises Unreadable."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise Unreadable(error.strerror or "cannot be read") from None
    except UnicodeDecodeError:
        raise Unreadable("not text in UTF-8") from None


def settings_values(file: Path, *, named: str = "--settings") -> Mapping[str, object]:
    """Return the config values of a stack file, or of plain YAML of its config; `named` is how a person knows the file.

    Raises SettingsInvalid, also where the file cannot be read.
    """
    try:
        text = read_text(file)
    except Unreadable as error:
        raise SettingsInvalid([SettingsError(path=f"{named} {file}", message=str(error))]) from None
    return stack_values(text)
