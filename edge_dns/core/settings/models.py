"""The settings of one stack as frozen, strict models: what may be written under ``edge-dns:`` and what it means.

In YAML the keys are camelCase; in Python the same names are snake_case.
"""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from edge_dns.core.exposure import PREFIXES
from edge_dns.core.names import NameSyntax, normalise_domain, normalise_hostname
from edge_dns.core.settings.agent import Agent
from edge_dns.core.settings.base import Many, Setting, each_once, refuse
from edge_dns.core.settings.fields import (
    AccountId,
    AnnotationPrefix,
    Day,
    Domain,
    EdgeTargets,
    Hostname,
    HostPort,
    Image,
    IngressName,
    LabelKey,
    LabelValue,
    NameServer,
    Namespace,
    ObjectName,
    Origin,
    Path,
    Property,
    RecordType,
    Regex,
    Region,
    RuleId,
    Share,
    Target,
    Text,
    Ttl,
    TunnelId,
    TunnelName,
    TxtPrefix,
    Url,
    Version,
    ZoneId,
    ZoneRef,
)
from edge_dns.core.settings.secret import Secret
from edge_dns.core.settings.selectors import SelectorSetting

Visibility = Literal["public", "private"]


class Hub(Setting):
    """The Towonel hub that issues the invites."""

    url: Url = Field(description="Base URL of the hub's API; one trailing slash is cut.")
    api_key: Secret | None = Field(None, description="API key of the hub account. Secret.")


class Namespaces(Setting):
    """Namespaces by name or by label."""

    names: Many[Namespace] = Field((), description="Names of namespaces.")
    selector: SelectorSetting | None = Field(
        None, description="Selector on the namespace's labels, as text or object; an empty one matches none."
    )

    def admit(self, name: str, labels: Mapping[str, str]) -> bool:
        """Say whether a namespace of this name and these labels is meant."""
        by_label = self.selector is not None and not self.selector.is_empty and self.selector.matches(labels)
        return name in self.names or by_label


class AllowedRecordSet(Setting):
    """Who may publish what in a zone."""

    namespaces: Namespaces = Field(
        description="The namespaces that may publish: the HTTPRoute's or, by name only, the tunnel's."
    )
    names: Many[Regex] = Field(
        description="Regular expressions on the whole relative name; '@' is the apex, '*' stands for itself. "
        "RE2 (https://github.com/google/re2/wiki/Syntax), as in Go: no look-around, no back-references."
    )
    types: Many[RecordType] = Field(description="Record types; a Route 53 alias counts as its A or AAAA.")


Labels = Mapping[LabelKey, LabelValue]
Annotations = Mapping[LabelKey, str]
ProviderSpecific = Mapping[Property, Text]


class Consumer(Setting):
    """The external-dns instance that serves a zone from DNSEndpoint objects."""

    version: Version = Field(description="Its version, quoted: '0.21'. It decides what the instance understands.")
    prefix: AnnotationPrefix | None = Field(
        None, description="Its --annotation-prefix, when it is not the default of the version."
    )
    managed_types: Many[RecordType] = Field(("A", "AAAA", "CNAME"), description="Its --managed-record-types.")
    cluster: Text | None = Field(
        None,
        description="Cluster of the settings that it reads, and that objects are written to; omitted: the only one.",
    )
    namespace: Namespace = Field("external-dns", description="Namespace that objects are written to.")
    labels: Labels = Field({}, description="Labels of the objects, for its --label-filter.")
    annotations: Annotations = Field({}, description="Annotations of the objects, for its --annotation-filter.")
    provider_specific: ProviderSpecific = Field(
        {}, description="Properties of every entry, such as cloudflare-proxied: 'false'; without the annotation prefix."
    )
    txt_prefix: TxtPrefix | None = Field(None, description="Its --txt-prefix.")
    txt_wildcard_replacement: Text | None = Field(None, description="Its --txt-wildcard-replacement.")

    @property
    def annotation_prefix(self) -> str:
        """The prefix of its annotations and properties: since 0.22 the default is another one."""
        major, minor = map(int, self.version.split(".")[:2])
        return self.prefix or PREFIXES[(major, minor) >= (0, 22)]


