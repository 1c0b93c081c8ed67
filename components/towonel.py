"""The resources of the `towonel` provider plugin (providers/towonel), as the program declares them."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

import pulumi

from edge_dns.core.resource_types import INVITE, PORT


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])[A-Z]", lambda match: f"_{match[0].lower()}", name)


class _Resource(pulumi.CustomResource):
    """Properties are camel case for the plugin, and snake case as attributes."""

    def translate_input_property(self, prop: str) -> str:
        """The plugin's name of an attribute."""
        return _camel(prop)

    def translate_output_property(self, prop: str) -> str:
        """The attribute of a plugin's property."""
        return _snake(prop)


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


class Invite(_Resource):
    """An invite and its hostname set.

    `name` is only a label. `hostnames` must not be empty. A change of `region`, `failover_regions`, `expires_in_secs`
    or `generation` replaces the invite, deleted first. What the hub refuses is in `refused` and never fails the others.
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
    refused: pulumi.Output[Sequence[Mapping[str, str]]]
    """The wanted hostnames that the hub did not give to this invite: `hostname`, `rule`, `reason`."""

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
            "failover_regions": failover_regions,
            "expires_in_secs": expires_in_secs,
            "generation": generation,
            "deletion_policy": deletion_policy,
            # Outputs have to be named to become attributes.
            "invite_id": None,
            "tenant_id": None,
            "token": None,
            "expires_at_ms": None,
            "status": None,
            "confirmed": None,
            "refused": None,
        }
        own = pulumi.ResourceOptions(additional_secret_outputs=["token"])
        super().__init__(INVITE, resource_name, props, pulumi.ResourceOptions.merge(opts, own))


class Port(_Resource):
    """A TCP or UDP port reserved for the tenant of an invite, found again by `label` and `protocol`.

    A change of anything but dropping `preferred` replaces the reservation. One that the hub does not give fails
    nothing: its `port` is 0, and each update asks again.
    """

    port: pulumi.Output[int]
    ip: pulumi.Output[str | None]
    edge_addresses: pulumi.Output[Sequence[str]]
    refused: pulumi.Output[str]
    """Why the hub did not give it; empty when it did."""

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
            "tenant_id": tenant_id,
            "protocol": protocol,
            "label": label,
            "preferred": preferred,
            "port": None,
            "ip": None,
            "edge_addresses": None,
            "refused": None,
        }
        super().__init__(PORT, resource_name, props, opts)
