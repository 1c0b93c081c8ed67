"""Reads this stack's own last state through the engine: the memory of the program, and which records it owns.

The engine hands out secrets decrypted here, so nothing of what is read may be printed, logged or exported.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from edge_dns.core.cloudflare_view import is_unknown_target
from edge_dns.core.endpoint_entries import uid_of
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.json_values import whole_of
from edge_dns.core.live import cloudflare_import_id, normal_name, route53_import_id
from edge_dns.core.markers import owners_in
from edge_dns.core.memory import (
    CloudflareTunnelMemory,
    FixedOnHub,
    InviteMemory,
    Memory,
    RegisterMemory,
    RulesMemory,
    ServiceMemory,
    SetMemory,
    decode_rules,
    decode_set,
)
from edge_dns.core.resource_types import (
    CLOUDFLARE_RECORD,
    CLOUDFLARE_TUNNEL,
    CLOUDFLARE_TUNNEL_COMPONENT,
    CLOUDFLARE_TUNNEL_CONFIG,
    DNS_ENDPOINT,
    ENDPOINT_RECORD_SET,
    HTTP_ROUTE,
    INVITE,
    PUBLISHER_REGISTER,
    ROUTE53_RECORD,
    SERVICE_ROUTE,
    TUNNEL_AGENT,
)
from edge_dns.core.slots import plain_slot
from edge_dns.core.state_records import RECORDS, state_records, text_of
from edge_dns.core.tunnels import DEFAULT_REGION
from edge_dns.core.values import SlotRecord
from edge_dns.observe.telling import Tell, silent

Outputs = Mapping[str, Mapping[str, object]]
"""The outputs of each resource by URN."""

_ATTEMPTS = 5
_PAUSE_SECONDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnState:
    """The memory, the import id of each record resource by slot (ownership markers included), and all URNs.

    `announced` are the plain slots of the names that the record sets were about to declare, whether they exist or not
    (see `Live`). `objects` are the UIDs of the DNSEndpoints by their Pulumi names.
    """

    memory: Memory
    import_ids: Mapping[str, str]
    announced: frozenset[str] | None
    urns: frozenset[str] = frozenset()
    objects: Mapping[str, str] = field(default_factory=dict)


def read_own_state(stack: str, *, tell: Tell = silent, sleep: Callable[[float], None] = time.sleep) -> OwnState:
    """Return what the stack `<organization>/<project>/<stack>` remembers; call it before the first registration.

    `tell` gets progress lines.

    On the first update of a new stack the engine sometimes cannot read its own new checkpoint yet, so it is asked a few
    times. Raises ObservationFailed when it cannot be read or does not make sense.
    """
    tell("reading the last state")
    problem = ""
    for _ in range(_ATTEMPTS):
        try:
            outputs = _invoke(stack)
            return OwnState(
                memory=memory_of(outputs),
                import_ids=import_ids_of(outputs),
                announced=announced_in(outputs),
                urns=frozenset(outputs),
                objects=endpoints_of(outputs),
            )
        except RuntimeError as error:
            problem = str(error)
            sleep(_PAUSE_SECONDS)
    raise ObservationFailed(f"the stack's own last state cannot be read: {problem}")


def endpoints_of(outputs: Outputs) -> Mapping[str, str]:
    """Return the UIDs of the DNSEndpoints of a state by their Pulumi names, empty where it knows none."""
    return {_name(urn): uid_of(values) for urn, values in outputs.items() if _type(urn) == DNS_ENDPOINT}


def _invoke(stack: str) -> Outputs:
    import pulumi  # noqa: PLC0415 - the memory's rules above are tested without the engine

    try:
        answer = pulumi.runtime.invoke("pulumi:pulumi:readStackResourceOutputs", {"stackName": stack}).value
    except Exception as error:  # noqa: BLE001 - the SDK raises plain Exception for an invoke that failed
        raise RuntimeError(str(error)) from None
    resources = (answer or {}).get("outputs")
    if not isinstance(resources, Mapping):
        raise ObservationFailed("the stack's own last state cannot be read: the engine's answer holds no outputs")
    return {urn: _outputs(resource) for urn, resource in resources.items()}


def _outputs(resource: object) -> Mapping[str, object]:
    """Return the outputs of one resource of the answer, which holds them beside the resource's type."""
    outputs = resource.get("outputs") if isinstance(resource, Mapping) else None
    if not isinstance(outputs, Mapping):
        raise ObservationFailed("the stack's own last state cannot be read: the engine's answer has another form")
    return outputs


