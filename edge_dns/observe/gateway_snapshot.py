"""What was read of a cluster as one List of Kubernetes objects, cut to the fields that decide about hostnames.

Routes may hold secrets in their filters, annotations what someone once applied: what is not needed is not written.
"""

from collections.abc import Iterable, Mapping

from edge_dns.core.exposure import PREFIXES
from edge_dns.core.kubernetes_fields import Object

_METADATA = ("name", "namespace", "uid", "generation", "deletionTimestamp", "labels")
_WITHOUT_ANNOTATIONS = ("GatewayClass", "Namespace")
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_ROUTE: Mapping[str, tuple[str, ...]] = {"spec": ("hostnames", "parentRefs"), "status": ("parents",)}
_LISTENERS: Mapping[str, tuple[str, ...]] = {"spec": ("listeners",)}
_KEPT: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    # Listeners are kept whole: a receipt holds for the listener as it is, whatever is changed in it.
    "Gateway": {"spec": ("gatewayClassName", "listeners"), "status": ("addresses", "conditions")},
    "GatewayClass": {"spec": ("controllerName",)},
    "HTTPRoute": _ROUTE,
    "GRPCRoute": _ROUTE,
    "TLSRoute": _ROUTE,
    "ListenerSet": _LISTENERS,
    "XListenerSet": _LISTENERS,
    "Namespace": {},
    "Service": {"spec": ("type",)},
}


def snapshot(objects: Iterable[Object]) -> dict[str, object]:
    """Return the objects of a cluster as a v1 List, sorted, that gives the same gateway state as they do."""
    items = [_cut(one) for one in objects]
    return {"apiVersion": "v1", "kind": "List", "metadata": {}, "items": sorted(items, key=_identity)}


def _cut(one: Object) -> dict[str, object]:
    kind = str(one["kind"])
    metadata = _fields(one.get("metadata"), _METADATA)
    if kind not in _WITHOUT_ANNOTATIONS and (annotations := _annotations(kind, one.get("metadata"))):
        metadata["annotations"] = annotations
    parts = {part: _fields(one[part], kept) for part, kept in _KEPT[kind].items() if part in one}
    return {"apiVersion": one["apiVersion"], "kind": kind, "metadata": metadata, **parts}


def _annotations(kind: str, metadata: object) -> dict[str, object]:
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    return {key: value for key, value in (annotations or {}).items() if _is_kept(kind, key)}


def _is_kept(kind: str, annotation: str) -> bool:
    """Selectors of the settings may ask for any annotation of a route, but for none of a Service."""
    return annotation.startswith(PREFIXES) if kind == "Service" else annotation != _LAST_APPLIED


def _fields(value: object, kept: Iterable[str]) -> dict[str, object]:
    return {key: value[key] for key in kept if key in value} if isinstance(value, dict) else {}


def _identity(one: Mapping[str, object]) -> tuple[str, ...]:
    metadata = one["metadata"]
    names = (metadata.get("namespace"), metadata.get("name")) if isinstance(metadata, dict) else ()
    return (str(one["kind"]), *(str(name or "") for name in names))
