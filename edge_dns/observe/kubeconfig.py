"""A kubeconfig file, read strictly: one context of it with everything that its user and cluster refer to.

Format: kubeconfig v1 and ExecCredential (Kubernetes documentation, "Organizing Cluster Access Using kubeconfig Files"
and "Authentication", client-go credential plugins). The official client takes the result; it would hide a failing
plugin, wait for it without end, and resolve relative paths against the working directory.
"""

import base64
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from edge_dns.core import yaml_text
from edge_dns.core.json_values import load_json
from edge_dns.core.kubernetes_fields import (
    Malformed,
    Object,
    list_at,
    object_at,
    optional_object_at,
    optional_text_at,
    text_at,
    texts_at,
)

PLUGIN_SECONDS = 30.0
"""How long a credential plugin may take."""

_NOT_SUPPORTED = {
    "auth-provider": "its user has an 'auth-provider', which Kubernetes clients have dropped; use an exec plugin",
    "as": "its user impersonates another one ('as'); make a context whose user needs no impersonation",
}


class KubeconfigInvalid(ValueError):  # noqa: N818 - says what is wrong with a kubeconfig
    """What is wrong with a kubeconfig and what to do; never a credential."""


def load_context(file: Path, context: str | None) -> dict[str, object]:
    """Return a kubeconfig with only this context (the current one for None) and its credentials resolved.

    Paths in it are absolute, a token file is read, an exec plugin has run. Raises KubeconfigInvalid.
    """
    try:
        return _Kubeconfig(file, _document(file)).resolved(context)
    except Malformed as error:
        raise KubeconfigInvalid(f"kubeconfig {file}: {error}") from None


def _document(file: Path) -> Object:
    try:
        document = yaml_text.load(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise KubeconfigInvalid(f"there is no kubeconfig {file}; check 'kubeconfig'") from None
    except OSError as error:
        raise KubeconfigInvalid(f"cannot read the kubeconfig {file}: {error.strerror}") from None
    except (UnicodeDecodeError, yaml_text.TextInvalid):
        # Without the parser's words, which may quote what stands there.
        raise KubeconfigInvalid(
            f"the kubeconfig {file} is not YAML; see: kubectl --kubeconfig {file} config view"
        ) from None
    if not isinstance(document, dict):
        raise KubeconfigInvalid(f"the kubeconfig {file} holds no mapping with clusters, contexts and users")
    return document


@dataclass(frozen=True, slots=True)
class _Kubeconfig:
    file: Path
    document: Object

    def resolved(self, name: str | None) -> dict[str, object]:
        chosen = name or optional_text_at(self.document.get("current-context"), "current-context")
        if not chosen:
            raise KubeconfigInvalid(f"the kubeconfig {self.file} has no current context; {self._choice()}")
        contexts = self._named("contexts")
        if chosen not in contexts:
            raise KubeconfigInvalid(f"the kubeconfig {self.file} has no context {chosen!r}; {self._choice()}")
        context = object_at(contexts[chosen].get("context"), f"contexts {chosen}.context")
        cluster = self._cluster(text_at(context.get("cluster"), f"contexts {chosen}.context.cluster"))
        user = self._user(text_at(context.get("user"), f"contexts {chosen}.context.user"), cluster)
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": chosen,
            "contexts": [{"name": chosen, "context": {"cluster": "cluster", "user": "user"}}],
            "clusters": [{"name": "cluster", "cluster": cluster}],
            "users": [{"name": "user", "user": user}],
        }

    def _choice(self) -> str:
        names = ", ".join(sorted(self._named("contexts"))) or "it has none"
        return f"set 'context' to one of its contexts ({names})"

    def _named(self, key: str) -> dict[str, Object]:
        entries = [object_at(value, key) for value in list_at(self.document.get(key), key)]
        return {text_at(entry.get("name"), f"{key}.name"): entry for entry in reversed(entries)}

    def _entry(self, key: str, field: str, name: str) -> Object:
        entry = self._named(key).get(name)
        if entry is None:
            raise KubeconfigInvalid(f"the kubeconfig {self.file} has no {name!r} in {key}, which its context names")
        return optional_object_at(entry.get(field), f"{key} {name}.{field}")

    def _cluster(self, name: str) -> dict[str, object]:
        cluster = dict(self._entry("clusters", "cluster", name))
        text_at(cluster.get("server"), f"clusters {name}.cluster.server")
        self._resolve(cluster, "certificate-authority")
        return cluster

    def _user(self, name: str, cluster: Object) -> dict[str, object]:
        user = dict(self._entry("users", "user", name))
        for field, problem in _NOT_SUPPORTED.items():
            if user.get(field):
                raise KubeconfigInvalid(f"the kubeconfig {self.file} cannot be used: {problem}")
        for field in ("client-certificate", "client-key"):
            self._resolve(user, field)
        if token_file := optional_text_at(user.pop("tokenFile", None), f"users {name}.user.tokenFile"):
            user.setdefault("token", self._read(token_file))
        plugin = user.pop("exec", None)
        if plugin is not None and not user.get("token"):
            spec = object_at(plugin, f"users {name}.user.exec")
            user |= _Plugin(self.file, f"users {name}.user.exec", spec, cluster).credentials()
        return user

    def _resolve(self, entry: dict[str, object], field: str) -> None:
        """Make a path absolute, relative to the folder of the kubeconfig; data beside it counts instead."""
        path = optional_text_at(entry.pop(field, None), field)
        if path and not entry.get(f"{field}-data"):
            entry[f"{field}-data"] = base64.b64encode(self._read(path).encode()).decode()

    def _read(self, path: str) -> str:
        file = self.file.parent / path
        try:
            return file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not text"
            raise KubeconfigInvalid(
                f"the kubeconfig {self.file} refers to {file}, which cannot be read: {reason}"
            ) from None