class Credentials(Setting):
    """Provider configuration of one zone, where several accounts are in use."""

    api_token: Secret | None = Field(None, description="Cloudflare: API token with DNS edit rights. Secret.")
    access_key: Secret | None = Field(None, description="Route 53: access key id. Secret.")
    secret_key: Secret | None = Field(None, description="Route 53: secret access key. Secret.")
    profile: Text | None = Field(None, description="Route 53: profile of the AWS configuration files.")
    region: Text | None = Field(None, description="Route 53: AWS region of the API calls.")
    role_arn: Text | None = Field(None, description="Route 53: role to assume.")


_CREDENTIALS_OF = {
    "cloudflare": {"api_token"},
    "route53": {"access_key", "secret_key", "profile", "region", "role_arn"},
    "external-dns": set[str](),
}
_TTL_OF = {"cloudflare": (60, 86400), "route53": (0, 2**31 - 1), "external-dns": (1, 2**31 - 1)}


class Zone(Setting):
    """A DNS zone that records are written to."""

    domain: Domain = Field(description="The zone's domain.")
    provider: Literal["cloudflare", "route53", "external-dns"] = Field(description="Who serves the zone.")
    zone_id: ZoneId | None = Field(
        None, description="The provider's zone id; required for cloudflare and route53. '/hostedzone/' is cut."
    )
    visibility: Visibility = Field("public", description="Who sees the zone; internal names go to private zones only.")
    ttl: Ttl | None = Field(
        None,
        description="TTL of the records in seconds. Omitted: Auto on Cloudflare, else 300. "
        "Cloudflare 60..86400, Route 53 0..2147483647, external-dns from 1.",
    )
    proxied: bool = Field(False, description="Cloudflare only: records are proxied, with the automatic TTL.")
    wildcards: bool = Field(False, description="Whether wildcard names may be published in the zone.")
    allowed_record_sets: Many[AllowedRecordSet] | None = Field(
        None, description="Who may publish what here; omitted: everything, an empty list: nothing."
    )
    marker: Literal["txt", "none"] = Field(
        "txt", description="Route 53 only: ownership marker, one TXT record per name, or none."
    )
    consumer: Consumer | None = Field(None, description="external-dns only: the instance that serves the zone.")
    nameservers: Annotated[Many[NameServer], each_once(lambda server: server, "name server")] = Field(
        (),
        description="Authoritative servers that `edge-dns verify` asks, each as `host` or `host:port`; omitted: those "
        "of the zone's NS records. A private zone is verified only with them.",
    )
    credentials: Credentials | None = Field(
        None, description="Provider configuration of this zone; omitted: the stack's own."
    )

    @model_validator(mode="after")
    def _fits_the_provider(self) -> Self:
        refuse(self, _zone_problems(self))
        return self


def _zone_problems(zone: Zone) -> dict[str, str]:
    problems: dict[str, str] = {}
    if zone.zone_id is None and zone.provider != "external-dns":
        problems["zone_id"] = f"is required for provider {zone.provider}"
    low, high = _TTL_OF[zone.provider]
    if zone.ttl is not None and zone.proxied:
        problems["ttl"] = "no ttl beside proxied: true (Cloudflare proxies with the automatic TTL only)"
    elif zone.ttl is not None and not low <= zone.ttl <= high:
        problems["ttl"] = f"{low}..{high} seconds for provider {zone.provider}; omit it for the default"
    for name, provider in (("proxied", "cloudflare"), ("marker", "route53"), ("consumer", "external-dns")):
        if zone.given(name) and zone.provider != provider:
            problems[name] = f"only for provider {provider}"
    if zone.credentials and (wrong := zone.credentials.model_fields_set - _CREDENTIALS_OF[zone.provider]):
        names = ", ".join(sorted(map(to_camel, wrong)))
        problems["credentials"] = f"the configuration of provider {zone.provider}; not for it: {names}"
    return problems


class Elsewhere(Setting):
    """A domain whose names another stack publishes. A text stands for a domain of visibility public."""

    domain: Domain = Field(
        description="The domain, for its names down to a longer domain of `zones` or of this list; it may itself be "
        "below one."
    )
    visibility: Visibility = Field("public", description="The visibility of the zone in which they are published.")


