from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import pytest

from local.cloudflare_emulator import CloudflareEmulator, Fault
from local.plugins.cloudflare_plugin import CloudflareProvider
from local.plugins.properties import UNKNOWN
from local.plugins.provider import API_TIMEOUT_VARIABLE
from tests.local.plugins.engine_calls import AbortedError, EngineCalls

ZONE = "a" * 32
GET_RECORDS = "cloudflare:index/getDnsRecords:getDnsRecords"
GET_ZONE = "cloudflare:index/getZone:getZone"
A: dict[str, Any] = {"zoneId": ZONE, "name": "www.example.com", "type": "A", "content": "203.0.113.7", "ttl": 300}
CNAME = A | {"type": "CNAME", "content": "edge.example.net"}


@pytest.fixture
def emulator() -> Iterator[CloudflareEmulator]:
    with CloudflareEmulator() as running:
        running.add_zone("example.com", zone_id=ZONE)
        yield running


@pytest.fixture
def engine(emulator: CloudflareEmulator) -> EngineCalls:
    return EngineCalls(CloudflareProvider(), {"apiToken": emulator.token, "baseUrl": emulator.url})


def contents(emulator: CloudflareEmulator) -> list[object]:
    return [record["content"] for record in emulator.records(ZONE)]


def test_the_version_is_that_of_the_sdk(engine: EngineCalls) -> None:
    assert engine.version() == version("pulumi-cloudflare")


def test_another_resource_type_is_refused_and_the_official_plugin_named(engine: EngineCalls) -> None:
    with pytest.raises(AbortedError, match="install the official plugin"):
        engine.check(A, resource_type="cloudflare:index/zone:Zone")
    assert engine.check(A, resource_type="cloudflare:index/dnsRecord:DnsRecord") == []


def test_a_record_lives_through_create_refresh_update_and_delete(
    engine: EngineCalls, emulator: CloudflareEmulator
) -> None:
    record_id, outputs = engine.create(A | {"comment": "ours"})
    assert len(record_id) == 32
    assert outputs["createdOn"]
    assert engine.diff(A | {"comment": "ours"}, outputs, A | {"comment": "ours"}) == ([], [])
    same_id, read, inputs = engine.read(record_id, outputs, A | {"comment": "ours"})
    assert (same_id, inputs) == (record_id, A | {"comment": "ours"})
    assert read["comment"] == "ours"
    updated = engine.update(record_id, outputs, A | {"content": "203.0.113.9"})
    assert contents(emulator) == ["203.0.113.9"]
    assert emulator.records(ZONE)[0]["comment"] is None
    engine.delete(record_id, updated)
    assert emulator.records(ZONE) == []
    assert [write.method for write in emulator.writes] == ["POST", "PUT", "DELETE"]


def test_a_preview_makes_no_call(engine: EngineCalls, emulator: CloudflareEmulator) -> None:
    record_id, outputs = engine.create(A | {"content": UNKNOWN, "ttl": 60, "proxied": True}, preview=True)
    assert (record_id, outputs["content"]) == ("", UNKNOWN)
    assert engine.update("id", A | {"createdOn": "then"}, A | {"ttl": 60}, preview=True)["createdOn"] == "then"
    assert emulator.requests == []


def test_a_ttl_beside_proxied_is_an_error_at_create_before_any_call(
    engine: EngineCalls, emulator: CloudflareEmulator
) -> None:
    assert engine.check(A | {"proxied": True}) == []
    with pytest.raises(AbortedError, match="ttl must be set to 1 when `proxied` is true"):
        engine.create(A | {"proxied": True})
    assert emulator.requests == []


@pytest.mark.parametrize(
    ("existing", "wanted", "code"),
    [
        pytest.param(A, CNAME, 81053, id="cname-beside-a"),
        pytest.param(CNAME, A, 81054, id="a-beside-cname"),
        pytest.param(A, A, 81058, id="identical"),
    ],
)
def test_create_refuses_what_exists_and_leaves_it_alone(
    engine: EngineCalls, emulator: CloudflareEmulator, existing: dict[str, Any], wanted: dict[str, Any], code: int
) -> None:
    emulator.add_record(ZONE, **{key: value for key, value in existing.items() if key != "zoneId"})
    before = emulator.records(ZONE)
    with pytest.raises(AbortedError, match=rf"creating a DNS record in zone {ZONE}: 400 .* \({code}\)"):
        engine.create(wanted)
    assert emulator.records(ZONE) == before


def test_deleting_a_missing_record_is_an_error_and_a_refresh_finds_it_gone(
    engine: EngineCalls, emulator: CloudflareEmulator
) -> None:
    record_id, outputs = engine.create(A)
    emulator.delete_record(ZONE, record_id)
    with pytest.raises(AbortedError, match=r"404 Record does not exist. \(81044\)"):
        engine.delete(record_id, outputs)
    assert engine.read(record_id, outputs, A) == ("", {}, {})


def test_a_refresh_shows_what_somebody_changed(engine: EngineCalls, emulator: CloudflareEmulator) -> None:
    record_id, outputs = engine.create(A)
    emulator.edit_record(ZONE, record_id, content="203.0.113.9", comment="by hand")
    _, read, inputs = engine.read(record_id, outputs, A)
    assert engine.diff(inputs, read, A) == (["content", "comment"], [])


