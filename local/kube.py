"""A real Kubernetes API server (etcd and kube-apiserver, nothing else) on free loopback ports, for tests.

There are no controllers: what they would do (statuses, the end of a namespace) is done by whoever drives it.
"""

import base64
import json
import re
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

import yaml
from kubernetes.client import Configuration
from kubernetes.client.rest import RESTClientObject
from urllib3 import BaseHTTPResponse, PoolManager, request
from urllib3.exceptions import HTTPError

from local.child import die_with_parent, free_port
from local.kube_keys import KubeKeys, make_keys
from tools import toolchain
from tools.pins import GATEWAY_CRDS

Object = Mapping[str, Any]
"""A Kubernetes object; what is in it, its kind knows."""

ADMIN = "admin"
READER = "reader"
"""A user without any permission but those that a test binds to it."""

_WAIT_SECONDS = 120.0
_CALL_SECONDS = 30.0
_WRITERS = 8


class KubeError(RuntimeError):
    """The API server did not start, or refused a call of the driver."""


class KubeServer:
    """An API server while the context is open, in a folder of its own that goes with it."""

    def __init__(self, *, watch_cache: bool = True) -> None:
        """Without watch cache every list is read from etcd, so that `compact` ends those that are being read."""
        self._watch_cache = watch_cache
        self._etcd = ""
        self._folder = Path(tempfile.mkdtemp(prefix="edge-dns-kube-"))
        self._processes: list[subprocess.Popen[bytes]] = []
        self._tokens = {user: secrets.token_urlsafe(24) for user in (ADMIN, READER)}
        self._keys: KubeKeys = make_keys(self._folder / "keys")
        self._pool: PoolManager | None = None
        self.url = ""

    def __enter__(self) -> Self:
        """Start both servers; raises KubeError when they are not ready in time."""
        try:
            self._start_etcd()
            self._start_api_server()
            self._wait_until_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Kill both servers and remove the folder."""
        for process in reversed(self._processes):
            process.kill()
            process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def certificate_authority(self) -> Path:
        """The file with the certificate that the server's own certificate is checked against."""
        return self._folder / "certificates" / "apiserver.crt"

    @property
    def client_authority(self) -> Path:
        """The file with the certificate of the authority that signs client certificates, and nothing else."""
        return self._keys.client_ca

    def kubeconfig(self, user: str = ADMIN, *, credentials: Object | None = None, **cluster: object) -> Path:
        """Return a new kubeconfig with one context, `local`, and the user's token.

        `credentials` are other fields of the user instead; `cluster` changes fields of the cluster, with `_` for `-`.
        """
        changes = {name.replace("_", "-"): value for name, value in cluster.items()}
        server: Object = {"server": self.url, "certificate-authority": str(self.certificate_authority), **changes}
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "local",
            "contexts": [{"name": "local", "context": {"cluster": "local", "user": user}}],
            "clusters": [{"name": "local", "cluster": server}],
            "users": [
                {"name": user, "user": dict({"token": self._tokens[user]} if credentials is None else credentials)}
            ],
        }
        file = self._folder / f"kubeconfig-{secrets.token_hex(4)}.yaml"
        file.write_text(yaml.safe_dump(document), encoding="utf-8")
        return file

    def service_account_token(self, namespace: str, name: str) -> str:
        """Return a token of a service account, as its pods get it."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        return str(self._call("POST", path, request)["status"]["token"])

    def client_certificate(self, user: str) -> Mapping[str, str]:
        """Return the fields of a kubeconfig's user with a client certificate of this user's name."""
        certificate, key = self._keys.client_certificate(user)
        return {
            "client-certificate-data": base64.b64encode(certificate).decode(),
            "client-key-data": base64.b64encode(key).decode(),
        }

    def apply(self, *objects: Object) -> list[Object]:
        """Create or change objects, without their statuses; returns them as they are then."""
        query = "?fieldManager=local&force=true"
        return [
            self._call("PATCH", _path(one) + query, one, content_type="application/apply-patch+yaml") for one in objects
        ]

    def set_status(self, one: Object, status: Object) -> None:
        """Replace the status of an object, as a controller would."""
        self._call("PUT", f"{_path(one)}/status", {**self._call("GET", _path(one)), "status": status})

    def create_many(self, objects: Sequence[Object]) -> None:
        """Create objects that are not there yet with their statuses, several at a time."""
        with ThreadPoolExecutor(_WRITERS) as pool:
            list(pool.map(self._create, objects))

    def delete(self, *objects: Object) -> None:
        """Delete objects; a namespace is ended at once, whatever is in it."""
        for one in objects:
            deleted = self._call("DELETE", _path(one), allowed=(404,))
            if deleted["kind"] == "Namespace":
                self._call("PUT", f"{_path(one)}/finalize", {**deleted, "spec": {"finalizers": []}}, allowed=(404,))

    def items(self, path: str) -> list[Object]:
        """Return the objects of a list such as `/api/v1/namespaces`, each with its kind."""
        page = self._call("GET", path)
        kind = str(page["kind"]).removesuffix("List")
        return [{"apiVersion": page["apiVersion"], "kind": kind, **item} for item in page["items"]]

    def install_gateway_api(self) -> None:
        """Install the CRDs of the Gateway API and wait until they are served."""
        crds = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in toolchain.gateway_crds()]
        self.apply(*crds)
        for crd in crds:
            self.wait_until_served(f"/apis/{crd['spec']['group']}/v1/{crd['spec']['names']['plural']}")

    def clear(self) -> None:
        """Delete all Gateways, routes, classes, Services, namespaces and what users may do, but not the CRDs."""
        bindings = self.items("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings")
        own = "kubernetes.io/bootstrapping"
        self.delete(*(one for one in bindings if own not in one["metadata"].get("labels", {})))
        for plural in GATEWAY_CRDS:
            self.delete(*self.items(f"/apis/gateway.networking.k8s.io/v1/{plural}"))
        services = self.items("/api/v1/services")
        self.delete(*(one for one in services if one["metadata"]["namespace"] != "default"))
        namespaces = self.items("/api/v1/namespaces")
        self.delete(*(one for one in namespaces if not one["metadata"]["name"].startswith(("default", "kube-"))))

    def collect_garbage(self, path: str) -> None:
        """Let go of those objects of a list whose delete waits for what depends on them, as the collector would."""
        for one in self.items(path):
            if one["metadata"].get("deletionTimestamp"):
                metadata = {**one["metadata"], "finalizers": []}
                self._call("PUT", _path(one), {**one, "metadata": metadata}, allowed=(404, 409))

    def compact(self) -> None:
        """Let etcd forget everything but what is there now, as it does every five minutes by itself."""
        latest = self._etcd_call("range", {"key": "AA=="})["header"]["revision"]
        self._etcd_call("compaction", {"revision": latest, "physical": True})

    def request_count(self, resource: str) -> int:
        """Return how many requests for a resource (`dnsendpoints`) the server has answered so far, by its metrics."""
        metrics = self._request("GET", "/metrics").data.decode()
        counts = re.findall(rf'^apiserver_request_total{{.*resource="{resource}",.*}} (\S+)$', metrics, re.MULTILINE)
        return sum(int(float(count)) for count in counts)

    def allows(self, user: str, path: str) -> bool:
        """Say whether a user may read a path."""
        return self._answers(path, user)

    def wait_until_served(self, path: str) -> None:
        """Wait until a list of this path is there."""
        wait_for(lambda: self._answers(path), f"{path} is not served")

    def _create(self, one: Object) -> None:
        collection, _, _ = _path(one).rpartition("/")
        live = self._call("POST", collection, one)
        if "status" in one:
            self._call("PUT", f"{_path(one)}/status", {**live, "status": one["status"]})

    def _call(
        self,
        method: str,
        path: str,
        body: Object | None = None,
        *,
        content_type: str = "application/json",
        allowed: Iterable[int] = (),
    ) -> Object:
        response = self._request(method, path, body, content_type)
        if response.status >= 300 and response.status not in allowed:
            raise KubeError(f"{method} {path}: {response.status} {response.data.decode()[:500]}")
        answer: Object = json.loads(response.data)
        return answer

    def _etcd_call(self, method: str, body: Object) -> Object:
        answer: Object = request("POST", f"{self._etcd}/v3/kv/{method}", json=body, retries=False).json()
        return answer

    def _answers(self, path: str, user: str = ADMIN) -> bool:
        try:
            return self._request("GET", path, user=user).status == 200
        except HTTPError:
            return False

    def _request(
        self,
        method: str,
        path: str,
        body: Object | None = None,
        content_type: str = "application/json",
        user: str = ADMIN,
    ) -> BaseHTTPResponse:
        if self._pool is None:
            raise KubeError("the API server is not running")
        return self._pool.request(
            method,
            self.url + path,
            body=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._tokens[user]}", "Content-Type": content_type},
            retries=False,
            timeout=_CALL_SECONDS,
        )

    def _start_etcd(self) -> None:
        client, peer = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
        self._start(
            "etcd",
            f"--data-dir={self._folder / 'etcd'}",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
            "--unsafe-no-fsync",
            # One member elects itself; the default lets it wait for others.
            "--heartbeat-interval=20",
            "--election-timeout=200",
        )
        self._etcd = client

    def _start_api_server(self) -> None:
        tokens = self._folder / "tokens.csv"
        groups = {ADMIN: ",system:masters"}
        lines = [f"{token},{user},{user}{groups.get(user, '')}\n" for user, token in self._tokens.items()]
        tokens.write_text("".join(lines), encoding="utf-8")
        port = free_port()
        self.url = f"https://127.0.0.1:{port}"
        self._start(
            "kube-apiserver",
            f"--etcd-servers={self._etcd}",
            "--bind-address=127.0.0.1",
            f"--secure-port={port}",
            f"--cert-dir={self._folder / 'certificates'}",
            f"--client-ca-file={self._keys.client_ca}",
            f"--service-account-key-file={self._keys.service_account}",
            f"--service-account-signing-key-file={self._keys.service_account}",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--token-auth-file={tokens}",
            "--authorization-mode=RBAC",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--disable-admission-plugins=ServiceAccount",
            "--endpoint-reconciler-type=none",
            f"--watch-cache={str(self._watch_cache).lower()}",
        )

    def _start(self, program: str, *arguments: str) -> None:
        with (self._folder / f"{program}.log").open("wb") as log:
            command = [str(toolchain.test_directory() / program), *arguments]
            process = subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                preexec_fn=die_with_parent,  # noqa: PLW1509 - it makes one system call and takes no lock
            )
            self._processes.append(process)

    def _wait_until_ready(self) -> None:
        try:
            wait_for(self._is_ready, "the API server is not ready")
        except KubeError as error:
            logs = [log.read_text(encoding="utf-8").splitlines()[-5:] for log in sorted(self._folder.glob("*.log"))]
            raise KubeError("\n".join([str(error), *(line for lines in logs for line in lines)])) from None

    def _is_ready(self) -> bool:
        if any(process.poll() is not None for process in self._processes):
            raise KubeError("a server of the cluster has ended")
        if self._pool is None:
            if not self.certificate_authority.exists():
                return False
            configuration = Configuration()
            configuration.ssl_ca_cert = str(self.certificate_authority)
            configuration.connection_pool_maxsize = _WRITERS
            self._pool = RESTClientObject(configuration).pool_manager
        return self._answers("/readyz")


def _path(one: Object) -> str:
    """Return the path of an object by its kind, API version and metadata."""
    metadata = one["metadata"]
    kind = str(one["kind"]).lower()
    plural = f"{kind}es" if kind.endswith("s") else f"{kind}s"
    version = str(one["apiVersion"])
    namespace = f"namespaces/{metadata['namespace']}/" if "namespace" in metadata else ""
    return f"/{'apis' if '/' in version else 'api'}/{version}/{namespace}{plural}/{metadata['name']}"


def wait_for(is_so: Callable[[], bool], otherwise: str) -> None:
    """Wait until something is so; raises KubeError, which says `otherwise`, when it takes too long."""
    end = time.monotonic() + _WAIT_SECONDS
    while not is_so():
        if time.monotonic() > end:
            raise KubeError(f"{otherwise} within {_WAIT_SECONDS:.0f} s")
        time.sleep(0.05)
