"""Identifiers and secrets in the hub's forms."""

import base64
import binascii
import hashlib
import re
import secrets
from dataclasses import dataclass, field

TOKEN_PREFIX = "tt_inv_2_"  # noqa: S105 - the fixed part of every token
TOKEN_PATTERN = re.compile(re.escape(TOKEN_PREFIX) + r"[A-Za-z0-9_.-]+")
USER_KEY_PREFIX = "twk_"

_ADJECTIVES = ("amber", "brisk", "calm", "daring", "eager", "fabled", "gentle", "hidden")
_ANIMALS = ("badger", "curlew", "dormouse", "egret", "ferret", "gannet", "heron", "ibis")


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """The identifiers of a new invite and the token that carries its secrets."""

    invite_id: str
    tenant_id: str
    token: str = field(repr=False)


def encode(raw: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def new_credentials(hub_url: str) -> Credentials:
    """Fresh credentials. The tenant id is the digest of the seed, which stands in for the ML-DSA-65 public key."""
    invite_id, seed = encode(secrets.token_bytes(16)), secrets.token_bytes(32)
    segments = (encode(hub_url.encode()), invite_id, encode(secrets.token_bytes(32)), encode(seed))
    return Credentials(
        invite_id=invite_id, tenant_id=hashlib.sha256(seed).hexdigest(), token=TOKEN_PREFIX + ".".join(segments)
    )


def invite_secret(token: str) -> str:
    """The third segment of a token, which an agent shows at bootstrap."""
    return token.removeprefix(TOKEN_PREFIX).split(".")[2]


def new_secret() -> str:
    """32 random bytes, 43 characters: an operator key, or the part of a user key after its prefix."""
    return encode(secrets.token_bytes(32))


def new_node_id() -> str:
    """64 hex characters."""
    return secrets.token_hex(32)


def new_name() -> str:
    """A random two-word name."""
    return f"{secrets.choice(_ADJECTIVES)}-{secrets.choice(_ANIMALS)}"


def is_invite_id(value: str) -> bool:
    """Whether `value` is unpadded base64url of exactly 16 bytes."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{22}", value):
        return False
    try:
        return encode(base64.urlsafe_b64decode(value + "==")) == value
    except binascii.Error:
        return False


def tenant_id_problem(value: str) -> str | None:
    """Why `value` is not a tenant id (64 hex characters), or None."""
    if len(value) % 2:
        return "invalid hex: Odd number of digits"
    if not re.fullmatch(r"[0-9a-fA-F]*", value):
        return "invalid hex: Invalid character"
    return None if len(value) == 64 else "invalid length"
