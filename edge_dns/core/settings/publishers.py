"""The settings of who may publish: everybody, or the services of the stack and a register."""

from typing import Literal

from pydantic import Field

from edge_dns.core.settings.base import Many, Setting
from edge_dns.core.settings.fields import Namespace, ObjectName, Text


class Publisher(Setting):
    """An object that publishes names and is not of this stack."""

    kind: Literal["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute", "Service", "Ingress", "DNSEndpoint"] = (
        Field(
            "HTTPRoute",
            description="Kind of the object. The program reads HTTPRoutes and Services, "
            "`edge-dns audit exposure` the others too.",
        )
    )
    namespace: Namespace = Field(description="Namespace of the object.")
    name: ObjectName = Field(description="Name of the object.")
    cluster: Text | None = Field(None, description="Cluster of the settings; omitted: any.")


class Exposure(Setting):
    """Who may publish."""

    publishers: Literal["all", "listed"] = Field(
        "all", description="all: every admitted route. listed: services of this stack and the register only."
    )
    registered: Many[Publisher] = Field(
        (), alias="register", description="Publishers that are not decided yet; the list may only shrink."
    )
