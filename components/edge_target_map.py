"""EdgeTargetMap: region → edge target, as the stack uses it."""

from collections.abc import Mapping

import pulumi

from edge_dns.core.resource_types import EDGE_TARGET_MAP


class EdgeTargetMap(pulumi.ComponentResource):
    """The edge target (an FQDN without dot at the end) of each region (upper case); declares nothing itself."""

    targets: pulumi.Output[dict[str, str]]

    def __init__(self, name: str, *, targets: Mapping[str, str], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(EDGE_TARGET_MAP, name, {}, opts)
        self.targets = pulumi.Output.from_input(dict(sorted(targets.items())))
        self.register_outputs({"targets": self.targets})
