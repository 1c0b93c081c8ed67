"""Lookups of the provider plugins through the engine, with a time limit and from any thread."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version

import grpc
import pulumi
from google.protobuf.struct_pb2 import Struct, Value
from pulumi.runtime.proto.resource_pb2 import ResourceInvokeRequest
from pulumi.runtime.rpc import UNKNOWN
from pulumi.runtime.settings import get_monitor
from pulumi.runtime.sync_await import _sync_await

from edge_dns.core.live import Answer
from edge_dns.core.settings import Zone
from edge_dns.core.zones import zone_key
from edge_dns.observe.cloudflare_tunnels import GET_CONFIG, GET_TUNNELS
from edge_dns.observe.live_zones import (
    GET_DNS_RECORDS,
    GET_HOSTED_ZONE,
    GET_RECORDS,
    GET_ZONE,
    LookupFailed,
    readable,
)

_RESULTS = {GET_DNS_RECORDS: "results", GET_RECORDS: "resourceRecordSets", GET_TUNNELS: "results"}
_FIELDS = {
    GET_TUNNELS: ("id", "name", "deletedAt", "configSrc"),
    GET_DNS_RECORDS: ("id", "name", "type", "content", "ttl", "proxied", "comment", "priority"),
    GET_RECORDS: ("name", "type", "ttl", "resourceRecords", "aliasTarget", "setIdentifier"),
}
_SINGLE = {GET_ZONE: ("name", "account"), GET_HOSTED_ZONE: ("privateZone",), GET_CONFIG: ("config",)}

ProviderOf = Callable[[Zone], pulumi.ProviderResource | None]
"""Returns the provider of a zone with credentials of its own, None for the stack's default."""


class EngineLookups:
    """A `live_zones.Lookup`. It is made in the program's own thread, since it registers providers of zones.

    The SDK's own invoke belongs to the event loop and cannot be given up, so the engine is asked without it.
    """

    def __init__(self, zones: Iterable[Zone], provider_of: ProviderOf) -> None:
        self._monitor = get_monitor()
        self._references = {zone_key(zone): _reference(provider_of(zone)) for zone in readable(zones)}

    def __call__(self, zone: Zone, token: str, arguments: Mapping[str, str | int], seconds: float) -> Sequence[Answer]:
        """Return the records that the lookup finds; raises LookupFailed."""
        return self._ask(self._references[zone_key(zone)], token, arguments, seconds)

    def of_stack(self, token: str, arguments: Mapping[str, str | int], seconds: float) -> Sequence[Answer]:
        """Return what the lookup finds with the stack's own provider; raises LookupFailed."""
        return self._ask("", token, arguments, seconds)

    def _ask(self, reference: str, token: str, arguments: Mapping[str, str | int], seconds: float) -> Sequence[Answer]:
        inputs = Struct()
        inputs.update(arguments)
        # With the version that the SDK's resources ask for: another one would be another default provider.
        package = token.partition(":")[0]
        request = ResourceInvokeRequest(
            tok=token, args=inputs, provider=reference, version=version(f"pulumi-{package}")
        )
        if self._monitor is None:
            raise LookupFailed("there is no engine to ask")
        started = time.monotonic()
        try:
            response = self._monitor.Invoke(request, timeout=seconds)
        except grpc.RpcError as error:
            raise LookupFailed(_problem(error, seconds, time.monotonic() - started)) from None
        if response.failures:
            raise LookupFailed("; ".join(failure.reason for failure in response.failures))
        return _answers(token, getattr(response, "return").fields)


def _reference(provider: pulumi.ProviderResource | None) -> str:
    """Return what the engine knows a provider by, empty for the default one."""
    if provider is None:
        return ""
    # What the SDK's own blocking invoke waits with; there is no public way.
    urn, provider_id = _sync_await(provider.urn.future()), _sync_await(provider.id.future())
    return f"{urn}::{provider_id or UNKNOWN}"


def _problem(error: grpc.RpcError, seconds: float, elapsed: float) -> str:
    # The engine knows the deadline too, and may drop the call a moment before we do.
    if error.code() == grpc.StatusCode.DEADLINE_EXCEEDED or elapsed > seconds - 1:
        return f"no answer within {seconds:g} seconds"
    return str(error.details()).rpartition("returned an error: ")[2]


def _answers(token: str, fields: Mapping[str, Value]) -> list[Answer]:
    """Return of each record the fields that are used, since a large zone has many others; of a single thing too."""
    if token in _SINGLE:
        return [{name: _plain(fields[name]) for name in _SINGLE[token] if name in fields}]
    key = _RESULTS[token]
    if key not in fields or fields[key].WhichOneof("kind") != "list_value":
        raise LookupFailed(f"the answer holds no list of {key}")
    wanted = _FIELDS[token]
    records = (item.struct_value.fields for item in fields[key].list_value.values)
    return [{name: _plain(record[name]) for name in wanted if name in record} for record in records]


def _plain(value: Value) -> object:
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return {name: _plain(one) for name, one in value.struct_value.fields.items()}
    if kind == "list_value":
        return [_plain(one) for one in value.list_value.values]
    return None if kind is None or kind == "null_value" else getattr(value, kind)
