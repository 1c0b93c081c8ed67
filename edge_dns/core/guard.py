"""The guard against mass withdrawal: what stops a run before anything is registered.

It compares the records of the last state with the planned ones. Policies cannot do it: they never see deletes.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from textwrap import shorten

from edge_dns.core.agent_clusters import Rehoused
from edge_dns.core.causes import Causes, cause_lines
from edge_dns.core.endpoint_checks import TakenObject
from edge_dns.core.endpoint_entries import MARKER
from edge_dns.core.moves import Transition, transition_text
from edge_dns.core.notices import Notice
from edge_dns.core.remedies import REMEDIES
from edge_dns.core.rules import Refusal
from edge_dns.core.service_routes import Taken
from edge_dns.core.settings import Acknowledge, Safety
from edge_dns.core.texts import counted, hanging, printable
from edge_dns.core.zone_changes import ZoneChanges

_NAMES_SHOWN = 20
_WIDTH = 76
"""The engine indents its messages by four columns."""
_LONGEST_CAUSE = 240
_STUCK = "to go on, give one of these tunnels another hostname for one run: no invite can be empty"
_LIMITS = frozenset({"mass-delete", "mass-update"})
_CAUSE_IS_TOLD = frozenset(
    {"hub-account", "host-transition", "route-identity", "dnsendpoint-identity", "agent-identity", "zone-moved"}
)
_LOOK_FIRST = frozenset({"empty-desired", "hub-account", "zone-moved"})
_SET = "edge-dns:safety.acknowledge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A reason to stop the whole run, with the hostnames concerned, sorted.

    The reason of the refusal says what would happen and why. `way_out` is how to let it pass when it is meant; the
    stops that one acknowledgement is for have the same.
    """

    refusal: Refusal
    hostnames: tuple[str, ...]
    way_out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """How many objects a cluster listed."""

    gateways: int
    routes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What would stop the run, before anybody is asked: `way_out` is empty where an acknowledgement lets it pass."""

    rule: str
    why: str
    hostnames: frozenset[str]
    changes: ZoneChanges | None = None
    way_out: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The stops that remain, empty when the run may go on, and whether an acknowledgement let anything through."""

    stops: tuple[Stop, ...]
    acknowledged: bool


def told(stops: Iterable[Stop]) -> str:
    """Return all stops of a run as one text of at most 80 columns: causes and names first, the ways out last."""
    found = tuple(stops)
    reasons = [f"{stop.refusal.rule}: {stop.refusal.reason}" for stop in found]
    return "\n".join((*reasons, *ways_out(found)))


def ways_out(stops: Sequence[Stop]) -> tuple[str, ...]:
    """Return how to let the stops pass, each way once; where there are several, first that each of them is needed."""
    ways = tuple(dict.fromkeys(stop.way_out for stop in stops))
    return ways if len(ways) < 2 else (f"the run goes on only with all of these {len(ways)} answers:", *ways)


def judge(findings: Sequence[Finding], acknowledge: Acknowledge | None, causes: Causes) -> Verdict:
    """Return what an acknowledgement leaves of the findings.

    A count has to be the number of all different hostnames that an acknowledgement is needed for; names let every
    finding pass whose hostnames they hold.
    """
    needed = [one for one in findings if not one.way_out]
    left = [one for one in needed if not _names_cover(acknowledge, one)]
    if acknowledge and acknowledge.count == len(_hostnames(needed)):
        left = []
    way_out = _way_out(_hostnames(left), acknowledge)
    remaining = [one for one in findings if one.way_out or one in left]
    stops = tuple(
        _stop(one, one.way_out or way_out, causes, told_by=_holder(one, remaining[:index]))
        for index, one in enumerate(remaining)
    )
    return Verdict(stops=stops, acknowledged=len(left) < len(needed))


