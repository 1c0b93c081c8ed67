"""A long random walk of three names over both providers: whatever follows on whatever, no step fails."""

from dataclasses import dataclass
from ipaddress import ip_address
from random import Random

import pytest

from tests.engine.conftest import World
from tests.engine.event_log import failed

EDGE = "edge-eu.example.net"
LABELS = ("red", "green", "blue")
ADDRESSES = ("203.0.113.1", "203.0.113.2", "2001:db8::1", "2001:db8::2")
BALANCERS = ("first-1.eu-central-1.elb.amazonaws.com", "second-1.eu-central-1.elb.amazonaws.com")
TUNNEL = "tunnel"
UPDATES = 15

Records = set[tuple[str, str]]


@dataclass(slots=True)
class Walk:
    """Where each name points at (a tunnel, addresses, one balancer, or nothing), and as what on Route 53."""

    world: World
    random: Random
    targets: dict[str, tuple[str, ...]]
    cnames: bool = False

    def step(self) -> None:
        """Let one or two names point elsewhere, at times all balancers by another type of record."""
        for label in self.random.sample(LABELS, self.random.choice([1, 2])):
            addresses = tuple(self.random.sample(ADDRESSES, self.random.randint(1, 4)))
            choices = [(TUNNEL,), (self.random.choice(BALANCERS),), addresses, addresses, ()]
            self.targets[label] = self.random.choice(choices)
        self.cnames = self.cnames != (self.random.random() < 0.25)

    def configure(self, acknowledged: list[str]) -> None:
        """Write the gateway file and the settings."""
        gateways = self.world.gateways
        gateways.objects.clear()
        gateways.gateway("aside", addresses=["203.0.113.99"])
        gateways.route("aside", ["aside.example.org"], gateway="aside")
        for label, targets in self.targets.items():
            if targets and targets != (TUNNEL,):
                gateways.gateway(label, addresses=targets)
                gateways.route(label, _hostnames(label), gateway=label)
        gateways.write()
        tunnelled = [name for label in LABELS if self.targets[label] == (TUNNEL,) for name in _hostnames(label)]
        cluster = {"name": "prod", "files": [str(gateways.path)]} | ({"recordType": "CNAME"} if self.cnames else {})
        self.world.configure(
            self.world.tunnel("app", ["aside.example.com", *tunnelled]),
            clusters=[cluster],
            safety={"acknowledge": {"names": acknowledged}} if acknowledged else {},
        )

    def wanted(self) -> dict[str, Records]:
        """Return what each hostname shall be."""
        return {name: self._records(label, name) for label in LABELS for name in _hostnames(label)}

    def _records(self, label: str, name: str) -> Records:
        targets = self.targets[label]
        if targets == (TUNNEL,):
            return {("CNAME", EDGE)}
        if len(targets) == 1 and targets[0] in BALANCERS:
            if self.cnames or name.endswith(".com"):
                return {("CNAME", targets[0])}
            return {("A", f"dualstack.{targets[0]}."), ("AAAA", f"dualstack.{targets[0]}.")}
        return {("A" if ip_address(target).version == 4 else "AAAA", target) for target in targets}

    def published(self) -> dict[str, Records]:
        """Return what each hostname is."""
        held = self.world.published()
        return {name: {(kind, value) for one, kind, value in held if one == name} for name in self.wanted()}

    def update(self, acknowledged: list[str]) -> list[str]:
        """Update; returns the hostnames that are held for a transition of type. No step has failed."""
        self.configure(acknowledged)
        run = self.world.stack.up("--skip-preview")
        assert failed(self.world.stack.folder / "events.json") == [], run.text
        held = [name for name, (_, rule) in self.world.told().items() if rule == "type-transition"]
        assert (run.status != 0) == bool(set(held) - set(acknowledged)), run.text
        return held


def _hostnames(label: str) -> list[str]:
    return [f"{label}.example.com", f"{label}.example.org"]


@pytest.mark.timeout(1800)
def test_no_sequence_of_targets_makes_a_step_fail_or_leaves_anything_to_do(world: World) -> None:
    walk = Walk(world=world, random=Random(4), targets=dict.fromkeys(LABELS, ()))
    held: list[str] = []
    for _ in range(UPDATES):
        if held:
            assert set(walk.update(held)) == set(held)
            assert walk.update(held) == []
            assert walk.published() == walk.wanted()
        walk.step()
        before = walk.published()
        held = walk.update([])
        wanted = walk.wanted()
        assert all(len(before[name]) > 1 and {kind for kind, _ in wanted[name]} == {"CNAME"} for name in held)
        assert walk.published() == {**wanted, **{name: before[name] for name in held}}
        world.assert_settled()
