"""A secret of the settings: never in an output, a repr or an error."""

from collections.abc import Mapping
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema


class Secret:
    """A secret text. Its str and repr never show it; only ``reveal`` does.

    ``{secure: …}`` of a stack file is an encrypted secret: known to be set, but not readable without the stack's key.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str | None) -> None:
        self._text = text

    @property
    def is_encrypted(self) -> bool:
        """Whether only the ciphertext is there, so that ``reveal`` raises."""
        return self._text is None

    def reveal(self) -> str:
        """Return the plain text; raises ValueError when it is encrypted."""
        if self._text is None:
            raise ValueError("the secret is encrypted; only Pulumi can read it")
        return self._text

    def __repr__(self) -> str:
        return "Secret(…)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash((Secret, self._text))

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: GetCoreSchemaHandler) -> CoreSchema:
        """Accept a text, ``{secure: …}`` or a Secret."""
        return core_schema.no_info_plain_validator_function(_parse_secret)

    @classmethod
    def __get_pydantic_json_schema__(cls, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Describe the two spellings."""
        encrypted = {
            "type": "object",
            "properties": {"secure": {"type": "string"}},
            "required": ["secure"],
            "additionalProperties": False,
        }
        return {"anyOf": [{"type": "string", "minLength": 1}, encrypted]}


def _parse_secret(value: object) -> Secret:
    if isinstance(value, Secret):
        return value
    if isinstance(value, Mapping) and set(value) == {"secure"} and isinstance(value["secure"], str):
        return Secret(None)
    if isinstance(value, str) and value.strip():
        return Secret(value.strip())
    raise PydanticCustomError("secret", "a text that is not empty, or {secure: …}")
