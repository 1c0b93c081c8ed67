"""Rules about records that stand together. They run on the whole program, each in one pass over it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pulumi_policy.proxy import UnknownValueError

from edge_dns.core.conversion.checks import cname_loops, excluded_beside_cname
from edge_dns.core.exposure import exposure_of
from edge_dns.core.markers import marker_name
from edge_dns.core.rules import Refused
from edge_dns.core.values import RECORD_TYPES
from policy.declared import DeclaredObject, DeclaredRecord
from policy.rule import Finding, Given, Program, stack_policy
from policy.settings import covers

Key = tuple[str, ...]
Groups = Mapping[Key, Sequence[DeclaredRecord]]


def cname_coexistence(program: Program, _given: Given) -> Iterator[Finding]:
    """Find each CNAME beside another record of its name that the provider does not let stand there."""
    groups, unknown = _by_name(program.records)
    yield from unknown
    for group in groups.values():
        cnames = [record for record in group if record.type == "CNAME"]
        others = {record.type for record in group if record.type != "CNAME"}
        beside = excluded_beside_cname(others, group[0].provider)
        for cname in cnames if beside else ():
            text = (
                f"A CNAME cannot stand beside the {', '.join(sorted(beside))} record of its name.\nRemove one of them."
            )
            yield Finding(resource=cname, text=text)


def cname_loop(program: Program, _given: Given) -> Iterator[Finding]:
    """Find each CNAME in a circle, through all zones."""
    cnames: dict[str, DeclaredRecord] = {}
    targets: dict[str, str] = {}
    for record in program.records:
        try:
            if record.type == "CNAME" and (target := _first_target(record)):
                cnames[record.name], targets[record.name] = record, target
        except UnknownValueError as unknown:
            yield _unknown(record, unknown)
    for name, refusal in cname_loops(targets).items():
        yield Finding(resource=cnames[name], text=f"{refusal.reason}.\nBreak the circle.")


def duplicate_record(program: Program, _given: Given) -> Iterator[Finding]:
    """Find each record that is declared twice: the same RRset, at Cloudflare with the same value.

    Two CNAMEs of one name are the same record too, whatever their values.
    """
    groups, unknown = _by_name(program.records)
    yield from unknown
    for group in groups.values():
        alike: dict[Key, list[DeclaredRecord]] = defaultdict(list)
        for record in group if len(group) > 1 else ():
            alike[record.type, record.set_identifier or ""].append(record)
        for same in alike.values():
            yield from _repeated(same)


def host_claimed_twice(program: Program, _given: Given) -> Iterator[Finding]:
    """Find each hostname whose records stand under different parents, so that two sources want it.

    Under a routing policy of Route 53 that is how it is meant.
    """
    groups, unknown = _by_name(program.records)
    yield from unknown
    for group in groups.values():
        hosts = [record for record in group if record.type in RECORD_TYPES and record.set_identifier is None]
        if len({record.parent for record in hosts}) > 1:
            owners = sorted({_resource_name(record.parent) for record in hosts})
            text = f"Several sources declare it: {', '.join(owners)}.\nTake the hostname away from all but one."
            yield Finding(resource=hosts[0], text=text)


def exposure_internal(program: Program, given: Given) -> Iterator[Finding]:
    """Find each record of a public zone, and each public DNSEndpoint, with a name or target of an internal route."""
    internal: set[str] = set()
    for one in program.objects:
        try:
            if one.kind != "DNSEndpoint" and exposure_of(one.labels.get(given.settings.exposure_label)) == "internal":
                internal.update(one.hostnames)
        except UnknownValueError as unknown:
            yield _unknown(one, unknown)
    if internal:
        yield from _told_of(program, frozenset(internal), given)


def marker_missing_route53(program: Program, _given: Given) -> Iterator[Finding]:
    """Find each Route 53 record of an EndpointRecordSet without a TXT marker of this stack beside it."""
    groups, unknown = _by_name(record for record in program.records if record.provider == "route53")
    yield from unknown
    for (zone_id, name), group in groups.items():
        record = group[0]
        zone = record.zone
        left = all(one.is_released or one.untouched for one in group)
        if not record.in_record_set or left or (zone and zone.marker == "none"):
            continue
        try:
            if record.is_marker:
                continue
            marker = marker_name(name, zone.domain if zone else name.partition(".")[2])
            beside = groups.get((zone_id, marker), ())
            marked = any(record.belongs(value) for one in beside if one.type == "TXT" for value in one.values)
        except Refused:
            marked = False
        except UnknownValueError as unknown_value:
            yield _unknown(record, unknown_value)
            continue
        if not marked:
            text = "No TXT record _edge-dns.<name> of this stack marks it.\nDeclare it through an EndpointRecordSet."
            yield Finding(resource=record, text=text)


def target_dangling(program: Program, given: Given) -> Iterator[Finding]:
    """Find each CNAME or alias to a name in a listed zone that no record of the program has."""
    groups, _ = _by_name(program.records)
    names = frozenset(name for _, name in groups)
    for record in program.records:
        try:
            targets = record.targets
        except UnknownValueError:
            continue  # nothing can be said of it, and this rule is advice
        for target in targets:
            if given.settings.zones.longest(target) and not covers(names, target):
                text = (
                    f"The target {target} is in a zone of the pack's configuration; the program has no record there.\n"
                    "Point at something that exists, or withdraw the name."
                )
                yield Finding(resource=record, text=text)


def _by_name(records: Iterable[DeclaredRecord]) -> tuple[Groups, list[Finding]]:
    """Return the records by zone id and name, and a finding for each whose name or type is unknown."""
    groups: dict[Key, list[DeclaredRecord]] = defaultdict(list)
    findings: list[Finding] = []
    for record in records:
        try:
            key = record.zone_id, record.name
            # Read here, so that the rules meet neither of them unknown.
            _ = record.type, record.set_identifier
            groups[key].append(record)
        except UnknownValueError as unknown:
            findings.append(_unknown(record, unknown))
    return groups, findings


def _repeated(same: Sequence[DeclaredRecord]) -> Iterator[Finding]:
    """Find those of several records of one name and type that are one record for the provider."""
    seen: set[Key] = set()
    for record in same if len(same) > 1 else ():
        try:
            # Of a set there is one record, of a CNAME one value.
            key = () if record.provider == "route53" or record.type == "CNAME" else record.content
        except UnknownValueError as unknown:
            yield _unknown(record, unknown)
            continue
        if key in seen:
            yield Finding(resource=record, text=f"The {record.type} record is declared twice.\nDeclare it once.")
        seen.add(key)


def _told_of(program: Program, internal: frozenset[str], given: Given) -> Iterator[Finding]:
    advice = "Take the name away, or make the route public."
    for record in program.records:
        try:
            if record.is_public and covers(internal, record.name):
                text = f"A route of this program is internal and has this hostname.\n{advice}"
                yield Finding(resource=record, text=text)
            elif record.is_public and any(covers(internal, target) for target in record.known_targets):
                yield Finding(resource=record, text=f"Its target is the hostname of an internal route.\n{advice}")
        except UnknownValueError as unknown:
            yield _unknown(record, unknown)
    for one in program.objects:
        try:
            is_public = one.kind == "DNSEndpoint" and given.settings.public_endpoints.matches(dict(one.labels))
            named = [name for name in one.hostnames if is_public and covers(internal, name)]
        except UnknownValueError as unknown:
            yield _unknown(one, unknown)
            continue
        if named:
            yield Finding(resource=one, text=f"{', '.join(named)}: the hostname of an internal route.\n{advice}")


def _first_target(record: DeclaredRecord) -> str | None:
    return next(iter(record.known_targets), None)


def _unknown(resource: DeclaredRecord | DeclaredObject, unknown: UnknownValueError) -> Finding:
    return Finding(resource=resource, unknown=".".join(unknown.props))


def _resource_name(urn: str) -> str:
    return urn.rpartition("::")[2] or "the stack"


POLICIES = [
    stack_policy("cname-coexistence", cname_coexistence),
    stack_policy("cname-loop", cname_loop),
    stack_policy("duplicate-record", duplicate_record),
    stack_policy("host-claimed-twice", host_claimed_twice),
    stack_policy("exposure-internal", exposure_internal),
    stack_policy("marker-missing", marker_missing_route53, name="marker-missing-route53"),
    stack_policy("target-dangling", target_dangling),
]
