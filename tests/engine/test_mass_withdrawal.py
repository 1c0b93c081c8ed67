"""Mass withdrawal by each cause: stopped with the number, the cause and the names; once acknowledged it is done."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

import pytest

from tests.engine.conftest import World
from tests.engine.evidence import Holdings, assert_one_message, resources
from tests.engine.test_hub_faults import empty_account
from tests.fault_table import Row

UPDATE = ("--skip-preview",)
ROUTED = [f"r{number}.example.com" for number in range(6)]
TUNNELLED = [f"t{number}.example.com" for number in range(5)]
TEN = [f"n{number}.example.com" for number in range(10)]
STAYS = "stay.example.org"
EVERYTHING = {*ROUTED, *TUNNELLED, STAYS}


def _gateways(world: World, *, name: str = "front", hostnames: list[str] = ROUTED, address: str = "8.8.8.8") -> None:
    world.gateways.objects.clear()
    world.gateways.gateway(name, addresses=[address])
    world.gateways.route("shop", hostnames, gateway=name)
    world.gateways.write()


def _configure(world: World, **settings: object) -> None:
    """Two tunnels beside the Gateway, one of them in the other zone."""
    world.configure(world.tunnel("app", TUNNELLED), world.tunnel("stay", [STAYS]), **settings)


Change = Callable[[World, Mapping[str, object]], AbstractContextManager[None]]
"""Brings about a cause, with these further settings, and takes it back."""


@contextmanager
def _no_objects(world: World, settings: Mapping[str, object]) -> Iterator[None]:
    world.gateways.objects.clear()
    world.gateways.write()
    _configure(world, **settings)
    yield
    _gateways(world)


@contextmanager
def _other_objects(world: World, settings: Mapping[str, object]) -> Iterator[None]:
    _gateways(world, name="other", hostnames=["other.example.org"])
    _configure(world, **settings)
    yield
    _gateways(world)


@contextmanager
def _selector(world: World, settings: Mapping[str, object]) -> Iterator[None]:
    cluster = {"name": "prod", "files": [str(world.gateways.path)], "select": {"names": ["frnt"]}}
    _configure(world, clusters=[cluster], **settings)
    yield


@contextmanager
def _no_sources(world: World, settings: Mapping[str, object]) -> Iterator[None]:
    world.configure(clusters=[], **settings)
    yield


@contextmanager
def _no_settings(world: World, settings: Mapping[str, object]) -> Iterator[None]:
    world.stack.configure(settings)
    yield


@contextmanager
def _no_zone(world: World, settings: Mapping[str, object]) -> Iterator[None]:
    _configure(world, zones=world.zones()[1:], **settings)
    yield


@contextmanager
def _no_invites(world: World, settings: Mapping[str, object]) -> Iterator[None]:
    _configure(world, **settings)
    with empty_account(world):
        yield


CAUSES: Mapping[str, tuple[Change, str, str, list[str]]] = {
    "an empty cluster": (_no_objects, "empty-desired", "6 x not-declared: Gateway prod:edge/front no longer", ROUTED),
    "another cluster": (_other_objects, "mass-delete", "6 x not-declared: Gateway prod:edge/front no longer", ROUTED),
    "a mistyped selector": (_selector, "empty-desired", "6 x not-declared: `select` of cluster prod leaves", ROUTED),
    "no tunnels and clusters": (_no_sources, "empty-desired", "6 x not-declared: cluster prod is no", [*EVERYTHING]),
    "a zone removed": (_no_zone, "mass-delete", "11 x zone-none: no zone of the settings is", [*ROUTED, *TUNNELLED]),
    "an empty hub": (_no_invites, "hub-account", "the hub shows none of the known invites", [*TUNNELLED, STAYS]),
    "no settings at all": (_no_settings, "empty-desired", "12 hostnames would be withdrawn", [*EVERYTHING]),
}

ACKNOWLEDGED = "1, acknowledged as the message says"

UNSUCCESSFUL = {"a zone removed", "an empty hub"}
"""What is withdrawn there is so under a rule of level error."""


def _acknowledged(cause: str, names: list[str]) -> Mapping[str, object]:
    """Half of the causes by the count, half by the names."""
    by_count = list(CAUSES).index(cause) % 2 == 0
    return {"safety": {"acknowledge": {"count": len(names)} if by_count else {"names": names}}}


@pytest.mark.fault(
    *(
        Row(at="F24", fault=f"mass withdrawal: {name}", sees=f"{rule}: …{told}", runs=ACKNOWLEDGED)
        for name, (_, rule, told, _) in CAUSES.items()
    )
)
def test_each_cause_is_stopped_with_number_cause_and_names_and_done_once_that_is_acknowledged(world: World) -> None:
    _gateways(world)
    _configure(world)
    world.up(*UPDATE)
    assert world.names() == EVERYTHING

    state, held = resources(world), Holdings.of(world)
    for change, rule, cause, names in CAUSES.values():
        with change(world, {}):
            run = world.stack.up(*UPDATE)
        shown = sorted(names)[:20]
        assert_one_message(run, rule, cause, *shown, f"safety.acknowledge.count to {len(names)},")
        assert (resources(world), Holdings.of(world)) == (state, held)

    # An empty list alone is no proof: each known invite is asked for by its id.
    _configure(world)
    world.services.hub.settings.list_content = "empty"
    assert world.up(*UPDATE).steps == ()
    world.services.hub.settings.list_content = "normal"

    for cause, (change, _, _, names) in CAUSES.items():
        with change(world, _acknowledged(cause, names)):
            run = world.stack.up(*UPDATE)
            assert (run.status != 0) == (cause in UNSUCCESSFUL), run.text
            assert world.names() & EVERYTHING == EVERYTHING - set(names), cause
        if cause != "no settings at all":
            _configure(world)
            world.up(*UPDATE)
            assert world.names() == EVERYTHING
    assert world.held() == set()
    assert [invite for invite in world.services.hub.invites if not invite.revoked] == []


def test_never_and_protected_names_forbid_what_needs_a_delete_and_free_asks_nobody(world: World) -> None:
    def publish(hostnames: list[str], address: str = "8.8.8.8", **safety: object) -> None:
        # A change of type without withdrawals is bug case BC-E09.
        _gateways(world, hostnames=hostnames, address=address)
        world.configure(safety=safety)

    def assert_forbidden(*parts: str) -> None:
        assert_one_message(world.stack.up(*UPDATE), "delete-forbidden", *parts)
        assert world.names() == set(TEN)

    publish(TEN, withdraw="never")
    world.up(*UPDATE)

    publish(TEN[1:], withdraw="never")
    assert_forbidden("1 x not-declared", TEN[0], "set edge-dns:safety.withdraw to guarded")
    publish(TEN, "edge.example.net", withdraw="never", maxUpdate=1)
    assert_forbidden("A 8.8.8.8 (ttl auto) becomes CNAME edge.example.net", "10 hostnames would lose a record")
    publish(TEN[1:], protect=TEN[:1], withdraw="free")
    assert_forbidden("1 hostname of safety.protect", "take them out of edge-dns:safety.protect")
    publish(TEN, "edge.example.net", protect=TEN[:1], maxUpdate=1)
    assert_forbidden(TEN[0])

    publish(TEN, "8.8.4.4", withdraw="never", maxUpdate=1)
    world.up(*UPDATE)
    assert {value for _, _, value in world.published()} == {"8.8.4.4"}
    publish(TEN[3:], "8.8.4.4")
    world.up(*UPDATE)
    assert world.names() == set(TEN[3:])
    publish(TEN[9:], "8.8.4.4", withdraw="free", minRecords=1)
    world.up(*UPDATE)
    assert world.names() == set(TEN[9:])
