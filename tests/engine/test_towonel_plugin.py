"""The towonel plugin on the real engine, against the hub emulator."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from local.cloudflare_emulator import CloudflareEmulator
from local.hub_emulator import EMPTY_404, Edge, Fault, HubEmulator
from tools.toolchain import ROOT, VENV, environment, install_plugins

PROGRAM = """
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, os.environ["TEST_ROOT"])

import pulumi
from components.towonel import Invite, Port, Provider

wanted = json.loads(Path("wanted.json").read_text())
hub = Provider("hub", url=os.environ["TEST_HUB_URL"] + "/", api_key=os.environ["TEST_HUB_KEY"])
dns = pulumi.ProviderResource("cloudflare", "dns", wanted["dns"])
for name, inputs in wanted["invites"].items():
    live, record, port = inputs.pop("import", None), inputs.pop("record", None), inputs.pop("port", None)
    if inputs.pop("later", False):
        inputs["hostnames"] = invite.invite_id.apply(lambda _, names=inputs["hostnames"]: names)
    invite = Invite(name, **{"name": name, **inputs}, opts=pulumi.ResourceOptions(provider=hub, import_=live))
    pulumi.export(name, {"id": invite.invite_id, "refused": invite.refused, "token": invite.token})
    invite.confirmed.apply(lambda names: pulumi.info("confirmed: " + " ".join(names)))
    if record:
        opts = pulumi.ResourceOptions(provider=dns, depends_on=[invite])
        props = {"zoneId": wanted["zone"], "name": record, "type": "A", "content": "192.0.2.1", "ttl": 300}
        pulumi.CustomResource("cloudflare:index/dnsRecord:DnsRecord", record, props, opts)
    if port:
        Port(name, tenant_id=invite.tenant_id, protocol="tcp", label=name + "/ssh", preferred=port,
             opts=pulumi.ResourceOptions(provider=hub))
