"""The state of Gateways and HTTPRoutes as immutable values, parsed strictly from Kubernetes objects.

Field meanings follow the Gateway API v1 reference (gateway.networking.k8s.io). What a real API server would never hold
(wrong types, missing required fields, one object twice) is refused: a state that was read wrongly must not be taken for
one in which something is missing.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias, TypeVar, cast

from edge_dns.core.errors import ObservationFailed
from edge_dns.core.settings.selectors import Operator, Requirement, Selector

GATEWAY_GROUP = "gateway.networking.k8s.io"

ConditionStatus = Literal["True", "False", "Unknown"]
NamespacesFrom = Literal["Same", "All", "Selector"]
Object: TypeAlias = Mapping[str, object]

_T = TypeVar("_T")


class GatewayStateInvalid(ObservationFailed):
    """Objects that are no complete, well-formed state; the message names the object and the field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentRef:
    """A parentRef with its defaults filled in (Gateway API, ParentReference); `section` is empty when not set."""

    group: str
    kind: str
    namespace: str
    name: str
    section: str
    port: int | None

    @property
    def is_gateway(self) -> bool:
        """Whether it refers to a Gateway."""
        return self.kind == "Gateway" and self.group == GATEWAY_GROUP

    @property
    def key(self) -> str:
        """The whole reference as one text, NUL between the fields."""
        port = "" if self.port is None else str(self.port)
        return "\0".join((self.group, self.kind, self.namespace, self.name, self.section, port))

    def __str__(self) -> str:
        section = f" section {self.section}" if self.section else ""
        port = f" port {self.port}" if self.port is not None else ""
        return f"{self.kind} {self.namespace}/{self.name}{section}{port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """One condition of type Accepted; `observed_generation` is None where the controller left it out."""

    status: ConditionStatus
    observed_generation: int | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentStatus:
    """What one controller says about one parentRef of a route."""

    ref: ParentRef
    controller: str
    accepted: tuple[Accepted, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HTTPRoute:
    """An HTTPRoute; `hostnames` as written. The UID may be empty in hand-written files: it then gets no receipt."""

    namespace: str
    name: str
    uid: str
    generation: int
    deleting: bool
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    hostnames: tuple[str, ...]
    parent_refs: tuple[ParentRef, ...]
    parents: tuple[ParentStatus, ...]

    def __str__(self) -> str:
        return f"HTTPRoute {self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """A listener; `hostname` as written, empty when it takes any. `kinds` holds (group, kind), None when not limited.

    `selector` is None unless `namespaces_from` is Selector. `digest` is the SHA-256 of the whole listener.
    """

    name: str
    hostname: str
    port: int
    protocol: str
    kinds: tuple[tuple[str, str], ...] | None
    namespaces_from: NamespacesFrom
    selector: Selector | None
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """One entry of Gateway.status.addresses."""

    type: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """A Gateway; UID and class may be empty in hand-written files: its names get no receipt."""

    namespace: str
    name: str
    uid: str
    generation: int
    class_name: str
    deleting: bool
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    listeners: tuple[Listener, ...]
    addresses: tuple[Address, ...]
    accepted: tuple[Accepted, ...]

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name."""
        return (self.namespace, self.name)

    def __str__(self) -> str:
        return f"Gateway {self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotSupported:
    """An object that carries hostnames but that nothing is published for."""

    kind: str
    namespace: str
    name: str
    hostnames: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayState:
    """Everything observed of one cluster, sorted; `namespaces` maps a name to its labels, `classes` to a controller."""

    gateways: tuple[Gateway, ...]
    routes: tuple[HTTPRoute, ...]
    namespaces: Mapping[str, Mapping[str, str]]
    classes: Mapping[str, str]
    not_supported: tuple[NotSupported, ...]


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


def parse_objects(objects: Iterable[object]) -> GatewayState:
    """Return the state that the objects (also Lists of them) describe; unknown kinds are ignored.

    Raises GatewayStateInvalid for no object at all, a malformed object, one object twice or an unread API version.
    """
    found: dict[tuple[str, str, str], Object] = {}
    for item in flatten(objects):
        kind = _our_kind(item)
        if kind is None:
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
        metadata = _object(item.get("metadata"), "metadata")
        name = _text(metadata.get("name"), "metadata.name")
        return ("" if kind in _CLUSTER_SCOPED else _text(metadata.get("namespace"), "metadata.namespace"), name)
    except _Malformed as error:
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
        raise GatewayStateInvalid(f"not a Kubernetes object but {_kind_of_value(document)}")
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
        raise GatewayStateInvalid(f"the {item['kind']} is cut off: its items are {_kind_of_value(items)}, not a list")
    return items


