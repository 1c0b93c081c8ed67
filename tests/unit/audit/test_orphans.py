"""What the report on orphans lists and proposes, by what is known of the targets."""

from collections.abc import Collection, Iterable

import pytest

from edge_dns.core.cloudflare_view import AccountTunnels, LiveTunnel
from edge_dns.core.import_file import StackResources, import_file
from edge_dns.core.live import LiveRecord
from edge_dns.core.orphans import Evidence, OrphanReport, report, targets, tunnel_evidence
from edge_dns.core.values import RRset
from tests.unit.audit.zones import EDGE, GONE, cf, mark, r53, swept

SET, TUNNEL = "edge:dns:EndpointRecordSet", "edge:dns:TowonelTunnel"
UNKNOWN = ("ill.example.net", "t-1.cfargotunnel.com")
CF, R53 = "cloudflare:index/dnsRecord:DnsRecord", "aws:route53/record:Record"


def resources(*urns: str, providers: Iterable[str] = ()) -> StackResources:
    return StackResources(
        project="edge-dns",
        stack="prod",
        urns=frozenset(urns),
        providers={zone: f"urn:provider:{zone}" for zone in providers},
        clusters={"c1": "urn:provider:c1"},
        hub="urn:hub",
        versions={"cloudflare": "6.1.0", "aws": "7.1.0"},
    )


def reported(
    *records: LiveRecord,
    every: bool = False,
    into: StackResources | None = None,
    dead: str = "",
    unknown: Collection[str] = (),
) -> OrphanReport:
    """The report where the targets exist, but for `dead`, which is NXDOMAIN, and those that are `unknown`."""
    found = swept(*records)
    evidence = {
        name: Evidence(liveness="nxdomain" if name == dead else "unknown" if name in unknown else "exists", told=())
        for name in targets(found)
    }
    return report(found, evidence, into or resources(), every=every)


def proposed(found: OrphanReport) -> set[str]:
    return {one.record.import_id for one in found.proposed}


def test_f5_only_a_marked_record_with_an_nxdomain_target_is_proposed() -> None:
    records = [
        cf("dead.example.com", "dead.example.net"),
        cf("ill.example.com", "ill.example.net"),
        cf("alive.example.com", "alive.example.net"),
        cf("foreign.example.com", "dead.example.net", comment="", record_id="foreign"),
        cf("tunnel.example.com", "t-1.cfargotunnel.com"),
    ]
    found = reported(*records, dead="dead.example.net", unknown=UNKNOWN)
    assert proposed(found) == {"z1/dead.example.net"}
    assert {one.record.hostname for one in found.orphans} == {
        "dead.example.com",
        "ill.example.com",
        "alive.example.com",
        "tunnel.example.com",
    }
    everything = reported(*records, every=True, dead="dead.example.net", unknown=UNKNOWN)
    assert proposed(everything) == {record.import_id for record in records} - {"z1/foreign"}


def test_the_list_of_its_account_says_whether_a_tunnel_is_gone() -> None:
    def account(*tunnels: tuple[str, bool]) -> AccountTunnels:
        return AccountTunnels(by_id={one: LiveTunnel(tunnel_id=one, name=one, deleted=gone) for one, gone in tunnels})

    names = [f"{one}.cfargotunnel.com" for one in ("live", "gone", "other")] + ["edge.example.net"]
    accounts = {"a": account(("live", False)), "b": account(("gone", True))}
    evidence = tunnel_evidence(names, accounts, {"c": "account c cannot be read"})
    assert {name.partition(".")[0]: (one.liveness, one.told) for name, one in evidence.items()} == {
        "live": ("exists", ("Cloudflare account a lists it as live",)),
        "gone": ("deleted", ("Cloudflare account b lists it as deleted",)),
        "other": (
            "unknown",
            (
                "Cloudflare account a does not list it",
                "Cloudflare account b does not list it",
                "account c cannot be read",
            ),
        ),
    }
    assert tunnel_evidence(["t-1.cfargotunnel.com"], {}, {})["t-1.cfargotunnel.com"].liveness == "unknown"


def test_a_marked_record_of_a_deleted_tunnel_is_proposed_and_one_of_the_state_is_dangling() -> None:
    name = "t-1.cfargotunnel.com"
    slots = {"z1/b.example.com": RRset(zone_id="z1", name="b.example.com", type="CNAME", values=(name,), ttl=1)}
    evidence = {name: Evidence(liveness="deleted", told=())}
    found = report(swept(cf("a.example.com", name), slots=slots, tunnels=[]), evidence, resources(), every=False)
    assert [one.hostname for one in found.proposed] == ["a.example.com"]
    assert [one.record.hostname for one in found.dangling] == ["b.example.com"]


def test_f6_what_is_wanted_is_listed_as_such_and_proposed_only_with_all() -> None:
    record = cf("a.example.com", EDGE)
    found = reported(record, dead=EDGE)
    assert [(one.record.standing, one.proposed) for one in found.orphans] == [("wanted", False)]
    assert found.proposed_invites == ()
    everything = reported(record, every=True, dead=EDGE)
    assert proposed(everything) == {record.import_id}
    assert [one.invite_id for one in everything.proposed_invites] == ["inv-1"]


