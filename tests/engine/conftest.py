"""The local services and one stack of this project on them, for tests that drive `pulumi` as a user would."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest

from local.services import LocalServices
from local.stack import LocalStack, Run
from tests.engine.event_log import Listed, forbidden
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
    """A stack of which every run is searched for options that no resource of this project may have."""

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
        assert not log.exists() or forbidden(log, Listed.of(self.config_file)) == []
        return run


@dataclass(slots=True, kw_only=True)
class World:
    """The services, a stack on them, a gateway file, and the settings that the next `configure` writes."""

    services: LocalServices
    stack: LocalStack
    gateways: GatewayFile
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
        """Return (name, type, value) of everything that both providers hold now, without markers, NS and SOA."""
        cloudflare = {
            (str(one["name"]), str(one["type"]), str(one["content"]))
            for one in self.services.cloudflare.records(self.services.zone_ids[CLOUDFLARE_ZONE])
        }
        route53 = {
            (one.name, one.type, value)
            for one in self.services.route53.records(self.services.zone_ids[ROUTE53_ZONE])
            if one.type not in {"NS", "SOA", "TXT"}
            for value in ((one.alias[0],) if one.alias else one.values)
        }
        return cloudflare | route53

    def held(self) -> set[Held]:
        """Return everything that both providers hold now, in full, without the NS and SOA of the zone itself."""
        cloudflare = {
            Held(str(one["name"]), str(one["type"]), (str(one["content"]),), str(sorted(one.items(), key=str)))
            for one in self.services.cloudflare.records(self.services.zone_ids[CLOUDFLARE_ZONE])
        }
        route53 = {
            Held(one.name, one.type, one.values or (one.alias or ("",))[:1], f"{one.ttl} {one.alias}")
            for one in self.services.route53.records(self.services.zone_ids[ROUTE53_ZONE])
        }
        return cloudflare | route53

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
    """A fresh world in an empty folder; at the end the hub's invariants hold."""
    with LocalServices(cloudflare_zones=[CLOUDFLARE_ZONE], route53_zones=[ROUTE53_ZONE]) as services:
        stack = WatchedStack(folder / "stack", services.provider_config)
        yield World(services=services, stack=stack, gateways=GatewayFile(folder / "gateways.json"))
        services.hub.check_invariants()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A world of the test's own."""
    with open_world(tmp_path) as opened:
        yield opened
