"""The endpoint record set of one Gateway: which hostnames it gets, is refused or holds, collected route by route."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from edge_dns.core.acceptance import Acceptance, gateway_acceptance
from edge_dns.core.binding import Bound
from edge_dns.core.gateway_state import Gateway, HTTPRoute, ParentRef
from edge_dns.core.gateway_targets import GatewayTargets, gateway_targets
from edge_dns.core.names import Hostnames
from edge_dns.core.receipts import NO_UID, GatewayMemory, Receipt, ReceiptBook, sorted_receipts
from edge_dns.core.rules import Refusal
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


def gateway_set_name(namespace: str, name: str) -> str:
    """Return the name of a Gateway's endpoint record set: at most 63 characters, the same in every run."""
    base = f"{namespace}-{name}".replace(".", "-").replace("_", "-").lower()
    digest = hashlib.sha256(f"{namespace}/{name}".encode()).hexdigest()[:10]
    return f"{base if len(base) <= 52 else base[:52].strip('-')}-{digest}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A route that asks for its hostnames under one of its parentRefs."""

    route: HTTPRoute
    declared: Hostnames
    ref: ParentRef

    @property
    def is_private(self) -> bool:
        """Whether only private zones may hold what it asks for."""
        return self.route.service == "private"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a route stands with one parentRef: `refusal` is None when new names may be published."""

    refusal: Refusal | None
    may_hold: bool


PUBLISH = Standing(refusal=None, may_hold=True)


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


class GatewayDraft:
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

    def take(self, hostname: str, request: Request, bound: Bound, standing: Standing) -> None:
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

    def _receipt(self, hostname: str, request: Request, bound: Bound) -> Receipt | None:
        """Return the receipt for one binding; None where the Gateway has no class, or the route no generation.

        Neither for the route of a service that is not in the cluster: it is to be admitted, whatever was there before.
        """
        gateway, route = self.gateway, request.route
        to_be_made = route.service is not None and not route.uid
        if not (gateway and gateway.class_name and route.generation > 0) or to_be_made:
            return None
        return Receipt(
            hostname=hostname,
            route_namespace=route.namespace,
            route_name=route.name,
            route_uid=route.uid or NO_UID,
            route_generation=route.generation,
            gateway_uid=gateway.uid or NO_UID,
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
