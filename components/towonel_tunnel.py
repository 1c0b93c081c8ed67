"""TowonelTunnel: the invite of one tunnel on the Towonel hub."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pulumi

from components.towonel import Invite
from edge_dns.core.resource_types import TOWONEL_TUNNEL


@dataclass(frozen=True, slots=True, kw_only=True)
class TowonelTunnelArgs:
    """What the invite of a tunnel shall be; `hostnames` in normal form and sorted, none at all means no invite.

    `aliases` are former names of the component, each `<namespace>/<name>`.
    """

    namespace: str
    name: str
    hostnames: Sequence[str]
    region: str | None
    failover_regions: Sequence[str]
    expires_in_secs: int
    generation: int
    deletion_policy: Literal["Delete", "Retain"]
    aliases: Sequence[str] = ()


class TowonelTunnel(pulumi.ComponentResource):
    """Declares the invite; `confirmed` are the hostnames that the hub lists on it.

    Named `<namespace>/<name>`, which is also the invite's label on the hub. The invite changes after those in `after`.
    """

    invite: Invite | None
    confirmed: pulumi.Output[Sequence[str]]

    def __init__(
        self,
        args: TowonelTunnelArgs,
        *,
        provider: pulumi.ProviderResource,
        after: Sequence[Invite] = (),
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        name = f"{args.namespace}/{args.name}"
        aliases = [pulumi.Alias(name=alias) for alias in args.aliases]
        opts = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(aliases=aliases))
        super().__init__(TOWONEL_TUNNEL, name, {"deletionPolicy": args.deletion_policy}, opts)
        self.invite = self._declare_invite(name, args, provider, after) if args.hostnames else None
        self.confirmed = self.invite.confirmed if self.invite else pulumi.Output.from_input([])
        self.register_outputs({})

    def _declare_invite(
        self, name: str, args: TowonelTunnelArgs, provider: pulumi.ProviderResource, after: Sequence[Invite]
    ) -> Invite:
        return Invite(
            name,
            name=name,
            hostnames=list(args.hostnames),
            region=args.region,
            failover_regions=list(args.failover_regions),
            expires_in_secs=args.expires_in_secs,
            generation=args.generation,
            deletion_policy=args.deletion_policy,
            # The plugin is not asked about a replacement that somebody wants by hand, and two cannot hold one hostname.
            opts=pulumi.ResourceOptions(
                parent=self, provider=provider, depends_on=list(after), delete_before_replace=True
            ),
        )
