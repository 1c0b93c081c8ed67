"""Exec plugins of a kubeconfig: what they answer is used, and what goes wrong with them is said without their words."""

import base64
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from edge_dns.core.errors import ObservationFailed
from edge_dns.observe import kubeconfig
from edge_dns.observe.gateway_api import read_states
from edge_dns.observe.kubeconfig import load_context
from tests.local.kubernetes.fake_server import TOKEN, FakeServer

VERSION = "client.authentication.k8s.io/v1"
SECRET = "s3cr3t"


def plugin(folder: Path, body: str) -> dict[str, Any]:
    """The exec section of a plugin beside the kubeconfig."""
    file = folder / "plugin"
    file.write_text(f"#!{sys.executable} -S\nimport json, os, sys, time\n{body}\n", encoding="utf-8")
    file.chmod(0o755)
    return {"apiVersion": VERSION, "command": "./plugin", "interactiveMode": "IfAvailable"}


def answer(**status: str) -> str:
    return f"print(json.dumps({ {'kind': 'ExecCredential', 'apiVersion': VERSION, 'status': status}!r}))"


def test_the_token_of_a_plugin_is_used(server: FakeServer, tmp_path: Path) -> None:
    cluster = server.cluster(tmp_path, exec=plugin(tmp_path, answer(token=TOKEN)))
    assert read_states([cluster], tmp_path)["prod"].routes == ()


def test_a_client_certificate_of_a_plugin_is_used(server: FakeServer, tmp_path: Path) -> None:
    section = plugin(tmp_path, answer(clientCertificateData="pem", clientKeyData="key"))
    cluster = server.cluster(tmp_path, exec=section)
    document: Any = load_context(Path(str(cluster.kubeconfig)), None)
    assert document["users"][0]["user"] == {
        "client-certificate-data": base64.b64encode(b"pem").decode(),
        "client-key-data": base64.b64encode(b"key").decode(),
    }


def test_a_plugin_gets_its_arguments_environment_and_the_cluster(server: FakeServer, tmp_path: Path) -> None:
    told = tmp_path / "told"
    section = plugin(
        tmp_path,
        f"told = [sys.argv[1:], os.environ['MODE'], json.loads(os.environ['KUBERNETES_EXEC_INFO'])]\n"
        f"open({str(told)!r}, 'w').write(json.dumps(told))\n" + answer(token=TOKEN),
    )
    more = {"args": ["get", "token"], "env": [{"name": "MODE", "value": "ci"}], "provideClusterInfo": True}
    load_context(Path(str(server.cluster(tmp_path, exec=section | more).kubeconfig)), None)
    info = {
        "apiVersion": VERSION,
        "kind": "ExecCredential",
        "spec": {"interactive": False, "cluster": {"server": server.http.origin}},
    }
    assert json.loads(told.read_text(encoding="utf-8")) == [["get", "token"], "ci", info]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param(f"sys.exit({SECRET!r})", "ended with exit status 1", id="fails"),
        pytest.param(f"print({SECRET!r})", "does not answer with JSON", id="no JSON"),
        pytest.param("", "does not answer with JSON", id="nothing"),
        pytest.param("print('[]')", f"does not answer with an ExecCredential of {VERSION}", id="another form"),
        pytest.param(
            "print(json.dumps({'kind': 'ExecCredential', 'apiVersion': 'client.authentication.k8s.io/v1beta1'}))",
            f"does not answer with an ExecCredential of {VERSION}",
            id="another version",
        ),
        pytest.param(answer(), "answers without a credential", id="no credential"),
        pytest.param(answer(clientCertificateData="pem"), "answers without a credential", id="no key"),
    ],
)
def test_a_failing_plugin_is_named_without_its_output(
    server: FakeServer, tmp_path: Path, capfd: pytest.CaptureFixture[str], body: str, message: str
) -> None:
    section = plugin(tmp_path, f"print({SECRET!r}, file=sys.stderr)\n{body}") | {"args": [SECRET]}
    with pytest.raises(ObservationFailed) as caught:
        read_states([server.cluster(tmp_path, exec=section)], tmp_path)
    assert f"cluster prod: the credential plugin ./plugin of the kubeconfig {tmp_path}" in str(caught.value)
    assert message in str(caught.value)
    assert SECRET not in str(caught.value) + "".join(capfd.readouterr())
    assert server.http.requests == []


def test_a_plugin_that_is_not_installed_is_named_with_its_hint(server: FakeServer, tmp_path: Path) -> None:
    section = {"apiVersion": VERSION, "command": "no-such-plugin", "installHint": "apt install it\n"}
    with pytest.raises(ObservationFailed) as caught:
        read_states([server.cluster(tmp_path, exec=section)], tmp_path)
    assert "no-such-plugin" in str(caught.value)
    assert "cannot be started (No such file or directory); install it: apt install it" in str(caught.value)


def test_a_plugin_that_waits_for_a_login_is_ended(
    server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kubeconfig, "PLUGIN_SECONDS", 0.5)
    section = plugin(tmp_path, "time.sleep(30)")
    with pytest.raises(ObservationFailed, match=r"did not answer within .* does it wait for a login"):
        read_states([server.cluster(tmp_path, exec=section)], tmp_path)
