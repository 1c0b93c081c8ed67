"""The DNSEndpoint objects of an endpoint record set, each through the provider of its cluster."""

from collections.abc import Callable, Mapping, Sequence

import pulumi

from components.endpoint_record_set import DeclareObjects
from components.providers import Providers
from components.records.placement import Placement
from components.towonel import Invite
from edge_dns.core.endpoint_objects import PlannedObject
from edge_dns.core.settings import Settings


def objects_of(
    objects: Sequence[PlannedObject],
    *,
    imports: Mapping[str, str],
    settings: Settings,
    providers: Providers,
    invite: Invite | None,
    needs: Callable[[str], Sequence[pulumi.Resource]],
) -> DeclareObjects:
    """Return what declares these objects; `imports` are import ids by Pulumi name.

    `invite` is that of their tunnel, `needs` gives what the records of a hostname must not outlive.
    """

    def declare(parent: pulumi.Resource) -> list[pulumi.Output[None]]:
        if not objects:
            return []
        from components.records import external_dns  # noqa: PLC0415 - seconds of import, for such stacks only

        clusters = {cluster.name: cluster for cluster in settings.clusters}
        return [
            external_dns.declare(
                one,
                place=Placement(
                    parent=parent,
                    provider=providers.of_cluster(clusters[one.key.cluster]),
                    depends_on=list(dict.fromkeys(need for name in one.hostnames for need in needs(name))),
                    imports=imports,
                ),
                confirmed=invite.confirmed if invite else None,
            )
            for one in objects
        ]

    return declare
