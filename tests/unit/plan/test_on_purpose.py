"""Names that are left alone on purpose are told in one line; what changes or contradicts itself is told by itself."""

from typing import Any

import pytest

from edge_dns.core.on_purpose import is_left_alone, left_alone_line
from tests.unit.admission.objects import Object, gateway, route
from tests.unit.plan.test_release import BEGUN, COM, FIRST, ORG, STAY
from tests.unit.plan.test_release import plan_of as release_plan
from tests.unit.plan.world import FREE, Json, plan_of, run, settings_of, tunnel

A, B = "a.example.com", "b.example.com"
NONE = {"annotations": {"external-dns.alpha.kubernetes.io/controller": "none"}}
HIDDEN, SHOWN = route(hostnames=[A], metadata=NONE), route(hostnames=[A])
OFF = {"mode": "Disabled"}


def service(exposure: str, **more: Any) -> Json:
    return {"name": "wiki", "namespace": "docs", "hostnames": [A], "exposure": exposure, "cluster": "c1", **more}


def left_alone(*objects: Object, memory: object = None, **settings: Any) -> list[str]:
    found = plan_of(settings_of(safety=FREE, **settings), *objects, memory=memory)
    return [one.hostname for one in found.decisions if is_left_alone(one, found.basis.context)]


PUBLISHED = run(settings_of(tunnels=[tunnel(A, B)])).memory


@pytest.mark.parametrize(
    ("objects", "settings", "expected"),
    [
        pytest.param([gateway(), HIDDEN], {}, [A], id="a route opts out"),
        pytest.param([gateway(), SHOWN], {}, [], id="published"),
        pytest.param([gateway(), SHOWN], {"services": [service("internal")]}, [A], id="a service is internal"),
        pytest.param([], {"tunnels": [tunnel(A, dns=OFF)]}, [A], id="mode Disabled"),
        pytest.param([], {"tunnels": [tunnel("*.example.com")]}, ["*.example.com"], id="a wildcard that is left out"),
        pytest.param([], {"tunnels": [tunnel("a.example.test")]}, [], id="an error"),
        pytest.param([gateway(), route(hostnames=[A], parents=[])], {}, [], id="not accepted yet"),
        pytest.param([gateway(), HIDDEN], {"tunnels": [tunnel(A)]}, [], id="a tunnel names it"),
        pytest.param(
            [gateway(), HIDDEN],
            {"services": [service("public", gateway={"name": "front", "namespace": "edge"})]},
            [],
            id="a public service names it",
        ),
    ],
)
def test_a_name_is_left_alone_where_nobody_wants_it(objects: list[Object], settings: Json, expected: list[str]) -> None:
    assert left_alone(gateway(name="edge/other"), *objects, **settings) == expected


@pytest.mark.parametrize("settings", [{"tunnels": [tunnel(A, B, dns=OFF)]}, {"tunnels": [tunnel(B)]}])
def test_a_withdrawal_is_told_by_itself(settings: Json) -> None:
    assert left_alone(gateway(), HIDDEN, memory=PUBLISHED, **settings) == []


def test_a_release_is_told_until_it_is_done() -> None:
    listed: Any = {"release": [COM, {"zone": "Z2"}]}
    second = release_plan(COM, ORG, memory=BEGUN, **listed)
    done = release_plan(COM, ORG, memory=second.memory, **listed)
    assert [
        [one.hostname for one in plan.decisions if is_left_alone(one, plan.basis.context)]
        for plan in (FIRST, second, done)
    ] == [[], [], [COM, ORG]]
    assert STAY in {one.hostname for one in done.decisions}
    told = left_alone_line(one for one in done.decisions if one.refusal)
    assert told == f"left alone on purpose (stack output hostnames): release-listed: {COM}, {ORG}"


def test_nothing_is_told_of_no_name() -> None:
    assert left_alone_line([]) is None
