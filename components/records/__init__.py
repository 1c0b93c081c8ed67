"""One module per record provider: each declares the record resources of one hostname."""

from collections.abc import Callable, Sequence
from importlib import import_module
from threading import Thread

import pulumi

from components.records.placement import Placement
from edge_dns.core.memory import Memory
from edge_dns.core.settings import Settings, Zone
from edge_dns.core.values import SlotRecord

DeclareHostname = Callable[..., list[pulumi.Resource]]


def load_ahead(settings: Settings, memory: Memory) -> None:
    """Load the large SDK that the records of the last state need while the program waits for what it reads."""
    used = {rrset.zone_id for rrset in memory.slots.values()}
    if any(zone.provider == "cloudflare" and zone.zone_id in used for zone in settings.zones):
        Thread(target=import_module, args=("pulumi_cloudflare",)).start()


def declare_hostname(
    records: Sequence[SlotRecord], *, zone: Zone, marker: str, place: Placement
) -> list[pulumi.Resource]:
    """Declare the records of one hostname with the module of its zone's provider; `marker` says whose they are."""
    return _module(zone)(records, zone=zone, marker=marker, place=place)


def _module(zone: Zone) -> DeclareHostname:
    """Load the provider's SDK for stacks that use it only: it takes up to seconds."""
    if zone.provider == "cloudflare":
        from components.records import cloudflare  # noqa: PLC0415

        return cloudflare.declare
    from components.records import route53  # noqa: PLC0415

    return route53.declare
