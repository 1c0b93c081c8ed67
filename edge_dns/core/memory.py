"""What a run remembers for the next one: receipts, last targets, slots and refused names, as plain values.

The memory of an endpoint record set is an output of its component, registered before its records; `edge-dns plan`
carries the same values in the `memory` object of its JSON.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Annotated, TypeVar

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError

from edge_dns.core.cloudflare_view import IngressRule
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.json_values import load_json
from edge_dns.core.receipts import Receipt
from edge_dns.core.values import RRset, SlotRecord, Source, Target, Visibility

VERSION = 1

Value = TypeVar("Value")


def _with_values(records: tuple[SlotRecord, ...]) -> tuple[SlotRecord, ...]:
    if any(not record.rrset.values and record.rrset.alias is None for record in records):
        raise ValueError("a record without values")
    return records


Records = Annotated[tuple[SlotRecord, ...], Field(min_length=1), AfterValidator(_with_values)]
"""The record resources of one hostname."""

# A key that is not known is a broken memory, not a memory without that key.
_CONFIG = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMemory:
    """One endpoint record set as last declared; `published` maps each hostname to its record resources.

    `domains` are the domains of the zones of these records, `views` their visibilities, by the zone's key. `owners` are
    what stands for this stack in ownership markers, and what stood for it before.
    """

    __pydantic_config__ = _CONFIG

    source: Source
    targets: tuple[Target, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    published: Mapping[str, Records] = field(default_factory=dict)
    domains: Mapping[str, str] = field(default_factory=dict)
    views: Mapping[str, Visibility] = field(default_factory=dict)
    owners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InviteMemory:
    """The invite of a tunnel as last seen: the id is empty while the hub has issued none.

    `generation` and `fixed` are what it was made with; another value of either means that this run replaces the invite.
    With `retain` it stays on the hub when its tunnel leaves. `asked` are the hostnames that this stack has put on it,
    None where that is not known: then all of them count as its own.
    """

    invite_id: str
    generation: int
    fixed: "FixedOnHub"
    refused: tuple[str, ...] = ()
    retain: bool = False
    asked: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedOnHub:
    """What the hub never changes on an invite: regions in upper case, life in seconds (0: it never ends)."""

    region: str = "EU"
    failover_regions: tuple[str, ...] = ()
    expires_in_secs: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceMemory:
    """The HTTPRoute that a service has declared; the UID is empty while the cluster has not been read since.

    `port` is that of the Service which it sends to.
    """

    __pydantic_config__ = _CONFIG

    uid: str
    hostnames: tuple[str, ...]
    port: int = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterMemory:
    """The register of publishers in force, as sorted texts; `before` is that until its last change, None at first."""

    __pydantic_config__ = _CONFIG

    entries: tuple[str, ...]
    before: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesMemory:
    """The ingress rules that this stack has declared, which no refresh rewrites.

    `former` are earlier ones that Cloudflare still held when `declared` were to replace them, which may have failed.
    """

    __pydantic_config__ = _CONFIG

    declared: tuple[IngressRule, ...] = ()
    former: tuple[IngressRule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudflareTunnelMemory:
    """A Cloudflare tunnel as last declared; without a rule its ingress list was never written."""

    __pydantic_config__ = _CONFIG

    account_id: str
    tunnel_id: str
    name: str
    rules: RulesMemory = RulesMemory()


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Everything remembered: sets by the Pulumi name of their component, invites by `<namespace>/<tunnel>`.

    `tunnels` are those at Cloudflare, by `<namespace>/<name>` too, `services` the routes of services by
    `<cluster>/<namespace>/<name>`, `agents` the ids of the agents of tunnels, of the same form.
    `slots` holds every record resource that exists, by slot, also those that no set remembers any more. `register` is
    None until `exposure.publishers` was `listed` once.
    """

    __pydantic_config__ = _CONFIG

    version: int = VERSION
    sets: Mapping[str, SetMemory] = field(default_factory=dict)
    invites: Mapping[str, InviteMemory] = field(default_factory=dict)
    tunnels: Mapping[str, CloudflareTunnelMemory] = field(default_factory=dict)
    slots: Mapping[str, RRset] = field(default_factory=dict)
    services: Mapping[str, ServiceMemory] = field(default_factory=dict)
    register: RegisterMemory | None = None
    agents: tuple[str, ...] = ()


