"""The memory that the resources of the stack's own last state hold."""

from dataclasses import replace
from typing import Any

import pytest

from edge_dns.core.cloudflare_view import IngressRule, unknown_target
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.memory import (
    CloudflareTunnelMemory,
    FixedOnHub,
    InviteMemory,
    Memory,
    RegisterMemory,
    RulesMemory,
    SetMemory,
    decode_set,
    encode_rules,
    encode_set,
)
from edge_dns.core.resource_types import CLOUDFLARE_TUNNEL, CLOUDFLARE_TUNNEL_CONFIG
from edge_dns.core.values import Alias, RRset, SlotRecord, Source
from edge_dns.observe.own_state import endpoints_of, import_ids_of, memory_of

A = "a.example.com"
TUNNEL = Source(cluster=None, kind="TowonelTunnel", namespace="shop", name="web")
CLOUDFLARE = "edge:dns:EndpointRecordSet$cloudflare:index/dnsRecord:DnsRecord"
ROUTE53 = "edge:dns:EndpointRecordSet$aws:route53/record:Record"
SET = "edge:dns:EndpointRecordSet"
INVITE = "edge:dns:TowonelTunnel$towonel:index:Invite"


def urn(kind: str, name: str) -> str:
    return f"urn:pulumi:dev::edge-dns::{kind}::{name}"


def rrset(name: str = A, value: str = "edge-eu.example.net") -> RRset:
    return RRset(zone_id="z1", name=name, type="CNAME", values=(value,), ttl=1, proxied=False)


def record(name: str = A, value: str = "edge-eu.example.net", **more: Any) -> dict[str, object]:
    return {"zoneId": "z1", "name": name, "type": "CNAME", "content": value, "ttl": 1.0, "proxied": False, **more}


def remembered(*hostnames: str, slot: str = "") -> dict[str, object]:
    """The outputs of a set that remembers these hostnames, each in its plain slot unless said otherwise."""
    published = {name: (SlotRecord(slot=f"z1/{name}{slot}", rrset=rrset(name)),) for name in hostnames}
    return {"version": 1, "memory": encode_set(SetMemory(source=TUNNEL, published=published))}


def test_a_state_without_resources_of_ours_is_the_memory_of_nothing() -> None:
    assert memory_of({urn("pulumi:pulumi:Stack", "edge-dns-dev"): {}}) == Memory()


def test_the_uids_of_dnsendpoints_are_known_by_their_names() -> None:
    kind = "edge:dns:EndpointRecordSet$kubernetes:externaldns.k8s.io/v1alpha1:DNSEndpoint"
    found: dict[str, dict[str, object]] = {
        urn(kind, "c1/shop/a"): {"metadata": {"uid": "u-1", "name": "a"}},
        urn(kind, "c1/shop/b"): {"metadata": {}},
        urn(CLOUDFLARE, f"z1/{A}"): record(),
    }
    assert endpoints_of(found) == {"c1/shop/a": "u-1", "c1/shop/b": ""}


def test_a_set_remembers_what_it_declared() -> None:
    memory = memory_of({urn(SET, "towonel.shop.web"): remembered(A), urn(CLOUDFLARE, f"z1/{A}"): record()})
    expected = {A: (SlotRecord(slot=f"z1/{A}", rrset=rrset()),)}
    assert memory.sets == {"towonel.shop.web": SetMemory(source=TUNNEL, published=expected)}
    assert memory.slots == {f"z1/{A}": rrset()}


FORMER, THEIRS = (f"edge-dns/1 edge-dns/{stack} TowonelTunnel/shop/web" for stack in ("old", "other"))


@pytest.mark.parametrize(
    ("comment", "mark", "told", "owners"),
    [
        pytest.param(
            FORMER, FORMER, (), ("edge-dns/old",), id="a set of an earlier version, the stack has another name"
        ),
        pytest.param(FORMER, THEIRS, (), (), id="a set of an earlier version, another stack wrote a marker"),
        pytest.param("", "v=spf1 -all", (), (), id="a set of an earlier version, no marker is left"),
        pytest.param(FORMER, FORMER, ("edge-dns/dev",), ("edge-dns/dev",), id="a set that tells"),
    ],
)
def test_who_the_markers_name_stands_for_the_stack_where_no_set_tells(
    comment: str, mark: str, told: tuple[str, ...], owners: tuple[str, ...]
) -> None:
    txt: dict[str, object] = {
        "zoneId": "z2",
        "name": "_edge-dns.a.example.org",
        "type": "TXT",
        "ttl": 300.0,
        "records": [mark],
    }
    state: dict[str, dict[str, object]] = {
        urn(SET, "towonel.shop.web"): {"memory": encode_set(SetMemory(source=TUNNEL, owners=told))},
        urn(CLOUDFLARE, f"z1/{A}"): record(comment=comment),
        urn(ROUTE53, "z2/_edge-dns.a.example.org"): txt,
    }
    assert memory_of(state).sets["towonel.shop.web"].owners == owners


