import datetime
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.core.settings import (
    Secret,
    Settings,
    SettingsInvalid,
    engine_values,
    load_settings,
    stack_values,
)

ZONE = {"domain": "example.com", "provider": "route53", "zoneId": "Z1"}
CF_ZONE = {"domain": "example.com", "provider": "cloudflare", "zoneId": "c1"}
XD_ZONE = {"domain": "example.com", "provider": "external-dns", "consumer": {"version": "0.21"}}
TUNNEL = {"name": "app", "namespace": "web"}


def errors_of(values: dict[str, object]) -> dict[str, str]:
    with pytest.raises(SettingsInvalid) as refusal:
        load_settings(values)
    return {error.path: error.message for error in refusal.value.errors}


def test_nothing_written_is_valid_and_has_the_safe_defaults() -> None:
    settings = load_settings({})
    assert settings == Settings()
    assert (settings.safety.max_update, settings.safety.max_withdraw, settings.safety.min_records) == (0.3, 0.3, 10)
    assert (settings.safety.withdraw, settings.exposure.publishers, settings.on_refused) == ("guarded", "all", "fail")


def test_a_minimal_tunnel_zone_cluster_and_service_have_the_safe_defaults() -> None:
    settings = load_settings(
        {"zones": [ZONE], "tunnels": [TUNNEL], "clusters": [{"name": "east", "files": ["f"]}], "services": [TUNNEL]}
    )
    zone, tunnel, cluster = settings.zones[0], settings.tunnels[0], settings.clusters[0]
    assert (zone.visibility, zone.ttl, zone.proxied, zone.wildcards, zone.marker) == (
        "public",
        None,
        False,
        False,
        "txt",
    )
    assert zone.allowed_record_sets is None
    assert (tunnel.kind, tunnel.generation, tunnel.expires_in_secs) == ("towonel", 1, 0)
    assert (tunnel.deletion_policy, tunnel.visibility, tunnel.dns.mode) == ("Delete", "public", "Disabled")
    assert tunnel.dns.include_wildcards is False
    assert (cluster.stale_receipts, cluster.visibility, cluster.record_type) == ("hold", "public", None)
    assert settings.services[0].exposure == "internal"


def test_keys_may_have_the_prefix_or_not_and_other_namespaces_are_ignored() -> None:
    assert load_settings({"edge-dns:zones": [ZONE], "aws:region": "eu", "pulumi:tags": {}}) == load_settings(
        {"zones": [ZONE]}
    )


def test_a_key_with_and_without_the_prefix_at_once_is_an_error() -> None:
    assert errors_of({"zones": [], "edge-dns:zones": []}).keys() == {"edge-dns:zones"}


def test_a_misspelt_namespace_is_not_ignored() -> None:
    assert "did you mean 'edge-dns:zones'" in errors_of({"edge_dns:zones": []})["edge_dns:zones"]


def test_texts_are_brought_to_their_normal_form() -> None:
    settings = load_settings(
        {
            "hub": {"url": " https://hub.example.com/ ", "apiKey": " key "},
            "edgeTargets": {" eu ": "Edge.Example.NET."},
            "zones": [{"domain": "Bücher.Example.", "provider": "route53", "zoneId": "/hostedzone/Z1"}],
            "tunnels": [
                {**TUNNEL, "region": " eu", "failoverRegions": ["ca "], "dns": {"cnameTarget": "Edge.Example.net."}}
            ],
        }
    )
    assert settings.hub is not None
    assert settings.hub.url == "https://hub.example.com"
    assert settings.hub.api_key == Secret("key")
    assert settings.edge_targets == {"EU": "edge.example.net"}
    assert (settings.zones[0].domain, settings.zones[0].zone_id) == ("xn--bcher-kva.example", "Z1")
    assert (settings.tunnels[0].region, settings.tunnels[0].failover_regions) == ("EU", ("CA",))
    assert settings.tunnels[0].dns.cname_target == "edge.example.net"


def test_a_bad_hostname_of_a_tunnel_is_kept_as_written() -> None:
    settings = load_settings({"tunnels": [{**TUNNEL, "hostnames": ["not_a_name", "192.0.2.1", "A.example.com."]}]})
    assert settings.tunnels[0].hostnames == ("not_a_name", "192.0.2.1", "A.example.com.")


