"""Services of the settings on a real API server, written there by the real Kubernetes provider."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from local.kube import READER, wait_for
from local.stack import Run
from tests.cluster.objects import NAMESPACE, Object, Scene
from tests.engine.conftest import World
from tools.toolchain import install_plugins, test_directory

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROUTES = "/apis/gateway.networking.k8s.io/v1/httproutes"


def service(name: str, *hostnames: str, **more: object) -> Mapping[str, object]:
    """The setting of a service behind Gateway `front`."""
    return {"name": name, "namespace": NAMESPACE, "hostnames": list(hostnames), "gateway": {"name": "front"}, **more}


def public(name: str, *hostnames: str, **more: object) -> Mapping[str, object]:
    """The setting of a public service."""
    return service(name, *hostnames, exposure="public", **more)


def documented_permissions() -> list[Object]:
    """Return the roles of the pages on clusters and services, and what gives them to the reader."""
    found: list[Object] = []
    for page in ("clusters.md", "services.md"):
        role = _documented_role(DOCS / page)
        group, name = "rbac.authorization.k8s.io", role["metadata"]["name"]
        binding = {
            "apiVersion": f"{group}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": name},
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": name},
            "subjects": [{"apiGroup": group, "kind": "User", "name": READER}],
        }
        found += [role, binding]
    return found


def _documented_role(page: Path) -> Object:
    blocks = page.read_text(encoding="utf-8").split("```yaml\n")[1:]
    documents = [one for block in blocks for one in yaml.safe_load_all(block.split("```")[0])]
    [found] = [one for one in documents if isinstance(one, dict) and one.get("kind") == "ClusterRole"]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceWorld:
    """A stack that writes to the cluster of a scene, in which Gateway `front` is accepted at one address."""

    scene: Scene
    world: World
    kubeconfig: str

    @classmethod
    def open(cls, scene: Scene, world: World) -> "ServiceWorld":
        """Give the stack the real Kubernetes provider with no more than the documented permissions."""
        install_plugins(world.stack.folder / "home", [test_directory() / "pulumi-resource-kubernetes"])
        scene.gateway("front", "203.0.113.7")
        scene.kube.apply(*documented_permissions())
        wait_for(lambda: scene.kube.allows(READER, ROUTES), "the roles have no effect")
        return cls(scene=scene, world=world, kubeconfig=str(scene.kube.kubeconfig(READER)))

    def close(self) -> None:
        """Take the permissions away again: other tests have other ones."""
        self.scene.kube.delete(*documented_permissions())

    def configure(self, *services: Mapping[str, object], **settings: Any) -> None:
        """Write the stack file with these services."""
        clusters = [{"name": "prod", "kubeconfig": self.kubeconfig, "context": "local"}]
        self.world.configure(clusters=clusters, services=list(services), **settings)

    def up(self, *services: Mapping[str, object], **settings: Any) -> Run:
        """Update at once with these services; it must succeed."""
        self.configure(*services, **settings)
        return self.world.up("--skip-preview")

    def routes(self) -> dict[str, Object]:
        """Return the routes in the cluster by name."""
        return {one["metadata"]["name"]: one for one in self.scene.kube.items(ROUTES)}

    def forget(self, name: str) -> None:
        """Let the state forget the route of a service, as docs/services.md says."""
        stack = self.world.stack
        urns = stack.checked("stack", "--show-urns", "--stack", "local").split()
        [urn] = [one for one in urns if one.endswith(f"HTTPRoute::prod/{NAMESPACE}/{name}")]
        stack.checked("stack", "init", "forgotten", "--cwd", str(stack.folder))
        stack.checked("state", "move", "--source", "local", "--dest", "forgotten", "--yes", urn)
        stack.checked("stack", "rm", "forgotten", "--force", "--yes", "--cwd", str(stack.folder))

    def service(self, name: str, **annotations: str) -> None:
        """Make the Service object of a service, as a team does, with further annotations."""
        metadata = {"namespace": NAMESPACE, "name": name, "annotations": {"team": "shop", **annotations}}
        self.scene.kube.apply(
            {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"ports": [{"port": 80}]}}
        )

    def guarded_services(self) -> set[str]:
        """Return the names of the Services that both prefixes keep from external-dns, after a look at the others."""
        found = set()
        for one in self.scene.kube.items("/api/v1/services"):
            annotations = one["metadata"].get("annotations", {})
            guard = {key for key, one in annotations.items() if key.endswith("/controller") and one != "dns-controller"}
            assert len(guard) in {0, 2}, annotations
            if one["metadata"]["namespace"] == NAMESPACE:
                assert annotations["team"] == "shop"
                found |= {one["metadata"]["name"]} if guard else set()
        return found

    def accept(self) -> None:
        """Do what a controller does: accept every route as it is now."""
        for one in self.routes().values():
            self.scene.route_status(one)
