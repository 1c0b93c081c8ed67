"""The mark on a Service object: annotations of ours on an object that is not."""

import pulumi

from edge_dns.core.services import PlannedMark


def declare_mark(mark: PlannedMark, *, provider: pulumi.ProviderResource) -> pulumi.Resource:
    """Declare the annotations alone; without it they go, and everything else of the Service stays as it is."""
    from pulumi_kubernetes.core.v1 import ServicePatch  # noqa: PLC0415 - a second of import, for stacks with marks only

    return ServicePatch(
        mark.id,
        metadata={
            "namespace": mark.namespace,
            "name": mark.name,
            # Pulumi would wait until the Service has endpoints, which is none of our business.
            "annotations": {"pulumi.com/skipAwait": "true", **mark.annotations},
        },
        opts=pulumi.ResourceOptions(provider=provider),
    )
