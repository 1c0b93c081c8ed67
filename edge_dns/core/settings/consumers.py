"""Errors of zones that an external-dns serves: each needs a consumer, in a cluster that can be written to."""

from collections.abc import Iterator

from edge_dns.core.settings.messages import Location
from edge_dns.core.settings.models import Consumer, Settings


def consumer_errors(settings: Settings) -> Iterator[tuple[Location, str]]:
    """Yield location and message of each zone of provider external-dns without a usable consumer."""
    for index, zone in enumerate(settings.zones):
        if zone.provider != "external-dns":
            continue
        if zone.consumer is None:
            yield ("zones", index, "consumer"), "is required for provider external-dns, at least its version"
        elif problem := _cluster_problem(zone.consumer, settings):
            yield ("zones", index, "consumer", "cluster"), problem


def consumer_cluster(consumer: Consumer, settings: Settings) -> str:
    """Return the name of the cluster that a consumer reads; "" where the settings leave that open."""
    if consumer.cluster is not None or len(settings.clusters) != 1:
        return consumer.cluster or ""
    return settings.clusters[0].name


def _cluster_problem(consumer: Consumer, settings: Settings) -> str | None:
    name = consumer_cluster(consumer, settings)
    known = ", ".join(cluster.name for cluster in settings.clusters) or "none"
    if not name:
        return f"is needed: which of the clusters does this external-dns read (there are: {known})"
    cluster = next((one for one in settings.clusters if one.name == name), None)
    if cluster is None:
        return f"a cluster of the settings (there are: {known})"
    return "a cluster that can be written to, not one of files" if cluster.files is not None else None
