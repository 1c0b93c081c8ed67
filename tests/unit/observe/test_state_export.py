"""The memory out of what `pulumi stack export` prints: without secrets, and never of a state that is not this one."""

import json
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest

from edge_dns.core.cloudflare_view import IngressRule
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.memory import Memory, RulesMemory, decode_rules, decode_set, encode_rules
from edge_dns.core.resource_types import (
    CLOUDFLARE_TUNNEL,
    CLOUDFLARE_TUNNEL_CONFIG,
    HTTP_ROUTE,
    PUBLISHER_REGISTER,
    SERVICE_ROUTE,
)
from edge_dns.observe.state_export import memory_of_export
from tests.unit.observe.test_own_state import CLOUDFLARE, INVITE, ROUTE53, SET, A, record, remembered, urn

STACK = {"urn": urn("pulumi:pulumi:Stack", "edge-dns-dev"), "outputs": {}}
SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = {SIGNATURE: "1b47061264138c4ac30d75fd1eb44270", "plaintext": '"t0p-secret"', "ciphertext": "v1:t0p-secret"}
OWNER = "edge-dns/dev"


def resource(kind: str, name: str, outputs: dict[str, object], **more: Any) -> dict[str, Any]:
    return {"urn": urn(kind, name), "outputs": outputs, **more}


def export(*resources: dict[str, Any]) -> dict[str, Any]:
    return {"version": 3, "deployment": {"manifest": {}, "resources": [STACK, *resources]}}


def test_an_exported_state_gives_the_memory_of_its_resources() -> None:
    document = export(resource(SET, "towonel.shop.web", remembered(A)), resource(CLOUDFLARE, f"z1/{A}", record()))
    memory = memory_of_export(document, OWNER)
    assert list(memory.sets["towonel.shop.web"].published) == [A]
    assert list(memory.slots) == [f"z1/{A}"]
    assert memory_of_export(document, None) == memory


def test_what_only_waits_for_its_deletion_is_not_remembered() -> None:
    old = resource(CLOUDFLARE, f"z1/{A}", record(value="old.example.net"), delete=True)
    new = resource(CLOUDFLARE, f"z1/{A}", record())
    for order in ((old, new), (new, old)):
        (found,) = memory_of_export(export(*order), OWNER).slots.values()
        assert found.values == ("edge-eu.example.net",)


def test_a_stack_that_has_published_nothing_yet_has_an_empty_memory() -> None:
    assert memory_of_export(export(), OWNER) == Memory()


def test_the_token_of_an_invite_is_not_remembered() -> None:
    invite = resource(INVITE, "shop/web", {"inviteId": "inv-1", "generation": 1.0, "token": SECRET})
    memory = memory_of_export(export(invite), OWNER)
    assert memory.invites["shop/web"].invite_id == "inv-1"
    assert "t0p-secret" not in repr(memory)


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(resource(CLOUDFLARE, f"z1/{A}", record(value=SECRET)), id="the value of a record"),  # type: ignore[arg-type]
        pytest.param(resource(CLOUDFLARE, f"z1/{A}", record(zoneId=SECRET)), id="the zone of a record"),
        pytest.param(resource(SET, "x", {"memory": SECRET}), id="the memory of a set"),
    ],
)
def test_a_secret_where_none_belongs_is_refused_and_not_shown(broken: dict[str, Any]) -> None:
    with pytest.raises(ObservationFailed) as refused:
        memory_of_export(export(broken), OWNER)
    assert "t0p-secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("document", "of", "told"),
    [
        pytest.param({"version": 3, "deployment": {"manifest": {}}}, OWNER, "is empty", id="empty"),
        pytest.param({"version": 3, "deployment": None}, OWNER, "another form", id="without a deployment"),
        pytest.param({"version": 3, "deployment": {"resources": [{}]}}, OWNER, "another form", id="without URNs"),
        pytest.param({"version": 3, "deployment": {"resources": [{"urn": "x"}]}}, OWNER, "another form", id="no URN"),
        pytest.param({"version": 3, "deployment": {"resources": [{"urn": 5}]}}, OWNER, "another form", id="a number"),
        pytest.param(
            {"version": 3, "deployment": {"resources": {"urn": STACK}}}, OWNER, "another form", id="an object"
        ),
        pytest.param(export({"urn": urn(CLOUDFLARE, "x"), "outputs": "str"}), OWNER, "another form", id="bad outputs"),
        pytest.param(export(resource(SET, "x", {"memory": "[" * 100_000})), OWNER, "not JSON", id="too deep a memory"),
        pytest.param({"version": 3, "deployment": {"resources": 5}}, OWNER, "another form", id="without resources"),
        pytest.param(export(), "edge-dns/prod", "is that of edge-dns/dev", id="of another stack"),
        pytest.param(export(), "other/dev", "is that of edge-dns/dev", id="of another project"),
        pytest.param(
            json.loads(json.dumps(export()).replace("edge-dns", "web")), None, "is that of web/dev", id="of no edge-dns"
        ),
        pytest.param(export(resource(SET, "x", {"memory": "{"})), OWNER, "not JSON", id="with a broken memory"),
    ],
)
def test_a_state_that_is_none_of_this_stack_is_never_no_memory(document: object, of: str | None, told: str) -> None:
    with pytest.raises(ObservationFailed, match=told):
        memory_of_export(document, of)


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(resource(CLOUDFLARE, f"z1/{A}", {}), id="a record at Cloudflare without outputs"),
        pytest.param(resource(CLOUDFLARE, f"z1/{A}", record(type=None)), id="a record at Cloudflare without type"),
        pytest.param(resource(ROUTE53, f"z2/{A}", {}), id="a record at Route 53 without outputs"),
        pytest.param(resource(ROUTE53, f"z2/{A}", record(type=None)), id="a record at Route 53 without type"),
        pytest.param(resource(SET, "x", {"version": 1.0}), id="a set without memory"),
        pytest.param(resource(INVITE, "shop/web", {}), id="an invite without outputs"),
    ],
)
def test_what_lost_its_outputs_is_not_taken_for_what_was_never_published(broken: dict[str, Any]) -> None:
    with pytest.raises(ObservationFailed):
        memory_of_export(export(broken), OWNER)


