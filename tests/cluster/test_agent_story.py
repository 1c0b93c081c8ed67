"""Agents of a tunnel on a real API server, through Pulumi's own Kubernetes provider, with the hub's ports."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from edge_dns.core.agent_objects import CONFIG_HASH
from edge_dns.hub import HubClient
from local.hub_emulator import INTERNAL_500, Edge, Fault
from local.stack import Run
from tests.cluster.objects import Object, Scene, collecting_garbage
from tests.engine.conftest import World
from tools import toolchain

EDGE = Edge(node_id="e" * 64, region="EU", public_ips=("203.0.113.2",))
UPDATE = ("--skip-preview",)
SSH = {"name": "ssh", "origin": "git.web.svc:22", "preferredPort": 2222}
GIT = {"name": "git", "origin": "git.web.svc:9418", "preferredPort": 3333}
VOICE = {"name": "voice", "origin": "voice.web.svc:64738"}
APP = {"hostname": "app.example.com", "origin": "app.web.svc:8080", "tlsMode": "terminate", "proxyProtocol": "v2"}
SHOP = {"hostname": "shop.example.org", "origin": "shop.web.svc:8443"}
DIRECT = {"irohPort": 4242, "nodePort": {"port": 31000}, "autodiscover": True}
LABELS = {
    "app.kubernetes.io/name": "towonel-agent",
    "app.kubernetes.io/instance": "agent",
    "app.kubernetes.io/part-of": "edge-dns",
}


DEPLOYMENTS = "/apis/apps/v1/deployments"


class Team:
    """A stack whose tunnel `team/app` has its agent in namespace `edge`."""

    def __init__(self, world: World, scene: Scene) -> None:
        self.world = world
        self.hub = world.services.hub
        self.kube = scene.kube
        self.hub.settings.edges = (EDGE,)
        kubernetes = toolchain.test_directory() / "pulumi-resource-kubernetes"
        toolchain.install_plugins(world.stack.folder / "home", [kubernetes])
        self._kubeconfig = str(scene.kube.kubeconfig())

    def configure(self, *tunnels: Mapping[str, object], cluster: str = "prod") -> None:
        """Write these tunnels into the stack file, and the cluster under this name."""
        self.world.configure(*tunnels, clusters=[{"name": cluster, "kubeconfig": self._kubeconfig, "gateways": False}])

    def tunnel(self, name: str = "app", *, agents: Sequence[object] = (), **more: object) -> Mapping[str, object]:
        """A tunnel with these agents, and a hostname of its own."""
        return self.world.tunnel(name, [f"{name}-own.example.com"], agents=list(agents), **more)

    def agent(self, **more: object) -> Mapping[str, object]:
        """The agent; nothing in the cluster makes a Deployment ready."""
        return {"name": "agent", "namespace": "edge", "wait": False, **more}

    def live(self, path: str) -> list[Any]:
        """Return the objects of a list of the API, those of the system left out."""
        found = self.kube.items(path)
        return [
            one for one in found if one["metadata"].get("labels", {}).get("app.kubernetes.io/part-of") == "edge-dns"
        ]

    def deployment(self) -> Any:
        """Return the only Deployment."""
        [found] = self.live(DEPLOYMENTS)
        return found

    def env(self) -> dict[str, Any]:
        """Return the environment of its container."""
        [container] = self.deployment()["spec"]["template"]["spec"]["containers"]
        return {one["name"]: one.get("value", one.get("valueFrom")) for one in container["env"]}

    def served(self, protocol: str) -> dict[str, Any]:
        """Return by name the TCP or UDP services that the agent is told to serve."""
        text = self.env().get(f"TOWONEL_AGENT_{protocol.upper()}_SERVICES", "[]")
        return {one["name"]: one for one in json.loads(text)}

    def hostnames(self) -> list[str]:
        """Return the hostnames that the agent is told to serve."""
        return [one["hostname"] for one in json.loads(self.env().get("TOWONEL_AGENT_SERVICES", "[]"))]

    def token(self) -> str:
        """Return the token in the only Secret."""
        [secret] = self.live("/api/v1/secrets")
        return base64.b64decode(secret["data"]["token"]).decode()

    def reserved(self) -> set[tuple[str, int, str | None]]:
        """Return protocol, port and label of what the hub has reserved for the tunnels."""
        return {(one.protocol, one.port, one.label) for one in self.hub.ports if one.label != "elsewhere"}

    def told(self, tunnel: str = "team/app") -> Any:
        """Return the stack output of a tunnel."""
        tunnels: Any = self.world.stack.outputs()["tunnels"]
        return tunnels[tunnel]

    def settled(self, *runs: Run) -> None:
        """A second preview is empty, and no token was ever told in plain text."""
        self.world.assert_settled()
        self.assert_nothing_is_told(*runs)

    def assert_nothing_is_told(self, *runs: Run) -> None:
        """No token stands anywhere but in the Secret."""
        told = [run.text for run in runs] + [self.world.stack.state(), json.dumps(self.world.stack.outputs())]
        events = (self.world.stack.folder / "events.json").read_text(encoding="utf-8")
        objects = [json.dumps(one) for one in self.live(DEPLOYMENTS)]
        for secret in (self.token(), base64.b64encode(self.token().encode()).decode()):
            assert not [text for text in (*told, events, *objects) if secret in text]


@pytest.fixture
def team(scene: Scene, world: World) -> Iterator[Team]:
    """The stack, and what lets go of a Deployment whose pods are gone: the API server alone does not."""
    for namespace in ("team", "edge"):
        scene.namespace(namespace)
    with collecting_garbage(scene.kube, DEPLOYMENTS):
        yield Team(world, scene)


def holds(live: Any, wanted: Any) -> bool:
    """Say whether a live object has everything that is wanted; the API server adds its defaults."""
    if isinstance(wanted, Mapping):
        return isinstance(live, Mapping) and all(key in live and holds(live[key], wanted[key]) for key in wanted)
    if isinstance(wanted, list):
        return isinstance(live, list) and len(live) == len(wanted) and all(map(holds, live, wanted))
    return bool(live == wanted)


def expected_pod(port: int) -> Object:
    """The pod as the Towonel operator would make it."""
    services = [
        {
            "hostname": "app.example.com",
            "origin": "app.web.svc:8080",
            "tls_mode": {"mode": "terminate"},
            "proxy_protocol": "v2",
        },
        {"hostname": "shop.example.org", "origin": "shop.web.svc:8443", "tls_mode": {"mode": "passthrough"}},
    ]

    def text(value: object) -> str:
        return json.dumps(value, separators=(",", ":"))

    env = [
        {"name": "TOWONEL_INVITE_TOKEN", "valueFrom": {"secretKeyRef": {"name": "agent-token", "key": "token"}}},
        {"name": "TOWONEL_AGENT_SERVICES", "value": text(services)},
        {
            "name": "TOWONEL_AGENT_TCP_SERVICES",
            "value": text([{"name": "ssh", "listen_port": 2222, "origin": "git.web.svc:22"}]),
        },
        {
            "name": "TOWONEL_AGENT_UDP_SERVICES",
            "value": text([{"name": "voice", "listen_port": port, "origin": "voice.web.svc:64738"}]),
        },
        {"name": "TOWONEL_AGENT_IROH_PORT", "value": "4242"},
        {"name": "TOWONEL_AGENT_K8S_AUTODISCOVER", "value": "true"},
        {"name": "TOWONEL_AGENT_K8S_SERVICE", "value": "agent-iroh"},
        {"name": "TOWONEL_AGENT_K8S_NAMESPACE", "value": "edge"},
        {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
        {"name": "TOWONEL_AGENT_HEALTH_LISTEN_ADDR", "value": "0.0.0.0:9090"},
    ]
    container = {
        "name": "towonel-agent",
        "image": "codeberg.org/towonel/towonel-agent:1.7.1",
        "env": env,
        "ports": [
            {"name": "metrics", "containerPort": 9090, "protocol": "TCP"},
            {"name": "iroh", "containerPort": 4242, "protocol": "UDP"},
        ],
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": 9090}},
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": 9090}},
        "resources": {"requests": {"memory": "128Mi"}, "limits": {"memory": "512Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
    }
    user = {"runAsNonRoot": True, "runAsUser": 10001, "runAsGroup": 10001, "fsGroup": 10001}
    return {
        "serviceAccountName": "agent",
        "securityContext": {**user, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [container],
    }


def test_hostnames_ports_and_agent_follow_the_settings(team: Team) -> None:
    world, hub = team.world, team.hub
    other = hub.create("elsewhere.test")
    client = HubClient(hub.url, hub.operator_key)
    client.reserve_port(other.tenant_id, protocol="tcp", label="elsewhere", preferred=3333)
    whole = team.agent(services=[APP, SHOP], tcp=[SSH, GIT], udp=[VOICE], connectivity=DIRECT)
    team.configure(team.tunnel(agents=[whole]))

    # One port is taken by somebody else: all else is done, and the run says so at its end.
    first = world.stack.up()
    assert first.status != 0
    refused = "team/app tcp/git: refused: port-refused: port 3333/tcp is already in use"
    assert refused in first.text
    assert "Traceback" not in first.text
    assert world.names() == {"app-own.example.com", "app.example.com", "shop.example.org"}
    assert team.reserved() == {("tcp", 2222, "team/app/ssh"), ("udp", 10000, "team/app/voice")}
    live = team.deployment()
    assert holds(live["metadata"], {"name": "agent", "namespace": "edge", "labels": LABELS})
    assert live["spec"]["replicas"] == 1
    assert holds(live["spec"]["template"], {"metadata": {"labels": LABELS}, "spec": expected_pod(10000)})
    [secret] = team.live("/api/v1/secrets")
    told = team.told()
    assert holds(secret, {"type": "Opaque", "metadata": {"name": "agent-token", "namespace": "edge", "labels": LABELS}})
    assert secret["metadata"]["annotations"]["towonel.io/invite-id"] == told["inviteId"]
    assert team.token() == hub.invite(told["inviteId"]).token
    [account] = team.live("/api/v1/serviceaccounts")
    assert account["metadata"]["name"] == "agent"
    [service] = team.live("/api/v1/services")
    assert service["metadata"]["name"] == "agent-iroh"
    assert holds(service["spec"], {"type": "NodePort", "externalTrafficPolicy": "Local"})
    assert holds(service["spec"]["ports"], [{"protocol": "UDP", "port": 4242, "nodePort": 31000}])
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    kinds = ("roles", "rolebindings", "clusterroles", "clusterrolebindings")
    assert [len(team.live(f"{rbac}/{kind}")) for kind in kinds] == [1, 1, 1, 1]
    assert told["agents"] == ["prod/edge/agent"]
    assert {key: port["port"] for key, port in told["ports"].items()} == {
        "tcp/git": None,
        "tcp/ssh": 2222,
        "udp/voice": 10000,
    }
    again = world.stack.preview()
    assert [(step.op, step.name) for step in again.steps] == [("update", "team/app/tcp/git")]
    assert f"{refused} (the update will end unsuccessful for this)" in again.text
    team.assert_nothing_is_told(first, again)

    # It is free now; one hostname comes, one goes, and so does a port.
    client.release_port(other.tenant_id, protocol="tcp", port=3333)
    new = {"hostname": "new.example.com", "origin": "new.web.svc:80"}
    team.configure(team.tunnel(agents=[team.agent(services=[SHOP, new], tcp=[SSH, GIT])]))
    second = world.up(*UPDATE)
    assert world.names() == {"app-own.example.com", "new.example.com", "shop.example.org"}
    assert team.hostnames() == ["new.example.com", "shop.example.org"]
    assert team.reserved() == {("tcp", 2222, "team/app/ssh"), ("tcp", 3333, "team/app/git")}
    assert {name: one["listen_port"] for name, one in team.served("tcp").items()} == {"ssh": 2222, "git": 3333}
    assert team.served("udp") == {}
    assert team.deployment()["metadata"]["uid"] == live["metadata"]["uid"]
    assert [len(team.live(f"{rbac}/{kind}")) for kind in kinds] == [0, 0, 0, 0]
    assert team.live("/api/v1/services") == []
    team.settled(second)

    # A service moves to another port, while an agent still serves the old one: that is released later.
    hub.settings.bound_ports = frozenset({(2222, "tcp")})
    moved = {**SSH, "preferredPort": 2223}
    team.configure(team.tunnel(agents=[team.agent(services=[SHOP, new], tcp=[moved, GIT])]))
    run = world.stack.up(*UPDATE)
    assert run.status != 0
    assert "port_in_use" in run.text or "is still bound" in run.text
    assert team.served("tcp")["ssh"]["listen_port"] == 2223
    hub.settings.bound_ports = frozenset()
    world.up(*UPDATE)
    assert team.reserved() == {("tcp", 2223, "team/app/ssh"), ("tcp", 3333, "team/app/git")}

    # A new invite rolls the pods, with its token and its ports; the agent of the old one does not hold it up.
    before, token = team.deployment(), team.token()
    hub.settings.bound_ports = frozenset({(2223, "tcp"), (3333, "tcp")})
    team.configure(team.tunnel(agents=[team.agent(services=[SHOP, new], tcp=[moved, GIT])], generation=2))
    rotated = world.up(*UPDATE)
    assert team.token() != token
    assert team.token() == hub.invite(team.told()["inviteId"]).token
    assert team.deployment()["metadata"]["uid"] == before["metadata"]["uid"]
    template, old = (one["spec"]["template"]["metadata"] for one in (team.deployment(), before))
    assert template["annotations"][CONFIG_HASH] != old["annotations"][CONFIG_HASH]
    assert team.reserved() == {("tcp", 2223, "team/app/ssh"), ("tcp", 3333, "team/app/git")}
    team.settled(rotated)

    # The agent moves to another tunnel, with all that it serves.
    hub.settings.bound_ports = frozenset()
    team.configure(team.tunnel(), team.tunnel("other", agents=[team.agent(services=[SHOP, new], tcp=[moved, GIT])]))
    moving = world.up(*UPDATE)
    names = {"app-own.example.com", "other-own.example.com", "new.example.com", "shop.example.org"}
    assert world.names() == names
    assert team.told()["confirmed"] == ["app-own.example.com"]
    assert team.token() == hub.invite(team.told("team/other")["inviteId"]).token
    assert team.deployment()["metadata"]["uid"] == before["metadata"]["uid"]
    assert team.reserved() == {("tcp", 2223, "team/other/ssh"), ("tcp", 3333, "team/other/git")}
    team.settled(moving)

    # And goes with that tunnel, whose invite takes its ports along.
    team.configure(team.tunnel())
    world.up(*UPDATE)
    assert world.names() == {"app-own.example.com"}
    assert team.reserved() == set()
    for path in (DEPLOYMENTS, "/api/v1/secrets", "/api/v1/serviceaccounts"):
        assert team.live(path) == []


def test_two_agents_share_ports_and_a_foreign_secret_is_never_taken(team: Team) -> None:
    world = team.world
    foreign = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "second-token", "namespace": "edge"},
        "data": {"token": "dGhlaXJz"},
    }
    [theirs] = team.kube.apply(foreign)
    both = {"services": [APP], "tcp": [SSH]}
    team.configure(team.tunnel(agents=[team.agent(**both), team.agent(**both, name="second")]))
    run = world.stack.up(*UPDATE)
    assert run.status != 0
    assert "second-token" in run.text
    assert "Traceback" not in run.text
    [now] = [one for one in team.kube.items("/api/v1/secrets") if one["metadata"]["name"] == "second-token"]
    assert now["data"] == theirs["data"]
    assert [one["metadata"]["name"] for one in team.live(DEPLOYMENTS)] == ["agent"]
    assert world.names() == {"app-own.example.com", "app.example.com"}
    assert team.reserved() == {("tcp", 2222, "team/app/ssh")}

    team.kube.delete(theirs)
    world.up(*UPDATE)
    assert len(team.live(DEPLOYMENTS)) == 2

    # A hub that fails half-way takes no agent along.
    team.hub.inject(Fault(method="POST", path="/v1/invites/*/hostnames", outcome=INTERNAL_500, times=None))
    more = {"services": [APP, SHOP], "tcp": [SSH]}
    team.configure(team.tunnel(agents=[team.agent(**more), team.agent(**more, name="second")]))
    assert world.stack.up(*UPDATE).status != 0
    team.hub.clear_faults()
    assert len(team.live(DEPLOYMENTS)) == 2
    assert world.names() == {"app-own.example.com", "app.example.com"}
    assert team.reserved() == {("tcp", 2222, "team/app/ssh")}

    # One of them goes: what both serve stays.
    team.configure(team.tunnel(agents=[team.agent(**both)]))
    world.up(*UPDATE)
    one = team.deployment()
    assert one["metadata"]["name"] == "agent"
    assert team.reserved() == {("tcp", 2222, "team/app/ssh")}

    # A renamed tunnel keeps its invite, its port and its pods.
    retained = {"aliases": ["team/app"], "deletionPolicy": "Retain"}
    team.configure(team.tunnel("renamed", agents=[team.agent(**both)], **retained))
    world.up(*UPDATE)
    assert team.reserved() == {("tcp", 2222, "team/app/ssh")}
    assert team.deployment()["spec"] == one["spec"]
    world.assert_settled()

    # Its cluster gets another name: the engine would delete them.
    one = team.deployment()
    team.configure(team.tunnel("renamed", agents=[team.agent(**both)], **retained), cluster="other")
    run = world.stack.up(*UPDATE)
    assert run.status != 0
    assert "agent-identity" in run.text
    assert team.deployment() == one
    team.configure(team.tunnel("renamed", agents=[team.agent(**both)], **retained))
    world.assert_settled()

    # What is retained on the hub keeps its ports.
    destroyed = world.stack.destroy()
    assert destroyed.status == 0, destroyed.text
    assert (world.names(), team.live(DEPLOYMENTS)) == (set(), [])
    assert team.reserved() == {("tcp", 2222, "team/app/ssh")}