def test_a_cloudflare_tunnel_is_remembered_with_the_rules_that_it_declared() -> None:
    made, tunnel_id = "edge:dns:CloudflareTunnel", "9f0c1b1e-5a0d-4c8a-9d0e-2f6f0d3f7a11"
    target = f"{tunnel_id}.cfargotunnel.com"
    ours = IngressRule(hostname=A, service="http://a"), IngressRule(hostname="", service="http_status:404")
    rules = RulesMemory(declared=ours, former=(IngressRule(hostname=A, service="http://old"),))
    published = {A: (SlotRecord(slot=f"z1/{A}", rrset=rrset(value=unknown_target("shop/web"))),)}
    source = replace(TUNNEL, kind="CloudflareTunnel")
    memory = memory_of(
        {
            urn(f"{made}${CLOUDFLARE_TUNNEL}", "shop/web"): {"id": tunnel_id, "accountId": "acc", "name": "shop.web"},
            urn(made, "shop/web"): {"memory": encode_rules(rules)},
            # As after a refresh: somebody else has written it.
            urn(f"{made}${CLOUDFLARE_TUNNEL_CONFIG}", "shop/web"): {
                "config": {"ingresses": [{"hostname": A, "service": "http://theirs"}, {"service": "http_status:404"}]}
            },
            urn(SET, "cloudflare.shop.web"): {
                "version": 1,
                "memory": encode_set(SetMemory(source=source, published=published)),
            },
            urn(CLOUDFLARE, f"z1/{A}"): record(value=target),
        }
    )
    assert memory.tunnels == {
        "shop/web": CloudflareTunnelMemory(account_id="acc", tunnel_id=tunnel_id, name="shop.web", rules=rules)
    }
    assert memory.sets["cloudflare.shop.web"].published == {A: (SlotRecord(slot=f"z1/{A}", rrset=rrset(value=target)),)}


def test_rules_whose_list_was_never_written_are_not_those_of_the_tunnel() -> None:
    made, memory = (
        "edge:dns:CloudflareTunnel",
        encode_rules(RulesMemory(declared=(IngressRule(hostname=A, service="x"),))),
    )
    tunnel = {"id": "1", "accountId": "acc", "name": "shop.web"}
    found = memory_of({urn(made, "w"): {"memory": memory}, urn(f"{made}${CLOUDFLARE_TUNNEL}", "w"): tunnel})
    assert found.tunnels["w"].rules == RulesMemory()


def test_a_broken_ingress_rule_in_the_memory_is_no_missing_one() -> None:
    made, broken = "edge:dns:CloudflareTunnel", '{"version": 1, "declared": [{"hostname": "a.example.com"}]}'
    with pytest.raises(ObservationFailed, match="service"):
        memory_of({urn(made, "w"): {"memory": broken}, urn(f"{made}${CLOUDFLARE_TUNNEL_CONFIG}", "w"): {}})


def test_half_of_a_surrogate_pair_in_a_memory_is_read_as_go_reads_it() -> None:
    text = encode_set(SetMemory(source=replace(TUNNEL, name="half")))
    assert decode_set(text.replace("half", "\\ud800")).source.name == "\ufffd"


def test_a_name_counts_as_published_only_where_its_record_exists() -> None:
    memory = memory_of(
        {urn(SET, "towonel.shop.web"): remembered(A, "b.example.com"), urn(CLOUDFLARE, f"z1/{A}"): record()}
    )
    assert list(memory.sets["towonel.shop.web"].published) == [A]


def test_a_name_that_was_about_to_be_renamed_is_still_in_its_old_slot() -> None:
    old = f"z1/{A}#0123456789"
    memory = memory_of({urn(SET, "towonel.shop.web"): remembered(A), urn(CLOUDFLARE, old): record()})
    assert memory.sets["towonel.shop.web"].published == {A: (SlotRecord(slot=old, rrset=rrset()),)}


def test_a_record_that_no_set_remembers_keeps_its_slot() -> None:
    memory = memory_of(
        {urn(SET, "towonel.shop.web"): remembered(A), urn(CLOUDFLARE, "z1/b.example.com"): record("b.example.com")}
    )
    assert memory.sets["towonel.shop.web"].published == {}
    assert list(memory.slots) == ["z1/b.example.com"]


def test_a_set_without_memory_has_not_been_declared_to_its_end() -> None:
    assert memory_of({urn(SET, "towonel.shop.web"): {}}).sets == {}


