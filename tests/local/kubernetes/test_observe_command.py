import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from edge_dns.cli.main import main
from edge_dns.core.settings import Cluster
from local.loopback import Fault
from tests.local.kubernetes.fake_server import TOKEN, FakeServer, namespace


def settings(folder: Path, *clusters: Cluster) -> str:
    """A settings file with these clusters."""
    file = folder / "settings.yaml"
    entries: list[Mapping[str, Any]] = [one.model_dump(by_alias=True, exclude_defaults=True) for one in clusters]
    file.write_text(yaml.safe_dump({"clusters": entries}), encoding="utf-8")
    return str(file)


def test_the_only_cluster_needs_no_name(server: FakeServer, tmp_path: Path) -> None:
    server.objects["namespaces"] = [namespace("b"), namespace("a")]
    file = tmp_path / "prod.json"
    assert main(["observe", "--settings", settings(tmp_path, server.cluster(tmp_path)), "-o", str(file)]) == 0
    assert [one["metadata"]["name"] for one in json.loads(file.read_text())["items"]] == ["a", "b"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("more", "kinds"),
    [
        pytest.param({"exposure": {"publishers": "listed"}}, ["Service"], id="publishers are listed"),
        pytest.param({}, [], id="nothing needs them"),
    ],
)
def test_services_are_in_the_file_where_the_settings_need_them(
    server: FakeServer, tmp_path: Path, more: Mapping[str, Any], kinds: list[str]
) -> None:
    server.objects["services"] = [{"metadata": {"namespace": "team", "name": "db"}}]
    stack = Path(settings(tmp_path, server.cluster(tmp_path)))
    stack.write_text(stack.read_text() + yaml.safe_dump(more) if more else stack.read_text())
    file = tmp_path / "prod.json"
    assert main(["observe", "--settings", str(stack), "-o", str(file)]) == 0
    assert [one["kind"] for one in json.loads(file.read_text())["items"]] == kinds


def test_several_clusters_go_to_a_file_each(
    server: FakeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = settings(tmp_path, server.cluster(tmp_path, name="one"), server.cluster(tmp_path, name="two"))
    outputs = [tmp_path / "one.json", tmp_path / "two.yaml"]
    assert main(["observe", "--settings", file, "-o", f"one={outputs[0]}", "-o", f"two={outputs[1]}"]) == 0
    assert json.loads(outputs[0].read_text()) == yaml.safe_load(outputs[1].read_text())
    assert f"{outputs[1]}: 0 objects of cluster two" in capsys.readouterr().out


def test_only_the_clusters_that_are_asked_for_are_read(server: FakeServer, tmp_path: Path) -> None:
    broken = server.cluster(tmp_path, name="broken", token="wr0ng")
    file = settings(tmp_path, server.cluster(tmp_path, name="one"), broken)
    assert main(["observe", "--settings", file, "-o", f"one={tmp_path / 'one.json'}"]) == 0


def test_nothing_is_written_when_a_cluster_cannot_be_read(
    server: FakeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "prod.json"
    file.write_text("as it was", encoding="utf-8")
    server.http.inject(Fault(path="/httproutes$", status=403))
    assert main(["observe", "--settings", settings(tmp_path, server.cluster(tmp_path)), "-o", str(file)]) == 2
    assert file.read_text(encoding="utf-8") == "as it was"
    error = capsys.readouterr().err
    assert "forbids to list httproutes" in " ".join(error.split())
    assert TOKEN not in error
    assert {one.name for one in tmp_path.iterdir()} == {"prod.json", "prod.kubeconfig", "settings.yaml"}


@pytest.mark.parametrize(
    ("clusters", "output", "message"),
    [
        pytest.param(["one", "two"], "x.json", "there are several clusters (one, two); write NAME=", id="which"),
        pytest.param(["one", "two"], "three=x.json", "no cluster 'three' that is read", id="unknown cluster"),
        pytest.param([], "x.json", "no cluster of the settings is read through the Kubernetes API", id="none"),
        pytest.param(["one"], "no/such/folder/x.json", "No such file or directory", id="folder"),
    ],
)
def test_what_cannot_be_written_is_said(
    *,
    server: FakeServer,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    clusters: list[str],
    output: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    file = settings(tmp_path, *(server.cluster(tmp_path, name=name) for name in clusters))
    assert main(["observe", "--settings", file, "-o", output]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_two_files_for_one_cluster_are_refused(
    server: FakeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = settings(tmp_path, server.cluster(tmp_path, name="one"))
    assert main(["observe", "--settings", file, "-o", "one=a.json", "-o", "b.json"]) == 2
    assert "-o b.json: cluster one has the file a.json already" in " ".join(capsys.readouterr().err.split())


def test_wrong_settings_are_named_with_their_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "settings.yaml").write_text("clusters: [{nam: x}]", encoding="utf-8")
    assert main(["observe", "--settings", str(tmp_path / "settings.yaml"), "-o", "x.json"]) == 2
    assert "clusters[0].nam" in capsys.readouterr().err
