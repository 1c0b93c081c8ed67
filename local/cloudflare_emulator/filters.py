"""The list filters of GET /zones/{zone_id}/dns_records, as the query of the API spells them (`name.exact`, …). Pure.

Text filters ignore case (Cloudflare API documentation). `match` joins all filters but those on tags, `tag_match`
joins these; `search` is independent of both.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from local.cloudflare_emulator.records import Record

Predicate = Callable[[Record], bool]

_TEXT_TESTS: Final[Mapping[str, Callable[[str, str], bool]]] = {
    "exact": lambda have, want: have == want,
    "contains": lambda have, want: want in have,
    "startswith": lambda have, want: have.startswith(want),
    "endswith": lambda have, want: have.endswith(want),
}
_TEXT_FIELDS: Final[Mapping[str, Callable[[Record], str]]] = {
    "name": lambda record: record.name,
    "content": lambda record: record.content,
    "comment": lambda record: record.comment or "",
}
_ORDER_KEYS: Final[Mapping[str, Callable[[Record], tuple[object, ...]]]] = {
    "type": lambda record: (record.type,),
    "name": lambda record: (record.name,),
    "content": lambda record: (record.content,),
    "ttl": lambda record: (record.ttl,),
    "proxied": lambda record: (record.proxied,),
}


def select(records: Iterable[Record], query: Mapping[str, str]) -> list[Record]:
    """The records that the query asks for, in its order (by type, oldest first, unless it says otherwise)."""
    wanted = _combined(_field_predicates(query), query.get("match", "all"))
    tagged = _combined(_tag_predicates(query), query.get("tag_match", "all"))
    found = [record for record in records if wanted(record) and tagged(record) and _searched(record, query)]
    key = _ORDER_KEYS.get(query.get("order", "type"), _ORDER_KEYS["type"])
    return sorted(found, key=key, reverse=query.get("direction") == "desc")


def _combined(predicates: list[Predicate], match: str) -> Predicate:
    if match == "any" and predicates:
        return lambda record: any(predicate(record) for predicate in predicates)
    return lambda record: all(predicate(record) for predicate in predicates)


def _field_predicates(query: Mapping[str, str]) -> list[Predicate]:
    predicates = [
        predicate
        for field, read in _TEXT_FIELDS.items()
        for key, value in query.items()
        if (predicate := _text_predicate(field, read, key, value)) is not None
    ]
    if "type" in query:
        predicates.append(lambda record: record.type == query["type"])
    if "proxied" in query:
        predicates.append(lambda record: record.proxied == (query["proxied"] == "true"))
    return predicates


def _text_predicate(field: str, read: Callable[[Record], str], key: str, value: str) -> Predicate | None:
    if key == field:  # the older spelling of .exact
        key = f"{field}.exact"
    name, _, operator = key.partition(".")
    if name != field:
        return None
    if operator in {"present", "absent"}:
        return lambda record: bool(read(record)) == (operator == "present")
    test = _TEXT_TESTS.get(operator)
    return None if test is None else lambda record: test(read(record).lower(), value.lower())


def _tag_predicates(query: Mapping[str, str]) -> list[Predicate]:
    return [
        _tag_predicate(key.removeprefix("tag."), value.lower()) for key, value in query.items() if key[:4] == "tag."
    ]


def _tag_predicate(operator: str, value: str) -> Predicate:
    if operator in {"present", "absent"}:
        return lambda record: (value in _tag_values(record)) == (operator == "present")
    name, _, wanted = value.partition(":")
    test = _TEXT_TESTS.get(operator, _TEXT_TESTS["exact"])
    return lambda record: any(test(have, wanted) for have in _tag_values(record).get(name, []))


def _tag_values(record: Record) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for tag in record.tags:
        name, _, value = tag.lower().partition(":")
        values.setdefault(name, []).append(value)
    return values


def _searched(record: Record, query: Mapping[str, str]) -> bool:
    text = query.get("search", "").lower()
    return any(text in field.lower() for field in (record.name, record.content, record.comment or "", *record.tags))