def _spelt_out(field: Literal["domain", "hostname"], value: object) -> object:
    """Return the mapping that a text stands for: it is the one field."""
    if not isinstance(value, str):
        return value
    try:
        return {field: normalise_domain(value) if field == "domain" else normalise_hostname(value)}
    except NameSyntax as error:
        raise PydanticCustomError("text", f"a {field}: {{reason}}", {"reason": str(error)}) from None


class Select(Setting):
    """Which Gateways of a cluster count; every given condition must hold."""

    names: Many[ObjectName] = Field((), description="Names of Gateways; omitted: all.")
    namespaces: Many[Namespace] = Field((), description="Namespaces of Gateways; omitted: all.")
    labels: SelectorSetting | None = Field(None, description="Selector on the Gateway's labels.")
    classes: Many[ObjectName] = Field((), description="GatewayClasses; omitted: all.")

    def may_select(self, namespace: str, name: str) -> bool:
        """Say whether a Gateway of this name can be a selected one, as far as the name tells."""
        return (not self.names or name in self.names) and (not self.namespaces or namespace in self.namespaces)


class Routes(Setting):
    """Which HTTPRoutes of a cluster count; every given condition must hold."""

    namespaces: Many[Namespace] = Field((), description="Namespaces of routes; omitted: all.")
    labels: SelectorSetting | None = Field(None, description="Selector on the route's labels.")
    annotations: SelectorSetting | None = Field(
        None, description="Selector on the route's annotations, in the grammar of label selectors."
    )


class GatewayTarget(Setting):
    """A Gateway that is reached through the edge of the hub: its names point there, not at its own addresses."""

    namespace: Namespace = Field(description="Namespace of the Gateway.")
    name: ObjectName = Field(description="Name of the Gateway.")
    region: Region = Field(
        description="Region of `edgeTargets` (or a default of the public hub); letter case is folded."
    )


