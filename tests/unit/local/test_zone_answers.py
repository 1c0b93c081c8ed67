"""What stands in BIND for what an emulator holds."""

import pytest

from local.route53 import HostedRecord
from local.zone_answers import RRsetAnswer, cloudflare_answers, route53_answers

EDGE, EDGE6 = "192.0.2.80", "2001:db8::80"
TARGET, TARGET6 = "192.0.2.90", "2001:db8::90"


def cloudflare(name: str, kind: str, content: str, **more: object) -> dict[str, object]:
    return {"name": name, "type": kind, "content": content, "ttl": 1, "proxied": False, **more}


def hosted(name: str, kind: str, *values: str, ttl: int | None = 60, alias: str = "") -> HostedRecord:
    return HostedRecord(name=name, type=kind, values=values, ttl=ttl, alias=(alias, "Z1", False) if alias else None)


def rrset(name: str, kind: str, *values: str, ttl: int = 300) -> RRsetAnswer:
    return RRsetAnswer(name=name, type=kind, ttl=ttl, values=values)


@pytest.mark.parametrize(
    ("records", "answers"),
    [
        pytest.param(
            [cloudflare("a.example.com", "CNAME", "edge.example.net")],
            [rrset("a.example.com", "CNAME", "edge.example.net.")],
            id="CNAME with the automatic TTL",
        ),
        pytest.param(
            [
                cloudflare("a.example.com", "A", "192.0.2.1", ttl=120),
                cloudflare("a.example.com", "A", "192.0.2.2", ttl=60),
                cloudflare("a.example.com", "AAAA", "2001:db8::1"),
            ],
            [
                rrset("a.example.com", "A", "192.0.2.1", "192.0.2.2", ttl=60),
                rrset("a.example.com", "AAAA", "2001:db8::1"),
            ],
            id="several values in one RRset",
        ),
        pytest.param(
            [
                cloudflare("a.example.com", "A", "203.0.113.1", proxied=True),
                cloudflare("a.example.com", "A", "203.0.113.2", proxied=True),
            ],
            [rrset("a.example.com", "A", EDGE), rrset("a.example.com", "AAAA", EDGE6)],
            id="proxied: the edge, of both families",
        ),
        pytest.param(
            [cloudflare("*.a.example.com", "CNAME", "edge.example.net", proxied=True)],
            [rrset("*.a.example.com", "A", EDGE), rrset("*.a.example.com", "AAAA", EDGE6)],
            id="proxied wildcard CNAME",
        ),
        pytest.param(
            [cloudflare("example.com", "CNAME", "edge.example.net"), cloudflare("example.com", "TXT", "plain")],
            [
                rrset("example.com", "A", TARGET),
                rrset("example.com", "AAAA", TARGET6),
                rrset("example.com", "TXT", '"plain"'),
            ],
            id="CNAME at the apex, flattened",
        ),
        pytest.param(
            [
                cloudflare("t.example.com", "TXT", '"quoted"'),
                cloudflare("u.example.com", "TXT", 'say "hi"'),
                cloudflare("m.example.com", "MX", "mail.example.net", priority=10),
            ],
            [
                rrset("m.example.com", "MX", "10 mail.example.net."),
                rrset("t.example.com", "TXT", '"quoted"'),
                rrset("u.example.com", "TXT", '"say \\"hi\\""'),
            ],
            id="texts and mail servers",
        ),
    ],
)
def test_cloudflare_answers(records: list[dict[str, object]], answers: list[RRsetAnswer]) -> None:
    assert list(cloudflare_answers("example.com", records)) == answers


@pytest.mark.parametrize(
    ("records", "answers"),
    [
        pytest.param(
            [hosted("a.example.org", "CNAME", "edge.example.net"), hosted("b.example.org", "CNAME", "x.example.net.")],
            [
                rrset("a.example.org", "CNAME", "edge.example.net.", ttl=60),
                rrset("b.example.org", "CNAME", "x.example.net.", ttl=60),
            ],
            id="CNAME with and without the last dot",
        ),
        pytest.param(
            [
                hosted("a.example.org", "A", ttl=None, alias="lb.example.net."),
                hosted("a.example.org", "AAAA", ttl=None, alias="lb.example.net."),
            ],
            [rrset("a.example.org", "A", TARGET, ttl=60), rrset("a.example.org", "AAAA", TARGET6, ttl=60)],
            id="aliases",
        ),
        pytest.param(
            [hosted("*.a.example.org", "TXT", '"marker"')],
            [rrset("*.a.example.org", "TXT", '"marker"', ttl=60)],
            id="text",
        ),
    ],
)
def test_route_53_answers(records: list[HostedRecord], answers: list[RRsetAnswer]) -> None:
    assert list(route53_answers(records)) == answers
