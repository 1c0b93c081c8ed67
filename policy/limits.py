"""Rules of the providers that they themselves report only when the record is created."""

from edge_dns.core.conversion.cloudflare import ALLOWED_TTL as CLOUDFLARE_TTL
from edge_dns.core.conversion.cloudflare import AUTOMATIC_TTL
from edge_dns.core.conversion.route53 import ALLOWED_TTL as ROUTE53_TTL
from edge_dns.core.values import RECORD_TYPES
from policy.declared import CLOUDFLARE_RECORDS, ROUTE53_RECORDS, DeclaredRecord
from policy.rule import Given, record_policy

_SECONDS = {"type": "integer", "minimum": 0}


def proxied_ttl(record: DeclaredRecord, _given: Given) -> str | None:
    """Refuse a proxied Cloudflare record with a TTL other than automatic, which the API refuses at create."""
    ttl = record.ttl if record.proxied else None
    if ttl is None or ttl == AUTOMATIC_TTL:
        return None
    return f"The record is proxied and has ttl {_shown(ttl)}.\nSet ttl to 1 (automatic), or proxied to false."


def proxied_type(record: DeclaredRecord, _given: Given) -> str | None:
    """Refuse a proxied Cloudflare record of a type that cannot be proxied."""
    if not record.proxied or record.type in RECORD_TYPES:
        return None
    return f"A record of type {record.type} cannot be proxied.\nSet proxied to false."


def alias_ttl(record: DeclaredRecord, _given: Given) -> str | None:
    """Refuse a Route 53 alias with a TTL (API reference, AliasTarget)."""
    ttl = record.ttl if record.aliases else None
    if ttl is None:
        return None
    return f"The record is an alias and has ttl {_shown(ttl)}.\nRemove the ttl: an alias has that of its target."


def ttl_range(record: DeclaredRecord, given: Given) -> str | None:
    """Refuse a TTL outside `minimum` to `maximum` seconds, which are those of the provider where they are not given."""
    ttl = record.ttl
    automatic = record.provider == "cloudflare" and ttl == AUTOMATIC_TTL
    if ttl is None or automatic:
        return None
    allowed = CLOUDFLARE_TTL if record.provider == "cloudflare" else ROUTE53_TTL
    low = _number(given, "minimum", allowed.start)
    high = _number(given, "maximum", allowed.stop - 1)
    if low <= ttl <= high or record.is_marker:
        return None
    return f"ttl {_shown(ttl)} is outside {_shown(low)} to {_shown(high)} seconds.\nSet a ttl in this range."


def cname_apex(record: DeclaredRecord, _given: Given) -> str | None:
    """Refuse a CNAME at the apex of a Route 53 zone (RFC 1034 §3.6.2); Cloudflare flattens it."""
    if record.type != "CNAME" or not _at_apex(record):
        return None
    return "A CNAME stands at the apex of its zone.\nUse an alias, addresses, or a name below the apex."


def apex_ns(record: DeclaredRecord, _given: Given) -> str | None:
    """Refuse NS records at the apex and SOA records: they are the provider's."""
    if record.type != "SOA" and not (record.type == "NS" and _at_apex(record)):
        return None
    return f"The {record.type} record at the apex belongs to the provider.\nRemove it."


def _at_apex(record: DeclaredRecord) -> bool:
    """Say whether a record stands at the apex, as far as that is known: of a zone that is not listed by `@` alone."""
    return record.name in ("@", "", record.zone.domain if record.zone else "@")


def _shown(seconds: float) -> str:
    return f"{seconds:.10g}"


def _number(given: Given, key: str, default: int) -> float:
    found = given.parameters.get(key)
    return found if isinstance(found, int | float) else default


POLICIES = [
    record_policy("proxied-ttl", proxied_ttl, CLOUDFLARE_RECORDS),
    record_policy("proxied-type", proxied_type, CLOUDFLARE_RECORDS),
    record_policy("alias-ttl", alias_ttl, ROUTE53_RECORDS),
    record_policy("ttl-range", ttl_range, parameters={"minimum": _SECONDS, "maximum": _SECONDS}),
    record_policy("cname-apex", cname_apex, ROUTE53_RECORDS),
    record_policy("apex-ns", apex_ns),
]
