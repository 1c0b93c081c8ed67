"""Inputs of a port reservation, what differs, and what a preview predicts."""

from typing import Any

import pytest

from edge_dns.hub import Port
from providers.towonel import port
from providers.towonel.port import PortInputs
from providers.towonel.resource import Diff
from providers.towonel.values import UNKNOWN

TENANT = "ab" * 32
INPUTS: dict[str, Any] = {"tenantId": TENANT, "protocol": "tcp", "label": "net/app/ssh"}
OUTPUTS: dict[str, Any] = {**INPUTS, "preferred": 2222, "port": 2222, "ip": "203.0.113.2", "edgeAddresses": []}


@pytest.mark.parametrize(
    ("change", "paths"),
    [
        ({}, []),
        ({"preferred": 1024}, []),
        ({"tenantId": UNKNOWN, "protocol": UNKNOWN, "label": UNKNOWN, "preferred": UNKNOWN}, []),
        ({"tenantId": None}, []),
        ({"tenantId": "AB" * 32}, ["tenantId"]),
        ({"protocol": "sctp"}, ["protocol"]),
        ({"protocol": None}, ["protocol"]),
        ({"label": ""}, ["label"]),
        ({"preferred": 1023}, ["preferred"]),
        ({"preferred": 70000}, ["preferred"]),
        ({"preferred": 8443}, ["preferred"]),
        ({"name": "x"}, ["name"]),
    ],
    ids=str,
)
def test_what_is_wrong_is_reported_with_its_path(change: dict[str, Any], paths: list[str]) -> None:
    _, failures = PortInputs.read({**INPUTS, **change})
    assert [failure.path for failure in failures] == paths


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"preferred": 2222}, Diff()),
        ({}, Diff(updates=("preferred",))),
        ({"preferred": 3333}, Diff(updates=("preferred",), replaces=("preferred",), deletes_first=False)),
        ({"preferred": 2222, "label": "net/app/other"}, Diff(replaces=("label",))),
        ({"preferred": 2222, "protocol": "udp"}, Diff(replaces=("protocol",))),
        ({"preferred": 2222, "tenantId": "cd" * 32}, Diff(replaces=("tenantId",))),
        ({"preferred": 2222, "tenantId": UNKNOWN}, Diff(replaces=("tenantId",))),
    ],
    ids=["same", "preferred-dropped", "preferred", "label", "protocol", "tenant", "tenant-unknown"],
)
def test_diff(change: dict[str, Any], expected: Diff) -> None:
    assert port.diff(OUTPUTS, PortInputs.read({**INPUTS, **change})[0]) == expected


@pytest.mark.parametrize("change", [{}, {"preferred": 3333}, {"tenantId": "cd" * 32}], ids=["same", "port", "tenant"])
def test_a_refused_port_is_asked_for_again_in_place(change: dict[str, Any]) -> None:
    refused = port.refused(PortInputs.read({**INPUTS, "tenantId": None})[0], "taken")
    assert port.diff(refused, PortInputs.read({**INPUTS, **change})[0]) == Diff(updates=("port",))


def test_preferring_the_port_that_it_is_replaces_nothing() -> None:
    outputs = {key: value for key, value in OUTPUTS.items() if key != "preferred"}
    wanted, _ = PortInputs.read({**INPUTS, "preferred": 2222})
    assert port.diff(outputs, wanted) == Diff(updates=("preferred",))


@pytest.mark.parametrize(("preferred", "number"), [({}, UNKNOWN), ({"preferred": 2222}, 2222)], ids=["any", "wanted"])
def test_the_number_of_a_create_is_predicted_when_it_is_preferred(preferred: dict[str, Any], number: Any) -> None:
    predicted = port.predict_create(PortInputs.read({**INPUTS, **preferred})[0])
    assert (predicted["port"], predicted["ip"]) == (number, UNKNOWN)


@pytest.mark.parametrize(
    ("ip", "edge", "addresses"),
    [("203.0.113.2", (), ("203.0.113.2",)), (None, (), ()), ("203.0.113.2", ("192.0.2.1",), ("192.0.2.1",))],
)
def test_the_addresses_are_those_of_the_edge_or_else_of_the_port(
    ip: str | None, edge: tuple[str, ...], addresses: tuple[str, ...]
) -> None:
    reserved = Port(port=2222, protocol="tcp", ip=ip, label="l", claimed_at_ms=1, edge_addresses=edge)
    assert port.outputs_of(PortInputs.read(INPUTS)[0], reserved)["edgeAddresses"] == addresses


def test_an_id_is_read_back() -> None:
    assert port.parse_id(port.resource_id(TENANT, "udp", 2222)) == (TENANT, "udp", 2222)


@pytest.mark.parametrize(
    "text", ["", "2222", f"{TENANT}/sctp/1", f"{TENANT}/tcp/", "x/tcp/2222", f"{TENANT}/tcp/2222/"]
)
def test_what_is_no_id_is_none(text: str) -> None:
    assert port.parse_id(text) is None
