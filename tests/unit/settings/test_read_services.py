"""Services are read in exactly the clusters where the settings need them."""

from typing import Any

import pytest

from edge_dns.core.settings import Settings, reads_services

CLUSTERS = [{"name": "a"}, {"name": "b"}]


@pytest.mark.parametrize(
    ("given", "read"),
    [
        pytest.param({}, [], id="nothing"),
        pytest.param({"exposure": {"publishers": "listed"}}, ["a", "b"], id="listed publishers"),
        pytest.param({"services": [{"namespace": "t", "name": "s", "cluster": "b"}]}, ["b"], id="a service of one"),
        pytest.param({"services": [{"namespace": "t", "name": "s"}]}, ["a", "b"], id="a service without cluster"),
    ],
)
def test_where_services_are_read(given: dict[str, Any], read: list[str]) -> None:
    settings = Settings.model_validate({"clusters": CLUSTERS, **given})
    assert [cluster.name for cluster in settings.clusters if reads_services(cluster, settings)] == read
