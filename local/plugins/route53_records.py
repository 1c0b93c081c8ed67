"""`aws:route53/record:Record` without the API: checks, differences, RRsets, outputs and import ids. Pure.

Behaviour of the official provider (terraform-provider-aws, route53_record): zone and name replace, type changes in
place as one batch; TXT values are written without the outer quotation marks, which the provider adds.
"""

from collections.abc import Mapping
from typing import Any, Final

from local.plugins.properties import UNKNOWN, Properties, is_unknown
from local.plugins.provider import CheckFailure, Diff, ProviderError
from local.plugins.route53_names import api_name, clean_zone_id, expanded, shown_name
from local.plugins.route53_rules import Alias, RRset

RESOURCE_TYPE: Final = "aws:route53/record:Record"
RECORD_TYPES: Final = frozenset({"A", "AAAA", "CAA", "CNAME", "DS", "HTTPS", "MX", "NAPTR"}) | {
    "NS",
    "PTR",
    "SOA",
    "SPF",
    "SRV",
    "SSHFP",
    "SVCB",
    "TLSA",
    "TXT",
}
_QUOTED_TYPES: Final = frozenset({"TXT", "SPF"})
_REPLACING: Final = ("zoneId", "name")
_IN_PLACE: Final = ("type", "ttl", "records", "aliases")
_UNSUPPORTED: Final = (
    "cidrRoutingPolicy",
    "failoverRoutingPolicies",
    "geolocationRoutingPolicies",
    "geoproximityRoutingPolicy",
    "healthCheckId",
    "latencyRoutingPolicies",
    "multivalueAnswerRoutingPolicy",
    "setIdentifier",
    "weightedRoutingPolicies",
)


def check(inputs: Properties) -> list[CheckFailure]:
    """What the official provider refuses at preview, and the routing policies that this plugin does not know."""
    failures = [
        CheckFailure(property=key, reason=f"missing required property '{key}'")
        for key in ("zoneId", "name", "type")
        if inputs.get(key) is None
    ]
    failures += [
        CheckFailure(property=key, reason="routing policies need the official aws plugin")
        for key in _UNSUPPORTED
        if inputs.get(key) is not None
    ]
    record_type = inputs.get("type")
    if record_type is not None and not is_unknown(record_type) and record_type not in RECORD_TYPES:
        failures.append(CheckFailure(property="type", reason=f"{record_type!r} is not a record type of Route 53"))
    return failures + _check_values(inputs)


def _check_values(inputs: Properties) -> list[CheckFailure]:
    has_records, has_alias = inputs.get("records") is not None, inputs.get("aliases") is not None
    if has_records == has_alias:
        return [CheckFailure(property="records", reason="exactly one of `aliases,records` must be specified")]
    if inputs.get("ttl") is not None and has_alias:
        return [CheckFailure(property="ttl", reason="ttl conflicts with aliases")]
    return []


def diff(*, old_inputs: Properties, old_outputs: Properties, inputs: Properties) -> Diff:
    """What the inputs would change in the record as it was last seen."""
    changed = tuple(
        key for key in (*_REPLACING, *_IN_PLACE) if _comparable(key, inputs) != _comparable(key, old_outputs)
    )
    if _flag(old_inputs, "allowOverwrite") != _flag(inputs, "allowOverwrite"):
        changed = (*changed, "allowOverwrite")
    return Diff(changed=changed, replaces=tuple(key for key in changed if key in _REPLACING))


def _flag(properties: Properties, key: str) -> bool:
    return properties.get(key) is True


def _comparable(key: str, properties: Properties) -> object:
    value = properties.get(key)
    if is_unknown(value):
        return UNKNOWN if key != "records" else object()
    if key == "name":
        return shown_name(str(value))
    if key == "zoneId":
        return clean_zone_id(str(value))
    if key == "records":
        return frozenset(value) if isinstance(value, list) else frozenset()
    if key == "aliases":
        return _alias(properties)
    return value


def rrset(properties: Properties, zone_name: str) -> RRset:
    """The RRset of inputs or outputs; a relative name is expanded with the zone's."""
    record_type, ttl, records = str(properties["type"]), properties.get("ttl"), properties.get("records")
    values = tuple(str(value) for value in records) if isinstance(records, list) else ()
    if record_type in _QUOTED_TYPES:
        values = tuple(f'"{value}"' for value in values)
    return RRset(
        name=api_name(expanded(str(properties["name"]), zone_name)),
        type=record_type,
        values=values,
        ttl=int(ttl) if isinstance(ttl, int | float) else None,
        alias=_alias(properties),
    )