def _item_type(item: Object) -> tuple[str, str] | None:
    kind = str(item["kind"]).removesuffix("List")
    return (str(item["apiVersion"]), kind) if kind else None


# --- parsing one object -----------------------------------------------------------------------------------------------


class _Malformed(ValueError):  # noqa: N818 - private: becomes GatewayStateInvalid
    """What is wrong with a field, with its path."""


def _parsed(parse: Callable[[Object], _T], item: Object) -> _T:
    try:
        return parse(item)
    except _Malformed as error:
        raise GatewayStateInvalid(f"{_label(item)}: {error}") from None


def _route(item: Object) -> HTTPRoute:
    metadata = _object(item["metadata"], "metadata")
    spec = _object(item.get("spec"), "spec")
    status = _optional_object(item.get("status"), "status")
    namespace = _text(metadata.get("namespace"), "metadata.namespace")
    return HTTPRoute(
        namespace=namespace,
        name=_text(metadata.get("name"), "metadata.name"),
        uid=_optional_text(metadata.get("uid"), "metadata.uid"),
        generation=_number(metadata.get("generation"), "metadata.generation"),
        deleting=metadata.get("deletionTimestamp") is not None,
        labels=_texts_by_key(metadata.get("labels"), "metadata.labels"),
        annotations=_texts_by_key(metadata.get("annotations"), "metadata.annotations"),
        hostnames=_texts(spec.get("hostnames"), "spec.hostnames"),
        parent_refs=tuple(
            _parent_ref(ref, "spec.parentRefs", namespace) for ref in _list(spec.get("parentRefs"), "spec.parentRefs")
        ),
        parents=tuple(_parent_status(parent, namespace) for parent in _list(status.get("parents"), "status.parents")),
    )


def _parent_ref(value: object, path: str, namespace: str) -> ParentRef:
    ref = _object(value, path)
    group, kind = ref.get("group"), ref.get("kind")
    port = ref.get("port")
    return ParentRef(
        # The group of Services and other core kinds is the empty text, so only a missing one has the default.
        group=GATEWAY_GROUP if group is None else _optional_text(group, f"{path}.group"),
        kind="Gateway" if kind is None else _text(kind, f"{path}.kind"),
        namespace=_optional_text(ref.get("namespace"), f"{path}.namespace") or namespace,
        name=_text(ref.get("name"), f"{path}.name"),
        section=_optional_text(ref.get("sectionName"), f"{path}.sectionName"),
        port=None if port is None else _number(port, f"{path}.port"),
    )


def _parent_status(value: object, namespace: str) -> ParentStatus:
    parent = _object(value, "status.parents")
    return ParentStatus(
        ref=_parent_ref(parent.get("parentRef"), "status.parents.parentRef", namespace),
        controller=_optional_text(parent.get("controllerName"), "status.parents.controllerName"),
        accepted=_accepted(parent.get("conditions"), "status.parents.conditions"),
    )


def _accepted(value: object, path: str) -> tuple[Accepted, ...]:
    conditions = (_object(condition, path) for condition in _list(value, path))
    return tuple(
        Accepted(
            status=cast("ConditionStatus", _one_of(condition.get("status"), _STATUSES, f"{path}.status")),
            observed_generation=_optional_number(condition.get("observedGeneration"), f"{path}.observedGeneration"),
            reason=_optional_text(condition.get("reason"), f"{path}.reason"),
        )
        for condition in conditions
        if _text(condition.get("type"), f"{path}.type") == "Accepted"
    )


