"""A preview that changes a DNSEndpoint tells what becomes of each of its names."""

from typing import Any

from edge_dns.core.resource_types import DNS_ENDPOINT
from edge_dns.core.summary import read_preview
from tests.unit.dnsendpoints.test_objects import as_state, by_endpoint, objects_of, settings_of, zone
from tests.unit.plan.world import invite
from tests.unit.summary.stream import step, stream


def endpoint(*names: str, **dns: Any) -> dict[str, Any]:
    """The inputs of the object with these names."""
    settings = settings_of(zone(), tunnels=[by_endpoint(*names, **dns)])
    (one,) = objects_of(settings, hub=[invite(*names)])
    return as_state(one)


def changes(op: str, **sides: dict[str, Any]) -> list[tuple[str, str, str]]:
    preview = read_preview(stream(step(op, DNS_ENDPOINT, "c1/shop/towonel.shop.web", **sides)))
    assert preview.others == ()
    return [(one.zone, one.hostname, one.action) for one in preview.changes]


OLD, NEW = endpoint("a.example.com", "b.example.com"), endpoint("b.example.com", "c.example.com")


def test_each_entry_that_comes_or_goes_is_a_change_of_its_own() -> None:
    assert changes("create", new=OLD) == [("example.com", name, "added") for name in ("a.example.com", "b.example.com")]
    assert changes("delete", old=OLD) == [
        ("example.com", name, "withdrawn") for name in ("a.example.com", "b.example.com")
    ]
    assert changes("update", old=OLD, new=NEW) == [
        ("example.com", "a.example.com", "withdrawn"),
        ("example.com", "c.example.com", "added"),
    ]
    changed = endpoint("a.example.com", "b.example.com", ttl=60)
    assert {action for _, _, action in changes("update", old=OLD, new=changed)} == {"changed"}


def test_a_private_zone_is_named_by_its_domain() -> None:
    tunnels = [{**by_endpoint("a.example.com"), "visibility": "private"}]
    (one,) = objects_of(settings_of(zone(visibility="private"), tunnels=tunnels))
    assert changes("create", new=as_state(one)) == [("example.com", "a.example.com", "added")]


def test_entries_that_stay_are_counted_as_unchanged() -> None:
    for op, new, expected in (("same", OLD, 2), ("update", NEW, 1)):
        preview = read_preview(stream(step(op, DNS_ENDPOINT, "c1/shop/towonel.shop.web", old=OLD, new=new)))
        assert preview.same == expected
