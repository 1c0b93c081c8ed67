"""Records as the resources of a state or of a preview hold them."""

from collections.abc import Mapping

from edge_dns.core.endpoint_entries import object_records
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.json_values import whole_of
from edge_dns.core.resource_types import CLOUDFLARE_RECORD, DNS_ENDPOINT, ROUTE53_RECORD
from edge_dns.core.values import Alias, RecordType, RRset, record_type

RECORDS = frozenset({CLOUDFLARE_RECORD, ROUTE53_RECORD, DNS_ENDPOINT})
"""Types of the resources that hold records: one each, but for DNSEndpoints."""


def state_records(kind: str, name: str, values: Mapping[str, object]) -> Mapping[str, RRset]:
    """Return by slot the records that a resource of this type and name holds in its inputs or outputs.

    Nothing for other resources and ownership markers. Raises ObservationFailed when one lacks its type, zone or name.
    """
    if kind == DNS_ENDPOINT:
        return object_records(values)
    of_type = record_type(text_of(values, "type")) if kind in RECORDS else None
    if of_type is None:
        return {}
    return {name: (_cloudflare_record if kind == CLOUDFLARE_RECORD else _route53_record)(of_type, values)}


def _cloudflare_record(of_type: RecordType, values: Mapping[str, object]) -> RRset:
    return RRset(
        zone_id=text_of(values, "zoneId"),
        name=text_of(values, "name"),
        type=of_type,
        values=(str(values.get("content", "")),),
        ttl=whole_of(values.get("ttl")),
        proxied=bool(values.get("proxied")),
    )


def _route53_record(of_type: RecordType, values: Mapping[str, object]) -> RRset:
    records = values.get("records")
    return RRset(
        zone_id=text_of(values, "zoneId"),
        name=text_of(values, "name"),
        type=of_type,
        values=tuple(map(str, records)) if isinstance(records, list) else (),
        ttl=whole_of(values.get("ttl")),
        alias=_alias(values.get("aliases")),
    )


def text_of(values: Mapping[str, object], key: str) -> str:
    """Return a text that a record must have; raises ObservationFailed when it is missing."""
    text = values.get(key)
    if not isinstance(text, str) or not text:
        raise ObservationFailed(f"the stack's own last state holds a record without {key}")
    return text


def _alias(value: object) -> Alias | None:
    if not isinstance(value, list) or not value or not isinstance(first := value[0], Mapping):
        return None
    return Alias(
        name=str(first.get("name")),
        zone_id=str(first.get("zoneId")),
        evaluate_target_health=bool(first.get("evaluateTargetHealth")),
    )