def _gateway(item: Object) -> Gateway:
    metadata = _object(item["metadata"], "metadata")
    spec = _object(item.get("spec"), "spec")
    status = _optional_object(item.get("status"), "status")
    listeners = tuple(_listener(listener) for listener in _list(spec.get("listeners"), "spec.listeners"))
    if len({listener.name for listener in listeners}) < len(listeners):
        raise _Malformed("spec.listeners: two listeners of one name")
    return Gateway(
        namespace=_text(metadata.get("namespace"), "metadata.namespace"),
        name=_text(metadata.get("name"), "metadata.name"),
        uid=_optional_text(metadata.get("uid"), "metadata.uid"),
        generation=_number(metadata.get("generation"), "metadata.generation"),
        class_name=_optional_text(spec.get("gatewayClassName"), "spec.gatewayClassName"),
        deleting=metadata.get("deletionTimestamp") is not None,
        labels=_texts_by_key(metadata.get("labels"), "metadata.labels"),
        annotations=_texts_by_key(metadata.get("annotations"), "metadata.annotations"),
        listeners=listeners,
        addresses=tuple(_address(value) for value in _list(status.get("addresses"), "status.addresses")),
        accepted=_accepted(status.get("conditions"), "status.conditions"),
    )


def _address(value: object) -> Address:
    address = _object(value, "status.addresses")
    kind = address.get("type")
    return Address(
        type="IPAddress" if kind is None else _text(kind, "status.addresses.type"),
        value=_optional_text(address.get("value"), "status.addresses.value"),
    )


def _listener(value: object) -> Listener:
    listener = _object(value, "spec.listeners")
    allowed = _optional_object(listener.get("allowedRoutes"), "spec.listeners.allowedRoutes")
    namespaces = _optional_object(allowed.get("namespaces"), "spec.listeners.allowedRoutes.namespaces")
    selecting = namespaces.get("from") == "Selector"
    return Listener(
        name=_text(listener.get("name"), "spec.listeners.name"),
        hostname=_optional_text(listener.get("hostname"), "spec.listeners.hostname"),
        port=_number(listener.get("port"), "spec.listeners.port"),
        protocol=_text(listener.get("protocol"), "spec.listeners.protocol"),
        kinds=_kinds(allowed.get("kinds")),
        namespaces_from=cast(
            "NamespacesFrom",
            _one_of(namespaces.get("from", "Same"), _FROM, "spec.listeners.allowedRoutes.namespaces.from"),
        ),
        selector=_label_selector(namespaces.get("selector")) if selecting else None,
        digest=_digest(listener),
    )


def _kinds(value: object) -> tuple[tuple[str, str], ...] | None:
    path = "spec.listeners.allowedRoutes.kinds"
    kinds = [_object(kind, path) for kind in _list(value, path)]
    named = tuple(
        (
            GATEWAY_GROUP if kind.get("group") is None else _optional_text(kind["group"], f"{path}.group"),
            _text(kind.get("kind"), f"{path}.kind"),
        )
        for kind in kinds
    )
    return named or None


def _label_selector(value: object) -> Selector | None:
    """Return the selector; None, which matches nothing, when it is absent (apimachinery, LabelSelectorAsSelector)."""
    if value is None:
        return None
    path = "spec.listeners.allowedRoutes.namespaces.selector"
    selector = _object(value, path)
    labels = [
        Requirement(key=key, operator="In", values=frozenset({text}))
        for key, text in _texts_by_key(selector.get("matchLabels"), f"{path}.matchLabels").items()
    ]
    path = f"{path}.matchExpressions"
    expressions = [_requirement(value, path) for value in _list(selector.get("matchExpressions"), path)]
    return Selector(requirements=(*labels, *expressions))


def _requirement(value: object, path: str) -> Requirement:
    expression = _object(value, path)
    operator = cast("Operator", _one_of(expression.get("operator"), _OPERATORS, f"{path}.operator"))
    values = frozenset(_texts(expression.get("values"), f"{path}.values"))
    if bool(values) != (operator in {"In", "NotIn"}):
        raise _Malformed(f"{path}: operator {operator} and {len(values)} values do not go together")
    return Requirement(key=_text(expression.get("key"), f"{path}.key"), operator=operator, values=values)


def _digest(listener: Object) -> str:
    """Return the SHA-256 (hex) over the listener as JSON; another spelling of its hostname is no other listener."""
    hostname = str(listener.get("hostname") or "").lower().removesuffix(".")
    try:
        text = json.dumps({**listener, "hostname": hostname}, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError):
        raise _Malformed("spec.listeners: holds a value that JSON does not have") from None
    return hashlib.sha256(text.encode()).hexdigest()


