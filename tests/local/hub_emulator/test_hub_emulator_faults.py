import threading
from collections.abc import Callable

import pytest
import urllib3

from local.hub_emulator import (
    EMPTY_404,
    HTML_200,
    HTML_404,
    INTERNAL_500,
    NOT_READY_503,
    TEXT_200,
    Drop,
    Fault,
    HubEmulator,
    Reply,
    rate_limited,
)
from tests.local.hub_emulator.api import Api
from tests.processes import until

BODY = {"hostnames": ["a.x.test"]}


@pytest.mark.parametrize("after_commit", [False, True], ids=["before commit", "after commit"])
@pytest.mark.parametrize(
    ("outcome", "content_type"),
    [
        (INTERNAL_500, "application/json; charset=utf-8"),
        (NOT_READY_503, "application/json; charset=utf-8"),
        (rate_limited(7), "text/plain; charset=utf-8"),
        (HTML_200, "text/html"),
        (HTML_404, "text/html"),
        (TEXT_200, "text/plain; charset=utf-8"),
        (EMPTY_404, None),
    ],
    ids=["500", "503", "429", "html 200", "html 404", "text 200", "empty 404"],
)
def test_a_fault_replaces_the_answer_before_or_after_the_hub_acted(
    outcome: Reply, content_type: str | None, after_commit: bool, hub: HubEmulator, api: Api
) -> None:
    hub.inject(Fault(method="POST", path="/v1/invites", outcome=outcome, after_commit=after_commit))
    reply = api("POST", "/v1/invites", BODY)
    assert (reply.status, reply.data) == (outcome.status, outcome.body)
    assert reply.headers.get("content-type") == content_type
    assert len(hub.invites) == after_commit


def test_a_limited_answer_names_the_wait(hub: HubEmulator, api: Api) -> None:
    hub.inject(Fault(outcome=rate_limited(7)))
    reply = api("GET", "/v1/invites")
    assert (reply.headers["retry-after"], reply.headers["x-ratelimit-after"]) == ("7", "7")


@pytest.mark.parametrize("after_commit", [False, True], ids=["before commit", "after commit"])
def test_a_dropped_connection_gives_no_answer(after_commit: bool, hub: HubEmulator, api: Api) -> None:
    hub.inject(Fault(method="POST", outcome=Drop(), after_commit=after_commit))
    with pytest.raises(urllib3.exceptions.ProtocolError):
        api("POST", "/v1/invites", BODY)
    assert len(hub.invites) == after_commit
    assert (hub.requests[-1].status, hub.writes) == (None, 1)
    assert api("GET", "/v1/invites").status == 200


def test_a_fault_hits_the_calls_it_names_as_often_as_it_says(hub: HubEmulator, api: Api) -> None:
    invite_id = api.create("a.x.test")["invite_id"]
    hub.inject(Fault(method="GET", path="/v1/invites/*", outcome=INTERNAL_500, times=2))
    statuses = [api("GET", f"/v1/invites/{invite_id}").status for _ in range(3)]
    assert statuses == [500, 500, 200]


def test_a_fault_pattern_of_one_segment_spares_longer_paths(hub: HubEmulator, api: Api) -> None:
    invite_id = api.create("a.x.test")["invite_id"]
    hub.inject(Fault(path="/v1/invites/*", outcome=INTERNAL_500))
    assert [api(*call).status for call in (("GET", "/v1/invites"), ("GET", f"/v1/invites/{invite_id}/status"))] == [
        200,
        200,
    ]


def test_a_fault_without_a_count_lasts_until_cleared(hub: HubEmulator, api: Api) -> None:
    hub.inject(Fault(outcome=EMPTY_404, times=None))
    assert {api("GET", "/v1/invites").status for _ in range(5)} == {404}
    hub.clear_faults()
    assert api("GET", "/v1/invites").status == 200


@pytest.mark.parametrize("after_commit", [False, True], ids=["before commit", "after commit"])
def test_a_delayed_answer_keeps_other_callers_going(after_commit: bool, hub: HubEmulator, api: Api) -> None:
    hub.inject(Fault(method="POST", delay_seconds=60, after_commit=after_commit))
    with pytest.raises(urllib3.exceptions.TimeoutError):
        api("POST", "/v1/invites", BODY, timeout=0.2)
    until(lambda: hub.waiting == 1, "the call is delayed")
    assert api("GET", "/v1/invites").status == 200
    assert len(hub.invites) == after_commit


@pytest.mark.parametrize("end", [HubEmulator.clear_faults, HubEmulator.stop])
def test_a_delay_is_cut_short_when_faults_are_cleared_or_the_hub_stops(end: Callable[[HubEmulator], None]) -> None:
    with HubEmulator() as hub:
        hub.inject(Fault(delay_seconds=600, after_commit=True))
        api, statuses = Api(hub, hub.operator_key), list[int]()
        caller = threading.Thread(target=lambda: statuses.append(api("GET", "/v1/invites", timeout=300).status))
        caller.start()
        until(lambda: hub.waiting == 1, "the hub has acted and waits")
        end(hub)
        caller.join()
        assert hub.waiting == 0
    assert statuses == [200]
