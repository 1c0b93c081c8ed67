"""cloudflared in a cluster: one Deployment, with the tunnel's token in a Secret beside it."""

from hashlib import sha256

import pulumi
from pulumi_kubernetes.apps.v1 import Deployment, DeploymentSpecArgs
from pulumi_kubernetes.core.v1 import (
    CapabilitiesArgs,
    ContainerArgs,
    EnvVarArgs,
    EnvVarSourceArgs,
    HTTPGetActionArgs,
    PodSecurityContextArgs,
    PodSpecArgs,
    PodTemplateSpecArgs,
    ProbeArgs,
    SeccompProfileArgs,
    Secret,
    SecretKeySelectorArgs,
    SecurityContextArgs,
)
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, ObjectMetaArgs

from edge_dns.core.settings import Cloudflared, Tunnel

_METRICS_PORT = 2000
_USER = 65532
"""That of Cloudflare's own image."""
_TOKEN = "token"  # noqa: S105 - the key in the Secret, not its value
_NO_WAIT = {"pulumi.com/skipAwait": "true"}
"""A pod that does not start must not keep the records of other sources waiting."""
_HASH = "edge-dns/token-hash"


def declare_cloudflared(
    tunnel: Tunnel, agent: Cloudflared, token: pulumi.Output[str], opts: pulumi.ResourceOptions
) -> None:
    """Declare Secret and Deployment, both `cloudflared-<tunnel>`; a new token rolls the pods."""
    name, key = tunnel.cloudflared_name, f"{tunnel.namespace}/{tunnel.name}"
    selector = {"app.kubernetes.io/name": "cloudflared", "app.kubernetes.io/instance": tunnel.name}
    labels = {**selector, "app.kubernetes.io/managed-by": "edge-dns"}
    namespace = agent.namespace or tunnel.namespace
    secret = Secret(
        f"{key}/token",
        metadata=ObjectMetaArgs(name=name, namespace=namespace, labels=labels),
        string_data={_TOKEN: token},
        type="Opaque",
        opts=opts,
    )
    # The hash tells nothing of the token; as a secret it would hide the whole pod template in previews.
    digest = pulumi.Output.unsecret(token.apply(lambda text: sha256(text.encode()).hexdigest()))
    Deployment(
        f"{key}/cloudflared",
        metadata=ObjectMetaArgs(name=name, namespace=namespace, labels=labels, annotations=_NO_WAIT),
        spec=DeploymentSpecArgs(
            replicas=agent.replicas,
            selector=LabelSelectorArgs(match_labels=selector),
            template=PodTemplateSpecArgs(
                metadata=ObjectMetaArgs(labels=labels, annotations={_HASH: digest}),
                spec=PodSpecArgs(
                    automount_service_account_token=False,
                    security_context=PodSecurityContextArgs(
                        run_as_non_root=True,
                        run_as_user=_USER,
                        seccomp_profile=SeccompProfileArgs(type="RuntimeDefault"),
                    ),
                    containers=[_container(agent, name)],
                ),
            ),
        ),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[secret])),
    )


def _container(agent: Cloudflared, secret: str) -> ContainerArgs:
    """Return the container after Cloudflare's own Kubernetes guide; the token is in no argument."""
    ready = HTTPGetActionArgs(path="/ready", port=_METRICS_PORT)
    source = SecretKeySelectorArgs(name=secret, key=_TOKEN)
    return ContainerArgs(
        name="cloudflared",
        image=agent.image,
        args=["tunnel", "--no-autoupdate", "--metrics", f"0.0.0.0:{_METRICS_PORT}", "run"],
        env=[EnvVarArgs(name="TUNNEL_TOKEN", value_from=EnvVarSourceArgs(secret_key_ref=source))],
        liveness_probe=ProbeArgs(http_get=ready, initial_delay_seconds=10, period_seconds=10, failure_threshold=3),
        readiness_probe=ProbeArgs(http_get=ready, period_seconds=10),
        security_context=SecurityContextArgs(
            allow_privilege_escalation=False,
            read_only_root_filesystem=True,
            capabilities=CapabilitiesArgs(drop=["ALL"]),
        ),
    )
