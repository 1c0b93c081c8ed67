"""allowedRecordSets: which namespaces may publish which names and types in a zone."""

from collections.abc import Collection, Mapping
from enum import Enum

from edge_dns.core.rules import Refusal, Refused
from edge_dns.core.settings import AllowedRecordSet, Zone
from edge_dns.core.values import RecordType

Labels = Mapping[str, str]


class _Grade(Enum):
    """How far the best rule admits a record."""

    NOTHING = 0
    NAMESPACE = 1
    NAME = 2
    ALL = 3


def check_permission(
    relative: str,
    types: Collection[RecordType],
    zone: Zone,
    namespaces: Mapping[str, Labels | None],
    *,
    of_cluster: bool,
) -> None:
    """Raise Refused (`record-not-allowed-by-zone`) unless the zone admits the hostname, with all types, for all
    namespaces.

    `namespaces` are all that claim the hostname, with their labels; None stands for labels that are not known. Where a
    selector would have to decide on those of a cluster it is `observation-failed`: they could not be read. A tunnel's
    namespace (`of_cluster` is False) never has any, so that no selector takes it. A pattern must match the whole
    relative name, in which `@` and `*` stand for themselves; each type may be admitted by another rule. The reason
    names the most advanced failure and never the patterns or selectors.
    """
    if zone.allowed_record_sets is None:
        return
    selects = any(rule.namespaces.selector is not None for rule in zone.allowed_record_sets)
    for namespace, labels in sorted(namespaces.items()):
        for record_type in sorted(types):
            grade = _grade(zone.allowed_record_sets, namespace, labels, relative, record_type)
            if grade is _Grade.ALL:
                continue
            if labels is None and selects and of_cluster:
                raise Refused(_unreadable(namespace, zone))
            raise Refused(_refusal(grade, namespace, relative, record_type, zone))


def _grade(
    rules: Collection[AllowedRecordSet], namespace: str, labels: Labels | None, relative: str, record_type: RecordType
) -> _Grade:
    admitting = [rule for rule in rules if _admits(rule, namespace, labels)]
    naming = [rule for rule in admitting if any(pattern.matches(relative) for pattern in rule.names)]
    if any(record_type in rule.types for rule in naming):
        return _Grade.ALL
    if naming:
        return _Grade.NAME
    return _Grade.NAMESPACE if admitting else _Grade.NOTHING


def _admits(rule: AllowedRecordSet, namespace: str, labels: Labels | None) -> bool:
    # No selector sees unknown labels: NotIn and DoesNotExist would admit them.
    return namespace in rule.namespaces.names if labels is None else rule.namespaces.admit(namespace, labels)


def _unreadable(namespace: str, zone: Zone) -> Refusal:
    reason = f"the labels of namespace {namespace}, which allowedRecordSets of zone {zone.domain} needs, are not known"
    return Refusal(rule="observation-failed", reason=reason)


def _refusal(grade: _Grade, namespace: str, relative: str, record_type: RecordType, zone: Zone) -> Refusal:
    what = {
        _Grade.NOTHING: f"namespace {namespace} may not publish",
        _Grade.NAMESPACE: f"namespace {namespace} may not publish the name {relative}",
        _Grade.NAME: f"namespace {namespace} may not publish type {record_type} for the name {relative}",
    }[grade]
    return Refusal(rule="record-not-allowed-by-zone", reason=f"{what} in zone {zone.domain} (allowedRecordSets)")
