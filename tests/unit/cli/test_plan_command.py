"""`edge-dns plan` in process: its inputs, its errors, its output, its exit status."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from edge_dns.cli.main import main
from tests.unit.admission.objects import gateway, route
from tests.unit.observe.test_own_state import CLOUDFLARE as RECORD
from tests.unit.observe.test_own_state import SET, record, remembered, urn
from tests.unit.plan.world import invite

SETTINGS: dict[str, Any] = {
    "zones": [{"domain": "example.com", "provider": "cloudflare", "zoneId": "z1"}],
    "edgeTargets": {"EU": "edge-eu.example.net"},
    "tunnels": [{"name": "web", "namespace": "shop", "hostnames": ["a.example.com"], "dns": {"mode": "Zone"}}],
}
OBJECTS = [gateway(), route(hostnames=["g.example.com"])]


@dataclass(frozen=True)
class Output:
    """What the command printed and how it ended."""

    status: int
    stdout: str
    stderr: str

    @property
    def document(self) -> Any:
        return json.loads(self.stdout)

    @property
    def errors(self) -> list[tuple[str, str]]:
        return [(error["rule"], error["path"]) for error in self.document["errors"]]

    @property
    def states(self) -> dict[str, str]:
        return {one["hostname"]: one["state"] for one in self.document["hostnames"]}


class Command:
    """Runs the command in a folder of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def write(self, name: str, content: object) -> str:
        """Write a file (a text as it is, everything else as YAML); returns its path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content), encoding="utf-8")
        return str(path)

    def state(self, name: str = "objects.yaml", objects: Any = OBJECTS) -> str:
        return self.write(name, {"apiVersion": "v1", "kind": "List", "items": objects})

    def plan(self, *options: str, settings: Any = SETTINGS, as_json: bool = True) -> Output:
        file = self.write("settings.yaml", settings)
        return self.run("plan", "--settings", file, *options, *(["--json"] if as_json else []))

    def told(self) -> str:
        """What stands on stderr since the last run."""
        return self._capsys.readouterr().err

    def run(self, *arguments: str) -> Output:
        status = main(arguments)
        out, err = self._capsys.readouterr()
        return Output(status=status, stdout=out, stderr=err)


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(tmp_path, capsys)


def with_(**changes: Any) -> dict[str, Any]:
    return {**SETTINGS, **changes}


# --- settings ---------------------------------------------------------------------------------------------------------


def prefixed(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {f"edge-dns:{key}": value for key, value in settings.items()}


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(SETTINGS, id="plain YAML"),
        pytest.param(prefixed(SETTINGS), id="plain YAML with prefixes"),
        pytest.param({"config": prefixed(SETTINGS)}, id="a stack file"),
        pytest.param({"config": SETTINGS, "encryptionsalt": "v1:x"}, id="a stack file without prefixes"),
        pytest.param({"config": {**prefixed(SETTINGS), "aws:region": "eu-west-1"}}, id="beside other namespaces"),
        pytest.param(json.dumps(SETTINGS), id="JSON"),
    ],
)
def test_settings_are_a_stack_file_or_plain_yaml_of_its_config(command: Command, settings: Any) -> None:
    output = command.plan(settings=settings)
    assert output.status == 0
    assert output.states == {"a.example.com": "published"}
    assert output.stderr == ""


def test_an_encrypted_secret_is_accepted_for_any_secret(command: Command) -> None:
    secure = {"secure": "v1:abc:def"}
    zone = {**SETTINGS["zones"][0], "credentials": {"apiToken": secure}}
    output = command.plan(settings=with_(hub={"url": "https://hub.example.net", "apiKey": secure}, zones=[zone]))
    assert output.status == 0
    assert "v1:abc" not in output.stdout


def test_a_plain_secret_is_printed_nowhere(command: Command) -> None:
    hub = {"url": "https://hub.example.net", "apiKey": "sekret-key-1"}
    for settings in (with_(hub=hub), with_(hub={**hub, "url": 5}), with_(hub={**hub, "apiKey": ["sekret-key-1"]})):
        for as_json in (True, False):
            output = command.plan(settings=settings, as_json=as_json)
            assert "sekret" not in output.stdout + output.stderr


def test_yaml_is_read_as_pulumi_reads_it(command: Command) -> None:
    settings = """