def memory_of(outputs: Outputs) -> Memory:
    """Return the memory that the resources of a state hold. Raises ObservationFailed when it is broken.

    A set's records count as published only where the record resource exists: a set remembers what it is about to
    declare, and its records may have failed. Existing records that no set remembers any more keep their slot.
    """
    resources = [(_type(urn), _name(urn), values) for urn, values in outputs.items()]
    slots = {
        slot: rrset for kind, name, values in resources for slot, rrset in state_records(kind, name, values).items()
    }
    by_name: dict[str, list[SlotRecord]] = {}
    for slot, rrset in sorted(slots.items()):
        by_name.setdefault(plain_slot(slot), []).append(SlotRecord(slot=slot, rrset=rrset))
    sets = {name: _existing(remembered, by_name) for name, remembered in _sets(outputs).items()}
    if not any(one.owners for one in sets.values()):
        sets = {name: replace(one, owners=_sole_owner(resources)) for name, one in sets.items()}
    return Memory(
        sets=sets,
        invites={name: _invite(values) for kind, name, values in resources if kind == INVITE},
        tunnels=_cloudflare_tunnels(resources),
        slots=slots,
        services={_name(urn): _route(values) for urn, values in outputs.items() if _is_service_route(urn)},
        register=_register(resources),
        agents=tuple(sorted(name for kind, name, _ in resources if kind == TUNNEL_AGENT)),
    )


def _cloudflare_tunnels(
    resources: Sequence[tuple[str, str, Mapping[str, object]]],
) -> dict[str, CloudflareTunnelMemory]:
    # The rules in the state are those of the last refresh, whoever made them.
    written = {name for kind, name, _ in resources if kind == CLOUDFLARE_TUNNEL_CONFIG}
    rules = {
        name: decode_rules(_memory_text(values, "a Cloudflare tunnel"))
        for kind, name, values in resources
        if kind == CLOUDFLARE_TUNNEL_COMPONENT and name in written and values
    }
    return {
        name: CloudflareTunnelMemory(
            account_id=text_of(values, "accountId"),
            tunnel_id=text_of(values, "id"),
            name=text_of(values, "name"),
            rules=rules.get(name, RulesMemory()),
        )
        for kind, name, values in resources
        if kind == CLOUDFLARE_TUNNEL
    }


def announced_in(outputs: Outputs) -> frozenset[str]:
    """Return the plain slots of the names that the record sets of a state were about to declare."""
    return frozenset(
        plain_slot(records[0].slot)
        for remembered in _sets(outputs).values()
        for records in remembered.published.values()
        if records
    )


def import_ids_of(outputs: Outputs) -> dict[str, str]:
    """Return the import id of each record resource by its name. Raises ObservationFailed when a part of it is missing.

    At Cloudflare it holds the id that the record got; at Route 53 name and type are what identifies an RRset.
    """
    resources = [(_type(urn), _name(urn), values) for urn, values in outputs.items()]
    cloudflare = {
        name: cloudflare_import_id(text_of(values, "zoneId"), text_of(values, "id"))
        for kind, name, values in resources
        if kind == CLOUDFLARE_RECORD
    }
    route53 = {
        name: route53_import_id(
            text_of(values, "zoneId"), normal_name(text_of(values, "name")), text_of(values, "type")
        )
        for kind, name, values in resources
        if kind == ROUTE53_RECORD
    }
    return cloudflare | route53


def _type(urn: str) -> str:
    return urn.split("::", 3)[2].rpartition("$")[2]


def _name(urn: str) -> str:
    return urn.split("::", 3)[3]


def _sets(outputs: Outputs) -> dict[str, SetMemory]:
    return {
        _name(urn): decode_set(_memory_text(values, "an endpoint record set"))
        for urn, values in outputs.items()
        if _type(urn) == ENDPOINT_RECORD_SET and values
    }


def _memory_text(values: Mapping[str, object], of: str) -> str:
    """Return the memory of a component. One that a crash kept from registering its outputs has none of them at all."""
    text = values.get("memory")
    if not isinstance(text, str):
        raise ObservationFailed(f"the memory of {of} is not a text")
    return text


