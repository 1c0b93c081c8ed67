"""The walk of one hostname through all steps of the plan, in their fixed order: what each of them looked at."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from edge_dns.core.binding import declared_hostnames
from edge_dns.core.claims import Claim, Rejection
from edge_dns.core.cloudflare_tunnels import CloudflareTunnelPlan
from edge_dns.core.decision import Decision
from edge_dns.core.exceptions import described
from edge_dns.core.names import in_zone
from edge_dns.core.plan import Observed, Plan
from edge_dns.core.remedies import REMEDIES
from edge_dns.core.rrsets import describe_rrset, join_slots
from edge_dns.core.services import ServicePlan
from edge_dns.core.settings import Cluster, Settings, Zone
from edge_dns.core.tunnels import TunnelPlan
from edge_dns.core.zones import zone_key

_STEP_OF = {
    "name-syntax": "name-syntax",
    "exposure-internal": "exposure",
    "route-foreign": "admission",
    "internal-authority-missing": "exposure",
    "unlisted-publisher": "exposure",
    "register-grew": "exposure",
    "host-taken": "hub",
    "host-transition": "hub",
    "invite-gone": "hub",
    "invite-revoked": "hub",
    "edge-target-unknown": "hub",
    "tunnel-gone": "hub",
    "tunnel-foreign": "hub",
    "ingress-foreign": "hub",
    "host-claimed-twice": "claim",
    "zone-none": "zone",
    "zone-elsewhere": "zone",
    "zone-ambiguous": "zone",
    "wildcard-opt-in": "zone",
    "below-delegation": "zone",
    "tunnel-zone": "zone",
    "record-not-allowed-by-zone": "permission",
    "private-address-public-zone": "address",
    "internal-name-public-zone": "address",
    "cname-coexistence": "coexistence",
    "cname-loop": "coexistence",
    "duplicate-record": "coexistence",
    "rrset-ttl-consistent": "coexistence",
    "owner-foreign": "ownership",
    "owner-duplicate": "ownership",
    "adopt-differs": "ownership",
    "release-listed": "ownership",
}
"""The step of a rule; every other rule that refuses a claim is one of the conversion."""

_WITHOUT_CLAIMS = ("name-syntax", "admission", "exposure", "hub")

Trails = Sequence[tuple[Cluster, tuple[str, ...]]]
"""Of each cluster what its routes say of the hostname."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: `outcome` is passed, held, decides, or `-` where there was nothing to look at."""

    name: str
    outcome: str
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """The way of a hostname to the zones of one visibility, up to the step that decided."""

    decision: Decision
    steps: tuple[Step, ...]
    todo: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """What the steps look at."""

    decision: Decision
    claims: tuple[Claim, ...]
    rejections: tuple[Rejection, ...]
    tunnels: tuple[TunnelPlan, ...]
    services: tuple[ServicePlan, ...]
    cloudflare: tuple[CloudflareTunnelPlan, ...]
    trails: tuple[str, ...]
    settings: Settings
    plan: Plan
    hub_was_read: bool


def walk(decision: Decision, plan: Plan, settings: Settings, observed: Observed, trails: Trails) -> Walk:
    """Return the way of the hostname of one decision of a plan."""
    case = _case(decision, plan, settings, observed, trails)
    deciding = _deciding_step(case)
    steps: list[Step] = []
    for name, look in _LOOKS.items():
        details = (*look(case), *_exceptions(case, name))
        if name == deciding and decision.refusal:
            told = f"{decision.refusal.rule}: {decision.refusal.reason}"
            steps.append(Step(name=name, outcome="decides", details=(*details, told)))
            break
        outcome = "held" if name == "admission" and _is_held_on_a_receipt(case) else "passed" if details else "-"
        steps.append(Step(name=name, outcome=outcome, details=details))
    if plan.stops:
        steps = [step for step in steps if step.name != "guard"]
        steps.append(Step(name="guard", outcome="decides", details=tuple(_guard_stops(case))))
    return Walk(decision=decision, steps=tuple(steps), todo=_todo(case))


def _exceptions(case: _Case, step: str) -> Iterator[str]:
    for one in case.decision.excepted:
        if _STEP_OF.get(one.rule, "conversion") == step:
            yield described(one)


