from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import boto3
import botocore.exceptions
import pytest
from botocore.config import Config

from local.loopback import Fault
from local.route53 import HostedRecord, Route53Service

if TYPE_CHECKING:
    from mypy_boto3_route53 import Route53Client

ZONE = "Z0123456789ABCDEFGHIJ"


@pytest.fixture
def service() -> Iterator[Route53Service]:
    with Route53Service() as running:
        running.add_zone("example.com", zone_id=ZONE)
        yield running


def client_of(service: Route53Service) -> "Route53Client":
    return boto3.client(
        "route53",
        region_name=service.region,
        endpoint_url=service.url,
        aws_access_key_id="any",
        aws_secret_access_key="any",
        config=Config(retries={"total_max_attempts": 1}),
    )


@pytest.fixture
def client(service: Route53Service) -> "Route53Client":
    return client_of(service)


def change(client: "Route53Client", action: Any, name: str, record_type: Any = "A", value: str = "203.0.113.7") -> None:
    rrset: Any = {"Name": name, "Type": record_type, "TTL": 300, "ResourceRecords": [{"Value": value}]}
    client.change_resource_record_sets(
        HostedZoneId=ZONE, ChangeBatch={"Changes": [{"Action": action, "ResourceRecordSet": rrset}]}
    )


def names(client: "Route53Client") -> list[str]:
    listed = client.list_resource_record_sets(HostedZoneId=ZONE)["ResourceRecordSets"]
    return [rrset["Name"] for rrset in listed if rrset["Type"] not in {"NS", "SOA"}]


def record(name: str, value: str = "203.0.113.7") -> HostedRecord:
    return HostedRecord(name=name, type="A", values=(value,), ttl=300, alias=None)


def test_zones_have_the_id_that_was_asked_for(service: Route53Service, client: "Route53Client") -> None:
    private = service.add_zone("example.com", private=True)
    zone = client.get_hosted_zone(Id=ZONE)["HostedZone"]
    assert (zone["Id"], zone["Name"], zone["Config"]["PrivateZone"]) == (f"/hostedzone/{ZONE}", "example.com.", False)
    assert client.get_hosted_zone(Id=private)["HostedZone"]["Config"]["PrivateZone"] is True
    assert private != ZONE


def test_a_service_sees_no_zone_of_another_one(service: Route53Service) -> None:
    with Route53Service() as other:
        assert client_of(other).list_hosted_zones()["HostedZones"] == []
    assert len(client_of(service).list_hosted_zones()["HostedZones"]) == 1


def test_names_are_listed_as_route_53_does_in_lower_case_with_the_asterisk_escaped(
    service: Route53Service, client: "Route53Client"
) -> None:
    change(client, "CREATE", "*.Example.com")
    change(client, "CREATE", "WWW.example.com.")
    assert sorted(names(client)) == [r"\052.example.com.", "www.example.com."]
    assert service.records(ZONE) == [record("*.example.com"), record("www.example.com")]


def test_a_record_can_be_deleted_and_created_again_beside_others(client: "Route53Client") -> None:
    for name in ("a.example.com", "b.example.com"):
        change(client, "CREATE", name)
    change(client, "DELETE", "a.example.com")
    change(client, "CREATE", "a.example.com")
    assert names(client) == ["a.example.com.", "b.example.com."]


def test_a_record_can_be_created_only_once(service: Route53Service, client: "Route53Client") -> None:
    service.add_record(ZONE, name="a.example.com", record_type="A", values=["203.0.113.7"])
    change(client, "CREATE", "b.example.com")
    with pytest.raises(botocore.exceptions.ClientError, match="already exists"):
        change(client, "CREATE", "b.example.com")


def test_what_somebody_else_does_is_seen_but_not_logged(service: Route53Service, client: "Route53Client") -> None:
    service.add_record(ZONE, name="*.example.com", record_type="A", values=["203.0.113.9", "203.0.113.7"], ttl=60)
    listed = client.list_resource_record_sets(HostedZoneId=ZONE)["ResourceRecordSets"]
    (rrset,) = [rrset for rrset in listed if rrset["Type"] == "A"]
    assert (rrset["Name"], rrset["TTL"]) == (r"\052.example.com.", 60)
    service.delete_record(ZONE, name="*.example.com", record_type="A")
    assert names(client) == []
    assert service.writes == []


def test_what_somebody_else_added_can_be_deleted_through_the_api(
    service: Route53Service, client: "Route53Client"
) -> None:
    service.add_record(ZONE, name="a.example.com", record_type="A", values=["203.0.113.7"])
    change(client, "DELETE", "a.example.com")
    assert service.records(ZONE) == []


def test_an_alias_is_listed_with_its_target(service: Route53Service, client: "Route53Client") -> None:
    target: Any = {
        "DNSName": "LB.elb.eu-west-1.amazonaws.com",
        "HostedZoneId": "Z2IFOLAFXWLO4F",
        "EvaluateTargetHealth": True,
    }
    rrset: Any = {"Name": "example.com", "Type": "A", "AliasTarget": target}
    client.change_resource_record_sets(
        HostedZoneId=ZONE, ChangeBatch={"Changes": [{"Action": "CREATE", "ResourceRecordSet": rrset}]}
    )
    (held,) = service.records(ZONE)
    assert held.alias == ("lb.elb.eu-west-1.amazonaws.com.", "Z2IFOLAFXWLO4F", True)
    assert (held.name, held.values, held.ttl) == ("example.com", (), None)


def test_writes_are_counted_and_faults_strike(service: Route53Service, client: "Route53Client") -> None:
    change(client, "CREATE", "a.example.com")
    names(client)
    service.inject(Fault(method="POST", path="/rrset", status=500, body="<x/>", content_type="text/xml"))
    with pytest.raises(botocore.exceptions.ClientError):
        change(client, "CREATE", "b.example.com")
    assert [write.status for write in service.writes] == [200, 500]
    assert names(client) == ["a.example.com."]


def test_the_zones_own_records_have_texts_as_values(client: "Route53Client") -> None:
    listed = client.list_resource_record_sets(HostedZoneId=ZONE)["ResourceRecordSets"]
    values = {one["Type"]: [value["Value"] for value in one["ResourceRecords"]] for one in listed}
    assert len(values["NS"]) == 4
    assert [value.split()[1:] for value in values["SOA"]] == [
        ["hostmaster.example.com.", "1", "7200", "900", "1209600", "86400"]
    ]
