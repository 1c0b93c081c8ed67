"""What a provider would answer for the records that an emulator holds, as RRsets for an authoritative server.

The emulators resolve and proxy nothing. Where the real provider answers with addresses that it finds itself, these
stand for them: fixed documentation addresses (RFC 5737, RFC 3849).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from local.route53 import HostedRecord

PROXY_ADDRESSES = {"A": "192.0.2.80", "AAAA": "2001:db8::80"}
"""What a proxied record of Cloudflare answers: addresses of its edge, of both families, whatever the record's type."""
LOOKED_UP_ADDRESSES = {"A": "192.0.2.90", "AAAA": "2001:db8::90"}
"""What the target of a flattened CNAME (Cloudflare, at the apex) or of an alias (Route 53) resolves to."""

AUTOMATIC_TTL = 300
"""Seconds; what Cloudflare answers for the automatic TTL, which its API writes as 1."""
ALIAS_TTL = 60
"""Seconds; what Route 53 answers for aliases of load balancers."""

_HOSTNAME_TYPES = frozenset({"CNAME", "NS", "PTR"})


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class RRsetAnswer:
    """One RRset: an FQDN without the last dot, TTL in seconds, values in the form of zone files (RFC 1035 §5.1)."""

    name: str
    type: str
    ttl: int
    values: tuple[str, ...]


def cloudflare_answers(domain: str, records: Iterable[Mapping[str, object]]) -> tuple[RRsetAnswer, ...]:
    """Return what Cloudflare answers for the records of a zone in the API's own form, sorted."""
    return _joined(answer for record in records for answer in _cloudflare(domain, record))


def route53_answers(records: Iterable[HostedRecord]) -> tuple[RRsetAnswer, ...]:
    """Return what Route 53 answers for the RRsets of a hosted zone, sorted. An alias is of type A or AAAA."""
    return _joined(_route53(record) for record in records)


def _cloudflare(domain: str, record: Mapping[str, object]) -> Iterator[RRsetAnswer]:
    name, kind, ttl = str(record["name"]), str(record["type"]), int(str(record["ttl"]))
    seconds = AUTOMATIC_TTL if ttl == 1 else ttl
    if record["proxied"]:
        yield from _addresses(name, seconds, PROXY_ADDRESSES)
    elif kind == "CNAME" and name == domain:
        yield from _addresses(name, seconds, LOOKED_UP_ADDRESSES)
    else:
        yield RRsetAnswer(name=name, type=kind, ttl=seconds, values=(_cloudflare_value(kind, record),))


def _addresses(name: str, ttl: int, addresses: Mapping[str, str]) -> Iterator[RRsetAnswer]:
    for kind, address in addresses.items():
        yield RRsetAnswer(name=name, type=kind, ttl=ttl, values=(address,))


def _cloudflare_value(kind: str, record: Mapping[str, object]) -> str:
    content = str(record["content"])
    if kind in _HOSTNAME_TYPES:
        return f"{content}."
    if kind == "TXT" and not content.startswith('"'):
        escaped = content.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if kind == "MX":
        return f"{record['priority']} {content.removesuffix('.')}."
    return content


def _route53(record: HostedRecord) -> RRsetAnswer:
    if record.alias:
        values: tuple[str, ...] = (LOOKED_UP_ADDRESSES[record.type],)
        return RRsetAnswer(name=record.name, type=record.type, ttl=ALIAS_TTL, values=values)
    if record.type in _HOSTNAME_TYPES:
        # Route 53 takes names with and without the last dot for the same.
        values = tuple(f"{value.removesuffix('.')}." for value in record.values)
    else:
        values = record.values
    return RRsetAnswer(name=record.name, type=record.type, ttl=record.ttl or 0, values=values)


def _joined(answers: Iterable[RRsetAnswer]) -> tuple[RRsetAnswer, ...]:
    """Join what stands in several records; an RRset has one TTL (RFC 2181 §5.2), the smallest."""
    sets: dict[tuple[str, str], RRsetAnswer] = {}
    for one in answers:
        other = sets.get((one.name, one.type), one)
        values = tuple(sorted({*one.values, *other.values}))
        sets[one.name, one.type] = RRsetAnswer(name=one.name, type=one.type, ttl=min(one.ttl, other.ttl), values=values)
    return tuple(sorted(sets.values()))