MARKERS = [
    pytest.param([r53("x.example.org", GONE)], {"Z2_x.example.org_CNAME", "Z2__edge-dns.x.example.org_TXT"}, id="dead"),
    pytest.param([r53("x.example.org", "alive.example.net")], set(), id="alive"),
    pytest.param([], set(), id="nothing left"),
    pytest.param([r53("x.example.org", "198.51.100.7", kind="A")], set(), id="an address"),
]


@pytest.mark.parametrize(("records", "expected"), MARKERS)
def test_a_marker_goes_with_the_last_record_of_its_name(records: list[LiveRecord], expected: set[str]) -> None:
    assert proposed(reported(*records, mark("x.example.org"), dead=GONE)) == expected


def test_a_record_of_the_state_with_an_nxdomain_target_is_dangling() -> None:
    slots = {
        f"z1/{name}.example.com": RRset(
            zone_id="z1", name=f"{name}.example.com", type="CNAME", values=(f"{name}.example.net",), ttl=1
        )
        for name in ("gone", "ill", "alive")
    }
    found = swept(slots=slots, tunnels=[])
    evidence = {name: Evidence(liveness="exists", told=()) for name in targets(found)} | {
        "gone.example.net": Evidence(liveness="nxdomain", told=("ns1: NXDOMAIN", "ns2: NXDOMAIN")),
        "ill.example.net": Evidence(liveness="unknown", told=("ns1 answers SERVFAIL",)),
    }
    told = report(found, evidence, resources(), every=False)
    assert [one.record.hostname for one in told.dangling] == ["gone.example.com"]
    assert (told.found, told.proposed) == (True, ())
    assert not report(swept(tunnels=[]), {}, resources(), every=True).found


def test_a_record_whose_provider_the_state_lacks_is_left_out_and_told() -> None:
    record = cf("x.example.com", GONE)
    found = reported(record, dead=GONE, into=resources(providers=["z1"]))
    assert [(one.proposed, one.lacks_provider) for one in found.orphans] == [(False, True)]
    there = reported(record, dead=GONE, into=resources("urn:provider:z1", providers=["z1"]))
    assert [(one.proposed, one.lacks_provider) for one in there.orphans] == [(True, False)]


def test_an_import_into_an_empty_state_makes_the_components_and_uses_the_default_providers() -> None:
    found = reported(
        cf("a.example.com", EDGE),
        cf("x.example.com", GONE),
        r53("x.example.org", GONE),
        mark("x.example.org"),
        every=True,
    )
    document = import_file(found.proposed, found.proposed_invites, found.proposed_objects, resources())
    assert document == {
        "nameTable": {},
        "resources": [
            *(
                {"type": kind, "name": f"{kind}::{name}", "logicalName": name, "component": True}
                for kind, name in ((SET, "towonel.shop.web"), (SET, "unremembered"), (TUNNEL, "shop/web"))
            ),
            *(
                {"type": kind, "name": slot, "id": import_id, "parent": f"{SET}::{parent}", "version": version}
                for kind, version, slot, import_id, parent in (
                    (CF, "6.1.0", "z1/a.example.com", f"z1/{EDGE}", "towonel.shop.web"),
                    (CF, "6.1.0", "z1/x.example.com", f"z1/{GONE}", "unremembered"),
                    (R53, "7.1.0", "Z2/x.example.org", "Z2_x.example.org_CNAME", "unremembered"),
                    (R53, "7.1.0", "Z2/_edge-dns.x.example.org", "Z2__edge-dns.x.example.org_TXT", "unremembered"),
                )
            ),
            {"type": "towonel:index:Invite", "name": "shop/web", "id": "inv-1", "parent": f"{TUNNEL}::shop/web"},
        ],
    }


def test_an_import_refers_to_what_the_state_holds() -> None:
    component, tunnel = (
        f"urn:pulumi:prod::edge-dns::{kind}" for kind in (f"{SET}::towonel.shop.web", f"{TUNNEL}::shop/web")
    )
    into = resources(component, tunnel, "urn:provider:z1", "urn:hub", providers=["z1"])
    found = reported(cf("a.example.com", EDGE), every=True, into=into)
    document = import_file(found.proposed, found.proposed_invites, found.proposed_objects, into)
    assert document == {
        "nameTable": {
            f"{SET}::towonel.shop.web": component,
            "urn:provider:z1": "urn:provider:z1",
            f"{TUNNEL}::shop/web": tunnel,
            "urn:hub": "urn:hub",
        },
        "resources": [
            {
                "type": CF,
                "name": "z1/a.example.com",
                "id": f"z1/{EDGE}",
                "parent": f"{SET}::towonel.shop.web",
                "provider": "urn:provider:z1",
            },
            {
                "type": "towonel:index:Invite",
                "name": "shop/web",
                "id": "inv-1",
                "parent": f"{TUNNEL}::shop/web",
                "provider": "urn:hub",
            },
        ],
    }
