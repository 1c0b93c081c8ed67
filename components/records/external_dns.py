"""DNSEndpoint objects for external-dns: one resource with the entries of many hostnames."""

from collections.abc import Mapping, Sequence

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from components.records.placement import Placement
from edge_dns.core.endpoint_entries import GROUP, KIND, VERSION
from edge_dns.core.endpoint_objects import STACK_LABEL, PlannedObject


def declare(
    planned: PlannedObject, *, place: Placement, confirmed: pulumi.Output[Sequence[str]] | None
) -> pulumi.Output[None]:
    """Declare an object; `confirmed` are the hostnames that the hub confirms. Resolves when it is registered.

    A preview declares what is expected. In an update an object with nothing but unconfirmed hostnames waits for the
    hub, and one with others is declared at once, so that it is not taken for gone where its invite fails.
    """
    if pulumi.runtime.is_dry_run() or confirmed is None or not planned.conditional:
        endpoints = planned.endpoints(planned.expected)
        return _declare(planned, endpoints, place) if endpoints else pulumi.Output.from_input(None)
    if planned.entries:
        return _declare(planned, confirmed.apply(planned.endpoints), place)
    return confirmed.apply(
        lambda known: _declare(planned, endpoints, place) if (endpoints := planned.endpoints(known)) else None
    )


def _declare(
    planned: PlannedObject, endpoints: pulumi.Input[Sequence[object]], place: Placement
) -> pulumi.Output[None]:
    key = planned.key
    metadata: Mapping[str, object] = {
        "namespace": key.namespace,
        "name": key.name,
        "labels": dict(planned.labels),
        "annotations": {**planned.annotations, **_provider_options(planned)},
    }
    resource = CustomResource(
        key.id,
        api_version=f"{GROUP}/{VERSION}",
        kind=KIND,
        metadata=metadata,
        spec={"endpoints": endpoints},
        opts=place.options(key.id),
    )
    return resource.urn.apply(lambda _: None)


def _provider_options(planned: PlannedObject) -> Mapping[str, str]:
    """Return what the Kubernetes provider is told by annotations.

    One field manager for the stack: the provider would take another one for an object that is imported, which conflicts
    with the first. Nothing depends on the object, so that a delete need not wait for the garbage collector to look.
    """
    return {
        "pulumi.com/patchFieldManager": f"edge-dns-{planned.labels[STACK_LABEL]}",
        "pulumi.com/deletionPropagationPolicy": "background",
    }
