"""Tunnels of kind cloudflare, on the real engine against the emulator."""

from collections.abc import Mapping
from typing import Any

from local.loopback import Fault
from local.stack import STACK
from tests.engine.conftest import CLOUDFLARE_ZONE, World
from tests.engine.evidence import assert_one_message, errors_of, resources
from tests.fault_table import shows

APP, WIKI, APEX = "app.example.com", "wiki.example.com", "example.com"
ORIGIN = "http://app.team.svc:8080"
CATCH_ALL = "* -> http_status:404"
TUNNEL = "cloudflare:index/zeroTrustTunnelCloudflared:ZeroTrustTunnelCloudflared"


def tunnel(world: World, *hostnames: str, name: str = "web", **more: Any) -> Mapping[str, object]:
    of = {"accountId": world.services.cloudflare.account_id, "origin": ORIGIN, **more}
    return world.tunnel(name, hostnames, kind="cloudflare", cloudflare=of)


def cnames(tunnel_id: str, *names: str) -> set[tuple[str, str, str]]:
    return {(name, "CNAME", f"{tunnel_id}.cfargotunnel.com") for name in names}


def writes(world: World) -> list[tuple[str, str]]:
    """What was written at Cloudflare since the last call, each as method and kind of thing."""
    log = world.services.cloudflare.writes
    seen = getattr(writes, "seen", 0)
    writes.seen = len(log)  # type: ignore[attr-defined]  # the log itself only grows
    kinds = {"dns_records": "record", "configurations": "config", "cfd_tunnel": "tunnel"}
    return [(one.method, next(kind for part, kind in kinds.items() if part in one.path)) for one in log[seen:]]


@shows("F6", "a Cloudflare tunnel goes after its records, also where it cannot go at once")
@shows(
    "up read",
    "Cloudflare: the list of tunnels cannot be read",
    sees="observation-failed: the tunnels of Cloudflare account … cannot be read",
)
def test_a_tunnel_from_its_first_run_to_its_destruction(world: World) -> None:
    cloudflare, zone = world.services.cloudflare, world.services.zone_ids[CLOUDFLARE_ZONE]
    writes(world)

    # BC-I06, and the first run: the id is not known yet, and the policy pack lets the preview pass all the same.
    world.configure(tunnel(world, APP, APEX))
    preview = world.stack.preview("--policy-pack", "policy")
    assert preview.status == 0, preview.text
    assert {step.name.rpartition("/")[2] for step in preview.steps if "DnsRecord" in step.type} == {APP, APEX}
    assert writes(world) == []
    world.up("--skip-preview")
    tunnel_id = cloudflare.tunnels()["team.web"]
    assert world.published() == cnames(tunnel_id, APP, APEX)
    made = [one for one in cloudflare.records(zone) if str(one["content"]).startswith(tunnel_id)]
    assert [(one["proxied"], one["ttl"]) for one in made] == [(True, 1)] * 2
    assert cloudflare.ingress(tunnel_id) == [f"{APP} -> {ORIGIN}", f"{APEX} -> {ORIGIN}", CATCH_ALL]
    assert writes(world) == [("POST", "tunnel"), ("PUT", "config"), ("POST", "record"), ("POST", "record")]
    assert world.stack.outputs()["tunnels"]["team/web"]["tunnelId"] == tunnel_id  # type: ignore[index]
    world.assert_settled()

    # BC-I01: another hostname in its place. Its rule goes before its record, and nothing else is touched.
    world.configure(tunnel(world, WIKI, APEX, origins={WIKI: "https://wiki:8443"}))
    world.up("--skip-preview")
    assert world.published() == cnames(tunnel_id, WIKI, APEX)
    assert cloudflare.ingress(tunnel_id) == [f"{WIKI} -> https://wiki:8443", f"{APEX} -> {ORIGIN}", CATCH_ALL]
    assert writes(world) == [("PUT", "config"), ("POST", "record"), ("DELETE", "record")]

    # A list that cannot be read is no empty list.
    cloudflare.inject(Fault(method="GET", path="/cfd_tunnel$", status=403, times=10))
    run = world.stack.up("--skip-preview")
    assert_one_message(run, "observation-failed", "the tunnels of Cloudflare account", "403", "apiToken")
    cloudflare.clear_faults()
    assert writes(world) == []

    # BC-I02: records before the tunnel, and the token is nowhere to be read.
    token = cloudflare.tunnel_token(tunnel_id)
    assert token not in run.text + preview.text + world.stack.state()
    cloudflare.connect(tunnel_id)
    run = world.stack.destroy("--skip-preview")
    assert run.status != 0
    assert any("active connections (1022)" in error for error in errors_of(run)), run.text
    assert world.published() == set()
    cloudflare.disconnect(tunnel_id)
    run = world.stack.destroy("--skip-preview")
    assert run.status == 0, run.text
    assert cloudflare.tunnels() == {}
    assert writes(world) == [("DELETE", "record"), ("DELETE", "record"), ("DELETE", "tunnel"), ("DELETE", "tunnel")]
    assert resources(world) == {}


