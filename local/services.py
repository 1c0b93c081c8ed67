"""The hub emulator, the Cloudflare emulator and Route 53 side by side, with the zones of a local stack."""

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from typing import Self

from local.bind import BindServer
from local.cloudflare_emulator import CloudflareEmulator
from local.hub_emulator import HubEmulator
from local.route53 import Route53Service
from local.zone_answers import cloudflare_answers, route53_answers


class LocalServices:
    """The services run while the context is open, each on a free loopback port, each empty but for the zones named.

    `zone_ids` maps the names to the ids that the stack's `zones[].zoneId` needs. Keys are made up unless given.
    """

    def __init__(
        self,
        *,
        cloudflare_zones: Iterable[str] = (),
        route53_zones: Iterable[str] = (),
        hub_key: str | None = None,
        cloudflare_token: str | None = None,
    ) -> None:
        self.hub = HubEmulator(operator_key=hub_key)
        self.cloudflare = CloudflareEmulator(token=cloudflare_token)
        self.route53 = Route53Service()
        self._running = ExitStack()
        for name in cloudflare_zones:
            self.cloudflare.add_zone(name)
        for name in route53_zones:
            self.route53.add_zone(name)

    def __enter__(self) -> Self:
        """Start all three."""
        with ExitStack() as starting:
            for service in (self.hub, self.cloudflare, self.route53):
                starting.enter_context(service)
            self._running = starting.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop all three."""
        self._running.close()

    def push_zones(self, bind: BindServer) -> None:
        """Let BIND answer for every zone what its provider holds now. Raises BindError."""
        for name, zone_id in self.cloudflare.zone_ids.items():
            bind.push(name, cloudflare_answers(name, self.cloudflare.records(zone_id)))
        for name, zone_id in self.route53.zone_ids.items():
            bind.push(name, route53_answers(self.route53.records(zone_id)))

    @property
    def zone_ids(self) -> Mapping[str, str]:
        """The ids of the zones by name."""
        return {**self.cloudflare.zone_ids, **self.route53.zone_ids}

    @property
    def hub_settings(self) -> Mapping[str, str]:
        """The value of the setting `edge-dns:hub`."""
        return {"url": self.hub.url, "apiKey": self.hub.operator_key}

    @property
    def provider_config(self) -> Mapping[str, object]:
        """The config of the two DNS providers, as a stack file holds it; the official plugins read the same keys."""
        return {
            "cloudflare:apiToken": self.cloudflare.token,
            "cloudflare:baseUrl": self.cloudflare.url,
            "aws:region": self.route53.region,
            "aws:accessKey": self.route53.access_key,
            "aws:secretKey": self.route53.secret_key,
            "aws:endpoints": [{"route53": self.route53.url}],
            "aws:skipCredentialsValidation": True,
            "aws:skipMetadataApiCheck": True,
            "aws:skipRequestingAccountId": True,
        }

    @property
    def write_count(self) -> int:
        """How many calls that may change something the three have got so far."""
        return self.hub.writes + len(self.cloudflare.writes) + len(self.route53.writes)
