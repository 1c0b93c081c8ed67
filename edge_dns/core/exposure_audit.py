"""The audit of exposure: which objects external-dns would publish, and which of them should not be.

It looks at the objects alone: a route that no controller has accepted yet counts like any other.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from edge_dns.core.addresses import classify, internal_name, parse_address
from edge_dns.core.exposure import (
    EXPOSURE_LABEL,
    PREFIXES,
    Exposure,
    annotated_hostnames,
    annotation_problem,
    exposure_of,
    opts_out,
    taking_prefixes,
)
from edge_dns.core.names import NameSyntax, as_shown, covers, normalise_target
from edge_dns.core.publisher_register import lists
from edge_dns.core.publishers import register_texts
from edge_dns.core.publishing_objects import ROUTES, PublishingObject
from edge_dns.core.services import plan_services
from edge_dns.core.settings import Service, Settings
from edge_dns.core.zones import ZoneIndex

Listed = Literal["service", "register", "no"]
_OPT_OUT = frozenset({"HTTPRoute", "GRPCRoute", "TLSRoute"})
_SERVICE_KINDS = frozenset({"HTTPRoute", "Service"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One object: whether some external-dns takes it (`publishes`), and which hostnames it asks for then, sorted.

    A route without hostnames takes those of its listeners. `hidden`: its annotation keeps every external-dns from it.
    """

    object: PublishingObject
    publishes: bool
    hidden: bool
    hostnames: tuple[str, ...]
    listed: Listed

    @property
    def in_part(self) -> bool:
        """Whether it opts out for some external-dns only; this stack publishes nothing of it then."""
        return self.publishes and _reads_annotations(self.object) and opts_out(self.object.annotations)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is wrong with an object, under the id of a rule."""

    rule: str
    object: PublishingObject
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposureReport:
    """Everything, sorted by object. `idle` are entries of the register whose object was not there."""

    objects: tuple[Judged, ...]
    findings: tuple[Finding, ...]
    idle: tuple[str, ...]


def audit_exposure(objects: Iterable[PublishingObject], settings: Settings, prefixes: Sequence[str]) -> ExposureReport:
    """Return the report; `prefixes` are the annotation prefixes of the external-dns instances in use."""
    catalog = _Catalog(settings)
    ordered = sorted(objects, key=lambda one: (one.kind, one.namespace, one.name, one.cluster or "", one.where))
    judged = tuple(_judge(one, catalog, prefixes) for one in ordered if one.kind != "Gateway")
    gateways = [one for one in ordered if one.kind == "Gateway"]
    findings = [finding for one in judged for finding in _findings(one, catalog, prefixes)]
    findings += _opted_out_elsewhere(judged, catalog)
    findings += [finding for one in gateways for finding in _gateway_findings(one, judged, catalog, prefixes)]
    idle = [entry for entry in catalog.register if not any(_is_entry(entry, one.object) for one in judged)]
    return ExposureReport(objects=judged, findings=tuple(findings), idle=tuple(idle))


class _Catalog:
    """The settings as the audit looks at them."""

    def __init__(self, settings: Settings) -> None:
        plans = plan_services(settings)
        self.register = register_texts(settings)
        self.zones = ZoneIndex.of(settings.zones, settings.elsewhere)
        self._services = [(plan.source.cluster, plan.service) for plan in plans]
        self.internal: Mapping[str, str] = {
            hostname: str(plan) for plan in reversed(plans) if plan.why_internal for hostname in plan.hostnames
        }
        self._named = {hostname for plan in plans for hostname in plan.hostnames}

    def service_of(self, found: PublishingObject) -> Service | None:
        """Return the service that the object belongs to, by its name; in a file any cluster's."""
        if found.kind in _SERVICE_KINDS:
            for cluster, service in self._services:
                named = (service.namespace, service.name) == (found.namespace, found.name)
                if named and (found.cluster is None or cluster == found.cluster):
                    return service
        return None

    def listed(self, found: PublishingObject) -> Listed:
        """Say what lists the object."""
        if self.service_of(found):
            return "service"
        return "register" if any(_is_entry(entry, found) for entry in self.register) else "no"

    def is_public(self, hostname: str) -> bool:
        """Say whether the hostname goes to a public zone: to every one that is not known to be private."""
        return not self.zones.only_private(hostname)

    def is_elsewhere(self, hostname: str) -> bool:
        """Say whether another stack publishes the hostname, and this one publishes nothing in its domain."""
        return self.zones.nearest(hostname) is not None and not self.zones.longest(hostname)

    def why_internal(self, hostname: str) -> Iterator[tuple[str, str]]:
        """Yield internal hostnames that a record of this name answers for, or is below, each with its service."""
        for internal, service in self.internal.items():
            if covers(hostname, internal) or (hostname not in self._named and covers(internal, hostname)):
                yield internal, service


def _is_entry(entry: str, found: PublishingObject) -> bool:
    return lists(entry, found.kind, found.cluster, found.namespace, found.name)


def _judge(found: PublishingObject, catalog: _Catalog, prefixes: Sequence[str]) -> Judged:
    reads = taking_prefixes(found.annotations, prefixes)
    taken = bool(reads) or not _reads_annotations(found)
    attached = bool(found.gateways) or found.kind not in ROUTES
    asked = annotated_hostnames(found.annotations, reads) if _reads_annotations(found) else ()
    names = {*found.hostnames, *map(as_shown, asked)} if taken and attached else set()
    return Judged(
        object=found,
        publishes=bool(names) or (taken and bool(found.gateways)),
        hidden=not taken,
        hostnames=tuple(sorted(names)),
        listed=catalog.listed(found),
    )


