import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from edge_dns.observe.kubeconfig import KubeconfigInvalid, load_context

SECRET = "s3cr3t"


def kubeconfig(folder: Path, **changes: Any) -> Path:
    document: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "prod",
        "clusters": [
            {"name": "one", "cluster": {"server": "https://one.example.com"}},
            {"name": "two", "cluster": {"server": "https://two.example.com"}},
        ],
        "contexts": [
            {"name": "prod", "context": {"cluster": "one", "user": "reader", "namespace": "edge"}},
            {"name": "lab", "context": {"cluster": "two", "user": "reader"}},
        ],
        "users": [{"name": "reader", "user": {"token": SECRET}}],
    }
    file = folder / "kubeconfig"
    file.write_text(yaml.safe_dump({**document, **changes}), encoding="utf-8")
    return file


def user(**fields: Any) -> Mapping[str, Any]:
    return {"users": [{"name": "reader", "user": fields}]}


def loaded(file: Path, context: str | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """The cluster and the user of what is loaded."""
    document: Any = load_context(file, context)
    [cluster], [of_user] = document["clusters"], document["users"]
    return cluster["cluster"], of_user["user"]


@pytest.mark.parametrize(("context", "server"), [(None, "one"), ("prod", "one"), ("lab", "two")])
def test_one_context_is_taken_the_current_one_by_default(tmp_path: Path, context: str | None, server: str) -> None:
    cluster, of_user = loaded(kubeconfig(tmp_path), context)
    assert cluster == {"server": f"https://{server}.example.com"}
    assert of_user == {"token": SECRET}


def test_files_are_found_beside_the_kubeconfig(tmp_path: Path) -> None:
    for name in ("ca.crt", "client.crt", "client.key"):
        (tmp_path / name).write_text(f"pem of {name}\n", encoding="utf-8")
    (tmp_path / "token").write_text(f"{SECRET}\n", encoding="utf-8")
    clusters = [
        {"name": "one", "cluster": {"server": "https://one.example.com", "certificate-authority": "ca.crt"}},
    ]
    given = user(**{"tokenFile": "token", "client-certificate": "client.crt", "client-key": "client.key"})
    cluster, of_user = loaded(kubeconfig(tmp_path, clusters=clusters, **given))
    assert base64.b64decode(cluster["certificate-authority-data"]) == b"pem of ca.crt"
    assert base64.b64decode(of_user["client-certificate-data"]) == b"pem of client.crt"
    assert base64.b64decode(of_user["client-key-data"]) == b"pem of client.key"
    assert of_user["token"] == SECRET


@pytest.mark.parametrize(
    ("changes", "context", "message"),
    [
        pytest.param(
            {}, "test", r"no context 'test'; set 'context' to one of its contexts \(lab, prod\)", id="context"
        ),
        pytest.param({"current-context": ""}, None, "no current context; set 'context'", id="no current context"),
        pytest.param({"contexts": []}, "prod", r"\(it has none\)", id="no context at all"),
        pytest.param({"clusters": []}, None, "no 'one' in clusters", id="cluster of the context"),
        pytest.param({"users": []}, None, "no 'reader' in users", id="user of the context"),
        pytest.param({"users": "text"}, None, "users is a text, not a list", id="users of another form"),
        pytest.param({"clusters": [{"name": "one"}]}, None, "clusters one.cluster.server is missing", id="no server"),
        pytest.param(user(tokenFile="nowhere"), None, "nowhere, which cannot be read: No such file", id="token file"),
        pytest.param(user(**{"client-key": "nowhere"}), None, "cannot be read: No such file", id="client key"),
        pytest.param(user(**{"auth-provider": {"name": "gcp"}}), None, "use an exec plugin", id="auth-provider"),
        pytest.param(user(**{"token": SECRET, "as": "boss"}), None, "impersonates", id="impersonation"),
        pytest.param(user(exec={"command": "x"}), None, "users reader.user.exec.apiVersion is missing", id="exec"),
    ],
)
def test_what_is_wrong_is_named_with_the_file(
    tmp_path: Path, changes: Mapping[str, Any], context: str | None, message: str
) -> None:
    file = kubeconfig(tmp_path, **changes)
    with pytest.raises(KubeconfigInvalid, match=message) as caught:
        load_context(file, context)
    assert str(file) in str(caught.value)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(None, "there is no kubeconfig .*; check 'kubeconfig'", id="missing"),
        pytest.param("", "holds no mapping", id="empty"),
        pytest.param(f"users: [{{token: !!binary '{SECRET}'}}]", "is not YAML", id="a tag that quotes its value"),
        pytest.param(f"- {SECRET}: [", "is not YAML", id="not YAML"),
    ],
)
def test_a_file_that_is_no_kubeconfig_is_named_without_its_contents(
    tmp_path: Path, text: str | None, message: str
) -> None:
    file = tmp_path / "kubeconfig"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(KubeconfigInvalid, match=message) as caught:
        load_context(file, None)
    assert SECRET not in str(caught.value)
