"""The kinds of text in the settings: each is checked and brought to its normal form where it is read."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, WithJsonSchema
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from edge_dns.core import rules
from edge_dns.core.exposure import PREFIXES
from edge_dns.core.host_port import parse_host_port
from edge_dns.core.names import NameSyntax, normalise_domain, normalise_hostname, normalise_target
from edge_dns.core.settings.pattern import NamePattern, PatternSyntax

HUB_PORTS = frozenset({4443, 8443, 51820})
"""Ports of the hub itself, which it reserves for nobody."""

_RECORD_TYPES = (
    *("A", "AAAA", "CAA", "CERT", "CNAME", "DNSKEY", "DS", "HTTPS", "LOC", "MX", "NAPTR", "NS", "OPENPGPKEY", "PTR"),
    *("SMIMEA", "SOA", "SPF", "SRV", "SSHFP", "SVCB", "TLSA", "TXT", "URI"),
)
"""Those that Cloudflare (API, `dns_records`) or Route 53 (API, `ResourceRecordSet`) hold."""

_DNS_1123_LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_DNS_1123_SUBDOMAIN = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII
)
_SUBDOMAIN_CHARACTERS = "[a-z0-9]([-a-z0-9.]*[a-z0-9])?"
_HOST_PORT = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):(?P<port>[0-9]{1,5})", re.ASCII)
_LABEL_KEY = re.compile(r"([a-z0-9.-]+/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", re.ASCII)
_PROPERTY = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?", re.ASCII)
_TXT_PREFIX = re.compile(r"([a-z0-9_.-]|%\{record_type\})+", re.ASCII)
_ORIGIN = re.compile(
    r"(https?|tcp|ssh|rdp|smb)://[^\s/?#@]+(/\S*)?|unix(\+tls)?:/\S+|http_status:[1-5][0-9]{2}|hello_world", re.ASCII
)
_IMAGE = re.compile(r"[^\s:@]+(:[0-9]+/[^\s:@]+)?(:[\w.-]+|@sha256:[0-9a-f]{64})", re.ASCII)


class _Wrong(ValueError):  # noqa: N818 - private: says what was expected
    """What was expected instead, in words."""


@dataclass(frozen=True, slots=True)
class _Text:
    """A kind of text: `parse` brings it to its normal form, or raises what it expected; `schema` is its JSON schema's.

    A pattern of a JSON schema need not be the whole check: it is for editors.
    """

    parse: Callable[[str], str]
    schema: str = "."

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self._validate, handler(source))

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"type": "string", "pattern": self.schema}

    def _validate(self, value: object) -> str:
        if not isinstance(value, str):
            raise PydanticCustomError("text", "a text")
        try:
            return self.parse(value)
        except (_Wrong, NameSyntax) as error:
            raise PydanticCustomError("text", "{reason}", {"reason": str(error)}) from None


def _form(pattern: str, expected: str) -> _Text:
    """Return the kind of the texts that are as the pattern says, which means the same in Python and in JSON schema."""
    return _Text(_matching(re.compile(pattern, re.ASCII), expected), f"^{pattern}$")


def _matching(pattern: re.Pattern[str], expected: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if not pattern.fullmatch(text):
            raise _Wrong(expected)
        return text

    return parse


def _named(normalise: Callable[[str], str], expected: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        try:
            return normalise(text)
        except NameSyntax as error:
            raise _Wrong(f"{expected}: {error}") from None

    return parse


def _url(text: str) -> str:
    expected = "a URL such as https://hub.example.com, without user, query and fragment"
    try:
        parts = urlsplit(text.strip())
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid or "@" in parts.netloc or parts.query or parts.fragment or re.search(r"\s", parts.geturl()):
        raise _Wrong(expected)
    return parts.geturl().removesuffix("/")


def _zone_id(text: str) -> str:
    return _matching(re.compile("[A-Za-z0-9_-]+"), "the provider's zone id")(text.strip().removeprefix("/hostedzone/"))


def _zone_ref(text: str) -> str:
    if "." in text:
        return _named(normalise_domain, "the domain or id of a zone")(text)
    return _zone_id(text)


def _region(text: str) -> str:
    region = text.strip().upper()
    if not region:
        raise _Wrong("a region of the hub such as EU")
    return region


def _host_port(text: str) -> str:
    match = _HOST_PORT.fullmatch(text.strip())
    if match is None or not 0 < int(match["port"]) < 65536:
        raise _Wrong("host:port, such as ns1.example.net:53 or [2001:db8::1]:53")
    return text.strip().lower()


def _image(text: str) -> str:
    expected = "a container image with a fixed tag or digest, such as registry.example.com/agent:1.7.1, not latest"
    if not _IMAGE.fullmatch(text) or text.endswith(":latest"):
        raise _Wrong(expected)
    return text


def _tunnel_name(text: str) -> str:
    namespace, _, name = text.strip().partition("/")
    if not (re.fullmatch(_DNS_1123_LABEL, namespace) and _DNS_1123_SUBDOMAIN.fullmatch(name)):
        raise _Wrong("<namespace>/<name> of a tunnel, in lower case")
    return f"{namespace}/{name}"


def _name_server(text: str) -> str:
    try:
        return str(parse_host_port(text))
    except ValueError:
        raise _Wrong("a name or address, port 53 unless given: ns1.example.net or [2001:db8::1]:5353") from None


def _ingress_name(text: str) -> str:
    return "*" if text.strip() == "*" else _named(normalise_hostname, "a hostname, or '*' for the catch-all")(text)


def _path(text: str) -> str:
    if not text.strip() or "\n" in text or "\0" in text:
        raise _Wrong("the path of a file (not its contents)")
    return text


def _non_empty(text: str) -> str:
    if not text.strip():
        raise _Wrong("a text that is not empty")
    return text.strip()


def _rule(text: str) -> str:
    if text not in rules.RULES or rules.level(text) is rules.Level.STOP:
        raise _Wrong("the id of a rule that concerns one name")
    return text


def _annotation_prefix(text: str) -> str:
    return _matching(re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?/", re.ASCII), "an annotation prefix that ends in '/'")(
        text
    )


def _label_key(text: str) -> str:
    prefix, slash, _ = text.rpartition("/")
    if not _LABEL_KEY.fullmatch(text) or (slash and not _DNS_1123_SUBDOMAIN.fullmatch(prefix)):
        raise _Wrong("the key of a label or annotation, such as example.com/exposure")
    if prefix == "edge-dns":
        raise _Wrong("another prefix: the keys below edge-dns/ are this program's own")
    return text


def _property(text: str) -> str:
    if text.startswith(PREFIXES):
        raise _Wrong("the name without the annotation prefix, which is that of the consumer")
    return _matching(_PROPERTY, "the name of a property, such as cloudflare-proxied or aws/weight")(text)


def _txt_prefix(text: str) -> str:
    expected = "its --txt-prefix, such as %{record_type}-registry."
    return _matching(_TXT_PREFIX, expected)(text.lower())


def _version(text: str) -> str:
    return _matching(re.compile(r"v?[0-9]+\.[0-9]+(\.[0-9]+)?", re.ASCII), "a version such as '0.21' (quoted)")(
        text
    ).removeprefix("v")


def _record_type(text: str) -> str:
    found = text.strip().upper()
    if found not in _RECORD_TYPES:
        raise _Wrong(f"a record type: {', '.join(_RECORD_TYPES)}")
    return found


def _pattern(value: object) -> NamePattern:
    if isinstance(value, NamePattern):
        return value
    if not isinstance(value, str):
        raise PydanticCustomError("regex", "a regular expression as text")
    try:
        return NamePattern(value)
    except PatternSyntax as error:
        raise PydanticCustomError("regex", "a regular expression of RE2: {reason}", {"reason": str(error)}) from None


def _date(value: object) -> date:
    if isinstance(value, date):
        return value
    # Pulumi hands an unquoted date on as midnight in UTC.
    text = value.removesuffix("T00:00:00Z") if isinstance(value, str) else ""
    try:
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text, re.ASCII):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise PydanticCustomError("date", "a date such as 2027-03-31")


def _each_region_once(value: object) -> object:
    if isinstance(value, Mapping):
        seen: set[str] = set()
        for region in (key.strip().upper() for key in value if isinstance(key, str)):
            if region in seen:
                raise PydanticCustomError("duplicate", "each region once; {region} is there twice", {"region": region})
            seen.add(region)
    return value


def _free_of_hub(port: int) -> int:
    if port in HUB_PORTS:
        raise PydanticCustomError("port", "none of the hub's own ports {ports}", {"ports": str(sorted(HUB_PORTS))})
    return port


Text = Annotated[str, _Text(_non_empty)]
Url = Annotated[str, _Text(_url, "^https?://")]
Hostname = Annotated[str, _Text(_named(normalise_hostname, "a hostname"))]
Domain = Annotated[str, _Text(_named(normalise_domain, "a domain"))]
Target = Annotated[str, _Text(_named(normalise_target, "a hostname with a dot inside, no IP address"))]
ZoneId = Annotated[str, _Text(_zone_id, "^(/hostedzone/)?[A-Za-z0-9_-]+$")]
ZoneRef = Annotated[str, _Text(_zone_ref)]
Region = Annotated[str, _Text(_region)]
HostPort = Annotated[str, _Text(_host_port, ":[0-9]{1,5}$")]
NameServer = Annotated[str, _Text(_name_server)]
Path = Annotated[str, _Text(_path)]
RuleId = Annotated[
    str,
    _Text(_rule),
    WithJsonSchema({"enum": sorted(rule for rule in rules.RULES if rules.level(rule) is not rules.Level.STOP)}),
]
AnnotationPrefix = Annotated[str, _Text(_annotation_prefix, "/$")]
LabelKey = Annotated[str, _Text(_label_key)]
LabelValue = Annotated[
    str,
    _form(
        "([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?",
        "the value of a label: at most 63 letters, digits, '-', '_' and '.'",
    ),
]
Property = Annotated[str, _Text(_property)]
TxtPrefix = Annotated[str, _Text(_txt_prefix)]
Version = Annotated[str, _Text(_version, "^v?[0-9]+\\.[0-9]+(\\.[0-9]+)?$")]
Namespace = Annotated[
    str, _form(_DNS_1123_LABEL, "a Kubernetes namespace: at most 63 lower-case letters, digits and hyphens")
]
ObjectName = Annotated[
    str,
    _Text(
        _matching(_DNS_1123_SUBDOMAIN, "a Kubernetes object name: lower-case letters, digits, hyphens and dots"),
        f"^{_SUBDOMAIN_CHARACTERS}$",
    ),
]
TunnelName = Annotated[str, _Text(_tunnel_name, f"^{_DNS_1123_LABEL}/{_SUBDOMAIN_CHARACTERS}$")]
AgentName = Annotated[
    str,
    _form("[a-z0-9]([-a-z0-9]{0,56}[a-z0-9])?", "an agent's name: at most 58 lower-case letters, digits and hyphens"),
]
Label = Annotated[str, _form(_DNS_1123_LABEL, "a name of at most 63 lower-case letters, digits and hyphens")]
Address = Annotated[str, _form("[^\\s,]+", "one address, without blanks and commas")]
Quantity = Annotated[
    str,
    _form(
        "[0-9]+(\\.[0-9]+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?",
        "a quantity of Kubernetes as text, such as 128Mi or '0.5'",
    ),
]
RecordType = Annotated[str, _Text(_record_type, "^[A-Za-z][A-Za-z0-9]*$")]
AccountId = Annotated[str, _form("[0-9a-f]{32}", "the id of a Cloudflare account: 32 lower-case hex digits")]
TunnelId = Annotated[
    str,
    _form("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "the id of a Cloudflare tunnel: a UUID in lower case"),
]
Origin = Annotated[
    str,
    _Text(_matching(_ORIGIN, "an origin as cloudflared takes it: http://app.shop.svc:8080, http_status:404, …")),
]
IngressName = Annotated[str, _Text(_ingress_name)]
Image = Annotated[str, _Text(_image, "[:@]")]
Regex = Annotated[NamePattern, BeforeValidator(_pattern), WithJsonSchema({"type": "string", "maxLength": 1000})]
Day = Annotated[date, BeforeValidator(_date), WithJsonSchema({"type": "string", "format": "date"})]
PreferredPort = Annotated[int, Field(ge=1024, le=65535), AfterValidator(_free_of_hub)]
Ttl = Annotated[int, Field(ge=0, le=2**31 - 1)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
EdgeTargets = Annotated[Mapping[Region, Target], BeforeValidator(_each_region_once)]
Labels = Mapping[LabelKey, LabelValue]
Annotations = Mapping[LabelKey, str]
ProviderSpecific = Mapping[Property, Text]