@pytest.mark.parametrize(
    ("values", "path", "message"),
    [
        pytest.param({"tunels": []}, "tunels", "did you mean 'tunnels'", id="unknown key"),
        pytest.param({"zones": [{**ZONE, "zone_id": "Z1"}]}, "zones[0].zone_id", "did you mean 'zoneId'", id="snake"),
        pytest.param(
            {"zones": [{**ZONE, "zoneId": 123456789012345678901234567890}]},
            "zones[0].zoneId",
            "in quotes",
            id="zone id",
        ),
        pytest.param({"zones": 5}, "zones", "is a number, expected a list", id="number for a list"),
        pytest.param({"zones": [5]}, "zones[0]", "is a number, expected a mapping", id="number for a mapping"),
        pytest.param({"zones": [{**ZONE, "domain": "192.0.2.1"}]}, "zones[0].domain", "IP address", id="domain"),
        pytest.param({"zones": [{**ZONE, "ttl": "300"}]}, "zones[0].ttl", "a whole number", id="ttl as text"),
        pytest.param({"zones": [{**ZONE, "wildcards": "yes"}]}, "zones[0].wildcards", "true or false", id="yes"),
        pytest.param({"zones": [{**ZONE, "ttl": 2**31}]}, "zones[0].ttl", "2147483647", id="ttl of 2^31"),
        pytest.param({"zones": [{**CF_ZONE, "ttl": 59}]}, "zones[0].ttl", "60..86400", id="cloudflare ttl low"),
        pytest.param({"zones": [{**CF_ZONE, "ttl": 1}]}, "zones[0].ttl", "60..86400", id="cloudflare ttl 1"),
        pytest.param({"zones": [{**CF_ZONE, "ttl": 86401}]}, "zones[0].ttl", "60..86400", id="cloudflare ttl high"),
        pytest.param({"zones": [{**CF_ZONE, "ttl": 300, "proxied": True}]}, "zones[0].ttl", "proxied", id="proxied"),
        pytest.param({"zones": [{**ZONE, "proxied": True}]}, "zones[0].proxied", "only for", id="proxied route53"),
        pytest.param({"zones": [{**CF_ZONE, "marker": "txt"}]}, "zones[0].marker", "only for", id="marker cloudflare"),
        pytest.param(
            {"zones": [{**ZONE, "consumer": {"version": "0.21"}}]}, "zones[0].consumer", "only for", id="consumer"
        ),
        pytest.param(
            {"zones": [{"domain": "a.example", "provider": "route53"}]}, "zones[0].zoneId", "required", id="id"
        ),
        pytest.param(
            {"zones": [{**ZONE, "credentials": {"apiToken": "x"}}]},
            "zones[0].credentials",
            "apiToken",
            id="credentials",
        ),
        pytest.param(
            {"zones": [{**ZONE, "allowedRecordSets": [{"namespaces": {}, "names": ["("], "types": []}]}]},
            "zones[0].allowedRecordSets[0].names[0]",
            "regular expression",
            id="regex",
        ),
        pytest.param(
            {"zones": [{**ZONE, "allowedRecordSets": [{"namespaces": {}, "names": ["(?=a)b"], "types": []}]}]},
            "zones[0].allowedRecordSets[0].names[0]",
            "regular expression of RE2: invalid perl operator",
            id="regex with look-around",
        ),
        pytest.param(
            {"zones": [{**ZONE, "allowedRecordSets": [{"namespaces": {}, "names": ["a" * 1001], "types": []}]}]},
            "zones[0].allowedRecordSets[0].names[0]",
            "longer than 1000 characters",
            id="long regex",
        ),
        pytest.param(
            {"zones": [{**ZONE, "allowedRecordSets": [{"namespaces": {}, "names": ["\ud800"], "types": []}]}]},
            "zones[0].allowedRecordSets[0].names[0]",
            "not text in Unicode",
            id="regex with a surrogate",
        ),
        pytest.param(
            {"zones": [{**ZONE, "nameservers": ["ns1:dns"]}]}, "zones[0].nameservers[0]", "port 53", id="no port"
        ),
        pytest.param(
            {"zones": [{**ZONE, "nameservers": ["192.0.2.1", "192.0.2.1:53"]}]},
            "zones[0].nameservers[1]",
            "each name server once",
            id="name server twice",
        ),
        pytest.param(
            {"services": [{"name": "a", "namespace": "b", "internalResolver": "https://ns1.example.net"}]},
            "services[0].internalResolver",
            "a name or address, port 53 unless given",
            id="resolver as a URL",
        ),
        pytest.param(
            {"zones": [ZONE, {**ZONE, "domain": "b.example"}]}, "zones[1]", "zone id once", id="zone id twice"
        ),
        pytest.param({"zones": [XD_ZONE, XD_ZONE]}, "zones[1]", "each zone once", id="zone twice"),
        pytest.param({"tunnels": [TUNNEL, TUNNEL]}, "tunnels[1]", "each tunnel once", id="tunnel twice"),
        pytest.param(
            {"tunnels": [{**TUNNEL, "aliases": ["app"]}]}, "tunnels[0].aliases[0]", "<namespace>/<name>", id="a"
        ),
        pytest.param({"tunnels": [{**TUNNEL, "aliases": ["web/App"]}]}, "tunnels[0].aliases[0]", "lower case", id="A"),
        pytest.param({"tunnels": [{**TUNNEL, "aliases": ["web/a/b"]}]}, "tunnels[0].aliases[0]", "<name>", id="a/b"),
        pytest.param({"tunnels": [{**TUNNEL, "aliases": ["web/app"]}]}, "tunnels[0].aliases[0]", "still", id="itself"),
        pytest.param(
            {"tunnels": [{**TUNNEL, "aliases": ["web/b"]}, {**TUNNEL, "name": "b"}]},
            "tunnels[0].aliases[0]",
            "tunnel web/b is still declared",
            id="alias of a declared tunnel",
        ),
        pytest.param(
            {"tunnels": [{**TUNNEL, "aliases": ["web/a"]}, {**TUNNEL, "name": "b", "aliases": ["web/a"]}]},
            "tunnels[1].aliases[0]",
            "web/a is an alias of tunnel web/app already",
            id="alias of two tunnels",
        ),
        pytest.param(
            {"tunnels": [{**TUNNEL, "aliases": ["web/a", "web/a"]}]}, "tunnels[0].aliases[1]", "once", id="alias twice"
        ),
        pytest.param({"clusters": [{"name": "a"}, {"name": "a"}]}, "clusters[1]", "each cluster", id="cluster twice"),
        pytest.param(
            {"clusters": [{"name": "a", "kubeconfig": "k", "files": ["f"]}]}, "clusters[0].files", "not both", id="both"
        ),
        pytest.param({"clusters": [{"name": "a", "files": []}]}, "clusters[0].files", "at least one", id="no file"),
        pytest.param(
            {"clusters": [{"name": "a", "recordType": "A"}]}, "clusters[0].recordType", "CNAME", id="record type"
        ),
        pytest.param(
            {"clusters": [{"name": "a", "select": {"labels": "a in b"}}]}, "clusters[0].select.labels", "in", id="label"
        ),
        pytest.param({"edgeTargets": {"eu": "192.0.2.1"}}, "edgeTargets.eu", "IP address", id="edge target"),
        pytest.param(
            {"edgeTargets": {"eu": "a.b", "EU": "c.d"}}, "edgeTargets", "EU is there twice", id="region twice"
        ),
        pytest.param(
            {"tunnels": [{**TUNNEL, "dns": {"cnameTarget": "edge"}}]}, "tunnels[0].dns.cnameTarget", "", id="t"
        ),
        pytest.param(
            {"tunnels": [{**TUNNEL, "expiresInSecs": 2_592_001}]}, "tunnels[0].expiresInSecs", "", id="expiry"
        ),
        pytest.param({"tunnels": [{**TUNNEL, "generation": 1.5}]}, "tunnels[0].generation", "whole", id="fraction"),
        pytest.param({"tunnels": [{**TUNNEL, "generation": True}]}, "tunnels[0].generation", "whole", id="bool"),
        pytest.param({"tunnels": [{**TUNNEL, "hostnames": [1]}]}, "tunnels[0].hostnames[0]", "a text", id="number"),
        pytest.param({"tunnels": [{**TUNNEL, "hostnames": "a.b"}]}, "tunnels[0].hostnames", "a list", id="no list"),
        pytest.param(
            {"tunnels": [{**TUNNEL, "kind": "cloudflare", "region": "EU", "cloudflare": {"accountId": "a" * 32}}]},
            "tunnels[0].region",
            "towonel",
            id="kind",
        ),
        pytest.param(
            {"tunnels": [{**TUNNEL, "namespace": "A_b"}]}, "tunnels[0].namespace", "Kubernetes", id="namespace"
        ),
        pytest.param({"hub": {"url": "hub.example.com"}}, "hub.url", "a URL such as", id="url"),
        pytest.param({"safety": {"maxUpdate": 1.1}}, "safety.maxUpdate", "equal to 1", id="share"),
        pytest.param({"safety": {"maxUpdate": float("nan")}}, "safety.maxUpdate", "finite", id="nan"),
        pytest.param({"safety": {"protect": ["a_b.example"]}}, "safety.protect[0]", "underscore", id="protect"),
        pytest.param(
            {"zones": [ZONE], "safety": {"protect": [f"a.{ZONE['domain']}", "shop.exmaple.com"]}},
            "safety.protect[1]",
            f'is "shop.exmaple.com", expected a hostname in a zone of the settings (known: {ZONE["domain"]})',
            id="protected outside of every zone",
        ),
        pytest.param(
            {"zones": [{**ZONE, "allowedRecordSets": [{"namespaces": {}, "names": [".*"], "types": ["A", "CNAEM"]}]}]},
            "zones[0].allowedRecordSets[0].types[1]",
            'is "CNAEM", expected a record type: A, AAAA, CAA, CERT, CNAME, ',
            id="no such record type",
        ),
        pytest.param(
            {"safety": {"acknowledge": {"count": 1, "names": ["a.b"]}}},
            "safety.acknowledge.names",
            "not both",
            id="ack",
        ),
        pytest.param(
            {"exceptions": [{"rule": "nope", "name": "a.b", "reason": "r", "expires": "2027-01-01"}]},
            "exceptions[0].rule",
            "rule",
            id="rule",
        ),
        pytest.param(
            {"exceptions": [{"rule": "mass-delete", "name": "a.b", "reason": "r", "expires": "2027-01-01"}]},
            "exceptions[0].rule",
            "one name",
            id="rule that stops the run",
        ),
        pytest.param(
            {"exceptions": [{"rule": "ttl-low", "name": "a.b", "reason": "r", "expires": "2027-02-30"}]},
            "exceptions[0].expires",
            "a date such as",
            id="no such day",
        ),
        pytest.param({"onRefused": "ignore"}, "onRefused", "'fail' or 'warn'", id="choice"),
        pytest.param(
            {"clusters": [{"name": "c", "files": ["a\0b"]}]}, "clusters[0].files[0]", "the path of a file", id="file"
        ),
        pytest.param({"clusters": [{"name": "c", "files": []}]}, "clusters[0].files", "at least one", id="no file"),
        pytest.param(
            {"safety": {"acknowledge": {"names": ["a_b.example"]}}},
            "safety.acknowledge.names[0]",
            "underscore",
            id="the only name",
        ),
    ],
)
def test_what_does_not_fit_is_named_by_its_path(values: dict[str, object], path: str, message: str) -> None:
    errors = errors_of(values)
    assert list(errors) == [path]
    assert message in errors[path]


