"""Admission: which hostnames of a cluster's HTTPRoutes may be published for which Gateway, and why the others may not.

A new hostname needs a current Accepted=True for every parentRef of its route. A published one stays as long as a
receipt for exactly its binding exists, its route still declares it and nothing current denies it; so a status that says
nothing neither admits nor withdraws.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from edge_dns.core.acceptance import Acceptance, describe_ref, gateway_acceptance, ref_acceptance
from edge_dns.core.binding import Binding, Bound, Hostnames, bind, bound_hostnames, declared_hostnames, why_unbound
from edge_dns.core.exposure import publisher_text
from edge_dns.core.gateway_state import Gateway, GatewayState, HTTPRoute, NotSupported, ParentRef
from edge_dns.core.opt_out import internal_hostnames, only_private_hostnames, opt_out
from edge_dns.core.publishers import Publishers
from edge_dns.core.receipts import GatewayMemory, Receipt, ReceiptBook, sorted_receipts
from edge_dns.core.rules import Refusal
from edge_dns.core.settings import Cluster
from edge_dns.core.targets import GatewayTargets, gateway_targets
from edge_dns.core.values import Source, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmittedName:
    """A hostname to publish; `hold` says why it is kept on a receipt only, `namespaces` are those of its routes.

    `private`: only private zones may hold it.
    """

    hostname: str
    namespaces: frozenset[str]
    hold: Refusal | None = None
    private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedName:
    """A hostname that a route declares, or would take from a listener, and that is not published."""

    hostname: str
    refusal: Refusal
    private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UnboundName:
    """A hostname of a route that refers to no Gateway at all."""

    hostname: str
    route: str
    refusal: Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewaySet:
    """The hostnames of one Gateway, all sorted by hostname; the Gateway may be missing from the state.

    `targets` are the current ones, or the last ones while the current ones are missing or not usable and names are
    held; `target_problem` says why current addresses are not usable. `at_edge`: the target is the edge target that the
    settings give the Gateway. `receipts` are what the next run has to remember.
    """

    name: str
    source: Source
    admitted: tuple[AdmittedName, ...]
    refused: tuple[RefusedName, ...]
    targets: tuple[Target, ...]
    target_problem: Refusal | None
    at_edge: bool
    receipts: tuple[Receipt, ...]

    @property
    def hostnames(self) -> tuple[str, ...]:
        """The hostnames of the endpoint record set as shown: the admitted ones.

        With targets of mixed kinds and no name to hold, the set shows the names that are refused for it.
        """
        if self.admitted:
            return tuple(dict.fromkeys(name.hostname for name in self.admitted))
        return tuple(name.hostname for name in self.refused if name.refusal.rule == "target-mixed-kinds")

    @property
    def exists(self) -> bool:
        """Whether there is an endpoint record set: it has hostnames and targets."""
        return bool(self.targets and self.hostnames)


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """The outcome for one cluster; `gateways` and `routes` count the selected ones that are not being deleted.

    `internal` are the hostnames that must not be published, whoever else wants them, with the reason of each;
    `only_private` those that only private zones may hold.
    """

    sets: tuple[GatewaySet, ...]
    unbound: tuple[UnboundName, ...]
    internal: Mapping[str, Refusal]
    only_private: Mapping[str, Refusal]
    not_supported: tuple[NotSupported, ...]
    gateways: int
    routes: int


def admit(
    cluster: Cluster,
    state: GatewayState,
    memory: Mapping[str, GatewayMemory],
    edge_targets: Mapping[tuple[str, str], str] = MappingProxyType({}),
    publishers: Publishers | None = None,
) -> Admission:
    """Return what the selected routes of a cluster may publish for its selected Gateways.

    `memory` holds what the last run left, by the name of the set. `edge_targets`, by namespace and name of a Gateway,
    stand for whatever addresses its status has or lacks. `publishers` says which routes may publish; None: all. Raises
    ObservationFailed when a listener selects namespaces by labels and the Namespace of a route was not read.
    """
    run = _Run(cluster, state, memory, edge_targets, publishers)
    routes = [route for route in state.routes if not route.deleting and selects_route(cluster, route)]
    for route in routes:
        run.take(route)
    return Admission(
        sets=tuple(run.drafts[key].finish() for key in sorted(run.drafts)),
        unbound=tuple(sorted(run.unbound, key=lambda name: (name.hostname, name.route))),
        internal=internal_hostnames(state, {one.key for one in state.gateways if selects_gateway(cluster, one)}),
        only_private=only_private_hostnames(state),
        not_supported=tuple(found for found in state.not_supported if _is_in_scope(cluster, found)),
        gateways=len(run.gateways),
        routes=len(routes),
    )


def gateway_set_name(namespace: str, name: str) -> str:
    """Return the name of a Gateway's endpoint record set: at most 63 characters, the same in every run."""
    base = f"{namespace}-{name}".replace(".", "-").replace("_", "-").lower()
    digest = hashlib.sha256(f"{namespace}/{name}".encode()).hexdigest()[:10]
    return f"{base if len(base) <= 52 else base[:52].strip('-')}-{digest}"


