"""Which cluster the Kubernetes provider of Pulumi writes to: exactly the one that was read."""

from pathlib import Path

import pytest
import yaml

from components.kubeconfigs import provider_kubeconfig
from edge_dns.core.settings import Cluster

POD = {"KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "443"}


@pytest.mark.parametrize(
    ("setting", "path"),
    [
        pytest.param("clusters/prod.yaml", "/project/clusters/prod.yaml", id="relative to the project"),
        pytest.param("/etc/prod.yaml", "/etc/prod.yaml", id="absolute"),
        pytest.param("~/prod.yaml", f"{Path.home()}/prod.yaml", id="in the home folder"),
    ],
)
def test_a_kubeconfig_of_the_settings_is_given_by_its_absolute_path(setting: str, path: str) -> None:
    assert provider_kubeconfig(Cluster(name="prod", kubeconfig=setting), Path("/project"), POD) == path


@pytest.mark.parametrize(
    ("host", "server"), [("10.96.0.1", "https://10.96.0.1:443"), ("fd00::1", "https://[fd00::1]:443")]
)
def test_without_kubeconfig_it_is_the_service_account_of_the_pod_and_holds_no_token(host: str, server: str) -> None:
    text = provider_kubeconfig(Cluster(name="prod"), Path("/project"), {**POD, "KUBERNETES_SERVICE_HOST": host})
    config = yaml.safe_load(text)
    folder = "/var/run/secrets/kubernetes.io/serviceaccount"
    assert config["clusters"][0]["cluster"] == {"server": server, "certificate-authority": f"{folder}/ca.crt"}
    assert config["users"][0]["user"] == {"tokenFile": f"{folder}/token"}
    assert config["contexts"][0]["name"] == config["current-context"]