def over_limits(changes: Iterable[ZoneChanges], safety: Safety) -> tuple[Finding, ...]:
    """Return what exceeds the safety settings in each zone.

    `mass-delete` and `mass-update` when more than the set share of at least `minRecords` own RRsets would be withdrawn
    or changed; `delete-forbidden` for protected hostnames and, with `withdraw: never`, for all, which nothing
    acknowledges.
    """
    found: list[Finding] = []
    for zone in changes:
        found += _forbidden(zone, safety)
        if safety.withdraw != "free":
            limit = _Limit(rule="mass-delete", verb="withdrawn", setting="maxWithdraw", share=safety.max_withdraw)
            found += _over(zone, zone.withdrawn, limit, safety)
        limit = _Limit(rule="mass-update", verb="changed", setting="maxUpdate", share=safety.max_update)
        found += _over(zone, zone.changed, limit, safety)
    return tuple(found)


def below_minimum(changes: Iterable[ZoneChanges], safety: Safety) -> Iterator[Notice]:
    """Yield what would stop the run if `minRecords` were not more than what the zone holds."""
    small = (zone for zone in changes if zone.before < safety.min_records)
    for one in over_limits(small, safety.model_copy(update={"min_records": 0})):
        if one.rule in _LIMITS:
            message = f"{one.why}, but is not looked at below safety.minRecords ({safety.min_records} own records)"
            yield Notice(rule=None, path="edge-dns:safety.minRecords", message=message)


def empty_desired(
    published: Mapping[str | None, Collection[str]], planned: Collection[str], listed: Mapping[str, Listing]
) -> tuple[Finding, ...]:
    """Return the `empty-desired` findings: nothing planned where something was, or a cluster that lists nothing now.

    `published` holds the hostnames of the last state by cluster (None for tunnels), `planned` all hostnames of this
    run, `listed` the clusters of the settings: a cluster that is not among them was removed on purpose.
    """
    everything = frozenset(name for names in published.values() for name in names)
    if everything and not planned:
        return (_empty(everything, "nothing at all would be published"),)
    found = []
    for cluster, listing in sorted(listed.items()):
        missing = [what for what, count in (("Gateway", listing.gateways), ("route", listing.routes)) if not count]
        names = published.get(cluster, ())
        if names and missing:
            found.append(_empty(names, f"cluster {cluster} lists no {' and no '.join(missing)} that `select` takes"))
    return tuple(found)


def hub_account(invites: Collection[str], hostnames: Collection[str]) -> tuple[Finding, ...]:
    """Return the `hub-account` finding for known invites of which the hub shows none.

    `hostnames` are those published for them; with none at stake nothing can be lost.
    """
    if not invites or not hostnames:
        return ()
    why = (
        f"the hub shows none of the known invites ({', '.join(sorted(invites))}): edge-dns:hub.apiKey is of another "
        f"account, or all are deleted, and {counted(len(hostnames), 'hostname')} would be withdrawn"
    )
    return (Finding(rule="hub-account", why=why, hostnames=frozenset(hostnames)),)


def zone_moved(hostnames: Mapping[str, Collection[str]]) -> tuple[Finding, ...]:
    """Return the `zone-moved` findings; `hostnames` are those that would be withdrawn, by domain of `elsewhere`."""
    return tuple(
        Finding(
            rule="zone-moved",
            why=f"edge-dns:elsewhere leaves the names of {domain} to another stack, but this one publishes "
            f"{len(names)} of them, and their records would be deleted",
            hostnames=frozenset(names),
        )
        for domain, names in sorted(hostnames.items())
    )


def host_transition(transitions: Collection[Transition]) -> tuple[Finding, ...]:
    """Return the `host-transition` findings: hostnames that an acknowledgement lets go for one run, and the others."""
    found = []
    for way_out, is_stuck in (("", False), (_STUCK, True)):
        those = [one for one in transitions if (one.why == "stuck") is is_stuck]
        if those:
            names = frozenset(one.hostname for one in those)
            why = transition_text(those)
            found.append(Finding(rule="host-transition", why=why, hostnames=names, way_out=way_out))
    return tuple(found)