@pytest.mark.parametrize("ttl", [60, 300, 86400])
def test_cloudflare_takes_its_range_of_ttls(ttl: int) -> None:
    assert load_settings({"zones": [{**CF_ZONE, "ttl": ttl, "proxied": False}]}).zones[0].ttl == ttl


def test_two_zones_of_one_domain_may_differ_in_provider_id_or_visibility() -> None:
    zones = [ZONE, {**ZONE, "zoneId": "Z2"}, CF_ZONE, XD_ZONE, {**XD_ZONE, "visibility": "private"}]
    assert len(load_settings({"zones": zones, "clusters": [{"name": "prod"}]}).zones) == 5


def test_all_errors_come_in_one_run_also_those_behind_others() -> None:
    errors = errors_of(
        {
            "edge-dns:zones": [
                {"provider": "route53", "zoneId": "Z0"},
                {**ZONE, "ttl": "5", "proxied": True},
                {**ZONE, "domain": "b.example"},
                {**CF_ZONE, "provider": "cloudfare", "zoneId": "Z1"},
            ],
            "edge-dns:tunnels": [TUNNEL, {**TUNNEL, "generation": 0}],
            "edge-dns:nonsense": 1,
            "hub": {"url": 5, "key": "x"},
        }
    )
    assert set(errors) == {
        "edge-dns:zones[0].domain",
        "edge-dns:zones[1].ttl",
        "edge-dns:zones[1].proxied",
        "edge-dns:zones[2]",
        "edge-dns:zones[3].provider",
        "edge-dns:tunnels[1]",
        "edge-dns:tunnels[1].generation",
        "edge-dns:nonsense",
        "hub.url",
        "hub.key",
    }


