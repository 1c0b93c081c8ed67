import json
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import pytest

from local.loopback import Fault
from local.plugins.aws_plugin import AwsProvider
from local.plugins.properties import UNKNOWN
from local.plugins.provider import API_TIMEOUT_VARIABLE
from local.route53 import HostedRecord, Route53Service
from tests.local.plugins.engine_calls import AbortedError, EngineCalls

ZONE = "Z0123456789ABCDEFGHIJ"
GET_RECORDS = "aws:route53/getRecords:getRecords"
GET_ZONE = "aws:route53/getZone:getZone"
A: dict[str, Any] = {
    "zoneId": ZONE,
    "name": "www.example.com",
    "type": "A",
    "ttl": 300,
    "records": ["203.0.113.9", "203.0.113.7"],
}
CNAME = A | {"type": "CNAME", "records": ["edge.example.net"]}
TARGET = {"name": "lb.elb.eu-west-1.amazonaws.com", "zoneId": "Z2IFOLAFXWLO4F", "evaluateTargetHealth": True}
ALIAS: dict[str, Any] = {"zoneId": ZONE, "name": "example.com", "type": "A", "aliases": [TARGET]}


def settings_of(service: Route53Service) -> dict[str, Any]:
    return {
        "region": service.region,
        "accessKey": "key-id",
        "secretKey": "secret-key",
        "endpoints": json.dumps([{"route53": service.url}]),
        "skipCredentialsValidation": "true",
        "skipRequestingAccountId": "true",
        "skipMetadataApiCheck": "true",
        "skipRegionValidation": "true",
    }


@pytest.fixture
def service() -> Iterator[Route53Service]:
    with Route53Service() as running:
        running.add_zone("example.com", zone_id=ZONE)
        yield running


@pytest.fixture
def engine(service: Route53Service) -> EngineCalls:
    return EngineCalls(AwsProvider(), settings_of(service))


def test_the_version_is_that_of_the_sdk(engine: EngineCalls) -> None:
    assert engine.version() == version("pulumi-aws")


def test_a_record_lives_through_create_refresh_update_and_delete(engine: EngineCalls, service: Route53Service) -> None:
    record_id, outputs = engine.create(A)
    assert record_id == f"{ZONE}_www.example.com_A"
    assert outputs["fqdn"] == "www.example.com"
    assert engine.diff(A, outputs, A) == ([], [])
    same_id, read, inputs = engine.read(record_id, outputs, A)
    assert same_id == record_id
    assert engine.diff(inputs, read, A) == ([], [])
    updated = engine.update(record_id, outputs, A | {"ttl": 60})
    assert [record.ttl for record in service.records(ZONE)] == [60]
    engine.delete(record_id, updated)
    assert service.records(ZONE) == []
    assert len(service.writes) == 3


def test_a_preview_makes_no_call(engine: EngineCalls, service: Route53Service) -> None:
    record_id, outputs = engine.create(A | {"records": UNKNOWN}, preview=True)
    assert (record_id, outputs["records"]) == ("", UNKNOWN)
    assert engine.update("id", A, A | {"ttl": 60}, preview=True)["ttl"] == 60
    assert service.requests == []


def test_a_change_of_type_is_one_batch_in_place(engine: EngineCalls, service: Route53Service) -> None:
    record_id, outputs = engine.create(A)
    assert engine.diff(A, outputs, CNAME) == (["type", "records"], [])
    updated = engine.update(record_id, outputs, CNAME)
    assert [record.type for record in service.records(ZONE)] == ["CNAME"]
    assert updated["id"] == f"{ZONE}_www.example.com_CNAME"
    assert len(service.writes) == 2
    engine.delete(record_id, updated)
    assert service.records(ZONE) == []


def test_a_change_of_type_is_refused_while_another_type_stays(engine: EngineCalls, service: Route53Service) -> None:
    record_id, outputs = engine.create(A)
    engine.create(A | {"type": "AAAA", "records": ["2001:db8::7"]})
    before = service.records(ZONE)
    with pytest.raises(AbortedError, match="conflicts with other records"):
        engine.update(record_id, outputs, CNAME)
    assert service.records(ZONE) == before


