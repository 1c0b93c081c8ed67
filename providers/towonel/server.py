"""The gRPC server of the plugin: what the SDK's own server lacks.

The SDK's servicer does not pass `refresh_before_update` on, and turns every exception into a message with a traceback.
"""

import traceback
from collections.abc import Awaitable
from typing import NoReturn, TypeAlias, TypeVar

import grpc
from google.protobuf.empty_pb2 import Empty
from pulumi.provider.experimental import server
from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.provider.experimental.provider import PropertyDiffKind
from pulumi.runtime.proto import engine_pb2, provider_pb2, status_pb2

from edge_dns.hub import HubError
from edge_dns.hub.errors import scrub
from providers.towonel.detail import changed_paths
from providers.towonel.engine_log import EngineLog
from providers.towonel.errors import PartialWrite, PluginError
from providers.towonel.provider import VERSION, TowonelProvider
from providers.towonel.values import plain_map, property_map

T = TypeVar("T")
_Live = TypeVar("_Live", provider_pb2.CreateResponse, provider_pb2.UpdateResponse, provider_pb2.ReadResponse)
Context: TypeAlias = "grpc.aio.ServicerContext[object, object]"

_KINDS = {kind: provider_pb2.PropertyDiff.Kind.Value(kind.name) for kind in PropertyDiffKind}


class TowonelServicer(server.ProviderServicer):
    """The SDK's servicer with `refresh_before_update` on every resource, and errors of one message each."""

    def __init__(self, args: list[str], version: str, provider: TowonelProvider, engine_address: str) -> None:
        super().__init__(args, version, provider, engine_address)
        self._engine = provider.engine
        self._engine.connect(engine_address)

    async def CheckConfig(self, request: provider_pb2.CheckRequest, context: Context) -> provider_pb2.CheckResponse:  # noqa: N802
        """See TowonelProvider.check_config."""
        return await self._clean(super().CheckConfig(request, context), context)

    async def Configure(  # noqa: N802
        self, request: provider_pb2.ConfigureRequest, context: Context
    ) -> provider_pb2.ConfigureResponse:
        """See TowonelProvider.configure."""
        return await self._clean(super().Configure(request, context), context)

    async def Check(self, request: provider_pb2.CheckRequest, context: Context) -> provider_pb2.CheckResponse:  # noqa: N802
        """See TowonelProvider.check."""
        return await self._clean(super().Check(request, context), context)

    async def Diff(self, request: provider_pb2.DiffRequest, context: Context) -> provider_pb2.DiffResponse:  # noqa: N802
        """See TowonelProvider.diff."""
        response: provider_pb2.DiffResponse = await self._clean(super().Diff(request, context), context)
        # The old inputs reach the servicer only: the SDK's request to the provider is without them.
        old, new = (plain_map(PropertyValue.unmarshal_map(raw)) for raw in (request.old_inputs, request.news))
        for path, kind in changed_paths(old, new, response.diffs, replaces=response.replaces).items():
            response.detailedDiff[path].CopyFrom(provider_pb2.PropertyDiff(kind=_KINDS[kind], inputDiff=True))
        return response

    async def Create(self, request: provider_pb2.CreateRequest, context: Context) -> provider_pb2.CreateResponse:  # noqa: N802
        """See TowonelProvider.create."""
        response: provider_pb2.CreateResponse = await self._clean(super().Create(request, context), context)
        return _refreshed(response)

    async def Update(self, request: provider_pb2.UpdateRequest, context: Context) -> provider_pb2.UpdateResponse:  # noqa: N802
        """See TowonelProvider.update."""
        response: provider_pb2.UpdateResponse = await self._clean(super().Update(request, context), context)
        return _refreshed(response)

    async def Read(self, request: provider_pb2.ReadRequest, context: Context) -> provider_pb2.ReadResponse:  # noqa: N802
        """See TowonelProvider.read."""
        response: provider_pb2.ReadResponse = await self._clean(super().Read(request, context), context)
        return _refreshed(response)

    async def Delete(self, request: provider_pb2.DeleteRequest, context: Context) -> Empty:  # noqa: N802
        """See TowonelProvider.delete."""
        return await self._clean(super().Delete(request, context), context)

    async def _clean(self, answer: Awaitable[T], context: Context) -> T:
        try:
            return await answer
        except Exception as wrapped:  # noqa: BLE001 - whatever it is, the user gets one message
            # The SDK raises an exception of its own, with a traceback for a message, from within its handler.
            await self._abort(wrapped.__context__ or wrapped, context)

    async def _abort(self, error: BaseException, context: Context) -> NoReturn:
        if isinstance(error, PartialWrite):
            await context.abort(grpc.StatusCode.UNKNOWN, str(error), _partial_write(error))
        if isinstance(error, HubError | PluginError):
            await context.abort(grpc.StatusCode.UNKNOWN, str(error))
        self._engine.send(engine_pb2.DEBUG, "".join(traceback.format_tb(error.__traceback__)))
        bug = f"a bug in the towonel plugin: {type(error).__name__}: {scrub(str(error))} (traceback: run with --debug)"
        await context.abort(grpc.StatusCode.INTERNAL, bug)


def _refreshed(response: _Live) -> _Live:
    # The engine then reads the resource at every preview and update, so that drift on the hub shows.
    response.refresh_before_update = True
    return response


def _partial_write(error: PartialWrite) -> tuple[tuple[str, bytes]]:
    """The trailing metadata with which the engine keeps the outputs of a step that failed half-way."""
    outputs = property_map(error.outputs, secret=error.secret_outputs)
    failed = provider_pb2.ErrorResourceInitFailed(
        id=error.resource_id,
        properties=PropertyValue.marshal_map(outputs),
        reasons=[str(error)],
        refresh_before_update=True,
    )
    status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=str(error))
    status.details.add().Pack(failed)
    return (("grpc-status-details-bin", status.SerializeToString()),)


def serve(args: list[str]) -> None:
    """Serve the plugin until the engine ends it."""
    # The only place where the SDK is bent: its main builds the servicer by this module-level name.
    server.ProviderServicer = TowonelServicer  # type: ignore[misc,assignment] # replaced on purpose
    server.main(args, VERSION, TowonelProvider(EngineLog()))
