"""The parsers of the hub's bodies: strict on shape, deaf to extra fields, one case for every name."""

import pytest

from edge_dns.hub import model

TENANT = "e262f17a153ece26a64bf9b076473d7fb26b74063e26db311053f25c6296eb65"
SUMMARY: dict[str, object] = {
    "invite_id": "xIFD3eORhcjA_UOTsKSBgA",
    "tenant_id": TENANT,
    "name": "net/app",
    "hostnames": ["Mixed.Case.Test", "*.net1.test"],
    "status": "pending",
    "expires_at_ms": None,
    "created_at_ms": 1796001417507,
    "region": "ca",
    "failover_regions": ["EU", "ca"],
    "owner_user_id": None,
    "owner_email": None,
}


def test_an_invite_is_parsed_with_lower_case_hostnames_and_upper_case_regions() -> None:
    invite = model.parse_invite({**SUMMARY, "of_a_later_version": {"x": 1}})
    assert invite.hostnames == frozenset({"mixed.case.test", "*.net1.test"})
    assert (invite.region, invite.failover_regions) == ("CA", ("EU", "CA"))
    assert (invite.expires_at_ms, invite.created_at_ms) == (None, 1796001417507)


@pytest.mark.parametrize("row", [{"region": None}, {"region": ""}, {}], ids=["null", "blank", "absent"])
def test_an_invite_without_region_acts_in_the_default_region(row: dict[str, object]) -> None:
    body = {key: value for key, value in SUMMARY.items() if key != "region"} | row
    invite = model.parse_invite(body)
    assert (invite.region, invite.effective_region) == (None, "EU")


@pytest.mark.parametrize(
    ("status", "revoked"), [("pending", False), ("claimed", False), ("revoked", True), ("suspended", False)]
)
def test_only_the_status_revoked_counts_as_revoked(status: str, revoked: bool) -> None:
    assert model.parse_invite({**SUMMARY, "status": status}).revoked is revoked


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"hostnames": "a.test"}, "hostnames should be a list"),
        ({"hostnames": ["a.test", 1]}, r"hostnames\[1\] should be a string"),
        ({"hostnames": None}, "hostnames should be a list"),
        ({"invite_id": ""}, "invite_id should not be empty"),
        ({"status": None}, "status should be a string"),
        ({"expires_at_ms": True}, "expires_at_ms should be an integer"),
        ({"created_at_ms": 1.5}, "created_at_ms should be an integer"),
        ({"region": 4}, "region should be a string"),
        ({"failover_regions": "EU"}, "failover_regions should be a list"),
    ],
)
def test_an_invite_of_the_wrong_shape_names_the_place(change: dict[str, object], place: str) -> None:
    with pytest.raises(model.ShapeError, match=place):
        model.parse_invite({**SUMMARY, **change})


@pytest.mark.parametrize("key", ["invite_id", "tenant_id", "name", "hostnames", "status"])
def test_what_decisions_rest_on_may_not_be_absent(key: str) -> None:
    body = {other: value for other, value in SUMMARY.items() if other != key}
    with pytest.raises(model.ShapeError, match=f"{key} is missing"):
        model.parse_invite(body)


@pytest.mark.parametrize(
    "body", [[SUMMARY], {"items": []}, {"invites": None}, {"invites": {}}, "invites", None], ids=str
)
def test_a_list_of_the_wrong_shape_is_never_an_empty_list(body: object) -> None:
    with pytest.raises(model.ShapeError):
        model.parse_invites(body)


def test_a_list_names_the_row_that_is_wrong() -> None:
    with pytest.raises(model.ShapeError, match=r"body\.invites\[1\]\.name should be a string"):
        model.parse_invites({"invites": [SUMMARY, {**SUMMARY, "name": 7}]})


def test_an_empty_list_is_a_list() -> None:
    assert model.parse_invites({"invites": []}) == ()


def test_a_created_invite_shows_neither_token_nor_tenant_in_its_repr() -> None:
    new = model.parse_new_invite(
        {"invite_id": "i", "tenant_id": TENANT, "token": "tt_inv_2_secret", "name": "n", "expires_at_ms": 5}
    )
    assert new.token == "tt_inv_2_secret"
    assert "tt_inv" not in repr(new)
    assert TENANT not in repr(new)
    assert TENANT not in repr(model.parse_invite(SUMMARY))


def test_regions_are_parsed_in_order_with_their_edges() -> None:
    regions = model.parse_regions(
        {
            "regions": [
                {"region": "eu", "role": "primary", "edges": [{"node_id": "n1", "public_ips": ["203.0.113.2"]}]},
                {"region": "CA", "role": "failover", "edges": []},
            ]
        }
    )
    assert [(r.region, r.role, [e.public_ips for e in r.edges]) for r in regions] == [
        ("EU", "primary", [("203.0.113.2",)]),
        ("CA", "failover", []),
    ]


@pytest.mark.parametrize(
    ("edge", "addresses"),
    [({}, ()), ({"edge": None}, ()), ({"edge": {"node_id": "n", "addresses": ["203.0.113.2"]}}, ("203.0.113.2",))],
    ids=["absent", "null", "known"],
)
def test_a_port_may_have_an_edge(edge: dict[str, object], addresses: tuple[str, ...]) -> None:
    port = model.parse_port({"port": 2222, "protocol": "tcp", "ip": None, "label": "l", "claimed_at_ms": 1, **edge})
    assert (port.port, port.ip, port.edge_addresses) == (2222, None, addresses)
