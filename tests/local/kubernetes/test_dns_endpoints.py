"""Reading DNSEndpoints and who reads them: a missing CRD is an answer, a list that cannot be had is an error."""

import json
from pathlib import Path
from typing import Any

import pytest

from edge_dns.core.errors import ObservationFailed
from edge_dns.observe.dns_endpoints import read_endpoints
from local.loopback import Fault
from tests.local.kubernetes.fake_server import FakeServer
from tests.unit.dnsendpoints.test_external_dns_flags import deployment

MARKER = "edge-dns/1 edge-dns/prod TowonelTunnel/team/app"


def dnsendpoint(name: str, **annotations: str) -> dict[str, Any]:
    entry = {"dnsName": "a.example.com", "recordType": "A", "targets": ["203.0.113.7"], "recordTTL": 300}
    return {
        "metadata": {"namespace": "team", "name": name, "annotations": annotations},
        "spec": {"endpoints": [entry]},
    }


def test_objects_are_read_with_owner_and_entries_and_instances_with_their_filters(
    server: FakeServer, tmp_path: Path
) -> None:
    zones = json.dumps({"example.com": "example.com"})
    ours = dnsendpoint("ours", **{"edge-dns/marker": MARKER, "edge-dns/zones": zones})
    server.objects["dnsendpoints"] = [ours, dnsendpoint("theirs")]
    server.objects["deployments"] = [deployment("--source=crd"), deployment("--source=service")]
    found = read_endpoints([server.cluster(tmp_path)], tmp_path)["prod"]
    assert found.objects is not None
    assert {path: one.owner for path, one in found.objects.items()} == {
        "team/ours": "edge-dns/prod",
        "team/theirs": None,
    }
    assert list(found.objects["team/ours"].entries) == ["example.com/a.example.com"]
    assert [one.title for one in found.readers or ()] == ["Deployment dns/public"]


def test_without_crd_there_are_no_objects(server: FakeServer, tmp_path: Path) -> None:
    server.http.inject(Fault(path="/dnsendpoints$", status=404))
    assert read_endpoints([server.cluster(tmp_path)], tmp_path)["prod"].objects is None


def test_deployments_that_may_not_be_listed_are_left_out(server: FakeServer, tmp_path: Path) -> None:
    server.http.inject(Fault(path="/deployments$", status=403))
    told: list[str] = []
    assert read_endpoints([server.cluster(tmp_path)], tmp_path, tell=told.append)["prod"].readers is None
    assert "instances are not looked at" in "".join(told)


@pytest.mark.parametrize(("status", "said"), [(403, 'resources: ["dnsendpoints"]'), (500, "answers 500")])
def test_objects_that_cannot_be_listed_stop_the_run(server: FakeServer, tmp_path: Path, status: int, said: str) -> None:
    server.http.inject(Fault(path="/dnsendpoints$", status=status, times=5))
    with pytest.raises(ObservationFailed) as caught:
        read_endpoints([server.cluster(tmp_path)], tmp_path)
    assert said in str(caught.value)
