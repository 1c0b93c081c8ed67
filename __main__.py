"""The program: settings → observe → plan → declare → export."""

import sys
from pathlib import Path
from typing import NoReturn

import pulumi

from components.declare import Identity, declare_plan
from components.ending import EXIT_AFTER_MESSAGE
from components.lean import run_lean
from components.outcome import export_outcome
from components.providers import Providers
from components.records import load_ahead
from components.told import in_lines
from components.unanswered import end_in_any_case
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.guard import told
from edge_dns.core.markers import owner
from edge_dns.core.plan import make_plan
from edge_dns.core.settings import SettingsInvalid
from edge_dns.core.sweep import sweep, unwanted_notice
from edge_dns.core.texts import printable
from edge_dns.observe.own_state import read_own_state
from edge_dns.observe.program import observe, read_settings, tell_engine


def main() -> None:
    """Run the program; whatever stops it stops it before the first resource is registered."""
    project, stack, root = pulumi.get_project(), pulumi.get_stack(), Path(__file__).parent
    try:
        tell_engine("reading the settings")
        settings = read_settings()
        end_in_any_case()
        providers = Providers(settings.hub, root)
        state = read_own_state(f"{pulumi.get_organization()}/{project}/{stack}", tell=tell_engine)
        load_ahead(settings, state.memory)
        observed = observe(
            settings,
            state,
            owner=owner(project, stack),
            root=root,
            provider_of=providers.of_zone,
            tell=tell_engine,
        )
        tell_engine("planning")
        plan = make_plan(settings, observed, state.memory)
    except SettingsInvalid as invalid:
        _stop(f"the settings of stack {stack} are invalid:\n{invalid}\nNothing was changed.")
    except ObservationFailed as failed:
        _stop(f"{failed.rule}: {failed}\nNothing was changed.")
    if plan.stops:
        _stop(f"{told(plan.stops)}\nNothing was changed.")
    found = sweep(settings.zones, observed.live, state.memory, plan) if observed.live else None
    if found and (notice := unwanted_notice(found)):
        pulumi.log.warn(in_lines(str(notice)))
    tell_engine("declaring the records")
    declared = declare_plan(plan, settings, Identity(project=project, stack=stack), providers, tell=tell_engine)
    export_outcome(plan, declared, observed.hub, on_refused=settings.on_refused)


def _stop(message: str) -> NoReturn:
    """End the run with this message alone."""
    pulumi.log.error("\n".join(map(printable, message.split("\n"))))
    sys.exit(EXIT_AFTER_MESSAGE)


run_lean()
main()
