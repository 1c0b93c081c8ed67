"""ServiceRoute: the HTTPRoute of one service."""

import pulumi

from edge_dns.core.resource_types import SERVICE_ROUTE
from edge_dns.core.services import PlannedRoute, manifest

_ANNOTATIONS = {
    # Nothing depends on a route, so that its deletion need not wait for the garbage collection of a controller.
    "pulumi.com/deletionPropagationPolicy": "background",
    # A name of its own for each state would conflict with that of a state which a crash has lost.
    "pulumi.com/patchFieldManager": "edge-dns",
    # The object is ours: what somebody edits in it by hand is written again.
    "pulumi.com/patchForce": "true",
}


class ServiceRoute(pulumi.ComponentResource):
    """Declares the route in its cluster; a child of the stack itself, and the records of its hostnames depend on it.

    Named `<cluster>/<namespace>/<name>`. `owner` stands for this stack in markers. `found`: it is there already and
    the state does not know it, so that it is imported.
    """

    route: pulumi.Resource

    def __init__(
        self, route: PlannedRoute, owner: str, *, provider: pulumi.ProviderResource, found: bool = False
    ) -> None:
        from pulumi_kubernetes.apiextensions import CustomResource  # noqa: PLC0415 - for stacks with services only

        super().__init__(SERVICE_ROUTE, route.id, {"exposure": route.exposure})
        wanted = manifest(route, owner, _ANNOTATIONS)
        self.route = CustomResource(
            route.id,
            api_version="gateway.networking.k8s.io/v1",
            kind="HTTPRoute",
            metadata=wanted.metadata,
            spec=wanted.spec,
            opts=pulumi.ResourceOptions(
                parent=self, provider=provider, import_=f"{route.namespace}/{route.name}" if found else None
            ),
        )
        self.register_outputs({})
