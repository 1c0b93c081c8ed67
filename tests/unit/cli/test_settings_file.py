"""The file of `--settings`: every command tells the same of one that cannot be read."""

from pathlib import Path

import pytest

from edge_dns.cli.main import main

COMMANDS = {
    "plan": ("plan",),
    "explain": ("explain", "a.example.com"),
    "observe": ("observe", "-o", "objects.json"),
    "audit exposure": ("audit", "exposure"),
}


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "No such file or directory"), (b"\xff\xfe", "not text in UTF-8")],
    ids=["that is not there", "that is no text"],
)
def test_every_command_tells_the_same_of_a_settings_file(
    arguments: tuple[str, ...], content: bytes | None, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "settings.yaml"
    if content is not None:
        file.write_bytes(content)
    assert main([*arguments, "--settings", str(file)]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    rule = "settings-invalid: " if arguments[0] in ("plan", "explain") else ""
    assert " ".join(output.err.split()) == f"error: {rule}--settings {file}: {reason}"
