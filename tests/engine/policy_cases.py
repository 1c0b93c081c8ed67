"""One small resource for each rule, with a value that breaks the rule and one that does not."""

from dataclasses import dataclass

PROGRAM = """
import pulumi

zones = pulumi.Config().require_object("zones")
here = pulumi.ComponentResource("test:index:Team", "here")
there = pulumi.ComponentResource("test:index:Team", "there")
owned = pulumi.ComponentResource("edge:dns:EndpointRecordSet", "owned")
NONE = {prefix + "controller": "none" for prefix in
        ("external-dns.alpha.kubernetes.io/", "external-dns.kubernetes.io/")}
MARKER = "edge-dns/1 policy-test/test TowonelTunnel/team/web"

def opts(parent):
    return pulumi.ResourceOptions(parent=parent)

def cloudflare(slot, parent=None, **inputs):
    inputs = {"zoneId": zones["cloudflare"], "name": slot + ".example.com", "ttl": 300, **inputs}
    return pulumi.CustomResource("cloudflare:index/dnsRecord:DnsRecord", slot, inputs, opts(parent))

def route53(slot, parent=None, **inputs):
    inputs = {"zoneId": zones["route53"], "name": slot + ".example.net", "ttl": 300, **inputs}
    return pulumi.CustomResource("aws:route53/record:Record", slot, inputs, opts(parent))

def kubernetes(slot, token, spec, **metadata):
    inputs = {"metadata": {"name": slot, "namespace": "shop", **metadata}, "spec": spec}
    return pulumi.CustomResource("kubernetes:" + token, slot, inputs)

def route(slot, hostname, **metadata):
    return kubernetes(slot, "gateway.networking.k8s.io/v1:HTTPRoute", {"hostnames": [hostname]}, **metadata)

def endpoint(slot, name, kind, target, **metadata):
    spec = {"endpoints": [{"dnsName": name, "recordType": kind, "targets": [target]}]}
    return kubernetes(slot, "externaldns.k8s.io/v1alpha1:DNSEndpoint", spec, **metadata)
"""

LATER = """
first = cloudflare("first", type="TXT", content='"first"')

def later(value):
    return first.id.apply(lambda _: value)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One resource of a program, `VALUE` in it replaced by a wrong, a right or a not yet known one."""

    rule: str
    name: str
    code: str
    wrong: str
    right: str

    def violating(self) -> str:
        return self.code.replace("VALUE", self.wrong)

    def lawful(self) -> str:
        return self.code.replace("VALUE", self.right)

    def unknown(self) -> str:
        return self.code.replace("VALUE", f"later({self.right})")


def _case(rule: str, name: str, code: str, *, wrong: str, right: str) -> Case:
    return Case(rule=rule, name=name, code=code.replace("SLOT", f'"{name}"'), wrong=wrong, right=right)


