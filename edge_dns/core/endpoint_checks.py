"""What keeps a name out of a DNSEndpoint: no place for the object, somebody else's object there, a wrong reader of it.

The provider's create would fail on a missing CRD after a minute of retries; what is asked here is known before.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from edge_dns.core.endpoint_entries import GROUP, KIND
from edge_dns.core.endpoint_places import ObjectKey, Places, live_objects
from edge_dns.core.endpoint_readers import Reader
from edge_dns.core.exposure import EXPOSURE_LABEL
from edge_dns.core.live import Live
from edge_dns.core.live_endpoints import LiveEndpoints
from edge_dns.core.ownership import REMEDY
from edge_dns.core.rrsets import describe_rrset
from edge_dns.core.rules import refuse
from edge_dns.core.settings import Zone
from edge_dns.core.values import RRset, SlotRecord, Source

_UNDO = "change it back there, or delete the object and run `pulumi up --refresh`"
FILTER = f"--label-filter={EXPOSURE_LABEL}!=public"


def check_place(key: ObjectKey, live: LiveEndpoints, namespaces: Mapping[str, object] | None) -> None:
    """Raise Refused (`dnsendpoint-unavailable`) where the object cannot be: no CRD, or no such namespace."""
    if live.objects is None:
        refuse(
            "dnsendpoint-unavailable",
            f"cluster {key.cluster} has no {KIND} ({GROUP}): its CRD is missing; install the CRD of external-dns, "
            "the next run goes on from there",
        )
    if namespaces is not None and key.namespace not in namespaces:
        refuse(
            "dnsendpoint-unavailable",
            f"cluster {key.cluster} has no namespace {key.namespace}, which {KIND} {key.path} goes to; create it",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenObject:
    """An object that the engine would take for the one of the state, whose marker it lacks.

    Or, with `former`, one that the state knows by that Pulumi name, from a cluster of another name: taken over under
    the new one, it would be deleted under the old one.
    """

    key: ObjectKey
    owner: str | None
    former: str | None = None


def taken_objects(live: Live | None) -> tuple[TakenObject, ...]:
    """Return the objects that the engine would mistake, sorted; none where no cluster was read.

    The state alone proves nothing: a refresh takes over whatever has the name now.
    """
    if live is None:
        return ()
    known = {uid: name for name, uid in sorted(live.objects.items()) if uid}
    found = []
    for key, one in live_objects(live.endpoints):
        if key.id not in live.objects and one.uid in known:
            found.append(TakenObject(key=key, owner=one.owner, former=known[one.uid]))
        elif key.id in live.objects and one.owner != live.owner:
            found.append(TakenObject(key=key, owner=one.owner))
    return tuple(found)


def check_owner(key: ObjectKey, live: LiveEndpoints, *, own: bool, owner: str, announced: bool) -> Mapping[str, str]:
    """Return the import id of the object, by its Pulumi name, where it is our own create that was cut off.

    `own`: the state holds it. `announced`: the last state was about to declare it. Raises Refused (`owner-foreign`)
    for an object that is not this stack's.
    """
    found = live.objects.get(key.path) if live.objects is not None else None
    if found is None or own:
        return {}
    if found.owner != owner or not announced:
        whose = f" (it is marked as that of {found.owner})" if found.owner else ""
        refuse(
            "owner-foreign",
            f"{KIND} {key.path} of cluster {key.cluster} is not of this stack{whose}; it stays untouched, delete it or "
            "take the hostname out",
        )
    return {key.id: key.path}


def check_readers(source: Source, zone: Zone, key: ObjectKey, live: LiveEndpoints, places: Places) -> None:
    """Raise Refused (`lan-filter-missing`) where an external-dns of a private view would take a public object.

    Several that read public objects are told apart by the exposure label: one that would take the same object with
    another exposure reads everything. A single one serves everybody, unless the settings have a private view of the
    same names beside it, or leave it to another stack.
    Source: the rollout order of split horizon (docs/external-dns.md).
    """
    if zone.visibility != "public" or not live.readers:
        return
    labels, annotations = places.labels(source, zone), places.annotations(source, zone)
    taking = [one for one in live.readers if one.takes(key.namespace, labels, annotations, zone.domain)]
    other = {**labels, EXPOSURE_LABEL: "internal"}
    unfiltered = [one for one in taking if one.takes(key.namespace, other, annotations, zone.domain)]
    if unfiltered and (len(taking) > 1 or places.has_private_view(zone, key.cluster)):
        refuse("lan-filter-missing", _rollout(unfiltered, key))


def object_drift(
    key: ObjectKey, known: Mapping[str, RRset], wanted: Iterable[SlotRecord], live: Live
) -> tuple[str, ...]:
    """Return what changed outside in the entries of one name that the state holds by slot, with the remedy."""
    found = live.endpoints.get(key.cluster)
    if key.id not in live.objects or found is None or found.objects is None:
        return ()
    there = found.objects.get(key.path)
    if there is None:
        return (f"{KIND} {key.path} is gone from cluster {key.cluster}; {REMEDY}",)
    intended = {one.slot: one.rrset for one in wanted}
    return tuple(
        f"its entry {describe_rrset(rrset)} in {KIND} {key.path} was changed; {_UNDO}"
        for slot, rrset in sorted(known.items())
        if there.entries.get(slot) not in (rrset, intended.get(slot))
    )


def _rollout(unfiltered: Sequence[Reader], key: ObjectKey) -> str:
    names = ", ".join(one.title for one in unfiltered)
    which = "these external-dns instances" if len(unfiltered) > 1 else "this external-dns"
    return (
        f"{names} of cluster {key.cluster} would take public names into a private view. First give {which} "
        f"{FILTER} (the instance for public names: {FILTER.replace('!=', '=')}), then run again; "
        "safety.acknowledge.names lets one run pass"
    )
