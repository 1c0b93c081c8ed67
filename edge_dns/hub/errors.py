"""What can go wrong in a call to the Towonel hub: one type per thing that a caller decides on.

Every message is for a person: which call, what the hub answered, the hub's `x-request-id`, what to do. No message
holds the API key, an invite token or a tenant id: texts from outside pass through `scrub`.
"""

import re
from enum import Enum
from typing import ClassVar

# A tenant id or node id is 64 hex digits; a token starts `tt_inv_`, a personal API key `twk_`.
_SECRETS = re.compile(r"\b[0-9a-fA-F]{64}\b|tt_inv_[\w.-]*|twk_[\w-]*")
_LONGEST_QUOTE = 200


def scrub(text: str, *secrets: str) -> str:
    """`text` on one line, cut to 200 characters, without `secrets`, tokens, API keys and tenant ids.

    What a terminal would act on is escaped.
    """
    # A hub's key has 43 characters or more; hiding a very short text would only mangle the message.
    for secret in (secret for secret in secrets if len(secret) >= 8):
        text = text.replace(secret, "[hidden]")
    line = "".join(map(_escaped, " ".join(_SECRETS.sub("[hidden]", text).split())))
    return line if len(line) <= _LONGEST_QUOTE else line[: _LONGEST_QUOTE - 1] + "…"


def _escaped(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape").decode()


class HubError(Exception):
    """A call to the hub that gave no usable answer.

    `call` is method and path, `status` the HTTP status (None when there was no answer), `request_id` the hub's
    `x-request-id`, `code` the hub's error code if it sent one. `ambiguous` is True when the hub may have carried the
    call out all the same.
    """

    advice: ClassVar[str] = ""
    ambiguous: bool = False

    def __init__(
        self,
        call: str,
        detail: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        code: str | None = None,
    ) -> None:
        answered = f" answered {status}" if status is not None else ""
        reference = f" [x-request-id {request_id}]" if request_id else ""
        call = scrub(call)
        super().__init__(f"hub: {call}{answered}: {detail}.{self.advice and ' ' + self.advice}{reference}")
        self.call = call
        self.detail = detail
        self.status = status
        self.request_id = request_id
        self.code = code


class HubUnreachable(HubError):  # noqa: N818 - named by what happened, as all errors here
    """No answer: connection refused, name not found, TLS failure, timeout, connection cut.

    `sent`: the hub may have got the call; `timed_out`: it was waited for in vain.
    """

    advice = "Nothing is concluded from this: check the hub's url and the network, then run again."

    def __init__(self, call: str, detail: str, *, sent: bool, timed_out: bool) -> None:
        super().__init__(call, detail)
        self.ambiguous = sent
        self.timed_out = timed_out


class HubServerError(HubError):
    """A 5xx: the hub failed, or what stands in front of it."""

    advice = "Nothing is concluded from this: look at the hub's log, then run again."
    ambiguous = True


class HubRateLimited(HubError):  # noqa: N818
    """A 429 that lasted longer than a call waits in all. The hub did nothing."""

    advice = "Run again later, or raise the hub's rate limit."


class HubUnauthorized(HubError):  # noqa: N818
    """A 401: the hub does not know the API key."""

    advice = "The API key is unknown, expired or revoked: check the hub's apiKey."


class NotFound(Enum):
    """Which of the hub's 404 answers it was, by its message."""

    INVITE = "invite does not exist"
    INVITE_ALREADY_REVOKED = "invite is already revoked or does not exist"
    HOSTNAME = "hostname not found on invite"
    PORT = "port reservation does not exist"
    ROUTE = "not found"
    OTHER = ""


class HubNotFound(HubError):  # noqa: N818
    """A JSON `not_found`; `what` says of which thing. Only GET of an invite proves anything about the invite."""

    def __init__(self, call: str, detail: str, *, what: NotFound, status: int, request_id: str | None) -> None:
        super().__init__(call, detail, status=status, request_id=request_id, code="not_found")
        self.what = what


class HubConflict(HubError):  # noqa: N818
    """A JSON 409 (`hostname_conflict`, `port_in_use`, `port_pool_exhausted`). Settled by reading, not by its text."""


class HubRefused(HubError):  # noqa: N818
    """Any other 4xx: the hub understood nothing of the call or does not allow it, and did nothing."""

    advice = "The hub did nothing."

    @property
    def is_about_a_value(self) -> bool:
        """Whether the hub read the call and took a value of it for wrong, such as a hostname."""
        return self.status == 400 and self.code == "invalid_request"


class HubNotAHub(HubError):  # noqa: N818
    """An answer that no hub of API 1.x gives: an empty 404, HTML, a 200 that is not JSON, a redirect."""

    advice = (
        "This does not look like a Towonel hub of API 1.x: check the hub's url and what stands in front of it. "
        "Nothing is concluded from this."
    )
    ambiguous = True


class HubBadAnswer(HubError):  # noqa: N818
    """A JSON answer of the wrong shape, or a list that is not whole."""

    advice = "Nothing is concluded from this: the hub speaks another version of the API, or is faulty."
    ambiguous = True


class HubAccountUnclear(HubError):  # noqa: N818
    """The hub does not show the invite to an account that perhaps may not see it: deleted, or of another account."""

    advice = (
        "It cannot be told whether the invite is gone or the API key belongs to another account: check the hub's url "
        "and apiKey."
    )


class HubOutcomeUnclear(HubError):  # noqa: N818
    """It could not be settled whether a create took effect."""

    advice = "Nothing of it was deleted."
    ambiguous = True
