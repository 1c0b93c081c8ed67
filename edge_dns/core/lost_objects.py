"""DNSEndpoints with the marker of this stack that its state does not hold: nothing of it would delete them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from edge_dns.core.decision import Context, Decision
from edge_dns.core.endpoint_entries import KIND
from edge_dns.core.endpoint_places import ObjectKey, live_objects
from edge_dns.core.live import Live
from edge_dns.core.notices import Notice
from edge_dns.core.rules import ENDS

ObjectStanding = Literal["wanted", "waiting", "unwanted"]
"""What the plan says of an object: it has names for it, or would but for the object; all of them are refused for now;
it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LostObject:
    """Such an object: `source` is that of its marker."""

    key: ObjectKey
    hostnames: tuple[str, ...]
    source: str
    standing: ObjectStanding


def lost_objects(decisions: Iterable[Decision], context: Context, live: Live | None) -> tuple[LostObject, ...]:
    """Return each such object, sorted; none where no cluster was read."""
    if live is None or not live.endpoints:
        return ()
    standings = _standings(decisions, context)
    uids = frozenset(live.objects.values())
    return tuple(
        LostObject(
            key=key,
            hostnames=tuple(sorted({rrset.name for rrset in one.entries.values()})),
            source=one.source,
            standing=standings.get(key.id, "unwanted"),
        )
        for key, one in live_objects(live.endpoints)
        # The state may know it under another name of the cluster.
        if one.owner == live.owner and key.id not in live.objects and (not one.uid or one.uid not in uids)
    )


def _standings(decisions: Iterable[Decision], context: Context) -> dict[str, ObjectStanding]:
    """Return by Pulumi name what the names for an object make it."""
    found: dict[str, ObjectStanding] = {}
    for one in decisions:
        standing = _standing(one)
        for zone in [one.zone] if one.zone else context.zones.longest(one.hostname):
            key = context.places.key(one.source, zone) if zone.visibility == one.visibility else None
            if key and standing != "unwanted" and found.get(key.id) != "wanted":
                found[key.id] = standing
    return found


def _standing(decision: Decision) -> ObjectStanding:
    # Where the object is what keeps the name out, the refusal tells of it.
    if decision.promised or (decision.refusal and decision.refusal.rule == "owner-foreign"):
        return "wanted"
    waits = decision.refusal and decision.state != "elsewhere" and decision.refusal.rule not in ENDS
    return "waiting" if waits else "unwanted"


def unknown_objects(found: Iterable[LostObject]) -> tuple[Notice, ...]:
    """Return a warning for each of them in which this run publishes nothing."""
    return tuple(_notice(one) for one in found if one.standing != "wanted")


def _notice(one: LostObject) -> Notice:
    waits = one.standing == "waiting"
    why = "whose names are all refused for now" if waits else "for which this run has no name"
    what = "delete it if what it holds must not be published" if waits else "delete it"
    message = (
        f"{KIND} {one.key.path} of cluster {one.key.cluster}, {why}, carries the marker of this stack, whose state "
        f"does not hold it: {what} (edge-dns audit orphans tells what it holds), unless another installation "
        "has a stack of this name"
    )
    return Notice(rule=None, path="edge-dns:zones", message=message)