def route_identity(taken: Iterable[Taken]) -> tuple[Finding, ...]:
    """Return the `route-identity` findings: the engine would change or delete a route that is not the stack's."""
    return tuple(
        Finding(
            rule="route-identity",
            why=f"{one.route} in cluster {one.cluster} is not the one of the state: {one.why}, and the engine would "
            "change or delete it",
            hostnames=frozenset(one.route.hostnames),
            way_out=one.way_out,
        )
        for one in taken
    )


def dnsendpoint_identity(taken: Iterable[TakenObject], hostnames: Mapping[str, Collection[str]]) -> tuple[Finding, ...]:
    """Return the `dnsendpoint-identity` findings; `hostnames` are those of the objects, by Pulumi name."""
    return tuple(
        Finding(
            rule="dnsendpoint-identity",
            why=f"DNSEndpoint {one.key.path} in cluster {one.key.cluster} is not the one of the state: "
            f"{_mistaken(one)}",
            hostnames=frozenset(hostnames.get(one.key.id, ())),
            way_out=_way_out_of(one),
        )
        for one in taken
        # What nobody wants any more is to be deleted, by whatever name.
        if one.former is None or one.key.id in hostnames
    )


def agent_identity(rehoused: Iterable[Rehoused]) -> tuple[Finding, ...]:
    """Return the `agent-identity` findings: the engine would make an agent anew, and then delete it."""
    return tuple(
        Finding(
            rule="agent-identity",
            why=f"the state knows agent {one.planned} of tunnel {one.tunnel} as {one.former}, from a cluster that left "
            "the settings; if it is the same cluster, its objects would go, and the tunnel would be cut off",
            hostnames=frozenset(one.hostnames),
            way_out=_cluster_way_out(one),
        )
        for one in rehoused
    )


def _cluster_way_out(one: Rehoused) -> str:
    former, planned = (text.partition("/")[0] for text in (one.former, one.planned))
    return (
        f"name the cluster {former} again; or take its agents out of the tunnels, update, and enter them again under "
        f"{planned}; if {planned} is another cluster, keep {former} in edge-dns:clusters for this run"
    )


def _mistaken(one: TakenObject) -> str:
    if one.former:
        return f"the state knows it as {one.former}, from a cluster of another name, and the engine would delete it"
    said = f"names {one.owner}" if one.owner else "is not there"
    return f"its annotation {MARKER} {said}, and the engine would change or delete it"


def _way_out_of(one: TakenObject) -> str:
    if one.former:
        return (
            f"name the cluster {one.former.rsplit('/', 2)[0]} again; or let the state forget the object {one.former}: "
            "pulumi state delete with its URN, and the next run takes it over under the new name"
        )
    return (
        f"delete it, or let the state forget the object {one.key.id}: pulumi state delete with its URN; if it is the "
        "one that this stack made, put the annotation back as the state has it"
    )


# --- the limits -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Limit:
    rule: str
    verb: str
    setting: str
    share: float


def _forbidden(zone: ZoneChanges, safety: Safety) -> Iterable[Finding]:
    if protected := zone.deleting & set(safety.protect):
        why = f"{zone.title}: {counted(len(protected), 'hostname')} of safety.protect would lose a record"
        way_out = "when this is meant: take them out of edge-dns:safety.protect"
        yield Finding(rule="delete-forbidden", why=why, hostnames=protected, changes=zone, way_out=way_out)
    if safety.withdraw == "never" and zone.deleting:
        why = f"{zone.title}: {counted(len(zone.deleting), 'hostname')} would lose a record, safety.withdraw is never"
        way_out = "when this is meant: set edge-dns:safety.withdraw to guarded for this run"
        yield Finding(rule="delete-forbidden", why=why, hostnames=zone.deleting, changes=zone, way_out=way_out)


def _over(zone: ZoneChanges, affected: Mapping[str, int], limit: _Limit, safety: Safety) -> Iterable[Finding]:
    count = sum(affected.values())
    # The share as it was written: 0.3 is three tenths, not the binary number beside it.
    if zone.before < safety.min_records or count <= Fraction(str(limit.share)) * zone.before:
        return
    percent, allowed = 100 * count / zone.before, 100 * limit.share
    why = (
        f"{zone.title}: {count} of {zone.before} own records ({percent:.2f} %) would be {limit.verb}, "
        f"safety.{limit.setting} allows {allowed:g} %"
    )
    yield Finding(rule=limit.rule, why=why, hostnames=frozenset(affected), changes=zone)