def test_records_of_route_53_are_read_as_whole_sets_and_aliases() -> None:
    plain = {
        "zoneId": "Z2",
        "name": "a.example.org",
        "type": "A",
        "records": ["198.51.100.7", "198.51.100.8"],
        "ttl": 300.0,
    }
    target = {"name": "dualstack.front.example.net.", "zoneId": "Z9", "evaluateTargetHealth": True}
    alias = {"zoneId": "Z2", "name": "b.example.org", "type": "AAAA", "aliases": [target]}
    memory = memory_of({urn(ROUTE53, "Z2/a.example.org"): plain, urn(ROUTE53, "Z2/b.example.org"): alias})
    values = ("198.51.100.7", "198.51.100.8")
    assert memory.slots["Z2/a.example.org"] == RRset(
        zone_id="Z2", name="a.example.org", type="A", values=values, ttl=300
    )
    found = memory.slots["Z2/b.example.org"]
    assert (found.values, found.ttl, found.proxied) == ((), None, None)
    assert found.alias == Alias(name="dualstack.front.example.net.", zone_id="Z9", evaluate_target_health=True)


def test_markers_and_resources_of_others_are_no_records() -> None:
    marker = {"zoneId": "Z2", "name": "_edge-dns.a.example.org", "type": "TXT", "records": ["edge-dns/1"]}
    other = urn("random:index/randomId:RandomId", "z1/a.example.com")
    assert memory_of({urn(ROUTE53, "Z2/a.example.org!marker"): marker, other: record()}).slots == {}


def test_records_and_markers_are_owned_under_the_ids_that_the_providers_know_them_by() -> None:
    marker = {"zoneId": "Z2", "name": "_edge-dns.a.example.org", "type": "TXT", "records": ["edge-dns/1"]}
    wildcard = {"zoneId": "Z2", "name": "*.example.org", "type": "A", "id": "not what identifies it"}
    assert import_ids_of(
        {
            urn(CLOUDFLARE, f"z1/{A}"): record(id="r1"),
            urn(ROUTE53, "Z2/_edge-dns.a.example.org"): marker,
            urn(ROUTE53, "Z2/*.example.org"): wildcard,
            urn("random:index/randomId:RandomId", "z1/b.example.com"): record(id="r2"),
        }
    ) == {
        f"z1/{A}": "z1/r1",
        "Z2/_edge-dns.a.example.org": "Z2__edge-dns.a.example.org_TXT",
        "Z2/*.example.org": "Z2_*.example.org_A",
    }


def test_a_cloudflare_record_without_its_id_is_not_taken_for_somebody_elses() -> None:
    with pytest.raises(ObservationFailed, match="without id"):
        import_ids_of({urn(CLOUDFLARE, f"z1/{A}"): record()})


def test_an_invite_is_remembered_with_what_it_was_made_with() -> None:
    outputs = {
        "inviteId": "inv-1",
        "generation": 3.0,
        "requestedRegion": "US",
        "region": "EU",
        "failoverRegions": ["EU"],
        "expiresInSecs": 60.0,
        "refused": [{"hostname": A, "rule": "host-taken", "reason": "taken"}],
        "token": "never read",
    }
    memory = memory_of({urn(INVITE, "shop/web"): outputs})
    fixed = FixedOnHub(region="US", failover_regions=("EU",), expires_in_secs=60)
    assert memory.invites == {"shop/web": InviteMemory(invite_id="inv-1", generation=3, fixed=fixed, refused=(A,))}
    assert "never read" not in repr(memory)


def test_an_invite_that_the_hub_never_issued_has_no_id() -> None:
    outputs: dict[str, object] = {"inviteId": None, "generation": 1.0, "refused": []}
    (found,) = memory_of({urn(INVITE, "shop/web"): outputs}).invites.values()
    assert found == InviteMemory(invite_id="", generation=1, fixed=FixedOnHub())


@pytest.mark.parametrize(
    ("kind", "outputs"),
    [
        pytest.param(SET, {"memory": 1}, id="memory that is no text"),
        pytest.param(SET, {"memory": "{"}, id="memory that is no JSON"),
        pytest.param(SET, {"memory": "[]"}, id="memory that is no object"),
        pytest.param(SET, {"memory": '{"version": 2}'}, id="memory of another version"),
        pytest.param(SET, {"memory": '{"version": 1}'}, id="memory without its source"),
        pytest.param(CLOUDFLARE, record(zoneId=None), id="a record without its zone"),
        pytest.param(ROUTE53, {"zoneId": "Z2", "type": "A", "records": []}, id="a record without its name"),
    ],
)
def test_a_broken_state_is_never_no_memory(kind: str, outputs: dict[str, object]) -> None:
    with pytest.raises(ObservationFailed):
        memory_of({urn(kind, "x"): outputs})


REGISTER = urn("edge:dns:PublisherRegister", "register")


def test_the_register_of_publishers_is_remembered() -> None:
    assert memory_of({}).register is None
    entries = ["HTTPRoute *:a/b"]
    assert memory_of({REGISTER: {"entries": entries}}).register == RegisterMemory(entries=tuple(entries))
    shrunk = memory_of({REGISTER: {"entries": [], "before": entries}}).register
    assert shrunk == RegisterMemory(entries=(), before=tuple(entries))


def test_a_register_without_its_entries_is_broken_and_not_empty() -> None:
    with pytest.raises(ObservationFailed, match="register of publishers"):
        memory_of({REGISTER: {"before": []}})
