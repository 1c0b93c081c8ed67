from typing import Any

import cloudflare
import pytest

from local.cloudflare_emulator import CloudflareEmulator
from tests.local.cloudflare_emulator.conftest import ZONE_ID

A = {"type": "A", "name": "www.example.com", "content": "203.0.113.7", "ttl": 300}
AAAA = {"type": "AAAA", "name": "www.example.com", "content": "2001:db8::7", "ttl": 300}
CNAME = {"type": "CNAME", "name": "www.example.com", "content": "edge.example.net", "ttl": 1}
TXT = {"type": "TXT", "name": "www.example.com", "content": '"text"', "ttl": 1}
NS = {"type": "NS", "name": "www.example.com", "content": "ns1.example.net", "ttl": 1}
DS = {"type": "DS", "name": "www.example.com", "content": "1 13 2 ab", "ttl": 1}


def create(client: cloudflare.Cloudflare, **fields: Any) -> Any:
    return client.dns.records.create(zone_id=ZONE_ID, **fields)


def patch(client: cloudflare.Cloudflare, record_id: str, **fields: Any) -> Any:
    """PATCH as the API takes it: the client's own `edit` asks for more fields than the API does."""
    path = f"/zones/{ZONE_ID}/dns_records/{record_id}"
    return client.patch(path, cast_to=dict[str, Any], body=fields)["result"]


def error_of(raised: pytest.ExceptionInfo[cloudflare.APIStatusError]) -> tuple[int, int]:
    body: Any = raised.value.body
    assert body["success"] is False
    assert body["result"] is None
    return raised.value.status_code, body["errors"][0]["code"]


def test_a_created_record_is_returned_and_read_back_in_the_form_of_the_api(client: cloudflare.Cloudflare) -> None:
    made = create(client, **A, comment="edge-dns", tags=["owner:edge"], proxied=True)
    read: Any = client.dns.records.get(made.id, zone_id=ZONE_ID)
    assert len(made.id) == 32
    assert int(made.id, 16)
    assert read == made
    assert (read.name, read.content, read.ttl, read.proxied) == ("www.example.com", "203.0.113.7", 1, True)
    assert (read.comment, read.tags, read.proxiable) == ("edge-dns", ["owner:edge"], True)


@pytest.mark.parametrize(
    ("fields", "name", "content"),
    [
        pytest.param({"name": "WWW.Example.COM"}, "www.example.com", "203.0.113.7", id="case"),
        pytest.param({"name": "www"}, "www.example.com", "203.0.113.7", id="relative"),
        pytest.param({"name": "@"}, "example.com", "203.0.113.7", id="apex"),
        pytest.param({"name": "*.example.com"}, "*.example.com", "203.0.113.7", id="wildcard"),
        pytest.param({"name": "bücher.example.com"}, "xn--bcher-kva.example.com", "203.0.113.7", id="idn"),
        pytest.param(
            {"type": "CNAME", "content": "Edge.Example.NET."}, "www.example.com", "edge.example.net", id="cname"
        ),
        pytest.param({"type": "AAAA", "content": "2001:DB8:0::7"}, "www.example.com", "2001:db8::7", id="aaaa"),
    ],
)
def test_names_and_contents_come_back_in_normal_form(
    client: cloudflare.Cloudflare, fields: dict[str, str], name: str, content: str
) -> None:
    made = create(client, **(A | fields))
    assert (made.name, made.content) == (name, content)


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        pytest.param(A, CNAME, 81053, id="cname-beside-a"),
        pytest.param(AAAA, CNAME, 81053, id="cname-beside-aaaa"),
        pytest.param(CNAME, CNAME | {"content": "other.example.net"}, 81053, id="second-cname"),
        pytest.param(CNAME, A, 81054, id="a-beside-cname"),
        pytest.param(CNAME, AAAA, 81054, id="aaaa-beside-cname"),
        pytest.param(A, A, 81058, id="identical"),
        pytest.param(A, A | {"name": "WWW"}, 81058, id="identical-respelled"),
        pytest.param(A, A | {"ttl": 600}, 81057, id="same-value-other-ttl"),
        pytest.param(NS, A, 81056, id="a-beside-ns"),
        pytest.param(NS, TXT, 81056, id="txt-beside-ns"),
        pytest.param(A, NS, 81053, id="ns-beside-a"),
        pytest.param(TXT, NS, 81056, id="ns-beside-txt"),
    ],
)
def test_records_that_cannot_coexist_are_refused_and_the_first_one_stays(
    client: cloudflare.Cloudflare, emulator: CloudflareEmulator, first: Any, second: Any, code: int
) -> None:
    create(client, **first)
    before = emulator.records(ZONE_ID)
    with pytest.raises(cloudflare.BadRequestError) as raised:
        create(client, **second)
    assert error_of(raised) == (400, code)
    assert emulator.records(ZONE_ID) == before


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(A, A | {"content": "203.0.113.9"}, id="two-addresses"),
        pytest.param(A, AAAA, id="both-families"),
        pytest.param(CNAME, TXT, id="cname-and-txt"),
        pytest.param(TXT, CNAME, id="txt-and-cname"),
        pytest.param(CNAME, A | {"name": "x.example.com"}, id="other-name"),
        pytest.param(NS, NS | {"content": "ns2.example.net"}, id="two-ns"),
        pytest.param(NS, DS, id="ns-and-ds"),
        pytest.param(A | {"name": "@"}, NS | {"name": "@"}, id="ns-at-the-apex"),
    ],
)
def test_records_that_may_coexist_are_accepted(client: cloudflare.Cloudflare, first: Any, second: Any) -> None:
    create(client, **first)
    create(client, **second)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        pytest.param({"ttl": 59}, 9021, id="ttl-59"),
        pytest.param({"ttl": 86401}, 9021, id="ttl-86401"),
        pytest.param({"ttl": 0}, 9021, id="ttl-0"),
        pytest.param({"content": "10.0.0.1", "proxied": True}, 9003, id="private-proxied"),
        pytest.param({"type": "TXT", "content": "x", "proxied": True}, 9004, id="txt-proxied"),
        pytest.param({"content": "2001:db8::7"}, 9005, id="ipv6-in-a"),
        pytest.param({"type": "CNAME", "content": "203.0.113.7"}, 9007, id="address-in-cname"),
        pytest.param({"type": "CNAME", "content": "WWW.example.com."}, 9039, id="cname-to-itself"),
        pytest.param({"type": "NOPE"}, 9006, id="type"),
        pytest.param({"name": "a..example.com"}, 9000, id="empty-label"),
        pytest.param({"name": "a" * 64}, 9000, id="long-label"),
        pytest.param({"comment": "x" * 101}, 9313, id="comment-101"),
        pytest.param({"type": "MX", "content": "mail.example.com"}, 9100, id="mx-without-priority"),
    ],
)
def test_an_invalid_record_is_refused(
    client: cloudflare.Cloudflare, emulator: CloudflareEmulator, fields: Any, code: int
) -> None:
    with pytest.raises(cloudflare.BadRequestError) as raised:
        create(client, **(A | fields))
    assert error_of(raised) == (400, code)
    assert emulator.records(ZONE_ID) == []


