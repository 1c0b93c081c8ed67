"""The resources of the `towonel` provider plugin (providers/towonel), as the program declares them."""

from collections.abc import Sequence
from typing import Literal, TypedDict

import pulumi

INVITE_TYPE = "towonel:index:Invite"
PORT_TYPE = "towonel:index:Port"


class Refusal(TypedDict):
    """A wanted hostname that the hub did not give to the invite."""

    hostname: str
    rule: str
    reason: str


class Provider(pulumi.ProviderResource):
    """One hub, with one API key. `url` is the hub's root."""

    def __init__(
        self,
        resource_name: str,
        *,
        url: pulumi.Input[str],
        api_key: pulumi.Input[str],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        props = {"url": url, "apiKey": pulumi.Output.secret(api_key)}
        super().__init__("towonel", resource_name, props, opts)


class Invite(pulumi.CustomResource):
    """An invite and its hostname set.

    `name` is only a label. `hostnames` must not be empty. A change of `region`, `failover_regions`, `expires_in_secs` or
    `generation` replaces the invite, deleted first. What the hub refuses is in `refused` and never fails the others.
    """

    invite_id: pulumi.Output[str | None]
    """None while the hub refuses every hostname (`status` is then `unissued`)."""
    tenant_id: pulumi.Output[str | None]
    token: pulumi.Output[str | None]
    """Secret; None for an invite that was imported."""
    region: pulumi.Output[str]
    """The hub's region, in upper case; `EU` where the hub has none."""
    expires_at_ms: pulumi.Output[int | None]
    status: pulumi.Output[str]
    """`pending`, `claimed`, `revoked`, `gone`, `unissued`, or another word of the hub for a live invite."""
    confirmed: pulumi.Output[Sequence[str]]
    """The hostnames that the hub lists on this invite, sorted, in lower case."""
    refused: pulumi.Output[Sequence[Refusal]]

    def __init__(
        self,
        resource_name: str,
        *,
        name: pulumi.Input[str],
        hostnames: pulumi.Input[Sequence[pulumi.Input[str]]],
        region: pulumi.Input[str | None] = None,
        failover_regions: pulumi.Input[Sequence[pulumi.Input[str]]] = (),
        expires_in_secs: pulumi.Input[int | None] = None,
        generation: pulumi.Input[int] = 1,
        deletion_policy: pulumi.Input[Literal["Delete", "Retain"]] = "Delete",
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        props = {
            "name": name,
            "hostnames": hostnames,
            "region": region,
            "failoverRegions": failover_regions,
            "expiresInSecs": expires_in_secs,
            "generation": generation,
            "deletionPolicy": deletion_policy,
            # Outputs have to be named to become attributes.
            "inviteId": None,
            "tenantId": None,
            "token": None,
            "expiresAtMs": None,
            "status": None,
            "confirmed": None,
            "refused": None,
        }
        own = pulumi.ResourceOptions(additional_secret_outputs=["token"])
        super().__init__(INVITE_TYPE, resource_name, props, pulumi.ResourceOptions.merge(opts, own))


class Port(pulumi.CustomResource):
    """A TCP or UDP port reserved for the tenant of an invite, found again by `label` and `protocol`.

    A change of anything but dropping `preferred` replaces the reservation, released first.
    """

    port: pulumi.Output[int]
    ip: pulumi.Output[str | None]
    edge_addresses: pulumi.Output[Sequence[str]]

    def __init__(
        self,
        resource_name: str,
        *,
        tenant_id: pulumi.Input[str | None],
        protocol: pulumi.Input[Literal["tcp", "udp"]],
        label: pulumi.Input[str],
        preferred: pulumi.Input[int | None] = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        props = {
            "tenantId": tenant_id,
            "protocol": protocol,
            "label": label,
            "preferred": preferred,
            "port": None,
            "ip": None,
            "edgeAddresses": None,
        }
        super().__init__(PORT_TYPE, resource_name, props, opts)
