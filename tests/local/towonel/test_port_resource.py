"""The port resource against the hub emulator."""

from typing import Any

import pytest

from edge_dns.hub import HubClient
from edge_dns.hub.errors import HubConflict
from local.hub_emulator import EMPTY_404, Edge, Fault, HubEmulator
from local.hub_emulator.replies import error
from providers.towonel.errors import PluginError
from providers.towonel.port_resource import PortResource
from tests.local.towonel.recorded_log import Lines

PORTS = PortResource()


@pytest.fixture
def tenant(hub: HubEmulator) -> str:
    hub.settings.edges = (Edge(node_id="n" * 64, region="EU", public_ips=("203.0.113.2",)),)
    return hub.create("a.x.test").tenant_id


def inputs(tenant: str, **others: Any) -> dict[str, Any]:
    checked, failures = PORTS.check({"tenantId": tenant, "protocol": "tcp", "label": "net/app/ssh", **others})
    assert not failures
    return dict(checked)


def test_a_create_reserves_and_tells_address_and_edge(client: HubClient, log: Lines, tenant: str) -> None:
    live = PORTS.create(client, inputs(tenant, preferred=2222), log)
    assert live.resource_id == f"{tenant}/tcp/2222"
    assert (live.outputs["port"], live.outputs["ip"]) == (2222, "203.0.113.2")
    assert live.outputs["edgeAddresses"] == ("203.0.113.2",)


def test_a_create_takes_up_what_an_interrupted_create_left(
    hub: HubEmulator, client: HubClient, log: Lines, tenant: str
) -> None:
    first = PORTS.create(client, inputs(tenant), log)
    again = PORTS.create(client, inputs(tenant), log)
    assert again.resource_id == first.resource_id
    assert len(hub.ports) == 1


def test_another_preferred_port_is_reserved_before_the_old_one_is_released(
    hub: HubEmulator, client: HubClient, log: Lines, tenant: str
) -> None:
    old = PORTS.create(client, inputs(tenant, preferred=2222), log)
    hub.settings.bound_ports = frozenset({(2222, "tcp")})
    new = PORTS.create(client, inputs(tenant, preferred=3333), log)
    assert (old.outputs["port"], new.outputs["port"]) == (2222, 3333)


@pytest.mark.parametrize("reason", ["already in use", "no edge address", "port quota", "several tcp ports"])
def test_a_port_that_the_hub_does_not_give_fails_nothing_and_is_asked_for_again(
    hub: HubEmulator, client: HubClient, log: Lines, tenant: str, reason: str
) -> None:
    preferred: int | None = 2222
    if reason == "already in use":
        client.reserve_port(tenant, protocol="tcp", label="net/app/other", preferred=2222)
    elif reason == "no edge address":
        hub.settings.edges = ()
    elif reason == "port quota":
        hub.inject(Fault(method="POST", outcome=error(403, "port_quota_exceeded", "port quota of 1 reached")))
    else:
        preferred = None
        for number in (2222, 3333):
            client.reserve_port(tenant, protocol="tcp", label="net/app/ssh", preferred=number)
    live = PORTS.create(client, inputs(tenant, preferred=preferred), log)
    assert live.resource_id == f"{tenant}/tcp/unreserved"
    assert live.outputs["port"] == 0
    assert reason in str(live.outputs["refused"])
    assert reason in log.warnings[0]
    assert tenant not in log.warnings[0]
    assert PORTS.read(client, live.resource_id, live.outputs, log) == live
    PORTS.delete(client, live.outputs, log)

    hub.settings.edges = (Edge(node_id="n" * 64, region="EU", public_ips=("203.0.113.2",)),)
    outputs = PORTS.update(client, live.resource_id, live.outputs, inputs(tenant, preferred=4444), log)
    assert (outputs["port"], outputs["refused"]) == (4444, "")
    read = PORTS.read(client, live.resource_id, outputs, log)
    assert read is not None
    assert read.resource_id == f"{tenant}/tcp/4444"


def test_a_port_waits_for_its_invite(client: HubClient, log: Lines, tenant: str) -> None:
    live = PORTS.create(client, inputs(tenant) | {"tenantId": None}, log)
    assert live.outputs["refused"] == "the tunnel's invite has not been issued"
    outputs = PORTS.update(client, live.resource_id, live.outputs, inputs(tenant), log)
    assert outputs["port"] == 10000


def test_a_read_finds_the_port_or_nothing(hub: HubEmulator, client: HubClient, log: Lines, tenant: str) -> None:
    live = PORTS.create(client, inputs(tenant), log)
    read = PORTS.read(client, live.resource_id, live.outputs, log)
    assert read is not None
    assert read.outputs == live.outputs
    PORTS.delete(client, live.outputs, log)
    assert PORTS.read(client, live.resource_id, live.outputs, log) is None


def test_a_port_that_cannot_be_read_stays_as_it_was(
    hub: HubEmulator, client: HubClient, log: Lines, tenant: str
) -> None:
    live = PORTS.create(client, inputs(tenant), log)
    hub.inject(Fault(outcome=EMPTY_404))
    read = PORTS.read(client, live.resource_id, live.outputs, log)
    assert read is not None
    assert read.outputs == live.outputs
    assert "could not be read" in log.warnings[0]
    assert tenant not in log.warnings[0]


def test_an_import_finds_the_port_by_its_id(client: HubClient, log: Lines, tenant: str) -> None:
    made = PORTS.create(client, inputs(tenant, preferred=2222), log)
    live = PORTS.import_(client, made.resource_id, log)
    assert live is not None
    assert live.inputs == inputs(tenant)
    assert live.outputs["port"] == 2222
    assert PORTS.import_(client, f"{tenant}/tcp/2223", log) is None


def test_a_malformed_import_id_says_what_it_should_look_like(client: HubClient, log: Lines) -> None:
    with pytest.raises(PluginError, match="<tenant id>/tcp/2222"):
        PORTS.import_(client, "2222", log)


def test_a_port_in_use_is_kept_with_a_clear_error(hub: HubEmulator, client: HubClient, log: Lines, tenant: str) -> None:
    live = PORTS.create(client, inputs(tenant, preferred=2222), log)
    hub.settings.bound_ports = frozenset({(2222, "tcp")})
    with pytest.raises(HubConflict) as refusal:
        PORTS.delete(client, live.outputs, log)
    assert tenant not in str(refusal.value)
    assert len(hub.ports) == 1


def test_a_delete_may_be_repeated(hub: HubEmulator, client: HubClient, log: Lines, tenant: str) -> None:
    live = PORTS.create(client, inputs(tenant), log)
    for _ in range(2):
        PORTS.delete(client, live.outputs, log)
    assert hub.ports == ()


def test_an_update_keeps_the_reservation(client: HubClient, log: Lines, tenant: str) -> None:
    live = PORTS.create(client, inputs(tenant, preferred=2222), log)
    outputs = PORTS.update(client, live.resource_id, live.outputs, inputs(tenant), log)
    assert outputs["port"] == 2222
    assert "preferred" not in outputs
