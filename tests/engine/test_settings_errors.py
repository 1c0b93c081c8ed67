"""Settings that are wrong or not supported stop the real run: all errors at once, by their place in the stack file."""

import pytest

from local.stack import Run
from tests.engine.conftest import World
from tests.engine.evidence import errors_of, resources

SECRET = "s3cret-that-nobody-may-read"


def assert_stopped(world: World, run: Run) -> str:
    """The run said one thing and did none; returns what it said, on one line per error."""
    assert run.status != 0
    assert "Traceback" not in run.text
    assert "unhandled" not in run.text
    assert SECRET not in run.text
    assert {step.type for step in run.steps} <= {"pulumi:pulumi:Stack"}
    assert resources(world) == {}
    assert world.services.write_count == 0
    said = [error for error in errors_of(run) if error != "BAIL: run bailed"]
    assert len(said) == 1, run.text
    assert "the settings of stack local are invalid:" in said[0]
    assert said[0].endswith("Nothing was changed.")
    return said[0]


@pytest.mark.parametrize("operation", ["preview", "up"])
def test_all_errors_of_a_stack_file_are_told_in_one_run_with_their_paths(world: World, operation: str) -> None:
    zones = world.zones()
    world.configure(
        world.tunnel("App", ["app.example.com"]),
        world.tunnel("shop", ["shop.example.com"], kind="wireguard", hostname="x.example.com"),
        hub={"url": "hub.example.com", "apiKey": [SECRET], "token": SECRET},
        zones=[
            {**zones[0], "ttl": 5, "credentials": {"secretKey": SECRET}},
            {**zones[1], "credentials": {"apiToken": SECRET, "accessKey": {"text": SECRET}}},
        ],
        edgeTargets={"EU": "192.0.2.1"},
        safety={"maxWithdraw": 30},
        tunnel=[],
    )
    said = assert_stopped(world, world.stack.preview() if operation == "preview" else world.stack.up("--skip-preview"))
    for path in (
        "edge-dns:edgeTargets.EU: ",
        "edge-dns:hub.apiKey: ",
        "edge-dns:hub.(hidden): ",
        "edge-dns:hub.url: ",
        "edge-dns:safety.maxWithdraw: ",
        "edge-dns:tunnel: ",
        "edge-dns:tunnels[0].name: ",
        "edge-dns:tunnels[1].hostname: ",
        "edge-dns:tunnels[1].kind: ",
        "edge-dns:zones[0].credentials: ",
        "edge-dns:zones[0].ttl: ",
        "edge-dns:zones[1].credentials.accessKey: ",
        "edge-dns:zones[1].credentials",
    ):
        assert path in said, said


def test_settings_that_the_program_does_not_act_on_are_refused_by_name(world: World) -> None:
    exception = {"rule": "host-taken", "name": "a.example.com", "reason": "r", "expires": "2099-01-01"}
    world.configure(world.tunnel("app", ["a.example.com"]), exceptions=[exception])
    said = assert_stopped(world, world.stack.up("--skip-preview"))
    assert "edge-dns:exceptions[0].rule: the program makes no exception of host-taken" in said, said


def test_a_missing_key_of_the_hub_is_told_with_all_other_errors_and_how_to_set_it(world: World) -> None:
    world.configure(world.tunnel("app", ["app.example.com"]), hub={"url": world.services.hub.url}, tunnel=[])
    said = assert_stopped(world, world.stack.preview())
    assert "edge-dns:hub.apiKey: missing; set it with: pulumi config set --secret --path edge-dns:hub.apiKey" in said
    assert "edge-dns:tunnel: " in said
