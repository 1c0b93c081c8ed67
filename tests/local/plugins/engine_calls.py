"""Calls a light plugin's gRPC methods with the messages that the engine sends, without a server between."""

from typing import Any, NoReturn, cast

import grpc
from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto import provider_pb2

from local.plugins.properties import from_struct, to_struct
from local.plugins.provider import Provider
from local.plugins.server import ProviderServicer


class AbortedError(Exception):
    """The error that the engine would show."""


class _Context:
    def abort(self, code: grpc.StatusCode, details: str) -> NoReturn:
        assert code is grpc.StatusCode.UNKNOWN
        raise AbortedError(details)


class EngineCalls:
    """One configured plugin; properties go in and come out as plain dicts. Calls are about its main resource type,
    unless another one is given."""

    def __init__(self, provider: Provider, settings: dict[str, Any], resource_type: str | None = None) -> None:
        self._servicer = ProviderServicer(provider)
        self._context = cast("grpc.ServicerContext", _Context())
        self._urn = f"urn:pulumi:s::p::{resource_type or provider.resource_type}::r"
        self._servicer.Configure(provider_pb2.ConfigureRequest(args=to_struct(settings)), self._context)

    def version(self) -> str:
        return self._servicer.GetPluginInfo(Empty(), self._context).version

    def check(self, inputs: dict[str, Any], resource_type: str | None = None) -> list[str]:
        urn = f"urn:pulumi:s::p::parent${resource_type}::r" if resource_type else self._urn
        response = self._servicer.Check(provider_pb2.CheckRequest(urn=urn, news=to_struct(inputs)), self._context)
        assert from_struct(response.inputs) == inputs
        return [failure.property for failure in response.failures]

    def create(self, inputs: dict[str, Any], *, preview: bool = False) -> tuple[str, dict[str, Any]]:
        request = provider_pb2.CreateRequest(urn=self._urn, properties=to_struct(inputs), preview=preview)
        response = self._servicer.Create(request, self._context)
        return response.id, from_struct(response.properties)

    def diff(self, old: dict[str, Any], outputs: dict[str, Any], new: dict[str, Any]) -> tuple[list[str], list[str]]:
        request = provider_pb2.DiffRequest(
            urn=self._urn, old_inputs=to_struct(old), olds=to_struct(outputs), news=to_struct(new)
        )
        response = self._servicer.Diff(request, self._context)
        assert response.changes == (2 if response.diffs else 1)
        return list(response.diffs), list(response.replaces)

    def update(
        self, resource_id: str, outputs: dict[str, Any], inputs: dict[str, Any], *, preview: bool = False
    ) -> dict[str, Any]:
        request = provider_pb2.UpdateRequest(
            id=resource_id, urn=self._urn, olds=to_struct(outputs), news=to_struct(inputs), preview=preview
        )
        return from_struct(self._servicer.Update(request, self._context).properties)

    def read(
        self, resource_id: str, outputs: dict[str, Any] | None = None, inputs: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any], dict[str, Any]]:
        request = provider_pb2.ReadRequest(
            id=resource_id, urn=self._urn, properties=to_struct(outputs or {}), inputs=to_struct(inputs or {})
        )
        response = self._servicer.Read(request, self._context)
        return response.id, from_struct(response.properties), from_struct(response.inputs)

    def delete(self, resource_id: str, outputs: dict[str, Any]) -> None:
        request = provider_pb2.DeleteRequest(id=resource_id, urn=self._urn, properties=to_struct(outputs))
        self._servicer.Delete(request, self._context)

    def invoke(self, token: str, arguments: dict[str, Any]) -> dict[str, Any]:
        response = self._servicer.Invoke(
            provider_pb2.InvokeRequest(tok=token, args=to_struct(arguments)), self._context
        )
        return from_struct(getattr(response, "return"))
