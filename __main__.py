"""The program: settings → observe → plan → declare → export."""

from pathlib import Path

import pulumi

from components.declare import Identity, declare_plan
from components.outcome import export_outcome
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.plan import make_plan
from edge_dns.core.settings import SettingsInvalid
from edge_dns.observe.own_state import read_own_state
from edge_dns.observe.program import observe, read_settings


def main() -> None:
    """Run the program; whatever stops it stops it before the first resource is registered."""
    project, stack = pulumi.get_project(), pulumi.get_stack()
    try:
        settings = read_settings()
        memory = read_own_state(f"{pulumi.get_organization()}/{project}/{stack}")
        observed = observe(settings, memory, root=Path(__file__).parent)
        plan = make_plan(settings, observed, memory)
    except SettingsInvalid as invalid:
        raise pulumi.RunError(f"the settings of stack {stack} are invalid:\n{invalid}") from None
    except ObservationFailed as failed:
        raise pulumi.RunError(f"{failed.rule}: {failed}\nNothing was changed.") from None
    if plan.stops:
        raise pulumi.RunError("\n".join(f"{stop.refusal.rule}: {stop.refusal.reason}" for stop in plan.stops))
    invites = declare_plan(plan, settings, Identity(project=project, stack=stack))
    export_outcome(plan, invites, observed.hub, on_refused=settings.on_refused)


main()
