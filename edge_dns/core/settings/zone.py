"""The settings of a zone: who serves it, who may publish in it, and what of."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic.alias_generators import to_camel

from edge_dns.core.exposure import prefix_of_version
from edge_dns.core.settings.base import Many, Setting, each_once, refuse
from edge_dns.core.settings.fields import (
    AnnotationPrefix,
    Annotations,
    Domain,
    Labels,
    NameServer,
    Namespace,
    ProviderSpecific,
    RecordType,
    Regex,
    Text,
    Ttl,
    TxtPrefix,
    Version,
    ZoneId,
)
from edge_dns.core.settings.secret import Secret
from edge_dns.core.settings.selectors import SelectorSetting
from edge_dns.core.values import Provider, Visibility


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
        return self.prefix or prefix_of_version(self.version)


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
    provider: Provider = Field(description="Who serves the zone.")
    zone_id: ZoneId | None = Field(
        None, description="The provider's zone id; required for cloudflare and route53. '/hostedzone/' is cut."
    )
    visibility: Visibility = Field(
        "public",
        description="Who sees the zone; internal names go to private zones only. At Route 53 a private zone must "
        "be a private hosted zone, which each run asks for (route53:GetHostedZone, route53:ListTagsForResource).",
    )
    ttl: Ttl | None = Field(
        None,
        description="TTL of the records in seconds. Omitted: Auto on Cloudflare, 60 for a CNAME of a Gateway on "
        "Route 53, else 300. "
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
