"""One environment in two stacks, by zone: they share the hub and the Gateways, and neither touches the other's."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from local.bind import BindServer
from local.stack import Run
from local.zone_answers import RRsetAnswer
from tests.engine.conftest import CLOUDFLARE_ZONE, EDGE_TARGETS, ROUTE53_ZONE, WatchedStack, World

THIRD_ZONE = "example.net"
FOURTH_ZONE = "example.dev"
OLD, NEW = [CLOUDFLARE_ZONE, ROUTE53_ZONE, THIRD_ZONE], [FOURTH_ZONE]
MOVING = [ROUTE53_ZONE, THIRD_ZONE]
ADDRESS = "203.0.113.7"
NAMES = {zone: [f"{name}.{zone}" for name in ("api", "shop")] for zone in [*OLD, *NEW]}


@pytest.fixture
def bind() -> Iterator[BindServer]:
    """The name server of the edge that the tunnels' records point at."""
    with BindServer(["example.net"]) as server:
        server.push("example.net", [RRsetAnswer(name=EDGE_TARGETS["EU"], type="A", ttl=60, values=("192.0.2.1",))])
        yield server


class Shards:
    """Two stacks of one environment: `old` has three zones at first, `new` the fourth."""

    def __init__(self, world: World) -> None:
        for name in (THIRD_ZONE, FOURTH_ZONE):
            world.services.cloudflare.add_zone(name)
        self.world = world
        self.old = world.stack
        self.new = WatchedStack(world.stack.folder.parent / "new", world.services.provider_config, "new")
        self.new.foreign = world.foreign
        world.gateways.gateway("front", addresses=[ADDRESS])

    def route(self, hostnames: Sequence[str]) -> None:
        """Let one route of the shared Gateway name these hostnames."""
        self.world.gateways.route("all", hostnames, gateway="front")
        self.world.gateways.write()

    def configure(
        self, stack: Any, zones: Sequence[str], elsewhere: Sequence[str], tunnel: str, **settings: object
    ) -> None:
        """Write the settings of one of both, with a tunnel of its own."""
        stack.configure(
            {
                "hub": dict(self.world.services.hub_settings),
                "edgeTargets": EDGE_TARGETS,
                "zones": [self._zone(one) for one in zones],
                "elsewhere": list(elsewhere),
                "clusters": [{"name": "prod", "files": [str(self.world.gateways.path)]}],
                "tunnels": [self.world.tunnel(tunnel.partition(".")[0], [tunnel])],
                **settings,
            }
        )

    def configure_old(self, zones: Sequence[str], elsewhere: Sequence[str], **settings: object) -> None:
        self.configure(self.old, zones, elsewhere, f"old.{CLOUDFLARE_ZONE}", **settings)

    def configure_new(self, zones: Sequence[str], elsewhere: Sequence[str], **settings: object) -> None:
        self.configure(self.new, zones, elsewhere, f"new.{FOURTH_ZONE}", **settings)

    def _zone(self, domain: str) -> Mapping[str, object]:
        provider = "route53" if domain == ROUTE53_ZONE else "cloudflare"
        return {"domain": domain, "provider": provider, "zoneId": self.world.services.zone_ids[domain]}

    def ids(self) -> dict[str, object]:
        """What the providers hold of this environment: at Cloudflare the record's id by name, at Route 53 its values.

        Markers are left out.
        """
        services, foreign = self.world.services, self.world.foreign
        zones = [CLOUDFLARE_ZONE, THIRD_ZONE, FOURTH_ZONE]
        every = [one for zone in zones for one in services.cloudflare.records(services.zone_ids[zone])]
        at_cloudflare, at_route53 = foreign.without(every, services.route53.records(services.zone_ids[ROUTE53_ZONE]))
        return {str(one["name"]): one["id"] for one in at_cloudflare} | {
            one.name: one.values for one in at_route53 if one.type not in {"NS", "SOA", "TXT"}
        }

    def assert_without_orphans(self, bind: BindServer) -> None:
        """The audit of neither stack finds anything, of its own or of the other."""
        for stack in (self.old, self.new):
            options = ("--stack", stack.name, "--config-file", str(stack.config_file), "--resolver", bind.address)
            with stack.command("audit", "orphans", *options) as process:
                out, err = process.communicate()
            assert process.returncode == 0, out + err


def _up(stack: Any) -> Run:
    run: Run = stack.up("--skip-preview")
    assert run.status == 0, run.text
    return run


def _assert_settled(*stacks: Any) -> None:
    for stack in stacks:
        run = stack.preview("--expect-no-changes")
        assert (run.status, run.steps) == (0, ()), run.text


def _said(run: Run) -> str:
    return " ".join(run.text.split())


