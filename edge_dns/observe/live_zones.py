"""Reads live zones through the lookups of the provider plugins, all zones side by side. Read-only; a doubt raises."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from edge_dns.core.errors import ObservationFailed
from edge_dns.core.live import Answer, LiveZone, cloudflare_record, route53_record
from edge_dns.core.names import NameSyntax, normalise_domain
from edge_dns.core.settings import Zone
from edge_dns.core.zones import zone_key
from edge_dns.observe.side_by_side import side_by_side
from edge_dns.observe.telling import Passing, Tell

GET_DNS_RECORDS = "cloudflare:index/getDnsRecords:getDnsRecords"
GET_ZONE = "cloudflare:index/getZone:getZone"
GET_RECORDS = "aws:route53/getRecords:getRecords"
GET_HOSTED_ZONE = "aws:route53/getZone:getZone"

FIRST_ITEMS = 1000
"""What a first lookup at Cloudflare asks for: it says at once whether the credentials work, and most zones fit in."""
ALL_ITEMS = 1_000_000
"""More records than Cloudflare takes in a zone. The lookup drops what exceeds its limit without a word."""
FIRST_SECONDS = 25.0
ALL_SECONDS = 300.0
ROUTE53_SECONDS = 60.0
"""A hosted zone holds 10,000 records by default, read in pages of 300, of which an account gets five per second."""

_REMEDY = {
    "cloudflare": "check the zone's zoneId and the API token (cloudflare:apiToken, or the zone's credentials), "
    "which needs the permission to read and edit DNS",
    "route53": "check the zone's zoneId and the AWS credentials (aws:…, or the zone's credentials), which need "
    "route53:ListResourceRecordSets",
}
_MAX_REASON = 300

Lookup = Callable[[Zone, str, Mapping[str, str | int], float], Sequence[Answer]]
"""Runs the lookup of this token with these arguments as the provider of the zone, at most so many seconds.

Returns the records; raises LookupFailed.
"""


class LookupFailed(Exception):  # noqa: N818 - named after what happened
    """A lookup gave no answer; the message is the provider's."""


def read_live_zones(zones: Iterable[Zone], *, lookup: Lookup, tell: Tell) -> dict[str, LiveZone]:
    """Return every zone of Cloudflare and Route 53 by its key, complete; `tell` gets progress lines.

    Raises ObservationFailed with one line for each zone that could not be read.
    """
    read = readable(zones)
    names = {zone_key(zone): _named(zone) for zone in read}
    return side_by_side(
        {zone_key(zone): partial(_read, zone, lookup) for zone in read},
        tell=tell,
        deadline=time.monotonic() + FIRST_SECONDS + ALL_SECONDS,
        late=lambda key: f"{names[key]} cannot be read: no answer",
    )


def readable(zones: Iterable[Zone]) -> list[Zone]:
    """Return the zones whose records can be read: those of Cloudflare and Route 53."""
    return [zone for zone in zones if zone.provider in _REMEDY]


def _read(zone: Zone, lookup: Lookup, tell: Tell) -> LiveZone:
    tell(f"reading {_named(zone)}")
    try:
        found = _cloudflare(zone, lookup, tell) if zone.provider == "cloudflare" else _route53(zone, lookup)
    except (LookupFailed, ValueError) as error:
        reason = _without_secrets(" ".join(str(error).split()), zone)[:_MAX_REASON]
        raise ObservationFailed(f"{_named(zone)} cannot be read: {reason}; {_REMEDY[zone.provider]}") from None
    number = sum(map(len, found.by_name.values()))
    tell(Passing(f"zone {zone.domain}: {number:,} records"))
    return found


def _named(zone: Zone) -> str:
    return f"zone {zone.domain} ({zone.provider} {zone.zone_id})"


def _cloudflare(zone: Zone, lookup: Lookup, tell: Tell) -> LiveZone:
    zone_id = zone_key(zone)
    about = lookup(zone, GET_ZONE, {"zoneId": zone_id}, FIRST_SECONDS)
    # The API takes names of any zone, and appends the zone's own domain to those of another one.
    _check_domain(zone, [one["name"] for one in about if "name" in one])
    found = lookup(zone, GET_DNS_RECORDS, {"zoneId": zone_id, "maxItems": FIRST_ITEMS}, FIRST_SECONDS)
    if len(found) >= FIRST_ITEMS:
        tell(Passing(f"reading {_named(zone)}: {len(found):,} records so far"))
        found = lookup(zone, GET_DNS_RECORDS, {"zoneId": zone_id, "maxItems": ALL_ITEMS}, ALL_SECONDS)
    if len(found) >= ALL_ITEMS:
        raise LookupFailed(f"it holds {ALL_ITEMS} records or more, which is too many")
    records = [cloudflare_record(zone_id, one) for one in found]
    return LiveZone.of(zone.domain, records, account=next(map(_account, about), ""))


def _account(about: Answer) -> str:
    account = about.get("account")
    return str(account.get("id") or "") if isinstance(account, Mapping) else ""


def _route53(zone: Zone, lookup: Lookup) -> LiveZone:
    zone_id = zone_key(zone)
    records = [route53_record(zone_id, one) for one in lookup(zone, GET_RECORDS, {"zoneId": zone_id}, ROUTE53_SECONDS)]
    apex = [one.name for one in records if one.type == "SOA"]
    if not apex:
        # Every hosted zone has one (Route 53 developer guide, "NS and SOA records that Route 53 creates").
        raise LookupFailed("the answer is not complete: it holds no SOA record")
    _check_domain(zone, apex)
    if zone.visibility == "private":
        _check_private(zone, lookup)
    return LiveZone.of(zone.domain, records)


def _check_private(zone: Zone, lookup: Lookup) -> None:
    """Raise LookupFailed unless the hosted zone is private: a public one of the same domain would tell everybody."""
    try:
        found = lookup(zone, GET_HOSTED_ZONE, {"zoneId": zone_key(zone)}, FIRST_SECONDS)
    except LookupFailed as error:
        needed = "for which route53:GetHostedZone and route53:ListTagsForResource are needed"
        raise LookupFailed(f"it cannot be told to be private, {needed}: {error}") from None
    if [one.get("privateZone") for one in found] != [True]:
        raise LookupFailed("its visibility is private, but zoneId is that of a public hosted zone")


def _check_domain(zone: Zone, names: Iterable[object]) -> None:
    """Raise LookupFailed unless the zone of this id is that of the settings' domain."""
    others = sorted({_domain(str(name)) for name in names} - {zone.domain})
    if others:
        raise LookupFailed(f"zoneId is that of {', '.join(others)}, not of {zone.domain}")


def _domain(text: str) -> str:
    """Return the domain in normal form; as it is written where it has none."""
    try:
        return normalise_domain(text)
    except NameSyntax:
        return text


def _without_secrets(text: str, zone: Zone) -> str:
    credentials = zone.credentials
    for secret in (credentials.api_token, credentials.access_key, credentials.secret_key) if credentials else ():
        if secret:
            text = text.replace(secret.reveal(), "[secret]")
    return text
