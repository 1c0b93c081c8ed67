"""What cannot be read stops the run: one message, and nothing changes anywhere, in preview and in update."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import deepcopy

import pytest
from _pytest.mark.structures import ParameterSet

from local.hub_emulator import EMPTY_404, HTML_200, INTERNAL_500, Drop, Fault, Reply, rate_limited
from local.hub_emulator.replies import error
from local.stack import Run
from tests.engine.conftest import World, open_world
from tests.engine.evidence import Holdings, assert_one_message, configure, publish, resources
from tests.fault_table import shows

UPDATE = ("--skip-preview",)
"""The update alone: its own reading must stop it, whatever a preview has seen."""


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Two tunnels and a Gateway, published; no test of this module changes them."""
    with open_world(tmp_path_factory.mktemp("published")) as world:
        publish(world)
        yield world


@contextmanager
def unchanged(world: World) -> Iterator[None]:
    """Nothing at the providers, on the hub or in the state is different afterwards, and nobody was asked to write."""
    before, state, writes = Holdings.of(world), resources(world), world.services.write_count
    yield
    assert Holdings.of(world) == before
    assert resources(world) == state
    assert world.services.write_count == writes


def runs(world: World) -> Iterator[Run]:
    yield world.stack.preview()
    yield world.stack.up(*UPDATE)


def param(what: str, name: str, rule: str, told: Sequence[str]) -> ParameterSet:
    """A row of the fault table, and a test for it."""
    return pytest.param(name, marks=shows("up read", f"{what}: {name}", sees=f"{rule}: …{told[0]}"), id=name)


@contextmanager
def hub_answers(world: World, outcome: Reply | Drop) -> Iterator[None]:
    world.services.hub.inject(Fault(outcome=outcome, times=None))
    yield
    world.services.hub.clear_faults()


@contextmanager
def hub_down(world: World) -> Iterator[None]:
    world.services.hub.stop()
    yield
    world.services.hub.start()


@contextmanager
def empty_account(world: World) -> Iterator[None]:
    """An empty list and a 404 for each invite."""
    hub = world.services.hub
    hub.settings.list_content = "empty"
    hub.inject(Fault(path="/v1/invites/*", outcome=error(404, "not_found", "invite does not exist"), times=None))
    yield
    hub.clear_faults()
    hub.settings.list_content = "normal"


@contextmanager
def api_key(world: World, key: str) -> Iterator[None]:
    configure(world, hub={**world.services.hub_settings, "apiKey": key})
    yield
    configure(world)


def other_account(world: World) -> AbstractContextManager[None]:
    return api_key(world, world.services.hub.add_user("somebody@example.test").key)


HUB_FAULTS: Mapping[str, tuple[Callable[[World], AbstractContextManager[None]], str, tuple[str, ...]]] = {
    "down": (hub_down, "observation-failed", ("no connection to http://127.0.0.1", "check the hub's url")),
    "dropping connections": (lambda w: hub_answers(w, Drop()), "observation-failed", ("check the hub's url",)),
    "answering 500": (
        lambda w: hub_answers(w, INTERNAL_500),
        "observation-failed",
        ("answered 500", "look at the hub's log, then run again"),
    ),
    "answering 429 for ever": (
        lambda w: hub_answers(w, rate_limited(3600)),
        "observation-failed",
        ("answered 429", "Run again later, or raise the hub's rate limit"),
    ),
    "answering HTML": (
        lambda w: hub_answers(w, HTML_200),
        "observation-failed",
        ("not JSON", "check the hub's url and what stands in front of it"),
    ),
    "answering an empty 404": (
        lambda w: hub_answers(w, EMPTY_404),
        "observation-failed",
        ("an empty body", "check the hub's url and what stands in front of it"),
    ),
    "showing no invite": (
        empty_account,
        "hub-account",
        ("team/app, team/shop", "edge-dns:hub.apiKey", "safety.acknowledge.count to 3"),
    ),
    "asked with the key of another account": (
        other_account,
        "hub-account",
        ("team/app, team/shop", "edge-dns:hub.apiKey", "safety.acknowledge.count to 3"),
    ),
    "asked with a key that it does not know": (
        lambda w: api_key(w, "k" * 43),
        "hub-account",
        ("answered 401", "check the hub's apiKey"),
    ),
}


