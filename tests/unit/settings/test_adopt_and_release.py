"""The lists `adopt` and `release`: three forms of one entry, and what an entry must not say."""

import pytest

from edge_dns.core.settings import Settings, SettingsInvalid, Zone, load_settings

ZONES = [
    {"domain": "example.com", "provider": "cloudflare", "zoneId": "c1"},
    {"domain": "example.org", "provider": "route53", "zoneId": "Z1"},
]
COM = Zone(domain="example.com", provider="cloudflare", zone_id="c1")
ORG = Zone(domain="example.org", provider="route53", zone_id="Z1")


def load(**values: object) -> Settings:
    return load_settings({"zones": ZONES, **values})


def errors_of(**values: object) -> dict[str, str]:
    with pytest.raises(SettingsInvalid) as raised:
        load(**values)
    return {error.path.removeprefix("edge-dns:"): error.message for error in raised.value.errors}


@pytest.mark.parametrize("name", ["adopt", "release"])
@pytest.mark.parametrize(
    ("entry", "covered", "left"),
    [
        pytest.param("WWW.Example.com.", [("www.example.com", COM)], [("example.com", COM)], id="text"),
        pytest.param({"hostname": "*.example.com"}, [("*.example.com", COM)], [("a.example.com", COM)], id="hostname"),
        pytest.param({"zone": "Example.org."}, [("a.example.org", ORG)], [("a.example.com", COM)], id="zone by domain"),
        pytest.param({"zone": "/hostedzone/Z1"}, [("example.org", ORG)], [("example.com", COM)], id="zone by id"),
    ],
)
def test_an_entry_covers_a_hostname_or_a_zone(
    name: str, entry: object, covered: list[tuple[str, Zone]], left: list[tuple[str, Zone]]
) -> None:
    (one,) = getattr(load(**{name: [entry]}), name)
    assert all(one.covers(*each) for each in covered)
    assert not any(one.covers(*each) for each in left)


def test_an_adoption_may_name_a_type() -> None:
    (one,) = load(adopt=[{"hostname": "a.example.com", "type": "AAAA"}]).adopt
    assert one.type == "AAAA"


@pytest.mark.parametrize(
    ("values", "path", "message"),
    [
        pytest.param({"adopt": ["no host"]}, "adopt[0]", 'is "no host", expected a hostname', id="text"),
        pytest.param({"adopt": [7]}, "adopt[0]", "is a number, expected a mapping", id="number"),
        pytest.param({"adopt": [{}]}, "adopt[0].hostname", "either hostname or zone", id="neither"),
        pytest.param(
            {"release": [{"hostname": "a.example.com", "zone": "c1"}]},
            "release[0].hostname",
            "either hostname or zone",
            id="both",
        ),
        pytest.param({"adopt": [{"zone": "c1", "type": "A"}]}, "adopt[0].type", "only beside hostname", id="zone type"),
        pytest.param(
            {"adopt": [{"hostname": "a.example.com", "type": "MX"}]}, "adopt[0].type", "'A', 'AAAA' or 'CNAME'", id="MX"
        ),
        pytest.param(
            {"release": [{"hostname": "a.example.com", "type": "A"}]},
            "release[0].type",
            "unknown key",
            id="half a name",
        ),
        pytest.param(
            {"adopt": [{"zone": "example.net"}]},
            "adopt[0].zone",
            "expected a zone of the settings (known: example.com, example.org)",
            id="no such zone",
        ),
        pytest.param({"adopt": ["a.example.com", "A.example.com"]}, "adopt[1]", "each entry once", id="twice"),
        pytest.param(
            {"adopt": ["a.example.com"], "release": [{"zone": "c1"}, "a.example.com"]},
            "release[1]",
            "a.example.com is in adopt too",
            id="adopted and released",
        ),
    ],
)
def test_a_wrong_entry_is_named_by_its_path(values: dict[str, object], path: str, message: str) -> None:
    errors = errors_of(**values)
    assert list(errors) == [path]
    assert message in errors[path]


def test_all_wrong_entries_are_told_in_one_run() -> None:
    values = {"adopt": [{"zone": "no.such.example"}, "no host", {}], "release": [{"zone": "Z9"}, {"names": []}]}
    assert list(errors_of(**values)) == [
        "adopt[0].zone",
        "adopt[1]",
        "adopt[2].hostname",
        "release[0].zone",
        "release[1].hostname",
        "release[1].names",
    ]
