"""Tunnels of Cloudflare: `ZeroTrustTunnelCloudflared`, its `…Config`, and their lookups.

Behaviour of the official provider (terraform-provider-cloudflare v5): a change of account or of `configSrc` replaces,
Read tolerates a 404 and Delete does not, a tunnel that was deleted is still read (the API answers with `deleted_at`),
and the delete of a configuration does nothing.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from local.plugins.cloudflare_api import CloudflareApi
from local.plugins.cloudflare_records import camel_keys
from local.plugins.properties import UNKNOWN, Properties, is_unknown
from local.plugins.provider import CheckFailure, Diff, ProviderError, ResourceType, State

TUNNEL: Final = "cloudflare:index/zeroTrustTunnelCloudflared:ZeroTrustTunnelCloudflared"
CONFIG: Final = "cloudflare:index/zeroTrustTunnelCloudflaredConfig:ZeroTrustTunnelCloudflaredConfig"
GET_TUNNELS: Final = "cloudflare:index/getZeroTrustTunnelCloudflareds:getZeroTrustTunnelCloudflareds"
GET_CONFIG: Final = "cloudflare:index/getZeroTrustTunnelCloudflaredConfig:getZeroTrustTunnelCloudflaredConfig"
GET_TOKEN: Final = "cloudflare:index/getZeroTrustTunnelCloudflaredToken:getZeroTrustTunnelCloudflaredToken"  # noqa: S105

_TUNNEL_OUTPUTS: Final = ("accountTag", "createdAt", "deletedAt", "status", "remoteConfig", "tunType", "metadata")
_LIST_FILTERS: Final = {
    "name": "name",
    "uuid": "uuid",
    "isDeleted": "is_deleted",
    "status": "status",
    "includePrefix": "include_prefix",
    "excludePrefix": "exclude_prefix",
}
_RULE_KEYS: Final = frozenset({"hostname", "path", "service"})


class TunnelType(ResourceType):
    """A tunnel; its id is that of the API."""

    def __init__(self, api: CloudflareApi) -> None:
        self._api = api

    def check(self, inputs: Properties) -> Sequence[CheckFailure]:
        """Account and name are needed."""
        failures = _missing(inputs, "accountId", "name")
        if inputs.get("configSrc") not in (None, "local", "cloudflare", UNKNOWN):
            failures.append(CheckFailure(property="configSrc", reason="expected one of local, cloudflare"))
        return failures

    def diff(self, *, old_inputs: Properties, old_outputs: Properties, inputs: Properties) -> Diff:
        """The name changes in place."""
        del old_inputs
        wanted = {"configSrc": old_outputs.get("configSrc"), **inputs}
        changed = [key for key in ("accountId", "configSrc", "name") if wanted.get(key) != old_outputs.get(key)]
        if inputs.get("tunnelSecret") != old_outputs.get("tunnelSecret"):
            changed.append("tunnelSecret")
        return Diff(changed=tuple(changed), replaces=tuple(one for one in changed if one in ("accountId", "configSrc")))

    def create(self, inputs: Properties, *, preview: bool) -> State:
        """POST; the API refuses a name that a live tunnel has."""
        if preview:
            unknown = dict.fromkeys((*_TUNNEL_OUTPUTS, "configSrc"), UNKNOWN)
            return State(id="", inputs=inputs, outputs={**unknown, **inputs})
        tunnel = self._api.create_tunnel(str(inputs["accountId"]), _tunnel_body(inputs))
        return State(id=str(tunnel["id"]), inputs=inputs, outputs=_tunnel_outputs(tunnel, inputs))

    def read(self, resource_id: str, *, old_inputs: Properties, old_outputs: Properties) -> State | None:
        """GET; a tunnel that was deleted is still there, with `deletedAt`."""
        account, tunnel_id = _ids(resource_id, old_outputs)
        tunnel = self._api.tunnel(account, tunnel_id)
        if tunnel is None:
            return None
        outputs = _tunnel_outputs(tunnel, {"accountId": account, "tunnelSecret": old_outputs.get("tunnelSecret")})
        inputs = {key: outputs.get(key) for key in old_inputs or ("accountId", "name", "configSrc")}
        return State(id=tunnel_id, inputs=inputs, outputs=outputs)

    def update(self, resource_id: str, *, old_outputs: Properties, inputs: Properties, preview: bool) -> Properties:
        """PATCH of the name and the secret."""
        if preview:
            return {**old_outputs, **inputs}
        body = {key: value for key, value in _tunnel_body(inputs).items() if key != "config_src"}
        tunnel = self._api.edit_tunnel(str(inputs["accountId"]), resource_id, body)
        return _tunnel_outputs(tunnel, inputs)

    def delete(self, resource_id: str, old_outputs: Properties) -> None:
        """DELETE; one that is missing or connected is an error."""
        self._api.delete_tunnel(str(old_outputs["accountId"]), resource_id)


class ConfigType(ResourceType):
    """The configuration of a tunnel; its id is that of the tunnel."""

    def __init__(self, api: CloudflareApi) -> None:
        self._api = api

    def check(self, inputs: Properties) -> Sequence[CheckFailure]:
        """Account and tunnel are needed."""
        return _missing(inputs, "accountId", "tunnelId")

    def diff(self, *, old_inputs: Properties, old_outputs: Properties, inputs: Properties) -> Diff:
        """The rules change in place, as a whole."""
        del old_inputs
        replaces = tuple(key for key in ("accountId", "tunnelId") if inputs.get(key) != old_outputs.get(key))
        differs = inputs.get("config") is not None and inputs.get("config") != old_outputs.get("config")
        return Diff(changed=(*replaces, *(("config",) if differs else ())), replaces=replaces)

    def create(self, inputs: Properties, *, preview: bool) -> State:
        """PUT, whatever is there."""
        if preview:
            known = "" if is_unknown(inputs.get("tunnelId")) else str(inputs["tunnelId"])
            return State(id=known, inputs=inputs, outputs={"version": UNKNOWN, "createdAt": UNKNOWN, **inputs})
        return State(id=str(inputs["tunnelId"]), inputs=inputs, outputs=self._put(inputs))

    def read(self, resource_id: str, *, old_inputs: Properties, old_outputs: Properties) -> State | None:
        """GET."""
        account, tunnel_id = _ids(resource_id, old_outputs)
        found = self._api.configuration(account, tunnel_id)
        if found is None:
            return None
        outputs = {"accountId": account, "tunnelId": tunnel_id, **config_result(found)}
        return State(id=tunnel_id, inputs={key: outputs.get(key) for key in old_inputs or outputs}, outputs=outputs)

    def update(self, resource_id: str, *, old_outputs: Properties, inputs: Properties, preview: bool) -> Properties:
        """PUT of the whole configuration."""
        del resource_id
        return {**old_outputs, **inputs, "version": UNKNOWN} if preview else self._put(inputs)

    def delete(self, resource_id: str, old_outputs: Properties) -> None:
        """Nothing: the rules stay at the API, as with the official provider."""

    def _put(self, inputs: Properties) -> Properties:
        put = self._api.configure(str(inputs["accountId"]), str(inputs["tunnelId"]), _config_body(inputs.get("config")))
        return {
            **inputs,
            "version": put.get("version"),
            "createdAt": put.get("created_at"),
            "source": put.get("source"),
        }


def answer(api: CloudflareApi, token: str, arguments: Properties) -> Properties:
    """Answer a lookup of this module."""
    account = str(arguments["accountId"])
    if token == GET_TUNNELS:
        query = {name: arguments[key] for key, name in _LIST_FILTERS.items() if arguments.get(key) is not None}
        limit = arguments.get("maxItems", 1000)
        if not isinstance(limit, int) or limit < 1:
            raise ProviderError("getZeroTrustTunnelCloudflareds: maxItems must be a positive whole number")
        return {**arguments, "results": [_listed(one) for one in api.list_tunnels(account, query, limit)]}
    tunnel_id = str(arguments["tunnelId"])
    if token == GET_TOKEN:
        return {**arguments, "token": api.tunnel_token(account, tunnel_id)}
    found = api.configuration(account, tunnel_id)
    if found is None:
        raise ProviderError(f"reading the configuration of tunnel {tunnel_id}: 404 Tunnel not found")
    return {**arguments, **config_result(found)}


def config_result(found: Properties) -> dict[str, object]:
    """A configuration of the API in the SDK's spelling; settings of origins that say nothing are left out."""
    config = found.get("config")
    shown: dict[str, object] = {
        "version": found.get("version"),
        "createdAt": found.get("created_at"),
        "source": found.get("source"),
    }
    if isinstance(config, Mapping):
        rules = [{key: value for key, value in rule.items() if value} for rule in config.get("ingress") or []]
        shown["config"] = {"ingresses": rules}
    return shown