def _reads_annotations(found: PublishingObject) -> bool:
    """Say whether external-dns reads annotations of the object: its source of DNSEndpoints reads none at all."""
    return found.kind != "DNSEndpoint"


def _findings(one: Judged, catalog: _Catalog, prefixes: Sequence[str]) -> Iterator[Finding]:
    found, service = one.object, catalog.service_of(one.object)
    if problem := _annotation_problem(one, service, prefixes):
        yield Finding(rule="internal-route-annotation", object=found, message=problem)
    if not one.publishes:
        return
    ours = [name for name in one.hostnames if not catalog.is_elsewhere(name)]
    is_ours = bool(ours) or not one.hostnames
    if one.listed == "no" and is_ours and not (_reads_annotations(found) and opts_out(found.annotations)):
        asked = ", ".join(ours) or "the hostnames of its listeners"
        message = f"it asks for {asked}, and is neither a service of the settings nor in exposure.register"
        yield Finding(rule="unlisted-publisher", object=found, message=message)
    if service is None or service.exposure == "public":
        yield from _internal_names(one, catalog)
    if any(map(catalog.is_public, one.hostnames)):
        yield from _target_findings(found, _target_values(found, prefixes), catalog)


def _annotation_problem(one: Judged, service: Service | None, prefixes: Sequence[str]) -> str | None:
    """Return what is wrong with the controller annotation: by the service, by the label, or for one that is there."""
    found = one.object
    if not _reads_annotations(found):
        return None
    exposure = _exposure(found, service)
    if exposure is None or (found.kind == "Service" and not annotated_hostnames(found.annotations)):
        return None
    decided = service is not None or EXPOSURE_LABEL in found.labels
    why_internal = "it is internal" if decided else "it opts out in part"
    return annotation_problem(exposure, found.annotations, prefixes, why_internal)


def _exposure(found: PublishingObject, service: Service | None) -> Exposure | None:
    if service:
        return service.exposure
    if EXPOSURE_LABEL in found.labels:
        return exposure_of(found.labels[EXPOSURE_LABEL])
    return "internal" if any(f"{prefix}controller" in found.annotations for prefix in PREFIXES) else None


def _internal_names(one: Judged, catalog: _Catalog) -> Iterator[Finding]:
    for hostname in one.hostnames:
        for internal, service in catalog.why_internal(hostname):
            if not catalog.is_public(internal):
                continue
            how = "is below" if covers(internal, hostname) else "answers for"
            asked = internal if hostname == internal else f"{hostname}, which {how} {internal}"
            message = f"it asks for {asked}; {service} is internal"
            yield Finding(rule="internal-name-public-zone", object=one.object, message=message)


def _opted_out_elsewhere(judged: Sequence[Judged], catalog: _Catalog) -> Iterator[Finding]:
    """Hostnames that one object opts out of and another one publishes: no public zone holds them for either."""
    opted_out = {
        hostname: one.object
        for one in reversed(judged)
        if one.object.kind in _OPT_OUT and opts_out(one.object.annotations)
        for hostname in one.object.hostnames
    }
    for one in judged:
        if one.publishes and not one.in_part:
            for hostname in filter(catalog.is_public, one.hostnames):
                if by := opted_out.get(hostname):
                    message = f"it asks for {hostname}; {by} opts out of it"
                    yield Finding(rule="internal-name-public-zone", object=one.object, message=message)


def _gateway_findings(
    gateway: PublishingObject, judged: Sequence[Judged], catalog: _Catalog, prefixes: Sequence[str]
) -> Iterator[Finding]:
    """The targets of a Gateway matter where a route publishes names that point there."""
    key = (gateway.namespace, gateway.name)
    routes = [
        one for one in judged if one.publishes and key in one.object.gateways and one.object.cluster == gateway.cluster
    ]
    if any(not one.hostnames or any(map(catalog.is_public, one.hostnames)) for one in routes):
        yield from _target_findings(gateway, _target_values(gateway, prefixes), catalog)


def _target_values(found: PublishingObject, prefixes: Sequence[str]) -> tuple[str, ...]:
    """Return the targets of a DNSEndpoint, or those of the annotation; of a route that is not read."""
    if found.kind in ROUTES or not _reads_annotations(found):
        return found.targets
    texts = (found.annotations.get(f"{prefix}target", "") for prefix in taking_prefixes(found.annotations, prefixes))
    return tuple(dict.fromkeys(value.strip() for text in texts for value in text.split(",") if value.strip()))


def _target_findings(found: PublishingObject, targets: Iterable[str], catalog: _Catalog) -> Iterator[Finding]:
    for target in targets:
        try:
            where = classify(parse_address(target))
        except ValueError:
            yield from _name_findings(found, target, catalog)
            continue
        if where.scope == "private":
            message = f"its target {target} is not globally routable ({where.reason})"
            yield Finding(rule="private-address-public-zone", object=found, message=message)


def _name_findings(found: PublishingObject, target: str, catalog: _Catalog) -> Iterator[Finding]:
    try:
        name = normalise_target(target)
    except NameSyntax:
        return
    why = internal_name(name) or next((service for _, service in catalog.why_internal(name)), None)
    if why:
        message = f"its target {name} is internal ({why})"
        yield Finding(rule="internal-name-public-zone", object=found, message=message)
