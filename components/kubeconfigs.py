"""The kubeconfig that Pulumi's Kubernetes provider gets for a cluster of the settings: the access that we read with."""

import json
from collections.abc import Mapping
from pathlib import Path

from edge_dns.core.settings import Cluster

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def provider_kubeconfig(cluster: Cluster, root: Path, environment: Mapping[str, str]) -> str:
    """Return the absolute path of the cluster's kubeconfig, which is relative to `root`, or the text of one.

    A text stands for the service account of the pod (Kubernetes, "Accessing the API from a Pod"): it names the token's
    file and not the token. Without any kubeconfig the provider would take whatever `~/.kube/config` points at.
    """
    if cluster.kubeconfig is not None:
        return str((root / Path(cluster.kubeconfig).expanduser()).absolute())
    host = environment.get("KUBERNETES_SERVICE_HOST", "")
    port = environment.get("KUBERNETES_SERVICE_PORT", "")
    authority = f"[{host}]" if ":" in host else host
    server = {"server": f"https://{authority}:{port}", "certificate-authority": str(SERVICE_ACCOUNT / "ca.crt")}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "pod", "cluster": server}],
            "users": [{"name": "pod", "user": {"tokenFile": str(SERVICE_ACCOUNT / "token")}}],
            "contexts": [{"name": "pod", "context": {"cluster": "pod", "user": "pod"}}],
            "current-context": "pod",
        }
    )
