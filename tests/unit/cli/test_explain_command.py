"""`edge-dns explain` in process: its output, its exit status, the same inputs as `plan`."""

import re
from pathlib import Path

import pytest

from tests.unit.admission.objects import gateway, route
from tests.unit.cli.test_plan_command import HOSTILE, LONG, SETTINGS, Command, Output, with_


class Explain(Command):
    """Runs `edge-dns explain` in a folder of its own."""

    def explain(self, hostname: str, *options: str, settings: object = SETTINGS, as_json: bool = False) -> Output:
        file = self.write("settings.yaml", settings)
        return self.run("explain", hostname, "--settings", file, *options, *(["--json"] if as_json else []))


UNKNOWN = """\
note: without --memory it is not known what is published already: an update may
  hold or withdraw what is refused here, and withdraws what nothing declares any
  more
"""


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Explain:
    return Explain(tmp_path, capsys)


def test_a_published_name_shows_every_step_and_ends_with_its_state(command: Explain) -> None:
    output = command.explain("G.example.com", "--gateway-state", command.state())
    assert output.status == 0
    assert output.stdout == (
        "g.example.com in public zones\n"
        "\n"
        "name-syntax  passed   g.example.com is a DNS name\n"
        "admission    passed   HTTPRoute team/cart: admitted for Gateway\n"
        "                        default:edge/front\n"
        "                      parentRef Gateway edge/front section web: binds listener\n"
        "                        web\n"
        "                      status of Gateway edge/front section web: controller\n"
        "                        example.net/edge-controller said Accepted=True (Because)\n"
        "                        for generation 1\n"
        "                      receipt: admitted over listener web with the route at\n"
        "                        generation 1\n"
        "exposure     passed   no route and no Gateway of it opts out of publishing by\n"
        "                        annotation\n"
        "hub          -\n"
        "claim        passed   Gateway default:edge/front alone claims it\n"
        "zone         passed   in zone example.com (cloudflare z1, public)\n"
        "target       passed   Gateway default:edge/front: 198.51.100.7, from its\n"
        "                        status.addresses\n"
        "conversion   passed   A 198.51.100.7 (ttl auto)\n"
        "permission   passed   zone example.com has no allowedRecordSets\n"
        "address      passed   zone example.com is public: globally routable values only\n"
        "coexistence  passed   compared with all other records of the plan\n"
        "ownership    passed   the memory holds no record of it\n"
        "                      live zones are not read by this command: who else holds\n"
        "                        the name is unknown\n"
        "guard        passed   the whole plan is within the limits of `safety`\n"
        "\n"
        "published\n"
        "  A 198.51.100.7 (ttl auto)\n"
        "note: documentation-address: 198.51.100.7 is for documentation, RFC 5737\n"
        "what to do: nothing\n"
        "\n"
        f"{UNKNOWN}"
    )


def test_a_refused_name_ends_at_the_deciding_step_with_what_to_do(command: Explain) -> None:
    settings = with_(tunnels=[{**SETTINGS["tunnels"][0], "hostnames": ["b.example.net"]}])
    output = command.explain("b.example.net", settings=settings)
    assert output.status == 1
    assert output.stdout.endswith(
        "zone         decides  no zone of the settings holds it\n"
        "                      zone-none: no zone of the settings is a suffix of it\n"
        "                        (example.com)\n"
        "\n"
        "refused: zone-none\n"
        "what to do: add the zone to `zones`, or check `visibility` of zone and source\n"
        "\n"
        f"{UNKNOWN}"
    )


def test_a_name_that_nobody_names_is_told_with_those_alike(command: Explain) -> None:
    output = command.explain("aa.example.com")
    assert output.status == 1
    told = "no source names aa.example.com\ndid you mean: a.example.com (published)\n"
    assert output.stdout == f"{told}\n{UNKNOWN}"


def test_a_held_name_is_not_taken_for_published_and_keeps_its_records(command: Explain) -> None:
    memory = command.write("first.json", command.plan("--gateway-state", command.state()).stdout)
    silent = [gateway(), route(hostnames=["g.example.com"], parents=())]
    state = command.state("silent.yaml", silent)
    output = command.explain("g.example.com", "--gateway-state", state, "--memory", memory)
    assert output.status == 1
    assert "\nheld: status-stale\n  A 198.51.100.7 (ttl auto)\n" in output.stdout
    assert "without --memory" not in output.stdout


def test_the_json_says_whether_a_memory_was_given(command: Explain) -> None:
    memory = command.write("first.json", command.plan().stdout)
    for settings in (SETTINGS, "a: ["):
        without = command.explain("a.example.com", settings=settings, as_json=True)
        assert without.document["memoryGiven"] is False
        given = command.explain("a.example.com", "--memory", memory, settings=settings, as_json=True)
        assert given.document["memoryGiven"] is True


def test_a_stop_ends_with_2_and_stands_in_the_output(command: Explain) -> None:
    memory = command.write("first.json", command.plan().stdout)
    settings = with_(tunnels=[])
    output = command.explain("a.example.com", "--memory", memory, settings=settings)
    assert output.status == 2
    assert "guard        decides  empty-desired stops the run" in output.stdout
    document = command.explain("a.example.com", "--memory", memory, settings=settings, as_json=True)
    assert document.status == 2
    assert document.errors == [("empty-desired", "edge-dns:safety")]


def test_inputs_that_cannot_be_read_are_the_errors_of_plan(command: Explain) -> None:
    output = command.explain("a.example.com", "--memory", "nowhere.json", settings=with_(more=1))
    assert output.status == 2
    assert output.stdout == ""
    assert output.stderr.count("error: ") == 2
    as_json = command.explain("a.example.com", "--memory", "nowhere.json", settings=with_(more=1), as_json=True)
    assert as_json.status == 2
    assert as_json.stderr == ""
    assert as_json.errors == [("observation-failed", "--memory nowhere.json"), ("settings-invalid", "more")]


def test_it_stays_within_80_columns_and_escapes_what_a_terminal_acts_on(command: Explain) -> None:
    names = [LONG, HOSTILE, "a.example.com"]
    settings = with_(tunnels=[{**SETTINGS["tunnels"][0], "hostnames": names}])
    for hostname in (LONG, HOSTILE, "x" + LONG[1:], "\x1b[31m"):
        output = command.explain(hostname, settings=settings)
        assert max(map(len, output.stdout.splitlines())) <= 80
        assert "\x1b" not in output.stdout


PAGE = (Path(__file__).parents[3] / "docs" / "explain.md").read_text(encoding="utf-8")


def test_the_example_of_the_page_is_what_the_command_prints(command: Explain) -> None:
    root = Path(__file__).parents[3]
    (shown,) = re.findall(r"```\n\$ edge-dns (.*?)\n(.*?)```", PAGE, re.DOTALL)
    arguments = [str(root / one) if one.startswith("stacks/") else one for one in shown[0].split()]
    assert command.run(*arguments).stdout == shown[1]


def test_every_member_of_the_json_is_explained(command: Explain) -> None:
    document = command.explain("a.example.com", as_json=True).document
    (walk,) = document["walks"]
    documented = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert documented == [*document, *walk, *walk["steps"][0]]
    assert command.explain("a.example.com", settings="a: [", as_json=True).document.keys() == document.keys()
