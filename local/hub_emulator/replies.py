"""What the hub answers: JSON, plain text or nothing at all."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

JsonValue: TypeAlias = "str | int | float | bool | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
JsonObject: TypeAlias = Mapping[str, JsonValue]

JSON_TYPE = "application/json; charset=utf-8"
TEXT_TYPE = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One HTTP answer. `content_type` None sends no such header, as the hub does with an empty body."""

    status: int
    body: bytes = field(default=b"", repr=False)
    content_type: str | None = None
    headers: tuple[tuple[str, str], ...] = ()


class Refusal(Exception):  # noqa: N818 - the hub's own answer, not a failure of the emulator
    """Raised by a check to answer the request with `reply` and change nothing."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(f"HTTP {reply.status}")
        self.reply = reply


def ok(payload: JsonObject, *, status: int = 200, total: int | None = None) -> Reply:
    """A JSON answer; `total` is the number of rows before paging (X-Total-Count)."""
    headers = () if total is None else (("x-total-count", str(total)),)
    return Reply(status=status, body=json.dumps(payload).encode(), content_type=JSON_TYPE, headers=headers)


def error(status: int, code: str, message: str) -> Reply:
    """A JSON error in the form `{"error": {"code", "message"}}`."""
    return ok({"error": {"code": code, "message": message}}, status=status)


def text(status: int, message: str) -> Reply:
    """A plain text answer, as the hub's web framework gives before a handler runs."""
    return Reply(status=status, body=message.encode(), content_type=TEXT_TYPE)


def refuse(status: int, code: str, message: str) -> Refusal:
    """The JSON error as an exception to raise."""
    return Refusal(error(status, code, message))


def not_found(message: str) -> Refusal:
    """404 `not_found`."""
    return refuse(404, "not_found", message)


def invalid(message: str) -> Refusal:
    """400 `invalid_request`."""
    return refuse(400, "invalid_request", message)
