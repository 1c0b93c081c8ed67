"""Errors of zones that an external-dns serves: each needs a consumer, in a cluster that can be written to."""

from collections.abc import Iterator

from edge_dns.core.settings.checks.clusters import cluster_problem
from edge_dns.core.settings.messages import Location
from edge_dns.core.settings.settings import Settings


def consumer_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of each zone of provider external-dns without a usable consumer."""
    for index, zone in enumerate(settings.zones):
        if zone.provider != "external-dns":
            continue
        if zone.consumer is None:
            yield ("zones", index, "consumer"), "is required for provider external-dns, at least its version"
        elif problem := cluster_problem(zone.consumer, settings):
            yield ("zones", index, "consumer", "cluster"), problem
