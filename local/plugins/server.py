"""A Provider as a Pulumi plugin: the gRPC service `pulumirpc.ResourceProvider` and the process around it."""

# ruff: noqa: N802 - the methods are named by the protocol

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from typing import Final, NoReturn, ParamSpec, TypeVar

import grpc
from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from local.plugins.properties import from_struct, is_unknown, to_struct, with_secrets
from local.plugins.provider import Diff, Provider, ProviderError, ResourceType

_P = ParamSpec("_P")
_R = TypeVar("_R")
_MAX_MESSAGE_BYTES: Final = 400 * 1024 * 1024  # the engine's own limit
_WORKERS: Final = 16
_PARENT_POLL_SECONDS: Final = 1.0


class ProviderServicer(provider_pb2_grpc.ResourceProviderServicer):
    """Translates the engine's calls for `provider`; an error reaches the user without a traceback."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    def GetPluginInfo(self, request: Empty, context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:
        """The version of the Python SDK, which the engine asks for."""
        return plugin_pb2.PluginInfo(version=version(f"pulumi-{self._provider.package}"))

    def GetSchema(
        self, request: provider_pb2.GetSchemaRequest, context: grpc.ServicerContext
    ) -> provider_pb2.GetSchemaResponse:
        """A schema with nothing in it: the SDKs are generated from the official one."""
        sdk_version = version(f"pulumi-{self._provider.package}")
        return provider_pb2.GetSchemaResponse(
            schema=f'{{"name": "{self._provider.package}", "version": "{sdk_version}"}}'
        )

    def CheckConfig(
        self, request: provider_pb2.CheckRequest, context: grpc.ServicerContext
    ) -> provider_pb2.CheckResponse:
        """Any settings pass, to be judged at their first use; credentials become secrets, so that the state is safe."""
        return provider_pb2.CheckResponse(inputs=with_secrets(request.news, self._provider.secret_settings))

    def DiffConfig(self, request: provider_pb2.DiffRequest, context: grpc.ServicerContext) -> provider_pb2.DiffResponse:
        """Changed settings update the provider and replace nothing."""
        old, new = from_struct(request.olds), from_struct(request.news)
        return _diff_response(Diff(changed=tuple(sorted(k for k in old | new if old.get(k) != new.get(k)))))

    def Configure(
        self, request: provider_pb2.ConfigureRequest, context: grpc.ServicerContext
    ) -> provider_pb2.ConfigureResponse:
        """Take the settings that are known; at preview some may not be."""
        settings = {key: value for key, value in from_struct(request.args).items() if not is_unknown(value)}
        _shown(context, self._provider.configure, settings)
        return provider_pb2.ConfigureResponse(supportsPreview=True, acceptSecrets=False, acceptResources=False)

    def Check(self, request: provider_pb2.CheckRequest, context: grpc.ServicerContext) -> provider_pb2.CheckResponse:
        """Inputs pass as they are."""
        failures = _shown(context, self._of_type(request.urn, context).check, from_struct(request.news))
        return provider_pb2.CheckResponse(
            inputs=request.news,
            failures=[provider_pb2.CheckFailure(property=f.property, reason=f.reason) for f in failures],
        )

    def Diff(self, request: provider_pb2.DiffRequest, context: grpc.ServicerContext) -> provider_pb2.DiffResponse:
        """What would change; the engine has put the old values of `ignore_changes` into the inputs."""
        diff = self._of_type(request.urn, context).diff(
            old_inputs=from_struct(request.old_inputs),
            old_outputs=from_struct(request.olds),
            inputs=from_struct(request.news),
        )
        return _diff_response(diff)

    def Create(self, request: provider_pb2.CreateRequest, context: grpc.ServicerContext) -> provider_pb2.CreateResponse:
        """Create, or predict at preview."""
        inputs = from_struct(request.properties)
        state = _shown(context, self._of_type(request.urn, context).create, inputs, preview=request.preview)
        return provider_pb2.CreateResponse(id=state.id, properties=to_struct(state.outputs))

    def Read(self, request: provider_pb2.ReadRequest, context: grpc.ServicerContext) -> provider_pb2.ReadResponse:
        """Refresh or import; an empty id says that the resource is gone."""
        state = _shown(
            context,
            self._of_type(request.urn, context).read,
            request.id,
            old_inputs=from_struct(request.inputs),
            old_outputs=from_struct(request.properties),
        )
        if state is None:
            return provider_pb2.ReadResponse()
        return provider_pb2.ReadResponse(
            id=state.id, properties=to_struct(state.outputs), inputs=to_struct(state.inputs)
        )

    def Update(self, request: provider_pb2.UpdateRequest, context: grpc.ServicerContext) -> provider_pb2.UpdateResponse:
        """Change in place, or predict at preview."""
        outputs = _shown(
            context,
            self._of_type(request.urn, context).update,
            request.id,
            old_outputs=from_struct(request.olds),
            inputs=from_struct(request.news),
            preview=request.preview,
        )
        return provider_pb2.UpdateResponse(properties=to_struct(outputs))

    def Delete(self, request: provider_pb2.DeleteRequest, context: grpc.ServicerContext) -> Empty:
        """Delete."""
        _shown(context, self._of_type(request.urn, context).delete, request.id, from_struct(request.properties))
        return Empty()

    def Invoke(self, request: provider_pb2.InvokeRequest, context: grpc.ServicerContext) -> provider_pb2.InvokeResponse:
        """Answer a lookup."""
        result = _shown(context, self._provider.invoke, request.tok, from_struct(request.args))
        response = provider_pb2.InvokeResponse()
        getattr(response, "return").CopyFrom(to_struct(result))
        return response

    def Cancel(self, request: Empty, context: grpc.ServicerContext) -> Empty:
        """Nothing to stop: each call is short."""
        return Empty()

    def _of_type(self, urn: str, context: grpc.ServicerContext) -> ResourceType:
        resource_type = urn.split("::")[2].rpartition("$")[2] if urn else self._provider.resource_type
        found = self._provider.of_type(resource_type)
        if found is None:
            _abort(
                context,
                f"the light {self._provider.package} plugin knows {self._provider.resource_type} and little else, not "
                f"{resource_type}: install the official plugin",
            )
        return found


def serve(provider: Provider) -> None:
    """Serve until the engine goes away; prints the port, as the engine expects it."""
    # The engine's way to end a plugin, which it puts in a process group of its own; after 5 s it would be killed.
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    options = [("grpc.max_receive_message_length", _MAX_MESSAGE_BYTES), ("grpc.max_send_message_length", -1)]
    server = grpc.server(ThreadPoolExecutor(max_workers=_WORKERS), options=options)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(ProviderServicer(provider), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    threading.Thread(target=_exit_with_parent, args=(os.getppid(),), daemon=True).start()
    server.wait_for_termination()


def _exit_with_parent(parent: int) -> NoReturn:
    """An engine that was killed cannot stop its plugins."""
    while os.getppid() == parent:
        time.sleep(_PARENT_POLL_SECONDS)
    os._exit(0)


def _shown(context: grpc.ServicerContext, call: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
    try:
        return call(*args, **kwargs)
    except ProviderError as error:
        _abort(context, str(error))


def _abort(context: grpc.ServicerContext, message: str) -> NoReturn:
    context.abort(grpc.StatusCode.UNKNOWN, message)
    raise AssertionError("abort raises")


def _diff_response(diff: Diff) -> provider_pb2.DiffResponse:
    kinds = provider_pb2.PropertyDiff
    changes = provider_pb2.DiffResponse.DIFF_SOME if diff.changed else provider_pb2.DiffResponse.DIFF_NONE
    return provider_pb2.DiffResponse(
        changes=changes,
        diffs=diff.changed,
        replaces=diff.replaces,
        detailedDiff={
            key: kinds(kind=kinds.UPDATE_REPLACE if key in diff.replaces else kinds.UPDATE) for key in diff.changed
        },
        hasDetailedDiff=True,
    )