def test_the_spelling_of_a_name_survives_until_a_refresh_shows_the_one_of_the_api(engine: EngineCalls) -> None:
    inputs = A | {"name": "WWW.Example.com"}
    record_id, outputs = engine.create(inputs)
    assert outputs["name"] == "WWW.Example.com"
    _, read, read_inputs = engine.read(record_id, outputs, inputs)
    assert engine.diff(read_inputs, read, inputs) == (["name"], [])


def test_a_record_is_imported_by_zone_and_record_id(engine: EngineCalls, emulator: CloudflareEmulator) -> None:
    made = emulator.add_record(ZONE, type="A", name="www", content="203.0.113.7", ttl=300)
    record_id, outputs, inputs = engine.read(f"{ZONE}/{made['id']}")
    assert record_id == made["id"]
    assert engine.diff(inputs, outputs, A) == ([], [])
    assert engine.read(f"{ZONE}/{'c' * 32}") == ("", {}, {})
    with pytest.raises(AbortedError, match="expected <zone_id>/<dns_record_id>"):
        engine.read(str(made["id"]))


@pytest.mark.parametrize(("max_items", "found"), [(None, 1000), (1500, 1002), (7, 7)])
def test_a_bulk_lookup_is_cut_silently_at_max_items_and_complete_below(
    engine: EngineCalls, emulator: CloudflareEmulator, max_items: int | None, found: int
) -> None:
    for index in range(1002):
        emulator.add_record(ZONE, type="A", name=f"n{index}", content="203.0.113.7")
    result = engine.invoke(GET_RECORDS, {"zoneId": ZONE, "maxItems": max_items})
    assert len({record["id"] for record in result["results"]}) == found
    assert len(result["results"]) == found


def test_a_bulk_lookup_reads_pages_beyond_the_largest_one(engine: EngineCalls, emulator: CloudflareEmulator) -> None:
    for index in range(5001):
        emulator.add_record(ZONE, type="A", name=f"n{index}", content=f"203.0.{index // 256}.{index % 256}")
    assert len(engine.invoke(GET_RECORDS, {"zoneId": ZONE, "maxItems": 20000})["results"]) == 5001
    assert len(emulator.requests) == 2


def test_a_lookup_filters_by_comment(engine: EngineCalls, emulator: CloudflareEmulator) -> None:
    emulator.add_record(ZONE, type="A", name="a", content="203.0.113.7", comment="edge-dns x")
    emulator.add_record(ZONE, type="A", name="b", content="203.0.113.7")
    result = engine.invoke(GET_RECORDS, {"zoneId": ZONE, "comment": {"startswith": "edge-dns"}})
    assert [record["name"] for record in result["results"]] == ["a.example.com"]


def test_a_zone_is_looked_up_by_id_and_by_filter(engine: EngineCalls, emulator: CloudflareEmulator) -> None:
    by_id = engine.invoke(GET_ZONE, {"zoneId": ZONE})
    by_name = engine.invoke(GET_ZONE, {"filter": {"match": "all", "name": "example.com"}})
    assert by_id["name"] == by_name["name"] == "example.com"
    assert by_id["zoneId"] == by_name["zoneId"] == ZONE
    emulator.add_zone("example.com")
    with pytest.raises(AbortedError, match="finds 2 zones"):
        engine.invoke(GET_ZONE, {"filter": {"match": "all", "name": "example.com"}})
    with pytest.raises(AbortedError, match="exactly one of zoneId and filter"):
        engine.invoke(GET_ZONE, {})


def test_an_unknown_lookup_is_an_error(engine: EngineCalls) -> None:
    with pytest.raises(AbortedError, match="does not know"):
        engine.invoke("cloudflare:index/getAccount:getAccount", {})


def test_a_wrong_token_is_reported_and_not_shown(emulator: CloudflareEmulator) -> None:
    engine = EngineCalls(CloudflareProvider(), {"apiToken": "wrong-secret", "baseUrl": emulator.url})
    with pytest.raises(AbortedError, match=r"403 Invalid access token \(9109\)") as raised:
        engine.create(A)
    assert "wrong-secret" not in str(raised.value)


def test_missing_credentials_are_named(emulator: CloudflareEmulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLOUDFLARE_API_TOKEN", raising=False)
    engine = EngineCalls(CloudflareProvider(), {"baseUrl": emulator.url})
    with pytest.raises(AbortedError, match="cloudflare:apiToken"):
        engine.create(A)
    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", emulator.token)
    engine.create(A)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        pytest.param({"status": 403, "body": "<html>", "content_type": "text/html"}, "403 without a reason", id="html"),
        pytest.param(
            {"status": 200, "body": "<html>", "content_type": "text/html"}, "not the API's JSON", id="html-200"
        ),
        pytest.param({"drop": True, "times": 3}, "no answer from 127.0.0.1", id="dropped"),
    ],
)
def test_a_failing_api_is_one_clear_line(
    engine: EngineCalls, emulator: CloudflareEmulator, fault: dict[str, Any], message: str
) -> None:
    emulator.inject(Fault(method="GET", **fault))
    with pytest.raises(AbortedError, match=message) as raised:
        engine.invoke(GET_RECORDS, {"zoneId": ZONE})
    assert "\n" not in str(raised.value)


def test_a_call_takes_no_longer_than_the_environment_says(
    engine: EngineCalls, emulator: CloudflareEmulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(API_TIMEOUT_VARIABLE, "0.1")
    emulator.inject(Fault(method="POST", delay_seconds=3600, times=10))
    with pytest.raises(AbortedError, match=r"creating a DNS record in zone .*: no answer from 127\.0\.0\.1: timed out"):
        engine.create(A)
