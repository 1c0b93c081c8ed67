"""The settings of an agent: the Deployment that serves a Towonel tunnel, and what it serves."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from edge_dns.core.names import as_shown
from edge_dns.core.settings.base import Many, Setting, each_once, refuse
from edge_dns.core.settings.fields import (
    Address,
    AgentName,
    HostPort,
    Image,
    Label,
    Namespace,
    PreferredPort,
    Quantity,
    Text,
    Url,
    Version,
)

Port = Annotated[int, Field(ge=1, le=65535)]


class HttpsService(Setting):
    """A hostname that an agent serves; it is one of the tunnel's hostnames by that."""

    hostname: str = Field(description="The hostname as people write it. A bad one is refused on its own.")
    origin: HostPort = Field(description="Where the agent sends the traffic: host:port without scheme.")
    tls_mode: Literal["passthrough", "terminate"] = Field(
        "passthrough", description="passthrough: the origin ends TLS. terminate: the edge does, with its certificate."
    )
    proxy_protocol: Literal["none", "v2"] | None = Field(
        None, description="PROXY protocol to the origin; omitted: v2 for passthrough, none for terminate."
    )


class PortService(Setting):
    """A TCP or UDP service, on a port that the hub reserves; its name never becomes a hostname."""

    name: Label = Field(description="Name of the service, once per protocol.")
    origin: HostPort = Field(description="Where the agent sends the traffic: host:port without scheme.")
    preferred_port: PreferredPort | None = Field(
        None, description="Public port to ask for; omitted: any. Another number moves the service to another port."
    )


class NodePort(Setting):
    """The Service by which edges reach the agent directly, of type NodePort."""

    name: Label | None = Field(None, description="Name of the Service; omitted: the agent's with '-iroh' behind it.")
    port: Annotated[int, Field(ge=30000, le=32767)] | None = Field(
        None, description="Port of the nodes; omitted: any free one."
    )


class Connectivity(Setting):
    """The direct path between edge and agent, beside the relay."""

    iroh_port: Port | None = Field(None, description="UDP port that the agent listens on; omitted: any.")
    extra_local_addrs: Many[Address] = Field((), description="Further addresses at which edges can reach the agent.")
    node_port: NodePort | None = Field(None, description="A NodePort Service for irohPort.")
    autodiscover: bool = Field(
        False, description="The agent looks up its Service and nodes; it may then read Services and Nodes."
    )

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> Self:
        problems = {}
        if self.node_port and self.iroh_port is None:
            problems["node_port"] = "needs irohPort"
        if self.autodiscover and not self.node_port:
            problems["autodiscover"] = "needs nodePort"
        refuse(self, problems)
        return self


class Resources(Setting):
    """Resources of the agent's container."""

    requests: Mapping[Text, Quantity] = Field({}, description="Requests by resource; memory 128Mi unless given.")
    limits: Mapping[Text, Quantity] = Field({}, description="Limits by resource; memory 512Mi unless given.")


class Toleration(Setting):
    """A toleration of the agent's pods."""

    key: Text | None = Field(None, description="Key of the taint; omitted: every taint.")
    operator: Literal["Equal", "Exists"] | None = Field(None, description="Equal (the default) or Exists.")
    value: str | None = Field(None, description="Value of the taint.")
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = Field(
        None, description="Effect of the taint; omitted: every effect."
    )
    toleration_seconds: int | None = Field(None, description="How long NoExecute is tolerated; omitted: for ever.")


PortServices = Annotated[
    Many[PortService],
    each_once(lambda one: one.name, "name"),
    each_once(lambda one: one.preferred_port, "preferredPort"),
]


class Agent(Setting):
    """An agent of a tunnel: a Deployment in a cluster, with the tunnel's token."""

    name: AgentName = Field(description="Name of the Deployment and of what belongs to it.")
    namespace: Namespace | None = Field(None, description="Namespace of all of it; omitted: the tunnel's.")
    cluster: Text | None = Field(None, description="Cluster of the settings; omitted: the only one.")
    version: Version = Field(
        "1.7.1", description="Version of the agent, quoted. From 1.7.0 its pods are ready once an edge is connected."
    )
    image: Image | None = Field(
        None, description="Image with tag or digest; omitted: codeberg.org/towonel/towonel-agent of that version."
    )
    replicas: int = Field(1, ge=0, description="Number of pods.")
    services: Annotated[Many[HttpsService], each_once(lambda one: as_shown(one.hostname), "hostname")] = Field(
        (), description="The hostnames that the agent serves over HTTPS."
    )
    tcp: PortServices = Field((), description="The TCP services.")
    udp: PortServices = Field((), description="The UDP services.")
    relay_url: Url | None = Field(None, description="Relay to use instead of the default ones.")
    connectivity: Connectivity = Field(Connectivity(), description="The direct path between edge and agent.")
    wait: bool = Field(True, description="Whether a run waits until the Deployment is rolled out.")
    resources: Resources = Field(Resources(), description="Resources of the container.")
    node_selector: Mapping[Text, str] = Field({}, description="Labels of the nodes that the pods may run on.")
    tolerations: Many[Toleration] = Field((), description="Tolerations of the pods.")
    affinity: Mapping[str, object] | None = Field(None, description="Affinity of the pods, as in a PodSpec.")
    pod_security_context: Mapping[str, object] | None = Field(
        None, description="Security context of the pods, as in a PodSpec, in place of the whole default."
    )
    security_context: Mapping[str, object] | None = Field(
        None, description="Security context of the container, in place of the whole default."
    )
    disable_udp_gso: bool = Field(False, description="For nodes whose network card cannot do UDP segmentation.")
