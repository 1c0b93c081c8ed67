"""The engine's log: the only place where a plugin may say something to the user."""

import grpc
from pulumi.runtime.proto import engine_pb2
from pulumi.runtime.proto.engine_pb2_grpc import EngineStub


class EngineLog:
    """Sends lines to the engine, once it is connected."""

    def __init__(self) -> None:
        self._stub: EngineStub | None = None

    def connect(self, address: str) -> None:
        """Name the engine to send to."""
        self._stub = EngineStub(grpc.insecure_channel(address))

    def send(self, severity: "engine_pb2.LogSeverity.ValueType", message: str, urn: str = "") -> None:
        """One line beside the resource `urn`. A log that cannot be sent is no reason to fail."""
        if self._stub is None:
            return
        request = engine_pb2.LogRequest(severity=severity, message=message, urn=urn)
        try:
            self._stub.Log(request)
        except grpc.RpcError:
            return


class ResourceLog:
    """See resource.Log: the engine's log for one resource."""

    def __init__(self, engine: EngineLog, urn: str) -> None:
        self._engine = engine
        self._urn = urn

    def info(self, message: str) -> None:
        """Something worth knowing."""
        self._engine.send(engine_pb2.INFO, message, self._urn)

    def warn(self, message: str) -> None:
        """Something that needs a look."""
        self._engine.send(engine_pb2.WARNING, message, self._urn)
