"""How commands are told what to read, and what they say of the wrong option."""

from pathlib import Path

import pytest

from edge_dns.cli.main import main

OF_FILES = [("plan",), ("explain", "a.example.com"), ("observe", "-o", "x.json"), ("audit", "exposure")]
OF_STATE = [("verify",), ("dump", "example.com"), ("baseline",), ("audit", "orphans")]
SETTINGS = """
config:
  edge-dns:zones: [{domain: example.com, provider: cloudflare, zoneId: z1}]
  edge-dns:clusters: [{name: lab, files: [lab.json]}]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "Pulumi.yaml").write_text("name: edge-dns\nstackConfigDir: stacks\n")
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "Pulumi.prod.yaml").write_text(SETTINGS)
    (tmp_path / "lab.json").write_text('{"apiVersion": "v1", "kind": "List", "items": []}')
    monkeypatch.chdir(tmp_path / "stacks")
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command says of wrong usage, in one line."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    return " ".join(capsys.readouterr().err.split())


def named(command: tuple[str, ...]) -> str:
    return " ".join(command[: 2 if command[0] == "audit" else 1])


@pytest.mark.parametrize("option", ["--stack", "-s"])
def test_a_command_that_reads_files_takes_a_stack_for_its_file(
    project: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    assert main(["plan", "--settings", "Pulumi.prod.yaml", "--json"]) == 0
    by_file = capsys.readouterr()
    assert main(["plan", option, "prod", "--json"]) == 0
    assert capsys.readouterr() == by_file
    assert main(["plan", option, "organization/edge-dns/prod", "--json"]) == 0
    assert capsys.readouterr() == by_file


@pytest.mark.parametrize("command", OF_FILES, ids=named)
def test_a_command_that_reads_files_needs_one_of_both(
    project: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    usage = f"usage: edge-dns {named(command)} "
    said = refused(capsys, *command)
    assert said.startswith(usage)
    assert "one of the arguments --settings -s/--stack is required" in said
    assert "not allowed with argument" in refused(capsys, *command, "--settings", "x", "--stack", "prod")
    assert f"there is no {project}/stacks/Pulumi.nope.yaml" in refused(capsys, *command, "--stack", "nope")
    assert "by --settings FILE" in refused(capsys, *command, "--config-file", "x")


def test_a_stack_outside_of_the_project_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "there is no project edge-dns at or above" in refused(capsys, "plan", "--stack", "prod")


@pytest.mark.parametrize("command", OF_STATE, ids=named)
def test_a_command_that_reads_the_state_names_the_option_for_the_stack(
    capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    said = refused(capsys, *command, "--settings", "x")
    assert said.startswith(f"usage: edge-dns {named(command)} ")
    assert "name the stack by --stack NAME" in said


@pytest.mark.parametrize("command", OF_FILES + OF_STATE, ids=named)
def test_an_unknown_option_is_told_with_the_usage_of_its_command(
    project: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    given = [*command, *(["--stack", "prod"] if command in OF_FILES else []), "--what"]
    said = refused(capsys, *given)
    assert said.startswith(f"usage: edge-dns {named(command)} ")
    assert "unrecognized arguments: --what" in said


@pytest.mark.parametrize("seconds", ["abc", "-1", "inf", "nan"])
def test_a_time_that_is_none_is_told(capsys: pytest.CaptureFixture[str], seconds: str) -> None:
    assert f"--wait: {seconds!r} is not a number of seconds such as 120" in refused(
        capsys, "verify", f"--wait={seconds}"
    )


def test_a_file_that_cannot_be_read_is_told_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["summary", "nope"]) == 2
    assert capsys.readouterr().err == "error: nope: No such file or directory\n"
    (tmp_path / "latin").write_bytes(b"\xe4")
    assert main(["summary", str(tmp_path / "latin")]) == 2
    assert " ".join(capsys.readouterr().err.split()) == f"error: {tmp_path}/latin: not text in UTF-8"


def test_that_there_is_nothing_to_observe_is_told_with_what_to_do(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["observe", "--stack", "prod", "-o", "x.json"]) == 2
    assert "`edge-dns plan` reads `files` itself" in " ".join(capsys.readouterr().err.split())
