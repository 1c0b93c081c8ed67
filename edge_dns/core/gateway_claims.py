"""Gateways: from what a cluster admits to the claims on hostnames."""

from collections.abc import Iterator

from edge_dns.core.admission import Admission
from edge_dns.core.claims import Claim, Rejection
from edge_dns.core.gateway_state import NotSupported
from edge_dns.core.names import as_shown
from edge_dns.core.rules import Refusal
from edge_dns.core.settings import Cluster
from edge_dns.core.values import Source


def gateway_claims(cluster: Cluster, admission: Admission) -> tuple[list[Claim], list[Rejection]]:
    """Return the claims and rejections of all Gateways of one cluster, and of what is not supported.

    That is of routes that refer to no Gateway, and of other kinds than HTTPRoute.
    """
    claims: list[Claim] = []
    rejections: list[Rejection] = []
    for gateway in admission.sets:
        claims += [
            Claim(
                hostname=name.hostname,
                source=gateway.source,
                targets=gateway.targets,
                visibility="private" if name.private else cluster.visibility,
                namespaces=name.namespaces,
                prefer_cname=gateway.at_edge or cluster.record_type == "CNAME",
                at_edge=gateway.at_edge,
                hold=name.hold,
            )
            for name in gateway.admitted
        ]
        rejections += [
            Rejection(
                hostname=name.hostname,
                source=gateway.source,
                visibility="private" if name.private else cluster.visibility,
                refusal=name.refusal,
            )
            for name in gateway.refused
        ]
    for unbound in admission.unbound:
        namespace, _, name = unbound.route.partition("/")
        source = Source(cluster=cluster.name, kind="HTTPRoute", namespace=namespace, name=name)
        rejections.append(
            Rejection(hostname=unbound.hostname, source=source, visibility=cluster.visibility, refusal=unbound.refusal)
        )
    for found in admission.not_supported:
        rejections += _not_supported(cluster, found)
    return claims, rejections


def _not_supported(cluster: Cluster, found: NotSupported) -> Iterator[Rejection]:
    kind = "ListenerSet" if found.kind == "XListenerSet" else found.kind
    source = Source(cluster=cluster.name, kind=kind, namespace=found.namespace, name=found.name)
    reason = f"{found} names it, but only the hostnames of HTTPRoutes are published"
    refusal = Refusal(rule="not-supported", reason=reason)
    for hostname in sorted(set(map(as_shown, found.hostnames))):
        yield Rejection(hostname=hostname, source=source, visibility=cluster.visibility, refusal=refusal)
