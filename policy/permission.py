"""Rules about what the zones of the pack's configuration take."""

from edge_dns.core.names import is_wildcard, relative_name
from policy.declared import DeclaredRecord
from policy.rule import Given, record_policy


def wildcard_opt_in(record: DeclaredRecord, _given: Given) -> str | None:
    """Refuse a wildcard name in a zone that does not say `wildcards: true`; one that is not listed does not."""
    if not is_wildcard(record.name) or (record.zone and record.zone.wildcards):
        return None
    return (
        "The zone takes no wildcard names.\n"
        'Name each host, or set "wildcards": true for the zone in the pack\'s configuration.'
    )


def record_not_allowed_by_zone(record: DeclaredRecord, _given: Given) -> str | None:
    """Refuse a record whose name and type no entry of the zone's `allowedRecordSets` admits together.

    The namespaces of the entries do not count: a record does not tell for whom it is.
    """
    zone = record.zone
    if zone is None or zone.allowed_record_sets is None:
        return None
    relative, record_type = relative_name(record.name, zone.domain), record.type
    rules = [rule for rule in zone.allowed_record_sets if record_type in rule.types]
    if any(pattern.matches(relative) for rule in rules for pattern in rule.names) or record.is_marker:
        return None
    return (
        f"allowedRecordSets of the zone does not admit {relative} as {record_type}.\nExtend it, or take the name away."
    )


POLICIES = [
    record_policy("wildcard-opt-in", wildcard_opt_in),
    record_policy("record-not-allowed-by-zone", record_not_allowed_by_zone),
]
