"""The rules by which a hostname, a record or a whole run is refused: stable ids, levels and one-line meanings."""

from dataclasses import dataclass
from enum import Enum
from typing import NoReturn


class Level(Enum):
    """What a hit of a rule means for the run.

    ``STOP`` ends the run before anything is registered. ``ERROR`` refuses one name and the run ends unsuccessful.
    ``WAIT`` refuses one name for now and the run stays successful. ``WARNING`` refuses nothing.
    """

    STOP = "stop"
    ERROR = "error"
    WAIT = "wait"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: its stable id, its level and its meaning in one line."""

    id: str
    level: Level
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why something is refused: a rule id of :data:`RULES` and the reason in words for the person at the terminal.

    `on_purpose` lowers an error to a wait: the settings ask for it, or no resolver was asked (docs/rules.md).
    """

    rule: str
    reason: str
    on_purpose: bool = False

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ValueError(f"unknown rule id {self.rule!r}")

    @property
    def level(self) -> Level:
        """The level of the rule, or WAIT when it was refused on purpose."""
        return Level.WAIT if self.on_purpose else RULES[self.rule].level


class Refused(Exception):  # noqa: N818 - named after what happened to the name
    """Raised by a check that refuses one name or record; the caller makes the refusal that name's outcome."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.rule}: {refusal.reason}")
        self.refusal = refusal


def level(rule: str) -> Level:
    """Return the level of a rule id; raises KeyError for an unknown one."""
    return RULES[rule].level


_STOP = {
    "settings-invalid": "the settings are malformed; every error is listed with its path",
    "observation-failed": "the gateway state, the hub, a live zone or the memory could not be read completely",
    "hub-account": "no known invite is visible on the hub: wrong key or account",
    "host-transition": "an invite of this stack holds the hostname and lets go only after another would take it",
    "route-identity": "another object stands in a cluster for an HTTPRoute that this stack has made",
    "dnsendpoint-identity": "another object stands in a cluster for a DNSEndpoint that this stack has made",
    "agent-identity": "agents of this stack are in a cluster that has another name in the settings",
    "zone-moved": "names that this stack publishes fall under a domain of elsewhere, and would be withdrawn",
    "empty-desired": "nothing would be published where something was",
    "mass-delete": "more of a zone's own records would be withdrawn than safety.maxWithdraw allows",
    "mass-update": "more of a zone's own records would be changed than safety.maxUpdate allows",
    "delete-forbidden": "safety.withdraw or safety.protect forbids this withdrawal",
}

_ERROR = {
    "name-syntax": "the hostname is not a valid DNS name (LDH labels, at least two, IDN as A-labels, no IP address)",
    "zone-none": "no zone of the settings is a suffix of the hostname with the right visibility",
    "zone-ambiguous": "several zones of one name fit and the settings pick none",
    "below-delegation": "the zone delegates the name away: an NS record stands above it",
    "ttl-range": "the TTL is outside what the provider or the settings allow",
    "rrset-ttl-consistent": "the records of one RRset have different TTLs",
    "value-address-family": "an A record needs an IPv4 address, an AAAA record an IPv6 address",
    "value-ip-syntax": "the address is not in canonical text",
    "target-syntax": "the target is not a hostname with a dot inside",
    "target-not-ip": "a hostname is wanted as target, not an IP address",
    "target-mixed-kinds": "hostname and address targets together for one name, or several hostnames",
    "cname-self": "a CNAME points at itself",
    "cname-loop": "CNAMEs point at each other in a circle",
    "cname-single": "a CNAME has exactly one value",
    "cname-apex": "the provider allows no CNAME at the zone apex",
    "cname-coexistence": "a CNAME stands beside another record of the same name",
    "duplicate-record": "the same record is declared twice",
    "host-claimed-twice": "two sources want different records for one hostname",
    "proxied-type": "only A, AAAA and CNAME records can be proxied",
    "proxied-ttl": "a proxied record has the automatic TTL only",
    "alias-ttl": "a Route 53 alias has no TTL",
    "alias-self": "a Route 53 alias points at itself",
    "weighted-pairing": "weight and set identifier come together or not at all",
    "txt-chunk": "a TXT string is longer than 255 octets or wrongly quoted",
    "txt-charset": "a TXT value holds characters outside printable ASCII",
    "caa-value": "the CAA value is not flags, tag and text",
    "srv-value": "the SRV value is not priority, weight, port and target",
    "mx-value": "the MX value is not preference and host",
    "private-address-public-zone": "an address that is not globally routable in a public zone",
    "internal-name-public-zone": "a public zone would hold or point at a name of an internal service or zone",
    "wildcard-opt-in": "wildcard names are not switched on for the zone",
    "apex-ns": "NS and SOA records at the apex are never ours",
    "owner-foreign": "a record that this stack does not own holds the name",
    "owner-duplicate": "this stack and the marker of another owner claim the name, or the markers of several",
    "adopt-differs": "the live record differs from the wanted one, so it is not adopted",
    "marker-name": "the name of the ownership marker is not valid or collides",
    "type-transition": "several values cannot become a CNAME in one update",
    "edge-target-unknown": "no edge target is known for the region of the hub",
    "consumer-capability": "the external-dns that reads the DNSEndpoint would drop the record silently",
    "host-taken": "another invite or tenant of the hub holds the hostname",
    "port-refused": "the hub does not give the tunnel this port",
    "invite-gone": "the invite no longer exists on the hub; a new generation makes a new one",
    "invite-revoked": "the invite is revoked on the hub; a new generation makes a new one",
    "tunnel-gone": "the Cloudflare tunnel was deleted, and its records would lead to error 1016",
    "tunnel-foreign": "a Cloudflare tunnel that this stack did not make has the name",
    "tunnel-zone": "only Cloudflare zones of the tunnel's own account can hold its hostnames",
    "ingress-foreign": "writing the tunnel's ingress list would delete rules that this stack did not make",
    "alias-unknown": "the hostname target has no alias zone and CNAME is not preferred",
    "record-not-allowed-by-zone": "allowedRecordSets of the zone does not admit namespace, name or type",
    "unlisted-publisher": "the object publishes names and is neither of this stack nor in the register",
    "route-foreign": "an HTTPRoute of the service's name is there that this stack did not make",
    "register-grew": "exposure.register may only shrink",
    "internal-route-annotation": "the controller annotation of a route does not fit its exposure",
    "dnsendpoint-selects-internal": "an internal name is in a DNSEndpoint that a public instance selects",
    "internal-authority-missing": "the internal resolver does not answer the name yet",
    "dnsendpoint-unavailable": "the cluster lacks the CRD DNSEndpoint, or the namespace that the object goes to",
    "lan-filter-missing": "an external-dns of the private view would take public objects",
    "allow-overwrite": "allow_overwrite and upsert are never used on records",
    "marker-missing": "a record of ours carries no ownership marker",
    "unknown-guarded-value": "a value that a rule guards is unknown at preview",
}

_WAIT = {
    "status-stale": "the route's status is missing, Unknown or of an older generation",
    "route-not-accepted": "not every parentRef of the route is accepted",
    "no-address": "the Gateway has no address yet",
    "not-declared": "no source declares the hostname any more",
    "dns-disabled": "the tunnel's dns.mode is Disabled",
    "exposure-internal": "the service is internal, and only private zones may hold its names",
    "identity-changed": "route, Gateway, class or binding is not the one that was admitted",
    "route-rejected": "the route is currently not accepted by its Gateway",
    "gateway-rejected": "the Gateway is currently not accepted",
    "listener-denies": "no listener of the Gateway admits the route",
    "release-listed": "release of the settings lists the hostname: its records stay and are not managed",
    "zone-elsewhere": "elsewhere of the settings leaves the names of the domain to another stack",
    "not-supported": "the object names hostnames, but only HTTPRoutes are published",
}

_WARNING = {
    "documentation-address": "the address is from a documentation range (RFC 5737, RFC 3849)",
    "target-dangling": "the target does not resolve or is not in the state",
    "ttl-low": "the TTL is unusually low",
    "cname-chain": "a CNAME points at a CNAME",
    "invite-deleted": "the run deletes an invite: its token, its tenant and its ports go",
    "invite-expires": "the invite ends within seven days, or has: no agent can join with its token then",
    "invite-shared": "the invite holds hostnames that this stack never asked for",
    "route-drift": "the HTTPRoute of a service was changed, deleted or left behind",
    "ingress-internal": "a tunnel's ingress list that may not be changed still leads to an internal name",
    "tunnel-deleted": "the run deletes a Cloudflare tunnel, and its token goes",
    "exception-expired": "an exception of the settings is past its expiry",
}

_BY_LEVEL = {Level.STOP: _STOP, Level.ERROR: _ERROR, Level.WAIT: _WAIT, Level.WARNING: _WARNING}

RULES: dict[str, Rule] = {
    rule: Rule(id=rule, level=rule_level, meaning=meaning)
    for rule_level, meanings in _BY_LEVEL.items()
    for rule, meaning in meanings.items()
}
"""All rules by id."""


HELD = frozenset(
    {
        "host-claimed-twice",
        "zone-ambiguous",
        "record-not-allowed-by-zone",
        "target-mixed-kinds",
        "target-syntax",
        "target-not-ip",
        "value-ip-syntax",
        "alias-unknown",
        "cname-single",
        "cname-apex",
        "cname-self",
        "cname-loop",
        "ttl-range",
        "proxied-ttl",
        "consumer-capability",
        "type-transition",
        "below-delegation",
        "cname-coexistence",
        "owner-foreign",
        "owner-duplicate",
        "adopt-differs",
        "internal-authority-missing",
        "status-stale",
        "dnsendpoint-unavailable",
        "lan-filter-missing",
    }
)
"""Rules that keep the last values of a name that is published already."""


ENDS = frozenset(
    {
        "not-declared",
        "dns-disabled",
        "exposure-internal",
        "unlisted-publisher",
        "register-grew",
        "identity-changed",
        "route-rejected",
        "gateway-rejected",
        "listener-denies",
        "invite-gone",
        "invite-revoked",
        "tunnel-gone",
        "tunnel-zone",
        "private-address-public-zone",
        "internal-name-public-zone",
        "wildcard-opt-in",
    }
)
"""Rules under which a name has no record for good. After every other refusal it may come back by itself."""


def refuse(rule: str, reason: str) -> NoReturn:
    """Raise Refused with this rule and reason."""
    raise Refused(Refusal(rule=rule, reason=reason))
