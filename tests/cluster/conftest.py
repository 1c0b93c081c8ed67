from collections.abc import Iterator
from pathlib import Path

import pytest

from edge_dns.core.settings import Cluster
from local.kube import KubeServer
from tests.cluster.objects import Scene
from tests.engine.conftest import World, open_world


@pytest.fixture(scope="session")
def api_server() -> Iterator[KubeServer]:
    """A real API server with the CRDs of the Gateway API."""
    with KubeServer() as server:
        server.install_gateway_api()
        yield server


@pytest.fixture
def kube(api_server: KubeServer) -> Iterator[KubeServer]:
    """The API server, without objects of other tests."""
    yield api_server
    api_server.clear()


@pytest.fixture
def scene(kube: KubeServer) -> Scene:
    """A class and a namespace on the API server."""
    return Scene(kube)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A stack on the local services."""
    with open_world(tmp_path) as opened:
        yield opened


def cluster(kubeconfig: Path) -> Cluster:
    """A cluster of the settings with this kubeconfig."""
    return Cluster(name="prod", kubeconfig=str(kubeconfig))
