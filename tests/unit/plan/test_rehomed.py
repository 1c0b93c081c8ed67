"""A record that moves between two own zones: what is deleted in the old one is told, and the guard counts it."""

from typing import Any

import pytest

from edge_dns.core.live import Live, LiveRecord, LiveZone, cloudflare_record
from tests.unit.admission.objects import gateway, route
from tests.unit.plan.world import CLOUDFLARE, Json, Run, run, settings_of

CHILD: Json = {"domain": "shop.example.com", "provider": "cloudflare", "zoneId": "z2"}
PRIVATE: Json = {"domain": "example.com", "provider": "route53", "zoneId": "ZP", "visibility": "private"}
NAME = "a.shop.example.com"


def _plan(zones: list[Json], *names: str, memory: object = None, live: Live | None = None, **settings: Any) -> Run:
    objects = [gateway(addresses=["8.8.8.8"]), route(hostnames=list(names or (NAME, "www.example.com")))]
    return run(settings_of(zones=zones, **settings), *objects, memory=memory, live=live)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        pytest.param(
            [CLOUDFLARE],
            [CLOUDFLARE, CHILD],
            "deletes A 8.8.8.8 (ttl auto) in zone example.com (z1): it moves to zone shop.example.com (z2)",
            id="a child zone is added",
        ),
        pytest.param(
            [CLOUDFLARE, CHILD],
            [CLOUDFLARE],
            "deletes A 8.8.8.8 (ttl auto) in zone shop.example.com (z2), which left the settings: "
            "it moves to zone example.com (z1)",
            id="a child zone leaves",
        ),
        pytest.param(
            [CLOUDFLARE],
            [{**CLOUDFLARE, "zoneId": "z9"}],
            "deletes A 8.8.8.8 (ttl auto) in zone example.com (z1), which left the settings: "
            "it moves to zone example.com (z9)",
            id="a zone is made anew",
        ),
    ],
)
def test_a_record_that_moves_to_another_zone_is_told_as_deleted_in_the_old_one(
    before: list[Json], after: list[Json], told: str
) -> None:
    first = _plan(before)
    moved = _plan(after, memory=first.memory)
    assert (moved.status, moved.outcome[NAME]) == (0, ("published", None))
    assert moved.reason(NAME) == f"this run {told}"
    assert _plan(after, memory=moved.memory).reason(NAME) == ""


def test_what_stays_in_its_zone_and_what_is_held_there_deletes_nothing() -> None:
    first = _plan([CLOUDFLARE])
    moved = _plan([CLOUDFLARE, CHILD], memory=first.memory)
    assert moved.reason("www.example.com") == ""
    held = _plan([CLOUDFLARE, CHILD, {**CHILD, "zoneId": "z3"}], memory=first.memory)
    assert held.outcome[NAME] == ("held", "zone-ambiguous")
    assert "this run deletes" not in held.reason(NAME)


def test_the_other_view_of_a_name_is_no_move() -> None:
    first = _plan([CLOUDFLARE])
    objects = [gateway(addresses=["8.8.8.8"]), route(hostnames=[NAME])]
    clusters = [{"name": "c1"}, {"name": "c2", "visibility": "private"}]
    both = run(
        settings_of(zones=[CLOUDFLARE, PRIVATE], clusters=clusters),
        clusters={"c1": objects, "c2": objects},
        memory=first.memory,
    )
    assert [one["reason"] for one in both.document["hostnames"] if one["hostname"] == NAME] == ["", ""]


@pytest.mark.parametrize("delegated", [False, True], ids=["not delegated", "delegated"])
def test_a_child_that_its_parent_does_not_delegate_yet_is_told(*, delegated: bool) -> None:
    first = _plan([CLOUDFLARE])
    records = [_live(NAME, "A", "8.8.8.8")]
    records += [_live("shop.example.com", "NS", "ns1.example.net")] if delegated else []
    live = Live(
        owner="edge-dns/test",
        announced=None,
        import_ids={f"z1/{NAME}": records[0].import_id},
        zones={"z1": LiveZone.of("example.com", records), "z2": LiveZone.of("shop.example.com", [])},
    )
    moved = _plan([CLOUDFLARE, CHILD], memory=first.memory, live=live)
    missing = "zone example.com does not delegate shop.example.com yet, and no resolver asks the new zone until it does"
    assert (missing in moved.reason(NAME)) is not delegated
    assert "this run deletes A 8.8.8.8 (ttl auto) in zone example.com (z1)" in moved.reason(NAME)


def _live(name: str, kind: str, content: str) -> LiveRecord:
    return cloudflare_record("z1", {"id": f"{kind}-{name}", "name": name, "type": kind, "content": content, "ttl": 1})


@pytest.mark.parametrize(
    ("safety", "rule"),
    [
        pytest.param({"minRecords": 1}, "mass-delete", id="the share of the old zone"),
        pytest.param({"protect": [NAME]}, "delete-forbidden", id="a protected name"),
        pytest.param({"withdraw": "never"}, "delete-forbidden", id="no withdrawal at all"),
    ],
)
def test_the_guard_counts_what_moves_as_withdrawn_from_the_old_zone(safety: Json, rule: str) -> None:
    first = _plan([CLOUDFLARE])
    moved = _plan([CLOUDFLARE, CHILD], memory=first.memory, safety=safety)
    assert moved.stops == [rule]
    (told,) = moved.document["errors"]
    text = " ".join(told["message"].split())
    assert "zone example.com (z1)" in text
    assert "1 x moves to zone shop.example.com (z2)" in text
