"""The settings of one stack as frozen, strict models: what may be written under ``edge-dns:`` and what it means.

In YAML the keys are camelCase; in Python the same names are snake_case.
"""

from functools import partial
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from edge_dns.core.settings.base import Many, Setting, each_once
from edge_dns.core.settings.cluster import Cluster
from edge_dns.core.settings.fields import Day, EdgeTargets, Hostname, RuleId, Text, Url
from edge_dns.core.settings.lists import Adoption, Elsewhere, Release, spelt_out
from edge_dns.core.settings.publishers import Exposure
from edge_dns.core.settings.safety import Safety
from edge_dns.core.settings.secret import Secret
from edge_dns.core.settings.service import Service
from edge_dns.core.settings.tunnel import Tunnel
from edge_dns.core.settings.zone import Zone


class Hub(Setting):
    """The Towonel hub that issues the invites."""

    url: Url = Field(description="Base URL of the hub's API; one trailing slash is cut.")
    api_key: Secret | None = Field(None, description="API key of the hub account. Secret.")


class RuleException(Setting):
    """An exception of a rule for one hostname, with an end."""

    rule: RuleId = Field(description="Id of the rule.")
    name: Hostname = Field(description="The hostname it holds for.")
    reason: Text = Field(description="Why.")
    expires: Day = Field(description="Last day, as 2027-03-31.")


class Settings(Setting):
    """Everything that is written under ``edge-dns:`` in a stack's config."""

    hub: Hub | None = Field(None, description="The Towonel hub; needed for tunnels of kind towonel.")
    edge_targets: EdgeTargets = Field(
        {}, description="Edge target (FQDN) by region of the hub; letter case of the region is folded."
    )
    zones: Annotated[
        Many[Zone],
        each_once(lambda zone: (zone.domain, zone.provider, zone.zone_id, zone.visibility), "zone"),
        each_once(lambda zone: zone.zone_id, "zone id"),
    ] = Field((), description="Zones that records are written to.")
    elsewhere: Annotated[
        Many[
            Annotated[Elsewhere, BeforeValidator(partial(spelt_out, "domain"), json_schema_input_type=Elsewhere | str)]
        ],
        each_once(lambda one: (one.domain, one.visibility), "domain"),
    ] = Field(
        (),
        description="Domains whose names another stack publishes, each entry a domain or a mapping: routes and "
        "Gateways may name them, and nothing is done about it here.",
    )
    clusters: Annotated[Many[Cluster], each_once(lambda cluster: cluster.name, "cluster name")] = Field(
        (), description="Clusters whose Gateways and HTTPRoutes are published."
    )
    tunnels: Annotated[
        Many[Tunnel], each_once(lambda tunnel: (tunnel.kind, tunnel.namespace, tunnel.name), "tunnel")
    ] = Field((), description="Tunnels with their hostnames.")
    services: Annotated[
        Many[Service],
        each_once(lambda service: (service.cluster, service.namespace, service.name), "service"),
    ] = Field((), description="Services of this stack, and who may see their hostnames.")
    exposure: Exposure = Field(Exposure(), description="The exposure guard.")
    safety: Safety = Field(Safety(), description="The guard against mass changes.")
    adopt: Annotated[
        Many[
            Annotated[Adoption, BeforeValidator(partial(spelt_out, "hostname"), json_schema_input_type=Adoption | str)]
        ],
        each_once(lambda one: (one.hostname, one.type, one.zone), "entry"),
    ] = Field((), description="Existing records to take over, each entry a hostname or a mapping.")
    release: Annotated[
        Many[Annotated[Release, BeforeValidator(partial(spelt_out, "hostname"), json_schema_input_type=Release | str)]],
        each_once(lambda one: (one.hostname, one.zone), "entry"),
    ] = Field((), description="Names to forget without deleting their records, each entry a hostname or a mapping.")
    exceptions: Annotated[Many[RuleException], each_once(lambda one: (one.rule, one.name), "rule of a hostname")] = (
        Field((), description="Exceptions of rules, each for one hostname.")
    )
    on_refused: Literal["fail", "warn"] = Field(
        "fail", description="fail: the run ends unsuccessful when a name is refused under a rule of level error."
    )
