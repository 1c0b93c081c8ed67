"""The JSON form of a summary: the same content as the Markdown, complete; documented in docs/summary.md."""

from collections.abc import Iterable

from edge_dns.core.json_values import Json
from edge_dns.core.rrsets import describe_rrset
from edge_dns.core.summary.preview import Change, Preview, Step
from edge_dns.core.values import RRset

VERSION = 1


def summary_json(preview: Preview) -> Json:
    """Return the whole summary as JSON values, sorted and stable."""
    return {
        "version": VERSION,
        "stack": preview.stack,
        "succeeded": preview.succeeded,
        "counts": {str(action): number for action, number in preview.by_action.items()} | {"same": preview.same},
        "changes": [_change(one) for one in preview.changes],
        "invites": [_step(one) for one in preview.invites],
        "others": [_step(one) for one in preview.others],
        "findings": [
            {"policy": one.policy, "level": one.level, "resource": one.resource, "message": one.message}
            for one in preview.findings
        ],
        "hostnames": [
            {
                "hostname": one.hostname,
                "state": one.state,
                "rule": one.rule,
                "reason": one.reason,
                "zone": one.zone or None,
                "source": one.source or None,
            }
            for one in preview.told
        ],
        "exceptions": [
            {"hostname": one.hostname, "rule": one.rule, "expires": one.expires, "reason": one.reason}
            for one in preview.exceptions
        ],
        "errors": list(preview.errors),
        "warnings": list(preview.warnings),
    }


def _change(one: Change) -> Json:
    return {
        "hostname": one.hostname,
        "zone": one.zone,
        "action": one.action,
        "before": _texts(one.before),
        "after": _texts(one.after),
        "rule": one.rule or None,
        "reason": one.reason or None,
        "source": one.source or None,
    }


def _texts(rrsets: Iterable[RRset]) -> list[str]:
    return [describe_rrset(one) for one in rrsets]


def _step(one: Step) -> Json:
    return {"op": one.op, "type": one.type, "name": one.name}
