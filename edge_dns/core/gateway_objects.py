"""Gateway state from Kubernetes objects, parsed strictly.

What a real API server would never hold (wrong types, missing required fields, one object twice) is refused: a state
that was read wrongly must not be taken for one in which something is missing.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

from edge_dns.core.errors import GatewayStateInvalid
from edge_dns.core.gateway_state import (
    GATEWAY_GROUP,
    Accepted,
    Address,
    ConditionStatus,
    Gateway,
    GatewayState,
    HTTPRoute,
    Listener,
    NamespacesFrom,
    NotSupported,
    NotSupportedKind,
    ObservedService,
    ParentRef,
    ParentStatus,
)
from edge_dns.core.kubernetes_fields import (
    Malformed,
    Object,
    kind_of_value,
    list_at,
    number_at,
    object_at,
    one_of_at,
    optional_number_at,
    optional_object_at,
    optional_text_at,
    text_at,
    texts_at,
    texts_by_key_at,
)
from edge_dns.core.settings.selectors import Operator, Requirement, Selector

_T = TypeVar("_T")


def flatten(documents: Iterable[object]) -> tuple[Object, ...]:
    """Return the Kubernetes objects of the documents, with Lists taken apart and empty documents left out.

    Raises GatewayStateInvalid when there is none, when something is no object, or when a List is cut off.
    """
    objects = tuple(part for document in documents if document is not None for part in _parts(document, None))
    if not objects:
        raise GatewayStateInvalid(
            "no Kubernetes object in it; expected what 'kubectl get gateways,httproutes,namespaces -A -o yaml' prints"
        )
    # A List with nothing in it is an observation: it is yielded only as proof that there was one.
    return tuple(item for item in objects if not _is_list(item))


def parse_objects(objects: Iterable[object], *, services: bool = False) -> GatewayState:
    """Return the state that the objects (also Lists of them) describe; unknown kinds are ignored.

    Services are unknown ones too unless `services` says that they are needed. Raises GatewayStateInvalid for no object
    at all, a malformed object, one object twice or an unread API version.
    """
    found: dict[tuple[str, str, str], Object] = {}
    for item in flatten(objects):
        kind = _our_kind(item)
        if kind is None or (kind == "Service" and not services):
            continue
        key = (kind, *_identity(item, kind))
        if key in found:
            raise GatewayStateInvalid(f"{_label(item)} is there twice; give each object once")
        found[key] = item
    by_kind: dict[str, list[Object]] = {kind: [] for kind in _GROUP_OF_KIND}
    for key in sorted(found):
        by_kind[key[0]].append(found[key])
    return _assemble(by_kind)


def _assemble(by_kind: Mapping[str, list[Object]]) -> GatewayState:
    unsupported = [
        _parsed(partial(_not_supported, kind=kind), item) for kind in _HOSTNAMES_OF_KIND for item in by_kind[kind]
    ]
    return GatewayState(
        gateways=tuple(_parsed(_gateway, item) for item in by_kind["Gateway"]),
        routes=tuple(_parsed(_route, item) for item in by_kind["HTTPRoute"]),
        namespaces=dict(_parsed(_namespace, item) for item in by_kind["Namespace"]),
        classes=dict(_parsed(_gateway_class, item) for item in by_kind["GatewayClass"]),
        not_supported=tuple(found for found in unsupported if found is not None),
        services=tuple(_parsed(_service, item) for item in by_kind["Service"]),
    )


# --- which objects are ours -------------------------------------------------------------------------------------------

_EXPERIMENTAL_GROUP = "gateway.networking.x-k8s.io"
_GROUP_OF_KIND = {
    "Gateway": GATEWAY_GROUP,
    "GatewayClass": GATEWAY_GROUP,
    "HTTPRoute": GATEWAY_GROUP,
    "GRPCRoute": GATEWAY_GROUP,
    "TLSRoute": GATEWAY_GROUP,
    "ListenerSet": GATEWAY_GROUP,
    "XListenerSet": _EXPERIMENTAL_GROUP,
    "Namespace": "",
    "Service": "",
}
_READ_VERSIONS = {"Gateway": ("v1", "v1beta1"), "GatewayClass": ("v1", "v1beta1"), "HTTPRoute": ("v1", "v1beta1")}
_CLUSTER_SCOPED = {"GatewayClass", "Namespace"}


def _our_kind(item: Object) -> str | None:
    kind, (group, version) = str(item["kind"]), _group_version(item)
    if _GROUP_OF_KIND.get(kind) != group:
        return None
    versions = _READ_VERSIONS.get(kind, (version,))
    if version not in versions:
        raise GatewayStateInvalid(f"{_label(item)}: apiVersion {group}/{version} is not read, only {versions[0]}")
    return kind


def _group_version(item: Object) -> tuple[str, str]:
    group, slash, version = str(item["apiVersion"]).rpartition("/")
    return (group, version) if slash else ("", version)


def _identity(item: Object, kind: str) -> tuple[str, str]:
    try:
        metadata = object_at(item.get("metadata"), "metadata")
        name = text_at(metadata.get("name"), "metadata.name")
        return ("" if kind in _CLUSTER_SCOPED else text_at(metadata.get("namespace"), "metadata.namespace"), name)
    except Malformed as error:
        raise GatewayStateInvalid(f"{_label(item)}: {error}") from None


def _label(item: Object) -> str:
    metadata = item.get("metadata")
    names = [metadata.get("namespace"), metadata.get("name")] if isinstance(metadata, Mapping) else []
    return f"{item['kind']} {'/'.join(str(name) for name in names if name) or '(without a name)'}"


def _parts(document: object, parent: tuple[str, str] | None) -> Iterator[Object]:
    """Yield the objects of a document; an empty List yields itself. Items of a typed list may leave out their kind."""
    item = _kubernetes_object(document, parent)
    if not _is_list(item):
        yield item
        return
    yield item
    for part in _items(item):
        yield from _parts(part, _item_type(item))


def _kubernetes_object(document: object, parent: tuple[str, str] | None) -> Object:
    if not isinstance(document, Mapping):
        raise GatewayStateInvalid(f"not a Kubernetes object but {kind_of_value(document)}")
    item: Object = {"apiVersion": parent[0], "kind": parent[1], **document} if parent else document
    for field in ("kind", "apiVersion"):
        if not isinstance(item.get(field), str) or not item[field]:
            raise GatewayStateInvalid(f"not a Kubernetes object: it has no {field} (its keys: {_some_keys(item)})")
    if item["kind"] == "Status" and item["apiVersion"] == "v1":
        raise GatewayStateInvalid(f"an error of the API server instead of objects: {item.get('message')}")
    return item


def _is_list(item: Object) -> bool:
    kind = str(item["kind"])
    of_ours = kind.removesuffix("List") in {"", *_GROUP_OF_KIND}
    return kind.endswith("List") and (of_ours or "items" in item)


def _items(item: Object) -> list[object]:
    metadata = item.get("metadata")
    if isinstance(metadata, Mapping) and (metadata.get("continue") or metadata.get("remainingItemCount")):
        raise GatewayStateInvalid(f"the {item['kind']} is cut off: it has a continue token; read all its pages")
    items = item.get("items")
    if not isinstance(items, list):
        raise GatewayStateInvalid(f"the {item['kind']} is cut off: its items are {kind_of_value(items)}, not a list")
    return items


def _item_type(item: Object) -> tuple[str, str] | None:
    kind = str(item["kind"]).removesuffix("List")
    return (str(item["apiVersion"]), kind) if kind else None


def _some_keys(item: Object) -> str:
    keys = [str(key) for key in list(item)[:5]]
    return ", ".join(keys) or "none"


# --- parsing one object -----------------------------------------------------------------------------------------------

_LISTENER_KEYS = ("name", "port", "protocol")
_STATUSES: tuple[ConditionStatus, ...] = ("True", "False", "Unknown")
_FROM: tuple[NamespacesFrom, ...] = ("Same", "All", "Selector")
_OPERATORS: tuple[Operator, ...] = ("In", "NotIn", "Exists", "DoesNotExist")


def _parsed(parse: Callable[[Object], _T], item: Object) -> _T:
    try:
        return parse(item)
    except Malformed as error:
        missing = _missing(item)
        # All that is not there at once; one by one they would take a run each.
        problem = f"has no {', '.join(missing)}" if len(missing) > 1 else str(error)
        raise GatewayStateInvalid(f"{_label(item)}: {problem}") from None


_REQUIRED = {
    "Gateway": ("metadata.generation", "spec.listeners", *(f"spec.listeners.{key}" for key in _LISTENER_KEYS)),
    "HTTPRoute": ("metadata.generation", "spec.parentRefs.name"),
}
"""What the API server demands or adds, and what is read of it; a list on the way stands for each of its items."""


def _missing(item: Object) -> list[str]:
    return [path for path in _REQUIRED.get(str(item["kind"]), ()) if _lacks(item, path.split("."))]


def _lacks(value: object, path: Sequence[str]) -> bool:
    """Say whether the field at the path is missing in what holds it."""
    if not path:
        return value is None
    if isinstance(value, list):
        return any(_lacks(one, path) for one in value)
    return isinstance(value, Mapping) and _lacks(value.get(path[0]), path[1:])


def _route(item: Object) -> HTTPRoute:
    metadata = object_at(item["metadata"], "metadata")
    spec = object_at(item.get("spec"), "spec")
    status = optional_object_at(item.get("status"), "status")
    namespace = text_at(metadata.get("namespace"), "metadata.namespace")
    return HTTPRoute(
        namespace=namespace,
        name=text_at(metadata.get("name"), "metadata.name"),
        uid=optional_text_at(metadata.get("uid"), "metadata.uid"),
        generation=number_at(metadata.get("generation"), "metadata.generation"),
        deleting=metadata.get("deletionTimestamp") is not None,
        labels=texts_by_key_at(metadata.get("labels"), "metadata.labels"),
        annotations=texts_by_key_at(metadata.get("annotations"), "metadata.annotations"),
        hostnames=texts_at(spec.get("hostnames"), "spec.hostnames"),
        parent_refs=tuple(
            _parent_ref(ref, "spec.parentRefs", namespace) for ref in list_at(spec.get("parentRefs"), "spec.parentRefs")
        ),
        parents=tuple(_parent_status(parent, namespace) for parent in list_at(status.get("parents"), "status.parents")),
    )


def _parent_ref(value: object, path: str, namespace: str) -> ParentRef:
    ref = object_at(value, path)
    group, kind = ref.get("group"), ref.get("kind")
    port = ref.get("port")
    return ParentRef(
        # The group of Services and other core kinds is the empty text, so only a missing one has the default.
        group=GATEWAY_GROUP if group is None else optional_text_at(group, f"{path}.group"),
        kind="Gateway" if kind is None else text_at(kind, f"{path}.kind"),
        namespace=optional_text_at(ref.get("namespace"), f"{path}.namespace") or namespace,
        name=text_at(ref.get("name"), f"{path}.name"),
        section=optional_text_at(ref.get("sectionName"), f"{path}.sectionName"),
        port=None if port is None else number_at(port, f"{path}.port"),
    )


def _parent_status(value: object, namespace: str) -> ParentStatus:
    parent = object_at(value, "status.parents")
    return ParentStatus(
        ref=_parent_ref(parent.get("parentRef"), "status.parents.parentRef", namespace),
        controller=optional_text_at(parent.get("controllerName"), "status.parents.controllerName"),
        accepted=_accepted(parent.get("conditions"), "status.parents.conditions"),
    )


def _accepted(value: object, path: str) -> tuple[Accepted, ...]:
    conditions = (object_at(condition, path) for condition in list_at(value, path))
    return tuple(
        Accepted(
            status=one_of_at(condition.get("status"), _STATUSES, f"{path}.status"),
            observed_generation=optional_number_at(condition.get("observedGeneration"), f"{path}.observedGeneration"),
            reason=optional_text_at(condition.get("reason"), f"{path}.reason"),
        )
        for condition in conditions
        if text_at(condition.get("type"), f"{path}.type") == "Accepted"
    )


def _gateway(item: Object) -> Gateway:
    metadata = object_at(item["metadata"], "metadata")
    spec = object_at(item.get("spec"), "spec")
    status = optional_object_at(item.get("status"), "status")
    listeners = tuple(_listener(listener) for listener in list_at(spec.get("listeners"), "spec.listeners"))
    if len({listener.name for listener in listeners}) < len(listeners):
        raise Malformed("spec.listeners: two listeners of one name")
    return Gateway(
        namespace=text_at(metadata.get("namespace"), "metadata.namespace"),
        name=text_at(metadata.get("name"), "metadata.name"),
        uid=optional_text_at(metadata.get("uid"), "metadata.uid"),
        generation=number_at(metadata.get("generation"), "metadata.generation"),
        class_name=optional_text_at(spec.get("gatewayClassName"), "spec.gatewayClassName"),
        deleting=metadata.get("deletionTimestamp") is not None,
        labels=texts_by_key_at(metadata.get("labels"), "metadata.labels"),
        annotations=texts_by_key_at(metadata.get("annotations"), "metadata.annotations"),
        listeners=listeners,
        addresses=tuple(_address(value) for value in list_at(status.get("addresses"), "status.addresses")),
        accepted=_accepted(status.get("conditions"), "status.conditions"),
    )


def _address(value: object) -> Address:
    address = object_at(value, "status.addresses")
    kind = address.get("type")
    return Address(
        type="IPAddress" if kind is None else text_at(kind, "status.addresses.type"),
        value=optional_text_at(address.get("value"), "status.addresses.value"),
    )


def _listener(value: object) -> Listener:
    listener = object_at(value, "spec.listeners")
    allowed = optional_object_at(listener.get("allowedRoutes"), "spec.listeners.allowedRoutes")
    namespaces = optional_object_at(allowed.get("namespaces"), "spec.listeners.allowedRoutes.namespaces")
    origin = "Same" if namespaces.get("from") is None else namespaces["from"]
    return Listener(
        name=text_at(listener.get("name"), "spec.listeners.name"),
        hostname=optional_text_at(listener.get("hostname"), "spec.listeners.hostname"),
        port=number_at(listener.get("port"), "spec.listeners.port"),
        protocol=text_at(listener.get("protocol"), "spec.listeners.protocol"),
        kinds=_kinds(allowed.get("kinds")),
        namespaces_from=one_of_at(origin, _FROM, "spec.listeners.allowedRoutes.namespaces.from"),
        selector=_label_selector(namespaces.get("selector")) if origin == "Selector" else None,
        digest=_digest(listener),
    )


def _kinds(value: object) -> tuple[tuple[str, str], ...] | None:
    path = "spec.listeners.allowedRoutes.kinds"
    kinds = [object_at(kind, path) for kind in list_at(value, path)]
    named = tuple(
        (
            GATEWAY_GROUP if kind.get("group") is None else optional_text_at(kind["group"], f"{path}.group"),
            text_at(kind.get("kind"), f"{path}.kind"),
        )
        for kind in kinds
    )
    return named or None


def _label_selector(value: object) -> Selector | None:
    """Return the selector; None, which matches nothing, when it is absent (apimachinery, LabelSelectorAsSelector)."""
    if value is None:
        return None
    path = "spec.listeners.allowedRoutes.namespaces.selector"
    selector = object_at(value, path)
    labels = [
        Requirement(key=key, operator="In", values=frozenset({text}))
        for key, text in texts_by_key_at(selector.get("matchLabels"), f"{path}.matchLabels").items()
    ]
    path = f"{path}.matchExpressions"
    expressions = [_requirement(value, path) for value in list_at(selector.get("matchExpressions"), path)]
    return Selector(requirements=(*labels, *expressions))


def _requirement(value: object, path: str) -> Requirement:
    expression = object_at(value, path)
    operator = one_of_at(expression.get("operator"), _OPERATORS, f"{path}.operator")
    values = frozenset(texts_at(expression.get("values"), f"{path}.values"))
    if bool(values) != (operator in {"In", "NotIn"}):
        raise Malformed(f"{path}: operator {operator} and {len(values)} values do not go together")
    return Requirement(key=text_at(expression.get("key"), f"{path}.key"), operator=operator, values=values)


def _digest(listener: Object) -> str:
    """Return the SHA-256 (hex) over the listener as JSON; another spelling of its hostname is no other listener."""
    hostname = str(listener.get("hostname") or "").lower().removesuffix(".")
    try:
        text = json.dumps({**listener, "hostname": hostname}, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError):
        raise Malformed("spec.listeners: holds a value that JSON does not have") from None
    return hashlib.sha256(text.encode()).hexdigest()


def _namespace(item: Object) -> tuple[str, Mapping[str, str]]:
    metadata = object_at(item["metadata"], "metadata")
    labels = texts_by_key_at(metadata.get("labels"), "metadata.labels")
    return (text_at(metadata.get("name"), "metadata.name"), labels)


def _service(item: Object) -> ObservedService:
    metadata = object_at(item["metadata"], "metadata")
    spec = optional_object_at(item.get("spec"), "spec")
    return ObservedService(
        namespace=text_at(metadata.get("namespace"), "metadata.namespace"),
        name=text_at(metadata.get("name"), "metadata.name"),
        type=optional_text_at(spec.get("type"), "spec.type") or "ClusterIP",
        labels=texts_by_key_at(metadata.get("labels"), "metadata.labels"),
        annotations=texts_by_key_at(metadata.get("annotations"), "metadata.annotations"),
    )


def _gateway_class(item: Object) -> tuple[str, str]:
    metadata = object_at(item["metadata"], "metadata")
    spec = object_at(item.get("spec"), "spec")
    return (text_at(metadata.get("name"), "metadata.name"), text_at(spec.get("controllerName"), "spec.controllerName"))


def _not_supported(item: Object, *, kind: NotSupportedKind) -> NotSupported | None:
    metadata = object_at(item["metadata"], "metadata")
    hostnames = _HOSTNAMES_OF_KIND[kind](object_at(item.get("spec"), "spec"))
    if not hostnames or metadata.get("deletionTimestamp") is not None:
        return None
    return NotSupported(
        kind=kind,
        namespace=text_at(metadata.get("namespace"), "metadata.namespace"),
        name=text_at(metadata.get("name"), "metadata.name"),
        annotations=texts_by_key_at(metadata.get("annotations"), "metadata.annotations"),
        hostnames=tuple(sorted(set(hostnames))),
    )


def _route_hostnames(spec: Object) -> tuple[str, ...]:
    return texts_at(spec.get("hostnames"), "spec.hostnames")


def _listener_hostnames(spec: Object) -> tuple[str, ...]:
    listeners = (object_at(value, "spec.listeners") for value in list_at(spec.get("listeners"), "spec.listeners"))
    hostnames = (optional_text_at(listener.get("hostname"), "spec.listeners.hostname") for listener in listeners)
    return tuple(hostname for hostname in hostnames if hostname)


_HOSTNAMES_OF_KIND: dict[NotSupportedKind, Callable[[Object], tuple[str, ...]]] = {
    "GRPCRoute": _route_hostnames,
    "TLSRoute": _route_hostnames,
    "ListenerSet": _listener_hostnames,
    "XListenerSet": _listener_hostnames,
}