# --- selection --------------------------------------------------------------------------------------------------------


def selects_route(cluster: Cluster, route: HTTPRoute) -> bool:
    """Say whether `routes` of the cluster takes the route; that of a service of the settings counts always."""
    routes = cluster.routes
    return route.service is not None or (
        (not routes.namespaces or route.namespace in routes.namespaces)
        and (routes.labels is None or routes.labels.matches(route.labels))
        and (routes.annotations is None or routes.annotations.matches(route.annotations))
    )


def selects_gateway(cluster: Cluster, gateway: Gateway) -> bool:
    """Say whether `select` of the cluster takes the Gateway."""
    select = cluster.select
    return (
        select.may_select(gateway.namespace, gateway.name)
        and (select.labels is None or select.labels.matches(gateway.labels))
        and (not select.classes or gateway.class_name in select.classes)
    )


def _is_in_scope(cluster: Cluster, found: NotSupported) -> bool:
    namespaces = cluster.routes.namespaces
    return not (namespaces and found.kind.endswith("Route")) or found.namespace in namespaces


# --- one run over the routes ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """A route that asks for its hostnames under one of its parentRefs."""

    route: HTTPRoute
    declared: Hostnames
    ref: ParentRef

    @property
    def is_private(self) -> bool:
        """Whether only private zones may hold what it asks for."""
        return self.route.service == "private"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """How a route stands with one parentRef: `refusal` is None when new names may be published."""

    refusal: Refusal | None
    may_hold: bool


_PUBLISH = _Standing(refusal=None, may_hold=True)


