"""Events of a streaming JSON preview, as the engine writes them, reduced to what is read."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

CLOUDFLARE = "cloudflare:index/dnsRecord:DnsRecord"
ROUTE53 = "aws:route53/record:Record"
ZONE_ID = "0123456789abcdef0123456789abcdef"
_PREFIX = "urn:pulumi:prod::edge-dns::"

Event = dict[str, Any]


def cname(hostname: str, content: str = "edge-eu.example.net", ttl: int = 1) -> Event:
    """Return the inputs of a CNAME at Cloudflare."""
    return {"zoneId": ZONE_ID, "name": hostname, "type": "CNAME", "content": content, "ttl": ttl, "proxied": False}


def address(hostname: str, content: str) -> Event:
    """Return the inputs of an address record at Cloudflare."""
    return {**cname(hostname, content), "type": "A"}


def step(op: str, kind: str, name: str, *, old: Event | None = None, new: Event | None = None, **more: Any) -> Event:
    """Return one step of the engine on a custom resource."""
    metadata: Event = {"op": op, "type": kind, "urn": f"{_PREFIX}{kind}::{name}"}
    if old is not None:
        metadata["old"] = {"custom": True, "inputs": old, **more}
    if new is not None:
        metadata["new"] = {"custom": True, "inputs": new}
    return {"resourcePreEvent": {"metadata": metadata}}


def record(op: str, *, old: Event | None = None, new: Event | None = None, **more: Any) -> Event:
    """Return one step on a record at Cloudflare; its Pulumi name is its plain slot."""
    return step(op, CLOUDFLARE, f"{ZONE_ID}/{(new or old or {})['name']}", old=old, new=new, **more)


def outputs(hostnames: Mapping[str, Event], **more: Any) -> Event:
    """Return the end of the stack, with the stack output `hostnames` and more of them."""
    metadata = {
        "op": "same",
        "type": "pulumi:pulumi:Stack",
        "urn": f"{_PREFIX}pulumi:pulumi:Stack::edge-dns-prod",
        "old": {"outputs": {}},
        "new": {"outputs": {"hostnames": hostnames, **more}},
    }
    return {"resOutputsEvent": {"metadata": metadata}}


def told(state: str, rule: str, reason: str, zone: str | None = "example.com") -> Event:
    """Return an entry of the stack output `hostnames`."""
    source = {"cluster": None, "kind": "TowonelTunnel", "namespace": "team", "name": "app"}
    return {"state": state, "rule": rule, "reason": reason, "zone": zone, "source": source, "targets": []}


def message(severity: str, text: str, **more: Any) -> Event:
    """Return a message of the program or the engine."""
    return {"diagnosticEvent": {"severity": severity, "message": f"{text}\n", **more}}


def finding(policy: str, resource: str, text: str, level: str = "mandatory") -> Event:
    """Return the finding of a policy."""
    urn = f"{_PREFIX}{CLOUDFLARE}::{resource}"
    return {"policyEvent": {"policyName": policy, "enforcementLevel": level, "resourceUrn": urn, "message": text}}


def stream(*events: Event, result: str = "succeeded", end: bool = True) -> list[str]:
    """Return the lines of a whole preview: config, these events, and its end."""
    zones = json.dumps([{"domain": "example.com", "provider": "cloudflare", "zoneId": ZONE_ID}])
    stack = step("same", "pulumi:pulumi:Stack", "edge-dns-prod", old={}, new={})
    prelude: Event = {"preludeEvent": {"config": {"edge-dns:zones": zones}}}
    last: list[Event] = [{"summaryEvent": {"result": result, "resourceChanges": {}}}] if end else []
    return lines([prelude, stack, *events, *last])


def lines(events: Iterable[Event]) -> list[str]:
    """Return events as lines."""
    return [json.dumps({"sequence": number, "timestamp": 0, **event}) for number, event in enumerate(events)]
