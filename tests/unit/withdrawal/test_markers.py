"""Ownership markers: every marker that is written is found by the sweep's filter, and by no other stack's."""

from dataclasses import replace
from string import printable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.markers import (
    MAX_COMMENT,
    belongs_to,
    marker_name,
    marker_prefix,
    marker_text,
    parse_marker,
    txt_value,
)
from edge_dns.core.names import normalise_hostname
from edge_dns.core.rules import Refused
from edge_dns.core.values import Source
from tests.fault_table import shows

GATEWAY = Source(cluster="prod", kind="Gateway", namespace="edge", name="front")
TUNNEL = Source(cluster=None, kind="TowonelTunnel", namespace="media", name="films")

# "Odd" on purpose: separators of the marker itself, its hash form, non-ASCII.
WORDS = st.one_of(
    st.sampled_from(["edge-dns", "prod", "a/b", "a b", "sha256:00", "ü", "", '"', "a" * 60, "a" * 300]),
    st.text(max_size=80),
)
SOURCES = st.builds(
    Source,
    cluster=st.one_of(st.none(), WORDS),
    kind=st.sampled_from(["Gateway", "TowonelTunnel", "CloudflareTunnel"]),
    namespace=WORDS,
    name=WORDS,
)


def test_a_marker_reads_as_stack_and_source() -> None:
    assert marker_text("edge-dns", "prod", GATEWAY) == "edge-dns/1 edge-dns/prod Gateway/prod/edge/front"
    assert marker_text("edge-dns", "prod", TUNNEL) == "edge-dns/1 edge-dns/prod TowonelTunnel/media/films"
    assert txt_value(marker_text("p", "s", TUNNEL)) == '"edge-dns/1 p/s TowonelTunnel/media/films"'


@shows("F20", "the sweep looks for what was written: every marker passes its filter", runs="0")
@given(project=WORDS, stack=WORDS, source=SOURCES)
def test_every_marker_is_found_by_the_filter_of_its_stack(project: str, stack: str, source: Source) -> None:
    text = marker_text(project, stack, source)
    assert len(text) <= MAX_COMMENT
    assert set(text) <= set(printable) - set('"\\;\t\n\r')
    assert text.startswith(marker_prefix(project, stack))
    for found in (text, txt_value(text)):
        assert belongs_to(found, project, stack)
        marker = parse_marker(found)
        assert marker is not None
        assert f"edge-dns/1 {marker.owner} {marker.source}" == text


@given(st.lists(st.tuples(WORDS, WORDS), min_size=2, max_size=2, unique=True), SOURCES)
def test_no_marker_is_found_by_the_filter_of_another_stack(stacks: list[tuple[str, str]], source: Source) -> None:
    (project, stack), (other_project, other_stack) = stacks
    text = marker_text(project, stack, source)
    assert not belongs_to(text, other_project, other_stack)
    assert not text.startswith(marker_prefix(other_project, other_stack))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a/b", "c"), ("a", "b/c")),
        (("a", "b c"), ("a", "b")),
        (("a" * 60, "prod"), ("a" * 60, "test")),
        (("p" * 22, "s" * 22), ("p" * 22, "s" * 21)),
    ],
    ids=["slash", "space", "long", "prefix"],
)
def test_stacks_that_look_alike_are_told_apart(one: tuple[str, str], other: tuple[str, str]) -> None:
    for (project, stack), (other_project, other_stack) in ((one, other), (other, one)):
        text = marker_text(project, stack, GATEWAY)
        assert belongs_to(text, project, stack)
        assert not belongs_to(text, other_project, other_stack)
        assert not text.startswith(marker_prefix(other_project, other_stack))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a/b", "c"), ("a", "b/c")),
        (("n" * 63, "front-1"), ("n" * 63, "front-2")),
    ],
    ids=["slash", "long"],
)
def test_sources_that_look_alike_are_told_apart(one: tuple[str, str], other: tuple[str, str]) -> None:
    texts = {marker_text("p", "s", replace(GATEWAY, namespace=ns, name=name)) for ns, name in (one, other)}
    assert len(texts) == 2


@given(st.lists(SOURCES, min_size=2, max_size=2, unique=True))
def test_two_sources_never_share_a_marker(sources: list[Source]) -> None:
    first, second = sources
    assert marker_text("p", "s", first) != marker_text("p", "s", second)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "edge-dns/1",
        "edge-dns/1 p/s",
        "edge-dns/1 p/s ",
        "edge-dns/1 p/s Gateway/x more",
        "edge-dns/2 p/s Gateway/x",
        "x edge-dns/1 p/s Gateway/x",
        "heritage=external-dns,external-dns/owner=default",
    ],
)
def test_what_others_write_is_no_marker(text: str) -> None:
    assert parse_marker(text) is None
    assert not belongs_to(text, "p", "s")


LONG = ".".join(["a" * 60] * 4)


@pytest.mark.parametrize(
    ("fqdn", "expected"),
    [
        ("app.example.com", "_edge-dns.app.example.com"),
        ("example.com", "_edge-dns.example.com"),
        ("*.example.com", "_edge-dns._wildcard.example.com"),
    ],
)
def test_a_marker_stands_in_a_label_of_its_own(fqdn: str, expected: str) -> None:
    assert marker_name(fqdn, "example.com") == expected


def test_a_name_that_leaves_no_room_is_marked_below_the_domain_by_hash() -> None:
    name = marker_name(f"{LONG}.example", "example")
    assert name.startswith("_edge-dns-")
    assert name.endswith(".example")
    assert len(name.split(".")) == 2


def test_a_domain_that_leaves_no_room_at_all_is_refused() -> None:
    with pytest.raises(Refused, match="marker-name"):
        marker_name(f"b.{LONG}", LONG)


LABELS = st.one_of(st.sampled_from(["a", "b", "a-b", "wildcard", "edge-dns"]), st.sampled_from(["x" * 62, "y" * 63]))
NAMES = st.builds(
    lambda star, labels: ".".join([*star, *labels, "example", "com"]),
    st.sampled_from([[], ["*"]]),
    st.lists(LABELS, max_size=5),
).filter(lambda name: len(name) <= 253)


@given(st.sets(NAMES, min_size=1, max_size=8))
def test_two_names_never_share_a_marker_and_a_marker_is_no_hostname(names: set[str]) -> None:
    markers = {marker_name(name, "example.com") for name in names}
    assert len(markers) == len(names)
    for marker in markers:
        assert "*" not in marker
        assert marker.endswith(".example.com")
        assert len(marker) <= 253
        assert all(len(label) <= 63 for label in marker.split("."))
        with pytest.raises(ValueError, match=r".+"):
            normalise_hostname(marker)
