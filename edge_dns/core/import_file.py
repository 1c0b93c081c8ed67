"""The file for `pulumi import`: records and invites as the program would declare them, in their very slots."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from edge_dns.core.json_values import Json
from edge_dns.core.lost_objects import LostObject
from edge_dns.core.resource_types import (
    CLOUDFLARE_RECORD,
    DNS_ENDPOINT,
    ENDPOINT_RECORD_SET,
    INVITE,
    ROUTE53_RECORD,
    TOWONEL_TUNNEL,
)
from edge_dns.core.sweep import UNREMEMBERED, LostInvite, Unremembered

_RECORD = {"cloudflare": CLOUDFLARE_RECORD, "route53": ROUTE53_RECORD}


@dataclass(frozen=True, slots=True, kw_only=True)
class StackResources:
    """What an import refers to: the URNs in the state, and the providers that the program makes.

    `providers` are the URNs of those of zones with credentials of their own, by zone id; the others use the default
    one. `clusters` are those of clusters by name, `hub` is the URN of the hub's. `versions` are those of the SDKs by
    package, since each has a default provider.
    """

    project: str
    stack: str
    urns: frozenset[str]
    providers: Mapping[str, str]
    clusters: Mapping[str, str]
    hub: str
    versions: Mapping[str, str]

    def urn(self, kind: str, name: str) -> str:
        """Return the URN of a child of the stack."""
        return f"urn:pulumi:{self.stack}::{self.project}::{kind}::{name}"


def lacks_provider(record: Unremembered, into: StackResources) -> bool:
    """Say whether a record needs a provider that the state lacks, which an import could make only with its keys."""
    provider = into.providers.get(record.zone_id)
    return provider is not None and provider not in into.urns


def knows_cluster(one: LostObject, into: StackResources) -> bool:
    """Say whether the state holds the provider of the object's cluster, without which it cannot be imported."""
    return into.clusters.get(one.key.cluster) in into.urns


def import_file(
    records: Iterable[Unremembered], invites: Iterable[LostInvite], objects: Iterable[LostObject], into: StackResources
) -> Json:
    """Return the import of these records, all with slot and provider, of these invites, none of them unissued, and of
    these objects, all with a provider.

    Where the state lacks the hub's provider, the invites use the default one of the stack's config.
    """
    names: dict[str, str] = {}
    components: dict[str, Json] = {}
    resources: list[Json] = []
    for record in records:
        parent = _component(ENDPOINT_RECORD_SET, record.parent, into, names, components)
        resources.append(_record(record, parent, into, names))
    for invite in invites:
        parent = _component(TOWONEL_TUNNEL, invite.tunnel, into, names, components)
        resources.append(_invite(invite, parent, into, names))
    for one in objects:
        parent = _component(ENDPOINT_RECORD_SET, UNREMEMBERED, into, names, components)
        resources.append(_object(one, parent, into, names))
    return {"nameTable": names, "resources": [*components.values(), *resources]}


def _component(kind: str, name: str, into: StackResources, names: dict[str, str], components: dict[str, Json]) -> str:
    """Return the name by which the file knows a component, which is added to it where the state does not hold it."""
    key, urn = f"{kind}::{name}", into.urn(kind, name)
    if urn in into.urns:
        names[key] = urn
    else:
        components[key] = {"type": kind, "name": key, "logicalName": name, "component": True}
    return key


def _record(record: Unremembered, parent: str, into: StackResources, names: dict[str, str]) -> Json:
    kind = _RECORD[record.provider]
    entry: Json = {"type": kind, "name": record.slot, "id": record.record.import_id, "parent": parent}
    if provider := into.providers.get(record.zone_id):
        names[provider] = provider
        return {**entry, "provider": provider}
    package = kind.partition(":")[0]
    return {**entry, "version": into.versions[package]}


def _object(one: LostObject, parent: str, into: StackResources, names: dict[str, str]) -> Json:
    provider = into.clusters[one.key.cluster]
    names[provider] = provider
    return {"type": DNS_ENDPOINT, "name": one.key.id, "id": one.key.path, "parent": parent, "provider": provider}


def _invite(invite: LostInvite, parent: str, into: StackResources, names: dict[str, str]) -> Json:
    entry: Json = {"type": INVITE, "name": invite.tunnel, "id": invite.invite_id, "parent": parent}
    if into.hub not in into.urns:
        return entry
    names[into.hub] = into.hub
    return {**entry, "provider": into.hub}
