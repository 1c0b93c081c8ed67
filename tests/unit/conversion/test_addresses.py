"""Our table of special-purpose addresses, and the names that are never public."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.addresses import canonical, classify, internal_name, parse_address


@pytest.mark.parametrize(
    "text",
    [
        "8.8.8.8",
        "100.128.0.1",
        "172.32.0.1",
        "192.0.0.9",
        "192.0.1.1",
        "198.20.0.1",
        "223.255.255.255",
        "192.31.196.1",
        "2606:4700::1111",
        "2001:200::1",
        "2001:1::1",
        "2001:20::1",
        "2620:4f:8000::1",
        "3fff:1000::1",
        "2001:4:112::1",
        "64:ff9b::808:808",
        "2002:808:808::1",
        "::ffff:8.8.8.8",
    ],
)
def test_globally_reachable_addresses_are_global(text: str) -> None:
    assert classify(ip_address(text)).scope == "global"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0.0.0.0", "this network"),
        ("10.1.2.3", "RFC 1918"),
        ("100.64.0.1", "CGNAT"),
        ("127.0.0.1", "loopback"),
        ("169.254.169.254", "link-local"),
        ("172.31.255.255", "RFC 1918"),
        ("192.0.0.8", "RFC 6890"),
        ("192.88.99.1", "6to4 relay"),
        ("192.168.10.20", "RFC 1918"),
        ("198.19.0.1", "benchmarking"),
        ("224.0.0.251", "multicast"),
        ("239.1.1.1", "multicast"),
        ("240.0.0.1", "reserved"),
        ("255.255.255.255", "limited broadcast"),
        ("::", "unspecified"),
        ("::1", "loopback"),
        ("::8.8.8.8", "outside the global unicast space"),
        ("100::1", "discard-only"),
        ("100:0:0:1::1", "dummy"),
        ("2001::1", "Teredo"),
        ("2001:2::1", "benchmarking"),
        ("2001:5::1", "IETF protocol assignments"),
        ("2001:10::1", "ORCHID"),
        ("4000::1", "outside the global unicast space"),
        ("5f00::1", "segment routing"),
        ("fd00::1", "unique local"),
        ("fe80::1", "link-local"),
        ("fec0::1", "site-local"),
        ("ff02::fb", "multicast"),
        ("ff0e::1", "multicast"),
        ("64:ff9b:1::808:808", "local-use NAT64"),
        ("64:ff9b::c0a8:214", "RFC 1918, embedded in IPv6"),
        ("2002:c0a8:214::1", "RFC 1918, embedded in IPv6"),
        ("2002:e000:1::1", "multicast, RFC 5771, embedded in IPv6"),
        ("::ffff:10.0.0.1", "RFC 1918, embedded in IPv6"),
    ],
)
def test_every_other_address_is_private_and_the_range_is_named(text: str, reason: str) -> None:
    found = classify(ip_address(text))
    assert found.scope == "private"
    assert reason in found.reason


@pytest.mark.parametrize(
    "text",
    ["192.0.2.1", "198.51.100.7", "203.0.113.9", "2001:db8::7", "3fff::1", "64:ff9b::c000:201", "2002:cb00:7109::1"],
)
def test_documentation_addresses_are_told_apart(text: str) -> None:
    assert classify(ip_address(text)).scope == "documentation"


@given(st.ip_addresses(v=4))
def test_an_embedded_ipv4_address_counts_as_itself(address: IPv4Address) -> None:
    number = int(address)
    embedded = [(0xFFFF << 32) | number, (0x64FF9B << 96) | number, (0x2002 << 112) | (number << 80) | 1]
    assert {classify(IPv6Address(value)).scope for value in embedded} == {classify(address).scope}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("203.0.113.7", "203.0.113.7"),
        (" 2001:DB8:0:0::7 ", "2001:db8::7"),
        ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
    ],
)
def test_the_text_of_an_address_is_canonical(text: str, expected: str) -> None:
    assert canonical(parse_address(text)) == expected


@pytest.mark.parametrize("text", ["", "203.0.113", "203.0.113.07", "203.0.113.7/32", "fe80::1%eth0", "lb.example.net"])
def test_what_is_no_address_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_address(text)


@pytest.mark.parametrize(
    ("hostname", "reason"),
    [
        ("web.team.svc.cluster.local", "suffix local"),
        ("printer.local", "suffix local"),
        ("vault.service.internal", "suffix internal"),
        ("ip-10-0-0-1.eu-west-1.compute.internal", "suffix internal"),
        ("app.localhost", "suffix localhost"),
        ("nas.home.arpa", "suffix home.arpa"),
        ("router.lan", "suffix lan"),
        ("web.team.svc", "suffix svc"),
        ("gateway", "a single label"),
        ("internal-app-1234.eu-west-1.elb.amazonaws.com", "an internal load balancer"),
        ("dualstack.internal-app-1234.cn-north-1.elb.amazonaws.com.cn", "an internal load balancer"),
    ],
)
def test_internal_names_are_recognised(hostname: str, reason: str) -> None:
    assert internal_name(hostname) == reason


@pytest.mark.parametrize(
    "hostname",
    [
        "edge-1.example.net",
        "local.example.com",
        "internal.example.com",
        "arpa.home.example",
        "internal-a.example.com",
        "app-1234.eu-west-1.elb.amazonaws.com",
        "shop.test",
        "1.0.0.10.in-addr.arpa",
    ],
)
def test_public_names_are_not_internal(hostname: str) -> None:
    assert internal_name(hostname) is None
