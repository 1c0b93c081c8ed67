"""Kubernetes objects become gateway state strictly: malformed, doubled or cut off is never taken for absent."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from edge_dns.core.errors import GatewayStateInvalid, ObservationFailed
from edge_dns.core.gateway_objects import parse_objects
from edge_dns.observe.gateway_files import read_files
from tests.unit.admission.objects import GROUP, Object, gateway, gateway_class, listener, namespace, parent, ref, route


def _list(*items: Any, **more: Any) -> Object:
    return {"apiVersion": "v1", "kind": "List", "items": list(items), **more}


@pytest.mark.parametrize(
    "documents",
    [
        pytest.param([gateway(), route(), namespace("team")], id="documents"),
        pytest.param([_list(gateway(), route(), namespace("team"))], id="a List"),
        pytest.param([_list(_list(gateway()), _list(_list(route())), namespace("team"))], id="nested Lists"),
        pytest.param([None, gateway(), None, _list(route(), namespace("team"))], id="empty documents between"),
        pytest.param(
            [
                {"apiVersion": f"{GROUP}/v1", "kind": "GatewayList", "items": [gateway()]},
                {"apiVersion": f"{GROUP}/v1", "kind": "HTTPRouteList", "items": [route()]},
                {"apiVersion": "v1", "kind": "NamespaceList", "items": [{"metadata": {"name": "team"}}]},
            ],
            id="typed lists, whose items may leave out their kind",
        ),
        pytest.param(
            [
                _list(gateway(), route(), namespace("team")),
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": 3},
                {"apiVersion": "networking.istio.io/v1", "kind": "Gateway", "spec": {}},
                {"apiVersion": "example.net/v1", "kind": "BlockList", "spec": {}},
            ],
            id="kinds of others are ignored",
        ),
    ],
)
def test_documents_and_lists_give_the_same_state(documents: list[Any]) -> None:
    state = parse_objects(documents)
    assert [str(item) for item in (*state.gateways, *state.routes)] == ["Gateway edge/front", "HTTPRoute team/cart"]
    assert list(state.namespaces) == ["team"]


def test_the_order_of_objects_does_not_matter() -> None:
    objects = [gateway(), gateway("a/b"), route(), route("a/b"), namespace("x"), gateway_class("c", "d")]
    assert parse_objects(objects) == parse_objects(reversed(objects))


def test_a_list_with_nothing_in_it_is_an_observation() -> None:
    state = parse_objects([_list()])
    assert (state.gateways, state.routes, state.namespaces) == ((), (), {})


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        pytest.param([], "no Kubernetes object", id="nothing"),
        pytest.param([None], "no Kubernetes object", id="an empty document"),
        pytest.param(["just text"], "but a text", id="a text"),
        pytest.param([[gateway()]], "but a list", id="a bare list"),
        pytest.param([{"config": {"edge-dns:zones": []}}], "no kind", id="a stack file"),
        pytest.param([{"kind": "Gateway"}], "no apiVersion", id="no apiVersion"),
        pytest.param([_list(gateway(), None)], "but missing", id="an empty item"),
        pytest.param([{"apiVersion": "v1", "kind": "List"}], "List is cut off", id="a List without items"),
        pytest.param([{"apiVersion": "v1", "kind": "List", "items": None}], "List is cut off", id="items cut off"),
        pytest.param(
            [{"apiVersion": f"{GROUP}/v1", "kind": "HTTPRouteList"}], "HTTPRouteList is cut off", id="typed list"
        ),
        pytest.param([_list(route(), metadata={"continue": "abc"})], "continue token", id="a page of a List"),
        pytest.param([_list(route(), metadata={"remainingItemCount": 3})], "continue token", id="items remain"),
        pytest.param(
            [{"apiVersion": "v1", "kind": "Status", "status": "Failure", "message": "forbidden"}],
            "forbidden",
            id="an error of the API server",
        ),
        pytest.param([gateway(), gateway()], "Gateway edge/front is there twice", id="one object twice"),
        pytest.param([_list(route()), route()], "HTTPRoute team/cart is there twice", id="twice over lists"),
        pytest.param([namespace("a"), namespace("a")], "Namespace a is there twice", id="a Namespace twice"),
        pytest.param([{**route(), "apiVersion": f"{GROUP}/v1alpha2"}], "v1alpha2 is not read", id="another version"),
    ],
)
def test_what_is_no_complete_state_is_refused(documents: list[Any], message: str) -> None:
    with pytest.raises(GatewayStateInvalid, match=message):
        parse_objects(documents)


def _set(path: str, value: Any) -> Callable[[Object], None]:
    """Return an edit of an object; `path` goes through lists by position, a value of ... deletes the field."""

    def edit(item: Any) -> None:
        *steps, last = (int(step) if step.isdigit() else step for step in path.split("."))
        for step in steps:
            item = item[step]
        if value is ...:
            del item[last]
        else:
            item[last] = value

    return edit


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("metadata", ...),
        ("metadata.name", ...),
        ("metadata.namespace", ...),
        ("metadata.uid", 7),
        ("metadata.generation", ...),
        ("metadata.generation", "1"),
        ("metadata.generation", True),
        ("metadata.annotations", []),
        ("metadata.labels", {"a": True}),
        ("spec", ...),
        ("spec.hostnames", "a.test"),
        ("spec.hostnames", [1]),
        ("spec.parentRefs", {}),
        ("spec.parentRefs.0", "edge"),
        ("spec.parentRefs.0.name", ...),
        ("spec.parentRefs.0.port", "443"),
        ("spec.parentRefs.0.kind", 1),
        ("status", []),
        ("status.parents", {}),
        ("status.parents.0.parentRef", ...),
        ("status.parents.0.conditions.0.status", True),
        ("status.parents.0.conditions.0.status", "true"),
        ("status.parents.0.conditions.0.observedGeneration", "1"),
        ("status.parents.0.conditions.0.type", ...),
    ],
)
def test_a_malformed_route_is_refused_by_name_and_field(path: str, value: Any) -> None:
    item = json.loads(json.dumps(route(metadata={"labels": {}, "annotations": {}})))
    _set(path, value)(item)
    with pytest.raises(GatewayStateInvalid, match=r"HTTPRoute .*: .*(metadata|spec|status)"):
        parse_objects([gateway(), item])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("metadata.generation", ...),
        ("spec", ...),
        ("spec.listeners", {}),
        ("spec.listeners.0.name", ...),
        ("spec.listeners.0.port", ...),
        ("spec.listeners.0.protocol", ...),
        ("spec.listeners.0.hostname", 1),
        ("spec.listeners.0.allowedRoutes", "All"),
        ("spec.listeners.0.allowedRoutes.kinds", ["HTTPRoute"]),
        ("spec.listeners.0.allowedRoutes.namespaces.from", "Some"),
        ("spec.listeners.0.allowedRoutes.namespaces.selector", "a=b"),
        ("spec.listeners.0.allowedRoutes.namespaces.selector.matchLabels", {"a": 1}),
        ("spec.listeners.0.allowedRoutes.namespaces.selector.matchExpressions.0.operator", "Gt"),
        ("spec.listeners.0.allowedRoutes.namespaces.selector.matchExpressions.0.values", []),
        ("spec.listeners.1.name", "web"),
        ("status.addresses", "192.0.2.1"),
        ("status.addresses.0", "192.0.2.1"),
        ("status.addresses.0.value", 1),
        ("status.conditions", {}),
    ],
)
def test_a_malformed_gateway_is_refused_by_name_and_field(path: str, value: Any) -> None:
    selector = {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}
    rule = {"namespaces": {"from": "Selector", "selector": selector}}
    item = json.loads(json.dumps(gateway(listeners=[listener(allowedRoutes=rule), listener("other")])))
    _set(path, value)(item)
    with pytest.raises(GatewayStateInvalid, match=r"Gateway edge/front: .*(metadata|spec|status)"):
        parse_objects([item, route()])


def test_a_malformed_class_or_namespace_is_refused_by_name() -> None:
    broken = gateway_class("edge", "x")
    broken["spec"] = {}
    with pytest.raises(GatewayStateInvalid, match=r"GatewayClass edge: spec.controllerName is missing"):
        parse_objects([broken])
    with pytest.raises(GatewayStateInvalid, match=r"Namespace team: metadata.labels.a is a boolean, not a text"):
        parse_objects([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team", "labels": {"a": True}}}])


def test_an_error_never_shows_the_value_of_a_field() -> None:
    with pytest.raises(GatewayStateInvalid) as caught:
        parse_objects([route(metadata={"annotations": {"token": ["s3cret"]}})])
    assert "s3cret" not in str(caught.value)


def test_defaults_of_a_parent_ref_are_filled_in() -> None:
    short = {"name": "front"}
    written_out = {"group": GROUP, "kind": "Gateway", "namespace": "team", "name": "front"}
    (found,) = parse_objects([route(refs=[short], parents=[parent(written_out)])]).routes
    assert found.parent_refs[0] == found.parents[0].ref
    (other,) = parse_objects([route(refs=[ref("team/front", None, group="")])]).routes
    assert other.parent_refs != found.parent_refs


# --- files ------------------------------------------------------------------------------------------------------------

_ROUTE_YAML = """\
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {namespace: team, name: cart, uid: rt-1, generation: 1, labels: {frozen: NO}}
spec: {hostnames: [cart.shop.test]}
"""


def test_files_of_yaml_and_json_together_are_one_state(tmp_path: Path) -> None:
    (tmp_path / "gateways.json").write_text(json.dumps(_list(gateway())))
    (tmp_path / "routes.yaml").write_text(f"---\n{_ROUTE_YAML}---\napiVersion: v1\nkind: List\nitems: []\n")
    state = read_files([tmp_path / "gateways.json", tmp_path / "routes.yaml"])
    assert (len(state.gateways), len(state.routes)) == (1, 1)
    assert state.routes[0].labels == {"frozen": "NO"}


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"# nothing\n---\n", id="comments only"),
        pytest.param(b"just text", id="text"),
        pytest.param(b"{", id="cut-off JSON"),
        pytest.param(b"kind: [", id="cut-off YAML"),
        pytest.param(b"apiVersion: v1\nkind: List\nitems:\n", id="cut off before the items"),
        pytest.param(b"No resources found", id="kubectl's note"),
        pytest.param(b"\xff\xfe\x00", id="not UTF-8"),
        pytest.param(b"edge-dns:zones: []\n", id="a settings file"),
    ],
)
def test_a_file_without_state_is_an_error_that_names_it(tmp_path: Path, content: bytes) -> None:
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(_ROUTE_YAML)
    bad.write_bytes(content)
    with pytest.raises(ObservationFailed, match=r"bad\.yaml"):
        read_files([good, bad])


def test_a_missing_file_and_a_folder_are_errors_that_name_them(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.yaml", tmp_path):
        with pytest.raises(ObservationFailed, match=path.name):
            read_files([path])


def test_one_object_in_two_files_is_refused(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(_ROUTE_YAML)
    with pytest.raises(ObservationFailed, match="HTTPRoute team/cart is there twice"):
        read_files([tmp_path / "a.yaml", tmp_path / "b.yaml"])


_SERVICE_YAML = """\
apiVersion: v1
kind: ServiceList
items: [{metadata: {namespace: team, name: web}}, {metadata: {namespace: team, name: db}, spec: {type: NodePort}}]
"""


def test_services_are_read_from_files_where_they_are_needed(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(_SERVICE_YAML)
    assert read_files([tmp_path / "a.yaml"]).services == ()
    found = read_files([tmp_path / "a.yaml"], services=True).services
    assert [(str(one), one.type) for one in found] == [
        ("Service team/db", "NodePort"),
        ("Service team/web", "ClusterIP"),
    ]


def test_a_service_of_another_group_is_none_of_ours() -> None:
    knative = {"apiVersion": "serving.knative.dev/v1", "kind": "Service", "metadata": {"name": "x"}}
    assert parse_objects([knative], services=True).services == ()


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        pytest.param({"name": "web"}, "Service web: metadata.namespace is missing", id="no namespace"),
        pytest.param(
            {"namespace": "t", "name": "w", "annotations": {"a": 1}}, "annotations.a is a whole", id="a number"
        ),
    ],
)
def test_a_malformed_service_is_an_error_where_services_are_needed(metadata: Object, message: str) -> None:
    broken = {"apiVersion": "v1", "kind": "Service", "metadata": metadata}
    assert parse_objects([broken]).services == ()
    with pytest.raises(GatewayStateInvalid, match=message):
        parse_objects([broken], services=True)


def test_all_missing_fields_of_an_object_are_told_at_once() -> None:
    bare = {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": {"namespace": "edge", "name": "front"},
        "spec": {"listeners": [{"name": "web"}]},
    }
    with pytest.raises(GatewayStateInvalid) as raised:
        parse_objects([bare])
    expected = "Gateway edge/front: has no metadata.generation, spec.listeners.port, spec.listeners.protocol"
    assert str(raised.value) == expected
