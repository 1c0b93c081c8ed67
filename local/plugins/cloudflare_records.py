"""`cloudflare:index/dnsRecord:DnsRecord` without the API: checks, differences, request bodies and outputs. Pure.

Behaviour of the official provider (terraform-provider-cloudflare v5): zone and type replace, all else changes in place.
"""

import json
import re
from collections.abc import Mapping
from typing import Final

from local.plugins.properties import UNKNOWN, Properties, is_unknown
from local.plugins.provider import CheckFailure, Diff, ProviderError

RESOURCE_TYPE: Final = "cloudflare:index/dnsRecord:DnsRecord"
RECORD_TYPES: Final = frozenset(
    {"A", "AAAA", "CAA", "CERT", "CNAME", "DNSKEY", "DS", "HTTPS", "LOC", "MX", "NAPTR", "NS"}
) | {"OPENPGPKEY", "PTR", "SMIMEA", "SRV", "SSHFP", "SVCB", "TLSA", "TXT", "URI"}
_REPLACING: Final = ("zoneId", "type")
_IN_PLACE: Final = ("name", "ttl", "content", "proxied", "comment", "tags", "priority", "data", "settings")
_DEFAULTS: Final[Properties] = {"proxied": False, "tags": [], "comment": None}
# What the API fills in where the program is silent: silence is no difference.
_COMPUTED: Final = frozenset({"content", "priority", "data", "settings"})
_API_OUTPUTS: Final = ("createdOn", "modifiedOn", "commentModifiedOn", "tagsModifiedOn", "meta", "proxiable")


def check(inputs: Properties) -> list[CheckFailure]:
    """What the official provider refuses at preview. A ttl beside `proxied` is not among it (see create_body)."""
    failures = [
        CheckFailure(property=key, reason=f"missing required property '{key}'")
        for key in ("zoneId", "name", "type", "ttl")
        if inputs.get(key) is None
    ]
    if inputs.get("content") is not None and inputs.get("data") is not None:
        failures.append(CheckFailure(property="content", reason="content conflicts with data"))
    record_type = inputs.get("type")
    if record_type is not None and not is_unknown(record_type) and record_type not in RECORD_TYPES:
        failures.append(CheckFailure(property="type", reason=f"{record_type!r} is not a record type of Cloudflare"))
    if not _within(inputs.get("ttl"), 30, 86400, also=1):
        failures.append(CheckFailure(property="ttl", reason="ttl must be 1 (automatic) or between 30 and 86400"))
    if not _within(inputs.get("priority"), 0, 65535, also=0):
        failures.append(CheckFailure(property="priority", reason="priority must be between 0 and 65535"))
    return failures


def _within(value: object, low: float, high: float, *, also: float) -> bool:
    return (
        value is None
        or value == UNKNOWN
        or (isinstance(value, int | float) and (value == also or low <= value <= high))
    )


def diff(*, old_inputs: Properties, old_outputs: Properties, inputs: Properties) -> Diff:
    """What the inputs would change in the record as it was last seen."""
    changed = tuple(key for key in (*_REPLACING, *_IN_PLACE) if _differs(key, old_inputs, old_outputs, inputs))
    return Diff(changed=changed, replaces=tuple(key for key in changed if key in _REPLACING))


def _differs(key: str, old_inputs: Properties, old_outputs: Properties, inputs: Properties) -> bool:
    new, old = inputs.get(key, _DEFAULTS.get(key)), old_outputs.get(key, _DEFAULTS.get(key))
    if new is None and key in _COMPUTED:
        return old_inputs.get(key) is not None
    if key == "name":
        return not _same_name(old, new, unchanged=old_inputs.get(key) == new)
    if key == "content" and inputs.get("type") == "CNAME":
        return str(new).lower() != str(old).lower()
    if key == "tags":
        return is_unknown(new) or _as_set(new) != _as_set(old)
    return new != old


def _same_name(old: object, new: object, *, unchanged: bool) -> bool:
    """A relative name is the FQDN that the API made of it: a guess by prefix, since the zone's name is not at hand."""
    return old == new or str(old).startswith(f"{new}.") or (unchanged and new == "@")


def _as_set(tags: object) -> frozenset[str]:
    return frozenset(str(tag) for tag in tags) if isinstance(tags, list) else frozenset()


def body(inputs: Properties) -> dict[str, object]:
    """The request body of create and update. Raises ProviderError for a ttl beside `proxied`."""
    if inputs.get("proxied") is True and inputs.get("ttl") != 1:
        raise ProviderError("ttl must be set to 1 when `proxied` is true")
    sent = {key: inputs[key] for key in _IN_PLACE if inputs.get(key) is not None}
    return {"type": inputs["type"], "proxied": False} | {key: _snake_keys(value) for key, value in sent.items()}


def predicted_outputs(inputs: Properties, old_outputs: Properties | None = None) -> dict[str, object]:
    """The outputs as far as preview knows them: what only the API sets is unknown on create and kept on update."""
    if old_outputs is None:
        known: Properties = dict.fromkeys((*_API_OUTPUTS, "content", "settings"), UNKNOWN)
    else:
        known = {key: value for key, value in old_outputs.items() if key in {*_API_OUTPUTS, *_COMPUTED, "id"}}
        known = {**known, "modifiedOn": UNKNOWN}
    return {**_DEFAULTS, **known, **inputs}


def outputs_of(record: Properties, zone_id: str, inputs: Properties | None = None) -> dict[str, object]:
    """The outputs of a record as the API returned it; after a write the program's own spelling in `inputs` stays."""
    read: dict[str, object] = {
        "id": record["id"],
        "zoneId": zone_id,
        **{key: record.get(key) for key in ("name", "type", "content", "proxied", "priority", "comment", "proxiable")},
        "ttl": record.get("ttl"),
        "tags": record.get("tags") or [],
        "data": _camel_value(record.get("data")),
        "settings": _camel_value(record.get("settings")),
        "meta": json.dumps(record.get("meta") or {}, sort_keys=True),
        "createdOn": record.get("created_on"),
        "modifiedOn": record.get("modified_on"),
        "commentModifiedOn": record.get("comment_modified_on"),
        "tagsModifiedOn": record.get("tags_modified_on"),
    }
    return {**read, **(inputs or {})}


def inputs_of(outputs: Properties, old_inputs: Properties) -> dict[str, object]:
    """The inputs that a refresh (old inputs known) or an import (none) finds in the outputs."""
    if old_inputs:
        return {key: outputs.get(key) for key in old_inputs}
    return {
        key: outputs[key]
        for key in (*_REPLACING, *_IN_PLACE)
        if outputs.get(key) not in (None, [], {}) and not (key == "content" and outputs.get("data"))
    }


def parse_import_id(resource_id: str) -> tuple[str, str]:
    """(zone id, record id) of `<zone_id>/<dns_record_id>`. Raises ProviderError."""
    zone_id, slash, record_id = resource_id.partition("/")
    if not (zone_id and slash and record_id) or "/" in record_id:
        raise ProviderError(f'invalid ID "{resource_id}": expected <zone_id>/<dns_record_id>')
    return zone_id, record_id


def _snake_keys(value: object) -> object:
    if isinstance(value, Mapping):
        return {re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", str(key)).lower(): part for key, part in value.items()}
    return value


def _camel_value(value: object) -> object:
    return camel_keys(value) if isinstance(value, Mapping) else value


def camel_keys(properties: Mapping[str, object]) -> dict[str, object]:
    """The API's keys in the SDK's spelling, at every depth."""
    return {
        re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), key): camel_keys(value)
        if isinstance(value, Mapping)
        else value
        for key, value in properties.items()
    }
