"""TunnelAgent: an agent of a Towonel tunnel in a cluster."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import partial
from typing import cast

import pulumi

from components.kubernetes_object import KubernetesObject
from components.towonel import Invite, Port
from edge_dns.core.agent_objects import (
    Issued,
    config_hash,
    connectivity_objects,
    deployment,
    environment,
    replicas,
    service_account,
    token_secret,
)
from edge_dns.core.agents import PlannedAgent, PortKey
from edge_dns.core.kubernetes_fields import Object
from edge_dns.core.resource_types import TUNNEL_AGENT


class TunnelAgent(pulumi.ComponentResource):
    """Declares the objects of one agent; a child of the stack itself, so that an agent can move to another tunnel.

    Named `<cluster>/<namespace>/<name>`. The Deployment goes before the ports that it uses.
    """

    def __init__(
        self, planned: PlannedAgent, invite: Invite, ports: Mapping[PortKey, Port], *, provider: pulumi.ProviderResource
    ) -> None:
        super().__init__(TUNNEL_AGENT, planned.id, {"tunnel": planned.tunnel})
        self._planned = planned
        self._provider = provider
        token = invite.token.apply(lambda text: b64encode((text or "").encode()).decode())
        invite_id = invite.invite_id.apply(lambda text: text or "")
        needed = [
            self._declare(one)
            for one in (
                token_secret(planned, invite_id=invite_id, token=token),
                service_account(planned),
                *connectivity_objects(planned),
            )
        ]
        issued = _issued(invite, ports)
        self._declare(
            deployment(
                planned,
                replicas=issued.apply(partial(replicas, planned)),
                env=issued.apply(partial(environment, planned)),
                config=issued.apply(partial(config_hash, planned)),
            ),
            depends_on=[*needed, invite, *ports.values()],
        )
        self.register_outputs({})

    def _declare(self, manifest: Object, depends_on: Sequence[pulumi.Resource] = ()) -> KubernetesObject:
        metadata = manifest["metadata"]
        assert isinstance(metadata, Mapping)  # noqa: S101 - as all objects of agent_objects
        parts = (self._planned.cluster.name, metadata.get("namespace"), metadata["name"])
        opts = pulumi.ResourceOptions(parent=self, provider=self._provider, depends_on=list(depends_on))
        return KubernetesObject("/".join(part for part in parts if part), manifest, opts)


def _issued(invite: Invite, ports: Mapping[PortKey, Port]) -> pulumi.Output[Issued]:
    numbers = pulumi.Output.all(*(port.port for port in ports.values()))

    def issued(invite_id: str | None, numbers: Sequence[float]) -> Issued:
        found = {key: int(number) for key, number in zip(ports, numbers, strict=True) if number}
        return Issued(invite_id=invite_id, ports=found)

    found = pulumi.Output.all(invite.invite_id, numbers).apply(lambda values: issued(*values))
    # Without its resources: else the engine would delete the Deployment before it replaces the invite (it asks the
    # provider with the whole spec unknown), and nothing would serve until the new one is up.
    return pulumi.Output(set(), _value(found), found.is_known(), found.is_secret())


async def _value(found: pulumi.Output[Issued]) -> Issued:
    # Unknown values are no Issued, and are told by is_known.
    return cast("Issued", await found.future(with_unknowns=True))
