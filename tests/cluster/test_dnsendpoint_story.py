"""The whole chain: `up` writes DNSEndpoints, two versions of a real external-dns publish them, BIND answers."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import yaml

from local.bind import BindServer
from local.hub_emulator import INTERNAL_500, Fault
from local.kube import KubeServer, wait_for
from tests.cluster.external_dns import NEW, NOTHING, OLD, ExternalDns, Version, answer
from tests.cluster.objects import Scene, collecting_garbage
from tests.engine.conftest import CLOUDFLARE_ZONE, EDGE_TARGETS, ROUTE53_ZONE, World
from tests.engine.evidence import invite_id
from tests.engine.test_audit import edge_dns, import_into_state
from tools import toolchain

ZONES = {"old.example": OLD, "new.example": NEW}
PUBLIC = "--label-filter=edge-dns/exposure=public"
ENDPOINTS = "/apis/externaldns.k8s.io/v1alpha1/dnsendpoints"
EDGE = ("NOERROR", (f"{EDGE_TARGETS['EU']}.",))
UPDATE = "--skip-preview"
PACK = ("--policy-pack", str(toolchain.ROOT / "policy"))
DNS = {"mode": "DNSEndpoint"}
EMPTY_OBJECT = {"apiVersion": "externaldns.k8s.io/v1alpha1", "kind": "DNSEndpoint", "spec": {"endpoints": []}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """A stack whose zones are served by two external-dns instances, each in one BIND, from one cluster."""

    scene: Scene
    world: World
    bind: BindServer
    crd: Mapping[str, Any]

    def configure(self, *tunnels: Mapping[str, object], cluster: str = "prod") -> None:
        """Write the stack file: these tunnels, beside one that is published at Cloudflare; the cluster by this name."""
        keeper = self.world.tunnel("keeper", ["keeper.example.com"])
        zones = [
            {
                "domain": domain,
                "provider": "external-dns",
                "nameservers": [self.bind.address],
                "consumer": {
                    "version": version.name,
                    "namespace": "dns",
                    "providerSpecific": {"cloudflare-proxied": "false"},
                },
            }
            for domain, version in ZONES.items()
        ]
        written = {"name": cluster, "kubeconfig": str(self.scene.kube.kubeconfig()), "context": "local"}
        others = [{**one, "nameservers": [self.bind.address]} for one in self.world.zones()]
        self.world.configure(keeper, *tunnels, zones=[*others, *zones], clusters=[written])

    def up(self, *flags: str, fails: bool = False) -> str:
        """Update, then let both external-dns make a pass; returns what the update said."""
        run = self.world.stack.up(UPDATE, *flags)
        assert (run.status != 0) == fails, run.text
        if self.scene.kube.allows("admin", ENDPOINTS):
            self.sync()
        return run.text

    def sync(self) -> None:
        """Let both external-dns make a pass."""
        for domain, version in ZONES.items():
            self.external_dns(version, domain).sync("crd", PUBLIC)

    def external_dns(self, version: Version, domain: str) -> ExternalDns:
        """The instance of a zone."""
        kubeconfig = self.scene.kube.kubeconfig()
        return ExternalDns(version=version, kubeconfig=kubeconfig, bind=self.bind, zones=[domain])

    def assert_answers(self, cname: str = "", a: str = "") -> None:
        """Of the names `a`, `b` and `c` exactly these have this record in both zones, each with its registry entry."""
        for domain in ZONES:
            for label in "abc":
                kind = "CNAME" if label in cname else "A"
                records = answer(self.bind, f"{label}.{domain}", kind)
                registry = answer(self.bind, f"{kind.lower()}-{label}.{domain}", "TXT")
                if label in cname + a:
                    assert (records[0], len(records[1])) == ("NOERROR", 1), label
                    assert "external-dns/owner=tests" in registry[1][0]
                else:
                    assert (records, registry) == (NOTHING, NOTHING), label
                    assert answer(self.bind, f"cname-{label}.{domain}", "TXT") == NOTHING

    def objects(self) -> dict[str, Mapping[str, Any]]:
        """Return the DNSEndpoints by namespace and name."""
        found = self.scene.kube.items(ENDPOINTS)
        return {f"{one['metadata']['namespace']}/{one['metadata']['name']}": one for one in found}

    def verify(self) -> str:
        """The last line of what `edge-dns verify` says; it must find everything as it should be."""
        self.world.services.push_zones(self.bind)
        file = str(self.world.stack.config_file)
        with self.world.stack.command("verify", "--config-file", file, "--stack", "local") as process:
            out, err = process.communicate()
        assert process.returncode == 0, out + err
        return out.splitlines()[-1]

    def app(self, *labels: str, dns: Mapping[str, object] = DNS, **more: object) -> Mapping[str, object]:
        """The setting of tunnel `app` with these names in both zones."""
        return self.world.tunnel("app", hostnames(labels), dns=dns, **more)


def hostnames(labels: Sequence[str]) -> list[str]:
    return [f"{label}.{domain}" for label in labels for domain in ZONES]


@pytest.fixture
def chain(scene: Scene, world: World) -> Iterator[Chain]:
    crd = yaml.safe_load(toolchain.dnsendpoint_crd().read_text(encoding="utf-8"))
    toolchain.install_plugins(world.stack.folder / "home", [toolchain.test_directory() / "pulumi-resource-kubernetes"])
    for namespace in ("team", "dns", "other"):
        scene.namespace(namespace)
    with BindServer([*ZONES, CLOUDFLARE_ZONE, ROUTE53_ZONE]) as bind:
        yield Chain(scene=scene, world=world, bind=bind, crd=crd)
    scene.kube.delete(crd, instance("public"), instance("lan"))


def install(kube: KubeServer, crd: Mapping[str, Any]) -> None:
    kube.apply(crd)
    kube.wait_until_served(ENDPOINTS)


def test_the_names_of_a_tunnel_live_and_die_with_it_at_every_external_dns(chain: Chain) -> None:
    world, kube = chain.world, chain.scene.kube

    # Without the CRD the tunnel comes up all the same, and nothing is tried at the cluster.
    chain.configure(chain.app("a", "b"))
    said = chain.up(fails=True)
    assert "dnsendpoint-unavailable: cluster prod has no DNSEndpoint" in said
    assert world.names() == {"keeper.example.com"}
    assert world.told()["a.old.example"] == ("refused", "dnsendpoint-unavailable")

    install(kube, chain.crd)
    chain.up()
    chain.assert_answers("ab")
    assert answer(chain.bind, "a.old.example", "CNAME") == EDGE
    (one,) = chain.objects().values()
    assert (one["metadata"]["namespace"], one["metadata"]["name"]) == ("team", "towonel.team.app")
    assert one["metadata"]["labels"]["edge-dns/exposure"] == "public"
    assert [entry["recordTTL"] for entry in one["spec"]["endpoints"]] == [300] * 4
    assert {(entry["dnsName"], entry["providerSpecific"][0]["name"]) for entry in one["spec"]["endpoints"]} == {
        (f"{label}.{domain}", f"{version.prefix}cloudflare-proxied")
        for domain, version in ZONES.items()
        for label in "ab"
    }
    assert chain.verify() == "5 names in 3 zones: 5 as they should be"
    world.assert_settled()

    # Under another name of its cluster the engine would take the object over, and delete it by the old name.
    chain.configure(chain.app("a", "b"), cluster="renamed")
    before = chain.objects()
    assert "the state knows it as prod/team/towonel.team.app" in " ".join(chain.up(fails=True).split())
    assert chain.objects() == before
    chain.assert_answers("ab")
    shown = world.stack.checked("stack", "--show-urns", "--stack", "local").split()
    (urn,) = (one for one in shown if one.endswith("DNSEndpoint::prod/team/towonel.team.app"))
    world.stack.checked("state", "delete", urn, "--stack", "local", "--yes")
    chain.up()
    assert [one["metadata"]["uid"] for one in chain.objects().values()] == [one["metadata"]["uid"]]
    chain.assert_answers("ab")
    world.assert_settled()

    # A hostname goes; a Gateway publishes another in an object of its own, for each zone.
    chain.scene.gateway("front", "203.0.113.7")
    chain.scene.accepted_route("c", hostnames("c"), to="front")
    chain.configure(chain.app("a"), cluster="renamed")
    chain.up()
    chain.assert_answers("a", a="c")
    assert len(chain.objects()) == 3

    # The object moves to another namespace.
    chain.configure(chain.app("a", dns={**DNS, "namespace": "other"}), cluster="renamed")
    chain.up()
    chain.assert_answers("a", a="c")
    assert {path for path in chain.objects() if "towonel" in path} == {"other/towonel.team.app"}

    chain.configure(chain.app("a", dns={"mode": "Disabled"}), cluster="renamed")
    chain.up()
    chain.assert_answers(a="c")

    chain.configure(chain.app("a"), cluster="renamed")
    chain.up()
    chain.assert_answers("a", a="c")
    world.services.hub.revoke(invite_id(world, "team/app"))
    chain.up(fails=True)
    assert world.told()["a.old.example"] == ("withdrawn", "invite-gone")
    chain.assert_answers(a="c")

    chain.configure(chain.app("a", generation=2), cluster="renamed")
    chain.up()
    chain.assert_answers("a", a="c")
    chain.configure(cluster="renamed")
    chain.up()
    chain.assert_answers(a="c")
    world.assert_settled()


def test_objects_of_others_stay_and_a_new_public_name_waits_for_the_filter_of_the_private_view(chain: Chain) -> None:
    world, kube = chain.world, chain.scene.kube
    install(kube, chain.crd)
    [theirs] = kube.apply({**EMPTY_OBJECT, "metadata": {"namespace": "team", "name": "towonel.team.app"}})
    kube.apply(instance("public", PUBLIC), instance("lan"))
    chain.configure(chain.app("a"), world.tunnel("blog", hostnames("b"), dns=DNS))
    run = world.stack.up(UPDATE)
    assert run.status != 0
    assert "DNSEndpoint team/towonel.team.app of cluster prod is not of this stack" in run.text
    assert "Deployment dns/lan of cluster prod would take public names into a private view" in run.text
    assert {(name, told[1]) for name, told in world.told().items() if told[1]} == {
        *((name, "owner-foreign") for name in hostnames("a")),
        *((name, "lan-filter-missing") for name in hostnames("b")),
    }
    assert chain.objects() == {"team/towonel.team.app": theirs}

    kube.delete(theirs)
    kube.apply(instance("lan", "--label-filter=edge-dns/exposure!=public"))
    chain.up()
    chain.assert_answers("ab")

    # A create that was cut off before the state had it is taken over, not made anew.
    before = chain.objects()["team/towonel.team.app"]["metadata"]
    state = json.loads(world.stack.state())["deployment"]["resources"]
    [urn] = [one["urn"] for one in state if one["urn"].endswith("prod/team/towonel.team.app")]
    world.stack.checked("state", "delete", urn, "--stack", "local", "--yes")
    chain.up()
    after = chain.objects()["team/towonel.team.app"]["metadata"]
    assert (after["uid"], after["generation"]) == (before["uid"], before["generation"])
    chain.assert_answers("ab")
    world.assert_settled()

    # An object that the state has lost, and that nothing declares, is listed, imported and deleted under review.
    [kept] = (one for path, one in chain.objects().items() if path == "team/towonel.team.app")
    left = {"namespace": "other", "name": "towonel.other.left", "annotations": kept["metadata"]["annotations"]}
    left_over = {**kept["spec"]["endpoints"][0], "dnsName": "left.old.example"}
    kube.apply({**EMPTY_OBJECT, "metadata": left, "spec": {"endpoints": [left_over]}})
    audit = ("audit", "orphans", "--resolver", chain.bind.address)
    said = edge_dns(world, *audit, status=1)
    assert "unremembered DNSEndpoint other/towonel.other.left of cluster prod\n" in said
    assert "it holds left.old.example" in " ".join(said.split())
    assert "1 unremembered, 0 dangling, 0 invites; 0 proposed for import" in said
    file = world.stack.folder / "orphans.json"
    assert "1 proposed for import" in edge_dns(world, *audit, "--all", "--import-file", str(file), status=1)
    import_into_state(world, file)
    steps = {("delete", "prod/other/towonel.other.left"), ("delete", "unremembered")}
    assert {(step.op, step.name) for step in world.stack.preview(*PACK).steps if step.op != "same"} == steps
    with collecting_garbage(kube, ENDPOINTS):
        chain.up(*PACK)
    assert set(chain.objects()) == {"team/towonel.team.app", "team/towonel.team.blog"}
    assert "0 unremembered" in edge_dns(world, *audit, status=0)
    world.assert_settled()

    # While the hub cannot confirm another name, what is published stays.
    blog = world.tunnel("blog", hostnames("b"), dns=DNS)
    world.services.hub.inject(Fault(method="POST", path="/v1/invites/*/hostnames", outcome=INTERNAL_500, times=None))
    chain.configure(chain.app("a", "c"), blog)
    chain.up(fails=True)
    chain.assert_answers("ab")
    world.services.hub.clear_faults()
    assert world.stack.preview(*PACK).status == 0
    chain.up(*PACK)
    chain.assert_answers("abc")

    # Objects that went with their CRD keep nobody from going on.
    kube.delete(chain.crd)
    wait_for(lambda: not kube.allows("admin", ENDPOINTS), "the CRD stays")
    run = world.stack.up(UPDATE)
    assert run.status != 0
    assert run.steps == (), run.text
    assert world.told()["a.old.example"] == ("held", "dnsendpoint-unavailable")
    install(kube, chain.crd)
    assert "DNSEndpoint team/towonel.team.app is gone from cluster prod" in world.stack.preview().text
    world.up(UPDATE, "--refresh")
    chain.sync()
    chain.assert_answers("abc")
    kube.delete(chain.crd)
    wait_for(lambda: not kube.allows("admin", ENDPOINTS), "the CRD stays")
    run = world.stack.destroy("--skip-preview")
    assert run.status == 0, run.text


def instance(name: str, *flags: str) -> Mapping[str, Any]:
    """The Deployment of an external-dns that reads DNSEndpoints."""
    labels = {"app": name}
    container = {"name": "dns", "image": "registry.k8s.io/external-dns/external-dns:v0.21.0"}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{**container, "args": ["--source=crd", *flags]}]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"namespace": "dns", "name": name},
        "spec": {"selector": {"matchLabels": labels}, "template": pod},
    }