def test_create_refuses_what_exists_and_leaves_it_alone(engine: EngineCalls, service: Route53Service) -> None:
    service.add_record(ZONE, name="www.example.com", record_type="A", values=["203.0.113.1"])
    before = service.records(ZONE)
    with pytest.raises(AbortedError, match=r"InvalidChangeBatch: .*type='A'\] but it already exists"):
        engine.create(A)
    assert service.records(ZONE) == before
    engine.create(A | {"allowOverwrite": True})
    assert service.records(ZONE) != before


@pytest.mark.parametrize(
    ("existing", "inputs", "text"),
    [
        pytest.param("A", CNAME, "conflicts with other records", id="cname-beside-a"),
        pytest.param("CNAME", A, "a conflicting RRSet of type CNAME", id="a-beside-cname"),
        pytest.param(None, CNAME | {"name": "example.com"}, "not permitted at apex", id="cname-at-apex"),
        pytest.param(None, CNAME | {"records": ["a.net", "b.net"]}, "exactly one", id="cname-with-two-values"),
        pytest.param(None, A | {"ttl": None}, "found none in Change", id="no-ttl"),
    ],
)
def test_what_moto_lets_pass_is_refused_as_route_53_does(
    engine: EngineCalls, service: Route53Service, existing: str | None, inputs: dict[str, Any], text: str
) -> None:
    if existing is not None:
        value = "203.0.113.1" if existing == "A" else "edge.example.net"
        service.add_record(ZONE, name="www.example.com", record_type=existing, values=[value])
    with pytest.raises(AbortedError, match=text):
        engine.create(inputs)
    assert service.writes == []


def test_deleting_a_missing_record_is_fine_and_a_refresh_finds_it_gone(
    engine: EngineCalls, service: Route53Service
) -> None:
    record_id, outputs = engine.create(A)
    service.delete_record(ZONE, name="www.example.com", record_type="A")
    assert engine.read(record_id, outputs, A) == ("", {}, {})
    engine.delete(record_id, outputs)


def test_a_record_that_drifted_is_deleted_as_it_is(engine: EngineCalls, service: Route53Service) -> None:
    record_id, outputs = engine.create(A)
    service.add_record(ZONE, name="www.example.com", record_type="A", values=["203.0.113.1"], ttl=60)
    _, read, inputs = engine.read(record_id, outputs, A)
    assert engine.diff(inputs, read, A) == (["ttl", "records"], [])
    engine.delete(record_id, outputs)
    assert service.records(ZONE) == []


def test_an_alias_is_created_without_ttl_and_read_back(engine: EngineCalls, service: Route53Service) -> None:
    record_id, outputs = engine.create(ALIAS)
    (held,) = service.records(ZONE)
    assert held.alias == ("lb.elb.eu-west-1.amazonaws.com.", "Z2IFOLAFXWLO4F", True)
    _, read, inputs = engine.read(record_id, outputs, ALIAS)
    assert engine.diff(inputs, read, ALIAS) == ([], [])
    engine.delete(record_id, read)
    assert service.records(ZONE) == []


def test_text_is_quoted_at_route_53_only(engine: EngineCalls, service: Route53Service) -> None:
    inputs = A | {"type": "TXT", "records": ["heritage=edge-dns"]}
    record_id, outputs = engine.create(inputs)
    assert [record.values for record in service.records(ZONE)] == [('"heritage=edge-dns"',)]
    _, read, read_inputs = engine.read(record_id, outputs, inputs)
    assert read["records"] == ["heritage=edge-dns"]
    assert engine.diff(read_inputs, read, inputs) == ([], [])


def test_a_wildcard_is_escaped_in_listings_and_shown_as_it_is_in_outputs(
    engine: EngineCalls, service: Route53Service
) -> None:
    inputs = A | {"name": "*.Example.com."}
    record_id, outputs = engine.create(inputs)
    assert (record_id, outputs["name"], outputs["fqdn"]) == (
        f"{ZONE}_*.example.com_A",
        "*.example.com",
        "*.example.com",
    )
    assert engine.diff(inputs, outputs, inputs) == ([], [])
    listed = engine.invoke(GET_RECORDS, {"zoneId": ZONE})["resourceRecordSets"]
    assert r"\052.example.com." in [record["name"] for record in listed]
    engine.delete(record_id, outputs)
    assert service.records(ZONE) == []


