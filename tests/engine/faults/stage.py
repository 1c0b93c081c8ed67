"""A stack on which fault follows fault: what it wants at each step, and what must hold after a fault and at the end."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from local.stack import STACK, Run
from tests import fault_table
from tests.engine.conftest import CLOUDFLARE_ZONE, ROUTE53_ZONE, World
from tests.engine.evidence import errors_of
from tests.fault_table import ANY, Row
from tests.processes import until

AFTER_DELETION = "1, after the invite that a run names is deleted on the hub"
"""How many further runs, and after what, where nobody has the token of an invite."""

BASE = frozenset(f"{name}.example.{tld}" for name in ("app", "stay") for tld in ("com", "org"))
NEW = frozenset({"new.example.com", "new.example.org", "fresh.example.com"})
MORE = "more.example.com"
WANTED: Mapping[str, frozenset[str]] = {
    "base": BASE,
    "create": BASE | NEW,
    "update": BASE | NEW | {MORE},
    "delete": BASE,
    "destroy": frozenset(),
}
"""The hostnames that a stack should publish after each step."""

ADDRESS, MOVED = "203.0.113.9", "203.0.113.10"
CLOUDFLARE, ROUTE53, HUB = "Cloudflare", "Route 53", "the hub"
SERVICES = {CLOUDFLARE: "DNS record", ROUTE53: "Route53", HUB: "/v1/"}
"""What an error holds that tells of a call to each service."""

_FOLDS = (
    (re.compile(r" \[x-request-id [^\]]*\]"), ""),
    (re.compile(r"/\S+/(?=pulumi-resource-)"), f"{ANY}/"),
    (re.compile(r"127\.0\.0\.1:\d+"), f"127.0.0.1:{ANY}"),
    (re.compile(r"\b[0-9a-f]{32}\b"), ANY),
    (re.compile(r"(?<=/v1/invites/)[\w-]{22}"), ANY),
    (re.compile(r"(?<=the invite )[\w-]{22}"), ANY),
    (re.compile(r"\([\w-]{22}\)"), f"({ANY})"),
)


@dataclass(slots=True)
class Stage:
    """The world of a test, the step that it is at, and what was published before that."""

    world: World
    item: pytest.Item
    step: str = "base"
    healthy: frozenset[str] = frozenset()

    def want(self, step: str) -> None:
        """Write the settings of a step, and remember what is published before it."""
        self.step, self.healthy = step, frozenset(self.world.names())
        gateways = self.world.gateways
        gateways.objects.clear()
        gateways.gateway("front", addresses=["203.0.113.7"])
        gateways.route("stay", ["stay.example.com", "stay.example.org"], gateway="front")
        tunnels = [self.world.tunnel("app", ["app.example.com", "app.example.org"])]
        if step in {"create", "update"}:
            gateways.gateway("moving", addresses=[MOVED if step == "update" else ADDRESS])
            gateways.route("new", ["new.example.com", "new.example.org"], gateway="moving")
            tunnels.append(self.world.tunnel("fresh", sorted({"fresh.example.com", MORE} & WANTED[step])))
        gateways.write()
        self.world.configure(*tunnels)

    def run(self, *flags: str) -> Run:
        """Update, or destroy at that step; whatever its end, nothing is lost and nothing wrongly published."""
        return self.harmless(self.operate(*flags))

    def operate(self, *flags: str) -> Run:
        """Update, or destroy at that step."""
        stack = self.world.stack
        return (stack.destroy if self.step == "destroy" else stack.up)("--skip-preview", *flags)

    def harmless(self, run: Run) -> Run:
        """Return the run after a look at what it left: nothing is lost, nothing wrongly published, no traceback."""
        assert (self.lost(), self.wrong()) == (set(), set()), run.text
        assert "Traceback" not in run.text, run.text
        return run

    def calm(self) -> None:
        """End all faults; a call that was delayed is done now."""
        services = self.world.services
        servers = (services.hub, services.cloudflare, services.route53)
        for server in servers:
            server.clear_faults()
        until(lambda: not any(server.waiting for server in servers), "the delayed calls are over")

    def assert_remedy_is_told(self) -> None:
        """A preview says of records that the state holds and no zone any more how to go on."""
        said = " ".join(self.world.stack.preview().text.split())
        assert re.search(r": drift: \S+ \S+ is gone at the provider; `pulumi up --refresh` puts it right", said), said

    def lost(self) -> set[str]:
        """Hostnames that were published, are declared still, and have no record any more."""
        return set(self.healthy & WANTED[self.step]) - self.world.names()

    def wrong(self) -> set[str]:
        """Hostnames with a record that nothing declares, or a new one of a tunnel that the hub does not confirm."""
        new, holder = self.world.names() - self.healthy, self.world.services.hub.holder
        of_tunnels = {name for name in new if name.startswith(("app", "fresh", "more"))}
        return (new - WANTED[self.step]) | {name for name in of_tunnels if not holder(name)}

    def assert_left_over_invite_is_told(self) -> None:
        """The next run takes over all but the invite whose token nobody has: it says which one, and what to do."""
        hub = self.world.services.hub
        (left,) = (invite for invite in hub.invites if invite.name == "team/fresh")
        run = self.run()
        assert run.status != 0
        told = " ".join(errors_of(run)[0].split())
        assert f"fresh.example.com: refused: host-taken: the invite 'team/fresh' ({left.invite_id}) of the hub" in told
        assert "or by an interrupted create: delete it on the hub, then run again" in told
        assert self.world.names() == WANTED["create"] - {"fresh.example.com"}
        assert hub.invite(left.invite_id) == left
        hub.revoke(left.invite_id)

    def settled(self) -> None:
        """Everything is as wanted, nothing is left that no state knows, and one more preview is empty."""
        world = self.world
        assert world.names() == WANTED[self.step]
        if self.step == "update":
            assert {value for name, _, value in world.published() if name.startswith("new")} == {MOVED}
        assert self.orphans() == set(), self.orphans()
        if self.step != "destroy":
            world.assert_settled()

    @property
    def state(self) -> Path:
        """The file of the stack's state."""
        return self.world.stack.folder / "backend/.pulumi/stacks/edge-dns" / f"{STACK}.json"

    def orphans(self) -> set[str]:
        """Return what the providers and the hub hold, beside what is other people's, and no state knows."""
        services, zones = self.world.services, self.world.services.zone_ids
        document = json.loads(self.state.read_text(encoding="utf-8"))
        resources = document["checkpoint"]["latest"].get("resources") or ()
        # An invite that the hub refused at first keeps another id until it is read.
        known = {one["id"] for one in resources if one.get("id")}
        known |= {one["outputs"]["inviteId"] for one in resources if "inviteId" in one.get("outputs", {})}
        at_cloudflare, at_route53 = self.world.foreign.without(
            services.cloudflare.records(zones[CLOUDFLARE_ZONE]), services.route53.records(zones[ROUTE53_ZONE])
        )
        there = {str(one["id"]) for one in at_cloudflare}
        there |= {f"{zones[ROUTE53_ZONE]}_{one.name}_{one.type}" for one in at_route53}
        return (there | {invite.invite_id for invite in services.hub.invites}) - known

    def told(self, run: Run, part: str) -> str:
        """Return the first line of the error with this part, without what differs from run to run; empty for none."""
        errors = [re.sub(r"^\d+ errors? occurred:\s+\* ", "", text).partition("\n")[0] for text in errors_of(run)]
        return min((self.folded(text) for text in errors if part in text), default="")

    def folded(self, text: str) -> str:
        """Return a message in one line, with `…` for what differs from run to run."""
        text = " ".join(text.split())
        for zone_id in self.world.services.zone_ids.values():
            text = text.replace(zone_id, ANY)
        for pattern, replacement in _FOLDS:
            text = pattern.sub(replacement, text)
        return text

    def row(self, fault: str, *, sees: str = "", runs: str = "1", at: str = "") -> None:
        """Put a row into the table, with what is lost, wrongly published and orphaned now."""
        place = at or ("destroy delete" if self.step == "destroy" else f"up {self.step}")
        row = Row(
            at=place,
            fault=fault,
            sees=sees,
            lost=", ".join(sorted(self.lost())) or "nothing",
            wrong=", ".join(sorted(self.wrong())) or "nothing",
            orphans=", ".join(sorted(self.orphans())) or "none",
            runs=runs,
        )
        fault_table.record(self.item, row)