RULES = RulesMemory(declared=(IngressRule(hostname=A, service="x"),))
MADE = "edge:dns:CloudflareTunnel"
ENDPOINT = {
    "metadata": {"uid": "u-1", "annotations": {"edge-dns/zones": '{"example.com": "z1"}'}},
    "spec": {"endpoints": [{"dnsName": A, "recordType": "A", "targets": ["8.8.8.8"], "recordTTL": 300.0}]},
}
EVERYTHING = export(
    resource(SET, "towonel.shop.web", remembered(A)),
    resource(CLOUDFLARE, f"z1/{A}", record()),
    resource(ROUTE53, "z2/b", {"zoneId": "z2", "name": "b", "type": "A", "aliases": [{"name": "x", "zoneId": "y"}]}),
    resource(f"{SET}$kubernetes:externaldns.k8s.io/v1alpha1:DNSEndpoint", "c1/shop/a", ENDPOINT),
    resource(INVITE, "shop/web", {"inviteId": "i", "generation": 1.0, "refused": [{"hostname": A}], "asked": [A]}),
    resource(f"{MADE}${CLOUDFLARE_TUNNEL}", "shop/web", {"id": "t", "accountId": "acc", "name": "shop.web"}),
    resource(f"{MADE}${CLOUDFLARE_TUNNEL_CONFIG}", "shop/web", {}),
    resource(MADE, "shop/web", {"memory": encode_rules(RULES)}),
    resource(PUBLISHER_REGISTER, "register", {"entries": ["a"], "before": ["b"]}),
    resource(
        f"{SERVICE_ROUTE}${HTTP_ROUTE}",
        "c1/docs/wiki",
        {
            "metadata": {"uid": "u"},
            "spec": {"hostnames": [A], "rules": [{"backendRefs": [{"port": 80.0}]}]},
        },
    ),
)
JUNK: list[Any] = [
    None,
    True,
    0,
    -1.5,
    float("nan"),
    10**400,
    "",
    "x",
    "a::b::c::d",
    "{",
    "[]",
    [],
    [None],
    {},
    {"": 5},
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to everything inside of a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, one in items for place in ((*path, key), *places(one, (*path, key)))]


def changed(document: Any, path: tuple[Any, ...], value: object) -> Any:
    """The document with another value at a path; it goes where the value is `...`."""
    made = deepcopy(document)
    at = made
    for key in path[:-1]:
        at = at[key]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return made


def test_whatever_is_broken_in_an_export_is_refused_or_read() -> None:
    assert memory_of_export(EVERYTHING, OWNER).services
    for path in places(EVERYTHING):
        for value in (*JUNK, ...):
            with suppress(ObservationFailed):
                memory_of_export(changed(EVERYTHING, path, value), OWNER)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        pytest.param(remembered(A)["memory"], decode_set, id="of a set"),
        pytest.param(encode_rules(RULES), decode_rules, id="of rules"),
    ],
)
def test_whatever_is_broken_in_a_memory_is_refused_or_read(text: str, read: Callable[[str], object]) -> None:
    document = json.loads(text)
    for path in places(document):
        for value in (*JUNK, ...):
            with suppress(ObservationFailed):
                read(json.dumps(changed(document, path, value)))