@shows(
    "F6",
    "a Cloudflare tunnel is deleted outside, its hostnames stay: tunnel-gone",
    sees="tunnel-gone: ",
    runs="1, once the tunnel is out of the state",
)
@shows("up create", "Cloudflare: a tunnel cannot be made", sees="creating tunnel team.web: 500 injected fault")
def test_a_tunnel_that_was_deleted_outside_takes_its_records_along(world: World) -> None:
    cloudflare = world.services.cloudflare
    writes(world)

    # A hostname that moves from another tunnel stays where it is while its new tunnel cannot be made.
    world.configure(world.tunnel("old", [APP, "old.example.com"]))
    world.up("--skip-preview")
    before = world.published()
    world.configure(world.tunnel("old", ["old.example.com"]), tunnel(world, APP))
    cloudflare.inject(Fault(method="POST", path="/cfd_tunnel$", status=500, times=10))
    run = world.stack.up("--skip-preview")
    assert run.status != 0
    assert any("creating tunnel team.web: 500" in error for error in errors_of(run)), run.text
    assert world.published() == before
    cloudflare.clear_faults()
    world.up("--skip-preview")
    tunnel_id = cloudflare.tunnels()["team.web"]
    assert world.published() >= cnames(tunnel_id, APP)

    cloudflare.delete_tunnel(tunnel_id)
    run = world.stack.up("--skip-preview")
    assert run.status != 0
    assert any("tunnel-gone" in error and tunnel_id in error for error in errors_of(run)), run.text
    assert world.names() == {"old.example.com"}
    assert world.told()[APP] == ("withdrawn", "tunnel-gone")
    assert world.stack.preview().steps == ()

    # As the docs say: out of the state, and the next run makes a new one.
    urn = next(urn for urn in resources(world) if urn.endswith(f"{TUNNEL}::team/web"))
    world.stack.checked("state", "delete", urn, "--target-dependents", "--yes", "--stack", STACK)
    world.up("--skip-preview")
    assert world.published() >= cnames(cloudflare.tunnels()["team.web"], APP)
    world.assert_settled()


def test_a_wildcard_of_a_tunnel_no_longer_serves_its_name_that_is_internal(world: World) -> None:
    wild, cloudflare = f"*.{APEX}", world.services.cloudflare
    world.configure(tunnel(world, wild, APP, WIKI))
    world.up("--skip-preview")
    tunnel_id = cloudflare.tunnels()["team.web"]
    before, behind = [f"{APP} -> {ORIGIN}"], [f"{wild} -> {ORIGIN}", CATCH_ALL]
    assert cloudflare.ingress(tunnel_id) == [*before, f"{WIKI} -> {ORIGIN}", *behind]
    wiki = {"name": "wiki", "namespace": "team", "hostnames": [WIKI]}
    world.configure(tunnel(world, wild, APP, WIKI), services=[wiki])
    world.up("--skip-preview")
    assert world.published() == cnames(tunnel_id, APP)
    assert cloudflare.ingress(tunnel_id) == [*before, f"{WIKI} -> http_status:404", *behind]
    world.assert_settled()


