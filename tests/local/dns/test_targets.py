"""What is known of the targets of records: only two authoritative NXDOMAINs say that one does not exist."""

import pytest

from edge_dns.observe.dns_answers import resolver
from edge_dns.observe.targets import look_up_targets
from local.bind import NAME_SERVERS, BindServer
from local.zone_answers import RRsetAnswer


@pytest.fixture
def _zone(bind: BindServer) -> None:
    bind.push(
        "example.com",
        [
            RRsetAnswer(name="here.example.com", type="A", ttl=60, values=("192.0.2.1",)),
            RRsetAnswer(name="away.example.com", type="CNAME", ttl=60, values=("gone.example.com.",)),
            RRsetAnswer(name="text.example.com", type="TXT", ttl=60, values=('"x"',)),
        ],
    )


@pytest.mark.usefixtures("_zone")
@pytest.mark.parametrize(
    ("name", "liveness", "told"),
    [
        pytest.param("here.example.com", "exists", "A 192.0.2.1", id="an address"),
        pytest.param("away.example.com", "exists", "CNAME gone.example.com", id="a CNAME to nowhere"),
        pytest.param("text.example.com", "unknown", "no record of this type", id="another type"),
        pytest.param("gone.example.com", "nxdomain", "NXDOMAIN", id="no such name"),
    ],
)
def test_two_name_servers_decide(bind: BindServer, name: str, liveness: str, told: str) -> None:
    found = look_up_targets([name], resolver(bind.address), port=bind.port)[name]
    assert (found.liveness, found.told) == (liveness, tuple(f"{host}:{bind.port}: {told}" for host in NAME_SERVERS))


def test_servers_that_cannot_be_found_or_asked_leave_it_unknown(bind: BindServer) -> None:
    by = resolver(bind.address)
    names = ["app.example.net", "gone.example.com"]
    # Nothing listens at the port of a discarded packet.
    found = look_up_targets(names, by, port=9)
    assert {name: one.liveness for name, one in found.items()} == dict.fromkeys(names, "unknown")
    assert "REFUSED" in found["app.example.net"].told[0]
    assert NAME_SERVERS[0] in found["gone.example.com"].told[0]
