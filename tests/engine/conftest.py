"""The local services and one stack of this project on them, for tests that drive `pulumi` as a user would."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest

from local.route53 import HostedRecord
from local.services import LocalServices
from local.stack import LocalStack, Run
from tests import fault_table
from tests.engine.event_log import Listed, forbidden
from tests.engine.foreign import Foreign, plant
from tests.engine.gateways import GatewayFile

CLOUDFLARE_ZONE = "example.com"
ROUTE53_ZONE = "example.org"
EDGE_TARGETS = {"EU": "edge-eu.example.net", "CA": "edge-ca.example.net"}


class Held(NamedTuple):
    """A record as a provider holds it, foreign and marker ones too; `rest` is all else of it, its id included."""

    name: str
    type: str
    values: tuple[str, ...]
    rest: str


class WatchedStack(LocalStack):
    """A stack of which every run is searched for what none may do.

    No resource of this project may have certain options, and no run may touch a record of other people. `others` are
    the names of records, markers too, of which a test says that they are marked as another stack's.
    """

    foreign: Foreign
    others: frozenset[str] = frozenset()

    def preview(self, *flags: str) -> Run:
        """Preview."""
        return self._watched(super().preview(*flags))

    def up(self, *flags: str) -> Run:
        """Update."""
        return self._watched(super().up(*flags))

    def destroy(self, *flags: str) -> Run:
        """Destroy."""
        return self._watched(super().destroy(*flags))

    def _watched(self, run: Run) -> Run:
        log = self.folder / "events.json"
        # A stack that is locked has no log.
        assert not log.exists() or forbidden(log, Listed.of(self.config_file, self.others)) == []
        assert self.foreign.touched() == []
        fault_table.said.append(run.text)
        return run


@dataclass(slots=True, kw_only=True)
class World:
    """The services, a stack on them, a gateway file, and the settings that the next `configure` writes."""

    services: LocalServices
    stack: WatchedStack
    gateways: GatewayFile
    foreign: Foreign
    settings: dict[str, object] = field(default_factory=dict)

    def tunnel(self, name: str, hostnames: Sequence[str], **more: object) -> Mapping[str, object]:
        """Return the setting of a tunnel with these hostnames, published in zones unless `dns` says otherwise."""
        return {"name": name, "namespace": "team", "hostnames": list(hostnames), "dns": {"mode": "Zone"}, **more}

    def configure(self, *tunnels: Mapping[str, object], **settings: object) -> None:
        """Write the stack file: these tunnels, the gateway file as cluster `prod` where it has objects."""
        self.settings = {
            "hub": dict(self.services.hub_settings),
            "edgeTargets": EDGE_TARGETS,
            "zones": self.zones(),
            "tunnels": list(tunnels),
            **settings,
        }
        if self.gateways.path.exists():
            self.settings.setdefault("clusters", [{"name": "prod", "files": [str(self.gateways.path)]}])
        self.stack.configure(self.settings)

    def zones(self) -> list[dict[str, object]]:
        """Return the setting of the zones."""
        ids = self.services.zone_ids
        return [
            {"domain": CLOUDFLARE_ZONE, "provider": "cloudflare", "zoneId": ids[CLOUDFLARE_ZONE]},
            {"domain": ROUTE53_ZONE, "provider": "route53", "zoneId": ids[ROUTE53_ZONE]},
        ]

    def published(self) -> set[tuple[str, str, str]]:
        """Return (name, type, value) of what both providers hold beside the planted records, without markers."""
        at_cloudflare, at_route53 = self._records()
        cloudflare = {(str(one["name"]), str(one["type"]), str(one["content"])) for one in at_cloudflare}
        route53 = {
            (one.name, one.type, value)
            for one in at_route53
            if one.type not in {"NS", "SOA", "TXT"}
            for value in ((one.alias[0],) if one.alias else one.values)
        }
        return cloudflare | route53

    def held(self) -> set[Held]:
        """Return everything that both providers hold beside the planted records, in full."""
        at_cloudflare, at_route53 = self._records()
        cloudflare = {
            Held(str(one["name"]), str(one["type"]), (str(one["content"]),), str(sorted(one.items(), key=str)))
            for one in at_cloudflare
        }
        route53 = {
            Held(one.name, one.type, one.values or (one.alias or ("",))[:1], f"{one.ttl} {one.alias}")
            for one in at_route53
        }
        return cloudflare | route53

    def _records(self) -> tuple[list[Mapping[str, object]], list[HostedRecord]]:
        zones = self.services.zone_ids
        return self.foreign.without(
            self.services.cloudflare.records(zones[CLOUDFLARE_ZONE]),
            self.services.route53.records(zones[ROUTE53_ZONE]),
        )

    def names(self) -> set[str]:
        """Return the names that both providers hold now."""
        return {name for name, _, _ in self.published()}

    def told(self) -> dict[str, tuple[str, str]]:
        """Return state and rule of each hostname in the stack outputs, after a check that each has a reason."""
        entries = self.stack.outputs()["hostnames"]
        assert isinstance(entries, dict)
        assert all(entry["reason"] for entry in entries.values())
        return {hostname: (entry["state"], entry["rule"]) for hostname, entry in entries.items()}

    def up(self, *flags: str) -> Run:
        """Update; it must succeed."""
        run = self.stack.up(*flags)
        assert run.status == 0, run.text
        return run

    def assert_settled(self) -> None:
        """A second preview is empty."""
        run = self.stack.preview("--expect-no-changes")
        assert run.steps == (), run.text
        assert run.status == 0, run.text


@contextmanager
def open_world(folder: Path) -> Iterator[World]:
    """A fresh world in an empty folder, other people's records in its zones; at the end the hub's invariants hold."""
    with LocalServices(cloudflare_zones=[CLOUDFLARE_ZONE], route53_zones=[ROUTE53_ZONE]) as services:
        foreign = plant(services, CLOUDFLARE_ZONE, ROUTE53_ZONE)
        stack = WatchedStack(folder / "stack", services.provider_config)
        stack.foreign = foreign
        yield World(services=services, stack=stack, gateways=GatewayFile(folder / "gateways.json"), foreign=foreign)
        assert foreign.touched() == []
        services.hub.check_invariants()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A world of the test's own."""
    with open_world(tmp_path) as opened:
        yield opened
