"""The settings of tunnels of kind cloudflare: what they need, and what could not be declared as written."""

import re
from pathlib import Path
from typing import Any

import pytest

from edge_dns.core.settings import CloudflareTunnel, SettingsInvalid, load_settings, stack_values

ACCOUNT = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
ID = "9f0c1b1e-5a0d-4c8a-9d0e-2f6f0d3f7a11"
ORIGIN = "http://app.team.svc:8080"
AGENT = {"image": "cloudflare/cloudflared:2026.9.0"}

Json = dict[str, Any]


def tunnel(*hostnames: str, dns: Json | None = None, top: Json | None = None, **more: Any) -> Json:
    cloudflare = {"accountId": ACCOUNT, "origin": ORIGIN, **more}
    return {
        "name": "app",
        "namespace": "team",
        "kind": "cloudflare",
        "hostnames": list(hostnames),
        "dns": {"mode": "Zone", **(dns or {})},
        "cloudflare": {key: value for key, value in cloudflare.items() if value is not None},
        **(top or {}),
    }


def loaded(*hostnames: str, **more: Any) -> CloudflareTunnel:
    found = load_settings({"tunnels": [tunnel(*hostnames, **more)]}).tunnels[0].cloudflare
    assert found is not None
    return found


def errors_of(*tunnels: Json, **settings: Any) -> dict[str, str]:
    with pytest.raises(SettingsInvalid) as refusal:
        load_settings({"tunnels": list(tunnels), **settings})
    return {error.path.removeprefix("tunnels"): error.message for error in refusal.value.errors}


def test_an_account_and_an_origin_are_enough() -> None:
    found = loaded("app.example.com")
    assert (found.catch_all, found.adopt, found.agent, dict(found.origins)) == ("http_status:404", None, None, {})


def test_hostnames_of_origins_are_brought_to_their_normal_form() -> None:
    assert dict(loaded("App.Example.com.", origins={"APP.example.com.": "tcp://db:5432"}).origins) == {
        "app.example.com": "tcp://db:5432"
    }


@pytest.mark.parametrize(
    "origin",
    [
        "http://a:80",
        "https://a.b.svc/x",
        "unix:/run/app.sock",
        "unix+tls:/run/app.sock",
        "ssh://h:22",
        "http_status:503",
    ],
)
def test_an_origin_is_what_cloudflared_takes(origin: str) -> None:
    assert loaded("app.example.com", origin=origin).origin == origin


@pytest.mark.parametrize("origin", ["app:80", "ftp://a", "http://", "http_status:4040", "http://user@a", "unix:", ""])
def test_any_other_origin_is_refused(origin: str) -> None:
    assert list(errors_of(tunnel("app.example.com", origin=origin))) == ["[0].cloudflare.origin"]


@pytest.mark.parametrize("image", ["cloudflare/cloudflared", "x:latest y", ""])
def test_the_image_of_an_agent_has_a_tag_or_a_digest(image: str) -> None:
    clusters = [{"name": "c"}]
    wrong = tunnel("app.example.com", agent={"image": image})
    assert list(errors_of(wrong, clusters=clusters)) == ["[0].cloudflare.agent.image"]


@pytest.mark.parametrize(
    ("wrong", "path", "message"),
    [
        (tunnel(top={"cloudflare": None}), "[0].cloudflare", "a mapping with accountId"),
        (tunnel(top={"kind": "towonel"}), "[0].cloudflare", "only for kind cloudflare"),
        (tunnel(top={"generation": 2}), "[0].generation", "only for kind towonel"),
        (tunnel(top={"deletionPolicy": "Retain"}), "[0].deletionPolicy", "only for kind towonel"),
        (tunnel(dns={"ttl": 300}), "[0].dns", "no cnameTarget and no ttl"),
        (tunnel(dns={"cnameTarget": "a.example.net"}), "[0].dns", "no cnameTarget and no ttl"),
        (tunnel(dns={"mode": "DNSEndpoint"}), "[0].dns", "only zones of its account"),
        (tunnel(accountId="A" * 32), "[0].cloudflare.accountId", "32 lower-case hex digits"),
        (tunnel(adopt="web"), "[0].cloudflare.adopt", "UUID"),
        (tunnel("a.example.com", origin=None), "[0].cloudflare.origin", "a.example.com would lead nowhere"),
        (tunnel(origins={"b.example.com": ORIGIN}), '[0].cloudflare.origins["b.example.com"]', "no hostname of"),
        (tunnel(agent=AGENT), "[0].cloudflare.agent.cluster", "exactly one cluster (known: none)"),
        (tunnel(agent={**AGENT, "cluster": "x"}), "[0].cloudflare.agent.cluster", "known: none"),
        (tunnel(agent={**AGENT, "replicas": 26}), "[0].cloudflare.agent.replicas", "25"),
        (tunnel(replaceIngress=["a b"]), "[0].cloudflare.replaceIngress[0]", "'*' for the catch-all"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_does_not_fit_is_named_by_its_path(wrong: Json, path: str, message: str) -> None:
    errors = errors_of(wrong)
    assert list(errors) == [path]
    assert message in errors[path]


def test_an_agent_needs_a_cluster_that_can_be_written_to() -> None:
    wrong = tunnel(agent={**AGENT, "cluster": "c"})
    errors = errors_of(wrong, clusters=[{"name": "c", "files": ["x.yaml"]}])
    assert "read from files" in errors["[0].cloudflare.agent.cluster"]


def test_two_tunnels_do_not_adopt_the_same_one() -> None:
    errors = errors_of(tunnel(adopt=ID), tunnel(adopt=ID, top={"name": "two"}))
    assert "tunnel team/app adopts it already" in errors["[1].cloudflare.adopt"]


def test_two_tunnels_do_not_declare_the_same_cloudflared() -> None:
    def one(of: str, **agent: str) -> Json:
        return tunnel(agent={**AGENT, **agent}, top={"namespace": of})

    errors = errors_of(one("a", namespace="edge"), one("b", namespace="edge", cluster="c"), clusters=[{"name": "c"}])
    assert list(errors) == ["[1].cloudflare.agent"]
    told = "Deployment edge/cloudflared-app in cluster c would be that of tunnels[0].cloudflare.agent as well"
    assert told in errors["[1].cloudflare.agent"]
    apart = [one("a", namespace="edge", cluster="c"), one("b", cluster="c"), one("c", namespace="edge", cluster="d")]
    assert len(load_settings({"tunnels": apart, "clusters": [{"name": "c"}, {"name": "d"}]}).tunnels) == 3


def test_the_example_of_the_page_is_valid() -> None:
    page = (Path(__file__).parents[3] / "docs" / "cloudflare-tunnels.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    settings = load_settings({**stack_values(block), "edge-dns:clusters": [{"name": "prod"}]})
    assert [one.kind for one in settings.tunnels] == ["cloudflare"]
