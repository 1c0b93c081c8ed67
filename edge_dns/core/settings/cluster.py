"""The settings of a cluster: which of its Gateways and HTTPRoutes count, and where their names lead."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from edge_dns.core.settings.base import Many, Setting, each_once, refuse
from edge_dns.core.settings.fields import Namespace, ObjectName, Path, Region, Text
from edge_dns.core.settings.selectors import SelectorSetting
from edge_dns.core.values import Visibility


class Select(Setting):
    """Which Gateways of a cluster count; every given condition must hold."""

    names: Many[ObjectName] = Field((), description="Names of Gateways; omitted: all.")
    namespaces: Many[Namespace] = Field((), description="Namespaces of Gateways; omitted: all.")
    labels: SelectorSetting | None = Field(None, description="Selector on the Gateway's labels.")
    classes: Many[ObjectName] = Field((), description="GatewayClasses; omitted: all.")

    def may_select(self, namespace: str, name: str) -> bool:
        """Say whether a Gateway of this name can be a selected one, as far as the name tells."""
        return (not self.names or name in self.names) and (not self.namespaces or namespace in self.namespaces)


class Routes(Setting):
    """Which HTTPRoutes of a cluster count; every given condition must hold."""

    namespaces: Many[Namespace] = Field((), description="Namespaces of routes; omitted: all.")
    labels: SelectorSetting | None = Field(None, description="Selector on the route's labels.")
    annotations: SelectorSetting | None = Field(
        None, description="Selector on the route's annotations, in the grammar of label selectors."
    )


class GatewayTarget(Setting):
    """A Gateway that is reached through the edge of the hub: its names point there, not at its own addresses."""

    namespace: Namespace = Field(description="Namespace of the Gateway.")
    name: ObjectName = Field(description="Name of the Gateway.")
    region: Region = Field(
        description="Region of `edgeTargets` (or a default of the public hub); letter case is folded."
    )


class Cluster(Setting):
    """A Kubernetes cluster, or files with its objects, whose Gateways and HTTPRoutes are published."""

    name: Text = Field(description="Name of the cluster; part of the identity of its record sets.")
    kubeconfig: Path | None = Field(
        None,
        description="Path of a kubeconfig, relative to the folder of Pulumi.yaml. "
        "Without it and files: the service account of the pod that the program runs in.",
    )
    context: Text | None = Field(None, description="Context of the kubeconfig; omitted: its current one.")
    files: Annotated[tuple[Path, ...], Field(strict=False, min_length=1)] | None = Field(
        None, description="Files with the objects as 'kubectl get -o yaml' prints them, instead of a kubeconfig."
    )
    gateways: bool = Field(
        True,
        description="Whether its Gateways and HTTPRoutes are read and published. false: a cluster that only holds what "
        "this stack declares there, such as agents of tunnels; it needs no Gateway API then.",
    )
    select: Select = Field(Select(), description="Which Gateways count.")
    routes: Routes = Field(Routes(), description="Which HTTPRoutes count.")
    targets: Annotated[Many[GatewayTarget], each_once(lambda one: (one.namespace, one.name), "Gateway")] = Field(
        (),
        description="Gateways whose names are CNAMEs of an edge target, whatever addresses their status has or lacks.",
    )
    record_type: Literal["CNAME"] | None = Field(
        None, description="CNAME: write hostname targets as CNAME on Route 53, not as alias."
    )
    visibility: Visibility = Field("public", description="The visibility of the zones that its names go to.")
    stale_receipts: Literal["hold", "withdraw"] = Field(
        "hold", description="A published name whose route was edited since: hold it, or withdraw it until re-admitted."
    )

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        problems = {}
        if self.files is not None and self.kubeconfig is not None:
            problems["files"] = "either kubeconfig or files, not both"
        if self.files is not None and self.context is not None:
            problems["context"] = "no context beside files"
        if not self.gateways:
            problems |= dict.fromkeys(self.given("files", "select", "routes", "targets"), "only with gateways: true")
        refuse(self, problems)
        return self

    @property
    def is_read(self) -> bool:
        """Whether its objects are read from its API server."""
        return self.gateways and self.files is None