@cache
def _memory_adapter() -> TypeAdapter[Memory]:
    return TypeAdapter(Memory)


@cache
def _rules_adapter() -> TypeAdapter[RulesMemory]:
    return TypeAdapter(RulesMemory)


@cache
def _set_adapter() -> TypeAdapter[SetMemory]:
    return TypeAdapter(SetMemory)


def encode(memory: Memory) -> object:
    """Return the memory as JSON values, the same for the same memory in whatever order it was given."""
    in_order = replace(
        memory,
        sets={
            name: replace(one, published=_sorted(one.published), domains=_sorted(one.domains), views=_sorted(one.views))
            for name, one in _sorted(memory.sets).items()
        },
        invites=_sorted(memory.invites),
        tunnels=_sorted(memory.tunnels),
        slots=_sorted(memory.slots),
        services=_sorted(memory.services),
    )
    return _memory_adapter().dump_python(in_order, mode="json")


def _sorted(values: Mapping[str, Value]) -> Mapping[str, Value]:
    return dict(sorted(values.items(), key=lambda item: item[0]))


def encode_set(memory: SetMemory) -> str:
    """Return the memory of one set as JSON text with its version: a single plain output of its component."""
    return json.dumps({"version": VERSION, **_set_adapter().dump_python(memory, mode="json")})


def encode_rules(memory: RulesMemory) -> str:
    """Return the memory of a tunnel's ingress rules as JSON text with its version, as that of a set."""
    return json.dumps({"version": VERSION, **_rules_adapter().dump_python(memory, mode="json")})


def decode(data: object) -> Memory:
    """Read the memory from JSON values; raises ObservationFailed when they are not a memory of this version.

    An empty object is none: without a memory there is nothing to guard.
    """
    values = _of_this_version(data)
    if missing := {"sets", "invites"} - values.keys():
        raise ObservationFailed(f"the memory is broken: it has no {' and no '.join(sorted(missing))}")
    try:
        return _memory_adapter().validate_python(values)
    except ValidationError as error:
        raise ObservationFailed(_first(error)) from None


def decode_set(text: str) -> SetMemory:
    """Read the memory of one set from JSON text; raises ObservationFailed when it is broken."""
    return _decode_text(text, _set_adapter(), "an endpoint record set")


def decode_rules(text: str) -> RulesMemory:
    """Read the memory of a tunnel's ingress rules from JSON text; raises ObservationFailed when it is broken."""
    return _decode_text(text, _rules_adapter(), "a Cloudflare tunnel")


def _decode_text(text: str, adapter: TypeAdapter[Value], of: str) -> Value:
    try:
        values = _of_this_version(load_json(text))
        return adapter.validate_python({key: value for key, value in values.items() if key != "version"})
    except ValidationError as error:
        raise ObservationFailed(_first(error)) from None
    except (ValueError, RecursionError):
        raise ObservationFailed(f"the memory of {of} is not JSON") from None


def _of_this_version(data: object) -> dict[str, object]:
    if not isinstance(data, dict):
        raise ObservationFailed("the memory is not an object")
    if "version" not in data:
        raise ObservationFailed(
            "this is no memory: it has no version; give what `pulumi stack export` prints, a whole earlier output of "
            "`plan --json`, or its memory object, and for a first run leave the memory out"
        )
    if data["version"] != VERSION:
        raise ObservationFailed(f"the memory has version {data['version']!r}, this program reads version {VERSION}")
    return data


def _first(error: ValidationError) -> str:
    details = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in details["loc"])
    return f"the memory is broken at {place or 'its start'}: {details['msg']}"