class _Run:
    """Collects, route by route, what each Gateway gets."""

    def __init__(
        self,
        cluster: Cluster,
        state: GatewayState,
        memory: Mapping[str, GatewayMemory],
        edge_targets: Mapping[tuple[str, str], str],
        publishers: Publishers | None,
    ) -> None:
        self._cluster = cluster
        self._publishers = publishers
        self._state = state
        self._memory = memory
        self._edge_targets = edge_targets
        self._all = {gateway.key: gateway for gateway in state.gateways}
        self._bindings: dict[tuple[tuple[str, str], str, int | None, str], Binding] = {}
        self.gateways = [
            gateway for gateway in state.gateways if not gateway.deleting and selects_gateway(cluster, gateway)
        ]
        self.drafts = {gateway.key: self._draft(gateway.namespace, gateway.name, gateway) for gateway in self.gateways}
        self.unbound: list[UnboundName] = []

    def take(self, route: HTTPRoute) -> None:
        """Sort every hostname of one route into its Gateways."""
        declared = declared_hostnames(route)
        refs = tuple(dict.fromkeys(route.parent_refs))
        acceptances = {ref: ref_acceptance(route, ref, self._controller(ref)) for ref in refs}
        if not any(ref.is_gateway for ref in refs):
            self._take_unbound(route, declared, refs)
        for ref in refs:
            draft = self._draft_of(ref)
            if draft is None:
                continue
            request = _Request(route=route, declared=declared, ref=ref)
            for hostname, problem in declared.broken:
                draft.refuse(hostname, _broken(hostname, problem, str(route)))
            if draft.gateway is None:
                self._take_missing(request, draft)
            else:
                standing = self._standing(request, acceptances, draft)
                self._take_bound(request, draft, draft.gateway, standing)

    def _draft(self, namespace: str, name: str, gateway: Gateway | None) -> "_Draft":
        set_name = gateway_set_name(namespace, name)
        memory = self._memory.get(set_name, GatewayMemory())
        source = Source(cluster=self._cluster.name, kind="Gateway", namespace=namespace, name=name)
        edge_target = self._edge_targets.get((namespace, name))
        book = ReceiptBook(memory, self._cluster.stale_receipts)
        return _Draft(set_name, source, gateway, memory, book, edge_target=edge_target)

    def _draft_of(self, ref: ParentRef) -> "_Draft | None":
        """Return the draft of the Gateway that is referred to; None when it is not one of the selected."""
        key = (ref.namespace, ref.name)
        if not ref.is_gateway:
            return None
        if key not in self.drafts:
            # Every selected Gateway that lives has a draft, so this one is missing, being deleted or not selected.
            gateway = self._all.get(key)
            if not (selects_gateway(self._cluster, gateway) if gateway else self._cluster.select.may_select(*key)):
                return None
            self.drafts[key] = self._draft(*key, None)
        return self.drafts[key]

    def _controller(self, ref: ParentRef) -> str | None:
        gateway = self._all.get((ref.namespace, ref.name)) if ref.is_gateway else None
        return self._state.classes.get(gateway.class_name) if gateway else None

    def _standing(self, request: _Request, acceptances: Mapping[ParentRef, Acceptance], draft: "_Draft") -> _Standing:
        route, ref = request.route, request.ref
        if draft.denial:
            return _Standing(refusal=draft.denial, may_hold=False)
        if acceptances[ref] is not Acceptance.ACCEPTED:
            rejected = acceptances[ref] is Acceptance.REJECTED
            rule = "route-rejected" if rejected else "status-stale"
            return _Standing(refusal=self._unaccepted(rule, route, (ref,)), may_hold=not rejected)
        siblings = [other for other, state in acceptances.items() if state is not Acceptance.ACCEPTED]
        if siblings:
            return _Standing(refusal=self._unaccepted("route-not-accepted", route, siblings), may_hold=True)
        if draft.current.are_usable:
            return _PUBLISH
        no_address = Refusal(rule="no-address", reason=f"{draft.gateway} has no address in its status")
        return _Standing(refusal=draft.current.problem or no_address, may_hold=True)

    def _unaccepted(self, rule: str, route: HTTPRoute, refs: Iterable[ParentRef]) -> Refusal:
        said = "; ".join(sorted(describe_ref(route, ref, self._controller(ref)) for ref in refs))
        return Refusal(rule=rule, reason=f"{route}: {said}")

    def _take_unbound(self, route: HTTPRoute, declared: Hostnames, refs: tuple[ParentRef, ...]) -> None:
        parents = ", ".join(sorted(map(str, refs)))
        reason = f"its parents are not supported ({parents})" if refs else "it has no parentRef"
        denied = Refusal(rule="listener-denies", reason=f"{route} is bound to no Gateway: {reason}")
        refusal = opt_out(route) or denied
        broken = [(hostname, _broken(hostname, problem, str(route))) for hostname, problem in declared.broken]
        for hostname, why in [*((hostname, refusal) for hostname in declared.valid), *broken]:
            self.unbound.append(UnboundName(hostname=hostname, route=f"{route.namespace}/{route.name}", refusal=why))

    def _take_missing(self, request: _Request, draft: "_Draft") -> None:
        ref = request.ref
        state = "is being deleted" if (ref.namespace, ref.name) in self._all else "does not exist"
        reason = f"{request.route} refers to Gateway {ref.namespace}/{ref.name}, which {state}"
        refusal = opt_out(request.route) or Refusal(rule="route-not-accepted", reason=reason)
        for hostname in request.declared.valid:
            draft.refuse(hostname, refusal)

    def _take_bound(self, request: _Request, draft: "_Draft", gateway: Gateway, standing: _Standing) -> None:
        route, declared, ref = request.route, request.declared, request.ref
        binding = self._binding(gateway, ref, route.namespace)
        internal = opt_out(route, gateway)
        unlisted = self._unlisted(route)
        unbound = dict.fromkeys(declared.valid)
        for bound in binding.bound:
            for wanted, hostname in bound_hostnames(declared, bound):
                unbound.pop(wanted, None)
                if internal:
                    draft.keep_internal(hostname, internal)
                elif unlisted:
                    draft.refuse(hostname, unlisted, private=request.is_private)
                else:
                    draft.take(hostname, request, bound, standing)
        for hostname in unbound:
            reason = f"{route} is taken by no listener: {why_unbound(binding, gateway, ref)}"
            draft.refuse(hostname, opt_out(route) or Refusal(rule="listener-denies", reason=reason))
        if declared.is_any:
            _refuse_listeners(route, binding, draft, gateway)

    def _unlisted(self, route: HTTPRoute) -> Refusal | None:
        publisher = publisher_text("HTTPRoute", self._cluster.name, route.namespace, route.name)
        return self._publishers.refusal(publisher) if self._publishers else None

    def _binding(self, gateway: Gateway, ref: ParentRef, namespace: str) -> Binding:
        key = (gateway.key, ref.section, ref.port, namespace)
        if key not in self._bindings:
            self._bindings[key] = bind(gateway, ref, namespace, self._state.namespaces)
        return self._bindings[key]


