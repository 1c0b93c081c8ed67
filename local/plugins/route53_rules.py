"""What Route 53 refuses in a change batch and moto lets pass; texts as the API words them. Pure.

Sources: Route 53 API reference (ChangeResourceRecordSets), developer guide ("Supported DNS record types", "Choosing
between alias and non-alias records").
"""

import ipaddress
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Action: TypeAlias = Literal["CREATE", "UPSERT", "DELETE"]

_ADDRESS_TEXTS: Final = {
    "A": "ARRDATAIllegalIPv4Address (Value is not a valid IPv4 address)",
    "AAAA": "AAAARRDATAIllegalIPv6Address (Value is not a valid IPv6 address)",
}
_HOSTNAME_TYPES: Final = frozenset({"CNAME", "NS", "PTR"})
_SINGLE_VALUE_TYPES: Final = frozenset({"CNAME", "SOA"})
_CHARACTER_STRINGS: Final = re.compile(r'"(?:[^"\\]|\\.)*"(?:\s+"(?:[^"\\]|\\.)*")*')
_MAX_CHARACTER_STRING: Final = 255
_MAX_TTL: Final = 2**31 - 1
_CLOUDFRONT_ZONE: Final = "Z2FDTNDATAQYW2"
# Alias targets of AWS: suffix of the name, and the one hosted zone it lies in (None: one of many).
_ALIAS_SUFFIXES: Final = {
    ".cloudfront.net.": _CLOUDFRONT_ZONE,
    ".awsglobalaccelerator.com.": "Z2BJ6XQ5FK7U4H",
    ".amazonaws.com.": None,
    ".amazonaws.com.cn.": None,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """An alias target: DNS name with a dot, the hosted zone that it lies in."""

    name: str
    zone_id: str
    evaluate_target_health: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RRset:
    """A resource record set in the API's form: name with a dot and `*` escaped, ttl in seconds (None: not given)."""

    name: str
    type: str
    values: tuple[str, ...] = ()
    ttl: int | None = None
    alias: Alias | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One entry of a batch."""

    action: Action
    rrset: RRset


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """The hosted zone that a batch is for; `name` with a dot."""

    id: str
    name: str


def violations(zone: Zone, existing: Iterable[RRset], batch: Sequence[Change]) -> list[str]:
    """Why Route 53 would refuse the batch, empty if it would not; `existing` holds at least the RRsets of its names.

    A batch is one transaction: the rules hold for what is left when all of it is done, deletions first.
    """
    left = {(rrset.name, rrset.type): rrset for rrset in existing}
    found: list[str] = []
    for change in sorted(batch, key=lambda change: change.action != "DELETE"):
        key = (change.rrset.name, change.rrset.type)
        found.extend(_existence(change, left.get(key)))
        if change.action == "DELETE":
            left.pop(key, None)
        else:
            found.extend(_own_rules(zone, change))
            left[key] = change.rrset
    written = [change.rrset for change in batch if change.action != "DELETE"]
    found.extend(text for rrset in written for text in _coexistence(zone, rrset, left.values()))
    found.extend(text for rrset in written for text in _alias_rules(zone, rrset, left.values()))
    return found


def _existence(change: Change, held: RRset | None) -> list[str]:
    rrset = change.rrset
    if change.action == "CREATE" and held is not None:
        return [f"Tried to create resource record set [name='{rrset.name}', type='{rrset.type}'] but it already exists"]
    tried = f"Tried to delete resource record set [name='{rrset.name}', type='{rrset.type}'] but"
    if change.action == "DELETE" and held is None:
        return [f"{tried} it was not found"]
    if change.action == "DELETE" and held is not None and not _same(rrset, held):
        return [f"{tried} the values provided do not match the current values"]
    return []


def _same(one: RRset, other: RRset) -> bool:
    return (sorted(one.values), one.ttl, one.alias) == (sorted(other.values), other.ttl, other.alias)


def _own_rules(zone: Zone, change: Change) -> list[str]:
    rrset = change.rrset
    if rrset.name != zone.name and not rrset.name.endswith(f".{zone.name}"):
        return [f"RRSet with DNS name {rrset.name} is not permitted in zone {zone.name}"]
    if (rrset.alias is None) == (not rrset.values or rrset.ttl is None):
        text = "Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords], or TrafficPolicyInstanceId]"
        where = f"[Action={change.action}, Name={rrset.name}, Type={rrset.type}, SetIdentifier=null]"
        return [f"Invalid request: {text}, but found none in Change with {where}"]
    if rrset.ttl is not None and not 0 <= rrset.ttl <= _MAX_TTL:
        return [f"Invalid TTL {rrset.ttl}: it must be between 0 and {_MAX_TTL}"]
    return _value_rules(zone, rrset)


def _value_rules(zone: Zone, rrset: RRset) -> list[str]:
    at_apex = [f"RRSet of type CNAME with DNS name {rrset.name} is not permitted at apex in zone {zone.name}"]
    found = at_apex if rrset.type == "CNAME" and rrset.name == zone.name else []
    if rrset.type in _SINGLE_VALUE_TYPES and len(rrset.values) > 1:
        found = [*found, f"RRSet of type {rrset.type} with DNS name {rrset.name} must have exactly one resource record"]
    if len(set(rrset.values)) != len(rrset.values):
        found = [*found, f"Duplicate Resource Record in RRSet with DNS name {rrset.name}, type {rrset.type}"]
    return found + [
        f"Invalid Resource Record: 'FATAL problem: {problem} encountered with '{value}''"
        for value in rrset.values
        if (problem := _problem(rrset.type, value)) is not None
    ]


def _problem(record_type: str, value: str) -> str | None:
    if record_type in _ADDRESS_TEXTS:
        return None if _is_address(record_type, value) else _ADDRESS_TEXTS[record_type]
    if record_type in _HOSTNAME_TYPES:
        return _hostname_problem(value)
    if record_type in {"TXT", "SPF"}:
        return _text_problem(value)
    return None if value.strip() else "RRDATAEmpty (Value is empty)"


def _is_address(record_type: str, value: str) -> bool:
    try:
        return ipaddress.ip_address(value).version == (4 if record_type == "A" else 6)
    except ValueError:
        return False


def _hostname_problem(value: str) -> str | None:
    labels = value.removesuffix(".").split(".")
    if len(value.split()) != 1:
        return "RRDATANotSingleField (Value is not a single field)"
    if any(not label for label in labels):
        return "DomainLabelEmpty (Domain label is empty)"
    if any(len(label) > 63 for label in labels):
        return "DomainLabelTooLong (Domain label is too long)"
    return None


def _text_problem(value: str) -> str | None:
    if not _CHARACTER_STRINGS.fullmatch(value):
        return "InvalidCharacterString (Value should be enclosed in quotation marks)"
    strings = re.findall(r'"((?:[^"\\]|\\.)*)"', value)
    if any(len(string) > _MAX_CHARACTER_STRING for string in strings):
        return "CharacterStringTooLong (Value is too long)"
    return None


def _coexistence(zone: Zone, rrset: RRset, left: Iterable[RRset]) -> list[str]:
    others = [other for other in left if other.name == rrset.name and other.type != rrset.type]
    refused = f"RRSet of type {rrset.type} with DNS name {rrset.name} is not permitted"
    if rrset.type == "CNAME" and others:
        return [f"{refused} as it conflicts with other records with the same DNS name in zone {zone.name}"]
    if any(other.type == "CNAME" for other in others):
        conflict = "a conflicting RRSet of type CNAME with the same DNS name already exists"
        return [f"{refused} because {conflict} in zone {zone.name}"]
    return []


def _alias_rules(zone: Zone, rrset: RRset, left: Iterable[RRset]) -> list[str]:
    alias = rrset.alias
    if alias is None:
        return []
    tried = f"Tried to create an alias that targets {alias.name}, type {rrset.type} in zone {alias.zone_id}, but"
    if alias.zone_id == zone.id:
        found = any((other.name, other.type) == (alias.name, rrset.type) for other in left)
        return [] if found else [f"{tried} that target was not found"]
    if not _lies_in_zone(alias):
        return [f"{tried} the alias target name does not lie within the target zone"]
    if alias.zone_id == _CLOUDFRONT_ZONE and alias.evaluate_target_health:
        return ["EvaluateTargetHealth cannot be true for an alias that targets a CloudFront distribution"]
    return []


def _lies_in_zone(alias: Alias) -> bool:
    for suffix, zone_id in _ALIAS_SUFFIXES.items():
        if alias.name.endswith(suffix):
            return zone_id in {None, alias.zone_id}
    return False
