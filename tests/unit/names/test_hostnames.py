import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.names import (
    NameSyntax,
    TargetNotIp,
    TargetSyntax,
    covers,
    in_zone,
    meet,
    normalise_domain,
    normalise_hostname,
    normalise_target,
    relative_name,
)

LABELS = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True).filter(lambda label: label[2:4] != "--")
FULL_NAMES = st.lists(LABELS, min_size=1, max_size=4).map(lambda labels: ".".join([*labels, "example"]))
# Few labels, so that names often meet.
FEW = st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=3).map(lambda labels: ".".join([*labels, "example"]))
HOSTNAMES = st.one_of(FEW, FEW.map(lambda name: f"*.{name}"))


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        pytest.param("www.example.com", "www.example.com", id="already normal"),
        pytest.param("  WWW.Example.COM. ", "www.example.com", id="blanks, case and dot"),
        pytest.param("*.Example.com", "*.example.com", id="wildcard"),
        pytest.param("*.com", "*.com", id="the star counts as a label"),
        pytest.param("bücher.example", "xn--bcher-kva.example", id="u-label"),
        pytest.param("*.Bücher.example.", "*.xn--bcher-kva.example", id="wildcard above a u-label"),
        pytest.param("XN--BCHER-KVA.example", "xn--bcher-kva.example", id="a-label in capitals"),
        pytest.param("faß.example", "xn--fa-hia.example", id="sharp s is kept (IDNA 2008)"),
        pytest.param("a。example。", "a.example", id="ideographic full stops"),
        pytest.param("\u212aiwi.example", "kiwi.example", id="kelvin sign is mapped"),
        pytest.param("1.2.3.4.example", "1.2.3.4.example", id="numbers below a name"),
        pytest.param("a" * 63 + ".example", "a" * 63 + ".example", id="label of 63"),
        pytest.param(".".join(["a" * 49] * 5) + ".abc", ".".join(["a" * 49] * 5) + ".abc", id="name of 253"),
    ],
)
def test_a_hostname_has_one_form_however_it_is_written(written: str, normal: str) -> None:
    assert normalise_hostname(written) == normal


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        pytest.param("", "empty", id="empty"),
        pytest.param(".", "empty", id="root"),
        pytest.param("localhost", "fewer than two labels", id="one label"),
        pytest.param("*", "star", id="star alone"),
        pytest.param("a.*.example", "star", id="star inside"),
        pytest.param("*a.example", "star", id="star in a label"),
        pytest.param("a..example", "empty label", id="two dots"),
        pytest.param(".example.com", "empty label", id="leading dot"),
        pytest.param("example.com..", "empty label", id="two dots at the end"),
        pytest.param("_dmarc.example.com", "underscore", id="underscore"),
        pytest.param("-a.example", "hyphen", id="hyphen first"),
        pytest.param("a-.example", "hyphen", id="hyphen last"),
        pytest.param("a b.example", "letters, digits and hyphens", id="blank"),
        pytest.param("a.example:443", "letters, digits and hyphens", id="port"),
        pytest.param("https://a.example", "letters, digits and hyphens", id="url"),
        pytest.param("a" * 64 + ".example", "longer than 63", id="label of 64"),
        pytest.param(".".join(["a" * 49] * 5) + ".abcd", "longer than 253", id="name of 254"),
        pytest.param("192.0.2.1", "IP address", id="ipv4"),
        pytest.param("192.0.2", "IP address", id="short ipv4"),
        pytest.param("*.192.0.2.1", "IP address", id="wildcard above an address"),
        pytest.param("2001:db8::1", "IP address", id="ipv6"),
        pytest.param("[2001:db8::1]", "IP address", id="ipv6 in brackets"),
        pytest.param("xn--zzzzzz-.example", "internationalised", id="broken a-label"),
        pytest.param("xn--a.example", "internationalised", id="a-label of a control character"),
        pytest.param("☃.example", "internationalised", id="symbol"),
        pytest.param("\ud800.example", "internationalised", id="lone surrogate"),
    ],
)
def test_what_is_no_hostname_is_refused_with_the_reason(written: str, reason: str) -> None:
    with pytest.raises(NameSyntax, match=reason):
        normalise_hostname(written)


@given(st.one_of(FULL_NAMES, st.text(max_size=20).map(lambda text: f"{text}.example")))
def test_normalising_twice_changes_nothing(written: str) -> None:
    try:
        normal = normalise_hostname(written)
    except NameSyntax:
        return
    assert normalise_hostname(normal) == normal
    assert normal.isascii()
    assert normal == normal.lower()


