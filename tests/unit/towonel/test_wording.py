"""One wording for one thing: the plan and the provider plugin, which know nothing of each other, say the same."""

from typing import Any

import pytest

from edge_dns.core.hub_view import HELD_ELSEWHERE, HubInvite, held_by
from edge_dns.hub import Invite
from providers.towonel.invite import refusal_reason


@pytest.mark.parametrize("name", ["other/app", "net/app"])
@pytest.mark.parametrize("status", ["pending", "claimed"])
def test_who_holds_a_hostname(name: str, status: str) -> None:
    values: dict[str, Any] = {"invite_id": "i2", "name": name, "hostnames": frozenset({"a.x.test"}), "status": status}
    said = refusal_reason("a.x.test", "net/app", [Invite(tenant_id="t", **values)])
    assert held_by(HubInvite(**values), "net/app") == said


def test_that_somebody_unseen_holds_it() -> None:
    assert refusal_reason("a.x.test", "net/app", []) == HELD_ELSEWHERE
