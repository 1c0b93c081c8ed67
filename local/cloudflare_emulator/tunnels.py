"""Cloudflare tunnels of one account: their life, their remote configuration and their token.

Rules and texts: Cloudflare API documentation of `cfd_tunnel`; codes 1013 and 1022 as public issue reports show them;
ingress texts as cloudflared's own check of the same rules. A deleted tunnel stays, with `deleted_at`. Not confirmed in
public: 1003 for a tunnel that is missing or deleted, 1056 for a configuration that is refused.
"""

import base64
import binascii
import json
import secrets
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from local.cloudflare_emulator import errors
from local.cloudflare_emulator.records import JsonObject

_MIN_SECRET_BYTES: Final = 32
_SERVICES: Final = ("http://", "https://", "unix:", "unix+tls:", "tcp://", "ssh://", "rdp://", "smb://")
_SPECIAL_SERVICES: Final = ("http_status:", "hello_world", "bastion", "socks-proxy")


@dataclass(slots=True, kw_only=True)
class Tunnel:
    """One tunnel. `connections` are the ids of the connectors that hold it open."""

    id: str
    account_id: str
    name: str
    config_src: str
    secret: str
    created_at: str
    deleted_at: str | None = None
    version: int = 0
    config: JsonObject | None = None
    connections: list[str] = field(default_factory=list)

    @property
    def token(self) -> str:
        """What cloudflared runs with: base64 of account, tunnel and secret."""
        text = json.dumps({"a": self.account_id, "t": self.id, "s": self.secret})
        return base64.b64encode(text.encode()).decode()

    @property
    def status(self) -> str:
        """`healthy` while something is connected."""
        if self.connections:
            return "healthy"
        return "down" if self.deleted_at else "inactive"

    def to_json(self) -> dict[str, object]:
        """The tunnel as the API prints it."""
        return {
            "id": self.id,
            "account_tag": self.account_id,
            "name": self.name,
            "config_src": self.config_src,
            "remote_config": self.config_src == "cloudflare",
            "created_at": self.created_at,
            "deleted_at": self.deleted_at,
            "conns_active_at": None,
            "conns_inactive_at": None,
            "connections": [],
            "status": self.status,
            "tun_type": "cfd_tunnel",
            "metadata": {},
        }

    def configuration(self) -> dict[str, object]:
        """The configuration as the API prints it; `config` is null until it is put for the first time."""
        return {
            "account_id": self.account_id,
            "tunnel_id": self.id,
            "version": self.version,
            "config": self.config,
            "source": self.config_src,
            "created_at": self.created_at,
        }


class Tunnels:
    """All tunnels of one account, deleted ones included, oldest first. Not safe for threads by itself."""

    def __init__(self, account_id: str) -> None:
        self._account_id = account_id
        self._tunnels: dict[str, Tunnel] = {}

    def select(self, query: Mapping[str, str]) -> list[Tunnel]:
        """The tunnels that the query of the list asks for; without `is_deleted` also the deleted ones."""
        return [one for one in self._tunnels.values() if _matches(one, query)]

    def get(self, tunnel_id: str) -> Tunnel:
        """One tunnel, also a deleted one."""
        try:
            return self._tunnels[tunnel_id]
        except KeyError:
            raise errors.tunnel_missing() from None

    def create(self, body: JsonObject) -> Tunnel:
        """Add a tunnel; its name must be free among those that are not deleted."""
        name, config_src, secret = body.get("name"), body.get("config_src", "local"), body.get("tunnel_secret")
        if not isinstance(name, str) or not name:
            raise errors.tunnel_invalid("name is required")
        if config_src not in ("local", "cloudflare"):
            raise errors.tunnel_invalid("config_src is local or cloudflare")
        _check_secret(secret)
        self._check_name(name)
        tunnel = Tunnel(
            id=str(uuid.uuid4()),
            account_id=self._account_id,
            name=name,
            config_src=str(config_src),
            secret=str(secret or base64.b64encode(secrets.token_bytes(_MIN_SECRET_BYTES)).decode()),
            created_at=_now(),
        )
        self._tunnels[tunnel.id] = tunnel
        return tunnel

    def edit(self, tunnel_id: str, body: JsonObject) -> Tunnel:
        """PATCH: name and secret."""
        tunnel = self._live(tunnel_id)
        name, secret = body.get("name", tunnel.name), body.get("tunnel_secret")
        _check_secret(secret)
        if name != tunnel.name:
            self._check_name(str(name))
        tunnel.name, tunnel.secret = str(name), str(secret or tunnel.secret)
        return tunnel

    def delete(self, tunnel_id: str) -> Tunnel:
        """Delete a tunnel; refused while it has active connections."""
        tunnel = self._live(tunnel_id)
        if tunnel.connections:
            raise errors.tunnel_connected()
        tunnel.deleted_at = _now()
        return tunnel

    def token(self, tunnel_id: str) -> str:
        """The token of a tunnel that is not deleted."""
        return self._live(tunnel_id).token

    def configure(self, tunnel_id: str, body: JsonObject) -> Tunnel:
        """PUT of the whole configuration; what it does not name is gone."""
        tunnel = self._live(tunnel_id)
        if tunnel.config_src != "cloudflare":
            raise errors.bad_configuration("the tunnel is configured locally")
        config = body.get("config")
        if not isinstance(config, Mapping):
            raise errors.bad_configuration("config is required")
        tunnel.config = {**config, "ingress": _checked_ingress(config.get("ingress"))}
        tunnel.version += 1
        return tunnel

    def connect(self, tunnel_id: str) -> None:
        """Connect, as a cloudflared with the tunnel's token does."""
        self._live(tunnel_id).connections.append(str(uuid.uuid4()))

    def disconnect(self, tunnel_id: str) -> None:
        """End all connections."""
        self.get(tunnel_id).connections.clear()

    def _live(self, tunnel_id: str) -> Tunnel:
        tunnel = self.get(tunnel_id)
        if tunnel.deleted_at:
            raise errors.tunnel_missing()
        return tunnel

    def _check_name(self, name: str) -> None:
        if any(one.name == name and not one.deleted_at for one in self._tunnels.values()):
            raise errors.tunnel_exists()


