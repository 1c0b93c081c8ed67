"""Admission: which hostnames of a cluster's HTTPRoutes may be published for which Gateway, and why the others may not.

A new hostname needs a current Accepted=True for every parentRef of its route. A published one stays as long as a
receipt for exactly its binding exists, its route still declares it and nothing current denies it; so a status that says
nothing neither admits nor withdraws.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from edge_dns.core.acceptance import Acceptance, describe_ref, ref_acceptance
from edge_dns.core.binding import Binding, bind, bound_hostnames, declared_hostnames, why_unbound
from edge_dns.core.gateway_sets import PUBLISH, GatewayDraft, GatewaySet, Request, Standing, gateway_set_name
from edge_dns.core.gateway_state import Gateway, GatewayState, HTTPRoute, NotSupported, ParentRef
from edge_dns.core.names import Hostnames
from edge_dns.core.opt_out import internal_hostnames, only_private_hostnames, opt_out
from edge_dns.core.publisher_register import publisher_text
from edge_dns.core.publishers import Publishers
from edge_dns.core.receipts import GatewayMemory, ReceiptBook
from edge_dns.core.rules import Refusal
from edge_dns.core.selection import is_in_scope, selects_gateway, selects_route
from edge_dns.core.settings import Cluster
from edge_dns.core.values import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class UnboundName:
    """A hostname of a route that refers to no Gateway at all."""

    hostname: str
    route: str
    refusal: Refusal


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
        not_supported=tuple(found for found in state.not_supported if is_in_scope(cluster, found)),
        gateways=len(run.gateways),
        routes=len(routes),
    )


# --- selection --------------------------------------------------------------------------------------------------------


# --- one run over the routes ------------------------------------------------------------------------------------------


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
            request = Request(route=route, declared=declared, ref=ref)
            for hostname, problem in declared.broken:
                draft.refuse(hostname, _broken(hostname, problem, str(route)))
            if draft.gateway is None:
                self._take_missing(request, draft)
            else:
                standing = self._standing(request, acceptances, draft)
                self._take_bound(request, draft, draft.gateway, standing)

    def _draft(self, namespace: str, name: str, gateway: Gateway | None) -> "GatewayDraft":
        set_name = gateway_set_name(namespace, name)
        memory = self._memory.get(set_name, GatewayMemory())
        source = Source(cluster=self._cluster.name, kind="Gateway", namespace=namespace, name=name)
        edge_target = self._edge_targets.get((namespace, name))
        book = ReceiptBook(memory, self._cluster.stale_receipts)
        return GatewayDraft(set_name, source, gateway, memory, book, edge_target=edge_target)

    def _draft_of(self, ref: ParentRef) -> "GatewayDraft | None":
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

    def _standing(
        self, request: Request, acceptances: Mapping[ParentRef, Acceptance], draft: "GatewayDraft"
    ) -> Standing:
        route, ref = request.route, request.ref
        if draft.denial:
            return Standing(refusal=draft.denial, may_hold=False)
        if acceptances[ref] is not Acceptance.ACCEPTED:
            rejected = acceptances[ref] is Acceptance.REJECTED
            rule = "route-rejected" if rejected else "status-stale"
            return Standing(refusal=self._unaccepted(rule, route, (ref,)), may_hold=not rejected)
        siblings = [other for other, state in acceptances.items() if state is not Acceptance.ACCEPTED]
        if siblings:
            return Standing(refusal=self._unaccepted("route-not-accepted", route, siblings), may_hold=True)
        if draft.current.are_usable:
            return PUBLISH
        no_address = Refusal(rule="no-address", reason=f"{draft.gateway} has no address in its status")
        return Standing(refusal=draft.current.problem or no_address, may_hold=True)

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

    def _take_missing(self, request: Request, draft: "GatewayDraft") -> None:
        ref = request.ref
        state = "is being deleted" if (ref.namespace, ref.name) in self._all else "does not exist"
        reason = f"{request.route} refers to Gateway {ref.namespace}/{ref.name}, which {state}"
        refusal = opt_out(request.route) or Refusal(rule="route-not-accepted", reason=reason)
        for hostname in request.declared.valid:
            draft.refuse(hostname, refusal)

    def _take_bound(self, request: Request, draft: "GatewayDraft", gateway: Gateway, standing: Standing) -> None:
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


def _refuse_listeners(route: HTTPRoute, binding: Binding, draft: "GatewayDraft", gateway: Gateway) -> None:
    """Refuse the hostnames that a route without own ones would take from listeners, were they sound and open to it."""
    for denied in binding.denied:
        if denied.hostname:
            reason = f"{route} has no hostname of its own, and {gateway} {denied.reason}"
            draft.refuse(denied.hostname, Refusal(rule="listener-denies", reason=reason))
    for hostname, problem in binding.broken:
        draft.refuse(hostname, _broken(hostname, problem, str(gateway)))


# --- one Gateway ------------------------------------------------------------------------------------------------------
