"""Declared resources from literals, as the rules see them, and a judge that asks every rule of the pack."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from pulumi_policy import (
    PolicyCustomTimeouts,
    PolicyResource,
    PolicyResourceOptions,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.proxy import unknown_checking_proxy

from policy.declared import DeclaredObject, DeclaredRecord, kind_of
from policy.policies import POLICIES
from policy.rule import Given
from policy.settings import SHARED, PackSettings, load

TODAY = date(2026, 6, 15)
CLOUDFLARE = "cloudflare:index/dnsRecord:DnsRecord"
ROUTE53 = "aws:route53/record:Record"
ROUTE = "kubernetes:gateway.networking.k8s.io/v1:HTTPRoute"
SERVICE = "kubernetes:core/v1:Service"
ENDPOINT = "kubernetes:externaldns.k8s.io/v1alpha1:DNSEndpoint"
STACK = "pulumi:pulumi:Stack"
NONE = {f"external-dns.{part}kubernetes.io/controller": "none" for part in ("alpha.", "")}
MARKER = "edge-dns/1 shop/prod TowonelTunnel/team/web"

Props = Mapping[str, Any]
Report = Callable[[str, str | None], None]


def settings(**parameters: object) -> PackSettings:
    """The settings of the pack from their JSON form."""
    return load(parameters, TODAY)


ZONES = [
    {"domain": "example.com", "provider": "cloudflare", "zoneId": "cf"},
    {"domain": "example.net", "provider": "route53", "zoneId": "aws"},
    {"domain": "lan.example.com", "provider": "cloudflare", "zoneId": "cf-lan", "visibility": "private"},
    {"domain": "lan.example.net", "provider": "route53", "zoneId": "aws-lan", "visibility": "private"},
]
SETTINGS = settings(zones=ZONES, internalNames=["wiki.example.com", "*.corp.example.com"])


def given(pack: PackSettings = SETTINGS, **parameters: object) -> Given:
    """What a check is given."""
    return Given(settings=pack, parameters=parameters)


def urn(token: str, name: str, *parents: str) -> str:
    """The URN of a resource of the stack `prod` of the project `shop`."""
    return f"urn:pulumi:prod::shop::{'$'.join((*parents, token))}::{name}"


def cloudflare_props(**properties: object) -> Props:
    return {"zoneId": "cf", "name": "app.example.com", "type": "A", "content": "1.1.1.1", "ttl": 300.0, **properties}


def route53_props(**properties: object) -> Props:
    return {"zoneId": "aws", "name": "app.example.net", "type": "A", "records": ["1.1.1.1"], "ttl": 300.0, **properties}


def record(
    token: str, props: Props, *, pack: PackSettings = SETTINGS, name: str = "app", parents: tuple[str, ...] = ()
) -> DeclaredRecord:
    return DeclaredRecord(
        token=token,
        props=unknown_checking_proxy(dict(props)),
        zones=pack.zones,
        urn=urn(token, name, *parents),
        parent=urn(parents[-1], "parent") if parents else "",
    )


def cloudflare(*parents: str, resource: str = "app", **properties: object) -> DeclaredRecord:
    return record(CLOUDFLARE, cloudflare_props(**properties), name=resource, parents=parents)


def route53(*parents: str, resource: str = "app", **properties: object) -> DeclaredRecord:
    return record(ROUTE53, route53_props(**properties), name=resource, parents=parents)


def kubernetes(token: str, spec: object = None, **metadata: object) -> DeclaredObject:
    props = {"metadata": {"name": "web", "namespace": "shop", **metadata}, "spec": spec or {}}
    return DeclaredObject(kind=kind_of(token) or "", props=unknown_checking_proxy(props), urn=urn(token, "web"))


def endpoint(name: str, kind: str, *targets: str, **metadata: object) -> DeclaredObject:
    return kubernetes(
        ENDPOINT, {"endpoints": [{"dnsName": name, "recordType": kind, "targets": list(targets)}]}, **metadata
    )


Declared = tuple[str, str, str, Props]
"""Token, name, parent (`<type>::<name>`, or nothing) and properties of a resource."""


def judge(
    parameters: Props, resources: Iterable[Declared], *, ignore_changes: Sequence[str] = ()
) -> dict[str, set[str]]:
    """Ask every policy as the SDK does; returns the names of the resources that each refuses.

    `ignore_changes` is the option of each resource.
    """
    options = PolicyResourceOptions(False, list(ignore_changes), None, [], PolicyCustomTimeouts(0, 0, 0), [], "parent")
    found: dict[str, set[str]] = {}
    program = list(resources)
    try:
        SHARED.take(parameters)
        for policy in POLICIES:
            if isinstance(policy, ResourceValidationPolicy) and policy.name != "settings":
                for one in program:
                    policy.validate(_resource(*one, options), _collect(found, policy.name, one[1]))
            elif isinstance(policy, StackValidationPolicy):
                args = StackValidationArgs([_stack_resource(*one, options) for one in program])
                policy.validate(args, _collect(found, policy.name, ""))
    finally:
        SHARED.take({})
    return found


def _collect(found: dict[str, set[str]], policy: str, name: str) -> Report:
    def report(message: str, told_urn: str | None) -> None:
        assert message
        found.setdefault(policy, set()).add(told_urn.rpartition("::")[2] if told_urn else name)

    return report


def _resource(
    token: str, name: str, parent: str, props: Props, options: PolicyResourceOptions
) -> ResourceValidationArgs:
    parents = (parent.partition("::")[0],) if parent else ()
    return ResourceValidationArgs(
        token, unknown_checking_proxy(dict(props)), urn(token, name, *parents), name, options, None
    )


def _stack_resource(token: str, name: str, parent: str, props: Props, options: PolicyResourceOptions) -> PolicyResource:
    args = _resource(token, name, parent, props, options)
    above = PolicyResource("", {}, f"urn:pulumi:prod::shop::{parent}", "", options, None, None, [], {})
    return PolicyResource(token, args.props, args.urn, name, options, None, above if parent else None, [], {})