def _of_zones(stack: Any, zones: Sequence[str]) -> list[str]:
    """The URNs of the stack's records in these zones, of markers too."""
    urns = [one["urn"] for one in json.loads(stack.state())["deployment"]["resources"]]
    return [urn for urn in urns if urn.partition("#")[0].endswith(tuple(f".{zone}" for zone in zones))]


def _steps(run: Run) -> set[tuple[str, str]]:
    """Operation and hostname (or marker) of each step on a record."""
    return {(one.op, one.name.rpartition("/")[2]) for one in run.steps if "ecord" in one.type.rpartition(":")[2]}


def test_two_stacks_share_an_environment_by_zone_and_hand_zones_over_without_deleting_a_record(
    world: World, bind: BindServer
) -> None:
    shards = Shards(world)
    old, new, services = shards.old, shards.new, world.services
    every = [name for names in NAMES.values() for name in names]
    shards.route(every)
    shards.configure_old(OLD, NEW)
    shards.configure_new(NEW, OLD)

    # Each publishes its own zones, and neither fails for the other's.
    run = _up(old)
    assert "zone-elsewhere: left to another stack by edge-dns:elsewhere: 2 hostnames of example.dev" in _said(run)
    assert run.messages == ()
    assert shards.ids().keys() == {name for zone in OLD for name in NAMES[zone]} | {"old.example.com"}
    run = _up(new)
    assert run.messages == ()
    assert shards.ids().keys() == {*every, "old.example.com", "new.example.dev"}
    _assert_settled(old, new)
    assert [stack.outputs()["hostnames"] for stack in (old, new)] == [{}, {}]
    assert "api.example.dev" not in old.state()
    assert "api.example.com" not in new.state()
    assert len(_of_zones(old, MOVING)) == 6  # of four records two have a marker of their own
    shards.assert_without_orphans(bind)

    # A hostname that goes is withdrawn by its own stack alone; the tunnels and their invites are left alone.
    hub_writes = services.hub.writes
    shards.route([name for name in every if name != "api.example.dev"])
    before = shards.ids()
    assert _up(old).steps == ()
    assert shards.ids() == before
    assert _steps(_up(new)) == {("delete", "api.example.dev")}
    assert before.keys() - shards.ids().keys() == {"api.example.dev"}
    assert services.hub.writes == hub_writes

    # Moved without a release the zones stop the run, before any change.
    held, writes = shards.ids(), services.write_count
    shards.configure_old([CLOUDFLARE_ZONE], [*NEW, *MOVING])
    run = old.up("--skip-preview")
    assert run.status != 0
    assert "zone-moved: edge-dns:elsewhere leaves the names of example.net to another stack" in _said(run)
    assert (shards.ids(), services.write_count) == (held, writes)

    # 1. The old stack releases them in two updates: their markers go, and then it knows them no more.
    deletes = len([one for one in services.cloudflare.writes if one.method == "DELETE"])
    shards.configure_old(OLD, NEW, release=[{"zone": zone} for zone in MOVING])
    at_route53 = len(services.route53.writes)
    _up(old)
    assert shards.ids() == held
    assert len(services.route53.writes) - at_route53 == len(NAMES[ROUTE53_ZONE])  # the TXT markers
    writes = services.write_count
    _up(old)
    assert (shards.ids(), services.write_count) == (held, writes)
    assert _of_zones(old, MOVING) == []

    # 2. The new stack adopts them.
    shards.configure_new([*NEW, *MOVING], [CLOUDFLARE_ZONE], adopt=[{"zone": zone} for zone in MOVING])
    preview = new.preview()
    moved = {name for zone in MOVING for name in NAMES[zone]}
    steps = _steps(preview)
    assert {name for op, name in steps if op == "import"} == moved
    assert {op for op, _ in steps} <= {"import", "update", "create"}
    at_route53 = len(services.route53.writes)
    _up(new)
    assert shards.ids() == held
    assert len(services.route53.writes) - at_route53 == len(NAMES[ROUTE53_ZONE])

    # 3. and 4. The old stack leaves them to it, and the entries go.
    shards.configure_old([CLOUDFLARE_ZONE], [*NEW, *MOVING])
    writes = services.write_count
    left = _up(old).steps
    assert [one.type for one in left] == ["pulumi:providers:aws"]  # nothing needs it any more
    shards.configure_new([*NEW, *MOVING], [CLOUDFLARE_ZONE])
    assert _up(new).steps == ()
    assert (shards.ids(), services.write_count) == (held, writes)
    assert len([one for one in services.cloudflare.writes if one.method == "DELETE"]) == deletes
    _assert_settled(old, new)
    shards.assert_without_orphans(bind)

    # From now on the new stack follows their hostnames.
    shards.route([name for name in every if name not in {"api.example.dev", "api.example.net", "api.example.org"}])
    assert _up(old).steps == ()
    assert shards.ids() == held
    _up(new)
    assert held.keys() - shards.ids().keys() == {"api.example.net", "api.example.org"}