def _alias(properties: Properties) -> Alias | None:
    aliases = properties.get("aliases")
    if not isinstance(aliases, list) or not aliases or not isinstance(aliases[0], Mapping):
        return None
    return Alias(
        name=api_name(str(aliases[0].get("name", ""))),
        zone_id=str(aliases[0].get("zoneId", "")),
        evaluate_target_health=aliases[0].get("evaluateTargetHealth") is True,
    )


def predicted_outputs(inputs: Properties, old_outputs: Properties | None = None) -> dict[str, object]:
    """The outputs as far as preview knows them; the FQDN needs the zone's name, so it is unknown on create."""
    old = old_outputs or {"fqdn": UNKNOWN}
    kept = {key: old[key] for key in ("id", "fqdn") if key in old}
    return {**kept, **_shown(inputs)}


def outputs_of(found: RRset, zone_id: str, *, name: str) -> dict[str, object]:
    """The outputs of an RRset; `name` is the program's own, which may be relative."""
    values = list(found.values)
    if found.type in _QUOTED_TYPES:
        values = [value.removeprefix('"').removesuffix('"') for value in values]
    properties: dict[str, object] = {
        "zoneId": zone_id,
        "name": shown_name(name),
        "type": found.type,
        "fqdn": shown_name(found.name),
        "id": resource_id(zone_id, name, found.type),
    }
    if found.alias is None:
        return properties | {"ttl": found.ttl, "records": values}
    target = {
        "name": shown_name(found.alias.name),
        "zoneId": found.alias.zone_id,
        "evaluateTargetHealth": found.alias.evaluate_target_health,
    }
    return properties | {"aliases": [target]}


def _shown(inputs: Properties) -> dict[str, object]:
    name = inputs["name"]
    return {**inputs, "name": name if is_unknown(name) else shown_name(str(name))}


def inputs_of(outputs: Properties, old_inputs: Properties) -> dict[str, object]:
    """The inputs that a refresh (old inputs known) or an import (none) finds in the outputs."""
    if not old_inputs:
        return {key: outputs[key] for key in (*_REPLACING, *_IN_PLACE) if outputs.get(key) is not None}
    known = {key: outputs.get(key) for key in old_inputs if key in {*_REPLACING, *_IN_PLACE}}
    return {**old_inputs, **known}


def resource_id(zone_id: str, name: str, record_type: str) -> str:
    """`<zone>_<name>_<TYPE>`, the name in lower case without its last dot."""
    return f"{clean_zone_id(zone_id)}_{shown_name(name)}_{record_type}"


def parse_import_id(import_id: str) -> tuple[str, str, str, str]:
    """(zone id, name, type, set identifier or "") of `<zone>_<name>_<TYPE>[_<set>]`. Raises ProviderError.

    Names may hold underscores: the first part after the name's own first one that is a record type ends the name.
    """
    zone_id, *parts = import_id.split("_")
    for index in range(1, len(parts)):
        if parts[index] in RECORD_TYPES and zone_id:
            name = "_".join(parts[:index]).removesuffix(".")
            return zone_id, name, parts[index], "_".join(parts[index + 1 :])
    raise ProviderError(
        f'unexpected format of ID ("{import_id}"), expected ZONEID_RECORDNAME_TYPE_SET-IDENTIFIER '
        "(e.g. Z4KAPRWWNC7JR_dev.example.com_NS_dev), where SET-IDENTIFIER is optional"
    )


def from_api(record: Mapping[str, Any]) -> RRset:
    """An RRset of the API's listing."""
    alias = record.get("AliasTarget")
    return RRset(
        name=api_name(record["Name"]),
        type=record["Type"],
        values=tuple(entry["Value"] for entry in record.get("ResourceRecords", ())),
        ttl=None if alias else record.get("TTL"),
        alias=None
        if not alias
        else Alias(
            name=api_name(alias["DNSName"]),
            zone_id=alias["HostedZoneId"],
            evaluate_target_health=alias["EvaluateTargetHealth"],
        ),
    )


def to_api(found: RRset) -> dict[str, Any]:
    """The RRset as a change batch takes it."""
    sent: dict[str, Any] = {"Name": found.name, "Type": found.type}
    if found.alias is not None:
        target = found.alias
        return sent | {
            "AliasTarget": {
                "DNSName": target.name,
                "HostedZoneId": target.zone_id,
                "EvaluateTargetHealth": target.evaluate_target_health,
            }
        }
    return sent | {"TTL": found.ttl, "ResourceRecords": [{"Value": value} for value in found.values]}
