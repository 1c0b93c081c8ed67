"""Gateways at the edge of the hub: what `clusters[].targets` must not say."""

from collections.abc import Iterator

from edge_dns.core.settings.edge_targets import edge_targets
from edge_dns.core.settings.messages import Location
from edge_dns.core.settings.settings import Settings


def gateway_target_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of entries of `clusters[].targets` that could have no effect."""
    known = edge_targets(settings)
    for index, cluster in enumerate(settings.clusters):
        for place, one in enumerate(cluster.targets):
            here: Location = ("clusters", index, "targets", place)
            if one.region not in known:
                regions = ", ".join(sorted(known)) or "none"
                yield (*here, "region"), f'is "{one.region}", expected a region of edgeTargets (known: {regions})'
            if not cluster.select.may_select(one.namespace, one.name):
                yield here, f"names Gateway {one.namespace}/{one.name}, which select of the cluster leaves out"
