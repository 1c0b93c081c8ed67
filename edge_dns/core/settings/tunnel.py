"""The settings of a tunnel, of Towonel or of Cloudflare; its agents at Towonel are in agent.py."""

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, model_validator

from edge_dns.core.settings.agent import Agent
from edge_dns.core.settings.base import Many, Setting, refuse
from edge_dns.core.settings.fields import (
    AccountId,
    Annotations,
    Hostname,
    Image,
    IngressName,
    Labels,
    Namespace,
    ObjectName,
    Origin,
    ProviderSpecific,
    Region,
    Target,
    Text,
    Ttl,
    TunnelId,
    TunnelName,
)
from edge_dns.core.values import Visibility


class TunnelDns(Setting):
    """What becomes of the hostnames of a tunnel in DNS."""

    mode: Literal["Disabled", "Zone", "DNSEndpoint"] = Field(
        "Disabled", description="Disabled: no records. Zone: in the zones of the settings. DNSEndpoint: one object."
    )
    cname_target: Target | None = Field(None, description="Target of the records, instead of the region's edge target.")
    include_wildcards: bool = Field(False, description="Whether wildcard hostnames of the tunnel get records.")
    ttl: Ttl | None = Field(None, description="TTL of the records in seconds, instead of the zone's.")
    namespace: Namespace | None = Field(
        None, description="DNSEndpoint only: namespace of the object; omitted: the tunnel's."
    )
    labels: Labels = Field({}, description="DNSEndpoint only: labels of the object, beside those of the consumer.")
    annotations: Annotations = Field(
        {}, description="DNSEndpoint only: annotations of the object, beside those of the consumer."
    )
    provider_specific: ProviderSpecific = Field(
        {}, description="DNSEndpoint only: properties of every entry, beside those of the consumer."
    )

    @model_validator(mode="after")
    def _fits_the_mode(self) -> Self:
        if self.mode != "DNSEndpoint":
            given = self.given("namespace", "labels", "annotations", "provider_specific")
            refuse(self, dict.fromkeys(given, "only for mode DNSEndpoint"))
        return self


class Cloudflared(Setting):
    """The Deployment of cloudflared that connects a Cloudflare tunnel; its token is in a Secret beside it."""

    cluster: Text | None = Field(None, description="Cluster of the settings; omitted: the only one.")
    namespace: Namespace | None = Field(None, description="Namespace of both; omitted: the tunnel's.")
    replicas: int = Field(2, ge=1, le=25, description="Number of pods; a tunnel takes at most 25.")
    image: Image = Field(description="Image of cloudflared, with a tag or digest.")


class CloudflareTunnel(Setting):
    """What a tunnel of kind cloudflare needs."""

    account_id: AccountId = Field(
        description="Cloudflare account of the tunnel. Only its own zones can hold the names."
    )
    origin: Origin | None = Field(
        None, description="Where the hostnames lead, as cloudflared reaches it: http://app.shop.svc:8080."
    )
    origins: Mapping[Hostname, Origin] = Field({}, description="The same for single hostnames, instead of `origin`.")
    catch_all: Origin = Field("http_status:404", description="What every other request is answered with.")
    adopt: TunnelId | None = Field(None, description="Id of an existing tunnel of the account to take over.")
    replace_ingress: Many[IngressName] = Field(
        (),
        description="Hostnames whose ingress rules were made by somebody else and may be overwritten; "
        "'*' is the catch-all.",
    )
    agent: Cloudflared | None = Field(
        None, description="Declares cloudflared in a cluster; omitted: it runs elsewhere."
    )


_FOR_TOWONEL = ("region", "failover_regions", "expires_in_secs", "generation", "deletion_policy", "agents")


class Tunnel(Setting):
    """A tunnel with the hostnames that it serves."""

    name: ObjectName = Field(description="Name of the tunnel.")
    namespace: Namespace = Field(description="Kubernetes namespace of the tunnel.")
    kind: Literal["towonel", "cloudflare"] = Field("towonel", description="Kind of tunnel.")
    aliases: Many[TunnelName] = Field(
        (), description="Former identities, each `<namespace>/<name>`: a renamed tunnel keeps its invite and records."
    )
    region: Region | None = Field(
        None,
        description="Towonel only: region of the invite, case is folded; omitted: the hub's default. Another one makes "
        "a new invite.",
    )
    failover_regions: Many[Region] = Field(
        (), description="Towonel only: regions to fail over to, in order. Others make a new invite."
    )
    expires_in_secs: int = Field(
        0,
        ge=0,
        le=2_592_000,
        description="Towonel only: life of the invite in seconds, 0 = never ends. Another one makes a new invite.",
    )
    generation: int = Field(
        1, ge=1, description="Towonel only: another number makes a new invite, also where nothing else changes."
    )
    deletion_policy: Literal["Delete", "Retain"] = Field(
        "Delete", description="Towonel only: what becomes of the invite when the tunnel leaves the settings."
    )
    visibility: Visibility = Field("public", description="The visibility of the zones that its hostnames go to.")
    hostnames: Many[str] = Field(
        (),
        description=(
            "Hostnames as people write them. A bad one is refused on its own, not as a settings error. Without any the "
            "tunnel has no invite: one that it had is deleted, and its token with it."
        ),
    )
    dns: TunnelDns = Field(TunnelDns(), description="What becomes of the hostnames in DNS.")
    agents: Many[Agent] = Field(
        (), description="Towonel only: the agents that serve the tunnel, all of them the same hostnames and ports."
    )
    cloudflare: CloudflareTunnel | None = Field(None, description="For kind cloudflare, which needs it.")

    @model_validator(mode="after")
    def _fits_the_kind(self) -> Self:
        if self.kind == "towonel":
            refuse(self, dict.fromkeys(self.given("cloudflare"), "only for kind cloudflare"))
            return self
        problems = dict.fromkeys(self.given(*_FOR_TOWONEL), "only for kind towonel")
        if self.cloudflare is None:
            problems["cloudflare"] = "for kind cloudflare, a mapping with accountId"
        if self.dns.given("cname_target", "ttl"):
            problems["dns"] = (
                "no cnameTarget and no ttl for kind cloudflare: its records are proxied CNAMEs of the tunnel"
            )
        if self.dns.mode == "DNSEndpoint":
            problems["dns"] = "mode Zone or Disabled for kind cloudflare: only zones of its account can hold the names"
        refuse(self, problems)
        return self

    @property
    def cloudflared_name(self) -> str:
        """The name of the Deployment and the Secret of its cloudflared."""
        return f"cloudflared-{self.name}"
