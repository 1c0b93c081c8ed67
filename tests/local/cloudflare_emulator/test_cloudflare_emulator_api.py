from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import cloudflare
import pytest

from local.cloudflare_emulator import CloudflareEmulator, Fault
from tests.local.cloudflare_emulator.conftest import ZONE_ID
from tests.processes import until


def error_of(raised: pytest.ExceptionInfo[cloudflare.APIStatusError]) -> tuple[int, int]:
    body: Any = raised.value.body
    return raised.value.status_code, body["errors"][0]["code"]


def add(client: cloudflare.Cloudflare, name: str = "www") -> Any:
    return client.dns.records.create(zone_id=ZONE_ID, type="A", name=name, content="203.0.113.7", ttl=1)


def test_the_token_can_be_verified(client: cloudflare.Cloudflare) -> None:
    verified: Any = client.user.tokens.verify()
    assert verified.status == "active"


def test_a_wrong_token_is_refused(emulator: CloudflareEmulator) -> None:
    client = cloudflare.Cloudflare(api_token="wrong", base_url=emulator.url, max_retries=0)
    with pytest.raises(cloudflare.PermissionDeniedError) as raised:
        client.dns.records.list(zone_id=ZONE_ID)
    assert error_of(raised) == (403, 9109)


def test_a_missing_token_is_refused(emulator: CloudflareEmulator) -> None:
    client = cloudflare.Cloudflare(user_service_key="v1.0-x", base_url=emulator.url, max_retries=0)
    with pytest.raises(cloudflare.AuthenticationError) as raised:
        client.dns.records.list(zone_id=ZONE_ID)
    assert error_of(raised) == (401, 10000)


@pytest.mark.parametrize(
    ("zone_id", "status", "code"),
    [pytest.param("b" * 32, 403, 10000, id="unknown"), pytest.param("example.com", 404, 7003, id="malformed")],
)
def test_a_zone_that_is_not_there_is_refused(
    client: cloudflare.Cloudflare, zone_id: str, status: int, code: int
) -> None:
    with pytest.raises(cloudflare.APIStatusError) as raised:
        client.dns.records.list(zone_id=zone_id)
    assert error_of(raised) == (status, code)


def test_a_zone_is_found_by_id_and_by_name(emulator: CloudflareEmulator, client: cloudflare.Cloudflare) -> None:
    emulator.add_zone("example.net")
    zone: Any = client.zones.get(zone_id=ZONE_ID)
    assert (zone.id, zone.name, zone.status, zone.type) == (ZONE_ID, "example.com", "active", "full")
    assert [found.id for found in client.zones.list(name="example.com")] == [ZONE_ID]
    assert list(client.zones.list(name="example.org")) == []
    assert len(list(client.zones.list())) == 2


def test_internal_zones_are_listed_only_when_asked_for(
    emulator: CloudflareEmulator, client: cloudflare.Cloudflare
) -> None:
    internal = emulator.add_zone("example.com", zone_type="internal")
    assert [zone.id for zone in client.zones.list(name="example.com")] == [ZONE_ID]
    assert [zone.id for zone in client.zones.list(type=["internal"])] == [internal]


def test_the_request_log_tells_writes_from_reads(emulator: CloudflareEmulator, client: cloudflare.Cloudflare) -> None:
    made = add(client)
    list(client.dns.records.list(zone_id=ZONE_ID))
    client.dns.records.delete(made.id, zone_id=ZONE_ID)
    path = f"/client/v4/zones/{ZONE_ID}/dns_records"
    assert [(write.method, write.path, write.status) for write in emulator.writes] == [
        ("POST", path, 200),
        ("DELETE", f"{path}/{made.id}", 200),
    ]
    assert {request.method for request in emulator.requests if not request.is_write} == {"GET"}


@pytest.mark.parametrize("after_commit", [False, True])
@pytest.mark.parametrize(
    ("fault", "error"),
    [
        pytest.param({"status": 500}, cloudflare.InternalServerError, id="status"),
        pytest.param(
            {"status": 502, "body": "<html>", "content_type": "text/html"}, cloudflare.APIStatusError, id="html"
        ),
        pytest.param({"drop": True}, cloudflare.APIConnectionError, id="drop"),
    ],
)
def test_a_fault_strikes_before_or_after_the_commit_and_then_is_over(
    emulator: CloudflareEmulator,
    client: cloudflare.Cloudflare,
    fault: Any,
    error: type[Exception],
    after_commit: bool,
) -> None:
    emulator.inject(Fault(method="POST", path=r"/dns_records$", after_commit=after_commit, **fault))
    list(client.dns.records.list(zone_id=ZONE_ID))
    with pytest.raises(error):
        add(client)
    assert len(emulator.records(ZONE_ID)) == after_commit
    if not after_commit:
        add(client)


def test_a_fault_strikes_as_often_as_it_says(emulator: CloudflareEmulator, client: cloudflare.Cloudflare) -> None:
    emulator.inject(Fault(method="GET", status=500, times=2))
    for _ in range(2):
        with pytest.raises(cloudflare.InternalServerError):
            client.dns.records.list(zone_id=ZONE_ID)
    client.dns.records.list(zone_id=ZONE_ID)


def test_a_delay_alone_lets_the_answer_pass(emulator: CloudflareEmulator, client: cloudflare.Cloudflare) -> None:
    emulator.inject(Fault(delay_seconds=0.01))
    add(client)
    assert len(emulator.records(ZONE_ID)) == 1


def test_a_fault_may_let_the_first_requests_pass(emulator: CloudflareEmulator, client: cloudflare.Cloudflare) -> None:
    emulator.inject(Fault(method="POST", status=500, skip=2))
    add(client, name="one")
    list(client.dns.records.list(zone_id=ZONE_ID))
    add(client, name="two")
    with pytest.raises(cloudflare.InternalServerError):
        add(client, name="three")
    add(client, name="four")


@pytest.mark.parametrize("end", [CloudflareEmulator.clear_faults, CloudflareEmulator.stop])
def test_a_delay_is_cut_short_when_faults_are_cleared_or_the_server_stops(
    emulator: CloudflareEmulator, client: cloudflare.Cloudflare, end: Callable[[CloudflareEmulator], None]
) -> None:
    emulator.inject(Fault(method="POST", delay_seconds=3600))
    with ThreadPoolExecutor(1) as pool:
        added = pool.submit(add, client)
        until(lambda: emulator.waiting == 1, "the call is delayed")
        assert emulator.records(ZONE_ID) == []
        end(emulator)
        added.result()
    assert (len(emulator.records(ZONE_ID)), emulator.waiting) == (1, 0)


def test_cleared_faults_do_not_strike(emulator: CloudflareEmulator, client: cloudflare.Cloudflare) -> None:
    emulator.inject(Fault(status=500, times=9))
    emulator.clear_faults()
    add(client)


def test_somebody_else_can_change_records_unlogged(emulator: CloudflareEmulator, client: cloudflare.Cloudflare) -> None:
    made = emulator.add_record(ZONE_ID, type="A", name="www", content="203.0.113.7")
    emulator.edit_record(ZONE_ID, made["id"], content="203.0.113.9")
    assert [record.content for record in client.dns.records.list(zone_id=ZONE_ID)] == ["203.0.113.9"]
    emulator.delete_record(ZONE_ID, made["id"])
    assert emulator.records(ZONE_ID) == []
    assert emulator.writes == []
