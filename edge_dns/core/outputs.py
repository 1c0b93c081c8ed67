"""The stack outputs: maps with keys of their own, so that a diff shows exactly what changed, and nothing after it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress

from edge_dns.core.decision import Decision
from edge_dns.core.hub_view import HubView
from edge_dns.core.json_values import Json
from edge_dns.core.plan_json import exception_entry, radius_entry, reason, source_entry, zone_numbers
from edge_dns.core.publisher_notices import PublisherReport
from edge_dns.core.rules import Refused
from edge_dns.core.settings import Zone
from edge_dns.core.values import in_view
from edge_dns.core.zone_changes import ZoneChanges
from edge_dns.core.zones import ZoneIndex, choose_zone

NO_ZONE = "(no zone)"
"""The key of hostnames without a zone of the settings; no domain looks like it."""

WILL_FAIL = "(the update will end unsuccessful for this)"
"""What stands behind the message of a hostname in a preview, where an error would keep `up` from updating at all."""


def zones_output(decisions: Iterable[Decision], changes: Iterable[ZoneChanges], zones: ZoneIndex) -> Json:
    """Return for each zone, by domain, the number of hostnames by state and what happens to its records.

    A name that was refused before its zone was chosen counts in the one that would take it. A private zone has
    ` (private)` behind its domain. Records of a zone that left the settings stand by its domain
    and id. Names that are left to another stack count nowhere.
    """
    found = Counter((_zone_name(one, zones), one.state) for one in decisions if one.state != "elsewhere")
    hostnames: dict[str, dict[str, int]] = {}
    for (zone, state), number in sorted(found.items()):
        hostnames.setdefault(zone, {})[state] = number
    records = {_changed_zone(one): zone_numbers(one) for one in changes}
    return {
        zone: {"hostnames": hostnames.get(zone, {}), "records": records.get(zone)}
        for zone in sorted(hostnames.keys() | records.keys())
    }


def hostnames_output(decisions: Iterable[Decision], zones: ZoneIndex) -> Json:
    """Return every hostname that is held, withdrawn, refused or released; in private zones with ` (private)` behind.

    Not those that are left to another stack.
    """
    told = (one for one in decisions if one.refusal and one.state != "elsewhere")
    return {one.shown: _hostname(one, zones) for one in told}


def tunnels_output(towonel: Mapping[str, Json], cloudflare: Mapping[str, Json]) -> Json:
    """Return the tunnels of both kinds, which are given by `<namespace>/<name>`, by just that.

    A Cloudflare tunnel that has the name of a Towonel one has ` (cloudflare)` behind it.
    """
    return {**towonel, **{f"{key} (cloudflare)" if key in towonel else key: one for key, one in cloudflare.items()}}


def exceptions_output(decisions: Iterable[Decision]) -> Json:
    """Return by hostname the exceptions of the settings that it needed; see `hostnames_output`."""
    return {one.shown: list(map(exception_entry, one.excepted)) for one in decisions if one.excepted}


def intent_output(hostnames: Iterable[str], target: str | None) -> Mapping[str, str | None]:
    """Return what the hostnames of a tunnel are to point at."""
    return dict.fromkeys(sorted(hostnames), target)


def endpoints_output(hub: HubView | None, invite_id: str | None) -> Json:
    """Return by region what role it has for an invite and the addresses of its connected edges.

    Empty for an invite that this run makes: the hub tells them of an invite that is there.
    """
    regions = hub.region_endpoints.get(invite_id or "", ()) if hub else ()
    return {one.region: {"role": one.role, "addresses": list(one.addresses)} for one in regions}


def publishers_output(report: PublisherReport) -> Json:
    """Return the numbers of the register: its entries, those that nothing needs any more, and who is not in it."""
    return {"registered": report.registered, "idle": report.idle, "unlisted": report.unlisted}


def _hostname(one: Decision, zones: ZoneIndex) -> Json:
    zone = _zone_of(one, zones)
    entry: Json = {
        "state": one.state,
        "rule": one.refusal.rule if one.refusal else None,
        "reason": reason(one),
        "source": source_entry(one.source),
        "zone": zone.domain if zone else None,
        "targets": [target.value for target in one.targets],
    }
    return {**entry, "blastRadius": radius_entry(one.blast_radius)} if one.blast_radius else entry


def _zone_of(decision: Decision, zones: ZoneIndex) -> Zone | None:
    if decision.zone is None:
        with suppress(Refused):
            return choose_zone(decision.hostname, zones, decision.visibility)
    return decision.zone


def _zone_name(decision: Decision, zones: ZoneIndex) -> str:
    zone = _zone_of(decision, zones)
    return in_view(zone.domain, zone.visibility) if zone else NO_ZONE


def _changed_zone(changes: ZoneChanges) -> str:
    zone = changes.zone
    if zone:
        return in_view(zone.domain, zone.visibility)
    return (
        f"{changes.domain} ({changes.key}, left the settings)"
        if changes.domain
        else f"{changes.key} (left the settings)"
    )
