"""Answers one question of a command about live zones and the last state.

It declares nothing and ends before the engine would plan what that means, so it is of no use but in a preview.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pulumi

from components.ending import EXIT_AFTER_MESSAGE
from components.lean import run_lean
from components.providers import HUB, Providers, cluster_provider_name, provider_name
from edge_dns.core.baseline import baselines, leaving_names
from edge_dns.core.cloudflare_view import tunnel_of_target
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.import_file import StackResources
from edge_dns.core.live import Live
from edge_dns.core.markers import owner
from edge_dns.core.orphans import Evidence, targets, tunnel_evidence
from edge_dns.core.plan import Observed, make_plan
from edge_dns.core.settings import Settings, SettingsInvalid, Zone
from edge_dns.core.sweep import Sweep, sweep
from edge_dns.core.zones import zone_key
from edge_dns.observe.cloudflare_tunnels import read_of_zones
from edge_dns.observe.engine_lookups import EngineLookups
from edge_dns.observe.live_zones import read_live_zones, readable
from edge_dns.observe.own_state import OwnState, read_own_state
from edge_dns.observe.program import observe, read_settings
from edge_dns.observe.questions import (
    BaselineAnswer,
    Question,
    SweepAnswer,
    ZoneAnswer,
    asked_question,
    give_answer,
    give_problem,
    tell_asker,
)

_PACKAGES = {"cloudflare": "cloudflare", "route53": "aws"}
_PROJECT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Write the answer, or why there is none, and end."""
    question = asked_question()
    if question is None:
        pulumi.log.error("nothing is asked: this program is run by the command edge-dns")
        sys.exit(EXIT_AFTER_MESSAGE)
    try:
        give_answer(_answer(question))
    except SettingsInvalid as invalid:
        give_problem(f"the settings of stack {pulumi.get_stack()} are invalid:\n{invalid}")
    except ObservationFailed as failed:
        give_problem(f"{failed.rule}: {failed}")
    sys.exit(EXIT_AFTER_MESSAGE)


def _answer(question: Question) -> ZoneAnswer | SweepAnswer | BaselineAnswer:
    settings = read_settings()
    providers = Providers(settings.hub, _PROJECT)
    if question.what == "zone":
        return _zone_answer(_zone(question.zone, settings), providers)
    if question.what == "baseline":
        return _baseline_answer(question, settings, providers)
    return _sweep_answer(settings, providers)


def _zone(name: str, settings: Settings) -> Zone:
    zones = readable(settings.zones)
    found = [zone for zone in zones if name.strip().lower().removesuffix(".") == zone.domain or name == zone_key(zone)]
    if len(found) == 1:
        return found[0]
    if found:
        raise ObservationFailed(
            f"several zones are named {name}; give one of the ids {', '.join(map(zone_key, found))}"
        )
    known = ", ".join(sorted({zone.domain for zone in zones})) or "none"
    raise ObservationFailed(f"the settings have no zone {name!r} at Cloudflare or Route 53 (there are: {known})")


def _zone_answer(zone: Zone, providers: Providers) -> ZoneAnswer:
    live = read_live_zones([zone], lookup=EngineLookups([zone], providers.of_zone), tell=tell_asker)
    by_name = live[zone_key(zone)].by_name
    return ZoneAnswer(
        domain=zone.domain,
        provider=zone.provider,
        zone_id=zone_key(zone),
        visibility=zone.visibility,
        records=tuple(record for _, records in sorted(by_name.items()) for record in records),
    )


def _sweep_answer(settings: Settings, providers: Providers) -> SweepAnswer:
    project, stack = pulumi.get_project(), pulumi.get_stack()
    # Nothing is imported without a review here, so every marker of this stack counts.
    own = read_own_state(f"{pulumi.get_organization()}/{project}/{stack}", tell=tell_asker)
    state = replace(own, announced=None)
    observed = _observe(settings, state, providers)
    if observed.live is None:
        raise ObservationFailed("no zone was read")
    # The invite of a tunnel is found by its name where the state is lost.
    plan = make_plan(settings, observed, state.memory, adopt_by_name=True)
    found = sweep(settings.zones, observed.live, state.memory, plan, own.announced)
    return SweepAnswer(
        sweep=found,
        resources=_resources(project, stack, settings, state),
        tunnels=_tunnel_evidence(found, settings, observed, providers),
    )


def _tunnel_evidence(
    found: Sweep, settings: Settings, observed: Observed, providers: Providers
) -> Mapping[str, Evidence]:
    names = [name for name in targets(found) if tunnel_of_target(name)]
    if not names or observed.live is None:
        return {}
    lookup = EngineLookups(settings.zones, providers.of_zone)
    zones = readable(settings.zones)
    accounts, unread = read_of_zones(zones, observed.live.zones, observed.cloudflare, lookup, tell_asker)
    return tunnel_evidence(names, accounts, unread)


def _baseline_answer(question: Question, settings: Settings, providers: Providers) -> BaselineAnswer:
    project, stack = pulumi.get_project(), pulumi.get_stack()
    zones = [_zone(question.zone, settings)] if question.zone else readable(settings.zones)
    state = read_own_state(f"{pulumi.get_organization()}/{project}/{stack}", tell=tell_asker)
    names, live = question.names, None
    if not names:
        observed = _observe(settings, state, providers)
        names, live = leaving_names(make_plan(settings, observed, state.memory).decisions), observed.live
    found = baselines(names, zones, live or _live(zones, state, providers))
    held = {one.hostname for zone in found for one in zone.names}
    return BaselineAnswer(zones=found, missing=tuple(name for name in names if name not in held))


def _live(zones: Sequence[Zone], state: OwnState, providers: Providers) -> Live:
    return Live(
        owner=owner(pulumi.get_project(), pulumi.get_stack()),
        import_ids=state.import_ids,
        announced=state.announced,
        zones=read_live_zones(zones, lookup=EngineLookups(zones, providers.of_zone), tell=tell_asker),
    )


def _observe(settings: Settings, state: OwnState, providers: Providers) -> Observed:
    return observe(
        settings,
        state,
        owner=owner(pulumi.get_project(), pulumi.get_stack()),
        root=_PROJECT,
        provider_of=providers.of_zone,
        tell=tell_asker,
    )


def _resources(project: str, stack: str, settings: Settings, state: OwnState) -> StackResources:
    def urn(package: str, name: str) -> str:
        return f"urn:pulumi:{stack}::{project}::pulumi:providers:{package}::{name}"

    return StackResources(
        project=project,
        stack=stack,
        urns=state.urns,
        providers={
            zone_key(zone): urn(_PACKAGES[zone.provider], provider_name(zone))
            for zone in readable(settings.zones)
            if zone.credentials
        },
        clusters={one.name: urn("kubernetes", cluster_provider_name(one.name)) for one in settings.clusters},
        hub=urn("towonel", HUB),
        versions={package: version(f"pulumi-{package}") for package in _PACKAGES.values()},
    )


run_lean()
main()
