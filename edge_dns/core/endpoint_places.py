"""Places: which DNSEndpoint object holds the names of which source and zone, and the labels that it carries.

A tunnel of mode DNSEndpoint has one object, `towonel.<namespace>.<name>`; every other endpoint record set has one for
each zone of provider external-dns that it publishes in.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from edge_dns.core.exposure import EXPOSURE_LABEL
from edge_dns.core.live_endpoints import LiveEndpoints, LiveObject
from edge_dns.core.names import in_zone
from edge_dns.core.settings import Consumer, Settings, Tunnel, Zone, consumer_cluster
from edge_dns.core.tunnels import set_name, tunnel_source
from edge_dns.core.values import Source
from edge_dns.core.zones import zone_key

MANAGED_BY = "app.kubernetes.io/managed-by"

_MAX_NAME = 253
_DIGITS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectKey:
    """Where an object is."""

    cluster: str
    namespace: str
    name: str

    @property
    def path(self) -> str:
        """Namespace and name."""
        return f"{self.namespace}/{self.name}"

    @property
    def id(self) -> str:
        """Its Pulumi name: another cluster or namespace is another object."""
        return f"{self.cluster}/{self.path}"


def live_objects(endpoints: Mapping[str, LiveEndpoints]) -> Iterator[tuple[ObjectKey, LiveObject]]:
    """Yield the objects of clusters, given by the name of the cluster, sorted."""
    for cluster, found in sorted(endpoints.items()):
        for path, one in sorted((found.objects or {}).items()):
            namespace, _, name = path.partition("/")
            yield ObjectKey(cluster=cluster, namespace=namespace, name=name), one


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The objects of the settings: `clusters` are those of the consumers by zone key, `tunnels` those with one object.

    `apart` holds by zone key what tells its objects from those of other zones of one visibility, where the settings
    want other labels or annotations on them. `private` are the private zones that an external-dns serves, `elsewhere`
    the domains whose private view another stack publishes: nobody knows here by which means and from which cluster.
    """

    clusters: Mapping[str, str] = field(default_factory=dict)
    tunnels: Mapping[Source, Tunnel] = field(default_factory=dict)
    apart: Mapping[str, str] = field(default_factory=dict)
    private: tuple[Zone, ...] = ()
    elsewhere: tuple[str, ...] = ()

    @classmethod
    def of(cls, settings: Settings) -> "Places":
        """Return the places that the settings give."""
        served = [(zone, zone.consumer) for zone in settings.zones if zone.provider == "external-dns" and zone.consumer]
        looks = {(zone.visibility, _look(consumer, settings)) for zone, consumer in served}
        return cls(
            clusters={zone_key(zone): consumer_cluster(consumer, settings) for zone, consumer in served},
            tunnels={
                tunnel_source(one): one
                for one in settings.tunnels
                if one.dns.mode == "DNSEndpoint" and one.kind == "towonel"
            },
            apart={
                zone_key(zone): f".{digest(_look(consumer, settings))}"
                for zone, consumer in served
                if sum(visibility == zone.visibility for visibility, _ in looks) > 1
            },
            private=tuple(zone for zone, _ in served if zone.visibility == "private"),
            elsewhere=tuple(one.domain for one in settings.elsewhere if one.visibility == "private"),
        )

    def key(self, source: Source, zone: Zone) -> ObjectKey | None:
        """Return the object for the names of a source in a zone; None for zones that no external-dns serves."""
        if zone_key(zone) not in self.clusters or zone.consumer is None:
            return None
        cluster = self.clusters[zone_key(zone)]
        tunnel = self.tunnels.get(source)
        if tunnel:
            name = set_name(source) + self.apart.get(zone_key(zone), "")
            return ObjectKey(cluster=cluster, namespace=tunnel.dns.namespace or tunnel.namespace, name=_fit(name))
        kind = "towonel" if source.cluster is None else source.kind.lower()
        name = f"{kind}.{source.namespace}.{source.name}.{digest(f'{source} {zone_key(zone)}')}"
        return ObjectKey(cluster=cluster, namespace=zone.consumer.namespace, name=_fit(name))

    def has_private_view(self, public: Zone, cluster: str) -> bool:
        """Say whether a private zone, perhaps served from the same cluster, can hold names of a public one."""
        here = (one.domain for one in self.private if self.clusters[zone_key(one)] == cluster)
        return any(in_zone(one, public.domain) or in_zone(public.domain, one) for one in (*here, *self.elsewhere))

    def labels(self, source: Source, zone: Zone) -> Mapping[str, str]:
        """Return the labels of that object, but for the one that names the stack."""
        tunnel, consumer = self.tunnels.get(source), zone.consumer
        return {
            **(consumer.labels if consumer else {}),
            **(tunnel.dns.labels if tunnel else {}),
            MANAGED_BY: "edge-dns",
            EXPOSURE_LABEL: "public" if zone.visibility == "public" else "internal",
        }

    def annotations(self, source: Source, zone: Zone) -> Mapping[str, str]:
        """Return the annotations of that object, but for the program's own."""
        tunnel, consumer = self.tunnels.get(source), zone.consumer
        return {**(consumer.annotations if consumer else {}), **(tunnel.dns.annotations if tunnel else {})}


def _look(consumer: Consumer, settings: Settings) -> str:
    return json.dumps(
        [consumer_cluster(consumer, settings), dict(consumer.labels), dict(consumer.annotations)], sort_keys=True
    )


def digest(text: str) -> str:
    """Return a short hash of a text."""
    return sha256(text.encode()).hexdigest()[:_DIGITS]


def _fit(name: str) -> str:
    return name if len(name) <= _MAX_NAME else f"{name[: _MAX_NAME - _DIGITS - 1].rstrip('.-')}.{digest(name)}"
