"""Calls that fail, that are done although they seem to fail, that take too long or are put off, at every step."""

from collections.abc import Callable, Mapping
from functools import partial

import pytest

from local import hub_emulator, loopback
from local.hub_emulator import INTERNAL_500, Drop, rate_limited
from local.plugins.provider import API_TIMEOUT_VARIABLE
from local.stack import Run
from tests.engine.faults.stage import AFTER_DELETION, CLOUDFLARE, HUB, ROUTE53, SERVICES, Stage
from tests.fault_table import shows

WRITES = {"create": "POST", "update": "PUT", "delete": "DELETE", "destroy": "DELETE"}
HUB_WRITES = WRITES | {"update": "POST"}
RECORDS, RRSETS = "/dns_records", "/rrset"
MANY = 1000
LONG = 3600.0
REFRESH = "1, `pulumi up --refresh`, as the preview says"
ONCE = "429 with Retry-After (Route 53: 400 Throttling) once"
FOR_AN_HOUR = "429 with Retry-After (Route 53: 400 Throttling) for an hour"
THROTTLED = (
    '<?xml version="1.0"?><ErrorResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><Error>'
    "<Type>Sender</Type><Code>Throttling</Code><Message>Rate exceeded</Message></Error></ErrorResponse>"
)

pytestmark = pytest.mark.fault

_At = Callable[[Stage], None]


def _strike(stage: Stage, at_providers: _At, at_hub: _At, *flags: str) -> Mapping[str, Run]:
    """Update with faults everywhere; returns the faulted run by service.

    Deleted are the records first, and an invite only when its own are gone: that takes a run (with these flags) more.
    """
    at_providers(stage)
    if stage.step not in {"delete", "destroy"}:
        at_hub(stage)
    run = stage.run()
    runs = dict.fromkeys(SERVICES, run)
    if stage.step in {"delete", "destroy"}:
        assert run.status != 0
        assert stage.world.services.hub.count("DELETE", "/v1/invites/*") == 0
        stage.calm()
        if flags and stage.step == "delete":
            stage.assert_remedy_is_told()
        at_hub(stage)
        runs[HUB] = stage.run(*flags)
    stage.calm()
    return runs


def _converge(stage: Stage, faulted: Mapping[str, Run], fault: str, runs: Mapping[str, str] | None = None) -> None:
    """One more run does the rest; a row for each service, which told of itself or got over it."""
    assert stage.run().status == 0
    stage.settled()
    for service, part in SERVICES.items():
        sees = stage.told(faulted[service], part)
        further = (runs or {}).get(service, "1") if sees else "0"
        stage.row(f"{service}: {fault}", sees=sees, runs=further)


def _provider_faults(stage: Stage, *, skip: int = 0, **what: object) -> None:
    services = stage.world.services
    fault = partial(loopback.Fault, times=MANY, **what)  # type: ignore[arg-type] # the fields of a fault
    services.cloudflare.inject(fault(method=WRITES[stage.step], path=RECORDS))
    services.route53.inject(fault(method="POST", path=RRSETS, skip=skip))


def _hub_fault(stage: Stage, **what: object) -> None:
    fault = partial(hub_emulator.Fault, times=None, **what)  # type: ignore[arg-type] # the fields of a fault
    stage.world.services.hub.inject(fault(method=HUB_WRITES[stage.step]))


@shows("F4", "one of a record and its marker cannot be deleted", sees="deleting Route53 Record")
def test_a_call_that_fails_before_anything_is_done_is_made_again_by_the_next_run(stage: Stage) -> None:
    for step in ("create", "update", "delete"):
        stage.want(step)
        stage.world.services.hub.clear_log()
        runs = _strike(stage, partial(_provider_faults, status=500), partial(_hub_fault, outcome=INTERNAL_500))
        assert all(run.status != 0 for run in runs.values())
        _converge(stage, runs, "the call fails, nothing is done")


