"""Names that another stack publishes: `elsewhere` of the settings lists their domains.

A large environment is shared out over stacks by zone, and each of them reads all the same Gateways. What those name in
a zone of another stack is neither published nor refused here.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from edge_dns.core.claims import Claim, Rejection
from edge_dns.core.decision import Context, Decision, State, published_before
from edge_dns.core.notices import Notice
from edge_dns.core.rules import Refusal
from edge_dns.core.values import Visibility
from edge_dns.core.zones import ZoneIndex, domain_of, zone_key

RULE = "zone-elsewhere"


def decide_elsewhere(group: Sequence[Claim | Rejection], context: Context) -> Decision | None:
    """Return the decision for a hostname that another stack publishes, whatever its Gateways say; None for others.

    None too for what this stack declares itself, by a tunnel or a service: that is no other stack's. But an internal
    service is an error where only the other stack can keep its hostname internal. A name that this stack has published
    is withdrawn, which stops the run first (`zone-moved`).
    """
    first = group[0]
    if unknown := _unknown_elsewhere(first.hostname, first.visibility, context):
        return _left(first, "refused", unknown, context)
    domain = context.zones.left_to_others(first.hostname, first.visibility)
    if domain is None or any(_is_declared_here(one, context) for one in group):
        return None
    reason = f"edge-dns:elsewhere leaves the names of {domain} to another stack"
    return _left(first, "elsewhere", Refusal(rule=RULE, reason=reason), context)


def _left(first: Claim | Rejection, state: State, refusal: Refusal, context: Context) -> Decision:
    before = published_before(first.hostname, first.visibility, context)
    return Decision(
        hostname=first.hostname,
        visibility=first.visibility,
        source=before.source if before else first.source,
        state="withdrawn" if before else state,
        refusal=refusal,
        zone=before.zone if before else None,
        published_before=before is not None,
    )


def _unknown_elsewhere(hostname: str, visibility: Visibility, context: Context) -> Refusal | None:
    """Return why a hostname of an internal service is an error: the other stack would publish it for any route.

    Not where a zone of the domain is here as well, nor where a wildcard of an own zone reaches down to it: there the
    service is in the right place.
    """
    zones, services = context.zones, context.internal_targets
    by = services.by(hostname) if zones.elsewhere else None
    domain = zones.nearest(by) if by else None
    why = services.why(hostname)
    if domain is None or domain in zones.by_domain or not why or not context.why_internal(hostname, visibility):
        return None
    reason = (
        f"{why.reason}, but edge-dns:elsewhere leaves the names of {domain} to another stack, which does not know that "
        "and would publish it: declare the service in the stack that publishes the domain"
    )
    return Refusal(rule="zone-none", reason=reason)


def _is_declared_here(one: Claim | Rejection, context: Context) -> bool:
    if one.source.cluster is None or one.hostname in context.of_services:
        return True
    # Below the wildcard of an internal service; what only private zones may hold is the other stack's in a private one.
    is_internal = context.why_internal(one.hostname, one.visibility) is not None
    return is_internal and context.internal_targets.by(one.hostname) is not None


def moved_away(decisions: Iterable[Decision], context: Context) -> Mapping[str, set[str]]:
    """Return by domain of `elsewhere` the hostnames of which this run would delete a record that another stack has now.

    It goes by the records and not by the decisions: a hostname may be declared again in another zone. Whatever the
    reason: in a zone that moves, a record that goes may be one that the other stack counts on.
    """
    stays = set[tuple[str, str]]()
    for decision in decisions:
        stays.update((decision.hostname, record.rrset.zone_id) for record in decision.promised)
        if decision.state == "released" and decision.zone:
            stays.add((decision.hostname, zone_key(decision.zone)))
    found: dict[str, set[str]] = defaultdict(set)
    for one in (one for group in context.published.values() for one in group) if context.zones.elsewhere else ():
        for key in {record.rrset.zone_id for record in one.records}:
            if (one.hostname, key) not in stays and (domain := _taken_by(one.hostname, key, context)):
                found[domain].add(one.hostname)
    return found


def _taken_by(hostname: str, key: str, context: Context) -> str | None:
    """Return the domain of `elsewhere` to which a record that goes from the zone with this key belongs now."""
    zones = context.zones
    zone, nearest = zones.by_key(key), zones.nearest(hostname)
    former = None if zone else zones.nearest(context.domains.get(key) or domain_of(key))
    view = zone.visibility if zone else context.views.get(key)
    taking = (one for one in (nearest, former) if one and one in zones.elsewhere)
    return next((one for one in taking if not _is_here(one, view, zones)), None)


def _is_here(domain: str, view: Visibility | None, zones: ZoneIndex) -> bool:
    """Say whether the stack has this view of the domain itself; where no memory tells the view, each one counts."""
    return any(one.visibility == view for one in zones.by_domain.get(domain, ()))


def elsewhere_notices(decisions: Iterable[Decision], zones: ZoneIndex) -> Iterator[Notice]:
    """Yield how many hostnames are left to other stacks, by domain."""
    left = (zones.left_to_others(one.hostname, one.visibility) for one in decisions if one.state == "elsewhere")
    for domain, number in sorted(Counter(filter(None, left)).items()):
        names = "1 hostname" if number == 1 else f"{number:,} hostnames"
        message = f"left to another stack by edge-dns:elsewhere: {names} of {domain}"
        yield Notice(rule=RULE, path="edge-dns:elsewhere", message=message)
