"""What an update needs beyond a plan: told together with every other error of the settings."""

from typing import Any

import pytest

from edge_dns.core.program_settings import engine_settings, program_settings
from edge_dns.core.settings import SettingsInvalid

Json = dict[str, Any]

HUB: Json = {"url": "https://hub.example.net"}
TOWONEL: Json = {"name": "web", "namespace": "shop", "hostnames": ["a.example.com"]}
CLOUDFLARE: Json = {**TOWONEL, "kind": "cloudflare", "cloudflare": {"accountId": "0" * 32, "origin": "http://web:80"}}


def paths(values: Json) -> list[str]:
    """The paths of all errors."""
    try:
        engine_settings(values)
    except SettingsInvalid as invalid:
        return sorted(error.path for error in invalid.errors)
    return []


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param({"tunnels": [TOWONEL]}, ["edge-dns:hub"], id="no hub"),
        pytest.param({"tunnels": [TOWONEL], "hub": HUB}, ["hub.apiKey"], id="no key"),
        pytest.param({"tunnels": [TOWONEL], "hub": dict(HUB, apiKey=None)}, ["hub.apiKey"], id="an empty key"),
        pytest.param({"tunnels": [TOWONEL], "hub": dict(HUB, apiKey="k")}, [], id="all that is needed"),
        pytest.param({"edge-dns:tunnels": [TOWONEL], "edge-dns:hub": HUB}, ["edge-dns:hub.apiKey"], id="with prefix"),
        pytest.param({"tunnels": [TOWONEL], "zones": 1}, ["edge-dns:hub", "zones"], id="beside another error"),
        pytest.param(
            {"tunnels": [{**TOWONEL, "name": "Web"}], "hub": {"url": 5}},
            ["hub.apiKey", "hub.url", "tunnels[0].name"],
            id="beside errors of the tunnel and the hub themselves",
        ),
        pytest.param({"tunnels": [TOWONEL], "hub": 5}, ["hub"], id="a hub that is none"),
        pytest.param({"tunnels": 5}, ["tunnels"], id="tunnels that are none"),
        pytest.param({"tunnels": [5]}, ["tunnels[0]"], id="a tunnel that is none"),
        pytest.param({"tunnels": [{**TOWONEL, "kind": "wireguard"}]}, ["tunnels[0].kind"], id="an unknown kind"),
        pytest.param({"tunnels": [CLOUDFLARE]}, [], id="a tunnel that needs none"),
        pytest.param({}, [], id="no tunnel"),
    ],
)
def test_the_hub_and_its_key_are_missed_together_with_all_other_errors(values: Json, expected: list[str]) -> None:
    assert paths(values) == expected


def test_a_plan_needs_no_key() -> None:
    assert program_settings({"tunnels": [TOWONEL], "hub": HUB}).hub
    assert program_settings({"tunnels": [TOWONEL]}).tunnels
