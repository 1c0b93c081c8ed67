"""Checks on converted records: what may stand in a public zone, and what may stand together."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from edge_dns.core.addresses import classify, internal_name, parse_address
from edge_dns.core.rules import Refusal, refuse
from edge_dns.core.service_names import InternalNames
from edge_dns.core.settings import Zone
from edge_dns.core.values import Provider, RRset
from edge_dns.core.zones import ZoneIndex

# Cloudflare flattens a CNAME, so that other types may stand beside it, but not these.
_EXCLUDED_BY_CLOUDFLARE = frozenset({"A", "AAAA", "NS"})
_NO_NAMES = InternalNames()


def check_public(
    rrsets: Iterable[RRset],
    zone: Zone,
    zones: ZoneIndex,
    waived: Collection[str] = (),
    internal: InternalNames = _NO_NAMES,
) -> tuple[Refusal, ...]:
    """Return the warnings on records for a zone (`documentation-address`); nothing is checked in a private one.

    Raises Refused with `private-address-public-zone`, or with `internal-name-public-zone` for a target that never
    resolves publicly or is one of the `internal` hostnames, and for a name or target that lies in a zone of the
    settings that is only private. The rules in `waived` are not asked.
    """
    if zone.visibility == "private":
        return ()
    warnings: dict[Refusal, None] = {}
    for rrset in rrsets:
        has_target = rrset.alias is not None or rrset.type == "CNAME"
        if "internal-name-public-zone" not in waived:
            _check_inside(rrset.name, zone, zones)
            if has_target:
                target = rrset.alias.name.removesuffix(".") if rrset.alias else rrset.values[0]
                _check_target(target, zone, zones, internal)
        if not has_target:
            warnings |= dict.fromkeys(_check_addresses(rrset, zone, waived))
    return tuple(warnings)


def _check_addresses(rrset: RRset, zone: Zone, waived: Collection[str]) -> Iterator[Refusal]:
    for value in rrset.values:
        found = classify(parse_address(value))
        if found.scope == "private" and "private-address-public-zone" not in waived:
            refuse(
                "private-address-public-zone",
                f"{value} is not globally routable ({found.reason}) and zone {zone.domain} is public",
            )
        if found.scope == "documentation":
            yield Refusal(rule="documentation-address", reason=f"{value} is for {found.reason}")


def _check_target(target: str, zone: Zone, zones: ZoneIndex, internal: InternalNames) -> None:
    if reason := why.reason if (why := internal.why(target)) else internal_name(target):
        refuse("internal-name-public-zone", f"{target} is internal ({reason}) and zone {zone.domain} is public")
    _check_inside(target, zone, zones)


def _check_inside(name: str, zone: Zone, zones: ZoneIndex) -> None:
    if zones.only_private(name):
        reason = f"zone {zones.nearest(name)} of the settings is private"
        refuse("internal-name-public-zone", f"{name} is internal ({reason}) and zone {zone.domain} is public")


def check_beside(rrsets: Iterable[RRset], other_types: Collection[str], zone: Zone) -> None:
    """Raise Refused (`cname-coexistence`) when a CNAME of ours would stand beside other records of the name.

    `other_types` are the types of the records that the provider holds at the name and that are not ours (RFC 1034
    §3.6.2).
    """
    excluded = excluded_beside_cname(other_types, zone.provider)
    cname = next((rrset for rrset in rrsets if rrset.type == "CNAME"), None)
    if cname and excluded:
        types = ", ".join(sorted(excluded))
        refuse("cname-coexistence", f"a CNAME at {cname.name} cannot stand beside the {types} record that is there")


def excluded_beside_cname(types: Collection[str], provider: Provider) -> frozenset[str]:
    """Return those of the types that the provider does not let stand beside a CNAME of the same name."""
    return _EXCLUDED_BY_CLOUDFLARE.intersection(types) if provider == "cloudflare" else frozenset(types)


def check_together(rrsets: Iterable[RRset]) -> dict[tuple[str, str], Refusal]:
    """Check all wanted records against each other; return (zone key, name) → refusal of the names that clash.

    `duplicate-record` for a type declared twice, `cname-coexistence` for a CNAME beside another type, `cname-loop` for
    CNAMEs that form a circle through any zones.
    """
    by_name: dict[tuple[str, str], list[RRset]] = {}
    for rrset in rrsets:
        by_name.setdefault((rrset.zone_id, rrset.name), []).append(rrset)
    refusals = {key: refusal for key, group in by_name.items() if (refusal := _clash(group))}
    loops = cname_loops({key[1]: group[0].values[0] for key, group in by_name.items() if group[0].type == "CNAME"})
    return refusals | {key: loops[key[1]] for key in by_name if key[1] in loops and key not in refusals}


def _clash(group: list[RRset]) -> Refusal | None:
    types = sorted(rrset.type for rrset in group)
    name = group[0].name
    if len(types) > len(set(types)):
        return Refusal(rule="duplicate-record", reason=f"{name} has two records of one type: {', '.join(types)}")
    if "CNAME" in types and len(types) > 1:
        return Refusal(rule="cname-coexistence", reason=f"{name} has a CNAME beside other records: {', '.join(types)}")
    return None


def cname_loops(targets: Mapping[str, str]) -> dict[str, Refusal]:
    """Return the refusal (`cname-loop`) of each name in a circle, from the target of each name that is a CNAME."""
    found: dict[str, Refusal] = {}
    seen: set[str] = set()
    for start in sorted(targets):
        path: dict[str, None] = {}
        name = start
        while name in targets and name not in seen:
            seen.add(name)
            path[name] = None
            name = targets[name]
        if name in path:
            names = list(path)
            circle = names[names.index(name) :]
            reason = f"CNAMEs in a circle: {' → '.join([*circle, name])}"
            found |= dict.fromkeys(circle, Refusal(rule="cname-loop", reason=reason))
    return found
