"""What a run of the program reads before it plans: its settings, the clusters, the hub, the live zones."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pulumi

from edge_dns.core.authority import Answers
from edge_dns.core.cloudflare_view import AccountTunnels
from edge_dns.core.cluster_plan import resolver_questions
from edge_dns.core.endpoint_places import Places
from edge_dns.core.foreign_markers import former_owners
from edge_dns.core.gateway_state import GatewayState
from edge_dns.core.hub_view import HubView
from edge_dns.core.live import Live
from edge_dns.core.live_endpoints import LiveEndpoints
from edge_dns.core.memory import Memory
from edge_dns.core.plan import Observed
from edge_dns.core.program_settings import engine_settings
from edge_dns.core.settings import (
    Settings,
    engine_values,
    reads_services,
)
from edge_dns.observe.cloudflare_tunnels import read_tunnels, tunnels_to_read
from edge_dns.observe.engine_lookups import EngineLookups, ProviderOf
from edge_dns.observe.gateway_files import read_files
from edge_dns.observe.live_zones import read_live_zones
from edge_dns.observe.own_state import OwnState
from edge_dns.observe.telling import Tell, in_ci


def tell_engine(line: str) -> None:
    """Tell a line of progress to the engine, which shows it on a terminal until the next one.

    Where it prints to a log it prints each for good, so that nothing is told there.
    """
    if _is_watched():
        pulumi.log.info(line, ephemeral=True)


@cache
def _is_watched() -> bool:
    """Say whether somebody may watch: a program does not see what the engine prints to, but its terminal, if any."""
    try:
        os.close(os.open("/dev/tty", os.O_WRONLY | os.O_NOCTTY))
    except OSError:
        return False
    return not in_ci(os.environ)


def read_settings() -> Settings:
    """Return the settings in the stack's config. Raises SettingsInvalid with all errors."""
    return engine_settings(engine_values(pulumi.runtime.config.get_config_env()))


def observe(
    settings: Settings, state: OwnState, *, owner: str, root: Path, provider_of: ProviderOf, tell: Tell
) -> Observed:
    """Return what the clusters, the hub and the live zones say now; relative paths of the settings count from `root`.

    `owner` stands for this stack in ownership markers, `tell` gets progress lines. Raises ObservationFailed when
    anything cannot be read completely. Of all resources only the providers of zones with credentials of their own are
    registered here.
    """
    clusters = _read_clusters(settings, root, tell)
    lookups = EngineLookups(settings.zones, provider_of)
    return Observed(
        resolvers=_ask_resolvers(settings, state.memory, clusters, tell),
        clusters=clusters,
        hub=_read_hub(settings, state.memory, tell),
        today=datetime.now(UTC).date(),
        owner=owner,
        live=Live(
            owner=owner,
            import_ids=state.import_ids,
            announced=state.announced,
            zones=read_live_zones(settings.zones, lookup=lookups, tell=tell),
            endpoints=_read_endpoints(settings, root, tell),
            objects=state.objects,
            former=former_owners(state.memory, owner),
        ),
        cloudflare=_read_tunnels(settings, state.memory, lookups, tell),
    )


def _read_clusters(settings: Settings, root: Path, tell: Tell) -> dict[str, GatewayState]:
    services = {cluster.name for cluster in settings.clusters if reads_services(cluster, settings)}
    states: dict[str, GatewayState] = {}
    for cluster in settings.clusters:
        if cluster.files is not None:
            tell(f"reading cluster {cluster.name}: {', '.join(cluster.files)}")
            files = [root / file for file in cluster.files]
            states[cluster.name] = read_files(files, services=cluster.name in services)
    states |= {cluster.name: GatewayState.of_nothing() for cluster in settings.clusters if not cluster.gateways}
    live = [cluster for cluster in settings.clusters if cluster.is_read]
    if live:
        from edge_dns.observe.gateway_api import read_states  # noqa: PLC0415 - the client, for live clusters only

        states |= read_states(live, root, services=services, tell=tell)
    return states


def _read_tunnels(
    settings: Settings, memory: Memory, lookups: EngineLookups, tell: Tell
) -> Mapping[str, AccountTunnels]:
    accounts = tunnels_to_read(settings, memory.tunnels)
    return read_tunnels(accounts, lookup=lookups.of_stack, tell=tell) if accounts else {}


def _ask_resolvers(settings: Settings, memory: Memory, clusters: Mapping[str, GatewayState], tell: Tell) -> Answers:
    asked = resolver_questions(settings, clusters, memory)
    if not asked:
        return {}
    from edge_dns.observe.internal_resolvers import ask_resolvers  # noqa: PLC0415 - the DNS library, where it is needed

    tell(f"asking internal resolvers for {len(asked)} hostnames")
    return ask_resolvers(asked)


def _read_endpoints(settings: Settings, root: Path, tell: Tell) -> Mapping[str, LiveEndpoints]:
    named = set(Places.of(settings).clusters.values())
    clusters = [cluster for cluster in settings.clusters if cluster.name in named]
    if not clusters:
        return {}
    from edge_dns.observe.dns_endpoints import read_endpoints  # noqa: PLC0415 - the client, for such stacks only

    return read_endpoints(clusters, root, tell=tell)


def _read_hub(settings: Settings, memory: Memory, tell: Tell) -> HubView | None:
    if settings.hub is None or settings.hub.api_key is None:
        return None
    from edge_dns.hub.client import HubClient  # noqa: PLC0415 - for stacks with a hub only
    from edge_dns.observe.hub import read_hub  # noqa: PLC0415 - as above

    client = HubClient(settings.hub.url, settings.hub.api_key.reveal())
    known = [one.invite_id for one in memory.invites.values() if one.invite_id]
    return read_hub(client, known, tell=tell)
