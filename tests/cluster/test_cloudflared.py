"""cloudflared of a Cloudflare tunnel, declared in a real API server by the real Kubernetes provider."""

import base64
from collections.abc import Mapping
from typing import Any

from local.loopback import Fault
from tests.cluster.objects import Scene, collecting_garbage
from tests.engine.conftest import World
from tools import toolchain

APP = "app.example.com"
IMAGE = "cloudflare/cloudflared:2026.9.0"
_PATHS = {"Deployment": "/apis/apps/v1/namespaces/team/deployments", "Secret": "/api/v1/namespaces/team/secrets"}


def _tunnel(world: World, **agent: Any) -> Mapping[str, object]:
    of = {
        "accountId": world.services.cloudflare.account_id,
        "origin": "http://app.team.svc",
        "agent": {"image": IMAGE, **agent},
    }
    return world.tunnel("web", [APP], kind="cloudflare", cloudflare=of)


def _configure(scene: Scene, world: World, *tunnels: Mapping[str, object]) -> None:
    kubeconfig = str(scene.kube.kubeconfig())
    world.configure(
        world.tunnel("keep", ["keep.example.com"]), *tunnels, clusters=[{"name": "prod", "kubeconfig": kubeconfig}]
    )


def _object(scene: Scene, kind: str) -> Any:
    found = [one for one in scene.kube.items(_PATHS[kind]) if one["metadata"]["name"] == "cloudflared-web"]
    return found[0] if found else None


def test_cloudflared_runs_with_the_token_of_its_tunnel_and_goes_with_it(scene: Scene, world: World) -> None:
    scene.namespace("team")
    toolchain.install_plugins(world.stack.folder / "home", [toolchain.test_directory() / "pulumi-resource-kubernetes"])
    _configure(scene, world, _tunnel(world))
    text = world.up("--skip-preview").text
    cloudflare = world.services.cloudflare
    tunnel_id = cloudflare.tunnels()["team.web"]
    token = cloudflare.tunnel_token(tunnel_id)

    secret, deployment = _object(scene, "Secret"), _object(scene, "Deployment")
    assert base64.b64decode(secret["data"]["token"]).decode() == token
    spec = deployment["spec"]
    assert spec["replicas"] == 2
    (container,) = spec["template"]["spec"]["containers"]
    assert (container["image"], container["args"][-1]) == (IMAGE, "run")
    assert container["env"][0]["valueFrom"]["secretKeyRef"] == {"name": "cloudflared-web", "key": "token"}
    assert spec["template"]["metadata"]["annotations"]["edge-dns/token-hash"]
    world.assert_settled()

    # Without its token cloudflared would not be declared, and so be deleted.
    cloudflare.inject(Fault(method="GET", path="/token$", status=500, times=10))
    run = world.stack.up("--skip-preview")
    assert run.status != 0
    assert "the token for cloudflared cannot be read" in " ".join(run.text.split())
    assert "Traceback" not in run.text
    assert _object(scene, "Deployment")
    cloudflare.clear_faults()

    _configure(scene, world, _tunnel(world, replicas=3))
    text += world.stack.preview("--diff").text
    text += world.up("--skip-preview").text
    assert _object(scene, "Deployment")["spec"]["replicas"] == 3
    encoded = base64.b64encode(token.encode()).decode()
    assert not any(form in text + world.stack.state() for form in (token, encoded))

    # A tunnel with connections cannot be deleted: cloudflared goes first.
    with collecting_garbage(scene.kube, *_PATHS.values()):
        run = world.stack.destroy("--skip-preview")
    assert run.status == 0, run.text
    order = [step.type.rpartition(":")[2] for step in run.steps]
    assert order.index("Deployment") < order.index("ZeroTrustTunnelCloudflared")
    assert max(i for i, kind in enumerate(order) if kind == "DnsRecord") < order.index("ZeroTrustTunnelCloudflared")
    assert (_object(scene, "Deployment"), _object(scene, "Secret")) == (None, None)
    assert cloudflare.tunnels() == {}
