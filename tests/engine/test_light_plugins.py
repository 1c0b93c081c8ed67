"""The light cloudflare and aws plugins on the real engine, with the official SDK classes, against the emulators."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from local.services import LocalServices
from tools.toolchain import ROOT, VENV, environment, install_plugins

PROGRAM = """
import json
from pathlib import Path

import pulumi
import pulumi_aws as aws
import pulumi_cloudflare as cloudflare

wanted = json.loads(Path("wanted.json").read_text())
providers = {}
if "explicit" in wanted:
    settings = wanted["explicit"]
    endpoints = [aws.ProviderEndpointArgs(route53=settings["route53"])]
    skip = dict(skip_credentials_validation=True, skip_metadata_api_check=True, skip_requesting_account_id=True)
    providers = {
        "cloudflare": cloudflare.Provider("explicit", api_token=settings["token"], base_url=settings["url"]),
        "aws": aws.Provider("explicit", region="us-east-1", access_key=settings["access"],
                            secret_key=settings["secret"], endpoints=endpoints, **skip),
    }
for name, (kind, arguments) in wanted["lookups"].items():
    invoke = pulumi.InvokeOptions(provider=providers.get(kind.partition(".")[0]))
    if kind == "cloudflare.records":
        found = cloudflare.get_dns_records(**arguments, opts=invoke)
        pulumi.export(name, sorted([r.name, r.type, r.content, r.ttl, r.comment] for r in found.results))
    elif kind == "cloudflare.zone":
        pulumi.export(name, cloudflare.get_zone(**arguments, opts=invoke).zone_id)
    elif kind == "aws.records":
        found = aws.route53.get_records(**arguments, opts=invoke)
        pulumi.export(name, sorted(
            [r.name, r.type, r.ttl, [v.value for v in r.resource_records], r.alias_target and r.alias_target.dns_name]
            for r in found.resource_record_sets if r.type not in ("NS", "SOA")
        ))
    else:
        zone = aws.route53.get_zone(**arguments, opts=invoke)
        pulumi.export(name, [zone.zone_id, zone.name, zone.private_zone])
unknown = None
for name, given in wanted["records"].items():
    inputs = dict(given)
    kind, options = inputs.pop("kind"), inputs.pop("options", {})
    opts = pulumi.ResourceOptions(provider=providers.get(kind), **options)
    if inputs.get("content") == "UNKNOWN":
        inputs["content"] = unknown.modified_on.apply(lambda _: "edge.example.net")
    if kind == "cloudflare":
        unknown = cloudflare.DnsRecord(name, opts=opts, **inputs)
    else:
        aliases = [aws.route53.RecordAliasArgs(**alias) for alias in inputs.pop("aliases", [])]
        aws.route53.Record(name, opts=opts, aliases=aliases or None, **inputs)
