"""ServiceRoute: the HTTPRoute of one service."""

import pulumi

from edge_dns.core.resource_types import SERVICE_ROUTE
from edge_dns.core.services import PlannedRoute, manifest

_ANNOTATIONS = {"pulumi.com/deletionPropagationPolicy": "background"}
"""Nothing depends on a route, so that its deletion need not wait for the garbage collection of a controller."""


class ServiceRoute(pulumi.ComponentResource):
    """Declares the route in its cluster; a child of the stack itself, and the records of its hostnames depend on it.

    Named `<cluster>/<namespace>/<name>`. `owner` stands for this stack in markers.
    """

    route: pulumi.Resource

    def __init__(self, route: PlannedRoute, owner: str, *, provider: pulumi.ProviderResource) -> None:
        from pulumi_kubernetes.apiextensions import CustomResource  # noqa: PLC0415 - for stacks with services only

        super().__init__(SERVICE_ROUTE, route.id, {"exposure": route.exposure})
        wanted = manifest(route, owner, _ANNOTATIONS)
        self.route = CustomResource(
            route.id,
            api_version="gateway.networking.k8s.io/v1",
            kind="HTTPRoute",
            metadata=wanted.metadata,
            spec=wanted.spec,
            opts=pulumi.ResourceOptions(parent=self, provider=provider),
        )
        self.register_outputs({})
