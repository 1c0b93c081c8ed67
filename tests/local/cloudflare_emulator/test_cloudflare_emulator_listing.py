from typing import Any

import cloudflare
import pytest

from local.cloudflare_emulator import CloudflareEmulator
from tests.local.cloudflare_emulator.conftest import ZONE_ID


@pytest.fixture
def filled(emulator: CloudflareEmulator) -> None:
    def add(name: str, record_type: str, content: str, **more: object) -> None:
        emulator.add_record(ZONE_ID, name=name, type=record_type, content=content, **more)

    add("a", "A", "203.0.113.7", comment="Edge-DNS prod", tags=["owner:Edge", "team:a"])
    add("b", "CNAME", "edge.example.net", proxied=True, comment="by hand", tags=["owner:other"])
    add("c", "TXT", "note")


def names(client: cloudflare.Cloudflare, **query: Any) -> str:
    return "".join(record.name[0] for record in client.dns.records.list(zone_id=ZONE_ID, **query))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param({}, "abc", id="all"),
        pytest.param({"name": {"exact": "A.example.com"}}, "a", id="name-exact"),
        pytest.param({"name": {"exact": "a"}}, "", id="name-exact-relative"),
        pytest.param({"name": {"startswith": "b."}}, "b", id="name-startswith"),
        pytest.param({"name": {"endswith": ".example.com"}}, "abc", id="name-endswith"),
        pytest.param({"name": {"contains": "c.exam"}}, "c", id="name-contains"),
        pytest.param({"content": {"exact": "EDGE.example.net"}}, "b", id="content-exact"),
        pytest.param({"content": {"contains": "113"}}, "a", id="content-contains"),
        pytest.param({"comment": {"startswith": "edge-dns"}}, "a", id="comment-startswith"),
        pytest.param({"comment": {"endswith": "hand"}}, "b", id="comment-endswith"),
        pytest.param({"comment": {"present": "true"}}, "ab", id="comment-present"),
        pytest.param({"comment": {"absent": "true"}}, "c", id="comment-absent"),
        pytest.param({"tag": {"present": "owner"}}, "ab", id="tag-present"),
        pytest.param({"tag": {"absent": "team"}}, "bc", id="tag-absent"),
        pytest.param({"tag": {"exact": "owner:edge"}}, "a", id="tag-exact"),
        pytest.param({"tag": {"startswith": "owner:o"}}, "b", id="tag-startswith"),
        pytest.param({"tag": {"exact": "owner:other", "present": "team"}}, "", id="tags-all"),
        pytest.param({"tag": {"exact": "owner:other", "present": "team"}, "tag_match": "any"}, "ab", id="tags-any"),
        pytest.param({"type": "TXT"}, "c", id="type"),
        pytest.param({"proxied": True}, "b", id="proxied"),
        pytest.param({"proxied": False}, "ac", id="not-proxied"),
        pytest.param({"type": "A", "proxied": True}, "", id="match-all"),
        pytest.param({"type": "A", "proxied": True, "match": "any"}, "ab", id="match-any"),
        pytest.param({"search": "EDGE"}, "ab", id="search"),
        pytest.param({"order": "name", "direction": "desc"}, "cba", id="order"),
    ],
)
@pytest.mark.usefixtures("filled")
def test_a_listing_holds_what_its_filters_ask_for(client: cloudflare.Cloudflare, query: Any, expected: str) -> None:
    assert names(client, **query) == expected


@pytest.mark.parametrize("per_page", [7, 100, 5000])
def test_pages_together_are_complete_and_hold_nothing_twice(
    emulator: CloudflareEmulator, client: cloudflare.Cloudflare, per_page: int
) -> None:
    wanted = {f"n{index}.example.com" for index in range(101)}
    for name in wanted:
        emulator.add_record(ZONE_ID, name=name, type="A", content="203.0.113.7")
    got = [record.name for record in client.dns.records.list(zone_id=ZONE_ID, per_page=per_page)]
    assert len(got) == 101
    assert set(got) == wanted


@pytest.mark.usefixtures("filled")
def test_a_page_says_how_many_there_are(client: cloudflare.Cloudflare) -> None:
    page: Any = client.dns.records.with_raw_response.list(zone_id=ZONE_ID, page=2, per_page=2).json()
    assert page["result_info"] == {"page": 2, "per_page": 2, "count": 1, "total_count": 3, "total_pages": 2}
