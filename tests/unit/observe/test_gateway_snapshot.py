import json

import yaml

from edge_dns.cli.observe import snapshot_text
from edge_dns.core import yaml_text
from edge_dns.core.gateway_objects import parse_objects
from edge_dns.observe.gateway_snapshot import snapshot

GROUP = "gateway.networking.k8s.io/v1"
SECRET = "c2VjcmV0"
LAST_APPLIED = f'"kubectl.kubernetes.io/last-applied-configuration": "{SECRET}", '


def metadata(name: str, **more: object) -> dict[str, object]:
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": SECRET, "example.net/team": "shop"}
    return {
        "name": name,
        "uid": f"uid-{name}",
        "generation": 3,
        "resourceVersion": "7",
        "labels": {"commit": "12e4567", "octal": "0o17", "yes": "on", "empty": ""},
        "annotations": annotations,
        "managedFields": [{"manager": "kubectl"}],
        **more,
    }


def unsupported(kind: str) -> dict[str, object]:
    return {
        "apiVersion": GROUP,
        "kind": kind,
        "metadata": metadata("other", namespace="edge"),
        "spec": {"hostnames": ["grpc.example.com"], "rules": [{"x": SECRET}]},
    }


OBJECTS: list[dict[str, object]] = [
    unsupported("TLSRoute"),
    unsupported("GRPCRoute"),
    {
        "apiVersion": GROUP,
        "kind": "HTTPRoute",
        "metadata": metadata("shop", namespace="edge", deletionTimestamp="2026-01-02T03:04:05Z"),
        "spec": {
            "hostnames": ["shop.example.com"],
            "parentRefs": [{"name": "front", "sectionName": "web", "port": 443}],
            "rules": [{"filters": [{"requestHeaderModifier": {"set": [{"name": "Authorization", "value": SECRET}]}}]}],
        },
        "status": {
            "parents": [
                {
                    "parentRef": {"name": "front"},
                    "controllerName": "example.net/edge",
                    "conditions": [{"type": "Accepted", "status": "True", "observedGeneration": 3, "reason": "OK"}],
                }
            ]
        },
    },
    {
        "apiVersion": GROUP,
        "kind": "Gateway",
        "metadata": metadata("front", namespace="edge"),
        "spec": {
            "gatewayClassName": "edge",
            "infrastructure": {"annotations": {"token": SECRET}},
            "listeners": [
                {
                    "name": "web",
                    "port": 443,
                    "protocol": "HTTPS",
                    "tls": {"certificateRefs": [{"name": "cert"}], "options": {"example.net/mode": "strict"}},
                    "allowedRoutes": {"namespaces": {"from": "Selector", "selector": {"matchLabels": {"a": "b"}}}},
                }
            ],
        },
        "status": {
            "addresses": [{"type": "IPAddress", "value": "203.0.113.7"}],
            "conditions": [{"type": "Accepted", "status": "True", "observedGeneration": 3, "reason": "OK"}],
        },
    },
    {
        "apiVersion": GROUP,
        "kind": "GatewayClass",
        "metadata": metadata("edge"),
        "spec": {"controllerName": "example.net/edge", "description": SECRET},
    },
    {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata("edge"), "spec": {"finalizers": ["kubernetes"]}},
    {
        "apiVersion": GROUP,
        "kind": "ListenerSet",
        "metadata": metadata("more", namespace="edge"),
        "spec": {
            "parentRef": {"name": "front"},
            "listeners": [{"name": "web", "hostname": "set.example.com", "port": 443, "protocol": "HTTPS"}],
        },
    },
]


def test_the_file_gives_the_same_state_as_the_cluster() -> None:
    state = parse_objects(json.loads(json.dumps(OBJECTS).replace(LAST_APPLIED, "")))
    assert parse_objects([snapshot(OBJECTS)]) == state
    for form in ("json", "yaml"):
        assert parse_objects([yaml_text.load(snapshot_text(snapshot(OBJECTS), form))]) == state


def test_what_does_not_decide_about_names_is_left_out() -> None:
    text = json.dumps(snapshot(OBJECTS))
    assert SECRET not in text
    assert not [word for word in ("managedFields", "resourceVersion", "last-applied", "rules") if word in text]


def test_annotations_that_selectors_ask_for_are_kept() -> None:
    assert [route.annotations for route in parse_objects([snapshot(OBJECTS)]).routes] == [{"example.net/team": "shop"}]


def test_of_a_service_what_external_dns_reads_is_kept_and_no_more() -> None:
    own = {"external-dns.kubernetes.io/hostname": "db.example.com", "external-dns.alpha.kubernetes.io/ttl": "60"}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata("db", namespace="team", annotations={"example.net/token": SECRET, **own}),
        "spec": {"type": "LoadBalancer", "selector": {"app": SECRET}},
        "status": {"loadBalancer": {}},
    }
    written = snapshot([service])
    assert SECRET not in json.dumps(written)
    [found] = parse_objects([written], services=True).services
    assert (found.type, found.annotations) == ("LoadBalancer", own)
    assert found.labels == metadata("db")["labels"]


def test_the_order_of_the_objects_does_not_matter() -> None:
    assert snapshot(reversed(OBJECTS)) == snapshot(OBJECTS)


def test_other_yaml_readers_see_the_same_as_ours() -> None:
    text = snapshot_text(snapshot(OBJECTS), "yaml")
    assert yaml.safe_load(text) == yaml_text.load(text) == snapshot(OBJECTS)


def test_an_empty_cluster_is_a_list_without_items() -> None:
    assert snapshot([]) == {"apiVersion": "v1", "kind": "List", "metadata": {}, "items": []}