edgeTargets: {NO: edge-no.example.net}
zones: [{domain: example.com, provider: cloudflare, zoneId: z1}]
tunnels: [{name: web, namespace: shop, region: NO, hostnames: [a.example.com], dns: {mode: Zone}}]
"""
    (record,) = command.plan(settings=settings).document["records"]
    assert record["values"] == ["edge-no.example.net"]


def test_all_errors_of_all_inputs_are_told_in_one_run(command: Command) -> None:
    zone = {"domain": "example.com", "provider": "cloudflare"}
    settings = with_(zones=[zone], tunnels=[{"name": "web"}], more=1)
    options = ("--memory", command.write("memory.json", "[]"), "--hub-state", command.write("hub.json", "[]"))
    output = command.plan(*options, settings=settings)
    assert output.status == 2
    assert [path for _, path in output.errors] == [
        f"--hub-state {command.folder}/hub.json",
        f"--memory {command.folder}/memory.json",
        "more",
        "tunnels[0].namespace",
        "zones[0].zoneId",
    ]
    told = command.plan(*options, settings=settings, as_json=False)
    assert told.status == 2
    assert told.stdout == ""
    assert told.stderr.count("error: ") == 5
    assert max(map(len, told.stderr.splitlines())) <= max(80, len(str(command.folder)) + 40)


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        pytest.param("a: [", "", id="no YAML"),
        pytest.param("- a", "", id="no mapping"),
    ],
)
def test_settings_that_cannot_be_acted_on_refuse_the_whole_plan(command: Command, settings: Any, path: str) -> None:
    output = command.plan(settings=settings)
    assert output.status == 2
    assert output.errors == [("settings-invalid", path)]


def test_a_settings_file_that_is_not_there_is_an_error(command: Command) -> None:
    output = command.run("plan", "--settings", "nowhere.yaml", "--json")
    assert output.status == 2
    assert output.errors == [("settings-invalid", "--settings nowhere.yaml")]


# --- gateway state ----------------------------------------------------------------------------------------------------


def test_without_clusters_in_the_settings_a_bare_file_is_the_cluster_default(command: Command) -> None:
    output = command.plan("--gateway-state", command.state())
    assert output.status == 0
    assert {one["source"]["cluster"] for one in output.document["endpointRecordSets"]} == {None, "default"}
    assert command.plan("--gateway-state", f"default={command.state()}").stdout == output.stdout


@pytest.mark.parametrize("prefix", ["", "prod="])
def test_a_file_stands_for_the_only_cluster(command: Command, prefix: str) -> None:
    settings = with_(clusters=[{"name": "prod", "kubeconfig": "missing.yaml"}], tunnels=[])
    output = command.plan("--gateway-state", prefix + command.state(), settings=settings)
    assert output.status == 0
    assert [one["source"]["cluster"] for one in output.document["hostnames"]] == ["prod"]


def test_the_objects_may_be_spread_over_documents_and_files_as_yaml_or_json(command: Command) -> None:
    documents = "\n---\n".join(yaml.safe_dump(one) for one in OBJECTS)
    whole = command.plan("--gateway-state", command.state())
    assert command.plan("--gateway-state", command.write("documents.yaml", documents)).stdout == whole.stdout
    items = {"apiVersion": "v1", "kind": "List", "items": OBJECTS}
    assert command.plan("--gateway-state", command.write("list.json", json.dumps(items))).stdout == whole.stdout
    files = [command.write(f"{index}.yaml", one) for index, one in enumerate(OBJECTS)]
    spread = [option for file in files for option in ("--gateway-state", file)]
    assert command.plan(*spread).stdout == whole.stdout


def test_with_several_clusters_each_file_is_named(command: Command) -> None:
    settings = with_(clusters=[{"name": "one"}, {"name": "two"}], tunnels=[])
    objects = [gateway(), route(hostnames=["h.example.com"])]
    files = [f"one={command.state()}", f"two={command.state('two.yaml', objects)}"]
    options = [option for file in files for option in ("--gateway-state", file)]
    output = command.plan(*options, settings=settings)
    assert output.status == 0
    assert {one["hostname"]: one["source"]["cluster"] for one in output.document["hostnames"]} == {
        "g.example.com": "one",
        "h.example.com": "two",
    }
    bare = command.plan("--gateway-state", command.state(), settings=settings)
    assert bare.status == 2
    assert ("settings-invalid", "--gateway-state") in bare.errors
    unknown = command.plan("--gateway-state", "three=x.yaml", settings=settings)
    assert ("settings-invalid", "--gateway-state") in unknown.errors


def test_a_cluster_with_a_kubeconfig_is_not_observed(command: Command) -> None:
    settings = with_(clusters=[{"name": "prod", "kubeconfig": "kubeconfig.yaml"}])
    output = command.plan(settings=settings)
    assert output.status == 2
    assert output.errors == [("observation-failed", "edge-dns:clusters[0]")]
    assert "--gateway-state prod=FILE" in output.document["errors"][0]["message"]


def test_of_a_cluster_without_gateways_nothing_is_read(command: Command) -> None:
    settings = {"clusters": [{"name": "prod", "gateways": False}]}
    assert command.plan(settings=settings).status == 0
    given = command.plan("--gateway-state", command.state(), settings=settings)
    assert given.errors == [("observation-failed", "--gateway-state prod")]


def test_files_count_from_the_folder_of_pulumi_yaml(command: Command) -> None:
    command.write("Pulumi.yaml", "name: x")
    command.state("state/objects.yaml")
    settings = with_(clusters=[{"name": "prod", "files": ["state/objects.yaml"]}], tunnels=[])
    file = command.write("stacks/Pulumi.dev.yaml", {"config": prefixed(settings)})
    output = command.run("plan", "--settings", file, "--json")
    assert output.status == 0
    assert output.states == {"g.example.com": "published"}


def test_files_count_from_the_settings_where_there_is_no_project(command: Command) -> None:
    command.state()
    output = command.plan(settings=with_(clusters=[{"name": "prod", "files": ["objects.yaml"]}], tunnels=[]))
    assert output.states == {"g.example.com": "published"}


def test_a_given_state_stands_for_the_files_of_the_cluster(command: Command) -> None:
    settings = with_(clusters=[{"name": "prod", "files": ["missing.yaml"]}], tunnels=[])
    assert command.plan("--gateway-state", command.state(), settings=settings).status == 0


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("", id="empty"),
        pytest.param("a: [", id="no YAML"),
        pytest.param("just a text", id="no objects"),
        pytest.param(
            {"apiVersion": "v1", "kind": "List", "items": OBJECTS, "metadata": {"continue": "x"}}, id="cut off"
        ),
        pytest.param({"apiVersion": "v1", "kind": "List"}, id="a List without items"),
        pytest.param({"apiVersion": "v1", "kind": "Status", "message": "Forbidden"}, id="an error of the server"),
        pytest.param({"apiVersion": "v1", "kind": "List", "items": [*OBJECTS, OBJECTS[0]]}, id="one object twice"),
        pytest.param(None, id="no file"),
    ],
)
def test_a_state_that_cannot_be_read_completely_stops_the_plan(command: Command, content: Any) -> None:
    file = "nowhere.yaml" if content is None else command.write("state.yaml", content)
    output = command.plan("--gateway-state", file)
    assert output.status == 2
    assert output.errors == [("observation-failed", "--gateway-state default")]
    assert output.document["records"] == []


def test_every_cluster_that_cannot_be_read_is_told(command: Command) -> None:
    settings = with_(clusters=[{"name": "one", "files": ["no.yaml"]}, {"name": "two", "kubeconfig": "k"}])
    assert command.plan(settings=settings).errors == [
        ("observation-failed", "edge-dns:clusters[0]"),
        ("observation-failed", "edge-dns:clusters[1]"),
    ]


# --- hub state --------------------------------------------------------------------------------------------------------


def test_the_hub_state_is_the_body_of_the_list_of_invites(command: Command) -> None:
    hub = {"invites": [invite("a.example.com", invite_id="inv-9", name="other/web")]}
    output = command.plan("--hub-state", command.write("hub.json", json.dumps(hub)))
    assert output.states == {"a.example.com": "refused"}
    assert output.status == 1


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"invites": {}}', '{"invites": [{}]}', "<html>", None],
    ids=["empty", "a list", "no list", "another kind of list", "no invite", "HTML", "no file"],
)
def test_a_hub_state_that_is_none_is_never_an_empty_one(command: Command, content: str | None) -> None:
    file = "nowhere.json" if content is None else command.write("hub.json", content)
    output = command.plan("--hub-state", file)
    assert output.status == 2
    assert output.errors == [("observation-failed", f"--hub-state {file}")]


def test_an_empty_list_of_the_hub_stops_a_stack_that_has_an_invite(command: Command) -> None:
    full = command.write("full.json", json.dumps({"invites": [invite("a.example.com")]}))
    empty = command.write("empty.json", '{"invites": []}')
    first = command.plan("--hub-state", full)
    memory = command.write("first.json", first.stdout)
    stopped = command.plan("--hub-state", empty, "--memory", memory)
    assert stopped.status == 2
    assert ("hub-account", "edge-dns:safety") in stopped.errors
    assert stopped.document["memory"] == first.document["memory"]
    acknowledged = with_(safety={"acknowledge": {"count": 1}})
    passed = command.plan("--hub-state", empty, "--memory", memory, settings=acknowledged)
    assert passed.states == {"a.example.com": "withdrawn"}
    assert passed.status == 1


# --- memory -----------------------------------------------------------------------------------------------------------


def test_memory_is_the_object_or_a_whole_earlier_output(command: Command) -> None:
    first = command.plan()
    whole = command.write("first.json", first.stdout)
    alone = command.write("memory.json", json.dumps(first.document["memory"]))
    moved = with_(tunnels=[{**SETTINGS["tunnels"][0], "hostnames": ["b.example.com"]}])
    after = command.plan("--memory", whole, settings=moved)
    assert after.states == {"a.example.com": "withdrawn", "b.example.com": "published"}
    assert command.plan("--memory", alone, settings=moved).stdout == after.stdout


EXPORT = {
    "version": 3,
    "deployment": {
        "resources": [
            {"urn": urn("pulumi:pulumi:Stack", "edge-dns-dev"), "outputs": {}},
            {"urn": urn(SET, "towonel.shop.web"), "outputs": remembered("old.example.com")},
            {"urn": urn(RECORD, "z1/old.example.com"), "outputs": record("old.example.com")},
        ]
    },
}


def test_memory_is_also_what_pulumi_prints_of_the_state(command: Command) -> None:
    file = command.write("state.json", json.dumps(EXPORT))
    planned = command.plan("--memory", file, settings=with_(safety={"withdraw": "free"}))
    assert planned.states == {"a.example.com": "published", "old.example.com": "withdrawn"}
    # What is passed on is a memory, and not the state.
    refused = command.plan("--memory", file, settings={**SETTINGS, "more": 1})
    assert list(refused.document["memory"]["slots"]) == ["z1/old.example.com"]
    assert "urn:pulumi" not in refused.stdout


@pytest.mark.parametrize(("stack", "status"), [("dev", 0), ("prod", 2)], ids=["its own", "of another stack"])
def test_a_state_is_that_of_the_stack_whose_file_the_settings_are(command: Command, stack: str, status: int) -> None:
    command.write("Pulumi.yaml", {"name": "edge-dns"})
    settings = command.write(f"stacks/Pulumi.{stack}.yaml", with_(safety={"withdraw": "free"}))
    file = command.write("state.json", json.dumps(EXPORT))
    output = command.run("plan", "--settings", settings, "--memory", file, "--json")
    assert output.status == status
    assert output.errors == ([("observation-failed", f"--memory {file}")] if status else [])


def test_the_same_input_gives_the_same_bytes(command: Command) -> None:
    first = command.plan("--gateway-state", command.state())
    memory = command.write("first.json", first.stdout)
    second = command.plan("--gateway-state", command.state(), "--memory", memory)
    third = command.plan("--gateway-state", command.state(), "--memory", command.write("second.json", second.stdout))
    assert third.stdout == second.stdout
    assert {**second.document, "memoryGiven": False} == first.document


@pytest.mark.parametrize("settings", [SETTINGS, "a: ["], ids=["a plan", "a refused one"])
def test_the_plan_says_whether_it_was_given_a_memory(command: Command, settings: Any) -> None:
    memory = command.write("first.json", command.plan().stdout)
    note = "note: without --memory it is not known what is published already"
    assert command.plan(settings=settings).document["memoryGiven"] is False
    assert command.plan("--memory", memory, settings=settings).document["memoryGiven"] is True
    if settings is SETTINGS:
        assert note in command.plan(as_json=False).stdout
        assert note not in command.plan("--memory", memory, as_json=False).stdout


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"version": 3, "deployment": {}}',
        '{"version": 2}',
        '{"version": 1}',
        '{"hostnames": []}',
        '{"memory": null}',
        None,
    ],
)
def test_a_broken_memory_stops_and_is_never_replaced_by_an_empty_one(command: Command, content: str | None) -> None:
    file = "nowhere.json" if content is None else command.write("memory.json", content)
    output = command.plan("--memory", file)
    assert output.status == 2
    assert output.errors == [("observation-failed", f"--memory {file}")]
    # The output of this run is no memory either.
    assert command.plan("--memory", command.write("output.json", output.stdout)).status == 2


def test_a_refused_plan_passes_the_memory_on(command: Command) -> None:
    first = command.plan()
    memory = command.write("first.json", first.stdout)
    refused = command.plan("--memory", memory, settings={**SETTINGS, "more": 1})
    assert refused.status == 2
    assert refused.document["memory"] == first.document["memory"]


# --- output -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hostnames", "status"),
    [(["a.example.com"], 0), (["a.example.com", "b.example.net"], 1), (["*.example.com"], 0), ([], 0)],
    ids=["published", "refused under an error", "refused under a wait", "nothing"],
)
def test_the_exit_status_is_the_same_in_both_forms(command: Command, hostnames: list[str], status: int) -> None:
    settings = with_(tunnels=[{**SETTINGS["tunnels"][0], "hostnames": hostnames}])
    assert command.plan(settings=settings).status == status
    assert command.plan(settings=settings, as_json=False).status == status


def test_with_json_stdout_is_json_only_and_stderr_is_empty(command: Command) -> None:
    for settings in (SETTINGS, "a: [", with_(zones=[])):
        output = command.plan(settings=settings)
        assert list(output.document) == MEMBERS
        assert output.stdout.endswith("}\n")
        assert output.stderr == ""


MEMBERS = [
    *("version", "endpointRecordSets", "records", "hostnames", "services", "zones"),
    *("errors", "warnings", "memoryGiven", "memory"),
]
LONG = ".".join(["l" * 60, "m" * 60, "n" * 60, "example.com"])
HOSTILE = "\x1b[31mred\n.example.com"


def test_the_table_stays_within_80_columns_and_escapes_what_a_terminal_acts_on(command: Command) -> None:
    edge = ".".join(["t" * 60, "u" * 60, "v" * 60, "example.net"])
    names = [LONG, f"x{LONG[1:]}.org", "a.example.com", "b.example.com", HOSTILE, "w" * 250]
    settings = with_(edgeTargets={"EU": edge}, tunnels=[{**SETTINGS["tunnels"][0], "hostnames": names}])
    addresses = [f"2001:db8:1111:2222:3333:4444:5555:{number:x}" for number in range(12)]
    objects = [gateway(addresses=addresses), route(hostnames=["g.example.com", "h" + LONG[1:]])]
    output = command.plan("--gateway-state", command.state(objects=objects), settings=settings, as_json=False)
    assert output.status == 1
    assert max(map(len, output.stdout.splitlines())) <= 80
    assert "".join(output.stdout.split()).count(LONG) == 1
    assert "\x1b" not in output.stdout
    assert "\\x1b[31mred\\n.example.com" in output.stdout


def test_a_stop_stands_in_the_table_with_its_way_out(command: Command) -> None:
    names = [LONG, *(f"n{number}.example.com" for number in range(9))]
    tunnels = [{**SETTINGS["tunnels"][0], "hostnames": names}]
    memory = command.write("first.json", command.plan(settings=with_(tunnels=tunnels)).stdout)
    output = command.plan("--memory", memory, as_json=False)
    assert output.status == 2
    assert "STOP mass-delete" in output.stdout
    assert "safety.acknowledge.count to 10" in " ".join(output.stdout.split())
    assert max(map(len, output.stdout.splitlines())) <= 80


def test_the_table_tells_each_name_with_its_records_and_reason(command: Command) -> None:
    names = ["a.example.com", "b.example.net", "*.example.com"]
    settings = with_(tunnels=[{**SETTINGS["tunnels"][0], "hostnames": names}])
    output = command.plan("--gateway-state", command.state(), settings=settings, as_json=False)
    assert output.stdout == (
        "refused    *.example.com\n"
        "           wildcard-opt-in: dns.includeWildcards of TowonelTunnel shop/web is\n"
        "           false\n"
        "published  a.example.com  CNAME edge-eu.example.net (ttl auto)\n"
        "refused    b.example.net\n"
        "           zone-none: no zone of the settings is a suffix of it (example.com)\n"
        "published  g.example.com  A 198.51.100.7 (ttl auto)\n"
        "           documentation-address: 198.51.100.7 is for documentation, RFC 5737\n"
        "\n"
        "2 published, 2 refused; records in 1 zone\n"
        "\n"
        "note: without --memory it is not known what is published already: an update may\n"
        "  hold or withdraw what is refused here, and withdraws what nothing declares any\n"
        "  more\n"
    )


def test_without_any_hostname_the_table_says_so(command: Command) -> None:
    assert command.plan(settings={}, as_json=False).stdout.startswith("\nno hostname; records in 0 zones\n")


def test_a_name_of_a_private_zone_is_told_from_its_public_one(command: Command) -> None:
    private = {"domain": "example.com", "provider": "route53", "zoneId": "Z1", "visibility": "private"}
    settings = with_(zones=[*SETTINGS["zones"], private])
    settings["tunnels"] = [
        {**SETTINGS["tunnels"][0], "name": view, "visibility": view, "dns": {"mode": mode}}
        for view, mode in (("public", "Disabled"), ("private", "Zone"))
    ]
    shown = command.plan(settings=settings, as_json=False).stdout
    assert "published  a.example.com (private)  CNAME edge-eu.example.net (ttl 300)\n" in shown
    assert "refused    a.example.com\n" in shown


def test_an_empty_hostname_is_seen_and_says_where_it_stands(command: Command) -> None:
    tunnel = {**SETTINGS["tunnels"][0], "hostnames": ["", "a..example.com"]}
    shown = command.plan(settings=with_(tunnels=[tunnel]), as_json=False).stdout
    assert 'refused    ""\n' in shown
    told = " ".join(shown.split())
    assert "name-syntax: TowonelTunnel shop/web: '' is not a DNS name: " in told
    assert "name-syntax: TowonelTunnel shop/web: 'a..example.com' is not a DNS name: " in told


@pytest.mark.parametrize("arguments", [["plan"], ["other"], [], ["plan", "--settings"]], ids=" ".join)
def test_a_wrong_command_line_ends_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: edge-dns" in capsys.readouterr().err


# --- warnings ---------------------------------------------------------------------------------------------------------


def test_what_is_to_be_known_of_the_invites_is_told_in_both_forms(command: Command) -> None:
    ending = {**invite("a.example.com"), "expires_at_ms": 1_796_040_000_000}
    hub = command.write("hub.yaml", {"invites": [ending]})
    (warning,) = command.plan("--hub-state", hub, "--today", "2026-11-29").document["warnings"]
    assert (warning["rule"], warning["path"]) == ("invite-expires", "edge-dns:tunnels")
    output = command.plan("--hub-state", hub, "--today", "2026-11-29", as_json=False)
    assert f"warning: invite-expires: {warning['message']}" in " ".join(output.stdout.split())
    assert max(map(len, output.stdout.splitlines())) <= 80

    memory = command.write("memory.json", json.dumps(command.plan("--hub-state", hub).document))
    options = ("--hub-state", hub, "--memory", memory)
    output = command.plan(*options, settings=with_(tunnels=[], safety={"acknowledge": {"count": 1}}))
    assert [one["rule"] for one in output.document["warnings"]] == ["invite-deleted"]


def test_a_plan_from_the_memory_alone_says_that_the_hub_was_not_read(command: Command) -> None:
    hub = command.write("hub.yaml", {"invites": [invite("a.example.com")]})
    memory = command.write("memory.json", command.plan("--hub-state", hub).stdout)
    note = "note: without --hub-state the invites are taken to be on the hub as the memory has them"
    explained = ("explain", "a.example.com", "--settings", command.write("settings.yaml", SETTINGS))
    for told, options in [(True, ("--memory", memory)), (False, ("--memory", memory, "--hub-state", hub)), (False, ())]:
        assert (note in " ".join(command.plan(*options, as_json=False).stdout.split())) is told
        assert (note in " ".join(command.run(*explained, *options).stdout.split())) is told


@pytest.mark.parametrize("day", ["30.11.2026", "2026-11-31", "tomorrow", ""])
def test_a_day_that_is_none_is_a_wrong_command_line(
    command: Command, capsys: pytest.CaptureFixture[str], day: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        command.plan("--today", day)
    assert ended.value.code == 2
    assert "--today" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--settings", "--memory", "--hub-state", "--today"])
def test_an_option_that_is_given_twice_is_refused(command: Command, option: str) -> None:
    value = "2027-03-31" if option == "--today" else "some.json"
    with pytest.raises(SystemExit) as ended:
        command.plan(option, value, option, value)
    assert ended.value.code == 2
    assert f"argument {option}: it is given twice" in command.told()


def test_what_is_worth_knowing_of_a_run_stands_last_in_the_table(command: Command) -> None:
    tunnels = [{**SETTINGS["tunnels"][0], "hostnames": []}]
    memory = command.write("first.json", command.plan(settings=with_(tunnels=[])).stdout)
    ran = command.plan("--memory", memory, settings=with_(tunnels=tunnels), as_json=False)
    assert " ".join(ran.stdout.split()).endswith(
        "note: tunnel shop/web has no hostname: it gets no invite, so no token, and publishes nothing"
    )


def test_without_the_day_it_is_said_that_exceptions_may_have_ended(command: Command) -> None:
    exception = {"name": "a.example.com", "rule": "ttl-range", "reason": "moves", "expires": "2025-03-31"}
    settings = with_(exceptions=[exception])
    told = "the day is not known, so what has ended is still honoured here; give it with --today"
    assert told in [one["message"] for one in command.plan(settings=settings).document["warnings"]]
    with_day = command.plan("--today", "2026-11-30", settings=settings).document["warnings"]
    assert told not in [one["message"] for one in with_day]
    assert "exception-expired" in [one["rule"] for one in with_day]
    assert command.plan().document["warnings"] == []


# --- routes of other stacks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "owner", "rule"),
    [
        pytest.param("stacks/Pulumi.prod.yaml", "edge-dns/prod", "status-stale", id="its own"),
        pytest.param("stacks/Pulumi.prod.yaml", "stranger/other", "route-foreign", id="of another stack"),
        pytest.param("stacks/settings.yaml", "stranger/other", "status-stale", id="of a stack that is not known"),
    ],
)
def test_a_route_is_that_of_the_stack_whose_file_the_settings_are(
    command: Command, file: str, owner: str, rule: str
) -> None:
    front = {"name": "front", "namespace": "edge"}
    shop = {"name": "cart", "namespace": "team", "hostnames": ["g.example.com"], "exposure": "public", "gateway": front}
    settings = command.write(file, {"zones": SETTINGS["zones"], "clusters": [{"name": "c1"}], "services": [shop]})
    command.write("Pulumi.yaml", {"name": "edge-dns"})
    marked = route(hostnames=["h.example.com"], metadata={"annotations": {"edge-dns/owner": owner}})
    state = command.state(objects=[gateway(), marked])
    output = command.run("plan", "--settings", settings, "--gateway-state", state, "--json")
    assert {one["hostname"]: one["rule"] for one in output.document["hostnames"]}["g.example.com"] == rule


# --- names that turn internal -----------------------------------------------------------------------------------------


def test_without_a_memory_the_plan_says_that_it_does_not_know_whether_an_internal_name_is_published(
    command: Command,
) -> None:
    hidden = {"annotations": {"external-dns.kubernetes.io/controller": "none"}}
    settings = with_(tunnels=[], clusters=[{"name": "c1"}], safety={"withdraw": "free"})
    before = command.plan("--gateway-state", command.state(), settings=settings)
    memory = command.write("before.json", before.stdout)
    state = command.state(objects=[gateway(), route(hostnames=["g.example.com"], metadata=hidden)])
    note = "without --memory it is not known whether internal names are published (g.example.com)"
    first = command.plan("--gateway-state", state, settings=settings, as_json=False)
    assert "refused" in first.stdout
    assert note in " ".join(first.stdout.split())
    second = command.plan("--gateway-state", state, "--memory", memory, settings=settings, as_json=False)
    assert second.stdout.startswith("withdrawn")
    assert "without --memory" not in second.stdout


def test_the_note_on_a_missing_memory_names_three_hostnames_and_counts_the_others(command: Command) -> None:
    wiki = {
        "name": "wiki",
        "namespace": "docs",
        "cluster": "c1",
        "hostnames": [f"{one}.example.com" for one in "abcde"],
    }
    settings = with_(tunnels=[], clusters=[{"name": "c1"}], services=[wiki])
    told = command.plan("--gateway-state", command.state(objects=[gateway()]), settings=settings, as_json=False)
    assert "(a.example.com, b.example.com, c.example.com and 2 more)" in " ".join(told.stdout.split())
