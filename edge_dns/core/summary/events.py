"""Reads the engine's streaming JSON preview: one event per line.

Only the streaming form (`PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true pulumi preview --json`) holds the findings of the
policy packs and the new stack outputs.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from edge_dns.core.errors import ObservationFailed
from edge_dns.core.json_values import object_in
from edge_dns.core.resource_types import DNS_ENDPOINT, INVITE
from edge_dns.core.rrsets import join_rrsets
from edge_dns.core.state_records import RECORDS, state_records
from edge_dns.core.summary.preview import ACTIONS, Action, Change, Excepted, Finding, Preview, Step, Told
from edge_dns.core.values import PRIVATE_VIEW, RRset
from edge_dns.core.zones import domain_of

_STACK = "pulumi:pulumi:Stack"
_PROVIDER = "pulumi:providers:"
_NOTHING = frozenset({"same", "read", "read-replacement", "refresh", "read-discard", "discard-replaced"})
_LEAVING = frozenset({"delete", "discard"})
_PARTS = frozenset({"create-replacement", "delete-replaced"})
"""The engine tells a replacement three times: once as `replace`, and its two halves."""

_FAILED = "preview failed"
_UNKNOWN = json.dumps("04da6b54-80e4-46f7-96ec-b56ff0331ba9")
"""What the engine writes for a value that only the update will tell (`plugin.UnknownStringValue`)."""
_KNOWN_LATER = json.dumps("(known after the update)")

Event = Mapping[str, object]


class EventsInvalid(Exception):  # noqa: N818 - named after what happened
    """The input is no streaming JSON preview; the message says what to do."""


@dataclass(slots=True, kw_only=True)
class _Name:
    """The record resources of one hostname of one zone; all of its RRsets before and after the update."""

    ops: set[str] = field(default_factory=set)
    retained: bool = False
    before: dict[str, RRset] = field(default_factory=dict)
    after: dict[str, RRset] = field(default_factory=dict)


def read_preview(lines: Iterable[str]) -> Preview:
    """Return what the events of one preview say. Raises EventsInvalid when they are none, or not complete."""
    events = list(_events(lines))
    end = _last(events, "summaryEvent")
    if end is None and not _messages(events, "error"):
        raise EventsInvalid("the preview is cut off: it holds neither its summary nor an error")
    findings = tuple(_findings(events))
    resources = [one for event in events if (one := object_in(object_in(event, "resourcePreEvent"), "metadata"))]
    outputs = _stack_outputs(events)
    told = tuple(_told(outputs.get("hostnames")))
    steps = [step for one in resources if (step := _step(one))]
    records = [one for one in resources if _text(one, "type") in RECORDS]
    return Preview(
        stack=_stack_name(resources),
        succeeded=end is not None and _text(end, "result") != "failed",
        changes=_changes(records, told, _domains(events)),
        invites=tuple(step for step in steps if step.type == INVITE),
        others=tuple(step for step in steps if step.type != INVITE),
        findings=findings,
        told=told,
        exceptions=tuple(_excepted(outputs.get("exceptions"))),
        errors=tuple(_errors(events, findings)),
        warnings=tuple(" ".join(text.split()) for text in _messages(events, "warning")),
        same=_same(records),
    )


def _events(lines: Iterable[str]) -> Iterator[Event]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            event = json.loads(line.replace(_UNKNOWN, _KNOWN_LATER))
        except (ValueError, RecursionError):
            event = None
        if not isinstance(event, dict) or "sequence" not in event:
            raise EventsInvalid(
                f"line {number} is no event of the engine; make the input with "
                "PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true pulumi preview --json"
            )
        yield event


def _last(events: Sequence[Event], kind: str) -> Event | None:
    return next((object_in(event, kind) for event in reversed(events) if kind in event), None)


def _stack_name(resources: Iterable[Event]) -> str:
    urn = next((_text(one, "urn") for one in resources), "")
    return urn.removeprefix("urn:pulumi:").partition("::")[0]


def _stack_outputs(events: Iterable[Event]) -> Event:
    """Return the stack outputs as this preview predicts them."""
    outputs: Event = {}
    for event in events:
        metadata = object_in(object_in(event, "resOutputsEvent"), "metadata")
        if _text(metadata, "type") == _STACK:
            outputs = object_in(object_in(metadata, "new"), "outputs") or outputs
    return outputs


def _told(hostnames: object) -> Iterator[Told]:
    for hostname, entry in sorted(hostnames.items()) if isinstance(hostnames, Mapping) else ():
        if isinstance(entry, Mapping):
            yield Told(
                hostname=hostname.removesuffix(PRIVATE_VIEW),
                shown=hostname,
                state=_text(entry, "state"),
                rule=_text(entry, "rule"),
                reason=_text(entry, "reason"),
                zone=_text(entry, "zone"),
                source=_source(object_in(entry, "source")),
            )


def _excepted(exceptions: object) -> Iterator[Excepted]:
    for hostname, entries in sorted(exceptions.items()) if isinstance(exceptions, Mapping) else ():
        for one in entries if isinstance(entries, list) else ():
            if isinstance(one, Mapping):
                yield Excepted(
                    hostname=hostname,
                    rule=_text(one, "rule"),
                    expires=_text(one, "expires"),
                    reason=_text(one, "reason"),
                )


def _source(source: Event) -> str:
    place = f"{source['cluster']}:" if source.get("cluster") else ""
    return f"{_text(source, 'kind')} {place}{_text(source, 'namespace')}/{_text(source, 'name')}" if source else ""


def _domains(events: Iterable[Event]) -> Mapping[str, str]:
    """Return the zones' domains by zone id, as the stack's config names them; none where that is a secret."""
    config = next(
        (object_in(object_in(event, "preludeEvent"), "config") for event in events if "preludeEvent" in event), {}
    )
    try:
        zones = json.loads(_text(config, "edge-dns:zones"))
    except (ValueError, RecursionError):
        return {}
    known = [zone for zone in zones if isinstance(zone, Mapping)] if isinstance(zones, list) else []
    return {_text(zone, "zoneId"): _text(zone, "domain").rstrip(".").lower() for zone in known}


def _step(resource: Event) -> Step | None:
    """Return a step on something that is no record, component or provider; None for those and for no change."""
    op, kind, urn = _text(resource, "op"), _text(resource, "type"), _text(resource, "urn")
    if op in _NOTHING | _PARTS or kind in RECORDS | {_STACK} or kind.startswith(_PROVIDER):
        return None
    if not (object_in(resource, "new") or object_in(resource, "old")).get("custom"):
        return None
    return Step(op=op, type=kind, name=urn.split("::", 3)[-1])


def _changes(records: Iterable[Event], told: Sequence[Told], domains: Mapping[str, str]) -> tuple[Change, ...]:
    names: dict[tuple[str, str], _Name] = {}
    for resource in records:
        _add(resource, names)
    # A name whose zone left the settings has none in the outputs any more.
    reasons = {(one.hostname, one.zone): one for one in told}
    found = [
        _change(domains.get(zone_id) or domain_of(zone_id), hostname, action, name, reasons)
        for (zone_id, hostname), name in names.items()
        if (action := _action(name))
    ]
    return tuple(sorted(found, key=lambda one: (ACTIONS.index(one.action), one.zone, one.hostname)))


def _add(resource: Event, names: dict[tuple[str, str], _Name]) -> None:
    op, urn = _text(resource, "op"), _text(resource, "urn")
    if op in _PARTS or op == "refresh":
        return
    old = _records(resource, "old") if op not in {"create", "import"} else {}
    new = _records(resource, "new") if op not in _LEAVING else {}
    for slot in sorted(old.keys() | new.keys()):
        before, after = old.get(slot), new.get(slot)
        for record in filter(None, (before, after)):
            name = names.setdefault((record.zone_id, record.name), _Name())
            name.ops.add("same" if _stays(resource, before, after) else op)
            name.retained |= bool(object_in(resource, "old").get("retainOnDelete"))
            (name.before if record is before else name.after)[f"{urn} {slot}"] = record


def _same(resources: Iterable[Event]) -> int:
    found = 0
    for one in resources:
        old, new = _records(one, "old"), _records(one, "new")
        found += sum(_text(one, "op") == "same" or _stays(one, old.get(slot), after) for slot, after in new.items())
    return found


def _stays(resource: Event, before: RRset | None, after: RRset | None) -> bool:
    """Say whether it is an entry without change in a DNSEndpoint, which is updated as a whole."""
    return _text(resource, "type") == DNS_ENDPOINT and _text(resource, "op") == "update" and before == after


def _records(resource: Event, side: str) -> Mapping[str, RRset]:
    """Return by slot the records that a resource holds before (`old`) or after the update (`new`)."""
    name = _text(resource, "urn").split("::", 3)[-1]
    try:
        return state_records(_text(resource, "type"), name, object_in(object_in(resource, side), "inputs"))
    except ObservationFailed:
        return {}


def _action(name: _Name) -> Action | None:
    if name.ops <= _NOTHING:
        return None
    if not name.after:
        return "released" if name.retained else "withdrawn"
    if "import" in name.ops and not name.before:
        return "adopted"
    return "changed" if name.before else "added"


def _change(zone: str, hostname: str, action: Action, name: _Name, told: Mapping[tuple[str, str], Told]) -> Change:
    reason = told.get((hostname, zone)) or told.get((hostname, ""))
    return Change(
        zone=zone,
        hostname=hostname,
        action=action,
        before=join_rrsets(name.before.values()),
        after=join_rrsets(name.after.values()),
        source=reason.source if reason else "",
        rule=reason.rule if reason else "",
        reason=reason.reason if reason else "",
    )


def _findings(events: Iterable[Event]) -> Iterator[Finding]:
    found = {
        Finding(
            policy=_text(one, "policyName"),
            level=_text(one, "enforcementLevel"),
            resource=_text(one, "resourceUrn").split("::", 3)[-1],
            message=_text(one, "message").strip(),
        )
        for event in events
        if (one := object_in(event, "policyEvent"))
    }
    yield from sorted(found, key=lambda one: (one.level != "mandatory", one.policy, one.resource, one.message))


def _errors(events: Iterable[Event], findings: Sequence[Finding]) -> Iterator[str]:
    """Yield the errors; where a policy is violated, without the one by which the engine says only that it failed."""
    violated = any(one.level != "advisory" for one in findings)
    yield from (text for text in _messages(events, "error") if not (violated and text == _FAILED))


def _messages(events: Iterable[Event], severity: str) -> list[str]:
    """Return the lasting messages of this severity, each once, in their order."""
    found = [
        one for event in events if (one := object_in(event, "diagnosticEvent")) and one.get("severity") == severity
    ]
    return list(dict.fromkeys(_text(one, "message").strip() for one in found if not one.get("ephemeral")))


def _text(value: Event, key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""
