"""What a person should know of publishers in a run: unlisted ones, entries that are needed no more, internal names."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from edge_dns.core.exposure import annotated_hostnames, hostnames_of_service, opts_out, taking_prefixes
from edge_dns.core.gateway_state import GatewayState, HTTPRoute, NotSupported, ObservedService
from edge_dns.core.names import as_shown
from edge_dns.core.notices import Notice
from edge_dns.core.publisher_register import in_any_cluster, is_listed, publisher_text
from edge_dns.core.publishers import Publishers
from edge_dns.core.selection import selects_gateway, selects_route
from edge_dns.core.service_names import InternalNames
from edge_dns.core.settings import Cluster, Settings
from edge_dns.core.zones import ZoneIndex

REGISTER_PATH = "edge-dns:exposure.register"
_READ = ("HTTPRoute ", "Service ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Publishing:
    """An object of a cluster, as a text, and the hostnames that it may publish, sorted; none: it publishes nothing."""

    publisher: str
    hostnames: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherReport:
    """Numbers of the register's entries in force, of those that nothing needs any more, and of unlisted publishers."""

    registered: int
    idle: int
    unlisted: int
    notices: tuple[Notice, ...]


def report_publishers(
    settings: Settings,
    states: Mapping[str, GatewayState],
    publishers: Publishers,
    told: Collection[str],
    zones: ZoneIndex,
) -> PublisherReport:
    """Return what is to be said of publishers. `told` are hostnames that are refused for their publisher already.

    Hostnames that `zones` leaves to another stack are its business.
    """
    found = [one for cluster in settings.clusters for one in _publishing(cluster, states[cluster.name], zones)]
    idle = [*_idle(found, publishers)]
    unlisted = [one for one in found if one.hostnames and publishers.refusal(one.publisher)]
    return PublisherReport(
        registered=len(publishers.register),
        idle=len(idle),
        unlisted=len(unlisted),
        notices=(*_unlisted_notices(unlisted, publishers, told), *_added(found, publishers, told), *idle),
    )


def internal_name_notices(states: Mapping[str, GatewayState], internal: InternalNames) -> tuple[Notice, ...]:
    """Return a warning for each object whose annotations ask an external-dns for an internal hostname.

    This stack publishes no hostname by annotation, so that nothing else would tell of it.
    """
    found: list[Notice] = []
    for cluster, state in sorted(states.items()):
        objects: tuple[HTTPRoute | NotSupported | ObservedService, ...]
        objects = (*state.routes, *state.not_supported, *state.services)
        for one in objects:
            reasons = {name: why.reason for name in _annotated(one.annotations) if (why := internal.why(name))}
            if reasons:
                asked = f"{one} in cluster {cluster} asks external-dns by annotation for {', '.join(reasons)}"
                message = f"{asked}: {next(iter(reasons.values()))}"
                found.append(Notice(rule="internal-name-public-zone", path="edge-dns:exposure", message=message))
    return tuple(found)


def _annotated(annotations: Mapping[str, str]) -> list[str]:
    """Return the hostnames that an external-dns takes from the annotations."""
    return sorted(set(map(as_shown, annotated_hostnames(annotations, taking_prefixes(annotations)))))


def _publishing(cluster: Cluster, state: GatewayState, zones: ZoneIndex) -> Iterator[Publishing]:
    def ours(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in names if zones.left_to_others(name, cluster.visibility) is None)

    selected = {one.key for one in state.gateways if selects_gateway(cluster, one)}
    for route in state.routes:
        concerns = selects_route(cluster, route) and _refers_to(route, selected)
        publisher = publisher_text("HTTPRoute", cluster.name, route.namespace, route.name)
        names = _names_of(route) if concerns and not opts_out(route.annotations) else ()
        yield Publishing(publisher=publisher, hostnames=ours(names))
    for service in state.services:
        publisher = publisher_text("Service", cluster.name, service.namespace, service.name)
        names = tuple(sorted(set(map(as_shown, hostnames_of_service(service.annotations)))))
        yield Publishing(publisher=publisher, hostnames=ours(names))


def _refers_to(route: HTTPRoute, gateways: Collection[tuple[str, str]]) -> bool:
    return any(ref.is_gateway and (ref.namespace, ref.name) in gateways for ref in route.parent_refs)


def _names_of(route: HTTPRoute) -> tuple[str, ...]:
    """Return all names: whatever its annotation gateway-hostname-source says, one of them is a way to publish.

    A route without any takes those of its listeners.
    """
    names = {as_shown(name) for name in (*route.hostnames, *annotated_hostnames(route.annotations))}
    return tuple(sorted(names)) or ("the hostnames of its listeners",)


def _unlisted_notices(
    unlisted: Collection[Publishing], publishers: Publishers, told: Collection[str]
) -> Iterator[Notice]:
    for one in unlisted:
        refusal = publishers.refusal(one.publisher)
        rest = [name for name in one.hostnames if name not in told]
        if refusal and rest:
            message = f"{refusal.reason}, and asks external-dns for {', '.join(rest)}"
            yield Notice(rule=refusal.rule, path=REGISTER_PATH, message=message)


def _added(found: Iterable[Publishing], publishers: Publishers, told: Collection[str]) -> Iterator[Notice]:
    """Yield a warning for each entry that does not count as it stands, unless a refused hostname says so already."""
    refused = {one.publisher for one in found if _is_refused_by_name(one, publishers, told)}
    for entry in sorted(publishers.added - refused - set(map(in_any_cluster, refused))):
        before = [one for one in sorted(publishers.register) if in_any_cluster(one) == entry]
        counts = f"only {', '.join(before)} counts, as before" if before else "the entry does not count"
        message = (
            f"{entry} was not in exposure.register before, and the register may only shrink: {counts}. "
            "Declare the service instead"
        )
        yield Notice(rule="register-grew", path=REGISTER_PATH, message=message)


def _is_refused_by_name(one: Publishing, publishers: Publishers, told: Collection[str]) -> bool:
    is_route = one.publisher.startswith("HTTPRoute ")
    return is_route and publishers.refusal(one.publisher) is not None and any(name in told for name in one.hostnames)


def _idle(found: Collection[Publishing], publishers: Publishers) -> Iterator[Notice]:
    objects: dict[str, list[Publishing]] = defaultdict(list)
    for one in found:
        objects[one.publisher].append(one)
        objects[in_any_cluster(one.publisher)].append(one)
    for entry in sorted(publishers.register):
        if entry.startswith(_READ) and (why := _why_idle(objects.get(entry, ()), publishers)):
            yield Notice(rule=None, path=REGISTER_PATH, message=f"{entry} {why}: take it out of exposure.register")


def _why_idle(objects: Collection[Publishing], publishers: Publishers) -> str | None:
    if not objects:
        return "is in no cluster any more"
    if all(is_listed(one.publisher, publishers.own) for one in objects):
        return "is a service of this stack now"
    return None if any(one.hostnames for one in objects) else "publishes nothing any more"
