"""Adoption: the live records of others that the settings let this stack take over, where they equal the wanted ones."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from edge_dns.core.live import LiveRecord, same_content
from edge_dns.core.rrsets import ttl_text
from edge_dns.core.rules import refuse
from edge_dns.core.settings import Adoption, Zone
from edge_dns.core.values import RECORD_TYPES, RRset, SlotRecord

_PLAIN = re.compile(r"[a-z0-9][a-z0-9.-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopting:
    """What the setting `adopt` says of one hostname: the types of the records to take over.

    `by_name`: an entry names the hostname itself, which it takes where the records carry the marker of another stack.
    """

    types: frozenset[str] = frozenset()
    by_name: bool = False


def adopting(hostname: str, zone: Zone, entries: Iterable[Adoption]) -> Adopting:
    """Return what the entries say of a hostname in a zone."""
    found = [one for one in entries if one.covers(hostname, zone)]
    return Adopting(
        types=frozenset().union(*({one.type} if one.type else RECORD_TYPES for one in found)),
        by_name=any(one.hostname for one in found),
    )


def adopt(records: Sequence[SlotRecord], live: Sequence[LiveRecord]) -> dict[str, str]:
    """Return the import id of a live record for each slot. All or nothing: a value more, less or other is a difference.

    Raises Refused with `adopt-differs`, which shows both sides.
    """
    imports: dict[str, str] = {}
    left = list(live)
    for record in records:
        found = next((one for one in left if same_content(record.rrset, one)), None)
        if found:
            imports[record.slot] = found.import_id
            left.remove(found)
    if left or len(imports) < len(records):
        wanted = "; ".join(described(record.rrset, full=True) for record in records) or "no other record"
        refuse(
            "adopt-differs",
            f"nothing is adopted, and the records stay untouched, since live and wanted differ: live "
            f"{listed(live, full=True)}; wanted {wanted}; make both equal, or take the entry out of edge-dns:adopt",
        )
    return imports


def listed(records: Iterable[LiveRecord], *, full: bool = False) -> str:
    """Return live records in words, each with its import id."""
    return "; ".join(f"{described(one, full=full)} (import id {one.import_id})" for one in records)


def described(record: RRset | LiveRecord, *, full: bool = False) -> str:
    """Return type and value in words; in `full` also all else that makes two records differ."""
    value = f"alias {record.alias.name}" if record.alias else ", ".join(record.values)
    more = [f"ttl {ttl_text(record.ttl)}"] if record.ttl is not None else []
    more += ["proxied"] if record.proxied else []
    if record.alias:
        health = "with" if record.alias.evaluate_target_health else "without"
        more += [f"zone {record.alias.zone_id}", f"{health} target health"]
    return f"{record.type} {value}" + (f" ({', '.join(more)})" if full and more else "")


def adopt_line(hostname: str) -> str:
    """Return the line of the settings that adopts a hostname."""
    return f"edge-dns:adopt: [{hostname if _PLAIN.fullmatch(hostname) else json.dumps(hostname)}]"
