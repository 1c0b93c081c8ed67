"""Services of the settings, and the HTTPRoute that stands in the cluster once one is declared."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from edge_dns.core.services import PlannedRoute, manifest, plan_services
from edge_dns.core.settings import load_settings
from tests.unit.admission.objects import Object, condition, parent
from tests.unit.plan.world import FREE, Run, run, settings_of

FRONT = {"name": "front", "namespace": "edge"}
OWNER = "edge/prod"


def service(*hostnames: str, name: str = "wiki", **more: Any) -> dict[str, Any]:
    """A service in namespace docs behind Gateway edge/front, unless said otherwise."""
    return {"name": name, "namespace": "docs", "hostnames": list(hostnames), "gateway": FRONT, **more}


def public(*hostnames: str, **more: Any) -> dict[str, Any]:
    return service(*hostnames, exposure="public", **more)


def route_of(one: Mapping[str, Any]) -> PlannedRoute:
    """Return the route that a service declares in cluster c1."""
    [plan] = plan_services(load_settings({"clusters": [{"name": "c1"}], "services": [one]}))
    assert plan.route is not None
    return plan.route


def written(
    one: Mapping[str, Any],
    *,
    uid: str = "rt-wiki",
    generation: int = 1,
    accepted: int | None = 1,
    annotations: Mapping[str, str] = MappingProxyType({}),
) -> Object:
    """Return the route of a service as the API server shows it; `accepted` is the generation of its status."""
    body: Any = manifest(route_of(one), OWNER)
    metadata = {**body.metadata, "uid": uid, "generation": generation}
    metadata["annotations"] = {**metadata["annotations"], **annotations}
    said = [] if accepted is None else [parent(body.spec["parentRefs"][0], condition(generation=accepted))]
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": metadata,
        "spec": body.spec,
        "status": {"parents": said},
    }


def plan(services: Sequence[Mapping[str, Any]], *objects: Object, memory: object = None, **settings: Any) -> Run:
    """Plan with these services; the guard against mass withdrawal is off."""
    return run(settings_of(services=list(services), safety=FREE, **settings), *objects, memory=memory)
