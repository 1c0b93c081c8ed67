"""An API server over plain HTTP that lists what it is given, page by page, with faults of the loopback server."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from werkzeug.wrappers import Request, Response

from edge_dns.core.settings import Cluster
from local.loopback import LoopbackServer

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

Object = dict[str, Any]
GROUP = "gateway.networking.k8s.io"
TOKEN = "t0k3n-of-the-test"
_KINDS = {
    "gatewayclasses": "GatewayClass",
    "gateways": "Gateway",
    "httproutes": "HTTPRoute",
    "namespaces": "Namespace",
    "services": "Service",
    "listenersets": "ListenerSet",
    "grpcroutes": "GRPCRoute",
    "tlsroutes": "TLSRoute",
    "dnsendpoints": "DNSEndpoint",
    "deployments": "Deployment",
}
_VERSIONS = {
    "namespaces": "v1",
    "services": "v1",
    "dnsendpoints": "externaldns.k8s.io/v1alpha1",
    "deployments": "apps/v1",
}


@dataclass(slots=True)
class FakeServer:
    """Objects by plural; `edit` changes the body of each answer that would be a 200."""

    objects: dict[str, list[Object]] = field(default_factory=dict)
    edit: Callable[[Request, Object], Object | bytes] = lambda _, body: body
    http: LoopbackServer = field(init=False)

    def __post_init__(self) -> None:
        self.http = LoopbackServer(self._serve)

    def cluster(self, folder: Path, *, name: str = "prod", **user: object) -> Cluster:
        """A cluster of the settings that is this server, with the token unless the user has other fields."""
        document = {
            "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": self.http.origin}}],
            "users": [{"name": "u", "user": user or {"token": TOKEN}}],
        }
        file = folder / f"{name}.kubeconfig"
        file.write_text(yaml.safe_dump(document), encoding="utf-8")
        return Cluster(name=name, kubeconfig=str(file))

    def asked(self, plural: str) -> list[str]:
        """The queries of the lists of a kind, in order."""
        return [request.query for request in self.http.requests if request.path.endswith(f"/{plural}")]

    def _serve(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        return self._answer(Request(environ))(environ, start_response)

    def _answer(self, request: Request) -> Response:
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return _json({"kind": "Status", "reason": "Unauthorized"}, 401)
        match = re.fullmatch(r"/apis?/(.*)/(\w+)", request.path)
        if match is None or match[2] not in _KINDS or match[1] != _version(match[2]):
            return _json({"kind": "Status", "reason": "NotFound"}, 404)
        body = self.edit(request, self._page(match[2], request.args))
        return Response(body, content_type="text/html") if isinstance(body, bytes) else _json(body)

    def _page(self, plural: str, query: Mapping[str, str]) -> Object:
        start, limit = int(query.get("continue") or 0), int(query["limit"])
        items: Sequence[Object] = self.objects.get(plural, [])
        metadata: Object = {"resourceVersion": "7"}
        if start + limit < len(items):
            metadata |= {"continue": str(start + limit), "remainingItemCount": len(items) - start - limit}
        page = list(items[start : start + limit])
        return {"kind": f"{_KINDS[plural]}List", "apiVersion": _version(plural), "metadata": metadata, "items": page}


def _version(plural: str) -> str:
    return _VERSIONS.get(plural, f"{GROUP}/v1")


def namespace(name: str) -> Object:
    """A Namespace as lists hold them: without kind and API version."""
    return {"metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}}}


def _json(body: Object, status: int = 200) -> Response:
    return Response(json.dumps(body), status, content_type="application/json")
