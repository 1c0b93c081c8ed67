"""What a run did and left, for tests that assert on the whole of it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from local.stack import STACK, Run
from tests.engine.conftest import CLOUDFLARE_ZONE, ROUTE53_ZONE, World

INVITE = "towonel:index:Invite"
SHOP = "shop.example.com"
TUNNEL_NAMES = {"app.example.com", "app.example.org", SHOP}
ROUTE_NAMES = {"cart.example.com", "cart.example.org"}


def publish(world: World) -> None:
    """Publish two tunnels and one Gateway, in both zones."""
    world.gateways.gateway("front", addresses=["203.0.113.7"])
    world.gateways.route("cart", ["cart.example.com", "cart.example.org"], gateway="front")
    world.gateways.write()
    configure(world)
    world.up("--skip-preview")
    assert world.names() >= TUNNEL_NAMES | ROUTE_NAMES


def configure(
    world: World,
    *,
    app: Mapping[str, object] | None = None,
    shop: Mapping[str, object] | None = None,
    **settings: object,
) -> None:
    """Write the settings of `publish`, with more settings of the two tunnels and of the stack."""
    world.configure(
        world.tunnel("app", ["app.example.com", "app.example.org"], **(app or {})),
        world.tunnel("shop", [SHOP], **(shop or {})),
        **settings,
    )


def resources(world: World) -> dict[str, tuple[object, object]]:
    """Inputs and outputs of every resource in the state, by URN; the stack's own outputs are left out."""
    # The cipher text of a secret differs each time.
    state = json.loads(world.stack.checked("stack", "export", "--show-secrets", "--stack", STACK))
    return {
        one["urn"]: (one.get("inputs"), one.get("outputs"))
        for one in state["deployment"].get("resources", ())
        if one["type"] != "pulumi:pulumi:Stack"
    }


def invites_in_state(world: World) -> set[str]:
    """Names of the invites in the state."""
    return {urn.rpartition("::")[2] for urn in resources(world) if INVITE in urn}


def invite_id(world: World, name: str) -> str:
    """Id of the invite of a tunnel, by the state."""
    outputs = next(values for urn, (_, values) in resources(world).items() if urn.endswith(f"{INVITE}::{name}"))
    assert isinstance(outputs, dict)
    return str(outputs["inviteId"])


@dataclass(frozen=True, slots=True)
class Holdings:
    """Everything that the two providers and the hub hold."""

    cloudflare: object
    route53: object
    hub: object

    @classmethod
    def of(cls, world: World) -> "Holdings":
        """Read them."""
        services = world.services
        return cls(
            cloudflare=services.cloudflare.records(services.zone_ids[CLOUDFLARE_ZONE]),
            route53=services.route53.records(services.zone_ids[ROUTE53_ZONE]),
            hub=[(one.invite_id, one.name, tuple(one.hostnames), one.status) for one in services.hub.invites],
        )


def errors_of(run: Run) -> list[str]:
    """The error messages under `Diagnostics`, each with its further lines."""
    diagnostics = run.text.rpartition("\nDiagnostics:\n")[2].partition("\nOutputs:\n")[0].partition("\nResources:\n")[0]
    found: list[str] = []
    for line in diagnostics.splitlines():
        if match := re.match(r"    error: (.*)", line):
            found.append(match[1])
        elif re.match(r"    (?!warning: |info: )", line) and found:
            found[-1] += "\n" + line.strip()
    return found


def assert_one_message(run: Run, rule: str, *parts: str) -> None:
    """The run failed with one error of this rule that holds all `parts`, and without a traceback."""
    assert run.status != 0, run.text
    assert "Traceback" not in run.text
    assert "unhandled" not in run.text
    said = [error for error in errors_of(run) if error != "BAIL: run bailed"]
    assert len(said) == 1, run.text
    assert said[0].startswith(f"{rule}: "), said[0]
    flat = " ".join(said[0].split())
    for part in (*parts, "Nothing was changed."):
        assert part in flat, flat