def test_a_record_is_imported_by_zone_name_and_type(engine: EngineCalls, service: Route53Service) -> None:
    service.add_record(ZONE, name="www.example.com", record_type="A", values=["203.0.113.7", "203.0.113.9"])
    record_id, outputs, inputs = engine.read(f"{ZONE}_www.example.com_A")
    assert record_id == f"{ZONE}_www.example.com_A"
    assert engine.diff(inputs, outputs, A) == ([], [])
    assert engine.read(f"{ZONE}_www.example.com_AAAA") == ("", {}, {})
    assert engine.read("ZUNKNOWN_www.example.com_A") == ("", {}, {})
    with pytest.raises(AbortedError, match="expected ZONEID_RECORDNAME_TYPE"):
        engine.read("www.example.com")


def test_a_bulk_lookup_is_complete(engine: EngineCalls, service: Route53Service) -> None:
    for index in range(701):
        service.add_record(ZONE, name=f"n{index}.example.com", record_type="A", values=["203.0.113.7"])
    listed = engine.invoke(GET_RECORDS, {"zoneId": ZONE})["resourceRecordSets"]
    assert len({record["name"] for record in listed if record["type"] == "A"}) == 701


def test_a_zone_is_looked_up_by_id_and_by_name(engine: EngineCalls, service: Route53Service) -> None:
    private = service.add_zone("example.com", private=True)
    assert engine.invoke(GET_ZONE, {"zoneId": ZONE})["name"] == "example.com"
    public = engine.invoke(GET_ZONE, {"name": "example.com"})
    assert (public["zoneId"], public["privateZone"], len(public["nameServers"])) == (ZONE, False, 4)
    assert engine.invoke(GET_ZONE, {"name": "example.com.", "privateZone": True})["zoneId"] == private
    with pytest.raises(AbortedError, match="NoSuchHostedZone"):
        engine.invoke(GET_ZONE, {"zoneId": "ZUNKNOWN"})
    with pytest.raises(AbortedError, match="exactly one of zoneId and name"):
        engine.invoke(GET_ZONE, {})


def test_roles_are_assumed_one_after_the_other(service: Route53Service) -> None:
    roles = [{"roleArn": f"arn:aws:iam::123456789012:role/{name}", "externalId": "external"} for name in ("a", "b")]
    endpoints = [{"route53": service.url, "sts": service.url}]
    settings = settings_of(service) | {"assumeRoles": json.dumps(roles), "endpoints": json.dumps(endpoints)}
    EngineCalls(AwsProvider(), settings).create(A)
    assert len(service.records(ZONE)) == 1
    assert [request.path for request in service.writes][:2] == ["/", "/"]


def test_settings_that_are_not_json_are_named(service: Route53Service) -> None:
    engine = EngineCalls(AwsProvider(), settings_of(service) | {"endpoints": "[{"})
    with pytest.raises(AbortedError, match="aws:endpoints is not JSON"):
        engine.create(A)


def test_a_failing_api_is_one_clear_line_without_secrets(engine: EngineCalls, service: Route53Service) -> None:
    service.inject(Fault(method="GET", status=403, body="<html>denied</html>", content_type="text/html"))
    with pytest.raises(AbortedError, match="reading Route 53 Hosted Zone") as raised:
        engine.create(A)
    assert "\n" not in str(raised.value)
    assert "secret-key" not in str(raised.value)


def test_the_order_of_values_is_kept(engine: EngineCalls, service: Route53Service) -> None:
    _, outputs = engine.create(A)
    assert outputs["records"] == A["records"]
    assert service.records(ZONE) == [
        HostedRecord(name="www.example.com", type="A", values=("203.0.113.7", "203.0.113.9"), ttl=300, alias=None)
    ]


def test_a_call_takes_no_longer_than_the_environment_says(
    engine: EngineCalls, service: Route53Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(API_TIMEOUT_VARIABLE, "0.1")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    # All calls are delayed, so that none that should pass depends on the speed of the machine.
    service.inject(Fault(delay_seconds=3600, times=10))
    with pytest.raises(AbortedError, match=r"reading Route 53 Hosted Zone .*: Read timeout"):
        engine.create(A)
