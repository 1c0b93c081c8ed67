"""The Kubernetes objects of an agent as plain data, field by field as the Towonel operator makes them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from edge_dns.core.agents import PlannedAgent, PortKey, Protocol
from edge_dns.core.kubernetes_fields import Object
from edge_dns.core.names import NameSyntax, normalise_hostname
from edge_dns.core.settings import Agent, HttpsService, PortService

IMAGE = "codeberg.org/towonel/towonel-agent"
CONFIG_HASH = "towonel.io/config-hash"
INVITE_ID = "towonel.io/invite-id"
SKIP_AWAIT = "pulumi.com/skipAwait"
AT_ONCE = {"pulumi.com/deletionPropagationPolicy": "background"}
"""Nothing depends on such an object, so that its deletion need not wait for the garbage collection of a controller."""
TOKEN_KEY = "token"  # noqa: S105 - the key in the Secret
HEALTH_PORT = 9090
_READYZ_SINCE = (1, 7)
_USER = 10001


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued:
    """What the hub gave the tunnel: the invite (None: none yet), and port numbers."""

    invite_id: str | None
    ports: Mapping[PortKey, int] = field(default_factory=dict)


def token_secret(planned: PlannedAgent, *, invite_id: object, token: object) -> Object:
    """Return the Secret with the tunnel's token, which is in base64; both values may be outputs of the invite."""
    metadata = {**_metadata(planned, "-token"), "annotations": {INVITE_ID: invite_id, **AT_ONCE}}
    # Not stringData: the API server would let it overwrite the data of another field manager without a conflict.
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque", "data": {TOKEN_KEY: token}}


def service_account(planned: PlannedAgent) -> Object:
    """Return the ServiceAccount that the pods run as."""
    metadata = {**_metadata(planned), "annotations": AT_ONCE}
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}


def deployment(planned: PlannedAgent, *, replicas: object, env: object, config: object) -> Object:
    """Return the Deployment.

    The three are those of `replicas`, `environment` and `config_hash`, or outputs of them: everything else of it is
    known before the invite is.
    """
    agent = planned.agent
    metadata = _metadata(planned)
    if not agent.wait:
        metadata = {**metadata, "annotations": {SKIP_AWAIT: "true"}}
    template = {
        "metadata": {"labels": _labels(agent), "annotations": {CONFIG_HASH: config}},
        "spec": _pod_spec(agent, env),
    }
    spec = {"replicas": replicas, "selector": {"matchLabels": _selector(agent)}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}


def replicas(planned: PlannedAgent, issued: Issued) -> int:
    """Return the number of pods: none without an invite, since they could not start."""
    return planned.agent.replicas if issued.invite_id else 0


def environment(planned: PlannedAgent, issued: Issued) -> list[Object]:
    """Return the environment of the container, in a fixed order."""
    secret = {"name": f"{planned.agent.name}-token", "key": TOKEN_KEY}
    return [
        _from("TOWONEL_INVITE_TOKEN", {"secretKeyRef": secret}),
        *_configuration(planned, issued.ports),
        {"name": "TOWONEL_AGENT_HEALTH_LISTEN_ADDR", "value": f"0.0.0.0:{HEALTH_PORT}"},
    ]


def config_hash(planned: PlannedAgent, issued: Issued) -> str:
    """Return the SHA-256 of what must roll the pods: image, invite and configuration.

    The invite stands for its token, so that a new invite rolls the pods and no secret is hashed.
    """
    config = [image(planned.agent), issued.invite_id, *_configuration(planned, issued.ports), planned.agent.name]
    return hashlib.sha256(json.dumps(config).encode()).hexdigest()


def image(agent: Agent) -> str:
    """Return the image of the container, always with a fixed tag or digest."""
    return agent.image or f"{IMAGE}:{agent.version}"


def connectivity_objects(planned: PlannedAgent) -> tuple[Object, ...]:
    """Return the NodePort Service of the direct path, and what the agent may read to find itself there."""
    connectivity = planned.agent.connectivity
    if connectivity.node_port is None:
        return ()
    service = _node_port_service(planned)
    return (service, *_permissions(planned)) if connectivity.autodiscover else (service,)