@pytest.mark.parametrize(
    "fields", [{"ttl": 60}, {"ttl": 86400}, {"ttl": 1}, {"comment": "x" * 100}, {"content": "10.0.0.1"}]
)
def test_values_at_the_limits_are_accepted(client: cloudflare.Cloudflare, fields: Any) -> None:
    create(client, **(A | fields))


def test_a_proxied_record_is_stored_with_automatic_ttl(client: cloudflare.Cloudflare) -> None:
    assert create(client, **A, proxied=True).ttl == 1


def test_patch_changes_what_it_names_and_keeps_the_rest(client: cloudflare.Cloudflare) -> None:
    made = create(client, **A, comment="kept")
    edited = patch(client, made.id, content="203.0.113.9")
    assert (edited["id"], edited["content"], edited["ttl"]) == (made.id, "203.0.113.9", 300)
    assert edited["comment"] == "kept"
    assert edited["comment_modified_on"] == edited["created_on"] < edited["modified_on"]


def test_put_resets_what_it_does_not_name(client: cloudflare.Cloudflare) -> None:
    made = create(client, **A, comment="gone")
    put: Any = client.dns.records.update(made.id, zone_id=ZONE_ID, **(A | {"content": "203.0.113.9"}))  # type: ignore[call-overload]  # fields of a table
    assert (put.id, put.content, put.comment) == (made.id, "203.0.113.9", None)


def test_a_change_may_not_break_coexistence(client: cloudflare.Cloudflare) -> None:
    create(client, **CNAME)
    other = create(client, **(A | {"name": "other"}))
    with pytest.raises(cloudflare.BadRequestError) as raised:
        patch(client, other.id, name="www")
    assert error_of(raised) == (400, 81054)


def test_delete_removes_one_record_and_a_second_delete_is_an_error(
    client: cloudflare.Cloudflare, emulator: CloudflareEmulator
) -> None:
    made = create(client, **A)
    kept = create(client, **AAAA)
    client.dns.records.delete(made.id, zone_id=ZONE_ID)
    assert [record["id"] for record in emulator.records(ZONE_ID)] == [kept.id]
    with pytest.raises(cloudflare.NotFoundError) as raised:
        client.dns.records.delete(made.id, zone_id=ZONE_ID)
    assert error_of(raised) == (404, 81044)
    with pytest.raises(cloudflare.NotFoundError) as raised:
        client.dns.records.get(made.id, zone_id=ZONE_ID)
    assert error_of(raised) == (404, 81044)


def test_data_of_structured_types_is_kept_and_joined_to_the_content(client: cloudflare.Cloudflare) -> None:
    made = create(
        client, type="CAA", name="example.com", ttl=1, data={"flags": 0, "tag": "issue", "value": "letsencrypt.org"}
    )
    assert made.content == "0 issue letsencrypt.org"
    edited = patch(client, made.id, data={"flags": 0, "tag": "issue", "value": ";"})
    assert edited["content"] == "0 issue ;"
