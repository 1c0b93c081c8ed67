"""The audit of exposure over manifests and clusters: who publishes, who opts out, and what of it should not be."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from edge_dns.cli.main import main
from edge_dns.core.exposure import PREFIXES
from edge_dns.core.exposure_audit import ExposureReport, audit_exposure
from edge_dns.core.kubernetes_fields import Malformed
from edge_dns.core.publishing_objects import publishing_object
from edge_dns.core.settings import load_settings

DATA = Path(__file__).parent / "data" / "exposure"
OLD, NEW = PREFIXES
GROUP = "gateway.networking.k8s.io/v1"
HIDDEN = {f"{OLD}controller": "none", f"{NEW}controller": "none"}
WIKI = {"namespace": "team", "name": "wiki", "hostnames": ["wiki.example.com"], "gateway": {"name": "front"}}
CART = {**WIKI, "name": "cart", "hostnames": ["cart.example.com"], "exposure": "public"}
PRIVATE = {"domain": "lan.example.com", "provider": "route53", "zoneId": "Z1", "visibility": "private"}
ANNOTATION, UNLISTED, INTERNAL = "internal-route-annotation", "unlisted-publisher", "internal-name-public-zone"
ADDRESS = "private-address-public-zone"

Object = dict[str, Any]


def thing(kind: str, name: str, spec: Object, annotations: Mapping[str, Any], **metadata: Any) -> Object:
    versions = {"Service": "v1", "Ingress": "networking.k8s.io/v1", "DNSEndpoint": "externaldns.k8s.io/v1alpha1"}
    whole = {"namespace": "team", "name": name, "annotations": dict(annotations), **metadata}
    return {"apiVersion": versions.get(kind, GROUP), "kind": kind, "metadata": whole, "spec": spec}


def route(name: str, *hostnames: str, kind: str = "HTTPRoute", to: str = "front", **annotations: str) -> Object:
    return thing(kind, name, {"hostnames": list(hostnames), "parentRefs": [{"name": to}]}, annotations)


def service(name: str, **annotations: str) -> Object:
    return thing("Service", name, {}, annotations)


def ingress(name: str, *hosts: str, **annotations: str) -> Object:
    return thing(
        "Ingress", name, {"rules": [{"host": host} for host in hosts], "tls": [{"hosts": ["t.x.test"]}]}, annotations
    )


def endpoint(name: str, record_type: str, *targets: str, dns_name: str = "e.example.com") -> Object:
    one = {"dnsName": dns_name, "recordType": record_type, "targets": list(targets)}
    return thing("DNSEndpoint", name, {"endpoints": [one]}, HIDDEN)


def gateway(**annotations: str) -> Object:
    return thing("Gateway", "front", {"listeners": []}, annotations)


def report(
    *items: Object, prefixes: Iterable[str] = PREFIXES, cluster: str | None = None, **settings: Any
) -> ExposureReport:
    loaded = load_settings({"clusters": [{"name": "c1"}, {"name": "c2"}][: settings.pop("clusters", 1)], **settings})
    found = [publishing_object(item, where="a.yaml", cluster=cluster) for item in items]
    return audit_exposure([one for one in found if one], loaded, list(prefixes))


def found(outcome: ExposureReport) -> list[tuple[str, str]]:
    return [(one.rule, str(one.object)) for one in outcome.findings]


def register(*names: str, kind: str = "HTTPRoute", **more: Any) -> Object:
    return {"register": [{"kind": kind, "namespace": "team", "name": name, **more} for name in names]}


# --- the check as a whole ---------------------------------------------------------------------------------------------


def run(*arguments: str) -> int:
    return main(["audit", "exposure", *arguments])


def test_the_tree_before_the_fix_fails_by_name_and_the_one_after_it_passes(capsys: pytest.CaptureFixture[str]) -> None:
    """E16: every affected service is named."""
    settings = ("--settings", str(DATA / "settings.yaml"), "--json")
    assert run(*settings, "--manifests", str(DATA / "before")) == 1
    document = json.loads(capsys.readouterr().out)
    said = [(one["rule"], f"{one['kind']} {one['namespace']}/{one['name']}") for one in document["findings"]]
    names = ("backup", "media", "metrics", "notes", "photos", "printer")
    assert sorted(said) == sorted(
        [
            *((ANNOTATION, f"HTTPRoute home/{name}") for name in names),
            (UNLISTED, "HTTPRoute home/forgotten"),
            (ADDRESS, "Gateway infra/front"),
        ]
    )
    assert run(*settings, "--manifests", str(DATA / "after")) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["findings"] == []
    assert [one["name"] for one in document["objects"] if not one["publishes"]] == list(names)
    assert [one["name"] for one in document["objects"] if one["publishes"]] == ["blog", "portal", "mail"]


def test_the_text_fits_80_columns_and_says_what_is_where(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--settings", str(DATA / "settings.yaml"), "--manifests", str(DATA / "before")) == 1
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "unlisted-publisher: HTTPRoute home/forgotten\n" in out
    assert "(home/forgotten.yaml)" in out
    end = "4 files: 10 publish (7 of the settings, 2 in the register, 1 not listed), 0 opt out; 8 wrong, 0 not read"
    assert " ".join(out.split()).endswith(end)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param("metadata: {{ .Values.x }}\nkind: [", "of a template check what it renders to", id="a template"),
        pytest.param("{{- if .Values.on }}\nkind: HTTPRoute\n{{- end }}\n", "not YAML: ", id="if"),
        pytest.param(b"\xff\xfe", "not text in UTF-8", id="not UTF-8"),
        pytest.param(yaml.safe_dump(thing("Service", "a", {}, {"x": 1})), "annotations.x is a whole", id="a number"),
        pytest.param(yaml.safe_dump(thing("HTTPRoute", "a", {"hostnames": "x"}, {})), "spec.hostnames is", id="a text"),
    ],
)
def test_a_file_that_cannot_be_read_fails_the_check_unless_it_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | bytes, problem: str
) -> None:
    file = tmp_path / "charts" / "x.yaml"
    file.parent.mkdir()
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    (tmp_path / "fine.yaml").write_text(yaml.safe_dump_all([route("cart", "cart.example.com"), ["no object"], None]))
    arguments = ("--settings", settings_file(tmp_path, services=[CART]), "--manifests", str(tmp_path), "--json")
    assert run(*arguments, "--skip", "settings.yaml") == 2
    document = json.loads(capsys.readouterr().out)
    [unread] = document["unread"]
    assert unread["where"] == "charts/x.yaml"
    assert problem in unread["problem"]
    assert [one["name"] for one in document["objects"]] == ["cart"]
    assert run(*arguments, "--skip", "charts/*") == 0


def test_what_other_tools_render_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kustomization.yaml").write_text("resources: [a.yaml]\n")
    (tmp_path / "Chart.yaml").write_text("name: x\n")
    assert run("--settings", settings_file(tmp_path), "--manifests", str(tmp_path)) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Chart.yaml: check the output of `helm template`" in out
    assert "kustomization.yaml: check the output of `kustomize build`" in out


@pytest.mark.parametrize("text", [None, "", "# rendered by nothing\n"], ids=["no file", "empty", "comment"])
def test_a_folder_without_any_object_is_no_check_that_passes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None
) -> None:
    folder = tmp_path / "rendered"
    folder.mkdir()
    if text is not None:
        (folder / "all.yaml").write_text(text, encoding="utf-8")
    assert run("--settings", settings_file(tmp_path), "--manifests", str(folder)) == 2
    assert "no Kubernetes object in its YAML files" in " ".join(capsys.readouterr().err.split())


def test_objects_without_a_namespace_are_in_the_one_that_is_given(tmp_path: Path) -> None:
    bare = route("cart", "cart.example.com")
    del bare["metadata"]["namespace"]
    folder = tmp_path / "m"
    folder.mkdir()
    (folder / "a.yaml").write_text(yaml.safe_dump(bare))
    arguments = ("--settings", settings_file(tmp_path, services=[CART]), "--manifests", str(folder))
    assert run(*arguments) == 1
    assert run(*arguments, "--namespace", "team") == 0


def test_the_clusters_of_the_settings_are_checked_without_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = [gateway(), route("cart", "cart.example.com"), service("db", **{f"{OLD}hostname": "db.example.com"})]
    (tmp_path / "c1.yaml").write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": items}))
    clusters = [{"name": "c1", "files": ["c1.yaml"]}]
    file_cart = {key: value for key, value in CART.items() if key != "gateway"}
    assert run("--settings", settings_file(tmp_path, clusters=clusters, services=[file_cart]), "--json") == 1
    [finding] = json.loads(capsys.readouterr().out)["findings"]
    assert (finding["rule"], finding["kind"], finding["cluster"]) == (UNLISTED, "Service", "c1")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["--settings", "gone.yaml"], "--settings gone.yaml: No such file", id="no settings"),
        pytest.param(["--settings", "settings.yaml"], "the settings have no cluster", id="nothing to check"),
        pytest.param(["--settings", "settings.yaml", "--manifests", "gone"], "not a folder", id="no folder"),
        pytest.param(["--settings", "bad.yaml", "--manifests", "."], "error: zonez: unknown key", id="wrong settings"),
    ],
)
def test_what_cannot_be_checked_is_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: Any, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    settings_file(tmp_path, clusters=[])
    (tmp_path / "bad.yaml").write_text("zonez: []\n")
    assert run(*arguments) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_a_consumer_version_that_is_none_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run("--settings", "x", "--consumer-version", "new")
    assert "'new' is not a version such as 0.21" in capsys.readouterr().err


def settings_file(folder: Path, **settings: Any) -> str:
    file = folder / "settings.yaml"
    file.write_text(yaml.safe_dump({"clusters": [{"name": "c1"}], **settings}))
    return str(file)


@pytest.mark.parametrize(
    ("cluster", "services", "expected"),
    [
        pytest.param({}, [], {"blog", "cart", "lan", "grpc", "far", "db"}, id="all"),
        pytest.param({"select": {"names": ["front"]}}, [], {"cart", "blog", "grpc", "far", "db"}, id="by name"),
        pytest.param({"select": {"classes": ["lan"]}}, [], {"lan", "far", "db"}, id="by class"),
        pytest.param({"select": {"labels": "view=lan"}}, [], {"lan", "far", "db"}, id="by label"),
        pytest.param({"routes": {"labels": "dns=yes"}}, [], {"blog", "db"}, id="routes by label"),
        pytest.param({"routes": {"labels": "dns=yes"}}, [CART], {"blog", "cart", "db"}, id="a route of a service"),
        pytest.param({"routes": {"namespaces": ["other"]}}, [], {"db"}, id="routes by namespace"),
    ],
)
def test_of_a_cluster_only_what_its_settings_select_is_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cluster: Object, services: list[Object], expected: set[str]
) -> None:
    lan = thing("Gateway", "lan", {"listeners": [], "gatewayClassName": "lan"}, {}, labels={"view": "lan"})
    blog = route("blog", "blog.example.com")
    blog["metadata"]["labels"] = {"dns": "yes"}
    items = [
        gateway(),
        lan,
        blog,
        route("cart", "cart.example.com"),
        route("lan", "lan.example.com", to="lan"),
        route("grpc", "grpc.example.com", kind="GRPCRoute"),
        route("far", "far.example.com", to="not-listed"),
        service("db", **{f"{OLD}hostname": "db.example.com"}),
    ]
    (tmp_path / "c1.yaml").write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": items}))
    without_gateway = [{key: value for key, value in one.items() if key != "gateway"} for one in services]
    clusters = [{"name": "c1", "files": ["c1.yaml"], **cluster}]
    run("--settings", settings_file(tmp_path, clusters=clusters, services=without_gateway), "--json")
    assert {one["name"] for one in json.loads(capsys.readouterr().out)["objects"]} == expected


def test_what_opts_out_for_some_external_dns_only_is_told_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "a.yaml").write_text(
        yaml.safe_dump(route("a", "a.example.com", **{f"{OLD}controller": "none"})), encoding="utf-8"
    )
    arguments = ("--settings", settings_file(tmp_path), "--manifests", str(tmp_path / "m"))
    assert run(*arguments) == 1
    out = capsys.readouterr().out
    assert out.startswith("in part   HTTPRoute team/a  a.example.com\n")
    assert "0 opt out, 1 in part;" in " ".join(out.split())
    assert run(*arguments, "--consumer-version", "0.21") == 0
    assert capsys.readouterr().out.startswith("opts out  HTTPRoute team/a")


@pytest.mark.parametrize("kind", ["HTTPRoute", "GRPCRoute", "TLSRoute"])
@pytest.mark.parametrize("zones", [[], [PRIVATE]], ids=["public", "private"])
def test_a_name_that_one_object_opts_out_of_and_another_publishes_is_found(kind: str, zones: list[Object]) -> None:
    outcome = report(
        route("a", "x.lan.example.com", kind=kind, **{f"{NEW}controller": "none", f"{OLD}controller": "none"}),
        route("b", "x.lan.example.com"),
        route("c", "y.lan.example.com"),
        zones=zones,
        exposure=register("b", "c"),
    )
    assert found(outcome) == ([] if zones else [(INTERNAL, "HTTPRoute team/b")])


# --- who publishes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "hostnames"),
    [
        pytest.param(route("a", "B.example.com.", "a.example.com"), ("a.example.com", "b.example.com"), id="route"),
        pytest.param(route("a", "g.example.com", kind="GRPCRoute"), ("g.example.com",), id="GRPCRoute"),
        pytest.param(route("a", **{f"{NEW}hostname": "a.example.com"}), ("a.example.com",), id="by annotation"),
        pytest.param(
            route("a", "a.example.com", **{f"{OLD}hostname": "b.example.com"}),
            ("a.example.com", "b.example.com"),
            id="a route whose annotation names more than its spec",
        ),
        pytest.param(service("a", **{f"{OLD}hostname": "a.example.com"}), ("a.example.com",), id="Service"),
        pytest.param(ingress("a", "i.example.com"), ("i.example.com", "t.x.test"), id="Ingress"),
        pytest.param(endpoint("a", "TXT", "x"), ("e.example.com",), id="a DNSEndpoint, whatever it is annotated with"),
    ],
)
def test_what_publishes_and_which_names(item: Object, hostnames: tuple[str, ...]) -> None:
    [one] = report(item).objects
    assert (one.publishes, one.hidden, one.hostnames) == (True, False, hostnames)
    assert (UNLISTED, str(one.object)) in found(report(item))
    kind = item["kind"]
    assert report(item, exposure=register("a", kind=kind)).findings == ()


@pytest.mark.parametrize(
    "item",
    [
        pytest.param(service("a"), id="a Service without hostname"),
        pytest.param(service("a", **{f"{NEW}target": "x.example.net"}), id="a Service with a target only"),
        pytest.param(thing("HTTPRoute", "a", {"hostnames": ["a.example.com"]}, {}), id="a route without parents"),
        pytest.param(
            thing("HTTPRoute", "a", {"hostnames": ["a.x.test"], "parentRefs": [{"kind": "Service", "name": "b"}]}, {}),
            id="a route of a mesh",
        ),
        pytest.param({"apiVersion": "serving.knative.dev/v1", "kind": "Service"}, id="a Service of others"),
        pytest.param({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}, id="another kind"),
    ],
)
def test_what_publishes_nothing(item: Object) -> None:
    outcome = report(item)
    assert [one for one in outcome.objects if one.publishes] == []
    assert outcome.findings == ()


@pytest.mark.parametrize(
    ("item", "path"),
    [
        pytest.param(
            thing("HTTPRoute", "a", {"parentRefs": [{"kind": ["a"], "name": "x"}]}, {}),
            "spec.parentRefs.kind",
            id="route",
        ),
        pytest.param(
            thing("DNSEndpoint", "a", {"endpoints": [{"dnsName": "a.example.com", "recordType": ["A"]}]}, {}),
            "spec.endpoints.recordType",
            id="DNSEndpoint",
        ),
    ],
)
def test_a_field_that_is_no_text_is_malformed_and_named(item: Object, path: str) -> None:
    with pytest.raises(Malformed, match=path):
        publishing_object(item, where="a.yaml")


@pytest.mark.parametrize(
    ("cluster", "entry", "is_wrong"),
    [
        pytest.param(None, {}, False, id="a file, any cluster"),
        pytest.param(None, {"cluster": "c2"}, False, id="a file, some cluster"),
        pytest.param("c1", {}, False, id="a cluster, any"),
        pytest.param("c1", {"cluster": "c1"}, False, id="a cluster, this one"),
        pytest.param("c1", {"cluster": "c2"}, True, id="a cluster, another one"),
    ],
)
def test_the_register_lists_by_cluster_where_it_is_known(cluster: str | None, entry: Object, *, is_wrong: bool) -> None:
    outcome = report(route("a", "a.x.test"), cluster=cluster, exposure=register("a", **entry), clusters=2)
    assert found(outcome) == ([(UNLISTED, "HTTPRoute team/a")] if is_wrong else [])


def test_an_entry_whose_object_is_not_there_is_told() -> None:
    outcome = report(route("a", "a.x.test"), exposure=register("a", "gone"))
    assert (outcome.idle, found(outcome)) == (("HTTPRoute *:team/gone",), [])


# --- annotations that hide nothing ------------------------------------------------------------------------------------

_BOTH, _V021, _V022 = PREFIXES, (OLD,), (NEW,)


@pytest.mark.parametrize(
    ("annotations", "prefixes", "problem"),
    [
        pytest.param(HIDDEN, _BOTH, None, id="both"),
        pytest.param({f"{OLD}controller": "none"}, _BOTH, f"no annotation {NEW}controller", id="the old one only"),
        pytest.param({f"{NEW}controller": "none"}, _BOTH, f"no annotation {OLD}controller", id="the new one only"),
        pytest.param({f"{OLD}controller": "none"}, _V021, None, id="old, 0.21"),
        pytest.param({f"{OLD}controller": "none"}, _V022, f"no annotation {NEW}controller", id="old, 0.22"),
        pytest.param({f"{NEW}controller": "none"}, _V021, f"no annotation {OLD}controller", id="new, 0.21"),
        pytest.param({f"{NEW}controller": "none"}, _V022, None, id="new, 0.22"),
        pytest.param({f"{OLD}controller": "dns-controller"}, _V021, "which every external-dns takes", id="claimed"),
        pytest.param(
            {**HIDDEN, f"{NEW}controller": "dns-controller"}, _BOTH, "which every external-dns takes", id="half claimed"
        ),
        pytest.param({f"{OLD}controller": "DNS-controller"}, _V021, None, id="letter case counts"),
    ],
)
@pytest.mark.parametrize("how", ["nobody's", "of an internal service", "labelled internal"])
def test_an_annotation_that_hides_nothing_is_found(
    annotations: dict[str, str], prefixes: tuple[str, ...], problem: str | None, how: str
) -> None:
    item = route("wiki", "wiki.example.com", **annotations)
    if how == "labelled internal":
        item["metadata"]["labels"] = {"edge-dns/exposure": "internal"}
    services = [WIKI] if how == "of an internal service" else []
    outcome = report(item, prefixes=prefixes, exposure=register("wiki"), services=services)
    said = [one.message for one in outcome.findings if one.rule == ANNOTATION]
    assert [problem in one for one in said] == ([True] if problem else [])  # type: ignore[operator]  # a text where there is one


def test_half_an_opt_out_says_internal_only_of_an_object_that_somebody_has_decided_about() -> None:
    half = {f"{OLD}controller": "none"}
    labelled = route("wiki", "wiki.example.com", **half)
    labelled["metadata"]["labels"] = {"edge-dns/exposure": "internal"}
    outcome = report(route("cart", "cart.example.com", **half), labelled, exposure=register("cart", "wiki"))
    assert [(str(one.object), one.message) for one in outcome.findings] == [
        ("HTTPRoute team/cart", f"it opts out in part, and has no annotation {NEW}controller"),
        ("HTTPRoute team/wiki", f"it is internal, and has no annotation {NEW}controller"),
    ]


def test_one_file_is_told_in_the_singular(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").write_text("kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n", encoding="utf-8")
    assert run("--settings", str(DATA / "settings.yaml"), "--manifests", str(tmp_path)) == 0
    assert "1 file: 0 publish" in capsys.readouterr().out


def test_a_service_of_the_settings_is_hidden_exactly_when_it_is_internal() -> None:
    shown, hidden = route("wiki", "wiki.example.com"), route("cart", "cart.example.com", **HIDDEN)
    outcome = report(shown, hidden, services=[WIKI, CART])
    assert found(outcome) == [(ANNOTATION, "HTTPRoute team/cart"), (ANNOTATION, "HTTPRoute team/wiki")]
    assert (
        report(
            route("wiki", "wiki.example.com", **HIDDEN), route("cart", "cart.example.com"), services=[WIKI, CART]
        ).findings
        == ()
    )


# --- names and addresses of the inside --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "zones", "is_wrong"),
    [
        pytest.param(route("x", "wiki.example.com"), [], True, id="a route of others"),
        pytest.param(route("x", "x.test", **{f"{NEW}hostname": "wiki.example.com"}), [], True, id="by annotation"),
        pytest.param(service("x", **{f"{OLD}hostname": "WIKI.example.com."}), [], True, id="a Service"),
        pytest.param(ingress("x", "*.example.com"), [], True, id="a wildcard above it"),
        pytest.param(endpoint("x", "A", "203.0.113.9", dns_name="wiki.example.com"), [], True, id="a DNSEndpoint"),
        pytest.param(route("x", "wiki.example.com", **HIDDEN), [], False, id="opted out"),
        pytest.param(route("x", "other.example.com"), [], False, id="another name"),
        pytest.param(route("x", "wiki.example.com"), [{**PRIVATE, "domain": "example.com"}], False, id="private zone"),
    ],
)
def test_an_internal_name_that_something_publishes_is_found(item: Object, zones: Any, *, is_wrong: bool) -> None:
    outcome = report(item, services=[WIKI], zones=zones, exposure=register("x", kind=item["kind"]))
    assert found(outcome) == ([(INTERNAL, f"{item['kind']} team/x")] if is_wrong else [])


@pytest.mark.parametrize(
    ("hostname", "is_wrong"), [("x.corp.example.com", True), ("b.corp.example.com", False), ("corp.example.com", False)]
)
def test_what_is_below_the_wildcard_of_an_internal_service_is_internal_unless_a_service_names_it(
    hostname: str, is_wrong: bool
) -> None:
    services = [{**WIKI, "hostnames": ["*.corp.example.com"]}, {**CART, "hostnames": ["b.corp.example.com"]}]
    outcome = report(route("x", hostname), services=services, exposure=register("x", kind="HTTPRoute"))
    assert found(outcome) == ([(INTERNAL, "HTTPRoute team/x")] if is_wrong else [])


TARGET = {f"{NEW}target": "192.168.10.20"}


@pytest.mark.parametrize(
    ("items", "said"),
    [
        pytest.param([gateway(**TARGET), route("x", "x.test.com")], [(ADDRESS, "Gateway team/front")], id="a Gateway"),
        pytest.param([gateway(**TARGET)], [], id="a Gateway without routes"),
        pytest.param([gateway(**TARGET), route("x", "x.test.com", **HIDDEN)], [], id="a Gateway with hidden routes"),
        pytest.param([gateway(**TARGET), route("x", "x.lan.example.com")], [], id="a Gateway of private names"),
        pytest.param([gateway(**TARGET), route("x", "x.test.com", to="other")], [], id="another Gateway"),
        pytest.param([route("x", "x.test.com", **TARGET)], [], id="a route, where it is not read"),
        pytest.param(
            [service("x", **{f"{OLD}hostname": "x.test.com", f"{OLD}target": "203.0.113.7, fd00::1"})],
            [(ADDRESS, "Service team/x")],
            id="a Service",
        ),
        pytest.param(
            [service("x", **{f"{OLD}hostname": "x.test.com", f"{OLD}target": "db.svc.cluster.local"})],
            [(INTERNAL, "Service team/x")],
            id="an internal target",
        ),
        pytest.param(
            [endpoint("x", "AAAA", "64:ff9b::c0a8:214")], [(ADDRESS, "DNSEndpoint team/x")], id="a DNSEndpoint"
        ),
        pytest.param([endpoint("x", "CNAME", "wiki.example.com")], [(INTERNAL, "DNSEndpoint team/x")], id="a CNAME"),
        pytest.param([endpoint("x", "TXT", "10.0.0.1")], [], id="a text"),
        pytest.param([endpoint("x", "A", "203.0.113.7")], [], id="a public address"),
    ],
)
def test_a_target_that_is_not_public_is_found(items: list[Object], said: list[tuple[str, str]]) -> None:
    listed = [{"kind": item["kind"], "namespace": "team", "name": "x"} for item in items if item["kind"] != "Gateway"]
    outcome = report(*items, services=[WIKI], zones=[PRIVATE], exposure={"register": listed})
    assert found(outcome) == said


# --- properties -------------------------------------------------------------------------------------------------------

_VALUES = st.sampled_from(["dns-controller", "none", ""])
_CONTROLLERS = st.dictionaries(st.sampled_from([f"{prefix}controller" for prefix in PREFIXES]), _VALUES)


@given(annotations=_CONTROLLERS, prefixes=st.sampled_from([_BOTH, _V021, _V022]))
def test_no_annotation_makes_the_publishing_route_of_an_internal_service_pass(
    annotations: dict[str, str], prefixes: tuple[str, ...]
) -> None:
    outcome = report(route("wiki", "wiki.example.com", **annotations), prefixes=prefixes, services=[WIKI])
    [one] = outcome.objects
    taken = any(annotations.get(f"{prefix}controller", "dns-controller") == "dns-controller" for prefix in prefixes)
    assert one.publishes == taken
    assert not taken or found(outcome) != []


def test_who_publishes_names_of_another_stack_alone_is_listed_there() -> None:
    theirs, both = route("theirs", "a.example.org"), route("both", "b.example.org", "b.example.com")
    outcome = report(theirs, both, elsewhere=["example.org"])
    assert found(outcome) == [(UNLISTED, "HTTPRoute team/both")]
    (finding,) = outcome.findings
    assert "asks for b.example.com, and" in finding.message
    listed = report(theirs, elsewhere=["example.org"], zones=[PRIVATE_ORG])
    assert found(listed) == [(UNLISTED, "HTTPRoute team/theirs")]


PRIVATE_ORG = {"domain": "example.org", "provider": "route53", "zoneId": "Z1", "visibility": "private"}