def service_name(agent: Agent) -> str:
    """Return the name of the NodePort Service."""
    node_port = agent.connectivity.node_port
    return node_port.name if node_port and node_port.name else f"{agent.name}-iroh"


def _selector(agent: Agent) -> Mapping[str, str]:
    return {"app.kubernetes.io/name": "towonel-agent", "app.kubernetes.io/instance": agent.name}


def _labels(agent: Agent) -> Mapping[str, str]:
    return {**_selector(agent), "app.kubernetes.io/part-of": "edge-dns"}


def _metadata(planned: PlannedAgent, suffix: str = "") -> Object:
    agent = planned.agent
    return {"name": f"{agent.name}{suffix}", "namespace": planned.namespace, "labels": _labels(agent)}


def _pod_spec(agent: Agent, env: object) -> Object:
    spec: dict[str, object] = {
        "serviceAccountName": agent.name,
        "automountServiceAccountToken": agent.connectivity.autodiscover,
        "securityContext": _pod_security() if agent.pod_security_context is None else agent.pod_security_context,
        "containers": [_container(agent, env)],
    }
    if agent.node_selector:
        spec["nodeSelector"] = dict(agent.node_selector)
    if agent.tolerations:
        spec["tolerations"] = [one.model_dump(by_alias=True, exclude_none=True) for one in agent.tolerations]
    if agent.affinity is not None:
        spec["affinity"] = agent.affinity
    return spec


