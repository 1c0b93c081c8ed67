"""The WSGI application: routes, authentication and the answer envelope of the Cloudflare API, version 4."""

import hmac
import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from werkzeug.wrappers import Request, Response

from local.cloudflare_emulator import errors
from local.cloudflare_emulator.errors import ApiError
from local.cloudflare_emulator.records import JsonObject
from local.cloudflare_emulator.store import Store

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

BASE_PATH: Final = "/client/v4"
_DEFAULT_PER_PAGE: Final = {"zones": 20, "records": 100, "tunnels": 20}
_MAX_PER_PAGE: Final = {"zones": 50, "records": 5000, "tunnels": 1000}

Handler = Callable[..., Response]


class CloudflareApp:
    """Serves the zones, DNS records and tunnels of `store` to whoever holds `token`."""

    def __init__(self, store: Store, token: str) -> None:
        self._store = store
        self._token = token
        tunnels = r"/accounts/(?P<account_id>[0-9a-f]{32})/cfd_tunnel"
        tunnel = rf"{tunnels}/(?P<tunnel_id>[0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})"
        zone, record = r"/zones/(?P<zone_id>[0-9a-f]{32})", r"(?P<record_id>[0-9a-f]{32})"
        self._routes: Sequence[tuple[str, re.Pattern[str], Handler]] = [
            (method, re.compile(path), handler)
            for method, path, handler in (
                ("GET", r"/user/tokens/verify", self._verify),
                ("GET", r"/zones", self._list_zones),
                ("GET", zone, self._get_zone),
                ("GET", rf"{zone}/dns_records", self._list),
                ("POST", rf"{zone}/dns_records", self._create),
                ("GET", rf"{zone}/dns_records/{record}", self._get),
                ("PUT", rf"{zone}/dns_records/{record}", self._overwrite),
                ("PATCH", rf"{zone}/dns_records/{record}", self._edit),
                ("DELETE", rf"{zone}/dns_records/{record}", self._delete),
                ("GET", tunnels, self._list_tunnels),
                ("POST", tunnels, self._create_tunnel),
                ("GET", tunnel, self._get_tunnel),
                ("PATCH", tunnel, self._edit_tunnel),
                ("DELETE", tunnel, self._delete_tunnel),
                ("GET", rf"{tunnel}/token", self._get_token),
                ("GET", rf"{tunnel}/configurations", self._get_configuration),
                ("PUT", rf"{tunnel}/configurations", self._configure),
            )
        ]

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer one request."""
        return self._answer(Request(environ))(environ, start_response)

    def _answer(self, request: Request) -> Response:
        try:
            self._authenticate(request)
            return self._dispatch(request)
        except ApiError as error:
            return _failure(error)

    def _authenticate(self, request: Request) -> None:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer" or not token:
            raise errors.token_missing()
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            raise errors.token_invalid()

    def _dispatch(self, request: Request) -> Response:
        path = request.path.removeprefix(BASE_PATH)
        found = [
            (method, handler, match) for method, route, handler in self._routes if (match := route.fullmatch(path))
        ]
        if not request.path.startswith(f"{BASE_PATH}/") or not found:
            raise errors.no_route(request.path)
        for method, handler, match in found:
            if method == request.method:
                return handler(request, **match.groupdict())
        raise ApiError(405, 10405, "Method not allowed for this authentication scheme")

    def _verify(self, _: Request) -> Response:
        return _success({"id": "f" * 32, "status": "active"})

    def _list_zones(self, request: Request) -> Response:
        return _page(request, "zones", [zone.to_json() for zone in self._store.zones(request.args)])

    def _get_zone(self, _: Request, zone_id: str) -> Response:
        return _success(self._store.zone(zone_id).to_json())

    def _list(self, request: Request, zone_id: str) -> Response:
        return _page(request, "records", [record.to_json() for record in self._store.select(zone_id, request.args)])

    def _get(self, _: Request, zone_id: str, record_id: str) -> Response:
        return _success(self._store.get(zone_id, record_id).to_json())

    def _create(self, request: Request, zone_id: str) -> Response:
        return _success(self._store.create(zone_id, _body(request)).to_json())

    def _overwrite(self, request: Request, zone_id: str, record_id: str) -> Response:
        return _success(self._store.overwrite(zone_id, record_id, _body(request)).to_json())

    def _edit(self, request: Request, zone_id: str, record_id: str) -> Response:
        return _success(self._store.edit(zone_id, record_id, _body(request)).to_json())

    def _delete(self, _: Request, zone_id: str, record_id: str) -> Response:
        self._store.delete(zone_id, record_id)
        return _success({"id": record_id})

    def _list_tunnels(self, request: Request, account_id: str) -> Response:
        with self._store.tunnels(account_id) as tunnels:
            return _page(request, "tunnels", [one.to_json() for one in tunnels.select(request.args)])

    def _create_tunnel(self, request: Request, account_id: str) -> Response:
        with self._store.tunnels(account_id) as tunnels:
            return _success(tunnels.create(_body(request)).to_json())

    def _get_tunnel(self, _: Request, account_id: str, tunnel_id: str) -> Response:
        with self._store.tunnels(account_id) as tunnels:
            return _success(tunnels.get(tunnel_id).to_json())

    def _edit_tunnel(self, request: Request, account_id: str, tunnel_id: str) -> Response:
        with self._store.tunnels(account_id) as tunnels:
            return _success(tunnels.edit(tunnel_id, _body(request)).to_json())

    def _delete_tunnel(self, _: Request, account_id: str, tunnel_id: str) -> Response:
        with self._store.tunnels(account_id) as tunnels:
            return _success(tunnels.delete(tunnel_id).to_json())

    def _get_token(self, _: Request, account_id: str, tunnel_id: str) -> Response:
        with self._store.tunnels(account_id) as tunnels:
            return _success(tunnels.token(tunnel_id))

    def _get_configuration(self, _: Request, account_id: str, tunnel_id: str) -> Response:
        with self._store.tunnels(account_id) as tunnels:
            return _success(tunnels.get(tunnel_id).configuration())

    def _configure(self, request: Request, account_id: str, tunnel_id: str) -> Response:
        with self._store.tunnels(account_id) as tunnels:
            return _success(tunnels.configure(tunnel_id, _body(request)).configuration())


def _body(request: Request) -> JsonObject:
    try:
        body = json.loads(request.get_data())
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise ApiError(400, 9207, "Request body is invalid.")
    return body


def _page(request: Request, kind: str, items: Sequence[JsonObject]) -> Response:
    page = max(1, _number(request, "page", 1))
    per_page = min(max(1, _number(request, "per_page", _DEFAULT_PER_PAGE[kind])), _MAX_PER_PAGE[kind])
    shown = items[(page - 1) * per_page : page * per_page]
    info = {
        "page": page,
        "per_page": per_page,
        "count": len(shown),
        "total_count": len(items),
        "total_pages": -(-len(items) // per_page),
    }
    return _success(shown, result_info=info)


def _number(request: Request, key: str, default: int) -> int:
    try:
        return int(float(request.args.get(key, default)))
    except ValueError:
        raise ApiError(400, 9200, f"Invalid '{key}' value.") from None


def _success(result: object, **extra: object) -> Response:
    return _json(200, {"result": result, "success": True, "errors": [], "messages": []} | extra)


def _failure(error: ApiError) -> Response:
    errors_shown = [{"code": error.code, "message": error.message}]
    return _json(error.status, {"result": None, "success": False, "errors": errors_shown, "messages": []})


def _json(status: int, body: JsonObject) -> Response:
    return Response(json.dumps(body), status, content_type="application/json")
