"""kill -9 of the engine, of each plugin and of the program, at every step of `up` and of `destroy`."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pytest

from local import hub_emulator, loopback
from local.hub_emulator import Drop
from local.stack import STACK, Run
from tests.engine.evidence import Holdings, resources
from tests.engine.faults.kill import AWS_PLUGIN, CLOUDFLARE_PLUGIN, ENGINE, PROGRAM, TOWONEL, kill_during
from tests.engine.faults.stage import AFTER_DELETION, CLOUDFLARE, HUB, ROUTE53, Stage

RECORDS, RRSETS = "/dns_records", "/rrset"
FOREVER = 3600.0
PLUGINS = {CLOUDFLARE_PLUGIN: "the Cloudflare plugin", AWS_PLUGIN: "the AWS plugin", TOWONEL: "the towonel plugin"}
ENDED = {
    plugin: f"pulumi-resource-{name} exited prematurely"
    for plugin, name in ((CLOUDFLARE_PLUGIN, "cloudflare"), (AWS_PLUGIN, "aws"), (TOWONEL, "towonel"))
}
LOCKED = "error: the stack is currently locked by 1 lock(s)."

pytestmark = pytest.mark.fault


def _hold_writes(stage: Stage, *, markers: int = 0, answered: bool = False) -> None:
    """Every write is done, and its answer never comes (`answered`: at the end), but of so many markers at Route 53."""
    services = stage.world.services
    done = partial(loopback.Fault, after_commit=True, delay_seconds=FOREVER, drop=not answered, times=1000)
    outcome = None if answered else Drop()
    for method in ("POST", "PUT", "DELETE"):
        services.cloudflare.inject(done(method=method, path=RECORDS))
        services.hub.inject(
            hub_emulator.Fault(method=method, after_commit=True, delay_seconds=FOREVER, outcome=outcome, times=None)
        )
    services.route53.inject(done(method="POST", path=RRSETS, skip=markers))


def _kill(stage: Stage, victims: Sequence[str], moment: Callable[[], bool], *flags: str) -> Run:
    run = kill_during(partial(stage.operate, *flags), victims, moment, stage.calm, stage.state)
    assert run.status != 0
    return stage.harmless(run)


def _unlock(stage: Stage) -> None:
    """The next run says that the stack is locked, and how to unlock it; do so."""
    locked = stage.operate()
    assert locked.status != 0
    said = " ".join(locked.text.split())
    assert LOCKED in said
    assert "`pulumi cancel`" in said
    stage.world.stack.checked("cancel", "--yes", "--stack", STACK)


def _finish(stage: Stage) -> None:
    assert stage.run().status == 0
    stage.settled()


def _kill_at_the_last_delete(stage: Stage, victim: str) -> Run:
    """Run again, with a refresh, up to the invite's deletion, which is done but never answered."""
    hub = stage.world.services.hub
    hub.inject(
        hub_emulator.Fault(method="DELETE", after_commit=True, delay_seconds=FOREVER, outcome=Drop(), times=None)
    )
    return _kill(stage, [victim], lambda: hub.waiting > 0, "--refresh")


AFTER_CANCEL = "1, after `pulumi cancel`, as the message says"
REFRESHED = {"delete": "`pulumi up --refresh`, as the preview says", "destroy": "`pulumi destroy --refresh`"}


def test_a_kill_while_everything_is_read_changes_nothing(stage: Stage) -> None:
    services = stage.world.services
    stage.want("create")
    before, state = Holdings.of(stage.world), resources(stage.world)
    reading: dict[str, tuple[str, Callable[[], None], Callable[[], bool]]] = {
        TOWONEL: ("", lambda: _hold_hub(stage, "/v1/invites/*"), lambda: services.hub.waiting > 0),
        PROGRAM: ("the program", lambda: _hold_hub(stage, "/v1/invites"), lambda: services.hub.waiting > 0),
        CLOUDFLARE_PLUGIN: ("", lambda: _hold_zone(services.cloudflare), lambda: services.cloudflare.waiting > 0),
        AWS_PLUGIN: ("", lambda: _hold_zone(services.route53), lambda: services.route53.waiting > 0),
        ENGINE: ("the engine", lambda: _hold_hub(stage, "/v1/invites"), lambda: services.hub.waiting > 0),
    }
    for victim, (name, hold, moment) in reading.items():
        hold()
        run = _kill(stage, [victim], moment)
        if victim == ENGINE:
            _unlock(stage)
        assert Holdings.of(stage.world) == before
        assert resources(stage.world) == state
        sees = LOCKED if victim == ENGINE else stage.told(run, "observation-failed") or stage.told(run, "exited")
        runs = AFTER_CANCEL if victim == ENGINE else "1"
        stage.row(f"kill -9 of {name or PLUGINS[victim]}", sees=sees, runs=runs, at="up read")
    assert stage.run().status == 0
    stage.settled()


def _hold_hub(stage: Stage, path: str) -> None:
    stage.world.services.hub.inject(hub_emulator.Fault(method="GET", path=path, delay_seconds=FOREVER, times=None))