"""


class Stack:
    """One stack of the program above, with a hub and a DNS provider of its own."""

    def __init__(self, folder: Path, hub: HubEmulator, dns: CloudflareEmulator) -> None:
        self.hub = hub
        self.dns = dns
        self.key = hub.operator_key
        self.zone = dns.add_zone("x.test")
        self.folder = folder
        self.said = ""
        (folder / "state").mkdir()
        runtime = {"name": "python", "options": {"virtualenv": str(VENV)}}
        plugins = {"providers": [{"name": "towonel", "path": str(ROOT / "providers" / "towonel")}]}
        self._write("Pulumi.yaml", {"name": "plugin-test", "runtime": runtime, "plugins": plugins})
        (folder / "__main__.py").write_text(PROGRAM, encoding="utf-8")
        install_plugins(folder / "home", (ROOT / "local" / "plugins" / "bin").glob("pulumi-resource-*"))
        self.run("stack", "init", "test", stack=False)

    def want(self, **invites: dict[str, Any]) -> None:
        """Make these the invites of the program, by name."""
        dns = {"baseUrl": self.dns.url, "apiToken": self.dns.token}
        self._write("wanted.json", {"invites": invites, "dns": dns, "zone": self.zone})

    def run(self, *arguments: str, expect: int = 0, stack: bool = True) -> str:
        """Run `pulumi`; its standard output."""
        env = environment(os.environ, home=self.folder / "home") | {
            "PULUMI_BACKEND_URL": (self.folder / "state").as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "TEST_ROOT": str(ROOT),
            "TEST_HUB_URL": self.hub.url,
            "TEST_HUB_KEY": self.key,
        }
        command = ["pulumi", "--non-interactive", "--color=never", *arguments, *(["--stack=test"] if stack else [])]
        done = subprocess.run(command, cwd=self.folder, env=env, check=False, text=True, capture_output=True)
        self.said += done.stdout + done.stderr
        print(arguments, done.stdout[-3000:], done.stderr[-3000:])  # shown by pytest when the test fails
        assert (done.returncode == 0) == (expect == 0), done.stdout + done.stderr
        return done.stdout

    def up(self, expect: int = 0) -> str:
        """Run `pulumi up`."""
        return self.run("up", "--yes", "--skip-preview", expect=expect)

    def preview(self) -> dict[str, str]:
        """Run `pulumi preview`, which must write nothing; what it would do, by resource name."""
        before = self.hub.writes
        steps: list[dict[str, Any]] = json.loads(self.run("preview", "--json"))["steps"]
        assert self.hub.writes == before
        return {step["urn"].rpartition("::")[2]: step["op"] for step in steps if step["op"] not in {"same", "refresh"}}

    def outputs(self, name: str) -> dict[str, Any]:
        """The outputs of an invite as the state has them, secrets encrypted."""
        state = json.loads((self.folder / "state/.pulumi/stacks/plugin-test/test.json").read_text(encoding="utf-8"))
        resources: list[dict[str, Any]] = state["checkpoint"]["latest"]["resources"]
        return next(row["outputs"] for row in resources if row["urn"].endswith(f"towonel:index:Invite::{name}"))

    def _write(self, name: str, content: object) -> None:
        (self.folder / name).write_text(json.dumps(content), encoding="utf-8")  # JSON is YAML


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    with HubEmulator() as hub, CloudflareEmulator() as dns:
        yield Stack(tmp_path, hub, dns)
        hub.check_invariants()


def app(*hostnames: str, **others: Any) -> dict[str, Any]:
    return {"hostnames": list(hostnames), **others}


def test_a_taken_name_gets_a_retry_at_each_preview_and_is_confirmed_once_it_is_free(stack: Stack) -> None:
    stack.hub.take("b.x.test")
    stack.want(app=app("a.x.test", "b.x.test", "c.x.test"))
    assert stack.preview()["app"] == "create"
    stack.up()
    outputs = stack.outputs("app")
    assert outputs["confirmed"] == ["a.x.test", "c.x.test"]
    assert [(row["hostname"], row["rule"]) for row in outputs["refused"]] == [("b.x.test", "host-taken")]

    assert stack.preview() == {"app": "update"}
    assert "confirmed: a.x.test c.x.test\\n" in stack.said

    stack.hub.release("b.x.test")
    stack.up()
    assert stack.outputs("app")["confirmed"] == ["a.x.test", "b.x.test", "c.x.test"]
    assert stack.outputs("app")["refused"] == []
    assert stack.preview() == {}


def test_another_spelling_order_or_label_changes_nothing(stack: Stack) -> None:
    stack.want(app=app("a.x.test", "b.x.test", region="CA"))
    stack.up()
    stack.want(app=app("B.x.test", "A.X.TEST", "b.x.test", region=" ca ", name="another/label", expires_in_secs=0))
    assert stack.preview() == {}


def test_an_invite_that_has_ended_is_made_anew_only_by_a_new_generation(stack: Stack) -> None:
    stack.want(app=app("a.x.test"), other=app("o.x.test"))
    stack.up()
    first = stack.outputs("app")["inviteId"]
    stack.hub.revoke(first)

    writes = stack.hub.writes
    stack.up()
    assert stack.outputs("app")["confirmed"] == []
    assert stack.outputs("app")["status"] == "gone"
    stack.want(app=app("a.x.test", "b.x.test"), other=app("o.x.test"))
    assert stack.preview() == {}
    stack.up()
    assert stack.hub.writes == writes

    stack.want(app=app("a.x.test", generation=2), other=app("o.x.test"))
    assert stack.preview() == {"app": "replace"}
    stack.up()
    assert stack.outputs("app")["confirmed"] == ["a.x.test"]
    assert stack.outputs("app")["inviteId"] != first
    assert stack.preview() == {}


def test_drift_on_the_hub_shows_in_a_plain_preview_and_is_repaired(stack: Stack) -> None:
    stack.want(app=app("a.x.test", "b.x.test"))
    stack.up()
    stack.hub.drop_hostname(stack.outputs("app")["inviteId"], "b.x.test")
    assert stack.preview() == {"app": "update"}
    assert '"hostnames[1]": {' in stack.said
    stack.up()
    assert stack.outputs("app")["confirmed"] == ["a.x.test", "b.x.test"]


def test_a_change_of_region_replaces_and_deletes_first(stack: Stack) -> None:
    stack.want(app=app("a.x.test"))
    stack.up()
    stack.want(app=app("a.x.test", region="CA"))
    assert stack.preview() == {"app": "replace"}
    stack.up()
    assert (stack.outputs("app")["region"], stack.outputs("app")["confirmed"]) == ("CA", ["a.x.test"])


def test_all_names_taken_is_no_failure_and_the_next_update_tries_again(stack: Stack) -> None:
    stack.hub.take("a.x.test")
    stack.want(app=app("a.x.test"))
    stack.up()
    assert (stack.outputs("app")["status"], stack.outputs("app")["confirmed"]) == ("unissued", [])
    assert stack.preview() == {"app": "update"}
    stack.hub.release("a.x.test")
    stack.up()
    assert stack.outputs("app")["confirmed"] == ["a.x.test"]
    assert stack.preview() == {}
    stack.want()
    stack.up()
    assert stack.hub.invites == ()


def test_with_the_hub_down_destroy_withdraws_the_records_and_keeps_the_invite(stack: Stack) -> None:
    stack.want(app=app("a.x.test", record="a.x.test"))
    stack.up()
    assert len(stack.dns.records(stack.zone)) == 1
    stack.hub.inject(Fault(outcome=EMPTY_404, times=None))
    stack.run("destroy", "--yes", "--skip-preview", expect=1)
    assert stack.dns.records(stack.zone) == []
    assert stack.hub.holder("a.x.test") is not None
    assert "Traceback" not in stack.said

    stack.hub.clear_faults()
    stack.run("destroy", "--yes", "--skip-preview")
    assert stack.hub.holder("a.x.test") is None


def test_a_create_cut_off_half_way_is_finished_by_the_next_update(stack: Stack) -> None:
    stack.hub.take("a.x.test")
    stack.want(app=app("a.x.test", "b.x.test", "c.x.test"))
    stack.hub.inject(Fault(method="POST", path="/v1/invites/*/hostnames", outcome=EMPTY_404, times=None))
    stack.up(expect=1)
    own = stack.hub.holder("b.x.test")
    assert own is not None
    stack.hub.clear_faults()
    assert stack.preview() == {"app": "update"}
    stack.up()
    outputs = stack.outputs("app")
    assert (outputs["inviteId"], outputs["confirmed"]) == (own.invite_id, ["b.x.test", "c.x.test"])
    assert own.token not in stack.said
    assert json.loads(stack.run("stack", "output", "--json", "--show-secrets"))["app"]["token"] == own.token


def test_an_invite_is_adopted_by_its_id_without_a_write(stack: Stack) -> None:
    row = stack.hub.create("a.x.test", "b.x.test", name="app", region="CA")
    stack.want(app=app("a.x.test", "b.x.test", region="ca", **{"import": row.invite_id}))
    stack.up()
    assert stack.hub.writes == 0
    outputs = stack.outputs("app")
    assert (outputs["inviteId"], outputs["confirmed"]) == (row.invite_id, ["a.x.test", "b.x.test"])
    assert json.loads(stack.run("stack", "output", "--json", "--show-secrets"))["app"].get("token") is None
    stack.want(app=app("a.x.test", "b.x.test", region="ca"))
    assert stack.preview() == {}


def test_hostnames_that_are_known_only_at_update_are_sent_then(stack: Stack) -> None:
    stack.want(app=app("a.x.test"), next=app("b.x.test", later=True))
    assert stack.preview()["next"] == "create"
    assert "confirmed: a.x.test" in stack.said
    assert "b.x.test" not in stack.said
    stack.up()
    assert stack.outputs("next")["confirmed"] == ["b.x.test"]


def test_a_port_follows_its_invite(stack: Stack) -> None:
    stack.hub.settings.edges = (Edge(node_id="n" * 64, region="EU", public_ips=("203.0.113.2",)),)
    stack.want(app=app("a.x.test", port=2222))
    stack.up()
    assert [(port.port, port.label) for port in stack.hub.ports] == [(2222, "app/ssh")]
    assert stack.preview() == {}
    stack.want(app=app("a.x.test"))
    stack.up()
    assert stack.hub.ports == ()


def test_errors_are_one_message_without_a_traceback(stack: Stack) -> None:
    stack.want(app=app("a.x.test", "localhost", region="EU", generation=0))
    stack.up(expect=1)
    assert "problem: hostnames[1] 'localhost' needs at least two labels" in stack.said
    assert "problem: generation should be a whole number" in stack.said
    stack.want(app=app("a.x.test"))
    right, stack.key = stack.key, "not-the-key-of-this-hub"
    stack.up(expect=1)
    assert "The API key is unknown, expired or revoked" in stack.said
    stack.key = "not-the-key of-any-hub"
    stack.up(expect=1)
    assert "problem: apiKey is empty or holds blanks" in stack.said
    assert "Traceback" not in stack.said
    assert "not-the-key" not in stack.said
    stack.key = right
    stack.up()


def test_neither_key_nor_token_is_anywhere_in_plain_text(stack: Stack) -> None:
    stack.hub.take("b.x.test")
    stack.want(app=app("a.x.test", "b.x.test"))
    stack.run("up", "--yes", "--skip-preview", "--diff")
    stack.run("preview", "--diff")
    stack.run("stack", "output", "--json")
    stack.run("stack", "export")
    token = next(row.token for row in stack.hub.invites if row.name == "app")
    stored = "".join(path.read_text() for path in (stack.folder / "state").rglob("*") if path.is_file())
    for secret in (token, stack.hub.operator_key):
        assert secret not in stack.said
        assert secret not in stored