def _case(decision: Decision, plan: Plan, settings: Settings, observed: Observed, trails: Trails) -> _Case:
    key = (decision.hostname, decision.visibility)
    claims = tuple(one for one in plan.basis.claims if (one.hostname, one.visibility) == key)
    rejections = tuple(one for one in plan.basis.rejections if (one.hostname, one.visibility) == key)
    sources = {one.source for one in claims} | {one.source for one in rejections}
    return _Case(
        decision=decision,
        claims=tuple(sorted(claims, key=lambda one: one.source.sort_key)),
        rejections=tuple(sorted(rejections, key=lambda one: one.source.sort_key)),
        tunnels=tuple(one for one in plan.tunnels if one.source in sources),
        services=tuple(one for one in plan.services if decision.hostname in one.hostnames),
        cloudflare=tuple(one for one in plan.cloudflare if one.source in sources),
        trails=tuple(line for cluster, lines in trails if cluster.visibility == decision.visibility for line in lines),
        settings=settings,
        plan=plan,
        hub_was_read=observed.hub is not None,
    )


def _is_held_on_a_receipt(case: _Case) -> bool:
    refusal = case.decision.refusal
    return case.decision.state == "held" and any(claim.hold == refusal for claim in case.claims)


def _deciding_step(case: _Case) -> str | None:
    """Return the step whose rule decided; None for a name that passes all of them, held on a receipt or not."""
    refusal = case.decision.refusal
    if refusal is None or _is_held_on_a_receipt(case):
        return None
    step = _STEP_OF.get(refusal.rule, "conversion")
    # What no source claims was refused at its source, whatever the rule; who publishes the domain comes before that.
    return step if case.claims or step in _WITHOUT_CLAIMS or refusal.rule == "zone-elsewhere" else "admission"


def _todo(case: _Case) -> str:
    decision = case.decision
    if case.plan.stops:
        rule = case.plan.stops[0].refusal.rule
        return f"the run stops ({rule}), and nothing changes: {REMEDIES[rule]}"
    if decision.refusal:
        return REMEDIES[decision.refusal.rule]
    return "nothing; the record is made once the hub confirms the name" if decision.conditional else "nothing"


# --- what each step looks at: its lines, none where there is nothing --------------------------------------------------


def _name_syntax(case: _Case) -> Iterator[str]:
    if not (case.decision.refusal and case.decision.refusal.rule == "name-syntax"):
        yield f"{case.decision.hostname} is a DNS name"


def _admission(case: _Case) -> Iterator[str]:
    named = [(one.source, one.tunnel) for one in case.tunnels] + [(one.source, one.tunnel) for one in case.cloudflare]
    for source, tunnel in named:
        yield f"{source} names it, dns.mode {tunnel.dns.mode}"
    yield from case.trails
    for one in case.rejections:
        if one.source.kind in {"Service", "ListenerSet", "GRPCRoute", "TLSRoute"}:
            yield f"{one.source}: {one.refusal.rule}"
    if not (case.claims or case.rejections):
        yield "no source names it"


def _exposure(case: _Case) -> Iterator[str]:
    decision = case.decision
    for service in case.services:
        said = (
            f"exposure {service.service.exposure}"
            if service.service.given("exposure")
            else "none, and internal is the default"
        )
        yield f"{service} says {said}"
    for service in _services_by_route(case):
        yield f"{service} is internal and does not list it, but the route of its name counts as a whole, and names it"
    if decision.blast_radius:
        yield from decision.blast_radius.lines
    if case.claims and not case.plan.basis.context.why_internal(decision.hostname, decision.visibility):
        yield "no route and no Gateway of it opts out of publishing by annotation"


def _services_by_route(case: _Case) -> Iterator[ServicePlan]:
    """Yield the internal services of which only the route that has their name names the hostname."""
    for service in case.plan.services:
        state = case.plan.basis.clusters.get(service.source.cluster or "")
        if service.why_internal is None or service in case.services or state is None:
            continue
        routes = (one for one in state.routes if (one.namespace, one.name) == service.key)
        if any(case.decision.hostname in declared_hostnames(one).valid for one in routes):
            yield service


def _hub(case: _Case) -> Iterator[str]:
    for tunnel in case.tunnels:
        target = f"edge target {tunnel.target.value}" if tunnel.target else "no edge target"
        yield f"{tunnel.source}: {_confirmation(case, tunnel)}; region {tunnel.region}, {target}"
    for one in case.cloudflare:
        made = f"Cloudflare tunnel {one.tunnel_id}" if one.tunnel_id else "the run makes its Cloudflare tunnel"
        rule = next((str(rule) for rule in one.ingress if rule.hostname == case.decision.hostname), "no ingress rule")
        yield f"{one.source}: {made}; {rule}"


