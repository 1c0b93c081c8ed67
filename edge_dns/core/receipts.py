"""Receipts: the proof that a hostname was once admitted, by which it outlives a status that says nothing."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Literal

from edge_dns.core.values import Target

NO_UID = "(none)"
"""Stands for the UID of an object that shows none, as one in a file may; no other field can be this text."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Receipt:
    """One hostname admitted over one binding of a route to a listener, with the identities that it was admitted under.

    ``parent_ref`` is :attr:`ParentRef.key`, ``listener_digest`` the SHA-256 of the whole listener. A UID is NO_UID
    where the object shows none. Raises ValueError when a field is empty or the generation is not above zero: such a
    receipt proves nothing.
    """

    hostname: str
    route_namespace: str
    route_name: str
    route_uid: str
    route_generation: int
    gateway_uid: str
    gateway_class: str
    parent_ref: str
    listener: str
    listener_digest: str

    def __post_init__(self) -> None:
        if not (
            self.hostname
            and self.route_namespace
            and self.route_name
            and self.route_uid
            and self.route_generation > 0
            and self.gateway_uid
            and self.gateway_class
            and self.parent_ref
            and self.listener
            and self.listener_digest
        ):
            empty = [field.name for field in fields(self) if not getattr(self, field.name)]
            raise ValueError(f"receipt without {', '.join(empty) or 'a generation above zero'}")


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayMemory:
    """What the last run left for one Gateway; `hostnames` are those that were published."""

    receipts: tuple[Receipt, ...] = ()
    targets: tuple[Target, ...] = ()
    hostnames: frozenset[str] = frozenset()


class ReceiptBook:
    """The receipts of one Gateway that still count, by hostname: those of names that were published last time.

    With ``withdraw`` a receipt also has to be of the route's present generation.
    """

    def __init__(self, memory: GatewayMemory, stale_receipts: Literal["hold", "withdraw"]) -> None:
        self._strict = stale_receipts == "withdraw"
        self._by_hostname: dict[str, list[Receipt]] = {}
        for receipt in memory.receipts:
            if receipt.hostname in memory.hostnames:
                self._by_hostname.setdefault(receipt.hostname, []).append(receipt)

    def match(self, wanted: Receipt) -> Receipt | None:
        """Return the receipt for the same hostname, identities and binding as the wanted one."""
        candidates = self._by_hostname.get(wanted.hostname, ())
        return next((receipt for receipt in candidates if self._holds(receipt, wanted)), None)

    def changed(self, wanted: Receipt) -> tuple[str, ...]:
        """Say in words what is no longer as it was admitted, by the closest receipt; empty when there is none."""
        candidates = self._by_hostname.get(wanted.hostname, ())
        return min((_differences(receipt, wanted) for receipt in candidates), key=len, default=())

    def _holds(self, receipt: Receipt, wanted: Receipt) -> bool:
        is_stale = self._strict and receipt.route_generation != wanted.route_generation
        return not is_stale and not _differences(receipt, wanted)


_IDENTITY = {
    "route_namespace": "the route",
    "route_name": "the route",
    "route_uid": "the route's UID",
    "gateway_uid": "the Gateway's UID",
    "gateway_class": "the GatewayClass",
    "parent_ref": "the parentRef",
    "listener": "the listener",
    "listener_digest": "the listener's text",
}


def _differences(receipt: Receipt, wanted: Receipt) -> tuple[str, ...]:
    changed = (words for name, words in _IDENTITY.items() if _differ(getattr(receipt, name), getattr(wanted, name)))
    return tuple(dict.fromkeys(changed))


def _differ(then: str, now: str) -> bool:
    """Say whether something changed; of a UID that is not shown nobody knows, and what is unknown withdraws nothing."""
    return then != now and NO_UID not in (then, now)


def sorted_receipts(receipts: Iterable[Receipt]) -> tuple[Receipt, ...]:
    """Return the receipts once each, in a fixed order."""
    return tuple(sorted(set(receipts)))
