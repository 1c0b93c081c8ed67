"""One run of the plan from literals, as the command makes it: JSON in, JSON out."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from edge_dns.core.gateway_objects import parse_objects
from edge_dns.core.gateway_state import GatewayState
from edge_dns.core.hub_view import view_of_list
from edge_dns.core.memory import Memory, decode
from edge_dns.core.plan import Observed, Plan, make_plan
from edge_dns.core.plan_json import plan_document
from edge_dns.core.settings import load_settings
from edge_dns.observe.hub import parse_hub_list
from tests.unit.admission.objects import Object

CLOUDFLARE = {"domain": "example.com", "provider": "cloudflare", "zoneId": "z1"}
ROUTE53 = {"domain": "example.org", "provider": "route53", "zoneId": "Z2"}
ZONES = [CLOUDFLARE, ROUTE53]
EDGE_TARGETS = {"EU": "edge-eu.example.net", "US": "edge-us.example.net"}
# The guard against mass withdrawal is tested on its own: a table of small plans would only ever meet its threshold.
FREE = {"withdraw": "free", "maxUpdate": 1}

Json = dict[str, Any]


def tunnel(*hostnames: str, name: str = "web", namespace: str = "shop", **more: Any) -> Json:
    """A tunnel whose hostnames go to the zones, unless said otherwise."""
    return {"name": name, "namespace": namespace, "hostnames": list(hostnames), "dns": {"mode": "Zone"}, **more}


def invite(
    *hostnames: str,
    invite_id: str = "inv-1",
    name: str = "shop/web",
    region: str | None = "EU",
    status: str = "claimed",
) -> Json:
    return {
        "invite_id": invite_id,
        "tenant_id": f"tenant-of-{invite_id}",
        "name": name,
        "hostnames": list(hostnames),
        "status": status,
        "region": region,
        "expires_at_ms": None,
        "created_at_ms": 1,
    }


def settings_of(**settings: Any) -> Json:
    return {"zones": ZONES, "edgeTargets": EDGE_TARGETS, **settings}


@dataclass(frozen=True)
class Run:
    """What one run printed with --json, and its exit status."""

    document: Json
    status: int

    @property
    def text(self) -> str:
        return json.dumps(self.document, indent=2)

    @property
    def memory(self) -> Json:
        memory: Json = self.document["memory"]
        return memory

    @property
    def states(self) -> dict[str, str]:
        return {one["hostname"]: one["state"] for one in self.document["hostnames"]}

    @property
    def rules(self) -> dict[str, str | None]:
        return {one["hostname"]: one["rule"] for one in self.document["hostnames"]}

    @property
    def outcome(self) -> dict[str, tuple[str, str | None]]:
        """State and rule by hostname."""
        return {one["hostname"]: (one["state"], one["rule"]) for one in self.document["hostnames"]}

    @property
    def records(self) -> dict[str, dict[str, list[str]]]:
        """The values by name and type; of an alias its target."""
        found: dict[str, dict[str, list[str]]] = {}
        for one in self.document["records"]:
            values = [one["alias"]["name"]] if one["alias"] else one["values"]
            found.setdefault(one["name"], {})[one["type"]] = values
        return found

    @property
    def stops(self) -> list[str]:
        return [one["rule"] for one in self.document["errors"]]

    def reason(self, hostname: str) -> str:
        (found,) = (one["reason"] for one in self.document["hostnames"] if one["hostname"] == hostname)
        return str(found)

    def source(self, hostname: str) -> str:
        (found,) = (one["source"] for one in self.document["hostnames"] if one["hostname"] == hostname)
        return f"{found['kind']} {found['cluster']}:{found['namespace']}/{found['name']}"


Clusters = Mapping[str, Iterable[Object]]


def run(
    settings: Mapping[str, Any],
    *objects: Object,
    clusters: Clusters | None = None,
    hub: Iterable[Json] | None = None,
    memory: object = None,
    today: str | None = None,
    **observed: Any,
) -> Run:
    """Plan once. `objects` are those of the cluster c1, `hub` the listed invites; None: the hub was not observed."""
    plan = plan_of(settings, *objects, clusters=clusters, hub=hub, memory=memory, today=today, **observed)
    document = json.loads(json.dumps(plan_document(plan)))
    return Run(document=document, status=2 if plan.stops else 1 if plan.failures else 0)


def plan_of(
    settings: Mapping[str, Any],
    *objects: Object,
    clusters: Clusters | None = None,
    hub: Iterable[Json] | None = None,
    memory: object = None,
    today: str | None = None,
    **observed: Any,
) -> Plan:
    """Return the plan of such a run."""
    given = clusters if clusters is not None else {"c1": objects} if objects else {}
    loaded = load_settings({"clusters": [{"name": name} for name in given], **settings})
    remembered = decode(memory) if memory is not None else Memory()
    states = {name: _state(found) for name, found in given.items()}
    known = [one.invite_id for one in remembered.invites.values() if one.invite_id]
    view = None if hub is None else view_of_list(parse_hub_list({"invites": list(hub)}), known)
    day = date.fromisoformat(today) if today else None
    return make_plan(loaded, Observed(clusters=states, hub=view, today=day, **observed), remembered, adopt_by_name=True)


def _state(objects: Iterable[Object]) -> GatewayState:
    return parse_objects([{"apiVersion": "v1", "kind": "List", "items": list(objects)}], services=True)
