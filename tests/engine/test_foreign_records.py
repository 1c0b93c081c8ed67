"""The watch over other people's records sees whatever happens to one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.conftest import CLOUDFLARE_ZONE, ROUTE53_ZONE, World, open_world


def _edit(world: World) -> None:
    zone = world.services.zone_ids[CLOUDFLARE_ZONE]
    world.services.cloudflare.edit_record(zone, world.foreign.at_cloudflare[-1]["id"], comment="ours now")


def _delete(world: World) -> None:
    zone = world.services.zone_ids[ROUTE53_ZONE]
    world.services.route53.delete_record(zone, name="mail.keep.example.org", record_type="AAAA")


def _overwrite(world: World) -> None:
    zone = world.services.zone_ids[ROUTE53_ZONE]
    world.services.route53.add_record(zone, name="pay.keep.example.org", record_type="A", values=["198.51.100.99"])


@pytest.mark.parametrize("touch", [_edit, _delete, _overwrite], ids=["edited", "deleted", "overwritten"])
def test_a_planted_record_that_changes_fails_the_test(tmp_path: Path, touch: Callable[[World], None]) -> None:
    opened = open_world(tmp_path)
    world = opened.__enter__()
    assert world.held() == set()
    touch(world)
    with pytest.raises(AssertionError, match=r"keep\.example"):
        opened.__exit__(None, None, None)
