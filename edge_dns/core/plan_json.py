"""The JSON form of a plan: stable, sorted, documented in docs/plan-json.md."""

from collections.abc import Iterable

from edge_dns.core.adoption import described as live_text
from edge_dns.core.blast_radius import BlastRadius
from edge_dns.core.decision import Decision
from edge_dns.core.exceptions import described
from edge_dns.core.guard import Stop
from edge_dns.core.json_values import Json
from edge_dns.core.memory import encode
from edge_dns.core.plan import Plan
from edge_dns.core.record_sets import PlannedSet
from edge_dns.core.rrsets import describe_rrset, join_slots
from edge_dns.core.services import ServicePlan
from edge_dns.core.settings import RuleException
from edge_dns.core.values import Alias, RRset, Source
from edge_dns.core.zone_changes import ZoneChanges

VERSION = 1


def plan_document(plan: Plan, *, memory_given: bool = False) -> Json:
    """Return the whole plan as JSON values; `memory_given` says whether what is published already was known."""
    return {
        "version": VERSION,
        "endpointRecordSets": [_set(one) for one in sorted(plan.sets, key=_set_order) if one.hostnames],
        "records": records(plan.decisions),
        "hostnames": [_hostname(one) for one in plan.decisions],
        "services": [_service(one, plan) for one in plan.services],
        "zones": [_zone(one) for one in plan.changes],
        "errors": error_entries((stop.refusal.rule, "edge-dns:safety", _whole(stop)) for stop in plan.stops),
        "warnings": [{"rule": one.rule, "path": one.path, "message": one.message} for one in plan.warnings],
        "memoryGiven": memory_given,
        "memory": encode(plan.memory),
    }


def refused_document(errors: Iterable[tuple[str, str, str]], memory: object, *, memory_given: bool = False) -> Json:
    """Return the document of a run that could not be planned: (rule, path, message) of each error.

    `memory` is passed on as it was given; None where it could not be read, which no later run takes for a memory.
    """
    return {
        "version": VERSION,
        "endpointRecordSets": [],
        "records": [],
        "hostnames": [],
        "services": [],
        "zones": [],
        "errors": error_entries(errors),
        "warnings": [],
        "memoryGiven": memory_given,
        "memory": memory,
    }


def _service(one: ServicePlan, plan: Plan) -> Json:
    namespace, name = one.key
    return {
        "cluster": one.source.cluster,
        "namespace": namespace,
        "name": name,
        "exposure": one.service.exposure,
        "hostnames": list(one.hostnames),
        "route": one.route in plan.routes,
        "marked": any(mark.id == one.id for mark in plan.marks),
    }


def error_entries(errors: Iterable[tuple[str, str, str]]) -> list[Json]:
    """Return (rule, path, message) of each error in their object form, sorted."""
    return [{"rule": rule, "path": path, "message": message} for rule, path, message in sorted(errors)]


def _whole(stop: Stop) -> str:
    return f"{stop.refusal.reason}\n{stop.way_out}"


def _zone(one: ZoneChanges) -> Json:
    return {"zone": one.zone.domain if one.zone else None, "zoneId": one.key, **zone_numbers(one)}


def zone_numbers(one: ZoneChanges) -> Json:
    """Return the numbers of a zone: own RRsets after the run, and what it withdraws and changes of those before it."""
    return {
        "own": one.after,
        "withdrawn": one.withdrawals,
        "withdrawnShare": _share(one.withdrawals, one.before),
        "changed": one.updates,
        "changedShare": _share(one.updates, one.before),
    }


def _share(number: int, of: int) -> float:
    return round(number / of, 4) if of else 0.0


def records(decisions: Iterable[Decision]) -> list[Json]:
    """Return the promised records: one entry per (zone, name, type) with all values, sorted."""
    entries = [_record(rrset, decision) for decision in decisions for rrset in join_slots(decision.promised)]
    return sorted(entries, key=lambda entry: (str(entry["zone"]), str(entry["name"]), str(entry["type"])))


def source_entry(source: Source) -> Json:
    """Return a source in its object form."""
    return {
        "cluster": source.cluster,
        "kind": source.kind,
        "namespace": source.namespace,
        "name": source.name,
    }


def _set_order(one: PlannedSet) -> tuple[str, tuple[str, ...]]:
    return one.name, one.source.sort_key


def _set(one: PlannedSet) -> Json:
    return {
        "name": one.name,
        "source": source_entry(one.source),
        "hostnames": list(one.hostnames),
        "targets": [{"type": target.type, "value": target.value} for target in one.targets],
        "retained": list(one.retained),
    }


def _record(rrset: RRset, decision: Decision) -> Json:
    zone = decision.zone
    return {
        "zone": zone.domain if zone else "",
        "provider": zone.provider if zone else "",
        "name": rrset.name,
        "type": rrset.type,
        "values": list(rrset.values),
        "ttl": rrset.ttl,
        "alias": alias_entry(rrset.alias) if rrset.alias else None,
        "proxied": rrset.proxied,
        "source": source_entry(decision.source),
    }


def alias_entry(alias: Alias) -> Json:
    """Return a Route 53 alias in its object form."""
    return {
        "name": alias.name,
        "zoneId": alias.zone_id,
        "evaluateTargetHealth": alias.evaluate_target_health,
    }


def _hostname(decision: Decision) -> Json:
    entry: Json = {
        "hostname": decision.hostname,
        "state": decision.state,
        "rule": decision.refusal.rule if decision.refusal else None,
        "reason": reason(decision),
        "source": source_entry(decision.source),
    }
    excepted = [exception_entry(one) for one in decision.excepted]
    if excepted:
        entry["exceptions"] = excepted
    if decision.blast_radius:
        entry["blastRadius"] = radius_entry(decision.blast_radius)
    return entry


def radius_entry(radius: BlastRadius) -> Json:
    """Return a blast radius in its object form."""
    return {
        "own": [describe_rrset(one) for one in radius.own],
        "marker": radius.marker,
        "externalDns": [
            {
                "zone": one.zone.domain,
                "zoneId": one.zone.zone_id,
                "owner": one.owner,
                "records": [live_text(record) for record in one.records],
                "registry": [record.name for record in one.registry],
            }
            for one in radius.external
        ],
        "afterwards": radius.afterwards,
    }


def exception_entry(exception: RuleException) -> Json:
    """Return an exception that is used in its object form, without its hostname."""
    return {"rule": exception.rule, "reason": exception.reason, "expires": exception.expires.isoformat()}


def reason(decision: Decision) -> str:
    """Return why the hostname is in its state, what goes with it, what other sources say of it, and the exceptions."""
    first = (decision.refusal.reason,) if decision.refusal else ()
    radius = decision.blast_radius.lines if decision.blast_radius else ()
    return "; ".join((*first, *radius, *decision.notes, *decision.warnings, *map(described, decision.excepted)))
