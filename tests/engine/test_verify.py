"""`edge-dns verify` says by DNS whether an update has arrived; BIND answers what was pushed to it last."""

import json
import subprocess
from collections.abc import Iterator

import pytest

from local.bind import BindServer
from tests.engine.conftest import CLOUDFLARE_ZONE, ROUTE53_ZONE, World

LOAD_BALANCER = "lb-7.elb.eu-west-1.amazonaws.com"


@pytest.fixture
def bind() -> Iterator[BindServer]:
    with BindServer([CLOUDFLARE_ZONE, ROUTE53_ZONE]) as server:
        yield server


def _configure(world: World, bind: BindServer, *hostnames: str) -> None:
    """One tunnel with these hostnames, in zones that BIND serves; records at Cloudflare are proxied."""
    cloudflare, route53 = ({**zone, "nameservers": [bind.address]} for zone in world.zones())
    tunnel = world.tunnel("app", hostnames, dns={"mode": "Zone", "includeWildcards": True})
    world.configure(tunnel, zones=[{**cloudflare, "wildcards": True, "proxied": True}, route53])


def _start(world: World, *options: str) -> subprocess.Popen[str]:
    return world.stack.command("verify", "--config-file", str(world.stack.config_file), *options)


def _verify(world: World, *options: str) -> tuple[int, str]:
    """Run the command to its end; returns exit status and everything that it printed."""
    with _start(world, "--stack", "local", *options) as process:
        out, err = process.communicate()
    secrets = [world.services.hub.operator_key, world.services.cloudflare.token, world.services.route53.secret_key]
    assert not [secret for secret in secrets if secret in out + err]
    assert max((len(line) for line in (out + err).splitlines()), default=0) <= 80 or "--json" in options
    return process.returncode, out + err


def test_verify_tells_what_dns_does_not_answer_yet_and_waits_for_it(world: World, bind: BindServer) -> None:
    services = world.services
    world.gateways.gateway("front", addresses=[LOAD_BALANCER])
    world.gateways.route("cart", ["cart.example.com", "cart.example.org"], gateway="front")
    world.gateways.gateway("back", addresses=["203.0.113.9", "2001:db8::9"])
    world.gateways.route("docs", ["docs.example.org"], gateway="back")
    world.gateways.write()
    _configure(world, bind, "app.example.com", "*.app.example.com", "www.example.org")
    world.up("--skip-preview")

    # The providers hold the records, their name servers do not yet.
    status, text = _verify(world)
    assert status == 1
    assert text.splitlines() == [
        line
        for hostname, records in (
            ("*.app.example.com", "CNAME edge-eu.example.net"),
            ("app.example.com", "CNAME edge-eu.example.net"),
            ("cart.example.com", "addresses of the provider"),
            ("cart.example.org", "addresses of the provider"),
            ("docs.example.org", "A 203.0.113.9, AAAA 2001:db8::9"),
            ("www.example.org", "CNAME edge-eu.example.net"),
        )
        for line in (f"missing   {hostname} must be {records}", f"          {bind.address} answers no such record")
    ] + ["6 names in 2 zones: 6 missing"]

    services.push_zones(bind)
    assert _verify(world) == (0, "6 names in 2 zones: 6 as they should be\n")

    # Two names are withdrawn, and verify waits until their name servers know it.
    _configure(world, bind, "app.example.com")
    world.up("--skip-preview")
    status, text = _verify(world)
    assert status == 1
    assert text.splitlines() == [
        "answered  *.app.example.com is withdrawn",
        f"          {bind.address} answers CNAME edge-eu.example.net",
        "answered  www.example.org is withdrawn",
        f"          {bind.address} answers CNAME edge-eu.example.net",
        "6 names in 2 zones: 4 as they should be, 2 answered",
    ]
    with _start(world, "--stack", "local", "--wait", "300") as process:
        assert process.stderr is not None
        assert process.stderr.readline() == ("waiting for 2 of 6 names: *.app.example.com is answered and 1 more\n")
        services.push_zones(bind)
        out, _ = process.communicate()
    assert (process.returncode, out) == (0, "6 names in 2 zones: 6 as they should be\n")

    # Somebody changes a record; then the name server is down.
    zone = services.zone_ids[ROUTE53_ZONE]
    services.route53.add_record(zone, name="docs.example.org", record_type="A", values=["198.51.100.1"], ttl=300)
    services.push_zones(bind)
    status, text = _verify(world, "--json")
    assert status == 1
    assert [one for one in json.loads(text)["names"] if one["state"] != "agrees"] == [
        {
            "hostname": "docs.example.org",
            "zone": "example.org",
            "state": "wrong",
            "expected": "A 203.0.113.9, AAAA 2001:db8::9",
            "servers": [{"server": bind.address, "state": "wrong", "answer": "A 198.51.100.1, AAAA 2001:db8::9"}],
        }
    ]
    bind.stop()
    status, text = _verify(world)
    assert status == 2
    assert text.endswith("6 names in 2 zones: 6 unknown\n")


def test_verify_says_why_it_cannot_ask(world: World) -> None:
    with _start(world, "--stack", "nowhere") as process:
        out, err = process.communicate()
    assert (process.returncode, out) == (2, "")
    assert err.startswith("error: `pulumi stack export` failed: no stack named 'nowhere' found"), err
    # A stack that was never updated has no name.
    assert _verify(world) == (0, "nothing to verify: the stack has no name in a zone that can be asked\n")
