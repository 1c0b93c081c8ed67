"""The settings of the pack: how they are read, what is wrong with them, and what an exception does."""

import pytest

from policy.exposure import private_address_public_zone
from policy.limits import apex_ns
from policy.rule import find_violation
from policy.settings import Shared, covers, expired, in_force, load
from tests.unit.policy.resources import TODAY, ZONES, cloudflare, endpoint, given, judge, settings

EXCEPTION = {
    "rule": "private-address-public-zone",
    "name": "app.example.com",
    "reason": "moves in July",
    "expires": "2026-06-15",
}


def test_zones_are_those_of_a_stack_file_and_numbers_arrive_as_floats() -> None:
    pack = settings(zones=[{**ZONES[0], "ttl": 300.0}, ZONES[2]])
    zone = pack.zones.by_key("cf")
    assert zone is not None
    assert (zone.domain, zone.ttl) == ("example.com", 300)
    assert pack.why_internal("db.lan.example.com") == "zone lan.example.com is private"
    assert pack.why_internal("db.example.com") is None


@pytest.mark.parametrize(
    ("parameters", "line"),
    [
        ({"zones": [{"domain": "example.com", "provider": "cloudflare"}]}, "zones[0].zoneId: is required"),
        ({"zones": [{**ZONES[0], "visible": True}]}, "zones[0].visible: "),
        ({"exceptions": [{**EXCEPTION, "rule": "no-such-rule"}]}, "exceptions[0].rule: "),
        ({"exceptions": [{**EXCEPTION, "expires": "soon"}]}, "exceptions[0].expires: "),
        ({"internalNames": ["no name"]}, "internalNames: "),
        ({"publicEndpoints": "a=b,"}, "publicEndpoints: "),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_settings_are_told_with_their_path_and_none_of_them_counts(
    parameters: dict[str, object], line: str
) -> None:
    with pytest.raises(ValueError, match=r".") as error:
        load(parameters, TODAY)
    assert line in str(error.value)
    shared = Shared(TODAY)
    shared.take({"zones": ZONES})
    shared.take(parameters)
    assert line in shared.errors
    assert shared.settings == settings()
    shared.take({"zones": ZONES})
    assert (shared.errors, shared.settings.zones.by_key("aws") is not None) == ("", True)


def test_an_exception_lets_its_name_pass_its_rule_until_the_end_of_its_last_day() -> None:
    resource = cloudflare(content="10.0.0.5")
    rule = "private-address-public-zone"
    lasting = settings(exceptions=[EXCEPTION])
    assert find_violation(rule, private_address_public_zone, resource, given(lasting)) is None
    assert list(expired(lasting)) == []
    assert list(in_force(lasting)) == [
        f"exception: app.example.com may break rule {rule}\nuntil 2026-06-15: moves in July"
    ]
    over = settings(exceptions=[{**EXCEPTION, "expires": "2026-06-14"}])
    assert find_violation(rule, private_address_public_zone, resource, given(over)) is not None
    assert list(in_force(over)) == []
    (text,) = expired(over)
    assert text.startswith(f"exception-expired: app.example.com, rule {rule}\n")


@pytest.mark.parametrize(
    "other", [{"name": "other.example.com"}, {"rule": "internal-name-public-zone"}], ids=["name", "rule"]
)
def test_an_exception_holds_for_nothing_else(other: dict[str, str]) -> None:
    pack = settings(exceptions=[{**EXCEPTION, **other}])
    text = find_violation(
        "private-address-public-zone", private_address_public_zone, cloudflare(content="10.0.0.5"), given(pack)
    )
    assert text is not None


def test_a_violation_of_a_rule_with_exceptions_says_where_one_must_stand() -> None:
    rule, there = "private-address-public-zone", "only where the pack's configuration lists it"
    text = find_violation(rule, private_address_public_zone, cloudflare(content="10.0.0.5"), given(settings()))
    assert there in " ".join((text or "").split())
    text = find_violation("apex-ns", apex_ns, cloudflare(type="SOA", name="@"), given(settings()))
    assert text
    assert there not in " ".join(text.split())


def test_a_violation_in_a_zone_that_is_not_listed_says_so() -> None:
    rule, unlisted = "private-address-public-zone", "which the pack's configuration does not list"
    text = find_violation(
        rule, private_address_public_zone, cloudflare(content="10.0.0.5", zoneId="typo"), given(settings())
    )
    assert f"zone typo, {unlisted}" in " ".join((text or "").split())
    text = find_violation(rule, private_address_public_zone, cloudflare(content="10.0.0.5"), given(settings()))
    assert unlisted not in " ".join((text or "").split())


def test_an_object_passes_only_where_all_its_names_are_excepted() -> None:
    pack = settings(exceptions=[EXCEPTION])
    names = endpoint("app.example.com", "A", "10.0.0.1"), endpoint("b.example.com", "A", "10.0.0.1")
    assert pack.excepts(EXCEPTION["rule"], names[0].hostnames)
    assert not pack.excepts(EXCEPTION["rule"], (*names[0].hostnames, *names[1].hostnames))
    assert not pack.excepts(EXCEPTION["rule"], ())


def test_exceptions_hold_for_the_rules_across_records() -> None:
    twins = [
        ("aws:route53/record:Record", name, "", {"zoneId": "aws", "name": "a.example.net", "type": "A", "ttl": 60})
        for name in ("one", "two")
    ]
    assert judge({}, twins) == {"duplicate-record": {"two"}}
    exception = {**EXCEPTION, "rule": "duplicate-record", "name": "a.example.net", "expires": "2999-01-01"}
    assert judge({"exceptions": [exception]}, twins) == {}


@pytest.mark.parametrize(
    ("name", "covered"),
    [
        ("a.test", True),
        ("b.test", False),
        ("x.w.test", True),
        ("y.x.w.test", True),
        ("w.test", False),
        ("*.w.test", True),
    ],
)
def test_a_wildcard_of_the_internal_names_stands_for_everything_below(name: str, covered: bool) -> None:
    assert covers(frozenset({"a.test", "*.w.test"}), name) is covered