@pytest.mark.parametrize("fault", [param("the hub", name, rule, told) for name, (_, rule, told) in HUB_FAULTS.items()])
def test_a_hub_that_cannot_be_read_stops_preview_and_update(published: World, fault: str) -> None:
    setting, rule, parts = HUB_FAULTS[fault]
    with unchanged(published), setting(published):
        for run in runs(published):
            assert_one_message(run, rule, *parts)


@shows("up read", "the hub: slower than the time limit", sees="observation-failed: …no answer from http://127.0.0.1")
def test_a_hub_slower_than_the_time_limit_stops_the_run(published: World) -> None:
    hub = published.services.hub
    with unchanged(published):
        hub.inject(Fault(path="/v1/invites", delay_seconds=60, times=None))
        run = published.stack.up()
        hub.clear_faults()
        assert_one_message(run, "observation-failed", "no answer from http://127.0.0.1", "within 20 s", "run again")


@shows("up read", "the hub: 429 with Retry-After three times, then 500 twice", runs="0")
def test_a_hub_that_recovers_within_the_retries_stops_nothing(published: World) -> None:
    hub = published.services.hub
    with unchanged(published):
        hub.inject(Fault(outcome=rate_limited(1), times=3))
        hub.inject(Fault(outcome=INTERNAL_500, times=2))
        published.up(*UPDATE)
    assert hub.count("GET", "/v1/invites") > 0


def namespace_missing(world: World) -> str:
    """A listener that admits by label, and no Namespace to look the label up."""
    objects = deepcopy(world.gateways.objects)
    objects["Gateway", "front"]["spec"] = {
        "gatewayClassName": "edge",
        "listeners": [
            {
                "name": "web",
                "port": 443,
                "protocol": "HTTPS",
                "allowedRoutes": {
                    "namespaces": {"from": "Selector", "selector": {"matchLabels": {"team": "edge"}}},
                },
            }
        ],
    }
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects.values())})


def nothing_listed(_: World) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": []})


def cut_off(world: World) -> str:
    text = world.gateways.path.read_text()
    return text[: len(text) // 2]


FILES: Mapping[str, tuple[Callable[[World], str], str, tuple[str, ...]]] = {
    "empty": (lambda _: "", "observation-failed", ("gateways.json",)),
    "cut off": (cut_off, "observation-failed", ("gateways.json", "not YAML or JSON", "write it anew")),
    "no Kubernetes objects": (lambda _: '{"error": "forbidden"}', "observation-failed", ("gateways.json",)),
    "without the Namespace that a listener selects by label": (
        namespace_missing,
        "observation-failed",
        ("Namespace edge was not read", "Gateway edge/front listener web", "read Namespaces together with"),
    ),
    "listing nothing": (nothing_listed, "empty-desired", ("cluster prod lists no Gateway", "safety.acknowledge")),
}


@pytest.mark.parametrize(
    "form", [param("the gateway file", name, rule, told) for name, (_, rule, told) in FILES.items()]
)
def test_a_gateway_file_that_cannot_be_read_stops_preview_and_update(published: World, form: str) -> None:
    text, rule, parts = FILES[form]
    with unchanged(published):
        published.gateways.path.write_text(text(published))
        for run in runs(published):
            assert_one_message(run, rule, *parts)
        published.gateways.write()


@shows("F2", "the Gateways cannot be read: nothing is deleted", sees="observation-failed: ")
@shows("up read", "the gateway file: missing", sees="observation-failed: …No such file")
def test_a_gateway_file_that_is_missing_stops_preview_and_update(published: World) -> None:
    with unchanged(published):
        published.gateways.path.unlink()
        for run in runs(published):
            assert_one_message(run, "observation-failed", "gateways.json", "No such file", "check 'files'")
        published.gateways.write()
