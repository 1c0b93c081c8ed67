import pytest

from edge_dns.core.host_port import HostPort, parse_host_port


@pytest.mark.parametrize(
    ("text", "expected", "written"),
    [
        ("ns1.example.net", HostPort("ns1.example.net", 53), "ns1.example.net:53"),
        (" NS1.Example.net.:5353 ", HostPort("ns1.example.net", 5353), "ns1.example.net:5353"),
        ("localhost:5353", HostPort("localhost", 5353), "localhost:5353"),
        ("192.0.2.53", HostPort("192.0.2.53", 53), "192.0.2.53:53"),
        ("192.0.2.53:65535", HostPort("192.0.2.53", 65535), "192.0.2.53:65535"),
        ("2001:DB8:0::1", HostPort("2001:db8::1", 53), "[2001:db8::1]:53"),
        ("[2001:db8::1]", HostPort("2001:db8::1", 53), "[2001:db8::1]:53"),
        ("[2001:db8::1]:5353", HostPort("2001:db8::1", 5353), "[2001:db8::1]:5353"),
    ],
)
def test_a_server_is_an_address_or_a_name_with_or_without_port(text: str, expected: HostPort, written: str) -> None:
    assert parse_host_port(text) == expected
    assert str(expected) == written
    assert parse_host_port(written) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":53",
        "ns1.example.net:",
        "ns1.example.net:0",
        "ns1.example.net:65536",
        "ns1.example.net:dns",
        "192.0.2.999",
        "2001:db8::1:2:3:4:5:6:7:8",
        "[ns1.example.net]:53",
        "[2001:db8::1",
        "ns_1.example.net",
        "*.example.net",
        "udp://192.0.2.53",
        "192.0.2.53 53",
    ],
)
def test_everything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no server: host or host:port"):
        parse_host_port(text)