def _broken(hostname: str, problem: str, where: str) -> Refusal:
    return Refusal(rule="name-syntax", reason=f"{where}: {hostname!r} is not a DNS name: {problem}")


def _refuse_listeners(route: HTTPRoute, binding: Binding, draft: "_Draft", gateway: Gateway) -> None:
    """Refuse the hostnames that a route without own ones would take from listeners, were they sound and open to it."""
    for denied in binding.denied:
        if denied.hostname:
            reason = f"{route} has no hostname of its own, and {gateway} {denied.reason}"
            draft.refuse(denied.hostname, Refusal(rule="listener-denies", reason=reason))
    for hostname, problem in binding.broken:
        draft.refuse(hostname, _broken(hostname, problem, str(gateway)))


# --- one Gateway ------------------------------------------------------------------------------------------------------

_MOST_TELLING_FIRST = (
    "name-syntax",
    "exposure-internal",
    "register-grew",
    "unlisted-publisher",
    "gateway-rejected",
    "route-rejected",
    "identity-changed",
    "target-syntax",
    "target-mixed-kinds",
    "no-address",
    "route-not-accepted",
    "status-stale",
    "listener-denies",
)

_Name = tuple[str, bool]
"""A hostname, and whether it is for private zones only: a public route may ask for the same one."""

_RANK = {rule: rank for rank, rule in enumerate(_MOST_TELLING_FIRST)}


