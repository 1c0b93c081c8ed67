"""`getDnsRecords` and `getZone` without the API: queries and results in the SDK's spelling. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from local.plugins import cloudflare_records
from local.plugins.properties import Properties
from local.plugins.provider import ProviderError

GET_DNS_RECORDS: Final = "cloudflare:index/getDnsRecords:getDnsRecords"
GET_ZONE: Final = "cloudflare:index/getZone:getZone"
_DEFAULT_MAX_ITEMS: Final = 1000
_NESTED_FILTERS: Final = ("name", "content", "comment", "tag")
_FLAT_FILTERS: Final = {
    "type": "type",
    "proxied": "proxied",
    "match": "match",
    "tagMatch": "tag_match",
    "search": "search",
    "order": "order",
    "direction": "direction",
}
_ECHO_DEFAULTS: Final[Properties] = {
    "match": "all",
    "tagMatch": "all",
    "order": "type",
    "direction": "asc",
    "includeShadowMetadata": False,
}


def max_items(arguments: Properties) -> int:
    """How many records the lookup returns at most; the rest is dropped without a word, as the official one does."""
    limit = arguments.get("maxItems")
    if limit is None:
        return _DEFAULT_MAX_ITEMS
    if not isinstance(limit, int) or limit < 1:
        raise ProviderError("getDnsRecords: maxItems must be a positive whole number")
    return limit


def records_query(arguments: Properties) -> dict[str, Any]:
    """The filters as the client's `records.list` takes them."""
    nested = {key: arguments[key] for key in _NESTED_FILTERS if arguments.get(key) is not None}
    flat = {name: arguments[key] for key, name in _FLAT_FILTERS.items() if arguments.get(key) is not None}
    return nested | flat


def records_result(arguments: Properties, records: list[Properties]) -> Properties:
    """The lookup's result: the arguments, defaults filled in, and the records."""
    zone_id = str(arguments["zoneId"])
    return {**_ECHO_DEFAULTS, **arguments, "results": [_listed(record, zone_id) for record in records]}


def _listed(record: Properties, zone_id: str) -> Properties:
    outputs = cloudflare_records.outputs_of(record, zone_id)
    del outputs["zoneId"]
    return outputs


def zones_query(zone_filter: Mapping[str, Any]) -> dict[str, Any]:
    """The filter as the client's `zones.list` takes it."""
    query = {key: value for key, value in zone_filter.items() if key != "types" and value is not None}
    if zone_filter.get("types"):
        query["type"] = zone_filter["types"]
    return query


def only_zone(zones: Sequence[Properties]) -> Properties:
    """The one zone of a listing; any other number is an error."""
    if len(zones) != 1:
        raise ProviderError(f"getZone: the filter finds {len(zones)} zones, it must find exactly one")
    return zones[0]


def zone_result(zone: Properties) -> Properties:
    """The lookup's result for a zone of the API."""
    return {**cloudflare_records.camel_keys(zone), "zoneId": zone["id"]}