def _pod_security() -> Object:
    return {
        "runAsNonRoot": True,
        "runAsUser": _USER,
        "runAsGroup": _USER,
        "fsGroup": _USER,
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def _container_security() -> Object:
    return {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def _container(agent: Agent, env: object) -> Object:
    ports: list[Object] = [{"name": "metrics", "containerPort": HEALTH_PORT, "protocol": "TCP"}]
    if agent.connectivity.iroh_port is not None:
        ports.append({"name": "iroh", "containerPort": agent.connectivity.iroh_port, "protocol": "UDP"})
    return {
        "name": "towonel-agent",
        "image": image(agent),
        "env": env,
        "ports": ports,
        "livenessProbe": _probe("/healthz"),
        "readinessProbe": _probe("/readyz" if _knows_readyz(agent.version) else "/healthz"),
        "resources": _resources(agent),
        "securityContext": _container_security() if agent.security_context is None else agent.security_context,
    }


def _knows_readyz(version: str) -> bool:
    return tuple(int(part) for part in version.split(".")[:2]) >= _READYZ_SINCE


def _probe(path: str) -> Object:
    return {"httpGet": {"path": path, "port": HEALTH_PORT}}


def _resources(agent: Agent) -> Object:
    return {
        "requests": {"memory": "128Mi", **agent.resources.requests},
        "limits": {"memory": "512Mi", **agent.resources.limits},
    }


def _configuration(planned: PlannedAgent, ports: Mapping[PortKey, int]) -> list[Object]:
    """Return the environment that says what the agent serves and how it is reached, in a fixed order."""
    agent = planned.agent
    found = {
        "TOWONEL_AGENT_SERVICES": _json([_https(one) for one in _served_over_https(planned)]),
        "TOWONEL_AGENT_TCP_SERVICES": _json(_served(agent, "tcp", ports)),
        "TOWONEL_AGENT_UDP_SERVICES": _json(_served(agent, "udp", ports)),
        "TOWONEL_AGENT_RELAY_URL": agent.relay_url,
        "TOWONEL_AGENT_IROH_PORT": _text(agent.connectivity.iroh_port),
        "TOWONEL_AGENT_EXTRA_LOCAL_ADDRS": ",".join(agent.connectivity.extra_local_addrs),
    }
    env = [{"name": name, "value": value} for name, value in found.items() if value]
    without_gso = [{"name": "TOWONEL_DISABLE_UDP_GSO", "value": "true"}] if agent.disable_udp_gso else []
    return [*env, *_autodiscovery(planned), *without_gso]


def _autodiscovery(planned: PlannedAgent) -> list[Object]:
    if not planned.agent.connectivity.autodiscover:
        return []
    return [
        {"name": "TOWONEL_AGENT_K8S_AUTODISCOVER", "value": "true"},
        {"name": "TOWONEL_AGENT_K8S_SERVICE", "value": service_name(planned.agent)},
        {"name": "TOWONEL_AGENT_K8S_NAMESPACE", "value": planned.namespace},
        _from("NODE_NAME", {"fieldRef": {"fieldPath": "spec.nodeName"}}),
    ]


def _from(name: str, source: Object) -> Object:
    return {"name": name, "valueFrom": source}


def _text(number: int | None) -> str | None:
    return None if number is None else str(number)


def _json(entries: Sequence[Object]) -> str | None:
    """Return compact JSON, None for no entries."""
    return json.dumps(entries, separators=(",", ":")) if entries else None


def _served_over_https(planned: PlannedAgent) -> list[tuple[str, HttpsService]]:
    """Return the services by hostname in normal form, sorted; malformed and hidden ones are refused elsewhere."""
    found: dict[str, HttpsService] = {}
    for one in planned.agent.services:
        try:
            found[normalise_hostname(one.hostname)] = one
        except NameSyntax:
            continue
    return sorted((item for item in found.items() if item[0] not in planned.hidden), key=lambda item: item[0])


def _https(entry: tuple[str, HttpsService]) -> Object:
    hostname, one = entry
    shown: dict[str, object] = {"hostname": hostname, "origin": one.origin, "tls_mode": {"mode": one.tls_mode}}
    return shown if one.proxy_protocol is None else {**shown, "proxy_protocol": one.proxy_protocol}


def _port_services(agent: Agent) -> list[tuple[PortKey, PortService]]:
    found = [(PortKey("tcp", one.name), one) for one in agent.tcp]
    found += [(PortKey("udp", one.name), one) for one in agent.udp]
    return sorted(found, key=lambda item: item[0])


def _served(agent: Agent, protocol: Protocol, ports: Mapping[PortKey, int]) -> list[Object]:
    """Return the services of a protocol that have a port; `listen_port` is the one that the hub gave."""
    return [
        {"name": key.name, "listen_port": ports[key], "origin": one.origin}
        for key, one in _port_services(agent)
        if key.protocol == protocol and key in ports
    ]


def _node_port_service(planned: PlannedAgent) -> Object:
    agent = planned.agent
    pinned = agent.connectivity.node_port.port if agent.connectivity.node_port else None
    number = agent.connectivity.iroh_port
    port: dict[str, object] = {"name": "iroh", "protocol": "UDP", "port": number, "targetPort": "iroh"}
    metadata = {**_metadata(planned), "name": service_name(agent), "annotations": {SKIP_AWAIT: "true", **AT_ONCE}}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": {
            "type": "NodePort",
            "externalTrafficPolicy": "Local",
            "selector": _selector(agent),
            "ports": [port if pinned is None else {**port, "nodePort": pinned}],
        },
    }


def _permissions(planned: PlannedAgent) -> tuple[Object, ...]:
    """Return Role and ClusterRole for Services of the namespace and for Nodes, each with its binding."""
    in_namespace = {**_metadata(planned, "-iroh-svc-reader"), "annotations": AT_ONCE}
    # A name of the cluster holds the namespace, or agents of two namespaces would share it.
    name = f"{planned.namespace}.{planned.agent.name}-node-reader"
    of_cluster = {"name": name, "labels": _labels(planned.agent), "annotations": AT_ONCE}
    return (
        _role("Role", in_namespace, "services"),
        _binding(planned, "Role", in_namespace),
        _role("ClusterRole", of_cluster, "nodes"),
        _binding(planned, "ClusterRole", of_cluster),
    )


def _role(kind: str, metadata: Object, resource: str) -> Object:
    rule = {"apiGroups": [""], "resources": [resource], "verbs": ["get", "list", "watch"]}
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": metadata, "rules": [rule]}


def _binding(planned: PlannedAgent, kind: str, metadata: Object) -> Object:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": f"{kind}Binding",
        "metadata": metadata,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": metadata["name"]},
        "subjects": [{"kind": "ServiceAccount", "name": planned.agent.name, "namespace": planned.namespace}],
    }