def _namespace(item: Object) -> tuple[str, Mapping[str, str]]:
    metadata = _object(item["metadata"], "metadata")
    labels = _texts_by_key(metadata.get("labels"), "metadata.labels")
    return (_text(metadata.get("name"), "metadata.name"), labels)


def _gateway_class(item: Object) -> tuple[str, str]:
    metadata = _object(item["metadata"], "metadata")
    spec = _object(item.get("spec"), "spec")
    return (_text(metadata.get("name"), "metadata.name"), _text(spec.get("controllerName"), "spec.controllerName"))


def _not_supported(item: Object, *, kind: str) -> NotSupported | None:
    metadata = _object(item["metadata"], "metadata")
    hostnames = _HOSTNAMES_OF_KIND[kind](_object(item.get("spec"), "spec"))
    if not hostnames or metadata.get("deletionTimestamp") is not None:
        return None
    return NotSupported(
        kind=kind,
        namespace=_text(metadata.get("namespace"), "metadata.namespace"),
        name=_text(metadata.get("name"), "metadata.name"),
        hostnames=tuple(sorted(set(hostnames))),
    )


def _route_hostnames(spec: Object) -> tuple[str, ...]:
    return _texts(spec.get("hostnames"), "spec.hostnames")


def _listener_hostnames(spec: Object) -> tuple[str, ...]:
    listeners = (_object(value, "spec.listeners") for value in _list(spec.get("listeners"), "spec.listeners"))
    hostnames = (_optional_text(listener.get("hostname"), "spec.listeners.hostname") for listener in listeners)
    return tuple(hostname for hostname in hostnames if hostname)


_HOSTNAMES_OF_KIND: dict[str, Callable[[Object], tuple[str, ...]]] = {
    "GRPCRoute": _route_hostnames,
    "TLSRoute": _route_hostnames,
    "ListenerSet": _listener_hostnames,
    "XListenerSet": _listener_hostnames,
}


# --- reading one field ------------------------------------------------------------------------------------------------

_STATUSES = ("True", "False", "Unknown")
_FROM = ("Same", "All", "Selector")
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
_NOTHING: Object = {}


def _object(value: object, path: str) -> Object:
    if isinstance(value, Mapping):
        return value
    raise _wrong(path, "an object", value)


def _optional_object(value: object, path: str) -> Object:
    return _NOTHING if value is None else _object(value, path)


def _list(value: object, path: str) -> list[object]:
    if value is None:
        return []
    if isinstance(value, list):
        return value
    raise _wrong(path, "a list", value)


def _text(value: object, path: str) -> str:
    if isinstance(value, str) and value:
        return value
    raise _wrong(path, "a text", value)


def _optional_text(value: object, path: str) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    raise _wrong(path, "a text", value)


def _texts(value: object, path: str) -> tuple[str, ...]:
    return tuple(_optional_text(text, path) for text in _list(value, path))


def _texts_by_key(value: object, path: str) -> Mapping[str, str]:
    pairs = _optional_object(value, path)
    return {_text(key, path): _optional_text(text, f"{path}.{key}") for key, text in pairs.items()}


def _number(value: object, path: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise _wrong(path, "a whole number", value)


def _optional_number(value: object, path: str) -> int | None:
    return None if value is None else _number(value, path)


def _one_of(value: object, allowed: tuple[str, ...], path: str) -> str:
    if isinstance(value, str) and value in allowed:
        return value
    raise _wrong(path, f"one of {', '.join(allowed)}", value)


def _wrong(path: str, expected: str, value: object) -> _Malformed:
    return _Malformed(f"{path} is missing" if value is None else f"{path} is {_kind_of_value(value)}, not {expected}")


def _kind_of_value(value: object) -> str:
    """Say what a value is without showing it, since an object may hold secrets."""
    if value is None:
        return "missing"
    names = {str: "a text", bool: "a boolean", int: "a whole number", float: "a number", list: "a list"}
    if value == "":
        return "an empty text"
    return names.get(type(value), "an object")


def _some_keys(item: Object) -> str:
    keys = [str(key) for key in list(item)[:5]]
    return ", ".join(keys) or "none"
