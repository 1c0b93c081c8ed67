"""Public wildcards that answer for names of internal services, although those have no record of their own."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from edge_dns.core.cloudflare_view import IngressRule, first_rule
from edge_dns.core.decision import Decision
from edge_dns.core.names import covers, in_zone, is_wildcard
from edge_dns.core.notices import Notice
from edge_dns.core.rules import Refusal
from edge_dns.core.texts import first_of
from edge_dns.core.values import Source
from edge_dns.core.zones import ZoneIndex

_SHOWN = 3


def wildcard_notices(
    decisions: Iterable[Decision],
    internal: Mapping[str, Refusal],
    zones: ZoneIndex,
    ingress: Mapping[Source, Sequence[IngressRule]],
) -> Iterator[Notice]:
    """Yield a warning for each wildcard in a public zone that stands for hostnames in `internal`.

    The nearest wildcard above a name answers for it (RFC 4592 §3.3.1), and none of a zone above its own. Nothing is
    said of names that the tunnel of the wildcard refuses: `ingress` holds the lists of those at Cloudflare.
    """
    wildcards = [one for one in decisions if is_wildcard(one.hostname) and one.promised and _is_public(one)]
    public = _public_domains(zones) if wildcards else ()
    under: dict[str, list[str]] = defaultdict(list)
    sources = {one.hostname: one.source for one in wildcards}
    for name in sorted(internal) if wildcards else ():
        above = [one for one in wildcards if one.hostname != name and covers(one.hostname, name)]
        nearest = max(above, key=lambda one: len(one.hostname), default=None)
        rule = first_rule(ingress.get(nearest.source, ()), name) if nearest else None
        if nearest and not _is_delegated(name, nearest, public) and not (rule and rule.is_refusal):
            under[nearest.hostname].append(name)
    for wildcard, names in sorted(under.items()):
        message = (
            f"{wildcard} of {sources[wildcard]} is public and answers for {first_of(names, _SHOWN)}: "
            f"{internal[names[0]].reason}; see that nothing serves it there, or publish the names singly"
        )
        yield Notice(rule="internal-name-public-zone", path="edge-dns:services", message=message)


def _is_public(decision: Decision) -> bool:
    return decision.zone is not None and decision.zone.visibility == "public"


def _public_domains(zones: ZoneIndex) -> Collection[str]:
    """Return the domains of public zones, of the settings or of another stack."""
    here = {zone.domain for zone in zones.by_zone_key.values() if zone.visibility == "public"}
    return here | {name for name, views in zones.elsewhere.items() if "public" in views}


def _is_delegated(name: str, wildcard: Decision, public: Collection[str]) -> bool:
    """Say whether one of the public domains lies between the wildcard's zone and the name."""
    domain = wildcard.zone.domain if wildcard.zone else ""
    return any(len(other) > len(domain) and in_zone(name, other) for other in public)
