"""Rules about what a public zone must never hold."""

from collections.abc import Iterator, Sequence

from pulumi_policy import PolicyConfigSchema
from pulumi_policy.proxy import UnknownValueError

from edge_dns.core.addresses import classify, parse_address
from policy.rule import RECORDS, Properties, resource_policy

_ADDRESS_TYPES = frozenset({"A", "AAAA"})
_ADVICE = """\
Publish a public address. If the zone is private, list its id under
privateZones of this rule in the policy config."""


def private_address_public_zone(record: Properties, parameters: Properties) -> str | None:
    """Refuse an A or AAAA record of a public zone with an address that is not globally routable.

    A zone is private when its id is known and stands in the parameter `privateZones`; every other zone is public.
    """
    if str(record.get("type")).upper() not in _ADDRESS_TYPES or _in_private_zone(record, parameters):
        return None
    findings = [finding for value in _values(record) if (finding := _finding(value))]
    return "\n".join([*findings, _ADVICE]) if findings else None


def _in_private_zone(record: Properties, parameters: Properties) -> bool:
    try:
        return record.get("zoneId") in _items(parameters.get("privateZones"))
    except UnknownValueError:
        return False


def _values(record: Properties) -> Iterator[object]:
    """Yield the values of a record: `content` (formerly `value`) at Cloudflare, `records` at Route 53."""
    for key in ("content", "value", "records"):
        yield from _items(record.get(key))


def _items(value: object) -> Iterator[object]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        yield from value
    elif value is not None:
        yield value


def _finding(value: object) -> str | None:
    try:
        found = classify(parse_address(str(value)))
    except ValueError:
        # Unlike an address, such a text may be a secret that took the wrong way.
        return "A value of the record is not an IP address."
    return f"Not globally routable: {value} ({found.reason})" if found.scope == "private" else None


POLICIES = [
    resource_policy(
        "private-address-public-zone",
        dict.fromkeys(RECORDS, private_address_public_zone),
        PolicyConfigSchema({"privateZones": {"type": "array", "items": {"type": "string"}}}),
    ),
]
