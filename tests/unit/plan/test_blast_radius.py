"""What goes of a name that turns internal: our records, those of external-dns with its registry; what answers then."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.blast_radius import what_answers
from edge_dns.core.decision import Decision
from edge_dns.core.gateway_objects import parse_objects
from edge_dns.core.live import Live, LiveRecord, LiveZone, cloudflare_record, route53_record
from edge_dns.core.memory import Memory, decode
from edge_dns.core.outputs import hostnames_output
from edge_dns.core.plan import Observed, make_plan
from edge_dns.core.plan_json import reason
from edge_dns.core.settings import load_settings
from edge_dns.core.zones import ZoneIndex
from tests.unit.admission.objects import Object, gateway, route
from tests.unit.plan.world import CLOUDFLARE, FREE, ROUTE53, run

NAME, OTHER = "media.example.com", "media.example.org"
HIDDEN = {"annotations": {"external-dns.alpha.kubernetes.io/controller": "none"}}
PRIVATE = {"domain": "example.com", "provider": "route53", "zoneId": "Z9", "visibility": "private"}
HERITAGE = "heritage=external-dns,external-dns/owner={},external-dns/resource=httproute/team/cart"


def cf(name: str, kind: str, content: str) -> LiveRecord:
    """A record of zone example.com."""
    return cloudflare_record(
        "z1", {"id": f"{kind}-{name}-{content}", "name": name, "type": kind, "content": content, "ttl": 1}
    )


def r53(name: str, kind: str, *values: str, zone: str = "Z2", alias: str = "") -> LiveRecord:
    target = {"dnsName": alias, "hostedZoneId": "Z0", "evaluateTargetHealth": False} if alias else None
    found = [{"value": value} for value in values]
    answer = {"name": name, "type": kind, "ttl": 300, "resourceRecords": found, "aliasTarget": target}
    return route53_record(zone, answer)


def owned(name: str, owner: str = "prod") -> LiveRecord:
    """An entry of the registry at Cloudflare."""
    return cf(name, "TXT", f'"{HERITAGE.format(owner)}"')


def objects(*hostnames: str, hidden: bool = True) -> list[Object]:
    return [
        gateway(addresses=[{"type": "IPAddress", "value": "203.0.113.7"}]),
        route(hostnames=hostnames, metadata=HIDDEN if hidden else None),
    ]


def settings(zones: Iterable[Mapping[str, Any]] = (CLOUDFLARE, ROUTE53)) -> dict[str, Any]:
    return {"clusters": [{"name": "c1"}], "zones": list(zones), "safety": FREE}


def decided(
    *records: LiveRecord,
    hostname: str = NAME,
    published: bool = True,
    zones: Iterable[Mapping[str, Any]] = (CLOUDFLARE, ROUTE53),
    state: Mapping[str, str] | None = None,
    **more: Any,
) -> Decision:
    """The decision on a hostname whose route opts out, with these live records; our own one is among them."""
    memory = run(settings(zones), *objects(hostname, hidden=False)).memory if published else None
    by_zone: dict[str, list[LiveRecord]] = {str(zone["zoneId"]): [] for zone in zones}
    for one in records:
        by_zone[one.import_id.replace("/", "_").partition("_")[0]].append(one)
    domains = {str(zone["zoneId"]): str(zone["domain"]) for zone in zones}
    live = Live(
        owner="edge-dns/test",
        announced=None,
        import_ids=state or {},
        zones={key: LiveZone.of(domains[key], found) for key, found in by_zone.items()},
    )
    loaded = load_settings({**settings(zones), **more})
    observed = Observed(clusters={"c1": parse_objects(objects(hostname))}, live=live)
    plan = make_plan(loaded, observed, decode(memory) if memory else Memory())
    (found,) = (one for one in plan.decisions if one.hostname == hostname)
    return found


OURS = cf(NAME, "A", "203.0.113.7")
STATE = {f"z1/{NAME}": OURS.import_id}


def test_our_record_goes_in_this_run_and_without_a_fallback_nothing_answers() -> None:
    found = decided(OURS, state=STATE)
    assert found.blast_radius
    assert found.blast_radius.lines == (
        "this run deletes A 203.0.113.7 (ttl auto)",
        "afterwards: NXDOMAIN; no wildcard, no private zone and no internal resolver stands in",
    )
    assert reason(found).endswith("; ".join(found.blast_radius.lines))
    entry: Any = hostnames_output([found], ZoneIndex.of([]))[NAME]
    assert entry["blastRadius"] == {
        "own": ["A 203.0.113.7 (ttl auto)"],
        "marker": None,
        "externalDns": [],
        "afterwards": "NXDOMAIN; no wildcard, no private zone and no internal resolver stands in",
    }


@pytest.mark.parametrize("published", [True, False])
def test_what_external_dns_owns_is_told_with_owner_and_registry_and_is_not_ours(published: bool) -> None:
    theirs = [cf(NAME, "A", "192.168.10.20"), cf(NAME, "AAAA", "fd00::20"), owned(f"a-{NAME}"), owned(f"aaaa-{NAME}")]
    ours = [OURS] if published else []
    found = decided(*theirs, *ours, published=published, state=STATE if published else {})
    assert found.state == ("withdrawn" if published else "refused")
    assert found.blast_radius
    (external,) = found.blast_radius.external
    assert [one.values[0] for one in external.records] == ["192.168.10.20", "fd00::20"]
    assert (
        f"external-dns (owner prod) has A 192.168.10.20, AAAA fd00::20, TXT a-{NAME}, TXT aaaa-{NAME} in public zone "
        "example.com: not of this stack, it removes them within one pass once it honours the annotation"
    ) in found.blast_radius.lines
    assert found.blast_radius.afterwards.startswith("NXDOMAIN;")


# Of each: what stands at the name and its registry, and the owners that are told with the types that they own.
OWNERS = [
    pytest.param([cf(NAME, "A", "8.8.8.8")], {}, id="without registry"),
    pytest.param([cf(NAME, "A", "8.8.8.8"), cf(f"a-{NAME}", "TXT", '"v=spf1 -all"')], {}, id="another text"),
    pytest.param([cf(NAME, "A", "8.8.8.8"), owned(f"cname-{NAME}")], {"prod": []}, id="entry of another type"),
    pytest.param([cf(NAME, "CNAME", "x.net"), owned(f"cname-{NAME}")], {"prod": ["CNAME"]}, id="cname"),
    pytest.param([cf(NAME, "A", "8.8.8.8"), owned(NAME)], {"prod": ["A"]}, id="entry at the name itself"),
    pytest.param([owned(f"a-{NAME}")], {"prod": []}, id="registry alone"),
    pytest.param(
        [cf(NAME, "A", "8.8.8.8"), owned(f"a-{NAME}", "lan"), owned(f"cname-{NAME}", "")],
        {"": [], "lan": ["A"]},
        id="two owners",
    ),
]


@pytest.mark.parametrize(("records", "owners"), OWNERS)
def test_only_what_a_registry_entry_stands_for_is_external_dns_own(
    records: list[LiveRecord], owners: dict[str, list[str]]
) -> None:
    found = decided(*records, published=False)
    external = found.blast_radius.external if found.blast_radius else ()
    assert {one.owner: [record.type for record in one.records] for one in external} == owners


def test_an_alias_at_route53_is_owned_by_its_old_entry_too_and_our_marker_goes() -> None:
    alias = [r53(OTHER, kind, alias="lb.example.net.") for kind in ("A", "AAAA")]
    entry = r53(f"cname-{OTHER}", "TXT", f'"{HERITAGE.format("aws")}"')
    found = decided(*alias, entry, hostname=OTHER, published=False)
    assert found.blast_radius
    assert [one.type for one in found.blast_radius.external[0].records] == ["A", "AAAA"]
    ours = r53(OTHER, "A", "203.0.113.7")
    marker = r53(f"_edge-dns.{OTHER}", "TXT", '"edge-dns/1 edge-dns/test Gateway/c1/edge/front"')
    state = {f"Z2/{OTHER}": ours.import_id, f"Z2/_edge-dns.{OTHER}": marker.import_id}
    found = decided(ours, marker, hostname=OTHER, state=state)
    assert found.blast_radius
    assert (
        found.blast_radius.lines[0] == f"this run deletes A 203.0.113.7 (ttl 300) and the marker TXT _edge-dns.{OTHER}"
    )
    # The marker stands below the name; it goes as well, so that nothing of the name is left.
    assert found.blast_radius.afterwards.startswith("NXDOMAIN;")


FALLBACKS = [
    pytest.param([cf("*.example.com", "A", "8.8.8.8")], "the wildcard *.example.com", id="wildcard"),
    pytest.param([cf(NAME, "MX", "10 mail.example.net")], "its other records, but no address", id="other records"),
    pytest.param([cf(f"x.{NAME}", "A", "8.8.8.8")], "no address (NODATA): names below it stay", id="names below"),
    pytest.param(
        [r53(NAME, "A", "10.0.0.7", zone="Z9")],
        "NXDOMAIN; inside, private zone example.com (Z9) has the name",
        id="private zone",
    ),
    pytest.param(
        [r53("*.example.com", "A", "10.0.0.7", zone="Z9")],
        "NXDOMAIN; inside, the wildcard *.example.com of private zone example.com (Z9)",
        id="wildcard of a private zone",
    ),
    pytest.param(
        [r53("other.example.com", "A", "10.0.0.7", zone="Z9")],
        "NXDOMAIN; no wildcard, no private zone and no internal resolver stands in",
        id="private zone without the name",
    ),
]


@pytest.mark.parametrize(("records", "afterwards"), FALLBACKS)
def test_what_answers_afterwards_is_told(records: list[LiveRecord], afterwards: str) -> None:
    found = decided(OURS, *records, state=STATE, zones=[CLOUDFLARE, PRIVATE])
    assert found.blast_radius
    assert found.blast_radius.afterwards == afterwards


def test_a_name_of_which_nothing_goes_has_no_blast_radius() -> None:
    assert decided(published=False).blast_radius is None


def test_without_live_zones_the_plan_says_what_it_does_not_know() -> None:
    before = run(settings(), *objects(NAME, hidden=False))
    after = run(settings(), *objects(NAME), memory=before.memory)
    told = "afterwards: NXDOMAIN, as far as the plan tells: its zone is not read here"
    assert after.reason(NAME).endswith(f"this run deletes A 203.0.113.7 (ttl auto); {told}")


@pytest.mark.parametrize(
    ("names", "answer"),
    [
        ([], "NXDOMAIN"),
        (["*.example.com"], "the wildcard *.example.com"),
        (["*.b.example.com"], "the wildcard *.b.example.com"),
        # RFC 4592 §2.2.1: a name that exists between them ends the reach of the wildcard.
        (["*.example.com", "b.example.com"], "NXDOMAIN"),
        (["*.example.com", "x.b.example.com"], "NXDOMAIN"),
        (["*.example.com", "a.a.b.example.com"], "no address (NODATA): names below it stay"),
    ],
)
def test_wildcards_reach_as_far_as_rfc_4592_says(names: list[str], answer: str) -> None:
    assert what_answers("a.b.example.com", {*names, "example.com"}, "example.com") == answer


_LABELS = st.lists(st.sampled_from(["a", "b", "*"]), min_size=1, max_size=3).map(
    lambda labels: ".".join([labels[0], *(one for one in labels[1:] if one != "*"), "z.test"])
)


@given(names=st.sets(_LABELS, max_size=6), name=_LABELS.filter(lambda one: "*" not in one))
def test_what_answers_is_as_in_the_tree_of_all_names(names: set[str], name: str) -> None:
    tree = {"z.test"}
    for one in names:
        labels = one.removesuffix(".z.test").split(".")
        tree |= {".".join([*labels[start:], "z.test"]) for start in range(len(labels))}
    parent = name
    while parent not in tree:
        parent = parent.partition(".")[2]
    answer = what_answers(name, names | {"z.test"}, "z.test")
    assert answer.startswith(("its other", "no address")) == (parent == name)
    assert (answer == f"the wildcard *.{parent}") == (parent != name and f"*.{parent}" in names)