def gateway_target(name: str = "front", namespace: str = "infra", region: str = "EU") -> dict[str, object]:
    return {"namespace": namespace, "name": name, "region": region}


@pytest.mark.parametrize(
    ("targets", "path", "message"),
    [
        pytest.param(
            [gateway_target(), gateway_target("second", region="US")],
            "clusters[1].targets[1].region",
            'is "US", expected a region of edgeTargets (known: EU)',
            id="unknown region",
        ),
        pytest.param(
            [gateway_target(name="other"), gateway_target()],
            "clusters[1].targets[0]",
            "names Gateway infra/other, which select of the cluster leaves out",
            id="a Gateway that select leaves out",
        ),
        pytest.param(
            [gateway_target(), gateway_target()],
            "clusters[1].targets[1]",
            "each Gateway once; this one is there before",
            id="a Gateway twice",
        ),
        pytest.param(
            [{"namespace": "infra", "name": "front"}],
            "clusters[1].targets[0].region",
            "is required",
            id="no region",
        ),
    ],
)
def test_an_edge_target_of_a_gateway_that_fits_nothing_is_named_by_its_path(
    targets: list[object], path: str, message: str
) -> None:
    clusters = [{"name": "west"}, {"name": "east", "select": {"names": ["front", "second"]}, "targets": targets}]
    assert errors_of({"edgeTargets": {"EU": "edge.example.net"}, "clusters": clusters}) == {path: message}