def _hold_zone(server: loopback.LoopbackServer) -> None:
    server.inject(loopback.Fault(method="GET", delay_seconds=FOREVER, times=100))


def _in_flight(stage: Stage, *, cloudflare: int, route53: int, hub: int) -> bool:
    """So many calls at least are done at each, and wait for their answers."""
    services = stage.world.services
    return (
        services.cloudflare.waiting >= cloudflare
        and services.route53.waiting >= route53
        and services.hub.waiting >= hub
    )


def _deleting(stage: Stage) -> bool:
    """Some records are deleted, and wait for their answers; the engine deletes in an order of its own."""
    services = stage.world.services
    return services.cloudflare.waiting + services.route53.waiting > 0


def test_killed_plugins_lose_nothing_and_the_next_run_takes_over_what_they_did(stage: Stage) -> None:
    stage.want("create")
    _hold_writes(stage, markers=1)
    run = _kill(stage, list(PLUGINS), lambda: _in_flight(stage, cloudflare=1, route53=1, hub=1))
    stage.assert_left_over_invite_is_told()
    _finish(stage)
    _plugin_rows(stage, run, {CLOUDFLARE_PLUGIN: "1", AWS_PLUGIN: "1", TOWONEL: AFTER_DELETION})

    stage.want("update")
    _hold_writes(stage)
    run = _kill(stage, list(PLUGINS), lambda: _in_flight(stage, cloudflare=1, route53=1, hub=1))
    _finish(stage)
    _plugin_rows(stage, run, dict.fromkeys(PLUGINS, "1"))

    stage.want("delete")
    _hold_writes(stage)
    run = _kill(stage, [CLOUDFLARE_PLUGIN, AWS_PLUGIN], lambda: _deleting(stage))
    last = _kill_at_the_last_delete(stage, TOWONEL)
    _finish(stage)
    _plugin_rows(stage, run, {CLOUDFLARE_PLUGIN: f"1, {REFRESHED['delete']}", AWS_PLUGIN: "1"})
    _plugin_rows(stage, last, {TOWONEL: "1"})

    stage.want("destroy")
    _hold_writes(stage)
    run = _kill(stage, [CLOUDFLARE_PLUGIN, AWS_PLUGIN], lambda: _deleting(stage))
    last = _kill_at_the_last_delete(stage, TOWONEL)
    _finish(stage)
    _plugin_rows(stage, run, {CLOUDFLARE_PLUGIN: f"1, {REFRESHED['destroy']}", AWS_PLUGIN: "1"})
    _plugin_rows(stage, last, {TOWONEL: "1"})


def _plugin_rows(stage: Stage, run: Run, runs: Mapping[str, str]) -> None:
    for plugin, further in runs.items():
        stage.row(f"kill -9 of {PLUGINS[plugin]} at a call", sees=stage.told(run, ENDED[plugin]), runs=further)


def test_after_a_kill_of_the_engine_the_next_run_takes_over_what_it_did(stage: Stage) -> None:
    stage.want("create")
    _hold_writes(stage)
    _kill(stage, [ENGINE], lambda: _in_flight(stage, cloudflare=1, route53=1, hub=1))
    _unlock(stage)
    stage.assert_left_over_invite_is_told()
    _finish(stage)
    _engine_rows(stage, {CLOUDFLARE: AFTER_CANCEL, ROUTE53: AFTER_CANCEL, HUB: f"{AFTER_CANCEL}; {AFTER_DELETION[3:]}"})

    stage.want("update")
    _hold_writes(stage)
    _kill(stage, [ENGINE], lambda: _in_flight(stage, cloudflare=1, route53=1, hub=1))
    _unlock(stage)
    _finish(stage)
    _engine_rows(stage, dict.fromkeys((CLOUDFLARE, ROUTE53, HUB), AFTER_CANCEL))

    for step in ("delete", "destroy"):
        stage.want(step)
        _hold_writes(stage)
        _kill(stage, [ENGINE], lambda: _deleting(stage))
        _unlock(stage)
        _kill_at_the_last_delete(stage, ENGINE)
        _unlock(stage)
        _finish(stage)
        refreshed = f"{AFTER_CANCEL}; {REFRESHED[step]}"
        _engine_rows(stage, {CLOUDFLARE: refreshed, ROUTE53: AFTER_CANCEL, HUB: AFTER_CANCEL})


def _engine_rows(stage: Stage, runs: Mapping[str, str]) -> None:
    for service, further in runs.items():
        stage.row(f"kill -9 of the engine at a call to {service}", sees=LOCKED, runs=further)


def test_after_a_kill_of_the_program_calls_under_way_are_finished_and_the_next_run_does_the_rest(stage: Stage) -> None:
    for step in ("create", "update"):
        stage.want(step)
        _hold_writes(stage, answered=True)
        run = _kill(stage, [PROGRAM], lambda: _in_flight(stage, cloudflare=1, route53=1, hub=1))
        assert stage.orphans() == set()
        _finish(stage)
        stage.row("kill -9 of the program", sees=stage.told(run, "exited"))