def _sole_owner(resources: Iterable[tuple[str, str, Mapping[str, object]]]) -> tuple[str, ...]:
    """Return the owner that the markers of a state name, for sets that do not tell, as those of earlier versions.

    Nobody where they name several: a refresh has brought those of others into the state.
    """
    texts = (
        text
        for kind, _, values in resources
        if kind in RECORDS
        for text in (values.get("comment"), *(_texts(values.get("records")) or ()))
    )
    owners = {*owners_in(text for text in texts if isinstance(text, str))}
    return tuple(owners) if len(owners) == 1 else ()


def _existing(remembered: SetMemory, by_name: Mapping[str, Sequence[SlotRecord]]) -> SetMemory:
    """Keep the records that exist, which are given by plain slot.

    Where a crash came before the rename of a slot, the name is still in its old one.
    """
    published = {
        hostname: existing
        for hostname, records in remembered.published.items()
        if (existing := _of_name(records, by_name.get(plain_slot(records[0].slot), ())))
    }
    return replace(remembered, published=published)


def _of_name(remembered: Iterable[SlotRecord], existing: Sequence[SlotRecord]) -> tuple[SlotRecord, ...]:
    slots = {record.slot: record.rrset for record in existing}
    kept = (record for record in remembered if record.slot in slots)
    # The run that made the tunnel did not know its id yet.
    return tuple(
        replace(record, rrset=slots[record.slot]) if any(map(is_unknown_target, record.rrset.values)) else record
        for record in kept
    ) or tuple(existing)


def _register(resources: Iterable[tuple[str, str, Mapping[str, object]]]) -> RegisterMemory | None:
    """Return the register of publishers; one that has no entries in the state is broken, not empty."""
    for kind, _, values in resources:
        if kind == PUBLISHER_REGISTER and values:
            entries, before = _texts(values.get("entries")), _texts(values.get("before"))
            if entries is None:
                raise ObservationFailed("the memory of the register of publishers has no list of entries")
            return RegisterMemory(entries=entries, before=before)
    return None


def _invite(values: Mapping[str, object]) -> InviteMemory:
    if not values:
        raise ObservationFailed("the stack's own last state holds an invite without outputs")
    invite_id = values.get("inviteId")
    failover = values.get("failoverRegions")
    return InviteMemory(
        invite_id=invite_id if isinstance(invite_id, str) else "",
        generation=whole_of(values.get("generation")) or 1,
        fixed=FixedOnHub(
            region=str(values.get("requestedRegion") or DEFAULT_REGION),
            failover_regions=tuple(map(str, failover)) if isinstance(failover, list) else (),
            expires_in_secs=whole_of(values.get("expiresInSecs")) or 0,
        ),
        refused=tuple(_refused(values.get("refused"))),
        retain=values.get("deletionPolicy") == "Retain",
        asked=_texts(values.get("asked")),
    )


def _is_service_route(urn: str) -> bool:
    return urn.split("::", 3)[2] == f"{SERVICE_ROUTE}${HTTP_ROUTE}"


def _route(values: Mapping[str, object]) -> ServiceMemory:
    metadata, spec = values.get("metadata"), values.get("spec")
    if not isinstance(metadata, Mapping) or not isinstance(spec, Mapping):
        raise ObservationFailed("the stack's own last state holds an HTTPRoute without metadata or spec")
    return ServiceMemory(
        uid=str(metadata.get("uid") or ""), hostnames=_texts(spec.get("hostnames")) or (), port=_port(spec)
    )


def _port(spec: Mapping[str, object]) -> int:
    """Return the port that a route of this stack sends to. What a refresh has found there may have another form."""
    try:
        backend = spec["rules"][0]["backendRefs"][0]  # type: ignore[index]
        return whole_of(backend["port"]) or 80
    except (KeyError, IndexError, TypeError):
        return 80


def _texts(value: object) -> tuple[str, ...] | None:
    return tuple(map(str, value)) if isinstance(value, list) else None


def _refused(value: object) -> Iterable[str]:
    for item in value if isinstance(value, list) else ():
        if isinstance(item, Mapping) and isinstance(hostname := item.get("hostname"), str):
            yield hostname
