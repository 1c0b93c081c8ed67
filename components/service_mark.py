"""The mark on a Service object: annotations of ours on an object that is not."""

import pulumi

from edge_dns.core.services import PlannedMark

_PULUMI = {
    # Pulumi would wait until the Service has endpoints, which is none of our business.
    "pulumi.com/skipAwait": "true",
    # Who claims an internal Service for external-dns does not keep it: a conflict would leave it published.
    "pulumi.com/patchForce": "true",
}


def declare_mark(mark: PlannedMark, *, provider: pulumi.ProviderResource) -> pulumi.Resource:
    """Declare the annotations alone; without it they go, and everything else of the Service stays as it is."""
    from pulumi_kubernetes.core.v1 import ServicePatch  # noqa: PLC0415 - a second of import, for stacks with marks only

    return ServicePatch(
        mark.id,
        metadata={
            "namespace": mark.namespace,
            "name": mark.name,
            "annotations": {**_PULUMI, **mark.annotations},
        },
        opts=pulumi.ResourceOptions(provider=provider),
    )