"""


class Stack:
    """One stack of the program above, with services of its own."""

    def __init__(self, folder: Path, services: LocalServices) -> None:
        self.services = services
        self.folder = folder
        self.cloudflare_zone = services.zone_ids["example.com"]
        self.aws_zone = services.zone_ids["example.org"]
        (folder / "state").mkdir()
        runtime = {"name": "python", "options": {"virtualenv": str(VENV)}}
        self.write("Pulumi.yaml", {"name": "light-plugins", "runtime": runtime})
        self.write("Pulumi.test.yaml", {"config": services.provider_config})
        (folder / "__main__.py").write_text(PROGRAM, encoding="utf-8")
        install_plugins(folder / "home", (ROOT / "local" / "plugins" / "bin").glob("pulumi-resource-*"))
        self.run("stack", "init", "test", stack=False)

    def want(self, *, explicit: bool = False, lookups: dict[str, Any] | None = None, **records: Any) -> None:
        """Make these the records of the program, by name."""
        wanted: dict[str, Any] = {"records": records, "lookups": lookups or {}}
        if explicit:
            cloudflare, route53 = self.services.cloudflare, self.services.route53
            wanted["explicit"] = {
                "token": cloudflare.token,
                "url": cloudflare.url,
                "access": route53.access_key,
                "secret": route53.secret_key,
                "route53": route53.url,
            }
        self.write("wanted.json", wanted)

    def cloudflare(self, **inputs: Any) -> dict[str, Any]:
        """A DnsRecord, www A unless said otherwise; one that changes type is deleted first."""
        record = {"zone_id": self.cloudflare_zone, "name": "www.example.com", "type": "A", "content": "203.0.113.7"}
        return {"kind": "cloudflare", "options": {"delete_before_replace": True}, **record, "ttl": 300, **inputs}

    def aws(self, **inputs: Any) -> dict[str, Any]:
        """A Route 53 record, www A unless said otherwise."""
        record = {"zone_id": self.aws_zone, "name": "www.example.org", "type": "A"}
        values = {} if "aliases" in inputs else {"ttl": 300, "records": ["203.0.113.7"]}
        return {"kind": "aws", **record, **values, **inputs}

    def run(self, *arguments: str, fails: bool = False, stack: bool = True) -> str:
        """Run `pulumi`; its output."""
        env = environment(os.environ, home=self.folder / "home") | {
            "PULUMI_BACKEND_URL": (self.folder / "state").as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": "test",
        }
        command = ["pulumi", "--non-interactive", "--color=never", *arguments, *(["--stack=test"] if stack else [])]
        done = subprocess.run(command, cwd=self.folder, env=env, check=False, text=True, capture_output=True)
        print(done.stdout, done.stderr)  # shown by pytest when the test fails
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout + done.stderr

    def up(self, *flags: str, fails: bool = False) -> str:
        """Run `pulumi up`."""
        return self.run("up", "--yes", "--skip-preview", *flags, fails=fails)

    def preview(self, *flags: str) -> dict[str, str]:
        """What `pulumi preview` would do, by resource name; it writes nothing."""
        before = self.services.write_count
        text = self.run("preview", "--json", *flags)
        assert self.services.write_count == before
        steps: list[dict[str, Any]] = json.loads(text[text.index("{") : text.rindex("}") + 1])["steps"]
        changes = [step for step in steps if step["op"] not in {"same", "refresh"} and "::pulumi:" not in step["urn"]]
        return {step["urn"].rpartition("::")[2]: step["op"] for step in changes}

    def cloudflare_records(self) -> list[tuple[object, ...]]:
        """What the Cloudflare zone holds."""
        held = self.services.cloudflare.records(self.cloudflare_zone)
        return [(record["name"], record["type"], record["content"]) for record in held]

    def aws_records(self) -> list[tuple[object, ...]]:
        """What the Route 53 zone holds."""
        return [(held.name, held.type, held.values) for held in self.services.route53.records(self.aws_zone)]

    def write(self, name: str, content: object) -> None:
        """Write a file of the stack."""
        (self.folder / name).write_text(json.dumps(content), encoding="utf-8")  # JSON is YAML


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    with LocalServices(cloudflare_zones=["example.com"], route53_zones=["example.org"]) as services:
        yield Stack(tmp_path, services)


def test_records_come_and_go_at_both_providers_and_a_second_preview_is_empty(stack: Stack) -> None:
    alias = {
        "name": "lb.eu-west-1.elb.amazonaws.com",
        "zone_id": "Z32O12XQLNTSW2",
        "evaluate_target_health": True,
    }
    kept = stack.cloudflare(comment="ours", tags=["owner:edge"])
    stack.want(
        kept=kept,
        wild=stack.cloudflare(name="*.example.com", type="CNAME", content="edge.example.net", proxied=True, ttl=1),
        later=stack.cloudflare(name="later.example.com", type="CNAME", content="UNKNOWN"),
        b=stack.aws(),
        star=stack.aws(name="*.example.org", type="TXT", records=["heritage=edge-dns"]),
        apex=stack.aws(name="example.org", aliases=[alias]),
    )
    assert stack.preview() == dict.fromkeys(["kept", "wild", "later", "b", "star", "apex"], "create")
    stack.up()
    assert stack.cloudflare_records() == [
        ("*.example.com", "CNAME", "edge.example.net"),
        ("later.example.com", "CNAME", "edge.example.net"),
        ("www.example.com", "A", "203.0.113.7"),
    ]
    assert stack.aws_records() == [
        ("*.example.org", "TXT", ('"heritage=edge-dns"',)),
        ("example.org", "A", ()),
        ("www.example.org", "A", ("203.0.113.7",)),
    ]
    assert stack.preview() == {}
    assert stack.preview("--refresh") == {}
    stack.want(kept=kept)
    stack.up()
    assert stack.cloudflare_records() == [("www.example.com", "A", "203.0.113.7")]
    assert stack.aws_records() == []
    stack.run("destroy", "--yes")
    assert stack.cloudflare_records() == []


def test_a_change_replaces_or_is_made_in_place_as_by_the_official_plugins(stack: Stack) -> None:
    stack.want(
        kind=stack.cloudflare(name="kind.example.com"),
        place=stack.cloudflare(name="place.example.com"),
        case=stack.cloudflare(name="case.example.com"),
        type=stack.aws(name="type.example.org"),
        name=stack.aws(name="name.example.org"),
        spelling=stack.aws(name="spelling.example.org"),
    )
    stack.up()
    before = len(stack.services.cloudflare.writes), len(stack.services.route53.writes)
    stack.want(
        kind=stack.cloudflare(name="kind.example.com", type="CNAME", content="edge.example.net"),
        place=stack.cloudflare(name="moved.example.com", content="203.0.113.9", ttl=60, comment="ours"),
        case=stack.cloudflare(name="Case.example.com"),
        type=stack.aws(name="type.example.org", type="CNAME", records=["edge.example.net"]),
        name=stack.aws(name="renamed.example.org"),
        spelling=stack.aws(name="Spelling.Example.org."),
    )
    found = stack.preview()
    assert {name: found.pop(name) for name in ("place", "case", "type")} == dict.fromkeys(
        ["place", "case", "type"], "update"
    )
    assert set(found) == {"kind", "name"}
    assert all("replace" in step for step in found.values())
    stack.up()
    writes = [write.method for write in stack.services.cloudflare.writes[before[0] :]]
    assert sorted(writes) == ["DELETE", "POST", "PUT", "PUT"]
    assert writes.index("DELETE") < writes.index("POST")
    assert len(stack.services.route53.writes) - before[1] == 3
    assert stack.cloudflare_records() == [
        ("case.example.com", "A", "203.0.113.7"),
        ("kind.example.com", "CNAME", "edge.example.net"),
        ("moved.example.com", "A", "203.0.113.9"),
    ]
    assert stack.aws_records() == [
        ("renamed.example.org", "A", ("203.0.113.7",)),
        ("spelling.example.org", "A", ("203.0.113.7",)),
        ("type.example.org", "CNAME", ("edge.example.net",)),
    ]
    assert stack.preview() == {}


def test_what_the_apis_refuse_fails_at_create_without_traceback_and_leaves_foreign_records_alone(stack: Stack) -> None:
    stack.services.cloudflare.add_record(stack.cloudflare_zone, type="A", name="www", content="203.0.113.1")
    stack.services.route53.add_record(stack.aws_zone, name="www.example.org", record_type="A", values=["203.0.113.1"])
    stack.want(
        ttl=stack.cloudflare(name="ttl.example.com", proxied=True),
        foreign=stack.cloudflare(type="CNAME", content="edge.example.net"),
        existing=stack.aws(),
        apex=stack.aws(name="example.org", type="CNAME", records=["edge.example.net"]),
    )
    assert stack.preview() == dict.fromkeys(["ttl", "foreign", "existing", "apex"], "create")
    said = stack.up("--continue-on-error", fails=True)
    for text in ("ttl must be set to 1 when `proxied` is true", "81053", "but it already exists", "at apex in zone"):
        assert text in said
    assert "Traceback" not in said
    assert stack.cloudflare_records() == [("www.example.com", "A", "203.0.113.1")]
    assert stack.aws_records() == [("www.example.org", "A", ("203.0.113.1",))]


def test_deleting_what_is_gone_fails_at_cloudflare_until_a_refresh_and_is_fine_at_route_53(stack: Stack) -> None:
    stack.want(a=stack.cloudflare(), b=stack.aws())
    stack.up()
    (held,) = stack.services.cloudflare.records(stack.cloudflare_zone)
    stack.services.cloudflare.delete_record(stack.cloudflare_zone, held["id"])
    stack.services.route53.delete_record(stack.aws_zone, name="www.example.org", record_type="A")
    stack.want()
    said = stack.up("--continue-on-error", fails=True)
    assert "81044" in said
    assert "www.example.org" not in stack.run("stack", "export")
    stack.up("--refresh")
    assert "www.example.com" not in stack.run("stack", "export")


def test_live_records_are_imported_without_a_write_where_equal_and_reaped_when_undeclared(stack: Stack) -> None:
    def live(name: str, content: str) -> str:
        made = stack.services.cloudflare.add_record(
            stack.cloudflare_zone, type="A", name=name, content=content, ttl=300
        )
        return f"{stack.cloudflare_zone}/{made['id']}"

    stack.services.route53.add_record(stack.aws_zone, name="www.example.org", record_type="A", values=["203.0.113.7"])
    equal, other, orphan = live("www", "203.0.113.7"), live("other", "203.0.113.1"), live("orphan", "203.0.113.1")
    stack.want(
        a=stack.cloudflare(options={"import_": equal}),
        b=stack.aws(options={"import_": f"{stack.aws_zone}_www.example.org_A"}),
    )
    assert stack.preview() == {"a": "import", "b": "import"}
    stack.up()
    assert stack.services.write_count == 0
    stack.want(a=stack.cloudflare(), other=stack.cloudflare(name="other.example.com", options={"import_": other}))
    stack.up()
    assert [write.method for write in stack.services.cloudflare.writes] == ["PUT"]
    assert stack.aws_records() == []
    resources = [{"type": "cloudflare:index/dnsRecord:DnsRecord", "name": "orphan", "id": orphan}]
    stack.write("orphans.json", {"resources": resources})
    stack.run("import", "--file", "orphans.json", "--generate-code=false", "--protect=false", "--yes")
    assert stack.preview() == {"orphan": "delete"}
    stack.up()
    assert [name for name, *_ in stack.cloudflare_records()] == ["other.example.com", "www.example.com"]


def test_a_refresh_shows_drift_and_heals_it(stack: Stack) -> None:
    stack.want(a=stack.cloudflare(), b=stack.aws())
    stack.up()
    (held,) = stack.services.cloudflare.records(stack.cloudflare_zone)
    stack.services.cloudflare.edit_record(stack.cloudflare_zone, held["id"], content="203.0.113.66", comment="by hand")
    stack.services.route53.add_record(stack.aws_zone, name="www.example.org", record_type="A", values=["203.0.113.66"])
    assert stack.preview("--refresh") == {"a": "update", "b": "update"}
    stack.up("--refresh")
    assert stack.cloudflare_records() == [("www.example.com", "A", "203.0.113.7")]
    assert stack.aws_records() == [("www.example.org", "A", ("203.0.113.7",))]


@pytest.mark.parametrize("explicit", [False, True], ids=["default-providers", "explicit-providers"])
def test_settings_reach_records_and_lookups_and_secrets_appear_nowhere(stack: Stack, explicit: bool) -> None:
    stack.services.cloudflare.add_record(
        stack.cloudflare_zone, type="A", name="a", content="203.0.113.7", comment="edge"
    )
    stack.services.cloudflare.add_record(stack.cloudflare_zone, type="A", name="www", content="203.0.113.7", ttl=300)
    stack.services.route53.add_record(stack.aws_zone, name="*.example.org", record_type="A", values=["203.0.113.7"])
    if explicit:
        stack.write("Pulumi.test.yaml", {"config": {}})
    stack.want(
        explicit=explicit,
        lookups={
            "marked": ["cloudflare.records", {"zone_id": stack.cloudflare_zone, "comment": {"startswith": "edge"}}],
            "first": ["cloudflare.records", {"zone_id": stack.cloudflare_zone, "max_items": 1}],
            "zone": ["cloudflare.zone", {"filter": {"match": "all", "name": "example.com"}}],
            "all": ["aws.records", {"zone_id": stack.aws_zone}],
            "hosted": ["aws.zone", {"name": "example.org."}],
        },
        taken=stack.cloudflare(),
        b=stack.aws(),
    )
    said = stack.up("--continue-on-error", fails=True) + stack.run("stack", "export")
    assert "81058" in said
    assert stack.services.cloudflare.token not in said
    assert stack.services.route53.secret_key not in said
    assert ("www.example.org", "A", ("203.0.113.7",)) in stack.aws_records()
    outputs = json.loads(stack.run("stack", "output", "--json"))
    assert outputs["marked"] == [["a.example.com", "A", "203.0.113.7", 1, "edge"]]
    assert len(outputs["first"]) == 1
    assert outputs["zone"] == stack.cloudflare_zone
    assert outputs["all"] == [[r"\052.example.org.", "A", 300, ["203.0.113.7"], None]]
    assert outputs["hosted"] == [stack.aws_zone, "example.org", False]