class Cluster(Setting):
    """A Kubernetes cluster, or files with its objects, whose Gateways and HTTPRoutes are published."""

    name: Text = Field(description="Name of the cluster; part of the identity of its record sets.")
    kubeconfig: Path | None = Field(
        None,
        description="Path of a kubeconfig, relative to the folder of Pulumi.yaml. "
        "Without it and files: the service account of the pod that the program runs in.",
    )
    context: Text | None = Field(None, description="Context of the kubeconfig; omitted: its current one.")
    files: Annotated[tuple[Path, ...], Field(strict=False, min_length=1)] | None = Field(
        None, description="Files with the objects as 'kubectl get -o yaml' prints them, instead of a kubeconfig."
    )
    gateways: bool = Field(
        True,
        description="Whether its Gateways and HTTPRoutes are read and published. false: a cluster that only holds what "
        "this stack declares there, such as agents of tunnels; it needs no Gateway API then.",
    )
    select: Select = Field(Select(), description="Which Gateways count.")
    routes: Routes = Field(Routes(), description="Which HTTPRoutes count.")
    targets: Annotated[Many[GatewayTarget], each_once(lambda one: (one.namespace, one.name), "Gateway")] = Field(
        (),
        description="Gateways whose names are CNAMEs of an edge target, whatever addresses their status has or lacks.",
    )
    record_type: Literal["CNAME"] | None = Field(
        None, description="CNAME: write hostname targets as CNAME on Route 53, not as alias."
    )
    visibility: Visibility = Field("public", description="The visibility of the zones that its names go to.")
    stale_receipts: Literal["hold", "withdraw"] = Field(
        "hold", description="A published name whose route was edited since: hold it, or withdraw it until re-admitted."
    )

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        problems = {}
        if self.files is not None and self.kubeconfig is not None:
            problems["files"] = "either kubeconfig or files, not both"
        if self.files is not None and self.context is not None:
            problems["context"] = "no context beside files"
        if not self.gateways:
            problems |= dict.fromkeys(self.given("files", "select", "routes", "targets"), "only with gateways: true")
        refuse(self, problems)
        return self

    @property
    def is_read(self) -> bool:
        """Whether its objects are read from its API server."""
        return self.gateways and self.files is None


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
        None, description="Towonel only: region of the invite, case is folded; omitted: the hub's default. Immutable."
    )
    failover_regions: Many[Region] = Field(
        (), description="Towonel only: regions to fail over to, in order. Immutable."
    )
    expires_in_secs: int = Field(
        0, ge=0, le=2_592_000, description="Towonel only: life of the invite in seconds, 0 = never ends. Immutable."
    )
    generation: int = Field(
        1, ge=1, description="Towonel only: a changed number makes a new invite; nothing else does."
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
    internal_resolver: HostPort | None = Field(
        None, description="Resolver that must answer the names before they are withdrawn from public zones."
    )


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


class Acknowledge(Setting):
    """What one run may withdraw or change beyond the limits: a count, or the exact names."""

    count: int | None = Field(None, ge=0, description="Exactly this many different names, in all stops together.")
    names: Annotated[tuple[Hostname, ...], Field(strict=False, min_length=1)] | None = Field(
        None, description="Exactly these hostnames."
    )

    @model_validator(mode="after")
    def _not_both(self) -> Self:
        if self.count is not None and self.names is not None:
            refuse(self, {"names": "either count or names, not both"})
        return self


class Safety(Setting):
    """Limits on what one run may change."""

    max_update: Share = Field(0.3, description="Share of a zone's own records that one run may change, 0 to 1.")
    max_withdraw: Share = Field(0.3, description="Share of a zone's own records that one run may withdraw, 0 to 1.")
    min_records: int = Field(10, ge=0, description="The shares count from this many own records in a zone.")
    withdraw: Literal["never", "guarded", "free"] = Field(
        "guarded",
        description="never: no run withdraws. guarded: within the limits. free: without. Not for `pulumi destroy`.",
    )
    protect: Many[Hostname] = Field((), description="Hostnames that no run withdraws; `pulumi destroy` does.")
    acknowledge: Acknowledge | None = Field(None, description="Lets exactly one accounted-for change through.")


class Listed(Setting):
    """Names by hostname, or every name of a zone."""

    hostname: Hostname | None = Field(None, description="A hostname; either this or zone.")
    zone: ZoneRef | None = Field(None, description="Every name of this zone of the settings, by domain or zone id.")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.hostname is None) == (self.zone is None):
            refuse(self, {"hostname": "either hostname or zone, exactly one of them"})
        return self

    def covers(self, hostname: str, zone: Zone) -> bool:
        """Say whether it means this hostname, in normal form, in this zone."""
        return self.hostname == hostname if self.hostname else self.means(zone)

    def means(self, zone: Zone) -> bool:
        """Say whether it means every name of this zone."""
        return self.zone is not None and self.zone in (zone.domain, zone.zone_id)


class Adoption(Listed):
    """Existing records to take over, where they equal the wanted ones. A text stands for a hostname."""

    type: Literal["A", "AAAA", "CNAME"] | None = Field(
        None, description="Only the records of this type; the others of the hostname are created."
    )

    @model_validator(mode="after")
    def _type_of_a_hostname(self) -> Self:
        if self.type and self.hostname is None:
            refuse(self, {"type": "only beside hostname"})
        return self


class Release(Listed):
    """Names to manage no longer, while their records stay. A text stands for a hostname."""


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
            Annotated[Elsewhere, BeforeValidator(partial(_spelt_out, "domain"), json_schema_input_type=Elsewhere | str)]
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
            Annotated[Adoption, BeforeValidator(partial(_spelt_out, "hostname"), json_schema_input_type=Adoption | str)]
        ],
        each_once(lambda one: (one.hostname, one.type, one.zone), "entry"),
    ] = Field((), description="Existing records to take over, each entry a hostname or a mapping.")
    release: Annotated[
        Many[
            Annotated[Release, BeforeValidator(partial(_spelt_out, "hostname"), json_schema_input_type=Release | str)]
        ],
        each_once(lambda one: (one.hostname, one.zone), "entry"),
    ] = Field((), description="Names to forget without deleting their records, each entry a hostname or a mapping.")
    exceptions: Annotated[Many[RuleException], each_once(lambda one: (one.rule, one.name), "rule of a hostname")] = (
        Field((), description="Exceptions of rules, each for one hostname.")
    )
    on_refused: Literal["fail", "warn"] = Field(
        "fail", description="fail: the run ends unsuccessful when a name is refused under a rule of level error."
    )
