"""Regular expressions of the settings: RE2, whose time grows with the length of the text only, whatever the pattern."""

from dataclasses import dataclass

import re2

_MAX_PATTERN = 1000
_OPTIONS = re2.Options()
# Without this the library writes to stderr by itself.
_OPTIONS.log_errors = False


class PatternSyntax(ValueError):  # noqa: N818 - says what is wrong, like its siblings in selectors.py
    """A text that is no regular expression of RE2; the message is the reason in words."""


@dataclass(frozen=True, slots=True)
class NamePattern:
    """A regular expression on whole names, in the syntax of RE2 (https://github.com/google/re2/wiki/Syntax).

    Raises PatternSyntax when the text is not one: no look-around and no back-references, 1,000 characters at most.
    """

    text: str

    def __post_init__(self) -> None:
        """Check the text."""
        if len(self.text) > _MAX_PATTERN:
            raise PatternSyntax(f"longer than {_MAX_PATTERN} characters")
        try:
            re2.compile(self.text, _OPTIONS)
        except re2.error as error:
            raise PatternSyntax(error.args[0].decode("utf-8", "replace")) from None
        except UnicodeError:
            raise PatternSyntax("not text in Unicode") from None

    def matches(self, name: str) -> bool:
        """Say whether the pattern takes the whole name."""
        # The library keeps compiled patterns by their text.
        return re2.compile(self.text, _OPTIONS).fullmatch(name) is not None
