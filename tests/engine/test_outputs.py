"""The stack outputs: what is not published, and the numbers of each zone; after a settled run a preview shows none."""

from tests.engine.conftest import World


def _output_lines(world: World) -> list[str]:
    """Return what `pulumi preview --diff` shows of the stack outputs."""
    run = world.stack.preview("--diff", "--expect-no-changes")
    assert run.status == 0, run.text
    _, _, outputs = run.text.partition("--outputs:--")
    return [line.strip() for line in outputs.splitlines() if line.strip().startswith(("+", "-", "~"))]


def _endpoints(world: World) -> object:
    tunnels = world.stack.outputs()["tunnels"]
    assert isinstance(tunnels, dict)
    return tunnels["team/app"]["regionEndpoints"]


def test_a_preview_after_a_settled_run_shows_no_change_of_outputs(world: World) -> None:
    world.gateways.gateway("front", addresses=["203.0.113.7"])
    world.gateways.route("cart", ["cart.example.com", "cart.example.org"], gateway="front")
    world.gateways.route("late", ["late.example.org"], gateway="front", accepted=None)
    world.gateways.write()
    names = ["app.example.com", "old.example.com", "www.example.com", "*.example.com", "x.example.net"]
    world.configure(world.tunnel("app", names), onRefused="warn")
    world.up("--skip-preview")
    waiting = {
        "*.example.com": ("refused", "wildcard-opt-in"),
        "late.example.org": ("refused", "status-stale"),
        "x.example.net": ("refused", "zone-none"),
    }
    assert world.told() == waiting
    zones = world.stack.outputs()["zones"]
    unchanged = {"withdrawn": 0, "withdrawnShare": 0, "changed": 0, "changedShare": 0}
    assert zones == {
        "(no zone)": {"hostnames": {"refused": 1}, "records": None},
        "example.com": {"hostnames": {"published": 4, "refused": 1}, "records": {"own": 4, **unchanged}},
        "example.org": {"hostnames": {"published": 1, "refused": 1}, "records": {"own": 1, **unchanged}},
    }
    # The hub tells the endpoints of an invite that is there.
    assert _endpoints(world) == {}
    world.up("--skip-preview")
    assert _endpoints(world) == {"EU": {"role": "primary", "addresses": []}}
    assert _output_lines(world) == []

    names.remove("old.example.com")
    world.configure(world.tunnel("app", names), onRefused="warn")
    world.up("--skip-preview")
    assert world.told() == {**waiting, "old.example.com": ("withdrawn", "not-declared")}
    # What was withdrawn belongs to the run that withdrew it; the names beside it are told without a change.
    changed = "\n".join(_output_lines(world))
    assert "old.example.com" in changed
    assert not [name for name in waiting if f'"{name}"' in changed or f" {name} " in changed], changed
    world.up("--skip-preview")
    assert _output_lines(world) == []
