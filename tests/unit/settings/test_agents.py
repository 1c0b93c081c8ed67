"""Settings of agents: what is refused, each with its path."""

from collections.abc import Mapping

import pytest

from edge_dns.core.settings import SettingsInvalid, load_settings

HTTPS = {"hostname": "app.example.com", "origin": "app.web.svc:8080"}
SSH = {"name": "ssh", "origin": "git.web.svc:22"}
CLUSTER = {"name": "prod", "kubeconfig": "prod.yaml"}
FILES = {"name": "files", "files": ["objects.yaml"]}


def agent(name: str = "agent", **more: object) -> dict[str, object]:
    return {"name": name, "services": [HTTPS], **more}


def errors(*agents: Mapping[str, object], clusters: object = (CLUSTER,), **tunnel: object) -> list[str]:
    """Return what is wrong with a tunnel of these agents, without the path of the tunnel."""
    one = {"name": "app", "namespace": "team", "agents": list(agents), **tunnel}
    try:
        load_settings({"clusters": list(clusters), "tunnels": [one]})  # type: ignore[call-overload]
    except SettingsInvalid as invalid:
        return str(invalid).replace("tunnels[0].agents", "agents").split("\n")
    return []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, None),
        ({"name": "A"}, 'agents[0].name: is "A", expected an agent\'s name: at most 58 lower-case letters'),
        ({"name": "a" * 59}, "agents[0].name: "),
        ({"image": "registry.example.com/agent:latest"}, "agents[0].image: "),
        ({"image": "registry.example.com:5000/agent"}, "agents[0].image: "),
        ({"image": "registry.example.com:5000/agent@sha256:" + "0" * 64}, None),
        ({"version": "next"}, "agents[0].version: "),
        ({"replicas": -1}, "agents[0].replicas: "),
        ({"services": [HTTPS | {"origin": "http://app:80"}]}, "agents[0].services[0].origin: "),
        ({"services": [HTTPS | {"tlsMode": "edge"}]}, "agents[0].services[0].tlsMode: "),
        ({"services": [HTTPS | {"proxyProtocol": "v1"}]}, "agents[0].services[0].proxyProtocol: "),
        ({"services": [HTTPS, HTTPS | {"hostname": "APP.example.com."}]}, "agents[0].services[1]: each hostname once"),
        ({"tcp": [SSH, SSH]}, "agents[0].tcp[1]: each name once"),
        ({"tcp": [SSH], "udp": [SSH]}, None),
        ({"tcp": [SSH | {"name": "ssh.example.com"}]}, "agents[0].tcp[0].name: "),
        ({"tcp": [SSH | {"preferredPort": 22}]}, "agents[0].tcp[0].preferredPort: "),
        ({"tcp": [SSH | {"preferredPort": 8443}]}, "agents[0].tcp[0].preferredPort: is 8443, expected none of the hub"),
        (
            {"tcp": [SSH | {"preferredPort": 2222}, SSH | {"name": "git", "preferredPort": 2222}]},
            "agents[0].tcp[1]: each preferredPort once",
        ),
        ({"connectivity": {"nodePort": {}}}, "agents[0].connectivity.nodePort: needs irohPort"),
        ({"connectivity": {"autodiscover": True}}, "agents[0].connectivity.autodiscover: true does not fit"),
        ({"connectivity": {"irohPort": 4, "nodePort": {"port": 80}}}, "agents[0].connectivity.nodePort.port: "),
        ({"connectivity": {"extraLocalAddrs": ["a:1,b:2"]}}, "agents[0].connectivity.extraLocalAddrs[0]: "),
        ({"resources": {"limits": {"cpu": "much"}}}, "agents[0].resources.limits.cpu: "),
        ({"tolerations": [{"effect": "Never"}]}, "agents[0].tolerations[0].effect: "),
        ({"servces": []}, "agents[0].servces: unknown key; did you mean 'services'?"),
    ],
    ids=str,
)
def test_one_agent(change: Mapping[str, object], expected: str | None) -> None:
    found = errors({**agent(), **change})
    assert len(found) == (expected is not None), found
    assert not expected or found[0].startswith(expected), found