class _Draft:
    """The set of one Gateway while it is collected; `gateway` is None when it is missing or being deleted."""

    def __init__(
        self,
        name: str,
        source: Source,
        gateway: Gateway | None,
        memory: GatewayMemory,
        book: ReceiptBook,
        *,
        edge_target: str | None,
    ) -> None:
        self._name = name
        self._source = source
        self._last_targets = memory.targets
        self._book = book
        self.gateway = gateway
        self._at_edge = gateway is not None and edge_target is not None
        self.current = _current_targets(gateway, edge_target) if gateway else GatewayTargets()
        self.denial = _gateway_denial(gateway) if gateway else None
        self._admitted: dict[_Name, set[str]] = {}
        self._held: dict[_Name, tuple[Refusal, set[str]]] = {}
        self._refused: dict[_Name, Refusal] = {}
        self._internal: dict[str, Refusal] = {}
        self._receipts: list[Receipt] = []

    def take(self, hostname: str, request: _Request, bound: Bound, standing: _Standing) -> None:
        """Admit, hold or refuse one hostname over one binding."""
        wanted = self._receipt(hostname, request, bound)
        if standing.refusal is None:
            self._admitted.setdefault((hostname, request.is_private), set()).add(request.route.namespace)
            self._receipts += [wanted] if wanted else []
        elif standing.may_hold and wanted:
            self._hold(wanted, standing.refusal, private=request.is_private)
        else:
            self.refuse(hostname, standing.refusal, private=request.is_private)

    def refuse(self, hostname: str, refusal: Refusal, *, private: bool = False) -> None:
        """Note why a hostname is not published; of several reasons the most telling one stays."""
        known = self._refused.get((hostname, private))
        self._refused[hostname, private] = min(known, refusal, key=_rank) if known else refusal

    def keep_internal(self, hostname: str, refusal: Refusal) -> None:
        """Note a hostname that must not be published, whoever else wants it."""
        known = self._internal.get(hostname)
        self._internal[hostname] = min(known, refusal, key=_rank) if known else refusal

    def finish(self) -> GatewaySet:
        """Return the set."""
        admitted = tuple(name for name in self._names() if name.hostname not in self._internal)
        published = {(name.hostname, name.private) for name in admitted}
        hostnames = {name.hostname for name in admitted}
        internal = {(hostname, False): refusal for hostname, refusal in self._internal.items()}
        refused = {**self._refused, **internal}
        use_last = not self.current.are_usable and admitted
        return GatewaySet(
            name=self._name,
            source=self._source,
            admitted=admitted,
            refused=tuple(
                RefusedName(hostname=hostname, refusal=refusal, private=private)
                for (hostname, private), refusal in sorted(refused.items(), key=lambda one: one[0])
                if (hostname, private) not in published
            ),
            targets=self._last_targets if use_last else self.current.values,
            target_problem=self.current.problem,
            at_edge=self._at_edge,
            receipts=sorted_receipts(receipt for receipt in self._receipts if receipt.hostname in hostnames),
        )

    def _names(self) -> Iterable[AdmittedName]:
        for name in sorted({*self._admitted, *self._held}):
            hold, namespaces = (None, self._admitted[name]) if name in self._admitted else self._held[name]
            hostname, private = name
            yield AdmittedName(hostname=hostname, namespaces=frozenset(namespaces), hold=hold, private=private)

    def _receipt(self, hostname: str, request: _Request, bound: Bound) -> Receipt | None:
        """Return the receipt for one binding; None where an object has no UID or class to be known by."""
        gateway, route = self.gateway, request.route
        if not (gateway and gateway.uid and gateway.class_name and route.uid and route.generation > 0):
            return None
        return Receipt(
            hostname=hostname,
            route_namespace=route.namespace,
            route_name=route.name,
            route_uid=route.uid,
            route_generation=route.generation,
            gateway_uid=gateway.uid,
            gateway_class=gateway.class_name,
            parent_ref=request.ref.key,
            listener=bound.listener.name,
            listener_digest=bound.listener.digest,
        )

    def _hold(self, wanted: Receipt, refusal: Refusal, *, private: bool) -> None:
        """Keep a published hostname on the receipt of exactly this binding, else refuse it."""
        hostname, receipt = wanted.hostname, self._book.match(wanted)
        if receipt is None:
            changed = self._book.changed(wanted)
            self.refuse(hostname, _changed(changed, refusal) if changed else refusal, private=private)
            return
        known, namespaces = self._held.get((hostname, private), (refusal, set[str]()))
        self._held[hostname, private] = (min(known, refusal, key=_rank), {*namespaces, wanted.route_namespace})
        self._receipts.append(receipt)


def _current_targets(gateway: Gateway, edge_target: str | None) -> GatewayTargets:
    if edge_target is not None:
        return GatewayTargets(values=(Target("Hostname", edge_target),))
    return gateway_targets(gateway.addresses, str(gateway))


def _rank(refusal: Refusal) -> tuple[int, str]:
    return (_RANK[refusal.rule], refusal.reason)


def _changed(changed: Iterable[str], waiting_for: Refusal) -> Refusal:
    reason = (
        f"changed since the name was admitted: {', '.join(changed)}; it has to be admitted anew. {waiting_for.reason}"
    )
    return Refusal(rule="identity-changed", reason=reason)


def _gateway_denial(gateway: Gateway) -> Refusal | None:
    if gateway_acceptance(gateway) is not Acceptance.REJECTED:
        return None
    reasons = sorted({said.reason for said in gateway.accepted if said.status == "False" and said.reason})
    why = f" ({', '.join(reasons)})" if reasons else ""
    reason = f"{gateway} is not accepted by its controller{why}, as of its present generation {gateway.generation}"
    return Refusal(rule="gateway-rejected", reason=reason)
