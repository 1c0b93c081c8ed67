"""The installed command, as a person or a script runs it."""

import json
import subprocess
import sys
from pathlib import Path

COMMAND = str(Path(sys.executable).parent / "edge-dns")
SETTINGS = """
config:
  edge-dns:edgeTargets: {EU: edge-eu.example.net}
  edge-dns:zones: [{domain: example.com, provider: cloudflare, zoneId: z1}]
  edge-dns:tunnels:
  - {name: web, namespace: shop, hostnames: [a.example.com, b.example.net], dns: {mode: Zone}}
"""


def test_the_command_plans_without_pulumi_or_a_network(tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.dev.yaml"
    file.write_text(SETTINGS)
    program = (
        "import sys; from edge_dns.cli.main import main; status = main(sys.argv[1:]); "
        "assert not {'pulumi', 'urllib3', 'boto3'} & set(sys.modules); sys.exit(status)"
    )
    arguments = ["plan", "--settings", str(file), "--json"]
    ran = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False)
    same = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (1, "")
    assert (same.returncode, same.stdout) == (ran.returncode, ran.stdout)
    assert [one["hostname"] for one in json.loads(ran.stdout)["hostnames"]] == ["a.example.com", "b.example.net"]


def test_a_reader_that_stops_reading_is_no_error(tmp_path: Path) -> None:
    hostnames = ", ".join(f"n{number}.example.com" for number in range(3000))
    file = tmp_path / "settings.yaml"
    file.write_text(SETTINGS.replace("a.example.com", hostnames))
    with subprocess.Popen(
        [COMMAND, "plan", "--settings", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 0