@pytest.mark.parametrize(
    ("clusters", "named", "expected"),
    [
        ([CLUSTER], None, None),
        ([CLUSTER, FILES], "prod", None),
        ([], None, "is required unless the settings have exactly one cluster (known: none)"),
        ([CLUSTER, FILES], None, "is required unless the settings have exactly one cluster (known: prod, files)"),
        ([CLUSTER], "east", 'is "east", expected a cluster of the settings (known: prod)'),
        ([FILES], None, "cluster files is read from files, and nothing can be written to it: it needs a kubeconfig"),
    ],
    ids=["the-only-one", "named", "none", "several", "unknown", "files"],
)
def test_the_cluster_of_an_agent(clusters: object, named: str | None, expected: str | None) -> None:
    found = errors(agent() if named is None else agent(cluster=named), clusters=clusters)
    assert found == ([f"agents[0].cluster: {expected}"] if expected else [])


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ({}, None),
        ({"services": [HTTPS | {"origin": "app.other.svc:80", "proxyProtocol": "none"}]}, None),
        ({"services": []}, "services: differ from those of agent agent in app.example.com: several agents"),
        ({"services": [HTTPS | {"tlsMode": "terminate"}]}, "services: differ from those of agent agent in app.example"),
        ({"services": [HTTPS | {"hostname": "App.example.com"}]}, None),
        ({"tcp": []}, "tcp: differ from those of agent agent in ssh"),
        ({"udp": [SSH]}, "udp: differ from those of agent agent in ssh"),
        ({"tcp": [SSH | {"origin": "other.svc:22"}]}, "tcp[0].preferredPort: is another one than that of agent agent"),
    ],
    ids=str,
)
def test_the_agents_of_a_tunnel_serve_the_same(other: Mapping[str, object], expected: str | None) -> None:
    tcp = [SSH | {"preferredPort": 2222}]
    found = errors(agent(tcp=tcp), {**agent("second", tcp=tcp), **other})
    assert len(found) == (expected is not None), found
    assert not expected or found[0].startswith(f"agents[1].{expected}"), found


def test_a_tunnel_with_ports_needs_a_hostname() -> None:
    bare = {"name": "agent", "tcp": [SSH]}
    assert errors(bare) == ["agents: a tunnel needs at least one hostname, also for TCP and UDP services only"]
    assert errors(bare, hostnames=["app.example.com"]) == []


def test_a_cluster_without_gateways_holds_agents_and_is_not_read() -> None:
    assert errors(agent(), clusters=[CLUSTER | {"gateways": False}]) == []
    assert errors(agent(), clusters=[CLUSTER | {"gateways": False, "select": {"names": ["a"]}}]) == [
        "clusters[0].select: only with gateways: true"
    ]


def test_an_agent_stands_once_in_its_namespace() -> None:
    again = errors(agent(), agent(namespace="team"))
    told = "agents[1]: its Deployment team/agent in cluster prod would be that of agents[0] as well"
    assert again == [f"{told}; give one of both another name or namespace"]
    assert errors(agent(), agent(namespace="other")) == []


DIRECT = {"irohPort": 4242, "nodePort": {}}


@pytest.mark.parametrize(
    ("name", "tunnel", "theirs", "clash"),
    [
        ("cloudflared-web", "web", {}, "Deployment team/cloudflared-web"),
        ("cloudflared-web", "web-token", {}, "Secret team/cloudflared-web-token"),
        ("cloudflared-web", "web", {"namespace": "edge"}, None),
        ("cloudflared-web", "web", {"cluster": "lab"}, None),
        ("agent", "web", {}, None),
    ],
)
def test_an_agent_and_a_cloudflared_share_no_object(
    name: str, tunnel: str, theirs: Mapping[str, str], clash: str | None
) -> None:
    cloudflared = {"image": "cloudflare/cloudflared:2026.9.0", "cluster": "prod", **theirs}
    of = {"accountId": "0" * 32, "origin": "http://app", "agent": cloudflared}
    tunnels = [
        {"name": "app", "namespace": "team", "agents": [agent(name, cluster="prod")]},
        {"name": tunnel, "namespace": "team", "kind": "cloudflare", "hostnames": ["a.example.com"], "cloudflare": of},
    ]
    clusters = [CLUSTER, {"name": "lab", "kubeconfig": "lab.yaml"}]
    if clash is None:
        assert load_settings({"clusters": clusters, "tunnels": tunnels})
        return
    with pytest.raises(SettingsInvalid) as invalid:
        load_settings({"clusters": clusters, "tunnels": tunnels})
    assert str(invalid.value).startswith(
        f"tunnels[1].cloudflare.agent: its {clash} in cluster prod would be that of tunnels[0].agents[0]"
    )


def test_two_agents_share_no_service() -> None:
    named = {**DIRECT, "nodePort": {"name": "agent-iroh"}}
    (told,) = errors(agent(connectivity=DIRECT), agent("second", connectivity=named))
    assert told.startswith("agents[1]: its Service team/agent-iroh in cluster prod would be that of agents[0]")
    assert errors(agent(connectivity=DIRECT), agent("second", connectivity=DIRECT)) == []


def test_agents_are_of_kind_towonel_only() -> None:
    assert errors(agent(), kind="cloudflare", cloudflare={"accountId": "0" * 32}) == ["agents: only for kind towonel"]
