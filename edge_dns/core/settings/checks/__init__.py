"""Errors between settings that are right each by itself, one module per kind."""

from collections.abc import Callable, Collection, Iterator

from edge_dns.core.settings.checks.agent_objects import agent_object_errors
from edge_dns.core.settings.checks.agents import agent_cluster_errors, agent_errors
from edge_dns.core.settings.checks.aliases import alias_errors
from edge_dns.core.settings.checks.cloudflare_tunnels import cloudflare_tunnel_errors
from edge_dns.core.settings.checks.consumers import consumer_errors
from edge_dns.core.settings.checks.gateway_targets import gateway_target_errors
from edge_dns.core.settings.checks.lists import (
    adopted_and_released_errors,
    elsewhere_errors,
    handed_on_errors,
    listed_zone_errors,
    protected_errors,
)
from edge_dns.core.settings.checks.services import service_errors
from edge_dns.core.settings.messages import Location
from edge_dns.core.settings.settings import Settings

_CHECKS: tuple[tuple[frozenset[str], Callable[[Settings], Iterator[tuple[Location, str]]]], ...] = (
    (frozenset(), agent_errors),
    (frozenset({"clusters"}), agent_cluster_errors),
    (frozenset(), alias_errors),
    (frozenset({"hub", "edgeTargets"}), gateway_target_errors),
    (frozenset({"clusters", "tunnels"}), cloudflare_tunnel_errors),
    (frozenset({"clusters", "tunnels"}), agent_object_errors),
    (frozenset(), elsewhere_errors),
    (frozenset({"zones"}), listed_zone_errors),
    (frozenset({"zones"}), handed_on_errors),
    (frozenset({"zones"}), protected_errors),
    (frozenset({"zones", "clusters"}), consumer_errors),
    (frozenset(), adopted_and_released_errors),
    (frozenset({"clusters"}), service_errors),
)
"""Each check with the settings that have to be right themselves, so that something can be said."""


def cross_errors(settings: Settings, wrong: Collection[str | int]) -> Iterator[tuple[Location, str]]:
    """Yield location and message of each error; `wrong` are the keys of settings with an error of their own."""
    for needed, check in _CHECKS:
        if needed.isdisjoint(wrong):
            yield from check(settings)
