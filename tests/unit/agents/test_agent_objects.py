"""The objects of an agent, field by field what the Towonel operator makes (v1.6.0, and 1.7 and 1.8 where told)."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from edge_dns.core.agent_objects import (
    AT_ONCE,
    CONFIG_HASH,
    Issued,
    config_hash,
    connectivity_objects,
    deployment,
    environment,
    replicas,
    service_account,
    token_secret,
)
from edge_dns.core.agents import PlannedAgent, PortKey, planned_agents, planned_ports, tunnel_hostnames
from edge_dns.core.settings import Settings, load_settings

HTTPS = [
    {"hostname": "Shop.example.com.", "origin": "shop.web.svc:8443"},
    {"hostname": "app.example.com", "origin": "app.web.svc:8080", "tlsMode": "terminate", "proxyProtocol": "none"},
]
SSH = {"name": "ssh", "origin": "git.web.svc:22", "preferredPort": 2222}
TCP = PortKey("tcp", "ssh")
ISSUED = Issued(invite_id="invite-1", ports={TCP: 2222})
DIRECT = {"irohPort": 4242, "nodePort": {"port": 31000}}


def settings(*agents: Mapping[str, object], **tunnel: object) -> Settings:
    one = {"name": "app", "namespace": "team", "agents": list(agents), **tunnel}
    return load_settings({"clusters": [{"name": "prod", "kubeconfig": "k"}], "tunnels": [one]})


def planned(**change: object) -> PlannedAgent:
    given = settings({"name": "agent", "services": HTTPS, "tcp": [SSH], **change})
    [found] = planned_agents(given.tunnels[0], given)
    return found


def hiding(*hostnames: str) -> PlannedAgent:
    given = settings({"name": "agent", "services": HTTPS, "tcp": [SSH]})
    [found] = planned_agents(given.tunnels[0], given, frozenset(hostnames))
    return found


def whole(one: PlannedAgent, issued: Issued = ISSUED) -> Any:
    env, config = environment(one, issued), config_hash(one, issued)
    return deployment(one, replicas=replicas(one, issued), env=env, config=config)


def spec(one: PlannedAgent, issued: Issued = ISSUED) -> Any:
    return whole(one, issued)["spec"]


def pod(one: PlannedAgent, issued: Issued = ISSUED) -> Any:
    return spec(one, issued)["template"]["spec"]


def container(one: PlannedAgent, issued: Issued = ISSUED) -> Any:
    return pod(one, issued)["containers"][0]


def env(one: PlannedAgent, issued: Issued = ISSUED) -> dict[str, Any]:
    return {entry["name"]: entry.get("value", entry.get("valueFrom")) for entry in container(one, issued)["env"]}


LABELS = {
    "app.kubernetes.io/name": "towonel-agent",
    "app.kubernetes.io/instance": "agent",
    "app.kubernetes.io/part-of": "edge-dns",
}


def test_the_deployment_is_that_of_the_operator() -> None:
    one = planned(replicas=2)
    found = whole(one)
    assert (found["apiVersion"], found["kind"]) == ("apps/v1", "Deployment")
    assert found["metadata"] == {"name": "agent", "namespace": "team", "labels": LABELS}
    template = found["spec"].pop("template")
    selector = {key: LABELS[key] for key in ("app.kubernetes.io/name", "app.kubernetes.io/instance")}
    assert found["spec"] == {"replicas": 2, "selector": {"matchLabels": selector}}
    assert template["metadata"]["labels"] == LABELS
    assert list(template["metadata"]["annotations"]) == ["towonel.io/config-hash"]
    containers = template["spec"].pop("containers")
    assert template["spec"] == {
        "serviceAccountName": "agent",
        "automountServiceAccountToken": False,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 10001,
            "runAsGroup": 10001,
            "fsGroup": 10001,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
    }
    services = (
        '[{"hostname":"app.example.com","origin":"app.web.svc:8080","tls_mode":{"mode":"terminate"},'
        '"proxy_protocol":"none"},'
        '{"hostname":"shop.example.com","origin":"shop.web.svc:8443","tls_mode":{"mode":"passthrough"}}]'
    )
    assert containers == [
        {
            "name": "towonel-agent",
            "image": "codeberg.org/towonel/towonel-agent:1.7.1",
            "env": [
                {
                    "name": "TOWONEL_INVITE_TOKEN",
                    "valueFrom": {"secretKeyRef": {"name": "agent-token", "key": "token"}},
                },
                {"name": "TOWONEL_AGENT_SERVICES", "value": services},
                {
                    "name": "TOWONEL_AGENT_TCP_SERVICES",
                    "value": '[{"name":"ssh","listen_port":2222,"origin":"git.web.svc:22"}]',
                },
                {"name": "TOWONEL_AGENT_HEALTH_LISTEN_ADDR", "value": "0.0.0.0:9090"},
            ],
            "ports": [{"name": "metrics", "containerPort": 9090, "protocol": "TCP"}],
            "livenessProbe": {"httpGet": {"path": "/healthz", "port": 9090}},
            "readinessProbe": {"httpGet": {"path": "/readyz", "port": 9090}},
            "resources": {"requests": {"memory": "128Mi"}, "limits": {"memory": "512Mi"}},
            "securityContext": {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            },
        }
    ]


def test_an_agent_serves_no_hostname_that_is_internal_and_all_of_its_ports() -> None:
    left = json.loads(env(hiding("shop.example.com"))["TOWONEL_AGENT_SERVICES"])
    assert [one["hostname"] for one in left] == ["app.example.com"]
    without = hiding("shop.example.com", "app.example.com")
    assert "TOWONEL_AGENT_SERVICES" not in env(without)
    assert "TOWONEL_AGENT_TCP_SERVICES" in env(without)
    # Its pods have to roll, or they would go on serving it.
    assert len({config_hash(one, ISSUED) for one in (planned(), hiding("shop.example.com"), without)}) == 3


def test_the_secret_and_the_service_account_are_those_of_the_operator() -> None:
    one = planned(namespace="edge")
    assert token_secret(one, invite_id="invite-1", token="dDBrZW4=") == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "agent-token",
            "namespace": "edge",
            "labels": LABELS,
            "annotations": {"towonel.io/invite-id": "invite-1", **AT_ONCE},
        },
        "type": "Opaque",
        "data": {"token": "dDBrZW4="},
    }
    assert service_account(one) == {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "agent", "namespace": "edge", "labels": LABELS, "annotations": AT_ONCE},
    }


@pytest.mark.parametrize(
    ("change", "path", "expected"),
    [
        ({"version": "1.6"}, ("readinessProbe", "httpGet", "path"), "/healthz"),
        ({"version": "1.7"}, ("readinessProbe", "httpGet", "path"), "/readyz"),
        ({"version": "v2.0.1"}, ("readinessProbe", "httpGet", "path"), "/readyz"),
        ({"version": "1.6.0"}, ("image",), "codeberg.org/towonel/towonel-agent:1.6.0"),
        ({"image": "r.example/agent:2"}, ("image",), "r.example/agent:2"),
        (
            {"resources": {"requests": {"cpu": "1"}}},
            ("resources",),
            {"requests": {"memory": "128Mi", "cpu": "1"}, "limits": {"memory": "512Mi"}},
        ),
        (
            {"resources": {"requests": {"memory": "64Mi"}, "limits": {"memory": "256Mi"}}},
            ("resources",),
            {"requests": {"memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        ),
        ({"securityContext": {"privileged": True}}, ("securityContext",), {"privileged": True}),
        ({"connectivity": DIRECT}, ("ports", 1), {"name": "iroh", "containerPort": 4242, "protocol": "UDP"}),
    ],
    ids=str,
)
def test_what_the_settings_change_of_the_container(
    change: dict[str, object], path: tuple[str | int, ...], expected: object
) -> None:
    found = container(planned(**change))
    for part in path:
        found = found[part]
    assert found == expected


def test_what_the_settings_change_of_the_pod() -> None:
    toleration = {"key": "dedicated", "operator": "Exists", "tolerationSeconds": 60}
    found = pod(
        planned(
            nodeSelector={"disk": "ssd"},
            tolerations=[toleration],
            affinity={"nodeAffinity": {}},
            podSecurityContext={"runAsUser": 1},
        )
    )
    assert found["nodeSelector"] == {"disk": "ssd"}
    assert found["tolerations"] == [toleration]
    assert found["affinity"] == {"nodeAffinity": {}}
    assert found["securityContext"] == {"runAsUser": 1}


def test_a_run_that_is_not_to_wait_says_so_to_the_provider() -> None:
    found = whole(planned(wait=False))
    assert found["metadata"]["annotations"] == {"pulumi.com/skipAwait": "true"}


@pytest.mark.parametrize("mode", ["passthrough", "terminate"])
@pytest.mark.parametrize("proxy", [None, "none", "v2"])
def test_the_tls_mode_is_an_object_and_the_proxy_protocol_only_there_when_given(mode: str, proxy: str | None) -> None:
    service = {"hostname": "a.example.com", "origin": "a:1", "tlsMode": mode}
    one = planned(services=[service if proxy is None else {**service, "proxyProtocol": proxy}])
    [found] = json.loads(env(one)["TOWONEL_AGENT_SERVICES"])
    assert found["tls_mode"] == {"mode": mode}
    assert found.get("proxy_protocol") == proxy


def test_a_service_without_port_is_left_out_and_its_siblings_are_served() -> None:
    one = planned(tcp=[SSH, {"name": "git", "origin": "git:9418"}], udp=[{"name": "ssh", "origin": "voice:1"}])
    found = env(one)
    assert [entry["name"] for entry in json.loads(found["TOWONEL_AGENT_TCP_SERVICES"])] == ["ssh"]
    assert "TOWONEL_AGENT_UDP_SERVICES" not in found


def test_a_malformed_hostname_is_left_out_and_its_siblings_are_served() -> None:
    one = planned(services=[*HTTPS, {"hostname": "not a name", "origin": "a:1"}])
    assert env(one) == env(planned())


def test_without_anything_to_serve_over_https_there_is_no_such_variable() -> None:
    given = settings({"name": "agent", "tcp": [SSH]}, hostnames=["a.example.com"])
    [one] = planned_agents(given.tunnels[0], given)
    assert list(env(one)) == [
        "TOWONEL_INVITE_TOKEN",
        "TOWONEL_AGENT_TCP_SERVICES",
        "TOWONEL_AGENT_HEALTH_LISTEN_ADDR",
    ]


def test_everything_of_the_direct_path_stands_between_the_services_and_the_health_address() -> None:
    one = planned(
        relayUrl="https://relay.example.com",
        connectivity={**DIRECT, "extraLocalAddrs": ["192.0.2.1:1", "192.0.2.2:1"], "autodiscover": True},
        disableUdpGso=True,
    )
    found = env(one)
    assert list(found)[3:] == [
        "TOWONEL_AGENT_RELAY_URL",
        "TOWONEL_AGENT_IROH_PORT",
        "TOWONEL_AGENT_EXTRA_LOCAL_ADDRS",
        "TOWONEL_AGENT_K8S_AUTODISCOVER",
        "TOWONEL_AGENT_K8S_SERVICE",
        "TOWONEL_AGENT_K8S_NAMESPACE",
        "NODE_NAME",
        "TOWONEL_DISABLE_UDP_GSO",
        "TOWONEL_AGENT_HEALTH_LISTEN_ADDR",
    ]
    assert (found["TOWONEL_AGENT_IROH_PORT"], found["TOWONEL_AGENT_K8S_SERVICE"]) == ("4242", "agent-iroh")
    assert found["TOWONEL_AGENT_EXTRA_LOCAL_ADDRS"] == "192.0.2.1:1,192.0.2.2:1"
    assert found["NODE_NAME"] == {"fieldRef": {"fieldPath": "spec.nodeName"}}
    assert pod(one)["automountServiceAccountToken"] is True


def test_the_node_port_service_keeps_the_address_of_the_client() -> None:
    [found] = connectivity_objects(planned(connectivity=DIRECT))
    service: Any = found
    assert (service["kind"], service["metadata"]["name"]) == ("Service", "agent-iroh")
    assert service["spec"] == {
        "type": "NodePort",
        "externalTrafficPolicy": "Local",
        "selector": {"app.kubernetes.io/name": "towonel-agent", "app.kubernetes.io/instance": "agent"},
        "ports": [{"name": "iroh", "protocol": "UDP", "port": 4242, "targetPort": "iroh", "nodePort": 31000}],
    }
    [free] = connectivity_objects(planned(connectivity={"irohPort": 1, "nodePort": {"name": "own"}}))
    other: Any = free
    assert other["metadata"]["name"] == "own"
    assert "nodePort" not in other["spec"]["ports"][0]


def test_autodiscovery_may_read_services_of_the_namespace_and_nodes_and_nothing_else() -> None:
    _, *objects = connectivity_objects(planned(connectivity={**DIRECT, "autodiscover": True}))
    found: list[Any] = list(objects)
    assert [(one["kind"], one["metadata"]["name"]) for one in found] == [
        ("Role", "agent-iroh-svc-reader"),
        ("RoleBinding", "agent-iroh-svc-reader"),
        ("ClusterRole", "team.agent-node-reader"),
        ("ClusterRoleBinding", "team.agent-node-reader"),
    ]
    verbs = ["get", "list", "watch"]
    assert found[0]["rules"] == [{"apiGroups": [""], "resources": ["services"], "verbs": verbs}]
    assert found[2]["rules"] == [{"apiGroups": [""], "resources": ["nodes"], "verbs": verbs}]
    subject = {"kind": "ServiceAccount", "name": "agent", "namespace": "team"}
    assert found[1]["subjects"] == found[3]["subjects"] == [subject]


def test_no_direct_path_no_objects() -> None:
    assert connectivity_objects(planned()) == ()


@pytest.mark.parametrize(
    ("change", "issued", "rolls"),
    [
        ({}, {}, False),
        ({"replicas": 3}, {}, False),
        ({"services": HTTPS[::-1]}, {}, False),
        ({"services": HTTPS[:1]}, {}, True),
        ({"services": [HTTPS[0], {**HTTPS[1], "tlsMode": "passthrough"}]}, {}, True),
        ({"version": "1.7.0"}, {}, True),
        ({"relayUrl": "https://relay.example.com"}, {}, True),
        ({"connectivity": {"irohPort": 1}}, {}, True),
        ({}, {"invite_id": "invite-2"}, True),
        ({}, {"ports": {TCP: 3333}}, True),
        ({}, {"ports": {}}, True),
    ],
    ids=str,
)
def test_what_rolls_the_pods(change: dict[str, object], issued: dict[str, Any], rolls: bool) -> None:
    values = {"invite_id": "invite-1", "ports": {TCP: 2222}, **issued}
    other = config_hash(planned(**change), Issued(**values))
    assert (other != config_hash(planned(), ISSUED)) is rolls
    annotations = spec(planned(**change), Issued(**values))["template"]["metadata"]["annotations"]
    assert annotations == {CONFIG_HASH: other}


def test_without_an_invite_there_are_no_pods() -> None:
    assert spec(planned(), Issued(invite_id=None))["replicas"] == 0


def test_https_services_are_hostnames_of_the_tunnel_and_names_of_ports_never_are() -> None:
    given = settings({"name": "agent", "services": HTTPS, "tcp": [SSH]}, hostnames=["own.example.com"])
    assert tunnel_hostnames(given.tunnels[0]) == ("own.example.com", "Shop.example.com.", "app.example.com")


def test_agents_share_a_port_and_tcp_and_udp_of_one_name_are_two() -> None:
    one = {"name": "a", "services": HTTPS, "tcp": [SSH], "udp": [{"name": "ssh", "origin": "a:1"}]}
    given = settings(one, {**one, "name": "b"})
    assert [(str(port.key), port.label, port.preferred) for port in planned_ports(given.tunnels[0])] == [
        ("tcp/ssh", "team/app/ssh", 2222),
        ("udp/ssh", "team/app/ssh", None),
    ]
    assert [agent.id for agent in planned_agents(given.tunnels[0], given)] == ["prod/team/a", "prod/team/b"]