def test_a_call_that_is_done_but_whose_answer_is_lost_is_taken_over_by_the_next_run(stage: Stage) -> None:
    cloudflare = stage.world.services.cloudflare
    for step in ("create", "update", "delete"):
        stage.want(step)
        stage.world.services.hub.clear_log()
        # Where a record is made its marker gets its answer: it is the record's that is lost.
        at_providers = partial(_provider_faults, drop=True, after_commit=True, skip=int(step == "create"))
        at_hub = partial(_hub_fault, outcome=Drop(), after_commit=True)
        runs = _strike(stage, at_providers, at_hub, *(["--refresh"] if step == "delete" else []))
        writes = len(cloudflare.writes)
        if step == "create":
            stage.assert_left_over_invite_is_told()
        _converge(
            stage,
            runs,
            "the call is done, its answer is lost",
            {"create": {HUB: AFTER_DELETION}, "delete": {CLOUDFLARE: REFRESH}}.get(step, {}),
        )
        if step == "create":
            # The record of the Gateway was there already: only that of the tunnel is made.
            assert [one.method for one in cloudflare.writes[writes:]] == ["POST"]


def test_a_call_that_is_done_long_after_its_time_limit_is_taken_over_by_the_next_run(stage: Stage) -> None:
    stage.world.stack.environment[API_TIMEOUT_VARIABLE] = "6"
    for step in ("create", "update", "delete"):
        stage.want(step)
        stage.world.services.hub.clear_log()
        at_providers = partial(_provider_faults, delay_seconds=LONG)
        at_hub = partial(_hub_once, hub_emulator.Fault(method=HUB_WRITES[step], delay_seconds=LONG))
        runs = _strike(stage, at_providers, at_hub, *(["--refresh"] if step == "delete" else []))
        _converge(
            stage,
            runs,
            "no answer within the time limit, the call is done later",
            {CLOUDFLARE: REFRESH} if step == "delete" else {},
        )


def _hub_once(fault: hub_emulator.Fault, stage: Stage) -> None:
    stage.world.services.hub.inject(fault)


def _put_off(stage: Stage, *, seconds: int, times: int) -> None:
    services = stage.world.services
    services.cloudflare.inject(
        loopback.Fault(
            method=WRITES[stage.step],
            path=RECORDS,
            status=429,
            headers=(("Retry-After", str(seconds)),),
            times=times,
        )
    )
    services.route53.inject(
        loopback.Fault(method="POST", path=RRSETS, status=400, body=THROTTLED, content_type="text/xml", times=times)
    )
    services.hub.inject(hub_emulator.Fault(method=HUB_WRITES[stage.step], outcome=rate_limited(seconds), times=times))


def test_a_call_that_is_put_off_is_made_again_and_one_put_off_for_too_long_by_the_next_run(stage: Stage) -> None:
    for step in ("create", "update", "delete"):
        stage.want(step)
        _put_off(stage, seconds=1, times=1)
        run = stage.run()
        assert run.status == 0, run.text
        stage.settled()
        for service in SERVICES:
            stage.row(f"{service}: {ONCE}", runs="0")

    stage.want("create")
    _put_off(stage, seconds=3600, times=MANY)
    run = stage.run()
    assert run.status != 0
    stage.calm()
    _converge(stage, dict.fromkeys(SERVICES, run), FOR_AN_HOUR)


def test_a_destroy_whose_answers_are_lost_is_finished_by_the_next_one(stage: Stage) -> None:
    stage.want("destroy")
    stage.world.services.hub.clear_log()
    at_providers = partial(_provider_faults, drop=True, after_commit=True)
    runs = _strike(stage, at_providers, partial(_hub_fault, outcome=Drop(), after_commit=True), "--refresh")
    _converge(stage, runs, "the call is done, its answer is lost", {CLOUDFLARE: "1, `pulumi destroy --refresh`"})

    stage.want("base")
    stage.world.up("--skip-preview")
    stage.want("destroy")
    _put_off(stage, seconds=1, times=1)
    assert stage.run().status == 0
    stage.settled()
    for service in (CLOUDFLARE, ROUTE53, HUB):
        stage.row(f"{service}: {ONCE}", runs="0")
