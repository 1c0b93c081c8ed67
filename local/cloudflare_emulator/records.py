"""DNS records of one Cloudflare zone: validation, normal form and the coexistence rules. Pure but for ids and clock.

Rules and texts: Cloudflare API documentation of DNS records; codes as public issue reports show them.
"""

import ipaddress
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

import idna

from local.cloudflare_emulator import errors
from local.cloudflare_emulator.errors import ApiError

JsonObject = Mapping[str, object]

_ADDRESS_TYPES: Final = frozenset({"A", "AAAA"})
_HOSTNAME_TYPES: Final = frozenset({"CNAME", "NS", "PTR"})
PROXIABLE_TYPES: Final = _ADDRESS_TYPES | {"CNAME"}
RECORD_TYPES: Final = (
    PROXIABLE_TYPES
    | {"CAA", "CERT", "DNSKEY", "DS", "HTTPS", "LOC", "MX", "NAPTR", "NS", "OPENPGPKEY", "PTR"}
    | {"SMIMEA", "SRV", "SSHFP", "SVCB", "TLSA", "TXT", "URI"}
)
# Private use, loopback, link-local, shared and unique-local; not the documentation ranges, which fixtures use.
_UNPROXIABLE_NETWORKS: Final = tuple(
    ipaddress.ip_network(network)
    for network in (
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "100.64.0.0/10",
        "::1/128",
        "fe80::/10",
        "fc00::/7",
    )
)
AUTOMATIC_TTL: Final = 1
MAX_COMMENT: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A DNS record in the form the API returns it: name as lower-case FQDN, ttl in seconds or 1 for automatic."""

    id: str
    name: str
    type: str
    content: str
    ttl: int
    proxied: bool
    comment: str | None
    tags: tuple[str, ...]
    priority: int | None
    data: JsonObject | None
    settings: JsonObject
    created_on: str
    modified_on: str
    comment_modified_on: str | None
    tags_modified_on: str | None

    def to_json(self) -> dict[str, object]:
        """The record as the API prints it; fields without a value that the API leaves out are left out."""
        shown: dict[str, object] = {
            "id": self.id,
            "name": self.name,
            "type": self.type,
            "content": self.content,
            "proxiable": self.type in PROXIABLE_TYPES,
            "proxied": self.proxied,
            "ttl": self.ttl,
            "settings": dict(self.settings),
            "meta": {},
            "comment": self.comment,
            "tags": list(self.tags),
            "created_on": self.created_on,
            "modified_on": self.modified_on,
        }
        optional = {
            "priority": self.priority,
            "data": dict(self.data) if self.data is not None else None,
            "comment_modified_on": self.comment_modified_on,
            "tags_modified_on": self.tags_modified_on,
        }
        return shown | {key: value for key, value in optional.items() if value is not None}


def create(zone_name: str, body: JsonObject, others: Iterable[Record]) -> Record:
    """The new record that `body` asks for in the zone that holds `others`. Raises ApiError."""
    now = _now()
    record = _normal(zone_name, body, record_id=secrets.token_hex(16), created_on=now, now=now)
    _check_coexistence(zone_name, record, others)
    return record


def overwrite(zone_name: str, old: Record, body: JsonObject, others: Iterable[Record]) -> Record:
    """The record in place of `old` as PUT writes it: what `body` omits falls back to its default. Raises ApiError."""
    now = _now()
    new = _normal(zone_name, body, record_id=old.id, created_on=old.created_on, now=now)
    _check_coexistence(zone_name, new, (other for other in others if other.id != old.id))
    return replace(
        new,
        comment_modified_on=old.comment_modified_on if new.comment == old.comment else new.comment_modified_on,
        tags_modified_on=old.tags_modified_on if new.tags == old.tags else new.tags_modified_on,
    )


def edit(zone_name: str, old: Record, body: JsonObject, others: Iterable[Record]) -> Record:
    """The record in place of `old` as PATCH writes it: what `body` omits stays. Raises ApiError."""
    merged = old.to_json() | dict(body)
    if "data" in body and "content" not in body:
        del merged["content"]  # it follows from the data
    return overwrite(zone_name, old, merged, others)


def _normal(zone_name: str, body: JsonObject, *, record_id: str, created_on: str, now: str) -> Record:
    record_type = _type(body)
    proxied = _proxied(body, record_type)
    comment = _comment(body)
    tags = _tags(body)
    data = body.get("data")
    content = _content(record_type, body)
    _check_proxied_target(record_type, content, proxied=proxied)
    name = _fqdn(_text(body, "name"), zone_name)
    if record_type == "CNAME" and content == name:
        raise ApiError(400, 9039, "CNAME content cannot reference itself.")
    return Record(
        id=record_id,
        name=name,
        type=record_type,
        content=content,
        ttl=AUTOMATIC_TTL if proxied else _ttl(body),
        proxied=proxied,
        comment=comment,
        tags=tags,
        priority=_priority(body, record_type),
        data=data if isinstance(data, Mapping) else None,
        settings=_settings(body),
        created_on=created_on,
        modified_on=now,
        comment_modified_on=now if comment else None,
        tags_modified_on=now if tags else None,
    )


def _check_coexistence(zone_name: str, new: Record, others: Iterable[Record]) -> None:
    for other in others:
        if other.name == new.name:
            _check_identical(new, other)
            _check_types(new, other, at_apex=new.name == zone_name)


def _check_identical(new: Record, other: Record) -> None:
    if (new.type, new.content, new.priority) != (other.type, other.content, other.priority):
        return
    if (new.ttl, new.proxied) == (other.ttl, other.proxied):
        raise errors.identical_record_exists()
    raise errors.record_exists()


def _check_types(new: Record, other: Record, *, at_apex: bool) -> None:
    if not at_apex and "NS" in {new.type, other.type} and not _both_may_delegate(new, other):
        raise errors.a_aaaa_cname_exists() if other.type in PROXIABLE_TYPES else errors.ns_exists()
    if new.type == "CNAME" and other.type in PROXIABLE_TYPES:
        raise errors.a_aaaa_cname_exists()
    if new.type in _ADDRESS_TYPES and other.type == "CNAME":
        raise errors.cname_exists()


def _both_may_delegate(new: Record, other: Record) -> bool:
    return {new.type, other.type} <= {"NS", "DS"}


def _type(body: JsonObject) -> str:
    record_type = _text(body, "type")
    if record_type not in RECORD_TYPES:
        raise ApiError(400, 9006, f"Invalid type, must be one of {', '.join(sorted(RECORD_TYPES))}.")
    return record_type


def _fqdn(name: str, zone_name: str) -> str:
    try:
        ascii_name = name if name.isascii() else idna.encode(name, uts46=True).decode()
    except idna.IDNAError as error:
        raise ApiError(400, 9000, f"DNS name is invalid: {error}.") from error
    lower = ascii_name.lower().removesuffix(".")
    if lower in {"@", zone_name}:
        return zone_name
    full = lower if lower.endswith(f".{zone_name}") else f"{lower}.{zone_name}"
    if len(full) > 253 or any(not 0 < len(label) <= 63 for label in full.split(".")):
        raise ApiError(400, 9000, "DNS name is invalid.")
    return full


def _content(record_type: str, body: JsonObject) -> str:
    data = body.get("data")
    if isinstance(data, Mapping) and "content" not in body:
        return " ".join(str(value) for value in data.values() if value is not None)
    content = _text(body, "content")
    if record_type in _ADDRESS_TYPES:
        return _address(record_type, content)
    if record_type in _HOSTNAME_TYPES:
        return _hostname(record_type, content)
    return content


def _address(record_type: str, content: str) -> str:
    try:
        if record_type == "A":
            return str(ipaddress.IPv4Address(content))
        return str(ipaddress.IPv6Address(content))
    except ValueError as error:
        family = "a valid IPv4 address" if record_type == "A" else "a valid IPv6 address"
        raise errors.invalid_content(record_type, family) from error


def _hostname(record_type: str, content: str) -> str:
    host = content.lower().removesuffix(".")
    if not host or " " in host or host.replace(".", "").isdigit() or any(not label for label in host.split(".")):
        raise ApiError(400, 9007, f"Content for {record_type} record is invalid.")
    return host


def _ttl(body: JsonObject) -> int:
    ttl = body.get("ttl", AUTOMATIC_TTL)
    if not isinstance(ttl, int | float) or not (ttl == AUTOMATIC_TTL or 60 <= ttl <= 86400):
        raise ApiError(400, 9021, "TTL must be between 60 and 86400 seconds, or 1 for Automatic.")
    return int(ttl)


def _proxied(body: JsonObject, record_type: str) -> bool:
    proxied = body.get("proxied") or False
    if not isinstance(proxied, bool):
        raise ApiError(400, 9003, "Invalid 'proxied' value, must be a boolean")
    if proxied and record_type not in PROXIABLE_TYPES:
        raise ApiError(400, 9004, "This record type cannot be proxied.")
    return proxied


def _check_proxied_target(record_type: str, content: str, *, proxied: bool) -> None:
    if not proxied or record_type not in _ADDRESS_TYPES:
        return
    address = ipaddress.ip_address(content)
    if any(address in network for network in _UNPROXIABLE_NETWORKS):
        raise ApiError(400, 9003, f"Target {content} is not allowed for a proxied record.")


def _comment(body: JsonObject) -> str | None:
    comment = body.get("comment")
    if comment is None or comment == "":
        return None
    if not isinstance(comment, str) or len(comment) > MAX_COMMENT:
        raise ApiError(400, 9313, f"DNS record comment exceeds the maximum length of {MAX_COMMENT} characters.")
    return comment


def _tags(body: JsonObject) -> tuple[str, ...]:
    tags = body.get("tags") or []
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise ApiError(400, 9300, "DNS record has invalid tags.")
    return tuple(dict.fromkeys(tags))


def _priority(body: JsonObject, record_type: str) -> int | None:
    priority = body.get("priority")
    if isinstance(priority, int | float):
        return int(priority)
    if record_type == "MX" and not isinstance(body.get("data"), Mapping):
        raise ApiError(400, 9100, "priority is a required field.")
    return None


def _settings(body: JsonObject) -> JsonObject:
    settings = body.get("settings")
    return dict(settings) if isinstance(settings, Mapping) else {}


def _text(body: JsonObject, key: str) -> str:
    value = body.get(key)
    if not isinstance(value, str) or not value:
        raise ApiError(400, 9000 if key == "name" else 9005, f"DNS record is missing a valid '{key}'.")
    return value


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