CASES = [
    _case(
        "private-address-public-zone",
        "cf-address",
        'cloudflare(SLOT, type="A", content=VALUE)',
        wrong='"10.0.0.5"',
        right='"192.0.2.5"',
    ),
    _case(
        "private-address-public-zone",
        "aws-address",
        'route53(SLOT, type="AAAA", records=["2001:db8::1", VALUE])',
        wrong='"fd00::5"',
        right='"2001:db8::5"',
    ),
    _case(
        "internal-name-public-zone",
        "internal-target",
        'cloudflare(SLOT, type="CNAME", content=VALUE)',
        wrong='"db.lan.example.net"',
        right='"edge.example.org"',
    ),
    _case(
        "internal-name-public-zone",
        "internal-name",
        'cloudflare(SLOT, name=VALUE, type="A", content="192.0.2.5")',
        wrong='"wiki.example.com"',
        right='"blog.example.com"',
    ),
    _case(
        "allow-overwrite",
        "overwrite",
        'route53(SLOT, type="A", records=["192.0.2.5"], allowOverwrite=VALUE)',
        wrong="True",
        right="False",
    ),
    _case(
        "proxied-ttl",
        "proxied",
        'cloudflare(SLOT, type="CNAME", content="edge.example.org", proxied=True, ttl=VALUE)',
        wrong="300",
        right="1",
    ),
    _case(
        "proxied-type",
        "proxied-text",
        'cloudflare(SLOT, type="TXT", content=\'"text"\', ttl=1, proxied=VALUE)',
        wrong="True",
        right="False",
    ),
    _case(
        "ttl-range",
        "short",
        'cloudflare(SLOT, type="A", content="192.0.2.5", ttl=VALUE)',
        wrong="30",
        right="60",
    ),
    _case(
        "cname-apex",
        "apex",
        'route53(SLOT, name=VALUE, type="CNAME", records=["edge.example.org"])',
        wrong='"example.net"',
        right='"www.example.net"',
    ),
    _case(
        "apex-ns",
        "nameserver",
        'route53(SLOT, name=VALUE, type="NS", records=["ns1.example.org."])',
        wrong='"example.net"',
        right='"sub.example.net"',
    ),
    _case(
        "wildcard-opt-in",
        "wildcard",
        'cloudflare(SLOT, name=VALUE, type="A", content="192.0.2.5")',
        wrong='"*.example.com"',
        right='"any.example.com"',
    ),
    _case(
        "record-not-allowed-by-zone",
        "allowed",
        'cloudflare(SLOT, name=VALUE, type="A", content="192.0.2.5")',
        wrong='"forbidden.example.com"',
        right='"permitted.example.com"',
    ),
    _case(
        "marker-missing",
        "marked",
        'cloudflare(SLOT, owned, type="A", content="192.0.2.5", comment=VALUE)',
        wrong='"by hand"',
        right="MARKER",
    ),
    _case(
        "internal-route-annotation",
        "internal-route",
        'route(SLOT, "admin.example.com", annotations=VALUE)',
        wrong='{"external-dns.kubernetes.io/controller": "none"}',
        right="NONE",
    ),
    _case(
        "internal-route-annotation",
        "public-route",
        'route(SLOT, "app.example.com", labels={"edge-dns/exposure": "public"}, annotations=VALUE)',
        wrong="NONE",
        right="{}",
    ),
    _case(
        "internal-route-annotation",
        "service",
        'kubernetes(SLOT, "core/v1:Service", {}, labels={"edge-dns/exposure": "internal"}, annotations=VALUE)',
        wrong='{**NONE, "external-dns.kubernetes.io/controller": "dns-controller"}',
        right="NONE",
    ),
    _case(
        "dnsendpoint-selects-internal",
        "endpoint-name",
        'endpoint(SLOT, VALUE, "A", "192.0.2.5")',
        wrong='"wiki.example.com"',
        right='"shop.example.com"',
    ),
    _case(
        "dnsendpoint-selects-internal",
        "endpoint-target",
        'endpoint(SLOT, "cart.example.com", "A", VALUE)',
        wrong='"10.0.0.5"',
        right='"192.0.2.5"',
    ),
    _case(
        "register-grew",
        "register",
        'pulumi.ComponentResource("edge:dns:PublisherRegister", SLOT,'
        ' {"entries": ["HTTPRoute prod:shop/admin"], "before": VALUE})',
        wrong="[]",
        right='["HTTPRoute prod:shop/admin", "HTTPRoute prod:shop/old"]',
    ),
]

TOGETHER = [
    _case(
        "cname-coexistence",
        "beside",
        'route53("text-beside", name=VALUE, type="TXT", records=["text"])\n'
        'route53(SLOT, type="CNAME", records=["edge.example.org"])',
        wrong='"beside.example.net"',
        right='"aside.example.net"',
    ),
    _case(
        "cname-loop",
        "circle",
        'cloudflare("circle-back", type="CNAME", content="circle.example.net")\n'
        'route53(SLOT, type="CNAME", records=[VALUE])',
        wrong='"circle-back.example.com"',
        right='"edge.example.org"',
    ),
    _case(
        "duplicate-record",
        "twin-2",
        'cloudflare("twin-1", name="twin.example.com", type="A", content="192.0.2.5")\n'
        'cloudflare(SLOT, name="twin.example.com", type="A", content=VALUE)',
        wrong='"192.0.2.5"',
        right='"192.0.2.6"',
    ),
    _case(
        "host-claimed-twice",
        "claimed",
        'cloudflare("claimed-v6", here, name="claimed.example.com", type="AAAA", content="2001:db8::5")\n'
        'cloudflare(SLOT, VALUE, type="A", content="192.0.2.5")',
        wrong="there",
        right="here",
    ),
    _case(
        "exposure-internal",
        "secret",
        'route("route-secret", VALUE, annotations=NONE)\ncloudflare(SLOT, type="A", content="192.0.2.5")',
        wrong='"secret.example.com"',
        right='"hidden.example.com"',
    ),
    _case(
        "marker-missing-route53",
        "unmarked",
        'route53("marker-of-unmarked", owned, name="_edge-dns.unmarked.example.net", type="TXT", records=[VALUE])\n'
        'route53(SLOT, owned, type="A", records=["192.0.2.5"])',
        wrong='"edge-dns/1 other/test TowonelTunnel/team/web"',
        right="MARKER",
    ),
]