def test_regions_of_gateways_are_checked_beside_other_errors_but_not_against_a_wrong_map() -> None:
    cluster = {"name": "east", "targets": [gateway_target(region="us")]}
    values: dict[str, object] = {"clusters": [{"name": ""}, cluster], "edgeTargets": {"EU": "edge.example.net"}}
    assert errors_of(values).keys() == {"clusters[0].name", "clusters[1].targets[0].region"}
    assert errors_of({"clusters": [cluster], "edgeTargets": {"US": "10.0.0.1"}}).keys() == {"edgeTargets.US"}
    assert errors_of({"clusters": [cluster], "hub": {"url": 5}}).keys() == {"hub.url"}


def test_the_default_regions_of_the_public_hub_are_known() -> None:
    cluster = {"name": "east", "targets": [gateway_target(region="ca")]}
    settings = load_settings({"clusters": [cluster], "hub": {"url": "https://hub.towonel.dev"}})
    assert settings.clusters[0].targets[0].region == "CA"


@pytest.mark.parametrize(
    "values",
    [
        {"hub": {"url": "https://h.example", "apiKey": ["hunter2"]}},
        {"hub": {"url": "https://h.example", "apiKey": {"secure": "hunter2", "x": 1}}},
        {"hub": {"url": "https://h.example", "apikey": "hunter2"}},
        {"hub": {"url": "https://user:hunter2@h.example"}},
        {"hub": {"url": "https://h.example?key=hunter2"}},
        {"hub": "hunter2"},
        {"hub": [{"apiKey": "hunter2"}]},
        {"hub": '{"apiKey": "hunter2"'},
        {"zones": [{**CF_ZONE, "credentials": "hunter2"}]},
        {"zones": [{**ZONE, "credentials": {"apiToken": "hunter2"}}]},
        {"zones": [{**CF_ZONE, "credentials": {"apiToken": "hunter2", "token": "hunter2"}}]},
        {"zones": [{**CF_ZONE, "ttl": 1, "credentials": {"apiToken": "hunter2"}}]},
        {"zones": [{**CF_ZONE, "credentials": {"hunter2": "x"}}]},
        {"hub": {"url": "https://h.example", "hunter2": ""}},
        {
            "services": [
                {"name": "a", "namespace": "b", "hostnames": ["a.example.com"], "internalResolver": "hunter2:x"}
            ]
        },
        *(
            {
                "tunnels": [
                    {
                        **TUNNEL,
                        "kind": "cloudflare",
                        "hostnames": ["a.example.com"],
                        "cloudflare": {"accountId": "a" * 32, "origin": "http://a", key: value},
                    }
                ]
            }
            for key, value in {
                "accountId": "hunter2",
                "adopt": "hunter2",
                "agent": {"image": "hunter2"},
                "catchAll": "hunter2",
                "origin": "hunter2",
                "origins": {"a.example.com": "hunter2"},
            }.items()
        ),
        {
            "tunnels": [
                {
                    **TUNNEL,
                    "agents": [{"name": "a", "services": [{"hostname": "a.example.com", "origin": "hunter2"}]}],
                }
            ]
        },
        {"clusters": [{"name": "a", "kubeconfig": "users:\n- token: hunter2"}]},
        {"clusters": [{"name": "a", "kubeconfig": '{"token": "hunter2"}', "files": [""]}]},
    ],
)
def test_an_error_never_shows_a_secret(values: dict[str, object]) -> None:
    with pytest.raises(SettingsInvalid) as refusal:
        load_settings(values)
    assert "hunter2" not in str(refusal.value)
    assert "hunter2" not in repr(refusal.value.errors)


