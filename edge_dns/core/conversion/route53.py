"""Route 53: an alias pair for a hostname under a suffix of AWS, a CNAME where preferred, A and AAAA for addresses."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from edge_dns.core.conversion.common import (
    DEFAULT_TTL,
    ConversionOptions,
    Targets,
    address_rrsets,
    chosen_ttl,
    cname_rrset,
)
from edge_dns.core.rules import refuse
from edge_dns.core.settings import Zone
from edge_dns.core.values import Alias, RRset
from edge_dns.core.zones import zone_key

_GATEWAY_CNAME_TTL = 60
# API reference, ResourceRecordSet.TTL.
ALLOWED_TTL = range(2**31)
_CNAME_REMEDY = "set recordType: CNAME on the cluster to publish a CNAME instead"


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasZone:
    """A suffix of AWS host names with the hosted zone that aliases to them name.

    `dualstack`: names under it exist also with the prefix `dualstack.`, which answers AAAA too (application and classic
    load balancers). `private`: an alias is possible in a private zone. `health`: whether target health may be
    evaluated.
    """

    suffix: str
    zone_id: str
    dualstack: bool
    health: bool
    private: bool


@cache
def alias_zones() -> Mapping[str, AliasZone]:
    """Return the known alias zones by suffix, from the table alias_zones.csv beside this module."""
    text = files(__package__).joinpath("alias_zones.csv").read_text(encoding="utf-8")
    return {row["suffix"]: _alias_zone(row) for row in csv.DictReader(text.splitlines())}


def convert(hostname: str, targets: Targets, zone: Zone, options: ConversionOptions) -> tuple[RRset, ...]:
    """Return the RRsets; raises Refused with `ttl-range`, `cname-apex` or `alias-unknown`.

    An alias has no TTL (API reference, AliasTarget), so a TTL of the settings does not touch it.
    """
    ttl = chosen_ttl(zone, options, ALLOWED_TTL)
    if targets.hostname is None:
        return address_rrsets(hostname, targets.addresses, zone, ttl=DEFAULT_TTL if ttl is None else ttl)
    if not options.prefer_cname:
        return _alias_pair(hostname, _alias(targets.hostname, zone), zone)
    if hostname == zone.domain:
        refuse("cname-apex", _apex_reason(hostname, targets.hostname))
    default = DEFAULT_TTL if options.is_tunnel else _GATEWAY_CNAME_TTL
    return (cname_rrset(hostname, targets.hostname, zone, ttl=default if ttl is None else ttl),)


def find_alias_zone(target: str) -> AliasZone | None:
    """Return the alias zone of a target (normal form), matched on whole labels; the bare suffix is no load balancer."""
    labels = target.removeprefix("dualstack.").split(".")
    suffixes = (".".join(labels[start:]) for start in range(len(labels) - 2, 0, -1))
    return next((alias_zones()[suffix] for suffix in suffixes if suffix in alias_zones()), None)


def _alias_zone(row: Mapping[str, str]) -> AliasZone:
    return AliasZone(
        suffix=row["suffix"],
        zone_id=row["zone_id"],
        dualstack=row["dualstack"] == "yes",
        health=row["health"] == "yes",
        private=row["private"] == "yes",
    )


def _alias(target: str, zone: Zone) -> Alias:
    found = find_alias_zone(target)
    if found is None:
        suffix = target.partition(".")[2]
        refuse("alias-unknown", f"no Route 53 alias zone is known for {suffix} (target {target}); {_CNAME_REMEDY}")
    if zone.visibility == "private" and not found.private:
        reason = f"a private zone cannot hold an alias to {found.suffix} (target {target}); {_CNAME_REMEDY}"
        refuse("alias-unknown", reason)
    name = f"dualstack.{target.removeprefix('dualstack.')}" if found.dualstack else target
    return Alias(name=f"{name}.", zone_id=found.zone_id, evaluate_target_health=found.health)


def _alias_pair(hostname: str, alias: Alias, zone: Zone) -> tuple[RRset, ...]:
    key = zone_key(zone)
    return (
        RRset(zone_id=key, name=hostname, type="A", values=(), ttl=None, alias=alias),
        RRset(zone_id=key, name=hostname, type="AAAA", values=(), ttl=None, alias=alias),
    )


def _apex_reason(hostname: str, target: str) -> str:
    remedy = (
        "leave out the CNAME preference: this target can be an alias"
        if find_alias_zone(target)
        else "use addresses or a target that can be an alias, or publish a name below the apex"
    )
    return f"Route 53 allows no CNAME at the zone apex {hostname} (target {target}); {remedy}"
