"""Records as the resources of a state or of a preview hold them."""

from collections.abc import Mapping

from edge_dns.core.errors import ObservationFailed
from edge_dns.core.resource_types import CLOUDFLARE_RECORD, ROUTE53_RECORD
from edge_dns.core.values import Alias, RRset


def state_record(kind: str, values: Mapping[str, object]) -> RRset | None:
    """Return the record that a resource of this type holds in its inputs or outputs.

    None for other resources and ownership markers. Raises ObservationFailed when it lacks its zone or name.
    """
    if values.get("type") not in ("A", "AAAA", "CNAME"):
        return None
    if kind == CLOUDFLARE_RECORD:
        return _cloudflare_record(values)
    return _route53_record(values) if kind == ROUTE53_RECORD else None


def _cloudflare_record(values: Mapping[str, object]) -> RRset:
    return RRset(
        zone_id=text_of(values, "zoneId"),
        name=text_of(values, "name"),
        type=values["type"],  # type: ignore[arg-type] # one of the three, checked before
        values=(str(values.get("content", "")),),
        ttl=whole_of(values.get("ttl")),
        proxied=bool(values.get("proxied")),
    )


def _route53_record(values: Mapping[str, object]) -> RRset:
    records = values.get("records")
    return RRset(
        zone_id=text_of(values, "zoneId"),
        name=text_of(values, "name"),
        type=values["type"],  # type: ignore[arg-type] # one of the three, checked before
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


def whole_of(value: object) -> int | None:
    """Return a number of the engine, which are all floats, as a whole one; None for anything else."""
    return int(value) if isinstance(value, int | float) else None