def test_a_secret_shows_in_no_text_and_only_reveal_gives_it() -> None:
    settings = load_settings({"hub": {"url": "https://h.example", "apiKey": "hunter2"}})
    assert settings.hub is not None
    assert settings.hub.api_key is not None
    assert settings.hub.api_key.reveal() == "hunter2"
    for text in (str(settings), repr(settings), str(settings.hub.api_key), f"{settings.hub.api_key}"):
        assert "hunter2" not in text


def test_an_encrypted_secret_is_accepted_and_cannot_be_revealed() -> None:
    settings = load_settings({"hub": {"url": "https://h.example", "apiKey": {"secure": "v1:abc"}}})
    assert settings.hub is not None
    assert settings.hub.api_key is not None
    assert settings.hub.api_key.is_encrypted
    with pytest.raises(ValueError, match="encrypted"):
        settings.hub.api_key.reveal()


def test_a_namespace_is_admitted_by_name_or_label_and_an_empty_selector_admits_none() -> None:
    def admits(namespaces: object, name: str, labels: dict[str, str]) -> bool:
        rule = {"namespaces": namespaces, "names": [".*"], "types": ["a"]}
        zone = load_settings({"zones": [{**ZONE, "allowedRecordSets": [rule]}]}).zones[0]
        assert zone.allowed_record_sets is not None
        assert zone.allowed_record_sets[0].types == ("A",)
        return zone.allowed_record_sets[0].namespaces.admit(name, labels)

    assert admits({"names": ["shop"]}, "shop", {})
    assert not admits({"names": ["shop"]}, "blog", {})
    assert admits({"selector": "team=web"}, "blog", {"team": "web"})
    assert admits({"selector": {"matchLabels": {"team": "web"}}}, "blog", {"team": "web"})
    assert not admits({"selector": "team=web"}, "blog", {})
    assert not admits({"selector": {}}, "blog", {})
    assert not admits({}, "blog", {})


@pytest.mark.parametrize("written", ["2027-03-31", "2027-03-31T00:00:00Z"])
def test_the_end_of_an_exception_is_a_date_also_as_pulumi_hands_it_on(written: str) -> None:
    exception = {"rule": "ttl-low", "name": "A.example.", "reason": "r", "expires": written}
    assert load_settings({"exceptions": [exception]}).exceptions[0].expires == datetime.date(2027, 3, 31)


