"""The provider: dispatches the engine's requests to the resource types."""

import asyncio
import json
import threading
from collections.abc import Collection, Iterable

from pulumi.provider.experimental import provider as sdk

from edge_dns.hub import HubClient
from providers.towonel import config
from providers.towonel.checks import Failure
from providers.towonel.engine_log import EngineLog, ResourceLog
from providers.towonel.errors import PluginError
from providers.towonel.invite_resource import InviteResource
from providers.towonel.port_resource import PortResource
from providers.towonel.resource import Diff, Resource
from providers.towonel.values import plain_map, property_map

NAME = "towonel"
VERSION = "0.1.0"

_RESOURCES: dict[str, Resource] = {"towonel:index:Invite": InviteResource(), "towonel:index:Port": PortResource()}


class TowonelProvider(sdk.Provider):
    """The `towonel` package. Nothing but `configure` sets state; the calls to the hub run in threads."""

    def __init__(self, engine: EngineLog) -> None:
        self.engine = engine
        self._client: HubClient | None = None
        self._cancelled = threading.Event()

    async def get_schema(self, request: sdk.GetSchemaRequest) -> sdk.GetSchemaResponse:
        """The package's name and version; the resource classes are written by hand."""
        return sdk.GetSchemaResponse(json.dumps({"name": NAME, "version": VERSION}))

    async def check_config(self, request: sdk.CheckRequest) -> sdk.CheckResponse:
        """The url without a trailing slash, the key marked as secret."""
        inputs, failures = config.check(plain_map(request.new_inputs))
        return sdk.CheckResponse(property_map(inputs, secret=config.SECRETS), _failures(failures))

    async def configure(self, request: sdk.ConfigureRequest) -> sdk.ConfigureResponse:
        """Keep a client. The hub is not called, so that `destroy` can begin while it is down."""
        found = config.credentials(plain_map(request.args))
        if found is not None:
            self._client = HubClient(*found, sleep=self._cancelled.wait)
        return sdk.ConfigureResponse(accept_secrets=True, supports_preview=True, accept_outputs=True)

    async def check(self, request: sdk.CheckRequest) -> sdk.CheckResponse:
        """See Resource.check."""
        inputs, failures = _resource(request.type).check(plain_map(request.new_inputs))
        return sdk.CheckResponse(property_map(inputs), _failures(failures))

    async def diff(self, request: sdk.DiffRequest) -> sdk.DiffResponse:
        """See Resource.diff; a replacement says what it costs."""
        resource, outputs = _resource(request.type), plain_map(request.old_state)
        found = resource.diff(outputs, plain_map(request.new_inputs))
        cost = resource.cost_of_replacement(outputs) if found.replaces else None
        if cost is not None:
            self._log(request.urn).warn(cost)
        return _diff_response(found, request.ignore_changes)

    async def create(self, request: sdk.CreateRequest) -> sdk.CreateResponse:
        """See Resource.create and predict_create."""
        resource, inputs = _resource(request.type), plain_map(request.properties)
        if request.preview:
            predicted = await asyncio.to_thread(resource.predict_create, self._client, inputs)
            return sdk.CreateResponse("", property_map(predicted, secret=resource.secret_outputs))
        live = await asyncio.to_thread(resource.create, self._hub, inputs, self._log(request.urn))
        return sdk.CreateResponse(live.resource_id, property_map(live.outputs, secret=resource.secret_outputs))

    async def update(self, request: sdk.UpdateRequest) -> sdk.UpdateResponse:
        """See Resource.update and predict_update."""
        resource = _resource(request.type)
        outputs, inputs = plain_map(request.olds), plain_map(request.news)
        if request.preview:
            new = await asyncio.to_thread(resource.predict_update, self._client, outputs, inputs)
        else:
            log = self._log(request.urn)
            new = await asyncio.to_thread(resource.update, self._hub, request.resource_id, outputs, inputs, log)
        return sdk.UpdateResponse(property_map(new, secret=resource.secret_outputs))

    async def read(self, request: sdk.ReadRequest) -> sdk.ReadResponse:
        """See Resource.read; without a state it is an import."""
        resource, log = _resource(sdk._extract_type(request.urn)), self._log(request.urn)
        hub, resource_id, outputs = self._hub, request.resource_id, plain_map(request.properties)
        if outputs:
            live = await asyncio.to_thread(resource.read, hub, resource_id, outputs, log)
        else:
            live = await asyncio.to_thread(resource.import_, hub, resource_id, log)
        if live is None:
            return sdk.ReadResponse()
        inputs = request.inputs if live.inputs is None else property_map(live.inputs)
        return sdk.ReadResponse(live.resource_id, property_map(live.outputs, secret=resource.secret_outputs), inputs)

    async def delete(self, request: sdk.DeleteRequest) -> None:
        """See Resource.delete."""
        resource, outputs = _resource(request.type), plain_map(request.properties)
        await asyncio.to_thread(resource.delete, self._hub, outputs, self._log(request.urn))

    async def cancel(self) -> None:
        """Cut all waits for the hub short."""
        self._cancelled.set()

    @property
    def _hub(self) -> HubClient:
        if self._client is None:
            raise PluginError("the provider's url or apiKey is not known yet")
        return self._client

    def _log(self, urn: str) -> ResourceLog:
        return ResourceLog(self.engine, urn)


def _resource(type_token: str) -> Resource:
    # The type part of a URN also names the types of the parents: `parent$type`.
    token = type_token.rpartition("$")[2]
    if token not in _RESOURCES:
        raise PluginError(f"there is no resource type {token}; there are {', '.join(_RESOURCES)}")
    return _RESOURCES[token]


def _failures(failures: Iterable[Failure]) -> list[sdk.CheckFailure]:
    # The path stands in the text: with a property of its own the engine would print that property's value, which is
    # no use for a path into a list and not wanted for a key.
    return [sdk.CheckFailure("", f"{failure.path} {failure.reason}") for failure in failures]


def _diff_response(found: Diff, ignored: Collection[str]) -> sdk.DiffResponse:
    replaces = [key for key in found.replaces if key not in ignored]
    updates = [key for key in found.updates if key not in {*ignored, *replaces}]
    return sdk.DiffResponse(
        changes=bool(replaces or updates),
        replaces=replaces,
        delete_before_replace=bool(replaces) and found.deletes_first,
        diffs=[*replaces, *updates],
    )
