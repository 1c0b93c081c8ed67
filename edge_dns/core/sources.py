"""Gateways: from what a cluster admits to the claims on hostnames."""

from edge_dns.core.admission import Admission
from edge_dns.core.claims import Claim, Rejection
from edge_dns.core.settings import Cluster
from edge_dns.core.values import Source


def gateway_claims(cluster: Cluster, admission: Admission) -> tuple[list[Claim], list[Rejection]]:
    """Return the claims and rejections of all Gateways of one cluster, and of routes that refer to no Gateway."""
    claims: list[Claim] = []
    rejections: list[Rejection] = []
    for gateway in admission.sets:
        claims += [
            Claim(
                hostname=name.hostname,
                source=gateway.source,
                targets=gateway.targets,
                visibility=cluster.visibility,
                namespaces=name.namespaces,
                prefer_cname=cluster.record_type == "CNAME",
                hold=name.hold,
            )
            for name in gateway.admitted
        ]
        rejections += [
            Rejection(
                hostname=name.hostname, source=gateway.source, visibility=cluster.visibility, refusal=name.refusal
            )
            for name in gateway.refused
        ]
    for unbound in admission.unbound:
        namespace, _, name = unbound.route.partition("/")
        source = Source(cluster=cluster.name, kind="HTTPRoute", namespace=namespace, name=name)
        rejections.append(
            Rejection(hostname=unbound.hostname, source=source, visibility=cluster.visibility, refusal=unbound.refusal)
        )
    return claims, rejections
