"""Two live zones, a stack with one tunnel, and the sweep of both."""

from collections.abc import Iterable, Mapping
from typing import Any

from edge_dns.core.cloudflare_view import AccountTunnels
from edge_dns.core.hub_view import HubInvite, view_of_list
from edge_dns.core.live import Live, LiveRecord, LiveZone, cloudflare_record, route53_record
from edge_dns.core.markers import marker_text, owner, txt_value
from edge_dns.core.memory import Memory
from edge_dns.core.plan import Observed, make_plan
from edge_dns.core.settings import load_settings
from edge_dns.core.sweep import Sweep, Unremembered, sweep
from edge_dns.core.values import RRset, Source
from tests.unit.plan.world import FREE, settings_of, tunnel

EDGE, GONE = "edge-eu.example.net", "gone.example.net"
WEB = Source(cluster=None, kind="TowonelTunnel", namespace="shop", name="web")
OURS, THEIRS = (marker_text("edge-dns", stack, WEB) for stack in ("prod", "other"))
DOMAINS = {"z1": "example.com", "Z2": "example.org"}
WANTED = ("a.example.com", "a.example.org")
INVITE = HubInvite(invite_id="inv-1", name="shop/web", hostnames=frozenset(WANTED), status="claimed", region="EU")


def cf(
    name: str, content: str, kind: str = "CNAME", comment: str = OURS, record_id: str | None = None, **more: Any
) -> LiveRecord:
    """A record at Cloudflare; its id is its content unless said otherwise."""
    answer = {"id": record_id or content, "name": name, "type": kind, "content": content, "ttl": 1, "comment": comment}
    return cloudflare_record("z1", {**answer, **more})


def r53(name: str, *values: str, kind: str = "CNAME", **more: Any) -> LiveRecord:
    """An RRset at Route 53."""
    records = [{"value": value} for value in values]
    return route53_record("Z2", {"name": name, "type": kind, "ttl": 300, "resourceRecords": records, **more})


def mark(name: str, *texts: str) -> LiveRecord:
    """The marker of a name, ours unless said otherwise."""
    return r53(f"_edge-dns.{name}", *map(txt_value, texts or [OURS]), kind="TXT")


def swept(
    *records: LiveRecord,
    state: Mapping[str, str] | None = None,
    slots: Mapping[str, RRset] | None = None,
    memory: Memory | None = None,
    invites: Iterable[HubInvite] = (INVITE,),
    announced: Iterable[str] | None = None,
    accounts: Mapping[str, AccountTunnels] | None = None,
    **settings: Any,
) -> Sweep:
    """Sweep zones that hold these records; the tunnel wants WANTED.

    `state` has import ids by slot, `announced` plain slots, `accounts` the tunnels of Cloudflare accounts.
    """
    zones = {
        key: LiveZone.of(domain, [one for one in records if one.import_id.startswith(key)], account="0" * 32)
        for key, domain in DOMAINS.items()
    }
    loaded = load_settings(settings_of(**{"tunnels": [tunnel(*WANTED)], "safety": FREE, **settings}))
    live = Live(owner=owner("edge-dns", "prod"), announced=None, import_ids=state or {}, zones=zones)
    remembered = memory or Memory(slots=slots or {})
    known = [one.invite_id for one in remembered.invites.values() if one.invite_id]
    observed = Observed(live=live, hub=view_of_list(invites, known), cloudflare=accounts or {})
    plan = make_plan(loaded, observed, remembered, adopt_by_name=True)
    return sweep(loaded.zones, live, remembered, plan, None if announced is None else frozenset(announced))


def standings(found: Sweep) -> dict[str, str]:
    """What is found, by import id."""
    return {one.record.import_id: one.standing for one in found.unremembered}


def one(found: Sweep) -> Unremembered:
    """The only record that is found."""
    (record,) = found.unremembered
    return record
