"""What the engine never answers for is taken for failed, and nothing else is."""

from collections.abc import Iterable

import grpc
import pytest
from pulumi.runtime.proto import resource_pb2

from components.unanswered import PATIENCE as VARIABLE
from components.unanswered import Answered, Call, Request, Response, end_in_any_case
from edge_dns.core.settings import SettingsInvalid

PARENT = "urn:pulumi:prod::edge-dns::edge:dns:EndpointRecordSet::set"
STACK = "urn:pulumi:prod::edge-dns::pulumi:pulumi:Stack::edge-dns-prod"
RECORD = "cloudflare:index/dnsRecord:DnsRecord"
PATIENCE = 10.0


class Engine:
    """Answers each call after so many seconds, None: never; its clock goes on while somebody waits."""

    def __init__(self, *seconds: float | None) -> None:
        self.now = 0.0
        self.told: list[str] = []
        self._seconds = iter(seconds)
        self.answered = Answered(self._begin, self.told.append, patience=PATIENCE, clock=lambda: self.now)

    def _begin(self, request: Request) -> Call:
        return _Call(self, request, next(self._seconds))


class _Call:
    def __init__(self, engine: Engine, request: Request, seconds: float | None) -> None:
        self._engine, self._request = engine, request
        self._due = None if seconds is None else engine.now + seconds

    def result(self, timeout: float) -> Response:
        if self._due is None or self._due > self._engine.now + timeout:
            self._engine.now += timeout
            raise grpc.FutureTimeoutError
        self._engine.now = max(self._engine.now, self._due)
        return Response(urn=self._request.name)

    def cancel(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _stack(monkeypatch: pytest.MonkeyPatch) -> Iterable[None]:
    monkeypatch.setattr("pulumi.get_stack", lambda: "prod")
    monkeypatch.setattr("pulumi.get_project", lambda: "edge-dns")
    return ()


def test_an_answer_in_time_is_handed_on() -> None:
    engine = Engine(PATIENCE - 1)
    answer = engine.answered(Request(name="a"))
    assert (answer.urn, answer.result, engine.told) == ("a", resource_pb2.Result.SUCCESS, [])


@pytest.mark.parametrize(
    ("parent", "kind"),
    [(PARENT, f"edge:dns:EndpointRecordSet${RECORD}"), (STACK, RECORD), ("", RECORD)],
    ids=["below a component", "below the stack", "without a parent"],
)
def test_what_is_not_answered_for_has_failed(parent: str, kind: str) -> None:
    engine = Engine(None)
    answer = engine.answered(Request(name="z1/a.example.com", type=RECORD, parent=parent))
    assert answer.result == resource_pb2.Result.FAIL
    assert answer.urn == f"urn:pulumi:prod::edge-dns::{kind}::z1/a.example.com"
    (told,) = engine.told
    assert told.startswith("z1/a.example.com: the engine does not answer")


@pytest.mark.parametrize("text", ["ten", "0", "-1", "1.5", "nan", "1e9", "86401", " 60"])
def test_a_patience_that_is_no_number_of_seconds_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(SettingsInvalid, match=f"{VARIABLE}: expected whole seconds, 1 to 86400"):
        end_in_any_case()
