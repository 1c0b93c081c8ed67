"""What reading many HTTPRoutes from a real API server costs, and planning them.

`python -m tests.cluster.workload KUBECONFIG` measures one run in a process of its own and prints it as JSON.
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from edge_dns.core.memory import Memory
from edge_dns.core.plan import Observed, make_plan
from edge_dns.core.settings import load_settings
from local.kube import KubeServer
from tests.cluster.objects import FROM_ALL, Object, Scene, gateway, gateway_status, route, route_status

ROOT = Path(__file__).resolve().parents[2]
_ROUTES_PER_GATEWAY = 100
_RUNS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """One cluster of so many routes, one hostname each: the quickest of three runs, and the most memory of one."""

    routes: int
    read_seconds: float
    plan_seconds: float
    peak_mib: float


def read_and_plan_costs(counts: Sequence[int] = (1000, 5000)) -> Iterator[Cost]:
    """Yield the cost at each count of HTTPRoutes, ascending, on one API server that is filled as it goes."""
    with KubeServer() as kube:
        kube.install_gateway_api()
        Scene(kube)
        kubeconfig, present = kube.kubeconfig(), 0
        for count in counts:
            kube.create_many(list(_objects(present, count)))
            present = count
            runs = [_measured(kubeconfig) for _ in range(_RUNS)]
            yield Cost(
                routes=count,
                read_seconds=min(run.read_seconds for run in runs),
                plan_seconds=min(run.plan_seconds for run in runs),
                peak_mib=max(run.peak_mib for run in runs),
            )


def _objects(start: int, end: int) -> Iterator[Object]:
    for number in range(start, end):
        name = f"gateway-{number // _ROUTES_PER_GATEWAY}"
        if number % _ROUTES_PER_GATEWAY == 0:
            address = f"203.0.113.{number // _ROUTES_PER_GATEWAY % 250 + 1}"
            yield {**gateway(name, FROM_ALL), "status": gateway_status([address])}
        one = route(f"route-{number}", [f"name-{number}.example.com"], name)
        yield {**one, "status": route_status(one)}


def _measured(kubeconfig: Path) -> Cost:
    command = [sys.executable, "-m", "tests.cluster.workload", str(kubeconfig)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return Cost(**json.loads(done.stdout))


def _measure(kubeconfig: str) -> Cost:
    from edge_dns.observe.gateway_api import read_states  # noqa: PLC0415 - as the program does, and counted as it is

    zone = {"domain": "example.com", "provider": "cloudflare", "zoneId": "023e105f4ecef8ad9ca31a8372d0c353"}
    settings = load_settings({"zones": [zone], "clusters": [{"name": "prod", "kubeconfig": kubeconfig}]})
    start = time.perf_counter()
    states = read_states(settings.clusters, ROOT)
    read = time.perf_counter()
    plan = make_plan(settings, Observed(clusters=states), Memory())
    planned = time.perf_counter()
    published = sum(one.state == "published" for one in plan.decisions)
    if published != len(states["prod"].routes):
        raise RuntimeError(f"{published} hostnames of {len(states['prod'].routes)} routes would be published")
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Cost(routes=published, read_seconds=read - start, plan_seconds=planned - read, peak_mib=peak_kib / 1024)


if __name__ == "__main__":
    print(json.dumps(asdict(_measure(sys.argv[1]))))
