"""Settings of zones that an external-dns serves: what is missing or cannot be is told with its path."""

from typing import Any

import pytest

from edge_dns.core.settings import Consumer, load_settings
from tests.unit.settings.test_load_settings import errors_of

ZONE = {"domain": "example.com", "provider": "external-dns"}
CONSUMER = {"version": "0.21"}
TUNNEL = {"name": "app", "namespace": "web"}


def served(**consumer: Any) -> dict[str, Any]:
    return {**ZONE, "consumer": {**CONSUMER, **consumer}}


@pytest.mark.parametrize(
    ("settings", "path", "part"),
    [
        pytest.param({"zones": [ZONE]}, "zones[0].consumer", "is required", id="no consumer"),
        pytest.param({"zones": [served()]}, "zones[0].consumer.cluster", "is required", id="no cluster"),
        pytest.param(
            {"zones": [served()], "clusters": [{"name": "a"}, {"name": "b"}]},
            "zones[0].consumer.cluster",
            "a, b",
            id="which cluster",
        ),
        pytest.param(
            {"zones": [served(cluster="b")], "clusters": [{"name": "a"}]},
            "zones[0].consumer.cluster",
            "a cluster of the settings",
            id="unknown cluster",
        ),
        pytest.param(
            {"zones": [served()], "clusters": [{"name": "a", "files": ["a.yaml"]}]},
            "zones[0].consumer.cluster",
            "can be written to",
            id="files",
        ),
        pytest.param(
            {"zones": [served(labels={"edge-dns/exposure": "x"})]},
            'zones[0].consumer.labels["edge-dns/exposure"]',
            "own",
            id="label of the program",
        ),
        pytest.param(
            {"zones": [served(labels={"view": "a b"})]}, "zones[0].consumer.labels.view", "label", id="label value"
        ),
        pytest.param(
            {"zones": [served(providerSpecific={"external-dns.kubernetes.io/cloudflare-proxied": "true"})]},
            'zones[0].consumer.providerSpecific["external-dns.kubernetes.io/cloudflare-proxied"]',
            "without the annotation prefix",
            id="property with a prefix",
        ),
        pytest.param(
            {"tunnels": [{**TUNNEL, "dns": {"mode": "Zone", "namespace": "dns"}}]},
            "tunnels[0].dns.namespace",
            "only for mode DNSEndpoint",
            id="namespace in mode Zone",
        ),
        pytest.param(
            {"zones": [served()], "clusters": [{"name": "a"}], "adopt": ["a.example.com"]},
            "adopt[0]",
            "nothing to adopt",
            id="adopt",
        ),
        pytest.param(
            {"zones": [served()], "clusters": [{"name": "a"}], "release": [{"zone": "example.com"}]},
            "release[0]",
            "nothing to release",
            id="release",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_path(settings: dict[str, object], path: str, part: str) -> None:
    errors = errors_of(settings)
    assert part in errors[path]


def test_names_of_other_zones_can_be_adopted_and_released_beside() -> None:
    cloudflare = {"domain": "eu.example.com", "provider": "cloudflare", "zoneId": "z1"}
    both = {"domain": "example.com", "provider": "route53", "zoneId": "Z2", "visibility": "private"}
    settings = {
        "zones": [served(), cloudflare, both],
        "clusters": [{"name": "a"}],
        "adopt": ["a.eu.example.com"],
        "release": ["a.example.com"],
    }
    assert len(load_settings(settings).adopt) == 1


@pytest.mark.parametrize(
    ("version", "prefix", "expected"),
    [
        ("0.9", None, "external-dns.alpha.kubernetes.io/"),
        ("v0.21.0", None, "external-dns.alpha.kubernetes.io/"),
        ("0.22", None, "external-dns.kubernetes.io/"),
        ("1.0", None, "external-dns.kubernetes.io/"),
        ("0.22", "dns.example.com/", "dns.example.com/"),
    ],
)
def test_the_annotation_prefix_is_that_of_the_version_unless_given(
    version: str, prefix: str | None, expected: str
) -> None:
    consumer = Consumer.model_validate({"version": version, "prefix": prefix})
    assert consumer.annotation_prefix == expected