@given(FULL_NAMES, st.booleans())
def test_case_and_a_dot_at_the_end_do_not_matter(name: str, wildcard: bool) -> None:
    written = f"*.{name}" if wildcard else name
    assert normalise_hostname(written.upper() + ".") == normalise_hostname(written) == written


@given(st.text(max_size=30))
def test_any_text_is_a_name_or_refused_as_one(text: str) -> None:
    for normalise in (normalise_hostname, normalise_target, normalise_domain):
        with contextlib.suppress(NameSyntax):
            assert normalise(text).isascii()


def test_a_target_is_a_hostname_with_a_dot_inside() -> None:
    assert normalise_target(" Edge.Example.NET. ") == "edge.example.net"
    for written in ("edge", "*.example.net", "edge_1.example.net", ""):
        with pytest.raises(TargetSyntax) as refusal:
            normalise_target(written)
        assert not isinstance(refusal.value, TargetNotIp)


@pytest.mark.parametrize("written", ["192.0.2.1", "192.0.2.1.", "2001:db8::1", "[2001:db8::1]"])
def test_a_target_is_never_an_address(written: str) -> None:
    with pytest.raises(TargetNotIp):
        normalise_target(written)


def test_a_domain_may_have_one_label_and_is_no_wildcard() -> None:
    assert normalise_domain("Internal.") == "internal"
    assert normalise_domain("example.COM") == "example.com"
    for written in ("*.example.com", "5", "192.0.2.1", "a_b", ""):
        with pytest.raises(NameSyntax):
            normalise_domain(written)


def test_a_name_is_in_a_zone_by_whole_labels_and_the_apex_is_inside() -> None:
    assert in_zone("example.com", "example.com")
    assert in_zone("a.b.example.com", "example.com")
    assert not in_zone("badexample.com", "example.com")
    assert not in_zone("com", "example.com")


def test_the_relative_name_is_what_is_left_of_the_domain_and_at_the_apex() -> None:
    assert relative_name("example.com", "example.com") == "@"
    assert relative_name("*.a.example.com", "example.com") == "*.a"
    with pytest.raises(ValueError, match="not in the zone"):
        relative_name("badexample.com", "example.com")


@pytest.mark.parametrize(
    ("route", "listener", "both"),
    [
        ("a.example.com", "*.example.com", "a.example.com"),
        ("x.a.example.com", "*.example.com", "x.a.example.com"),
        ("example.com", "*.example.com", None),
        ("*.a.example.com", "*.example.com", "*.a.example.com"),
        ("*.example.com", "*.a.example.com", "*.a.example.com"),
        ("*.example.com", "a.example.com", "a.example.com"),
        ("*.example.com", "*.example.com", "*.example.com"),
        ("a.example.com", "a.example.com", "a.example.com"),
        ("a.example.com", "b.example.com", None),
        ("xexample.com", "*.example.com", None),
        ("*.xexample.com", "*.example.com", None),
        ("*.a.example", "*.b.example", None),
    ],
)
def test_the_meet_is_the_most_specific_name_that_both_admit(route: str, listener: str, both: str | None) -> None:
    assert meet(route, listener) == both


@given(HOSTNAMES, HOSTNAMES)
def test_the_meet_does_not_depend_on_the_sides_and_is_covered_by_both(one: str, other: str) -> None:
    both = meet(one, other)
    assert both == meet(other, one)
    assert both is None or (covers(one, both) and covers(other, both))


@given(HOSTNAMES, HOSTNAMES, HOSTNAMES)
def test_the_meet_of_three_does_not_depend_on_the_order(one: str, two: str, three: str) -> None:
    left, right = meet(one, two), meet(two, three)
    assert (left and meet(left, three)) == (right and meet(one, right))


@given(HOSTNAMES, HOSTNAMES, FEW)
def test_a_concrete_name_is_covered_by_the_meet_exactly_when_both_sides_cover_it(one: str, two: str, name: str) -> None:
    both = meet(one, two)
    assert (both is not None and covers(both, name)) == (covers(one, name) and covers(two, name))


def test_everything_that_is_wrong_with_a_name_is_told_at_once() -> None:
    with pytest.raises(NameSyntax) as raised:
        normalise_hostname("-a_b!.ok.c d.example.com")
    assert str(raised.value) == (
        "label '-a_b!' holds an underscore and holds something other than letters, digits and hyphens ('!') and starts "
        "or ends with a hyphen; label 'c d' holds something other than letters, digits and hyphens (' ')"
    )
