"""A plain program: a loop over the resources in a file, with those provider SDKs that they need, as they are."""

import json
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pulumi

CLASSES = {
    "invite": ("components.towonel", "Invite"),
    "cloudflare": ("pulumi_cloudflare", "DnsRecord"),
    "route53": ("pulumi_aws.route53", "Record"),
    "dnsendpoint": ("pulumi_kubernetes.apiextensions", "CustomResource"),
}

config = pulumi.Config()


@cache
def class_of(kind: str) -> Any:
    module, name = CLASSES[kind]
    return getattr(import_module(module), name)


@cache
def provider_of(kind: str) -> Any:
    if kind == "invite":
        hub = config.require_object("hub")
        return import_module("components.towonel").Provider("hub", url=hub["url"], api_key=hub["apiKey"])
    if kind == "dnsendpoint":
        return import_module("pulumi_kubernetes").Provider(
            "kubernetes",
            kubeconfig=config.require("kubeconfig"),
            cluster_identifier="written",
            enable_server_side_apply=True,
            upsert_existing_objects=False,
        )
    return None


declared: dict[str, pulumi.Resource] = {}
for resource in json.loads(Path(config.require("resources")).read_text(encoding="utf-8")):
    kind = resource["class"]
    options = pulumi.ResourceOptions(
        provider=provider_of(kind), depends_on=[declared[name] for name in resource["dependsOn"]]
    )
    declared[resource["name"]] = class_of(kind)(resource["name"], **resource["inputs"], opts=options)