def test_a_tunnel_of_somebody_else_is_taken_over_only_when_everything_of_it_is_accounted_for(world: World) -> None:
    cloudflare = world.services.cloudflare
    theirs = [{"hostname": "old.example.com", "service": "http://old"}, {"service": "http://fallback"}]
    tunnel_id = cloudflare.add_tunnel("team.web", ingress=theirs)
    rules = cloudflare.ingress(tunnel_id)
    writes(world)

    def refused(rule: str, **more: Any) -> str:
        world.configure(world.tunnel("keep", ["keep.example.com"]), tunnel(world, APP, **more))
        run = world.stack.up("--skip-preview")
        assert run.status != 0
        assert world.told()[APP] == ("refused", rule)
        assert world.names() == {"keep.example.com"}
        assert (cloudflare.ingress(tunnel_id), cloudflare.tunnels()) == (rules, {"team.web": tunnel_id})
        return run.text

    assert tunnel_id in refused("tunnel-foreign")
    said = " ".join(refused("ingress-foreign", adopt=tunnel_id, replaceIngress=["*"]).split())
    assert "old.example.com → http://old" in said
    assert "http://fallback" not in said

    world.configure(
        world.tunnel("keep", ["keep.example.com"]),
        tunnel(world, APP, adopt=tunnel_id, replaceIngress=["*", "old.example.com"]),
    )
    world.up("--skip-preview")
    assert cloudflare.tunnels() == {"team.web": tunnel_id}
    assert cloudflare.ingress(tunnel_id) == [f"{APP} -> {ORIGIN}", CATCH_ALL]
    assert world.published() >= cnames(tunnel_id, APP)
    assert ("POST", "tunnel") not in writes(world)

    # Rules that somebody adds later stay theirs, also when a refresh has brought them into the state.
    added = [{"hostname": "theirs.example.com", "service": "http://theirs"}, {"service": "http_status:404"}]
    cloudflare.configure_tunnel(tunnel_id, [{"hostname": APP, "service": ORIGIN}, *added])
    rules = cloudflare.ingress(tunnel_id)
    writes(world)
    said = world.up("--refresh", "--skip-preview").text
    assert "theirs.example.com → http://theirs" in " ".join(said.split())
    preview = world.stack.preview()
    assert (preview.steps, writes(world)) == ((), [])

    def with_wiki(**more: Any) -> None:
        world.configure(world.tunnel("keep", ["keep.example.com"]), tunnel(world, APP, WIKI, adopt=tunnel_id, **more))

    with_wiki()
    for refresh in (["--refresh"], []):
        assert world.stack.up("--skip-preview", *refresh).status != 0
        assert world.told()[WIKI] == ("refused", "ingress-foreign")
        assert (cloudflare.ingress(tunnel_id), writes(world)) == (rules, [])
    # A write that failed does not make strangers of our own rules.
    with_wiki(replaceIngress=["theirs.example.com"])
    cloudflare.inject(Fault(method="PUT", path="/configurations$", status=500, times=10))
    assert world.stack.up("--skip-preview").status != 0
    cloudflare.clear_faults()
    world.up("--skip-preview")
    assert cloudflare.ingress(tunnel_id) == [f"{APP} -> {ORIGIN}", f"{WIKI} -> {ORIGIN}", CATCH_ALL]
    writes(world)

    # Renamed in the settings it stays the same tunnel; only the markers of the records, which name it, change.
    renamed = tunnel(world, APP, WIKI, name="site", adopt=tunnel_id)
    world.configure(world.tunnel("keep", ["keep.example.com"]), {**renamed, "aliases": ["team/web"]})
    world.up("--skip-preview")
    assert writes(world) == [("PUT", "record")] * 2
    assert world.published() >= cnames(tunnel_id, APP)
    world.assert_settled()
