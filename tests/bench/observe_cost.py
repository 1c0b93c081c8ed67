"""What `edge-dns observe` costs on a real API server, per route at growing sizes of one run."""

import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from local.kube import KubeServer
from local.stack import ROOT
from tests.bench.comparison import Comparison, growing
from tests.bench.measure import CommandFailed, Sample, measure
from tests.bench.scale import Bench
from tests.bench.turns import run_alone
from tests.cluster.objects import Scene
from tests.cluster.workload import routes_and_gateways
from tools.toolchain import VENV

PHASE = "per route"

_KINDS = ("httproutes", "gateways", "gatewayclasses", "namespaces", "services")


def compare_observations(bench: Bench) -> Iterator[Comparison]:
    """Yield the reading of each number of routes, ascending, against the smallest."""
    yield from growing(_observations(bench))


def _observations(bench: Bench) -> Iterator[Comparison]:
    with KubeServer() as kube:
        kube.install_gateway_api()
        Scene(kube)
        kubeconfig, present = kube.kubeconfig(), 0
        bench.folder.mkdir(parents=True)
        for size in bench.scale.sizes["observe"]:
            bench.tell(f"observe {size:,}: filling the API server")
            kube.create_many(list(routes_and_gateways(present, size)))
            present = size
            yield _observe(kube, kubeconfig, size, bench)


def _observe(kube: KubeServer, kubeconfig: Path, size: int, bench: Bench) -> Comparison:
    samples, calls = run_alone(
        partial(_measure, kubeconfig, size, bench.folder),
        partial(_calls, kube),
        rounds=bench.scale.rounds,
        what=f"observe {size:,}",
        bench=bench,
    )
    return Comparison(
        scenario="observe",
        phase=PHASE,
        size=size,
        ours=samples,
        calls=calls,
        contents={"httproutes": size},
    )


def _calls(kube: KubeServer) -> dict[str, int]:
    return {kind: kube.request_count(kind) for kind in _KINDS}


def _measure(kubeconfig: Path, size: int, folder: Path) -> Sample:
    settings, found = folder / "settings.json", folder / "observed.json"
    zone = {"domain": "example.com", "provider": "cloudflare", "zoneId": "023e105f4ecef8ad9ca31a8372d0c353"}
    values = {"zones": [zone], "clusters": [{"name": "prod", "kubeconfig": str(kubeconfig)}]}
    settings.write_text(json.dumps(values), encoding="utf-8")
    command = [str(VENV / "bin" / "edge-dns"), "observe", "--settings", str(settings), "-o", str(found)]
    sample = measure(command, cwd=ROOT, environment=os.environ, output=folder / "output")
    routes = sum(one["kind"] == "HTTPRoute" for one in json.loads(found.read_text(encoding="utf-8"))["items"])
    if routes != size:
        raise CommandFailed(f"{routes} routes of {size} were read")
    return sample
