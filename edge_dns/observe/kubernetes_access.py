"""Access to the API server of a cluster, by its kubeconfig or by the service account of the pod, for reading only.

TLS, proxies and the form of credentials are the official client's. Importing it takes a moment, so this module
is imported only where a cluster is to be read.
"""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import urllib3
from kubernetes.client import Configuration
from kubernetes.client.rest import RESTClientObject
from kubernetes.config import ConfigException, load_kube_config_from_dict
from kubernetes.config.incluster_config import InClusterConfigLoader
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    MaxRetryError,
    NameResolutionError,
    NewConnectionError,
    ProxyError,
    SSLError,
)
from urllib3.exceptions import TimeoutError as HTTPTimeoutError
from urllib3.util import Retry, parse_url

from edge_dns.core.errors import ObservationFailed
from edge_dns.core.settings import Cluster
from edge_dns.observe.kubeconfig import KubeconfigInvalid, load_context

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
CONNECT_SECONDS = 10.0

# The server asks for patience with 429 and 503 (API Priority and Fairness); any other failure is final.
_RETRIES = Retry(
    total=3,
    connect=False,
    read=False,
    other=False,
    status_forcelist=(429, 503),
    backoff_factor=0.5,
    retry_after_max=10,
    raise_on_status=False,
)
_PRINTABLE = re.compile(r"[\x21-\x7e][\x20-\x7e]*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer of the API server: HTTP status, media type and body."""

    status: int
    media_type: str
    body: bytes


class ApiServer:
    """The API server of one cluster; thread-safe. `url` is its address without user, path and query."""

    def __init__(self, cluster: str, configuration: Configuration, origin: str) -> None:
        """`origin` says where the configuration is from, for messages."""
        self.cluster = cluster
        self.origin = origin
        self._base = configuration.host
        self._headers = {"Accept": "application/json", "Accept-Encoding": "gzip", **_authorization(configuration)}
        parts = parse_url(self._base)
        self.url = f"{parts.scheme}://{parts.netloc}"
        self._pool = RESTClientObject(configuration).pool_manager

    def __repr__(self) -> str:
        return f"ApiServer({self.cluster!r}, {self.url!r})"

    def get(self, path: str, query: Mapping[str, str], *, deadline: float) -> Answer:
        """Return the answer to a GET; `deadline` is a time of `time.monotonic`.

        Raises ObservationFailed when there is none by then.
        """
        left = max(0.001, deadline - time.monotonic())
        timeout = urllib3.Timeout(connect=min(CONNECT_SECONDS, left), read=left)
        try:
            response = self._pool.request(
                "GET",
                self._base + path,
                fields=dict(query),
                headers=self._headers,
                timeout=timeout,
                retries=_RETRIES,
                redirect=False,
            )
            media_type = response.headers.get("content-type", "").partition(";")[0]
            return Answer(status=response.status, media_type=media_type, body=response.data)
        except HTTPError as error:
            raise self.failed(f"{_describe(error)} ({self.origin})") from None

    def failed(self, what: str) -> ObservationFailed:
        """Return the error that says what is wrong with this cluster."""
        return ObservationFailed(f"cluster {self.cluster}: the API server {self.url} {what}")


def connect(cluster: Cluster, root: Path) -> ApiServer:
    """Return the API server of a cluster of the settings, whose kubeconfig is relative to `root`.

    Nothing is asked yet, but an exec plugin runs. Raises ObservationFailed when the configuration is missing or wrong.
    """
    configuration = Configuration()
    try:
        if cluster.kubeconfig is not None:
            file = root / Path(cluster.kubeconfig).expanduser()
            load_kube_config_from_dict(  # type: ignore[no-untyped-call]  # the client's loaders have no types
                load_context(file, cluster.context), client_configuration=configuration, persist_config=False
            )
            return ApiServer(cluster.name, configuration, f"kubeconfig {file}")
        _load_service_account(cluster, configuration)
        return ApiServer(cluster.name, configuration, "the pod's service account")
    except KubeconfigInvalid as error:
        raise ObservationFailed(f"cluster {cluster.name}: {error}") from None
    except (ConfigException, HTTPError, OSError, ValueError):
        # Without the client's words, which may quote credentials.
        source = "kubeconfig" if cluster.kubeconfig is not None else "service account"
        raise ObservationFailed(
            f"cluster {cluster.name}: the {source} has a server, certificate, key, token or proxy that is no valid one"
        ) from None


def _load_service_account(cluster: Cluster, configuration: Configuration) -> None:
    """Fill the configuration from a pod's service account (Kubernetes, "Accessing the API from a Pod")."""
    if cluster.context is not None:
        raise KubeconfigInvalid("'context' needs 'kubeconfig' beside it")
    loader = InClusterConfigLoader(  # type: ignore[no-untyped-call]  # as above
        token_filename=str(SERVICE_ACCOUNT / "token"), cert_filename=str(SERVICE_ACCOUNT / "ca.crt")
    )
    try:
        loader.load_and_set(configuration)  # type: ignore[no-untyped-call]  # as above
    except (ConfigException, OSError):
        raise KubeconfigInvalid(
            "it has neither 'kubeconfig' nor 'files', and the program does not run in a pod with a service account; "
            "set one of them"
        ) from None


def _authorization(configuration: Configuration) -> Mapping[str, str]:
    setting = configuration.auth_settings().get("BearerToken")
    value = (setting["value"] or "").strip() if setting else ""
    if not value:
        return {}
    if not _PRINTABLE.fullmatch(value):
        raise ValueError("not a header")
    return {"Authorization": value}


_CHECK_PROXY = "check 'proxy-url' of the kubeconfig, or HTTPS_PROXY and NO_PROXY"
_CHECK_TLS = "check the certificate authority, the client certificate and the server's name"
_CHECK_WAY = "check its address and the way to it"
_AGAIN = "run it again; if it stays, look at the server"
# In this order, since urllib3 derives some of them from others.
_FAILURES: tuple[tuple[type[HTTPError], str, str], ...] = (
    (ProxyError, "cannot be reached through the proxy", _CHECK_PROXY),
    (SSLError, "cannot be trusted", _CHECK_TLS),
    (NameResolutionError, "cannot be found: its name does not resolve", _CHECK_WAY),
    (NewConnectionError, "cannot be reached", _CHECK_WAY),
    (ConnectTimeoutError, "cannot be reached in time", _CHECK_WAY),
    (HTTPTimeoutError, "did not answer in time", _AGAIN),
    (HTTPError, "broke off its answer", _AGAIN),
)


def _describe(error: HTTPError) -> str:
    """Say what went wrong in words of ours: the client's may quote a proxy's URL with its password."""
    if isinstance(error, MaxRetryError) and isinstance(error.reason, HTTPError):
        error = error.reason
    what, remedy = next((what, remedy) for kind, what, remedy in _FAILURES if isinstance(error, kind))
    cause = error.args[0] if isinstance(error, SSLError) and error.args else error.__cause__
    detail = (
        getattr(cause, "verify_message", None) or getattr(cause, "reason", None) or getattr(cause, "strerror", None)
    )
    return f"{what}{f' ({detail})' if isinstance(detail, str) else ''}; {remedy}"