@pytest.mark.parametrize(
    "text",
    [
        "config:\n  edge-dns:zones: [{domain: NO.example, provider: route53, zoneId: Z1}]\n  aws:region: x\n",
        "encryptionsalt: v1\nconfig:\n  edge-dns:zones: [{domain: NO.example, provider: route53, zoneId: Z1}]\n",
        "edge-dns:zones: [{domain: NO.example, provider: route53, zoneId: Z1}]\n",
        "zones: [{domain: NO.example, provider: route53, zoneId: Z1}]\n",
        '{"zones": [{"domain": "NO.example", "provider": "route53", "zoneId": "Z1"}]}',
    ],
)
def test_a_stack_file_and_plain_yaml_of_its_config_give_the_same_settings(text: str) -> None:
    assert load_settings(stack_values(text)).zones[0].domain == "no.example"


@pytest.mark.parametrize("text", ["", "config:\n", "encryptionsalt: v1\n", "{}"])
def test_a_file_without_settings_holds_none(text: str) -> None:
    assert stack_values(text) == {}


@pytest.mark.parametrize("text", ["- a\n", "config: [1]\n", "text", "a: 1\na: 2\n"])
def test_a_file_that_is_no_mapping_is_refused(text: str) -> None:
    with pytest.raises(SettingsInvalid):
        stack_values(text)


def test_half_of_a_surrogate_pair_in_a_value_of_the_engine_is_read_as_go_reads_it() -> None:
    assert engine_values({"edge-dns:zones": '[{"domain": "\\ud800.example"}]'}) == {
        "edge-dns:zones": [{"domain": "\ufffd.example"}]
    }


def test_the_engine_hands_objects_as_json_texts() -> None:
    values = engine_values({"edge-dns:zones": '[{"domain":"a.example"}]', "edge-dns:onRefused": "warn", "x:y": "[oops"})
    assert values == {"edge-dns:zones": [{"domain": "a.example"}], "edge-dns:onRefused": "warn", "x:y": "[oops"}


EXAMPLE = stack_values((Path(__file__).parents[3] / "stacks" / "Pulumi.example.yaml").read_text())
WORDS = st.sampled_from(["a.example", "cloudflare", "eu", "a=b", "", "(", "\ud800", "*", "hunter2", "{", "https://["])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=5)
KEYS = st.sampled_from(["domain", "name", "secure", "apiKey", "zones", "x", ""]) | st.text(max_size=3)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4))


@st.composite
def damaged(draw: st.DrawFn, value: object) -> object:
    """Draw the value with some part of it replaced, left out or doubled."""
    if not value or not isinstance(value, dict | list) or draw(st.integers(0, 4)) == 0:
        return draw(VALUES)
    if isinstance(value, list):
        place = draw(st.integers(0, len(value) - 1))
        items = [*value, value[place]] if draw(st.booleans()) else [*value]
        items[place] = draw(damaged(items[place]))
        return items
    key = draw(st.sampled_from(sorted(value)))
    new_key = draw(st.just(key) | KEYS)
    return {**{other: value[other] for other in value if other != key}, new_key: draw(damaged(value[key]))}


def load_or_refuse(values: Mapping[str, object]) -> None:
    try:
        load_settings(values)
    except SettingsInvalid as error:
        refusal = error
    else:
        return
    assert refusal.errors
    assert len(refusal.errors) == len(set(refusal.errors))
    assert all(error.path and error.message for error in refusal.errors)


@given(st.dictionaries(KEYS | st.sampled_from(sorted(EXAMPLE)), VALUES, max_size=5))
def test_any_values_are_settings_or_refused_with_paths(values: dict[str, object]) -> None:
    load_or_refuse(values)


@given(damaged(EXAMPLE).flatmap(damaged))
def test_the_example_with_any_damage_is_settings_or_refused_with_paths(values: object) -> None:
    if isinstance(values, dict):
        load_or_refuse(values)


def test_a_key_in_the_place_of_the_hubs_url_is_not_shown() -> None:
    with pytest.raises(SettingsInvalid) as caught:
        load_settings({"hub": {"url": "c2VjcmV0LW9wZXJhdG9yLWtleQ", "apiKey": "https://hub.example.com"}})
    assert "hub.url: is (hidden), expected a URL" in str(caught.value)
    assert "c2VjcmV0" not in str(caught.value)


def test_keys_of_nothing_but_quotes_are_told_apart() -> None:
    assert set(errors_of({"": None, '""': None})) == {'""', '"\\"\\""'}
