"""Provider instances: the stack's own configuration, or that of a zone where several accounts are in use."""

import os
from functools import cached_property
from pathlib import Path

import pulumi

from components.kubeconfigs import provider_kubeconfig
from components.towonel import Provider as TowonelProvider
from edge_dns.core.settings import Cluster, Credentials, Hub, Zone
from edge_dns.core.zones import zone_key

HUB = "hub"
"""Pulumi name of the hub's provider."""


class Providers:
    """Makes each provider once. A zone without credentials of its own uses the stack's (`cloudflare:…`, `aws:…`)."""

    def __init__(self, hub: Hub | None, root: Path) -> None:
        """The kubeconfigs of clusters are relative to `root`."""
        self._hub = hub
        self._root = root
        self._by_zone: dict[str, pulumi.ProviderResource] = {}
        self._by_cluster: dict[str, pulumi.ProviderResource] = {}

    @cached_property
    def hub(self) -> pulumi.ProviderResource:
        """The provider of the hub; only asked for where tunnels are declared, which needs the setting `hub`."""
        if self._hub is None or self._hub.api_key is None:
            raise pulumi.RunError("edge-dns:hub with url and apiKey is needed for tunnels of kind towonel")
        return TowonelProvider(HUB, url=self._hub.url, api_key=pulumi.Output.secret(self._hub.api_key.reveal()))

    def of_zone(self, zone: Zone) -> pulumi.ProviderResource | None:
        """Return the provider of a zone with credentials of its own, None for the stack's default."""
        if zone.credentials is None:
            return None
        key = zone_key(zone)
        if key not in self._by_zone:
            make = _cloudflare if zone.provider == "cloudflare" else _aws
            self._by_zone[key] = make(provider_name(zone), zone.credentials)
        return self._by_zone[key]

    def of_cluster(self, cluster: Cluster) -> pulumi.ProviderResource:
        """Return the provider that writes to a cluster. Raises RunError for one that is read from files."""
        if cluster.files is not None:
            raise pulumi.RunError(f"cluster {cluster.name} is read from files: nothing can be written to it")
        if cluster.name not in self._by_cluster:
            self._by_cluster[cluster.name] = _kubernetes(cluster, self._root)
        return self._by_cluster[cluster.name]


def provider_name(zone: Zone) -> str:
    """Return the Pulumi name of the provider of a zone with credentials of its own."""
    return f"{zone.provider}-{zone_key(zone)}"


def cluster_provider_name(cluster: str) -> str:
    """Return the Pulumi name of the provider of a cluster."""
    return f"kubernetes-{cluster}"


def _cloudflare(name: str, credentials: Credentials) -> pulumi.ProviderResource:
    from pulumi_cloudflare import Provider  # noqa: PLC0415 - seconds of import, for stacks with such zones only

    return Provider(
        name, api_token=_secret(credentials, "api_token"), base_url=pulumi.Config("cloudflare").get("baseUrl")
    )


def _aws(name: str, credentials: Credentials) -> pulumi.ProviderResource:
    from pulumi_aws import Provider, ProviderAssumeRoleArgs, ProviderEndpointArgs  # noqa: PLC0415 - as above

    config = pulumi.Config("aws")
    endpoints = config.get_object("endpoints") or []
    return Provider(
        name,
        access_key=_secret(credentials, "access_key"),
        secret_key=_secret(credentials, "secret_key"),
        profile=credentials.profile,
        region=credentials.region or config.get("region"),
        assume_roles=[ProviderAssumeRoleArgs(role_arn=credentials.role_arn)] if credentials.role_arn else None,
        endpoints=[ProviderEndpointArgs(**endpoint) for endpoint in endpoints] or None,
        skip_credentials_validation=config.get_bool("skipCredentialsValidation"),
        skip_requesting_account_id=config.get_bool("skipRequestingAccountId"),
        skip_metadata_api_check=config.get_bool("skipMetadataApiCheck"),
        skip_region_validation=config.get_bool("skipRegionValidation"),
    )


def _kubernetes(cluster: Cluster, root: Path) -> pulumi.ProviderResource:
    from pulumi_kubernetes import Provider  # noqa: PLC0415 - as above

    return Provider(
        cluster_provider_name(cluster.name),
        kubeconfig=provider_kubeconfig(cluster, root, os.environ),
        context=cluster.context,
        # Else another path or address of the same cluster would replace everything in it.
        cluster_identifier=cluster.name,
        enable_server_side_apply=True,
        # What somebody else has made is never taken over.
        upsert_existing_objects=False,
        # Else a new token would replace its Secret, and it is missing for a moment.
        enable_secret_mutable=True,
    )


def _secret(credentials: Credentials, field: str) -> pulumi.Output[str] | None:
    secret = getattr(credentials, field)
    return None if secret is None else pulumi.Output.secret(secret.reveal())
