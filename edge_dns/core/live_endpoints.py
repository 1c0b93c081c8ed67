"""The DNSEndpoints of a cluster as they are now, and who reads them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from edge_dns.core.endpoint_readers import Reader
from edge_dns.core.values import RRset


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveObject:
    """A DNSEndpoint as the cluster holds it: owner and source of its marker, its entries of ours by slot, its UID."""

    owner: str | None
    source: str = ""
    entries: Mapping[str, RRset] = field(default_factory=dict)
    uid: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveEndpoints:
    """The DNSEndpoints of one cluster by namespace and name, None without their CRD.

    `readers` are the external-dns instances that read them, None where Deployments may not be listed.
    """

    objects: Mapping[str, LiveObject] | None
    readers: tuple[Reader, ...] | None = None