def _matches(tunnel: Tunnel, query: Mapping[str, str]) -> bool:
    deleted = "true" if tunnel.deleted_at else "false"
    exclude = query.get("exclude_prefix")
    return (
        query.get("is_deleted", deleted) == deleted
        and query.get("name", tunnel.name) == tunnel.name
        and query.get("uuid", tunnel.id) == tunnel.id
        and query.get("status", tunnel.status) == tunnel.status
        and tunnel.name.startswith(query.get("include_prefix", ""))
        and not (exclude and tunnel.name.startswith(exclude))
    )


def _check_secret(secret: object) -> None:
    if secret is None:
        return
    try:
        size = len(base64.b64decode(str(secret), validate=True))
    except binascii.Error:
        size = 0
    if size < _MIN_SECRET_BYTES:
        raise errors.tunnel_invalid(f"tunnel_secret is base64 of at least {_MIN_SECRET_BYTES} bytes")


def _checked_ingress(found: object) -> list[JsonObject]:
    if not isinstance(found, Sequence) or isinstance(found, str) or not found:
        raise errors.bad_configuration("At least one ingress rule is required")
    rules = [rule for rule in found if isinstance(rule, Mapping)]
    for number, rule in enumerate(rules, 1):
        _check_rule(rule, number, is_last=number == len(found))
    return [{"originRequest": {}, **rule} for rule in rules]


def _check_rule(rule: JsonObject, number: int, *, is_last: bool) -> None:
    hostname, path, service = (str(rule.get(key) or "") for key in ("hostname", "path", "service"))
    if not service.startswith((*_SERVICES, *_SPECIAL_SERVICES)):
        raise errors.bad_configuration(f"Rule #{number}: {service!r} is not a valid service")
    if ":" in hostname:
        raise errors.bad_configuration("Hostname cannot contain a port")
    if "*" in hostname and (hostname.rfind("*") > 0 or not hostname.startswith("*.")):
        raise errors.bad_configuration(
            'Hostname patterns can have at most one wildcard character ("*") and it can only be used for subdomains'
        )
    catches_all = not hostname and not path
    if is_last and not catches_all:
        raise errors.bad_configuration(
            "The last ingress rule must match all URLs (i.e. it should not have a hostname or path filter)"
        )
    if catches_all and not is_last:
        raise errors.bad_configuration(f"Rule #{number} matches every URL, so that the rules behind it never count")


def ingress_texts(rules: Iterable[object]) -> list[str]:
    """Rules as lines `<hostname or *><path> -> <service>`, for tests and people."""
    shown = [rule for rule in rules if isinstance(rule, Mapping)]
    return [f"{rule.get('hostname') or '*'}{rule.get('path') or ''} -> {rule['service']}" for rule in shown]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
