"""A hostname that is refused gets no record, fails nobody else, and makes the run unsuccessful at its end."""

from collections.abc import Mapping

from edge_dns.core.resource_types import INVITE
from local.stack import Step
from tests.engine.conftest import World
from tests.engine.evidence import errors_of
from tests.fault_table import shows

EDGE = "edge-eu.example.net"
RETRY = (Step("update", INVITE, "team/app"),)
"""What a preview shows while the hub refuses a hostname of the tunnel `app`."""


def _live_hostnames(world: World) -> Mapping[str, set[str]]:
    """Return the hostnames of each live invite by its label."""
    return {invite.name: set(invite.hostnames) for invite in world.services.hub.invites if not invite.revoked}


def test_a_taken_hostname_never_fails_its_siblings_and_is_published_once_it_is_free(world: World) -> None:
    hub = world.services.hub
    hub.take("www.example.com", "elsewhere.example.com")
    app = world.tunnel("app", ["app.example.com", "www.example.com", "app.example.org"])
    siblings = {("app.example.com", "CNAME", EDGE), ("app.example.org", "CNAME", EDGE)}

    world.configure(app)
    run = world.stack.up()
    assert run.status != 0, run.text
    assert "www.example.com: refused: host-taken" in run.text
    assert world.published() == siblings
    assert world.told() == {"www.example.com": ("refused", "host-taken")}

    preview = world.stack.preview()
    assert (preview.status, preview.steps) == (0, RETRY), preview.text
    # It makes the error visible, and is none itself.
    assert errors_of(preview) == []
    assert "the update will end unsuccessful for this" in " ".join(preview.text.split())

    world.configure(app, onRefused="warn")
    run = world.up("--skip-preview")
    assert run.steps == RETRY
    assert "www.example.com: refused: host-taken" in run.text
    assert world.published() == siblings

    hub.release("www.example.com")
    world.configure(app)
    world.up()
    assert world.published() == {*siblings, ("www.example.com", "CNAME", EDGE)}
    assert world.told() == {}
    world.assert_settled()

    # Somebody takes it from the invite later on.
    own = hub.holder("www.example.com")
    assert own is not None
    hub.drop_hostname(own.invite_id, "www.example.com")
    hub.take("www.example.com")
    run = world.stack.up()
    assert run.status != 0
    assert world.published() == siblings
    assert world.told() == {"www.example.com": ("withdrawn", "host-taken")}


def test_a_tunnel_without_a_free_hostname_has_no_invite_until_one_is_free(world: World) -> None:
    hub = world.services.hub
    hub.take("app.example.com", "www.example.com")
    stay = world.tunnel("stay", ["stay.example.org"])
    stays = ("stay.example.org", "CNAME", EDGE)
    world.configure(world.tunnel("app", ["app.example.com", "www.example.com"]), stay)

    run = world.stack.up()
    assert run.status != 0
    assert world.published() == {stays}
    assert _live_hostnames(world).keys() == {"other/tenant", "team/stay"}
    assert world.told() == dict.fromkeys(["app.example.com", "www.example.com"], ("refused", "host-taken"))
    preview = world.stack.preview()
    assert (preview.status, preview.steps) == (0, RETRY), preview.text

    hub.release("app.example.com")
    run = world.stack.up()
    assert run.status != 0
    assert world.published() == {stays, ("app.example.com", "CNAME", EDGE)}
    assert world.told() == {"www.example.com": ("refused", "host-taken")}

    hub.release("www.example.com")
    world.up()
    assert world.published() == {stays, ("app.example.com", "CNAME", EDGE), ("www.example.com", "CNAME", EDGE)}
    world.assert_settled()

    # The last hostname goes, and the invite with it: it cannot be without one.
    world.configure(world.tunnel("app", []), stay)
    world.up("--skip-preview")
    assert world.published() == {stays}
    assert _live_hostnames(world) == {"team/stay": {"stay.example.org"}}
    world.assert_settled()


def test_a_tunnel_whose_only_hostname_is_taken_can_give_it_up(world: World) -> None:
    world.services.hub.take("app.example.com")
    stay = world.tunnel("stay", ["stay.example.org"])
    world.configure(world.tunnel("app", ["app.example.com"]), stay)
    assert world.stack.up("--skip-preview").status != 0

    world.configure(world.tunnel("app", []), stay)
    world.up("--skip-preview")
    assert _live_hostnames(world) == {"other/tenant": {"app.example.com"}, "team/stay": {"stay.example.org"}}
    assert world.told() == {}
    world.assert_settled()


@shows("F12", "one hostname cannot be published while others go", sees="app.example.test: refused: zone-none: ")
def test_refused_names_stop_no_withdrawal_and_only_errors_make_the_run_unsuccessful(world: World) -> None:
    gateways = world.gateways
    gateways.gateway("front", addresses=["203.0.113.7"])
    gateways.route("cart", ["cart.example.org"], gateway="front")
    gateways.route("late", ["late.example.org"], gateway="front", accepted=None)
    gateways.write()
    quiet = world.tunnel("quiet", ["quiet.example.com"], dns={"mode": "Disabled"})
    waiting = {
        "*.example.com": ("refused", "wildcard-opt-in"),
        "late.example.org": ("refused", "status-stale"),
        "quiet.example.com": ("refused", "dns-disabled"),
    }
    kept = {("app.example.com", "CNAME", EDGE), ("cart.example.org", "A", "203.0.113.7")}

    world.configure(world.tunnel("app", ["app.example.com", "www.example.com", "*.example.com"]), quiet)
    world.up()
    assert world.published() == {*kept, ("www.example.com", "CNAME", EDGE)}
    assert world.told() == waiting
    world.assert_settled()

    world.configure(world.tunnel("app", ["app.example.com", "app.example.test", "*.example.com"]), quiet)
    run = world.stack.up()
    assert run.status != 0
    assert "app.example.test: refused: zone-none" in run.text
    assert (
        "left alone on purpose (stack output hostnames): dns-disabled: quiet.example.com; "
        "wildcard-opt-in: *.example.com" in run.text
    )
    assert "quiet.example.com: refused" not in run.text
    assert world.published() == kept
    assert world.told() == {
        **waiting,
        "app.example.test": ("refused", "zone-none"),
        "www.example.com": ("withdrawn", "not-declared"),
    }
