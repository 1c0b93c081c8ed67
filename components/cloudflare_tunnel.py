"""CloudflareTunnel: a tunnel at Cloudflare, its whole ingress list, and cloudflared in a cluster where asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import pulumi
from pulumi_cloudflare import (
    ZeroTrustTunnelCloudflared,
    ZeroTrustTunnelCloudflaredConfig,
    ZeroTrustTunnelCloudflaredConfigConfigArgs,
    ZeroTrustTunnelCloudflaredConfigConfigIngressArgs,
)

from edge_dns.core.cloudflare_view import TARGET_SUFFIX, IngressRule
from edge_dns.core.resource_types import CLOUDFLARE_TUNNEL_COMPONENT

GET_TOKEN = "cloudflare:index/getZeroTrustTunnelCloudflaredToken:getZeroTrustTunnelCloudflaredToken"  # noqa: S105

DeclareAgent = Callable[[pulumi.Output[str], pulumi.ResourceOptions], None]
"""Declares cloudflared with this token (secret) and these options."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudflareTunnelArgs:
    """A tunnel with all of its rules, the catch-all last. `key` is `<namespace>/<name>`, `aliases` former ones.

    `name` is its name at Cloudflare, `adopts` the id of an existing tunnel to take over. Without a rule no list is
    declared; `kept`: that which is there stays as it is. `memory` is the JSON text that the next run reads.
    """

    key: str
    account_id: str
    name: str
    ingress: Sequence[IngressRule]
    kept: bool
    memory: str
    adopts: str | None = None
    aliases: Sequence[str] = ()


class CloudflareTunnel(pulumi.ComponentResource):
    """Declares tunnel, rules and agent: each record depends on `resources`, and so goes before them.

    `target` is what the records point at. The provider cannot empty the rules of a configuration that it deletes: they
    go with the tunnel.
    """

    target: pulumi.Output[str]
    resources: Sequence[pulumi.Resource]

    def __init__(self, args: CloudflareTunnelArgs, *, agent: DeclareAgent | None = None) -> None:
        aliases = [pulumi.Alias(name=alias) for alias in args.aliases]
        super().__init__(
            CLOUDFLARE_TUNNEL_COMPONENT, args.key, {"name": args.name}, pulumi.ResourceOptions(aliases=aliases)
        )
        # Before the rules: after a crash in between, the next run knows both lists as its own.
        self.register_outputs({"memory": args.memory})
        tunnel = self._tunnel(args)
        self.resources = (tunnel, self._config(args, tunnel)) if args.ingress else (tunnel,)
        self.target = pulumi.Output.concat(tunnel.id, TARGET_SUFFIX)
        if agent:
            token: pulumi.Output[str] = tunnel.id.apply(lambda tunnel_id: _token(args, tunnel_id))
            # The lookup does not say that it is a secret.
            agent(pulumi.Output.secret(token), pulumi.ResourceOptions(parent=self, depends_on=list(self.resources)))

    def _tunnel(self, args: CloudflareTunnelArgs) -> ZeroTrustTunnelCloudflared:
        return ZeroTrustTunnelCloudflared(
            args.key,
            account_id=args.account_id,
            name=args.name,
            config_src="cloudflare",
            opts=pulumi.ResourceOptions(
                parent=self,
                import_=f"{args.account_id}/{args.adopts}" if args.adopts else None,
                # It is never changed, and a tunnel that was imported may hold none in the state.
                ignore_changes=["configSrc"],
            ),
        )

    def _config(
        self, args: CloudflareTunnelArgs, tunnel: ZeroTrustTunnelCloudflared
    ) -> ZeroTrustTunnelCloudflaredConfig:
        rules = [
            ZeroTrustTunnelCloudflaredConfigConfigIngressArgs(
                hostname=rule.hostname or None, path=rule.path or None, service=rule.service
            )
            for rule in args.ingress
        ]
        return ZeroTrustTunnelCloudflaredConfig(
            args.key,
            account_id=args.account_id,
            tunnel_id=tunnel.id,
            config=ZeroTrustTunnelCloudflaredConfigConfigArgs(ingresses=rules),
            # What the state holds after a refresh is everybody's list, and not to be diffed against ours.
            opts=pulumi.ResourceOptions(parent=self, ignore_changes=["config"] if args.kept else None),
        )


async def _token(args: CloudflareTunnelArgs, tunnel_id: str) -> str:
    """Return the token of a tunnel.

    Raises RunError: without the token the agent would not be declared, and so be deleted.
    """
    arguments = {"accountId": args.account_id, "tunnelId": tunnel_id}
    # With the version that the SDK's resources ask for: another one would be another default provider.
    options = pulumi.InvokeOptions(version=version("pulumi-cloudflare"))
    try:
        return str((await pulumi.runtime.invoke_async(GET_TOKEN, arguments, options))["token"])
    except Exception as error:  # noqa: BLE001 - the SDK raises plain Exception for an invoke that failed
        reason = str(error).rpartition("returned an error: ")[2]
        raise pulumi.RunError(
            f"tunnel {args.key}: the token for cloudflared cannot be read: {reason}; nothing is withdrawn in this run: "
            "run it again"
        ) from None
