"""Declared resources as the rules see them: DNS records of both providers in one form, and Kubernetes objects.

Everything is read when it is asked for: reading a property that is not known yet raises UnknownValueError.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pulumi_policy.proxy import UnknownValueError

from edge_dns.core.endpoint_entries import GROUP, KIND
from edge_dns.core.exposure import annotated_hostnames
from edge_dns.core.gateway_state import GATEWAY_GROUP
from edge_dns.core.markers import belongs_to, parse_marker
from edge_dns.core.names import NameSyntax, in_zone, normalise_hostname
from edge_dns.core.publishing_objects import ROUTES
from edge_dns.core.resource_types import CLOUDFLARE_RECORD, ENDPOINT_RECORD_SET, ROUTE53_RECORD
from edge_dns.core.settings import Zone
from edge_dns.core.slots import is_released
from edge_dns.core.zones import ZoneIndex

Properties = Mapping[str, object]
"""Properties of a resource as the provider names them (`zoneId`)."""

CLOUDFLARE_RECORDS = frozenset({CLOUDFLARE_RECORD, "cloudflare:index/record:Record"})
"""The present type, and that of programs with an earlier version of the SDK."""
ROUTE53_RECORDS = frozenset({ROUTE53_RECORD})
RECORDS = CLOUDFLARE_RECORDS | ROUTE53_RECORDS

_UNKNOWN = "(unknown)"
_KIND = re.compile(r"kubernetes:(?P<group>[^:/]*)[^:]*:(?P<kind>\w+)")
_KINDS = {GATEWAY_GROUP: ROUTES, "core": {"Service"}, GROUP: {KIND}}


def fold(name: str) -> str:
    """Return a name in normal form; one that is no hostname (`_dmarc.example.com`) in lower case without its dot."""
    text = name.strip().replace("\\052", "*")
    try:
        return normalise_hostname(text)
    except NameSyntax:
        return text.lower().removesuffix(".")


def items(value: object) -> Iterator[object]:
    """Yield the items of a list, anything else as one item, and nothing for None."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        yield from value
    elif value is not None:
        yield value


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredRecord:
    """One DNS record resource. `zones` are those of the pack's settings; one that is not there is public.

    `untouched`: whatever it declares, no run changes it, since its marker is another owner's.
    """

    token: str
    props: Properties
    zones: ZoneIndex
    urn: str = ""
    parent: str = ""
    untouched: bool = False

    @property
    def title(self) -> str:
        """The record as a message names it."""
        return f"record {self._shown_name()}, zone {self._shown_zone()}"

    @property
    def hostnames(self) -> tuple[str, ...]:
        """The name, as exceptions count it."""
        return (self.name,)

    @property
    def provider(self) -> Literal["cloudflare", "route53"]:
        """Who serves the record."""
        return "cloudflare" if self.token in CLOUDFLARE_RECORDS else "route53"

    @property
    def zone_id(self) -> str:
        """The id of the zone; all zones that are not known yet have the same one."""
        try:
            return str(self.props.get("zoneId")).removeprefix("/hostedzone/")
        except UnknownValueError:
            return _UNKNOWN

    @property
    def zone(self) -> Zone | None:
        """The zone of the pack's settings."""
        return self.zones.by_key(self.zone_id)

    @property
    def is_public(self) -> bool:
        """Whether the zone is public: every one that is not listed as private, and every one that is not known yet."""
        return self.zone is None or self.zone.visibility == "public"

    @property
    def name(self) -> str:
        """The name in normal form, in full where the zone is listed: providers take names relative to the zone too."""
        name, domain = fold(str(self.props.get("name", ""))), self.zone.domain if self.zone else None
        if domain is None or in_zone(name, domain):
            return name
        return domain if name in ("@", "") else f"{name}.{domain}"

    @property
    def type(self) -> str:
        """The record type, in upper case."""
        return str(self.props.get("type")).upper()

    @property
    def values(self) -> tuple[str, ...]:
        """The values: `content` (formerly `value`) at Cloudflare, `records` at Route 53."""
        keys = ("content", "value") if self.provider == "cloudflare" else ("records",)
        return tuple(str(value) for key in keys for value in items(self.props.get(key)))

    @property
    def aliases(self) -> tuple[str, ...]:
        """The targets of a Route 53 alias, in normal form."""
        found = items(self.props.get("aliases")) if self.provider == "route53" else ()
        return tuple(fold(str(alias.get("name", ""))) for alias in found if isinstance(alias, Mapping))

    @property
    def targets(self) -> tuple[str, ...]:
        """The names that the record points at, in normal form: of a CNAME, and of an alias."""
        return (*(fold(value) for value in self.values), *self.aliases) if self.type == "CNAME" else self.aliases

    @property
    def known_targets(self) -> tuple[str, ...]:
        """The targets; none of a proxied record while they are unknown.

        What is behind the proxy of Cloudflare is in no answer of the zone, and that of a tunnel is unknown until the
        tunnel is created. The update checks it once it is known.
        """
        try:
            return self.targets
        except UnknownValueError:
            if self.proxied:
                return ()
            raise

    @property
    def content(self) -> tuple[str, ...]:
        """What tells the Cloudflare records of one name and type apart: their value, or their structured data."""
        data = _known(self.props, "data")
        return self.values if data is None else (str(sorted(_mapping(data).items())),)

    @property
    def ttl(self) -> float | None:
        """The TTL in seconds, 1 for the automatic one of Cloudflare, None where none is given."""
        ttl = self.props.get("ttl")
        return ttl if isinstance(ttl, int | float) else None

    @property
    def proxied(self) -> bool:
        """Whether Cloudflare answers in place of the target, which is then not in the zone's answers."""
        return self.provider == "cloudflare" and self.props.get("proxied") not in (None, False)

    @property
    def set_identifier(self) -> str | None:
        """What tells the RRsets of one name and type apart under a routing policy of Route 53."""
        found = self.props.get("setIdentifier") if self.provider == "route53" else None
        return None if found is None else str(found)

    @property
    def is_marker(self) -> bool:
        """Whether it is an ownership marker of ours, which is no hostname."""
        return self.type == "TXT" and self.name.startswith("_edge-dns") and any(map(parse_marker, self.values))

    @property
    def in_record_set(self) -> bool:
        """Whether an EndpointRecordSet of this program declares it."""
        return ENDPOINT_RECORD_SET in self._urn_part(2).split("$")[:-1]

    @property
    def is_released(self) -> bool:
        """Whether it stands in a slot of a released record, which carries no marker any more."""
        return is_released(self.urn)

    @property
    def is_left(self) -> bool:
        """Whether no run writes or deletes it, and the next one forgets it: the record of another owner."""
        return self.untouched and self.is_released and self.in_record_set

    def belongs(self, text: str) -> bool:
        """Say whether a text is the marker of this stack."""
        return belongs_to(text, self._urn_part(1), self._urn_part(0).removeprefix("urn:pulumi:"))

    def _urn_part(self, index: int) -> str:
        parts = self.urn.split("::")
        return parts[index] if index < len(parts) else ""

    def _shown_name(self) -> str:
        try:
            return self.name or "(none)"
        except UnknownValueError:
            return _UNKNOWN

    def _shown_zone(self) -> str:
        if zone := self.zone:
            return f"{zone.domain} ({self.zone_id})"
        if self.zone_id == _UNKNOWN:
            return _UNKNOWN
        return f"{self.zone_id}, which the pack's configuration does not list"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredObject:
    """One Kubernetes object of a kind that external-dns reads."""

    kind: str
    props: Properties
    urn: str = ""

    @property
    def title(self) -> str:
        """The object as a message names it."""
        try:
            return f"{self.kind} {self._metadata.get('namespace', 'default')}/{self._metadata.get('name', '(none)')}"
        except UnknownValueError:
            return f"{self.kind} {_UNKNOWN}"

    @property
    def hostnames(self) -> tuple[str, ...]:
        """All names that it asks for, in normal form: of its spec, of its endpoints, and of its annotations."""
        names = [*items(self._spec.get("hostnames")), *(one.get("dnsName") for one in self.endpoints)]
        return tuple(fold(str(name)) for name in (*names, *annotated_hostnames(self.annotations)))

    @property
    def labels(self) -> Mapping[str, str]:
        """Its labels."""
        return _texts(self._metadata.get("labels"))

    @property
    def annotations(self) -> Mapping[str, str]:
        """Its annotations."""
        return _texts(self._metadata.get("annotations"))

    @property
    def endpoints(self) -> tuple[Properties, ...]:
        """The endpoints of a DNSEndpoint."""
        return tuple(one for one in items(self._spec.get("endpoints")) if isinstance(one, Mapping))

    @property
    def _metadata(self) -> Properties:
        return _mapping(self.props.get("metadata"))

    @property
    def _spec(self) -> Properties:
        return _mapping(self.props.get("spec"))


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredRegister:
    """The register of publishers that are not decided yet, by the inputs of its component.

    `entries` are those of now, `before` those from before the last change of them, None where there was none; each is
    a text `<kind> <cluster>:<namespace>/<name>`, with `*` for any cluster.
    """

    props: Properties
    urn: str = ""

    @property
    def title(self) -> str:
        """The register as a message names it."""
        return "register of publishers"

    @property
    def hostnames(self) -> tuple[str, ...]:
        """It has none."""
        return ()

    @property
    def entries(self) -> tuple[str, ...]:
        """The publishers that it lists."""
        return tuple(map(str, items(self.props.get("entries"))))

    @property
    def before(self) -> tuple[str, ...] | None:
        """The publishers that it listed."""
        before = self.props.get("before")
        return None if before is None else tuple(map(str, items(before)))


def kind_of(token: str) -> str | None:
    """Return the kind of a Kubernetes type (`kubernetes:<group>/<version>:<kind>`) that external-dns reads, or None.

    A Patch shows a part of its object only, so that nothing can be said of it.
    """
    match = _KIND.fullmatch(token)
    return match["kind"] if match and match["kind"] in _KINDS.get(match["group"], ()) else None


def _known(props: Properties, key: str) -> object:
    """Return a property that providers predict as unknown where it is not given, None then."""
    try:
        return props.get(key)
    except UnknownValueError:
        return None


def _mapping(value: object) -> Properties:
    return value if isinstance(value, Mapping) else {}


def _texts(value: object) -> Mapping[str, str]:
    # Left as it is: a copy would ask for values that no rule needs and that may be unknown.
    return value if isinstance(value, Mapping) else {}
