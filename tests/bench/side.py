"""One program with its services, its stack and, where it writes DNSEndpoints, an API server of its own."""

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import yaml

from local.kube import KubeServer
from local.services import LocalServices
from local.stack import STACK, LocalStack
from tests.bench.measure import Sample, measure
from tests.bench.workload import (
    CLOUDFLARE_ZONE,
    CONSUMER_NAMESPACE,
    MIXED,
    ROUTE53_ZONE,
    TUNNEL_NAMESPACE,
    ZONE_IDS,
    Workload,
)
from tools import toolchain

PREVIEW = ("preview",)
UP = ("up", "--yes", "--skip-preview")
DESTROY = ("destroy", "--yes", "--skip-preview")
NO_CHECKPOINTS = {"PULUMI_EXPERIMENTAL": "true", "PULUMI_SKIP_CHECKPOINTS": "true"}

_ENDPOINTS = "dnsendpoints"


class Side:
    """One program, while the context is open. Sides have the same zone ids: equal declarations have equal inputs."""

    def __init__(self, program: Path, folder: Path, workload: Workload = MIXED) -> None:
        self.program = program
        self.folder = folder
        self.services = LocalServices()
        self.services.cloudflare.add_zone(CLOUDFLARE_ZONE, zone_id=ZONE_IDS[CLOUDFLARE_ZONE])
        self.services.route53.add_zone(ROUTE53_ZONE, zone_id=ZONE_IDS[ROUTE53_ZONE])
        self.kube = KubeServer() if workload.mode == "DNSEndpoint" else None
        self.kubeconfig: Path | None = None
        self._running = ExitStack()

    def __enter__(self) -> Self:
        self._running.enter_context(self.services)
        self.stack = LocalStack(self.folder, self.services.provider_config)
        if self.kube:
            self._running.enter_context(self.kube)
            self.kubeconfig = _take_endpoints(self.kube)
            provider = toolchain.test_directory() / "pulumi-resource-kubernetes"
            toolchain.install_plugins(self.folder / "home", [provider])
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    def pulumi(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> Sample:
        """Run one command of `pulumi` on the stack; previews write no checkpoints, as with the shipped commands."""
        options = ("--stack", STACK, "--config-file", str(self.stack.config_file))
        added = NO_CHECKPOINTS if "preview" in command else {}
        return measure(
            ["pulumi", *command, *options, "--non-interactive", "--color", "never"],
            cwd=self.program,
            environment={**self.stack.environment, **added, **(environment or {})},
            output=self.folder / "output",
        )

    def calls(self) -> dict[str, int]:
        """Return how many API calls each service has got so far; of an API server those for DNSEndpoints."""
        services = self.services
        counts = {
            "hub": len(services.hub.requests),
            "cloudflare": len(services.cloudflare.requests),
            "route53": len(services.route53.requests),
        }
        return counts | ({"cluster": self.kube.request_count(_ENDPOINTS)} if self.kube else {})

    def resources(self) -> dict[tuple[str, str], object]:
        """Return the inputs of each resource at a provider, by type and name."""
        deployment = json.loads(self.stack.state())["deployment"]
        return {
            (one["type"], one["urn"].split("::", 3)[3]): one["inputs"]
            for one in deployment.get("resources", ())
            if one["custom"] and not one["type"].startswith("pulumi:")
        }


def _take_endpoints(kube: KubeServer) -> Path:
    """Let an API server take DNSEndpoints; returns a kubeconfig."""
    kube.apply(yaml.safe_load(toolchain.dnsendpoint_crd().read_text(encoding="utf-8")))
    kube.wait_until_served(f"/apis/externaldns.k8s.io/v1alpha1/{_ENDPOINTS}")
    for name in (TUNNEL_NAMESPACE, CONSUMER_NAMESPACE):
        kube.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    return kube.kubeconfig()
