"""Live zones at preview: foreign records hold their names, lost ones of ours come back, drift is told."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
import yaml

from edge_dns.core.markers import marker_text, txt_value
from edge_dns.core.values import Source
from local.loopback import Fault
from local.stack import STACK, LocalStack, Run
from tests.engine.conftest import CLOUDFLARE_ZONE, ROUTE53_ZONE, Held, World
from tests.engine.evidence import assert_one_message
from tests.fault_table import Row

EDGE = "edge-eu.example.net"
DNS_RECORD, RECORD = "cloudflare:index/dnsRecord:DnsRecord", "aws:route53/record:Record"
FRONT = Source(cluster="prod", kind="Gateway", namespace="edge", name="front")
MARKER = marker_text("edge-dns", STACK, FRONT)
ADDRESS, OLD_ADDRESS = "203.0.113.7", "203.0.113.99"


def _publish(world: World, *hostnames: str, **settings: object) -> None:
    """Want these hostnames of one Gateway with one address."""
    world.gateways.gateway("front", addresses=[ADDRESS])
    world.gateways.route("shop", list(hostnames), gateway="front")
    world.gateways.write()
    world.configure(**settings)


def _at_cloudflare(world: World, name: str, content: str, kind: str = "A", **more: object) -> str:
    """Add a record as somebody else would; returns its import id."""
    zone_id = world.services.zone_ids[CLOUDFLARE_ZONE]
    record = world.services.cloudflare.add_record(zone_id, name=name, type=kind, content=content, **more)
    return f"{zone_id}/{record['id']}"


def _at_route53(world: World, name: str, content: str, kind: str = "A") -> str:
    """Add an RRset as somebody else would; returns its import id."""
    zone_id = world.services.zone_ids[ROUTE53_ZONE]
    world.services.route53.add_record(zone_id, name=name, record_type=kind, values=[content])
    return f"{zone_id}_{name}_{kind}"


def _slot(world: World, name: str) -> str:
    zone = CLOUDFLARE_ZONE if name.endswith(CLOUDFLARE_ZONE) else ROUTE53_ZONE
    return f"{world.services.zone_ids[zone]}/{name}"


def _said(run: Run) -> str:
    """The output of a command in one line, as the console may wrap it."""
    return " ".join(run.text.split())


def test_a_foreign_record_is_shown_at_preview_holds_its_name_and_stays_untouched(world: World) -> None:
    ids = [
        _at_cloudflare(world, "a.example.com", "198.51.100.1"),
        _at_cloudflare(world, "b.example.com", "elsewhere.example.net", "CNAME"),
        _at_route53(world, "a.example.org", "elsewhere.example.net", "CNAME"),
        _at_route53(world, "_edge-dns.b.example.org", txt_value("not a marker"), "TXT"),
    ]
    _at_cloudflare(world, "ok.example.com", '"beside"', "TXT")
    _at_route53(world, "ok.example.org", '"beside"', "TXT")
    _at_route53(world, "lab.example.org", "ns1.example.net.", "NS")
    foreign = world.held()
    blocked = ["a.example.com", "b.example.com", "a.example.org", "b.example.org"]
    _publish(world, *blocked, "www.lab.example.org", "ok.example.com", "ok.example.org")

    preview = world.stack.preview()
    said = _said(preview)
    for name, import_id in zip(blocked, ids, strict=True):
        assert f"{name}: refused: owner-foreign" in said
        assert f"import id {import_id}" in said
    assert "www.lab.example.org: refused: below-delegation" in said
    created = {step.name for step in preview.steps if step.type in {DNS_RECORD, RECORD}}
    assert created == {_slot(world, name) for name in ("ok.example.com", "ok.example.org", "_edge-dns.ok.example.org")}

    up = world.stack.up("--skip-preview")
    assert up.status != 0
    assert foreign <= world.held()
    assert {(one.name, one.type) for one in world.held() - foreign} == {
        ("ok.example.com", "A"),
        ("ok.example.org", "A"),
        ("_edge-dns.ok.example.org", "TXT"),
    }

    # A name that is published already is held where a foreign record appears beside its own.
    _at_cloudflare(world, "ok.example.com", OLD_ADDRESS)
    before = world.held()
    world.gateways.gateway("front", addresses=["203.0.113.8"])
    world.gateways.write()
    up = world.stack.up("--skip-preview")
    assert up.status != 0
    assert "ok.example.com: held: owner-foreign" in _said(up)
    assert {(one.name, one.values) for one in world.held() - before} == {("ok.example.org", ("203.0.113.8",))}


def _forget_records(world: World) -> None:
    """Take the stack back to where its record sets are registered and their records are not, at the providers too."""
    state = json.loads(world.stack.state())
    resources = state["deployment"]["resources"]
    records = [one for one in resources if one["type"] in {DNS_RECORD, RECORD}]
    state["deployment"]["resources"] = [one for one in resources if one not in records]
    _import_state(world, state)
    for one in records:
        if one["type"] == DNS_RECORD:
            world.services.cloudflare.delete_record(one["outputs"]["zoneId"], one["id"])
        else:
            name, kind = one["outputs"]["name"], one["outputs"]["type"]
            world.services.route53.delete_record(one["outputs"]["zoneId"], name=name, record_type=kind)


def _import_state(world: World, state: object) -> None:
    file = world.stack.folder / "state.json"
    file.write_text(json.dumps(state))
    world.stack.checked("stack", "import", "--stack", STACK, "--file", str(file))


def test_another_installation_with_a_stack_of_this_name_keeps_its_records(world: World, tmp_path: Path) -> None:
    names = ["equal.example.com", "equal.example.org"]
    _publish(world, *names)
    world.up("--skip-preview")
    theirs = world.held()

    other = LocalStack(tmp_path / "other", world.services.provider_config)
    other.configure(world.settings)
    run = other.up("--skip-preview")
    assert run.status != 0
    for name in names:
        assert f"{name}: refused: owner-foreign" in _said(run)
    assert "another installation" in _said(run)
    assert world.held() == theirs
    other.destroy()
    assert world.held() == theirs
    world.assert_settled()


def test_creates_that_a_crash_cut_off_are_imported_without_a_write_and_differences_are_updated(world: World) -> None:
    names = ["equal.example.com", "stale.example.com", "equal.example.org", "stale.example.org", "bare.example.org"]
    _publish(world, *names, "other.example.com")
    world.up("--skip-preview")
    _forget_records(world)
    equal = _at_cloudflare(world, "equal.example.com", ADDRESS, comment=MARKER)
    stale = _at_cloudflare(world, "stale.example.com", OLD_ADDRESS, comment=MARKER)
    other = _at_cloudflare(world, "other.example.com", EDGE, "CNAME", comment=MARKER)
    imported = {"equal.example.com": equal, "stale.example.com": stale}
    for name, address in (("equal.example.org", ADDRESS), ("stale.example.org", OLD_ADDRESS), ("bare.example.org", "")):
        imported[f"_edge-dns.{name}"] = _at_route53(world, f"_edge-dns.{name}", txt_value(MARKER), "TXT")
        if address:
            imported[name] = _at_route53(world, name, address)
    lost = world.held()
    cloudflare, route53 = len(world.services.cloudflare.writes), len(world.services.route53.writes)

    preview = world.stack.preview()
    said = _said(preview)
    assert "other.example.com: refused: adopt-differs" in said
    assert f"CNAME {EDGE} (ttl auto) (import id {other})" in said
    assert f"wanted A {ADDRESS}" in said
    steps = {(step.op, step.name) for step in preview.steps if step.type in {DNS_RECORD, RECORD}}
    assert {name for op, name in steps if op == "import"} == {_slot(world, name) for name in imported}
    assert {name for op, name in steps if op == "create"} == {_slot(world, "bare.example.org")}
    # What differs is updated once it is ours.
    assert {name for op, name in steps if op not in {"import", "create"}} <= {
        _slot(world, name) for name in ("stale.example.com", "stale.example.org")
    }

    _publish(world, *names)
    world.up("--skip-preview")
    assert [write.method for write in world.services.cloudflare.writes[cloudflare:]] == ["PUT"]
    # At Route 53: the record that was not there, and the one that differed.
    assert len(world.services.route53.writes) == route53 + 2
    assert {(one.name, one.values) for one in world.held() - lost} == {
        (name, (ADDRESS,)) for name in ("stale.example.com", "stale.example.org", "bare.example.org")
    }
    world.assert_settled()

    # A type change cut off between its create and the state: the old record is gone, the new one not known.
    state = json.loads(world.stack.state())
    slot = _slot(world, "equal.example.com")
    (resource,) = (one for one in state["deployment"]["resources"] if one["urn"].endswith(f"::{slot}"))
    resource["pendingReplacement"] = True
    _import_state(world, state)
    world.services.cloudflare.delete_record(*equal.split("/"))
    again = _at_cloudflare(world, "equal.example.com", ADDRESS, comment=MARKER)
    writes = world.services.write_count
    run = world.up("--skip-preview")
    assert "import-replacement" in {step.op for step in run.steps if step.name == slot}
    assert world.services.write_count == writes
    assert again in _cloudflare_ids(world)
    world.assert_settled()


def _cloudflare_ids(world: World) -> set[str]:
    zone_id = world.services.zone_ids[CLOUDFLARE_ZONE]
    return {f"{zone_id}/{one['id']}" for one in world.services.cloudflare.records(zone_id)}


def test_large_zones_are_read_whole_in_as_many_calls_as_they_have_pages(world: World) -> None:
    for number in range(1200):
        _at_cloudflare(world, f"h{number}.example.com", "198.51.100.1")
    for number in range(400):
        _at_route53(world, f"h{number}.example.org", "198.51.100.1")
    _publish(world, "h1199.example.com", "h399.example.org", "new.example.com")
    cloudflare, route53 = len(world.services.cloudflare.requests), len(world.services.route53.requests)
    preview = world.stack.preview()
    said = _said(preview)
    assert "h1199.example.com: refused: owner-foreign" in said
    assert "h399.example.org: refused: owner-foreign" in said
    # The zone's name, the first thousand, and then all in pages of five thousand.
    assert len(world.services.cloudflare.requests) - cloudflare == 3
    # Pages of three hundred (or, here, one hundred).
    assert len(world.services.route53.requests) - route53 <= 5
    assert [step.name for step in preview.steps if step.type == DNS_RECORD] == [_slot(world, "new.example.com")]


def test_what_changed_outside_is_told_at_preview_and_put_right_by_a_refresh(world: World) -> None:
    """Bug cases: BC-J09."""
    services = world.services
    cloudflare, route53 = services.zone_ids[CLOUDFLARE_ZONE], services.zone_ids[ROUTE53_ZONE]
    _publish(world, "a.example.com", "b.example.com", "a.example.org", "b.example.org")
    world.up("--skip-preview")
    published = {one[:3] for one in world.held()}
    ids = {one["name"]: one["id"] for one in services.cloudflare.records(cloudflare)}
    services.cloudflare.edit_record(cloudflare, ids["a.example.com"], content=OLD_ADDRESS)
    services.cloudflare.delete_record(cloudflare, ids["b.example.com"])
    _at_route53(world, "a.example.org", OLD_ADDRESS)
    services.route53.delete_record(route53, name="_edge-dns.b.example.org", record_type="TXT")

    preview = world.stack.preview()
    said = _said(preview)
    assert (preview.status, preview.steps) == (0, ())
    for name, told in {
        "a.example.com": f"A {ADDRESS} (ttl auto) is now A {OLD_ADDRESS} (ttl auto)",
        "b.example.com": f"A {ADDRESS} is gone",
        "a.example.org": f"A {ADDRESS} (ttl 300) is now A {OLD_ADDRESS} (ttl 300)",
        "b.example.org": "its ownership marker TXT _edge-dns.b.example.org is gone",
    }.items():
        assert f"{name}: drift: {told} at the provider; `pulumi up --refresh` puts it right" in said
    world.up("--refresh")
    assert {one[:3] for one in world.held()} == published
    assert "drift" not in world.stack.preview().text


@contextmanager
def _config(world: World, **values: object) -> Iterator[None]:
    """Provider configuration in the stack file beside the settings."""
    world.configure()
    document = yaml.safe_load(world.stack.config_file.read_text())
    document["config"].update({key.replace("__", ":"): value for key, value in values.items()})
    world.stack.configure_text(yaml.safe_dump(document))
    yield


@contextmanager
def _fault(world: World, fault: Fault, service: str = "cloudflare") -> Iterator[None]:
    server = getattr(world.services, service)
    world.configure()
    server.inject(fault)
    yield
    server.clear_faults()


@contextmanager
def _zone_id(world: World, number: int, zone_id: str) -> Iterator[None]:
    zones = world.zones()
    zones[number]["zoneId"] = zone_id
    world.configure(zones=zones)
    yield


HTML = Fault(status=200, body="<html><body>Sign in</body></html>", content_type="text/html", times=100)
FAULTS: Mapping[str, tuple[Callable[[World], AbstractContextManager[None]], tuple[str, ...]]] = {
    "asked with a wrong token": (
        lambda w: _config(w, cloudflare__apiToken="wrong" * 8),
        ("zone example.com (cloudflare", "403 Invalid access token", "cloudflare:apiToken"),
    ),
    "asked for a zone that is not there": (
        lambda w: _zone_id(w, 0, "0" * 32),
        ("zone example.com (cloudflare 00000000000000000000000000000000)", "zoneId"),
    ),
    "asked for a hosted zone that is not there": (
        lambda w: _zone_id(w, 1, "Z000000000000"),
        ("zone example.org (route53 Z000000000000)", "NoSuchHostedZone", "zoneId"),
    ),
    "failing": (
        lambda w: _fault(w, Fault(status=500, times=100)),
        ("zone example.com (cloudflare", "500"),
    ),
    "answering HTML": (lambda w: _fault(w, HTML), ("zone example.com (cloudflare", "not the API's JSON")),
    "silent": (
        lambda w: _fault(w, Fault(delay_seconds=90, times=100)),
        ("zone example.com (cloudflare", "no answer within 25 seconds"),
    ),
}


@pytest.mark.fault(
    *(
        Row(at="up read", fault=f"a live zone: {name}", sees=f"observation-failed: …{parts[-1]}")
        for name, (_, parts) in FAULTS.items()
    )
)
def test_a_zone_that_cannot_be_read_stops_the_run_before_anything_changes(world: World) -> None:
    """Bug cases: BC-H03."""
    _publish(world, "a.example.com", "a.example.org")
    world.up("--skip-preview")
    held, state = world.held(), _resources(world)
    for name, (setting, parts) in FAULTS.items():
        with setting(world):
            run = world.stack.preview() if name == "silent" else world.stack.up("--skip-preview")
        assert_one_message(run, "observation-failed", *parts)
        assert "wrong" * 8 not in run.text, name
        assert world.services.cloudflare.token not in run.text, name
        assert (world.held(), _resources(world)) == (held, state), name
    world.configure()
    world.assert_settled()


def test_a_private_view_is_never_written_to_the_public_hosted_zone_of_its_domain(world: World) -> None:
    zones = world.zones()
    zones[1]["visibility"] = "private"
    clusters = [{"name": "prod", "visibility": "private", "files": [str(world.gateways.path)]}]
    _publish(world, "a.example.org", zones=zones, clusters=clusters)
    run = world.stack.up("--skip-preview")
    assert_one_message(run, "observation-failed", "visibility is private, but zoneId is that of a public hosted zone")
    assert world.names() == set()


def _resources(world: World) -> dict[str, object]:
    """Inputs and outputs by URN, but of the stack and of the providers, which take their new configuration at once."""
    state = json.loads(world.stack.state())
    return {
        one["urn"]: (one.get("inputs"), one.get("outputs"))
        for one in state["deployment"]["resources"]
        if not one["type"].startswith("pulumi:")
    }


def test_zones_with_credentials_of_their_own_are_read_with_them(world: World) -> None:
    services = world.services
    zones = world.zones()
    zones[0]["credentials"] = {"apiToken": services.cloudflare.token}
    zones[1]["credentials"] = {"accessKey": services.route53.access_key, "secretKey": services.route53.secret_key}
    foreign = _at_cloudflare(world, "b.example.com", "198.51.100.1")
    held: set[Held] = world.held()
    with _config(world):
        _publish(world, "a.example.com", "b.example.com", "a.example.org", zones=zones)
        document = yaml.safe_load(world.stack.config_file.read_text())
        document["config"]["cloudflare:apiToken"] = "the stack's own is of another account"
        world.stack.configure_text(yaml.safe_dump(document))
        for run in (world.stack.preview(), world.stack.up("--skip-preview")):
            assert "b.example.com: refused: owner-foreign" in _said(run)
            assert f"A 198.51.100.1 (import id {foreign})" in _said(run)
        assert {one.name for one in world.held() - held} == {
            "a.example.com",
            "a.example.org",
            "_edge-dns.a.example.org",
        }
        assert world.stack.preview().steps == ()
        zones[0]["credentials"] = {"apiToken": "wrong" * 8}
        world.configure(zones=zones)
        run = world.stack.up("--skip-preview")
        assert_one_message(run, "observation-failed", "zone example.com (cloudflare", "403 Invalid access token")
        assert "wrong" * 8 not in run.text
