"""An object of a cluster from plain data, spelt as the Kubernetes API spells it."""

from collections.abc import Mapping

import pulumi


class KubernetesObject(pulumi.CustomResource):
    """Declares one object through the `kubernetes` provider in `opts`.

    Named `<cluster>/<namespace>/<name>` by its caller, so that no two objects of one kind share a Pulumi name.
    """

    def __init__(self, resource_name: str, manifest: Mapping[str, object], opts: pulumi.ResourceOptions) -> None:
        version, kind = str(manifest["apiVersion"]), str(manifest["kind"])
        group = version if "/" in version else f"core/{version}"
        # The provider marks them too, but only once it has answered.
        secret = pulumi.ResourceOptions(additional_secret_outputs=["data", "stringData"] if kind == "Secret" else None)
        opts = pulumi.ResourceOptions.merge(opts, secret)
        super().__init__(f"kubernetes:{group}:{kind}", resource_name, dict(manifest), opts)