@dataclass(frozen=True, slots=True)
class _Plugin:
    """A client-go credential plugin; `path` is where it stands in the kubeconfig."""

    file: Path
    path: str
    spec: Object
    cluster: Object

    def credentials(self) -> dict[str, object]:
        """Run it; return the fields of the kubeconfig's user that its answer stands for."""
        version = text_at(self.spec.get("apiVersion"), f"{self.path}.apiVersion")
        output = self._run(version)
        try:
            answer: object = load_json(output)
        except (ValueError, RecursionError):
            raise self._failed("does not answer with JSON") from None
        if (
            not isinstance(answer, dict)
            or answer.get("kind") != "ExecCredential"
            or answer.get("apiVersion") != version
        ):
            raise self._failed(f"does not answer with an ExecCredential of {version}")
        status = optional_object_at(answer.get("status"), "status")
        found: dict[str, object] = {"token": status["token"]} if status.get("token") else {}
        if status.get("clientCertificateData") and status.get("clientKeyData"):
            found["client-certificate-data"] = _base64(status["clientCertificateData"])
            found["client-key-data"] = _base64(status["clientKeyData"])
        if not found:
            raise self._failed("answers without a credential")
        return found

    def _run(self, version: str) -> str:
        command = self._command()
        try:
            done = subprocess.run(  # noqa: S603 - the user's own kubeconfig names it
                [command, *texts_at(self.spec.get("args"), f"{self.path}.args")],
                env=self._environment(version),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=PLUGIN_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise self._failed(f"did not answer within {PLUGIN_SECONDS:.0f} s; does it wait for a login?") from None
        except OSError as error:
            hint = optional_text_at(self.spec.get("installHint"), f"{self.path}.installHint").strip()
            raise self._failed(
                f"cannot be started ({error.strerror}); install it{': ' if hint else ''}{hint}"
            ) from None
        except UnicodeDecodeError:
            raise self._failed("does not answer with JSON") from None
        if done.returncode:
            raise self._failed(f"ended with exit status {done.returncode}")
        return done.stdout

    def _command(self) -> str:
        command = text_at(self.spec.get("command"), f"{self.path}.command")
        return str(self.file.parent / command) if os.sep in command else command

    def _environment(self, version: str) -> dict[str, str]:
        path = f"{self.path}.env"
        pairs = [object_at(value, path) for value in list_at(self.spec.get("env"), path)]
        added = {text_at(one.get("name"), path): optional_text_at(one.get("value"), path) for one in pairs}
        spec: dict[str, object] = {"interactive": False}
        if self.spec.get("provideClusterInfo"):
            spec["cluster"] = _cluster_info(self.cluster)
        info = {"apiVersion": version, "kind": "ExecCredential", "spec": spec}
        return {**os.environ, **added, "KUBERNETES_EXEC_INFO": json.dumps(info)}

    def _failed(self, what: str) -> KubeconfigInvalid:
        """Say what failed without the plugin's arguments and output, which may hold secrets."""
        return KubeconfigInvalid(
            f"the credential plugin {self.spec.get('command')} of the kubeconfig {self.file} {what}; "
            f"see: kubectl --kubeconfig {self.file} get namespaces"
        )


def _cluster_info(cluster: Object) -> Mapping[str, object]:
    """Return what a plugin with provideClusterInfo is told (ExecCredential, spec.cluster)."""
    fields = ("server", "tls-server-name", "insecure-skip-tls-verify", "certificate-authority-data", "proxy-url")
    info = {field: cluster[field] for field in fields if field in cluster}
    for extension in list_at(cluster.get("extensions"), "extensions"):
        if object_at(extension, "extensions").get("name") == "client.authentication.k8s.io/exec":
            info["config"] = object_at(extension, "extensions").get("extension")
    return info


def _base64(value: object) -> str:
    return base64.b64encode(text_at(value, "status").encode()).decode()
