"""One request as a handler sees it, and how rows are paged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from local.hub_emulator.identifiers import is_invite_id, tenant_id_problem
from local.hub_emulator.model import Principal
from local.hub_emulator.replies import JsonObject, Refusal, invalid, text

Row = TypeVar("Row")

ANONYMOUS = Principal(name="anonymous", user_id=None, role="user")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """An authenticated request to a known route; `params` are the decoded path segments by name."""

    caller: Principal
    params: Mapping[str, str]
    query: Mapping[str, str]
    body: JsonObject = field(default_factory=dict, repr=False)

    @property
    def invite_id(self) -> str:
        """The invite id of the path, or 400."""
        value = self.params["invite_id"]
        if not is_invite_id(value):
            raise invalid("invite_id is not valid base64url")
        return value

    @property
    def tenant_id(self) -> str:
        """The tenant id of the path in lower case, or 400."""
        value = self.params["tenant_id"]
        if problem := tenant_id_problem(value):
            raise invalid(f"invalid tenant_id: {problem}")
        return value.lower()

    def unsigned(self, name: str) -> int | None:
        """A query parameter, or 400 as text when it is no unsigned number."""
        value = self.query.get(name)
        if value is None:
            return None
        if not (value.isascii() and value.isdigit()):
            raise Refusal(text(400, f"Failed to deserialize query string: {name}: invalid digit found in string"))
        return int(value)

    def optional(self, name: str) -> str | None:
        """A string of the body, None when absent or null."""
        value = self.body.get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str) -> int | None:
        """A number of the body, None when absent or null."""
        value = self.body.get(name)
        return value if isinstance(value, int) else None

    def strings(self, name: str) -> list[str]:
        """A list of strings of the body, empty when absent."""
        value = self.body.get(name)
        return [str(item) for item in value] if isinstance(value, list) else []

    def page(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows that `limit` and `offset` select."""
        limit, offset = self.unsigned("limit"), self.unsigned("offset") or 0
        return rows[offset:] if limit is None else rows[offset : offset + limit]