def _config_body(config: object) -> dict[str, Any]:
    """The configuration as the API takes it. Settings of origins are spelt otherwise there, and not known here."""
    rules = config.get("ingresses") if isinstance(config, Mapping) else None
    rules = [rule for rule in rules if isinstance(rule, Mapping)] if isinstance(rules, list) else []
    if (isinstance(config, Mapping) and config.keys() - {"ingresses"}) or any(
        rule.keys() - _RULE_KEYS for rule in rules
    ):
        raise ProviderError("the light cloudflare plugin knows no originRequest: install the official plugin")
    return {"ingress": rules}


def _tunnel_body(inputs: Properties) -> dict[str, object]:
    spelt = {"name": "name", "configSrc": "config_src", "tunnelSecret": "tunnel_secret"}
    return {name: inputs[key] for key, name in spelt.items() if inputs.get(key) is not None}


def _tunnel_outputs(tunnel: Properties, inputs: Properties) -> dict[str, object]:
    return {**_listed(tunnel), **{key: value for key, value in inputs.items() if value is not None}}


def _listed(tunnel: Properties) -> dict[str, object]:
    shown = camel_keys({key: value for key, value in tunnel.items() if key not in ("metadata", "connections", "token")})
    return {**shown, "metadata": json.dumps(tunnel.get("metadata") or {})}


def _missing(inputs: Properties, *keys: str) -> list[CheckFailure]:
    return [
        CheckFailure(property=key, reason=f"missing required property '{key}'")
        for key in keys
        if inputs.get(key) is None
    ]


def _ids(resource_id: str, old_outputs: Properties) -> tuple[str, str]:
    """(account, tunnel) of a resource, or of an import id `<account_id>/<tunnel_id>`. Raises ProviderError."""
    if old_outputs.get("accountId"):
        return str(old_outputs["accountId"]), resource_id
    account, slash, tunnel_id = resource_id.partition("/")
    if not (account and slash and tunnel_id) or "/" in tunnel_id:
        raise ProviderError(f'invalid ID "{resource_id}": expected <account_id>/<tunnel_id>')
    return account, tunnel_id
