"""Names that another stack publishes: `elsewhere` of the settings lists their domains.

A large environment is shared out over stacks by zone, and each of them reads all the same Gateways. What those name in
a zone of another stack is neither published nor refused here.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from edge_dns.core.claims import Claim, Rejection
from edge_dns.core.decide import Context, Decision, published_before
from edge_dns.core.notices import Notice
from edge_dns.core.rules import Refusal
from edge_dns.core.zones import ZoneIndex

RULE = "zone-elsewhere"


def decide_elsewhere(group: Sequence[Claim | Rejection], context: Context) -> Decision | None:
    """Return the decision for a hostname that another stack publishes, whatever its Gateways say; None for others.

    None too for what this stack declares itself, by a tunnel or a service: that is no other stack's. A name that this
    one has published is withdrawn, which stops the run first (`zone-moved`).
    """
    first = group[0]
    domain = context.zones.left_to_others(first.hostname, first.visibility)
    if domain is None or any(_is_declared_here(one, context) for one in group):
        return None
    before = published_before(first.hostname, first.visibility, context)
    reason = f"edge-dns:elsewhere leaves the names of {domain} to another stack"
    return Decision(
        hostname=first.hostname,
        visibility=first.visibility,
        source=before.source if before else first.source,
        state="withdrawn" if before else "elsewhere",
        refusal=Refusal(rule=RULE, reason=reason),
        zone=before.zone if before else None,
        published_before=before is not None,
    )


def _is_declared_here(one: Claim | Rejection, context: Context) -> bool:
    return one.source.cluster is None or one.hostname in context.of_services


def moved_away(decisions: Iterable[Decision], zones: ZoneIndex) -> Mapping[str, set[str]]:
    """Return by domain of `elsewhere` the hostnames that this run would withdraw although another stack has them now.

    Whatever the reason: in a zone that moves, a record that goes may be one that the other stack counts on.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for one in decisions:
        domain = zones.nearest(one.hostname) if one.state == "withdrawn" else None
        views = zones.elsewhere.get(domain or "", frozenset())
        # What the visibility of a zone that left the settings was, nobody knows any more.
        if domain and views and (one.zone is None or one.visibility in views):
            found[domain].add(one.hostname)
    return found


def elsewhere_notices(decisions: Iterable[Decision], zones: ZoneIndex) -> Iterator[Notice]:
    """Yield how many hostnames are left to other stacks, by domain."""
    left = (zones.left_to_others(one.hostname, one.visibility) for one in decisions if one.state == "elsewhere")
    for domain, number in sorted(Counter(filter(None, left)).items()):
        names = "1 hostname" if number == 1 else f"{number:,} hostnames"
        message = f"left to another stack by edge-dns:elsewhere: {names} of {domain}"
        yield Notice(rule=RULE, path="edge-dns:elsewhere", message=message)
