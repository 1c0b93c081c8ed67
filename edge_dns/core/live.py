"""Live zones: what the providers hold in them now, in one normal form.

Built from the answers of the providers' lookups `cloudflare:getDnsRecords` and `aws:route53:getRecords`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from edge_dns.core.addresses import canonical, parse_address
from edge_dns.core.conversion.route53 import find_alias_zone
from edge_dns.core.json_values import whole_of
from edge_dns.core.live_endpoints import LiveEndpoints
from edge_dns.core.names import in_zone
from edge_dns.core.values import Alias, RRset

_ESCAPED = re.compile(r"\\([0-7]{3})")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*')
_ADDRESS_TYPES = frozenset({"A", "AAAA"})
_NAME_TYPES = frozenset({"CNAME", "NS", "PTR"})
_PRIORITY_TYPES = frozenset({"MX", "SRV", "URI"})
"""Their priority, the first field of the value (RFC 1035 §3.3.9, RFC 2782), is a field of its own at Cloudflare."""

Answer = Mapping[str, object]
"""One record as a lookup gives it, keys in the SDK's spelling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRecord:
    """One record as a provider holds it: at Cloudflare a single value, at Route 53 an RRset.

    `values` are in normal form, `spelt` as Route 53 holds them (empty at Cloudflare, which has a normal form itself).
    `import_id` is what a Pulumi resource takes it over by. `comment` is Cloudflare's, empty elsewhere. With a
    `set_identifier` it is one of several RRsets of its type (a Route 53 routing policy), which this project never
    writes.
    """

    import_id: str
    name: str
    type: str
    values: tuple[str, ...] = ()
    spelt: tuple[str, ...] = ()
    ttl: int | None = None
    alias: Alias | None = None
    proxied: bool | None = None
    comment: str = ""
    set_identifier: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveZone:
    """All records of one zone by name, each group sorted; `delegations` are the names below its apex with NS.

    `account` is the id of the account that it belongs to at Cloudflare, empty elsewhere.
    """

    by_name: Mapping[str, tuple[LiveRecord, ...]] = field(default_factory=dict)
    delegations: frozenset[str] = frozenset()
    account: str = ""

    @classmethod
    def of(cls, domain: str, records: Iterable[LiveRecord], *, account: str = "") -> "LiveZone":
        """Group the records of the zone `domain`; raises ValueError for one of another zone.

        The order in which they were read has no influence.
        """
        groups: dict[str, list[LiveRecord]] = {}
        for record in records:
            groups.setdefault(record.name, []).append(record)
        if stranger := next((name for name in groups if not in_zone(name, domain)), None):
            raise ValueError(f"it holds {stranger}, which is not in {domain}: this is the id of another zone")
        return cls(
            account=account,
            by_name={name: tuple(sorted(group, key=_order)) for name, group in groups.items()},
            delegations=frozenset(
                name for name, group in groups.items() if name != domain and any(one.type == "NS" for one in group)
            ),
        )

    def at(self, name: str) -> tuple[LiveRecord, ...]:
        """Return the records at a name in normal form."""
        return self.by_name.get(name, ())


@dataclass(frozen=True, kw_only=True)
class Live:
    """What the providers hold beside what the state holds.

    `owner` stands for this stack in ownership markers (`markers.owner`), `former` are those before it was renamed.
    `import_ids` are those of the record resources of the last state by slot, ownership markers included. `zones` are by
    zone key; one that was not read is missing. `announced` are the plain slots of the names that the last state was
    about to declare: only for these is a marker of this stack proof of a create that was cut off, since another
    installation may have a stack of the same name. None takes every such marker for proof, where nothing is imported
    without a review. `endpoints` are the DNSEndpoints by cluster, `objects` the UIDs of those that the state holds, by
    their Pulumi names.
    """

    owner: str
    import_ids: Mapping[str, str]
    announced: frozenset[str] | None
    zones: Mapping[str, LiveZone]
    endpoints: Mapping[str, LiveEndpoints] = field(default_factory=dict)
    objects: Mapping[str, str] = field(default_factory=dict)
    former: frozenset[str] = frozenset()

    @cached_property
    def slots(self) -> Mapping[str, str]:
        """The slots of all records that the last state holds, by import id."""
        return {import_id: slot for slot, import_id in self.import_ids.items()}

    @cached_property
    def in_state(self) -> frozenset[str]:
        """The import ids of all records that the last state holds."""
        return frozenset(self.import_ids.values())


def _order(record: LiveRecord) -> tuple[str, tuple[str, ...], str]:
    return record.type, record.values, record.import_id


def cloudflare_import_id(zone_id: str, record_id: str) -> str:
    """Return the import id of a `DnsRecord`."""
    return f"{zone_id}/{record_id}"


def route53_import_id(zone_id: str, name: str, kind: str, set_identifier: str = "") -> str:
    """Return the import id of a `Record`; it identifies an RRset, whichever resource holds it."""
    return "_".join([zone_id, name, kind, *([set_identifier] if set_identifier else [])])


