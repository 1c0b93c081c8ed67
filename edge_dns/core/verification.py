"""What DNS must answer for the names of a stack, and how an authoritative server's answers compare with it.

What exists in the state must be answered; what the last update withdrew, and the state no longer holds, must not.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from edge_dns.core.dns_outcome import Answer, Outcome, Unknown
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.live import normal_name, normal_value
from edge_dns.core.names import covers, is_wildcard
from edge_dns.core.settings import Zone
from edge_dns.core.values import RRset
from edge_dns.core.zones import ZoneIndex

State = Literal["agrees", "missing", "wrong", "answered", "unknown"]
"""`missing`: no answer where a record exists; `wrong`: another one; `answered`: one where nothing must be."""

Found = frozenset[tuple[str, str]]
"""Types and values in normal form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """A hostname that the last update withdrew; `zone` is the domain of its zone, None where that is not known."""

    hostname: str
    zone: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What a zone must answer for a hostname: exactly `records`, or any address where `addresses_only`.

    The second is for what the provider answers with addresses of its own: proxied records and flattened CNAMEs at
    Cloudflare, aliases at Route 53. Neither means that nothing may be answered.
    """

    hostname: str
    zone: Zone
    records: Found = frozenset()
    addresses_only: bool = False

    @property
    def is_published(self) -> bool:
        """Whether there must be an answer."""
        return bool(self.records) or self.addresses_only

    @property
    def types(self) -> tuple[str, ...]:
        """The types to ask for; a CNAME is answered whatever the type, and nothing can stand beside it."""
        return ("CNAME",) if {kind for kind, _ in self.records} == {"CNAME"} else ("A", "AAAA")

    def asked_name(self, label: str) -> str:
        """Return the name to ask for: below a wildcard the one with this label, which nobody has."""
        return self.hostname.replace("*", label, 1) if is_wildcard(self.hostname) else self.hostname


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How a server's answers compare; `text` says what it answers (nothing: empty), or why that is not known."""

    state: State
    text: str = ""


def withdrawn_of(hostnames: object) -> list[Withdrawn]:
    """Return what the last update withdrew, from the stack output `hostnames`; raises ObservationFailed.

    None stands for a stack without outputs.
    """
    entries = {} if hostnames is None else hostnames
    if not isinstance(entries, Mapping) or not all(isinstance(one, Mapping) for one in entries.values()):
        raise ObservationFailed("the stack output `hostnames` has another form than expected; run `pulumi up`")
    # Behind a name in a private zone stands ` (private)`.
    return [
        Withdrawn(hostname=str(key).partition(" ")[0], zone=entry.get("zone"))
        for key, entry in entries.items()
        if entry.get("state") == "withdrawn"
    ]


def expectations(
    zones: ZoneIndex, existing: Iterable[RRset], withdrawn: Iterable[Withdrawn]
) -> tuple[list[Expectation], list[str]]:
    """Return what the zones of the settings must answer, sorted, and what is skipped, in words.

    `existing` are the records of the state, `withdrawn` what the last update withdrew. Skipped is what lies in no zone
    of the settings, and a private zone without `nameservers`: whom the system's resolver names may be others.
    """
    groups: dict[tuple[str, str], list[RRset]] = {}
    for rrset in existing:
        groups.setdefault((rrset.zone_id, normal_name(rrset.name)), []).append(rrset)
    found = {key: zones.by_key(key[0]) for key in groups}
    wanted = [_published(key[1], zone, groups[key]) for key, zone in found.items() if zone]
    wanted += _gone(zones, withdrawn, {(one.zone.domain, one.hostname) for one in wanted})
    strangers = [name for (_, name), zone in found.items() if not zone]
    strangers += [one.hostname for one in withdrawn if one.zone is None or one.zone not in zones.by_domain]
    askable = [one for one in wanted if one.zone.nameservers or one.zone.visibility == "public"]
    private = sorted({one.zone.domain for one in wanted} - {one.zone.domain for one in askable})
    skipped = [f"{name}: its zone is not in the settings" for name in sorted(set(strangers))]
    skipped += [f"zone {domain}: private, and without nameservers in the settings" for domain in private]
    return sorted(askable, key=lambda one: (one.zone.domain, one.zone.visibility, one.hostname)), skipped


def judge(expected: Expectation, outcomes: Sequence[Outcome], beside: Iterable[Expectation] = ()) -> Verdict:
    """Compare what one server says of a name, for each of the expectation's types, with what it must say.

    `beside` are the other expectations of the zone: what a published wildcard answers for a withdrawn name is no
    answer of that name.
    """
    unknown = next((one for one in outcomes if isinstance(one, Unknown)), None)
    if unknown:
        return Verdict(state="unknown", text=unknown.reason)
    found = frozenset((one.type, value) for one in outcomes if isinstance(one, Answer) for value in one.values)
    if expected.is_published:
        return _compared(expected, found)
    agrees = not found or any(_explains(other, expected, found) for other in beside)
    return Verdict(state="agrees" if agrees else "answered", text=_words(found))


def describe_expectation(expected: Expectation) -> str:
    """Return in words what must be answered."""
    if expected.addresses_only:
        return "addresses of the provider"
    return _words(expected.records) or "nothing"


def _published(hostname: str, zone: Zone, rrsets: Sequence[RRset]) -> Expectation:
    if any(rrset.proxied or rrset.alias or _is_flattened(rrset, zone) for rrset in rrsets):
        return Expectation(hostname=hostname, zone=zone, addresses_only=True)
    records = frozenset((rrset.type, normal_value(rrset.type, value)) for rrset in rrsets for value in rrset.values)
    return Expectation(hostname=hostname, zone=zone, records=records)


def _is_flattened(rrset: RRset, zone: Zone) -> bool:
    return rrset.type == "CNAME" and normal_name(rrset.name) == zone.domain


def _gone(zones: ZoneIndex, withdrawn: Iterable[Withdrawn], published: set[tuple[str, str]]) -> list[Expectation]:
    return [
        Expectation(hostname=one.hostname, zone=zone)
        for one in withdrawn
        if (one.zone, one.hostname) not in published
        for zone in zones.by_domain.get(one.zone or "", ())
    ]


def _compared(expected: Expectation, found: Found) -> Verdict:
    if not found:
        return Verdict(state="missing")
    agrees = {kind for kind, _ in found} <= {"A", "AAAA"} if expected.addresses_only else found == expected.records
    return Verdict(state="agrees" if agrees else "wrong", text=_words(found))


def _explains(wildcard: Expectation, expected: Expectation, found: Found) -> bool:
    covered = is_wildcard(wildcard.hostname) and covers(wildcard.hostname, expected.hostname)
    return covered and _compared(wildcard, found).state == "agrees"


def _words(found: Found) -> str:
    by_type: Mapping[str, list[str]] = {kind: [] for kind, _ in sorted(found)}
    for kind, value in sorted(found):
        by_type[kind].append(value)
    return ", ".join(f"{kind} {' '.join(values)}" for kind, values in by_type.items())
