"""Targets of a Gateway: kinds, normal forms, order, and what is no target."""

import pytest

from edge_dns.core.gateway_state import Address
from edge_dns.core.gateway_targets import gateway_targets


def _targets(*values: str, kind: str = "IPAddress") -> list[str]:
    found = gateway_targets([Address(type=kind, value=value) for value in values], "Gateway edge/front")
    assert found.problem is None
    return [f"{target.type} {target.value}" for target in found.values]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param([], [], id="none"),
        pytest.param(["", "."], [], id="empty values"),
        pytest.param(["192.0.2.10"], ["IPAddress 192.0.2.10"], id="IPv4"),
        pytest.param(["192.0.2.10."], ["IPAddress 192.0.2.10"], id="a trailing dot"),
        pytest.param(["lb.test."], ["Hostname lb.test"], id="a hostname, whatever its type says"),
        pytest.param(["LB.test", "lb.test"], ["Hostname lb.test"], id="letter case"),
        pytest.param(["2001:DB8::1", "2001:0db8:0:0:0:0:0:1"], ["IPAddress 2001:db8::1"], id="one IPv6 address"),
        pytest.param(["::ffff:192.0.2.10", "192.0.2.10"], ["IPAddress 192.0.2.10"], id="IPv4-mapped"),
        pytest.param(["::ffff:c000:20a"], ["IPAddress 192.0.2.10"], id="IPv4-mapped in hexadecimal"),
        pytest.param(["192.0.2.9", "192.0.2.10"], ["IPAddress 192.0.2.10", "IPAddress 192.0.2.9"], id="sorted as text"),
    ],
)
def test_addresses_become_targets_in_normal_form(values: list[str], expected: list[str]) -> None:
    assert _targets(*values) == expected


def test_the_declared_type_hostname_does_not_make_an_address_one() -> None:
    assert _targets("192.0.2.10", kind="Hostname") == ["IPAddress 192.0.2.10"]


@pytest.mark.parametrize(
    "address",
    [
        pytest.param(Address(type="NamedAddress", value="shared-v4"), id="named address"),
        pytest.param(Address(type="NamedAddress", value="lb.test"), id="named address that looks like a hostname"),
        pytest.param(Address(type="example.net/vip", value="192.0.2.10"), id="a type of an implementation"),
        pytest.param(Address(type="IPAddress", value="198.051.100.007"), id="leading zeros"),
        pytest.param(Address(type="IPAddress", value="fe80::1%eth0"), id="IPv6 zone"),
        pytest.param(Address(type="IPAddress", value="[2001:db8::1]"), id="brackets"),
        pytest.param(Address(type="IPAddress", value="192.0.2.10:443"), id="a port"),
        pytest.param(Address(type="Hostname", value="localhost"), id="a single label"),
        pytest.param(Address(type="Hostname", value="*.lb.test"), id="a wildcard"),
        pytest.param(Address(type="Hostname", value="lb..test"), id="an empty label"),
    ],
)
def test_what_is_no_target_is_a_problem_that_names_gateway_and_address(address: Address) -> None:
    found = gateway_targets([Address(type="IPAddress", value="192.0.2.1"), address], "Gateway edge/front")
    assert found.problem is not None
    assert (found.values, found.problem.rule, found.are_usable) == ((), "target-syntax", False)
    assert "Gateway edge/front" in found.problem.reason
    assert address.value in found.problem.reason


def test_addresses_and_hostnames_together_are_kept_but_not_usable() -> None:
    addresses = [Address(type="IPAddress", value=value) for value in ("2001:db8::10", "lb.test", "192.0.2.10")]
    found = gateway_targets(addresses, "Gateway edge/front")
    assert found.problem is not None
    assert (found.problem.rule, found.are_usable) == ("target-mixed-kinds", False)
    assert [target.value for target in found.values] == ["lb.test", "192.0.2.10", "2001:db8::10"]


def test_several_hostnames_are_left_to_the_conversion() -> None:
    assert _targets("b.test", "a.test") == ["Hostname a.test", "Hostname b.test"]