def cloudflare_record(zone_id: str, answer: Answer) -> LiveRecord:
    """Return a record of `getDnsRecords`; raises ValueError when it lacks its id, name or type."""
    name, kind = normal_name(_text(answer, "name")), _text(answer, "type")
    content = answer.get("content")
    if (
        isinstance(content, str)
        and kind in _PRIORITY_TYPES
        and (priority := whole_of(answer.get("priority"))) is not None
    ):
        content = f"{priority} {content}"
    return LiveRecord(
        import_id=cloudflare_import_id(zone_id, _text(answer, "id")),
        name=name,
        type=kind,
        values=(normal_value(kind, content),) if isinstance(content, str) and content else (),
        ttl=whole_of(answer.get("ttl")),
        proxied=bool(answer.get("proxied")),
        comment=str(answer.get("comment") or ""),
    )


def route53_record(zone_id: str, answer: Answer) -> LiveRecord:
    """Return an RRset of `getRecords`; raises ValueError when it lacks its name or type."""
    name, kind = normal_name(_text(answer, "name")), _text(answer, "type")
    identifier = str(answer.get("setIdentifier") or "")
    alias = _alias(answer.get("aliasTarget"))
    found = answer.get("resourceRecords")
    values = [str(one["value"]) for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []
    return LiveRecord(
        import_id=route53_import_id(zone_id, name, kind, identifier),
        name=name,
        type=kind,
        values=() if alias else tuple(sorted(normal_value(kind, value) for value in values)),
        spelt=() if alias else tuple(sorted(values)),
        # The lookup says 0 for the TTL that an alias does not have.
        ttl=None if alias else whole_of(answer.get("ttl")),
        alias=alias,
        set_identifier=identifier,
    )


def same_content(wanted: RRset, live: LiveRecord) -> bool:
    """Say whether both are the same record in normal form: type, values as a set, TTL, alias, proxied."""
    values = frozenset(normal_value(wanted.type, value) for value in wanted.values)
    return (
        (wanted.type, wanted.ttl, wanted.proxied) == (live.type, live.ttl, live.proxied)
        and values == frozenset(live.values)
        and _comparable(wanted.alias) == _comparable(live.alias)
    )


def spelt_as(wanted: RRset, values: tuple[str, ...], alias: Alias | None) -> RRset:
    """Return the wanted RRset with values and alias spelt as these, where these mean the same.

    The provider of Route 53 compares letter by letter: with a dot at the end or without `dualstack.` it would update
    a record that says the same.
    """
    if wanted.alias and alias and wanted.alias != alias and _comparable(wanted.alias) == _comparable(alias):
        return replace(wanted, alias=replace(alias, name=f"{normal_name(alias.name)}."))
    normal = [frozenset(normal_value(wanted.type, value) for value in one) for one in (wanted.values, values)]
    if normal[0] == normal[1] and frozenset(wanted.values) != frozenset(values):
        return replace(wanted, values=values)
    return wanted


def normal_name(text: str) -> str:
    r"""Return a name in lower case, without a dot at the end, with octal escapes undone (`\052` is `*`)."""
    name = text.strip().lower()
    if "\\" in name:
        name = _ESCAPED.sub(lambda found: chr(int(found[1], 8)), name)
    return name.removesuffix(".")


def normal_value(kind: str, text: str) -> str:
    """Return a value of a record of this type: canonical address, name, or text with its quoted chunks joined."""
    if kind in _ADDRESS_TYPES:
        try:
            return canonical(parse_address(text))
        except ValueError:
            return text
    if kind in _NAME_TYPES:
        return normal_name(text)
    if kind == "TXT" and text.startswith('"'):
        return "".join(re.sub(r"\\(.)", r"\1", chunk) for chunk in _QUOTED.findall(text))
    return text


def _comparable(alias: Alias | None) -> Alias | None:
    """Return an alias as it is compared: the prefix `dualstack.` means nothing where every name exists with it too."""
    if alias is None:
        return None
    name = normal_name(alias.name)
    zone = find_alias_zone(name)
    if zone and zone.dualstack:
        name = name.removeprefix("dualstack.")
    return Alias(name=name, zone_id=_bare(alias.zone_id), evaluate_target_health=alias.evaluate_target_health)


def _alias(value: object) -> Alias | None:
    if not isinstance(value, Mapping) or not value.get("dnsName"):
        return None
    return Alias(
        name=f"{normal_name(str(value['dnsName']))}.",
        zone_id=_bare(str(value.get("hostedZoneId"))),
        evaluate_target_health=bool(value.get("evaluateTargetHealth")),
    )


def _bare(zone_id: str) -> str:
    return zone_id.removeprefix("/hostedzone/")


def _text(answer: Answer, key: str) -> str:
    value = answer.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"a record without {key}")
    return value
