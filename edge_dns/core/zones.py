"""The choice of the one zone that holds a hostname, and what a zone as a whole forbids."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from types import MappingProxyType

from edge_dns.core.names import is_wildcard
from edge_dns.core.rules import Refusal, Refused, refuse
from edge_dns.core.settings import Elsewhere, Zone
from edge_dns.core.texts import first_of
from edge_dns.core.values import Provider, Visibility

_DOMAINS_SHOWN = 5


def zone_key(zone: Zone) -> str:
    """Return what identifies the zone in slots and records: its id at the provider, else (external-dns) its domain."""
    if zone.zone_id:
        return zone.zone_id
    return zone.domain if zone.visibility == "public" else f"{zone.domain}:{zone.visibility}"


def zone_title(key: str, domain: str | None, *, left: bool = False) -> str:
    """Return a zone in words: its domain, where that is known, and its key; `left`: the settings lack it."""
    name = f"zone {domain} ({key})" if domain else f"zone {key}"
    return f"{name}, which left the settings" if left else name


def domain_of(key: str) -> str:
    """Return the domain that a zone key holds, where it is no id of a provider."""
    return key.partition(":")[0]


@dataclass(frozen=True, slots=True)
class ZoneIndex:
    """All zones of the settings, by domain and by key, and the visibilities of `elsewhere` by domain."""

    by_domain: Mapping[str, tuple[Zone, ...]]
    by_zone_key: Mapping[str, Zone]
    elsewhere: Mapping[str, frozenset[Visibility]]
    _private: frozenset[str]
    _nearest: dict[str, str | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, zones: Iterable[Zone], elsewhere: Iterable[Elsewhere] = ()) -> "ZoneIndex":
        """Index the zones; the order in which they are given has no influence."""
        groups: dict[str, tuple[Zone, ...]] = {}
        for zone in sorted(zones, key=zone_key):
            groups[zone.domain] = (*groups.get(zone.domain, ()), zone)
        by_key = {zone_key(zone): zone for group in groups.values() for zone in group}
        views: dict[str, frozenset[Visibility]] = {}
        for one in elsewhere:
            views[one.domain] = views.get(one.domain, frozenset()) | {one.visibility}
        private = frozenset(
            domain
            for domain in groups.keys() | views
            if {*views.get(domain, ()), *(one.visibility for one in groups.get(domain, ()))} == {"private"}
        )
        return cls(MappingProxyType(groups), MappingProxyType(by_key), MappingProxyType(views), private)

    def by_key(self, key: str) -> Zone | None:
        """Return the zone with this key, None when it left the settings."""
        return self.by_zone_key.get(key)

    def nearest(self, hostname: str) -> str | None:
        """Return the longest domain of `zones` and `elsewhere` that is the hostname itself or a suffix of it."""
        # Each name is asked for again and again.
        if hostname not in self._nearest:
            names = _ancestors(hostname)
            found = (name for name in names if name in self.by_domain or name in self.elsewhere)
            self._nearest[hostname] = next(found, None)
        return self._nearest[hostname]

    def longest(self, hostname: str) -> tuple[Zone, ...]:
        """Return the zones of the nearest domain; empty when there is none, or when only other stacks publish there."""
        return self.by_domain.get(self.nearest(hostname) or "", ())

    def left_to_others(self, hostname: str, visibility: Visibility) -> str | None:
        """Return the nearest domain where `elsewhere` leaves its names of this visibility to another stack."""
        domain = self.nearest(hostname) if self.elsewhere else None
        return domain if visibility in self.elsewhere.get(domain or "", ()) else None

    def only_private(self, hostname: str) -> bool:
        """Say whether the hostname lies in a private zone, here or elsewhere, and in no public one of that domain."""
        return self.nearest(hostname) in self._private


def choose_zone(hostname: str, index: ZoneIndex, visibility: Visibility, provider: Provider | None = None) -> Zone:
    """Return the zone for a hostname in normal form: the longest suffix over all zones, the hostname itself included.

    Never a shorter zone: a delegated child would hide the record. With `provider` only its zones fit. Raises Refused
    with `zone-none` or `zone-ambiguous`.
    """
    if domain := index.left_to_others(hostname, visibility):
        reason = f"edge-dns:elsewhere leaves the names of {domain} to another stack, but this one declares the name"
        refuse("zone-none", reason)
    group = index.longest(hostname)
    visible = [zone for zone in group if zone.visibility == visibility]
    fitting = [zone for zone in visible if provider in (None, zone.provider)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise Refused(_ambiguous(fitting))
    if visible and provider:
        raise Refused(_wrong_provider(visible[0], provider))
    if domain := index.nearest(hostname):
        raise Refused(_wrong_visibility(domain, visibility))
    raise Refused(Refusal(rule="zone-none", reason=_none(index)))


def check_wildcard(hostname: str, zone: Zone) -> None:
    """Raise Refused (`wildcard-opt-in`) for a wildcard in a zone whose setting `wildcards` is not on."""
    if is_wildcard(hostname) and not zone.wildcards:
        reason = f"zone {zone.domain} takes no wildcard names; set wildcards: true on the zone"
        refuse("wildcard-opt-in", reason)


def check_delegation(hostname: str, zone: Zone, delegations: Collection[str]) -> None:
    """Raise Refused (`below-delegation`) when the zone delegates the hostname away (RFC 1034 §4.2.1).

    `delegations` are the names with NS records in that zone; those at its apex delegate nothing.
    """
    below_apex = takewhile(lambda name: name != zone.domain, _ancestors(hostname))
    cut = next((name for name in below_apex if name in delegations), None)
    if cut is not None:
        reason = f"zone {zone.domain} delegates {cut} away by an NS record; add {cut} to zones or remove the NS record"
        refuse("below-delegation", reason)


def _ancestors(hostname: str) -> Iterator[str]:
    """Yield the hostname, then each parent, up to its last label."""
    yield hostname
    start = hostname.find(".")
    while start != -1:
        yield hostname[start + 1 :]
        start = hostname.find(".", start + 1)


def _none(index: ZoneIndex) -> str:
    domains = sorted(index.by_domain)
    return f"no zone of the settings is a suffix of it ({first_of(domains, _DOMAINS_SHOWN) or 'there is none'})"


def _ambiguous(zones: list[Zone]) -> Refusal:
    first = zones[0]
    candidates = ", ".join(f"{zone_key(zone)} ({zone.provider})" for zone in zones)
    reason = f"{len(zones)} {first.visibility} zones are named {first.domain}: {candidates}; keep one of them in zones"
    return Refusal(rule="zone-ambiguous", reason=reason)


def _wrong_provider(zone: Zone, wanted: Provider) -> Refusal:
    reason = f"the longest matching zone, {zone.domain}, is of provider {zone.provider}, and one of {wanted} is needed"
    return Refusal(rule="zone-none", reason=reason)


def _wrong_visibility(domain: str, wanted: Visibility) -> Refusal:
    found = "private" if wanted == "public" else "public"
    reason = (
        f"the longest matching zone, {domain}, is {found}, and a {wanted} one is needed; a shorter zone is never used"
    )
    return Refusal(rule="zone-none", reason=reason)
