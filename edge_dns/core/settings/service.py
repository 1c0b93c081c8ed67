"""The settings of a service: its HTTPRoute, and who may see its hostnames."""

from typing import Literal

from pydantic import Field

from edge_dns.core.settings.base import Many, Setting
from edge_dns.core.settings.fields import NameServer, Namespace, ObjectName, Text


class GatewayRef(Setting):
    """The Gateway that a service is attached to."""

    name: ObjectName = Field(description="Name of the Gateway.")
    namespace: Namespace | None = Field(None, description="Namespace of the Gateway; omitted: the service's.")
    section_name: ObjectName | None = Field(
        None, description="Listener of the Gateway; omitted: all that admit the route."
    )


class Service(Setting):
    """A service of this stack; its HTTPRoute is declared from it."""

    name: ObjectName = Field(description="Name of the Service and of its HTTPRoute.")
    namespace: Namespace = Field(description="Namespace of both.")
    cluster: Text | None = Field(
        None, description="Cluster of the settings that the route is written to; omitted: the only one."
    )
    exposure: Literal["internal", "public"] = Field(
        "internal", description="Only a public service may be published in a public zone."
    )
    hostnames: Many[str] = Field(
        (),
        description="Hostnames of the route, at most 16, as people write them. A bad one is refused on its own.",
    )
    gateway: GatewayRef | None = Field(
        None, description="The Gateway of the route; omitted: no route is declared, and only exposure counts."
    )
    port: int = Field(80, ge=1, le=65535, description="Port of the Service that the route sends to.")
    private_zones: bool = Field(False, description="Whether names of an internal service go to private zones.")
    internal_resolver: NameServer | None = Field(
        None,
        description="Resolver that must answer the names before they are withdrawn from public zones, as `host` or "
        "`host:port`.",
    )
