"""Cloudflare's API through its Python client, with errors in one line; what it holds as the API's own JSON."""

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast

from local.plugins.properties import Properties
from local.plugins.provider import ProviderError, api_timeout_seconds

if TYPE_CHECKING:
    from cloudflare import APIStatusError, Cloudflare
    from cloudflare.resources.dns.records import RecordsResourceWithRawResponse
    from cloudflare.resources.zero_trust.tunnels.cloudflared import CloudflaredResource

_MAX_PER_PAGE: Final = 5000
_ZONES_PER_PAGE: Final = 50
_TUNNELS_PER_PAGE: Final = 1000


class CloudflareApi:
    """Calls with the provider's settings (`apiToken`, `baseUrl`); the client is made at the first call.

    Every method raises ProviderError, which names the action, what it is about, and the API's own codes.
    """

    def __init__(self, settings: Properties) -> None:
        self._settings = settings

    def create(self, zone_id: str, body: Mapping[str, Any]) -> Properties:
        """POST a record; returns it."""
        return _object(_call(f"creating a DNS record in zone {zone_id}", self._records.create, zone_id=zone_id, **body))

    def update(self, zone_id: str, record_id: str, body: Mapping[str, Any]) -> Properties:
        """PUT a record; returns it."""
        action = f"updating DNS record {record_id} in zone {zone_id}"
        return _object(_call(action, self._records.update, dns_record_id=record_id, zone_id=zone_id, **body))

    def delete(self, zone_id: str, record_id: str) -> None:
        """DELETE a record; one that is missing is an error."""
        action = f"deleting DNS record {record_id} in zone {zone_id}"
        _call(action, self._records.delete, dns_record_id=record_id, zone_id=zone_id)

    def get(self, zone_id: str, record_id: str) -> Properties | None:
        """The record, None where the API does not know it."""
        action = f"reading DNS record {record_id} in zone {zone_id}"
        found = _call(action, self._records.get, missing=None, dns_record_id=record_id, zone_id=zone_id)
        return None if found is None else _object(found)

    def list_records(self, zone_id: str, query: Mapping[str, Any], limit: int) -> list[Properties]:
        """The first `limit` records that the query finds, over as many pages as they need."""
        per_page = min(limit, _MAX_PER_PAGE)
        found: list[Properties] = []
        for page in range(1, -(-limit // per_page) + 1):
            action = f"listing the DNS records of zone {zone_id}"
            result = _list(_call(action, self._records.list, zone_id=zone_id, page=page, per_page=per_page, **query))
            found.extend(result)
            if len(result) < per_page:
                break
        return found[:limit]

    def zone(self, zone_id: str) -> Properties:
        """One zone."""
        return _object(_call(f"reading zone {zone_id}", self._client.zones.with_raw_response.get, zone_id=zone_id))

    def list_zones(self, query: Mapping[str, Any]) -> list[Properties]:
        """The zones that the query finds, one page of them."""
        found = _call("listing zones", self._client.zones.with_raw_response.list, per_page=_ZONES_PER_PAGE, **query)
        return _list(found)

    def create_tunnel(self, account: str, body: Mapping[str, Any]) -> Properties:
        """POST a tunnel; returns it."""
        call = self._tunnels.with_raw_response.create
        return _object(_call(f"creating tunnel {body.get('name')}", call, account_id=account, **body))

    def edit_tunnel(self, account: str, tunnel_id: str, body: Mapping[str, Any]) -> Properties:
        """PATCH a tunnel; returns it."""
        call = self._tunnels.with_raw_response.edit
        return _object(_call(f"updating tunnel {tunnel_id}", call, tunnel_id=tunnel_id, account_id=account, **body))

    def delete_tunnel(self, account: str, tunnel_id: str) -> None:
        """DELETE a tunnel; one that is missing is an error."""
        call = self._tunnels.with_raw_response.delete
        _call(f"deleting tunnel {tunnel_id}", call, tunnel_id=tunnel_id, account_id=account)

    def tunnel(self, account: str, tunnel_id: str) -> Properties | None:
        """The tunnel, None where the API does not know it."""
        call = self._tunnels.with_raw_response.get
        found = _call(f"reading tunnel {tunnel_id}", call, missing=None, tunnel_id=tunnel_id, account_id=account)
        return None if found is None else _object(found)

    def tunnel_token(self, account: str, tunnel_id: str) -> str:
        """The token of a tunnel."""
        call = self._tunnels.token.with_raw_response.get
        return str(_call(f"reading the token of tunnel {tunnel_id}", call, tunnel_id=tunnel_id, account_id=account))

    def list_tunnels(self, account: str, query: Mapping[str, Any], limit: int) -> list[Properties]:
        """The first `limit` tunnels that the query finds, over as many pages as they need."""
        call, per_page = self._tunnels.with_raw_response.list, min(limit, _TUNNELS_PER_PAGE)
        found: list[Properties] = []
        for page in range(1, -(-limit // per_page) + 1):
            action = f"listing the tunnels of account {account}"
            result = _list(_call(action, call, account_id=account, page=page, per_page=per_page, **query))
            found.extend(result)
            if len(result) < per_page:
                break
        return found[:limit]

    def configuration(self, account: str, tunnel_id: str) -> Properties | None:
        """The configuration of a tunnel, None where the API does not know the tunnel."""
        call, action = self._tunnels.configurations.with_raw_response.get, f"reading the configuration of {tunnel_id}"
        found = _call(action, call, missing=None, tunnel_id=tunnel_id, account_id=account)
        return None if found is None else _object(found)

    def configure(self, account: str, tunnel_id: str, config: Mapping[str, Any]) -> Properties:
        """PUT the configuration of a tunnel; returns it."""
        call, action = self._tunnels.configurations.with_raw_response.update, f"configuring tunnel {tunnel_id}"
        return _object(_call(action, call, tunnel_id=tunnel_id, account_id=account, config=config))

    @property
    def _tunnels(self) -> "CloudflaredResource":
        return self._client.zero_trust.tunnels.cloudflared

    @property
    def _records(self) -> "RecordsResourceWithRawResponse":
        return self._client.dns.records.with_raw_response

    @cached_property
    def _client(self) -> "Cloudflare":
        from cloudflare import Cloudflare  # noqa: PLC0415 - half a second that a preview without calls need not wait

        token = self._settings.get("apiToken") or os.environ.get("CLOUDFLARE_API_TOKEN")
        if not token:
            raise ProviderError(
                "no credentials: set cloudflare:apiToken or the environment variable CLOUDFLARE_API_TOKEN"
            )
        base_url = self._settings.get("baseUrl")
        return Cloudflare(
            api_token=str(token), base_url=str(base_url) if base_url else None, timeout=api_timeout_seconds()
        )


def _call(action: str, method: Callable[..., Any], *, missing: object = ..., **arguments: object) -> object:
    """The `result` of the answer; `missing` stands for a 404 where it is given."""
    import cloudflare  # noqa: PLC0415 - loaded with the client

    try:
        return method(**arguments).json()["result"]
    except cloudflare.NotFoundError as error:
        if missing is not ...:
            return missing
        raise ProviderError(f"{action}: {_reason(error)}") from None
    except cloudflare.APIStatusError as error:
        raise ProviderError(f"{action}: {_reason(error)}") from None
    except cloudflare.APIConnectionError as error:
        raise ProviderError(f"{action}: no answer from {error.request.url.host}: {error.__cause__ or error}") from None
    except (ValueError, KeyError, TypeError):
        raise ProviderError(f"{action}: the answer is not the API's JSON; is baseUrl right?") from None


def _reason(error: "APIStatusError") -> str:
    """`404 Record does not exist. (81044)`."""
    body = error.body
    if not isinstance(body, Mapping) or not body.get("errors"):
        return f"{error.status_code} without a reason in JSON"
    reasons = "; ".join(f"{entry.get('message')} ({entry.get('code')})" for entry in body["errors"])
    return f"{error.status_code} {reasons}"


def _object(result: object) -> Properties:
    return cast("Properties", result)


def _list(result: object) -> list[Properties]:
    return cast("list[Properties]", result)