def _confirmation(case: _Case, tunnel: TunnelPlan) -> str:
    if not case.hub_was_read:
        return "the hub was not read, its confirmation is predicted"
    invite = f"invite {tunnel.invite_id}" if tunnel.invite_id else "no invite yet"
    confirmed = "confirms the name" if case.decision.hostname in tunnel.confirmed else "does not list the name yet"
    return f"{invite}, the hub {confirmed}"


def _claim(case: _Case) -> Iterator[str]:
    names = [str(claim.source) for claim in case.claims]
    if len(names) == 1:
        yield f"{names[0]} alone claims it"
    elif names:
        yield f"claimed by {' and '.join(names)}"
    for one in case.rejections if case.claims else ():
        yield f"{one.source} names it too: {one.refusal.rule}"


def _zone(case: _Case) -> Iterator[str]:
    decision = case.decision
    candidates = sorted(
        (zone for zone in case.settings.zones if in_zone(decision.hostname, zone.domain)),
        key=lambda zone: (-len(zone.domain), zone.visibility, zone_key(zone)),
    )
    chosen = decision.zone if decision.promised else None
    if chosen:
        yield f"in {_described(chosen)}"
    others = [_described(zone) for zone in candidates if zone is not chosen]
    others += [
        f"{one.domain} of edge-dns:elsewhere ({one.visibility})"
        for one in case.settings.elsewhere
        if in_zone(decision.hostname, one.domain)
    ]
    if others:
        yield f"{'other candidates' if chosen else 'candidates'}: {'; '.join(others)}"
    elif not chosen:
        yield "no zone of the settings holds it"


def _described(zone: Zone) -> str:
    return f"zone {zone.domain} ({zone.provider} {zone_key(zone)}, {zone.visibility})"


def _target(case: _Case) -> Iterator[str]:
    for claim in case.claims:
        values = ", ".join(target.value for target in claim.targets) or "none"
        yield f"{claim.source}: {values}, {_origin(claim)}"


def _origin(claim: Claim) -> str:
    if claim.account:
        return "the tunnel itself"
    if claim.source.kind != "Gateway":
        return "its edge target"
    return "the edge target that the settings give it" if claim.at_edge else "from its status.addresses"


def _conversion(case: _Case) -> Iterator[str]:
    for rrset in join_slots(case.decision.records):
        yield describe_rrset(rrset)


def _permission(case: _Case) -> Iterator[str]:
    zone = case.decision.zone
    if zone and zone.allowed_record_sets is None:
        yield f"zone {zone.domain} has no allowedRecordSets"
    elif zone:
        namespaces = ", ".join(sorted({name for claim in case.claims for name in claim.namespaces}))
        yield f"allowedRecordSets of zone {zone.domain}, asked for namespace {namespaces}"


def _address(case: _Case) -> Iterator[str]:
    zone = case.decision.zone
    if zone:
        values = "globally routable values only" if zone.visibility == "public" else "any value"
        yield f"zone {zone.domain} is {zone.visibility}: {values}"


def _coexistence(case: _Case) -> Iterator[str]:
    live = " and the live zone" if case.plan.basis.context.live else ""
    yield f"compared with all other records of the plan{live}"


def _ownership(case: _Case) -> Iterator[str]:
    context = case.plan.basis.context
    published = context.published.get(case.decision.hostname, ())
    before = [one for one in published if one.visibility == case.decision.visibility]
    for one in before:
        slots = ", ".join(record.slot for record in one.records)
        yield f"published before by {one.source}, slot {slots}"
    if not before:
        yield "the memory holds no record of it"
    yield from case.decision.warnings
    if context.live is None:
        yield "live zones are not read by this command: who else holds the name is unknown"


def _guard(case: _Case) -> Iterator[str]:
    if not case.plan.stops:
        yield "the whole plan is within the limits of `safety`"


def _guard_stops(case: _Case) -> Iterator[str]:
    for stop in case.plan.stops:
        among = "this name is among them" if case.decision.hostname in stop.hostnames else "for other names"
        yield f"{stop.refusal.rule} stops the run, {among}"


_LOOKS: Mapping[str, Callable[[_Case], Iterator[str]]] = {
    "name-syntax": _name_syntax,
    "admission": _admission,
    "exposure": _exposure,
    "hub": _hub,
    "claim": _claim,
    "zone": _zone,
    "target": _target,
    "conversion": _conversion,
    "permission": _permission,
    "address": _address,
    "coexistence": _coexistence,
    "ownership": _ownership,
    "guard": _guard,
}


STEPS = tuple(_LOOKS)
"""The names of the steps in their order."""