def _empty(names: Collection[str], why: str) -> Finding:
    hostnames = frozenset(names)
    text = f"{why}, and {counted(len(hostnames), 'hostname')} would be withdrawn"
    return Finding(rule="empty-desired", why=text, hostnames=hostnames)


# --- the acknowledgement ----------------------------------------------------------------------------------------------


def _names_cover(acknowledge: Acknowledge | None, finding: Finding) -> bool:
    return acknowledge is not None and acknowledge.names is not None and finding.hostnames <= set(acknowledge.names)


def _hostnames(findings: Iterable[Finding]) -> frozenset[str]:
    return frozenset(name for one in findings for name in one.hostnames)


def _way_out(hostnames: Collection[str], acknowledge: Acknowledge | None) -> str:
    """Return how to acknowledge exactly these hostnames, and what is wrong with the acknowledgement that is there."""
    count = len(hostnames)
    lines = _wrap(
        f"when this is meant: to allow exactly this in one run, set {_SET}.count to {count}, "
        f"or list all these hostnames in {_SET}.names"
    )
    if acknowledge and acknowledge.count is not None:
        lines += _wrap(f"safety.acknowledge.count is {acknowledge.count}, this run needs {count}")
    elif acknowledge and acknowledge.names is not None:
        missing = sorted(set(hostnames) - set(acknowledge.names))
        lines += _wrap(f"safety.acknowledge.names holds {count - len(missing)} of them; missing:")
        lines += _listed(missing)
    return "\n".join(lines)


# --- the text ---------------------------------------------------------------------------------------------------------


def _holder(finding: Finding, earlier: Iterable[Finding]) -> str:
    """Return the rule of an earlier finding that has told these hostnames and their causes already, or nothing."""
    return next((one.rule for one in earlier if finding.hostnames <= one.hostnames), "")


def _stop(finding: Finding, way_out: str, causes: Causes, *, told_by: str) -> Stop:
    hostnames = tuple(sorted(finding.hostnames))
    # The first line comes behind `error:` and the rule.
    room = " " * len(f"error: {finding.rule}: ")
    first, *more = _wrap(f"{finding.why}:", indent=room)
    if told_by:
        details = [f"  causes and hostnames: among those of {told_by}"]
    else:
        details = [*_causes(finding, causes), "hostnames:", *_listed(hostnames)]
    lines = [first.strip(), *more, *details]
    return Stop(refusal=Refusal(rule=finding.rule, reason="\n".join(lines)), hostnames=hostnames, way_out=way_out)


def _causes(finding: Finding, causes: Causes) -> Iterable[str]:
    """The causes of the hostnames with their remedies; where the whole of it is suspicious, what to look at first."""
    if finding.rule in _LOOK_FIRST:
        yield from _wrap(f"-> {REMEDIES[finding.rule]}", indent="  ", rest="     ")
    known = [cause for name in finding.hostnames if (cause := causes.of(name, finding.changes))]
    # The hub shows no invite at all: what became of each of them is no cause.
    for line, todo in cause_lines(known) if finding.rule not in _CAUSE_IS_TOLD else ():
        yield from _wrap(shorten(printable(line), _LONGEST_CAUSE, placeholder=" ..."), indent="  ", rest="      ")
        if todo:
            yield from _wrap(f"-> {todo}", indent="      ", rest="         ")


def _listed(names: Sequence[str]) -> list[str]:
    lines = [f"  {name}" for name in names[:_NAMES_SHOWN]]
    return lines if len(names) <= _NAMES_SHOWN else [*lines, f"  and {len(names) - _NAMES_SHOWN} more"]


def _wrap(text: str, *, indent: str = "", rest: str = "") -> list[str]:
    return hanging(text, indent, rest, width=_WIDTH)
