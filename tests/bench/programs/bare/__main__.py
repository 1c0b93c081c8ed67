"""A plain program: a loop over the resources in a file, with the provider SDKs as they are."""

import json
from pathlib import Path

import pulumi
from pulumi_aws.route53 import Record
from pulumi_cloudflare import DnsRecord

from components.towonel import Invite, Provider

CLASSES = {"invite": Invite, "cloudflare": DnsRecord, "route53": Record}

config = pulumi.Config()
hub = config.require_object("hub")
provider = Provider("hub", url=hub["url"], api_key=hub["apiKey"])

declared: dict[str, pulumi.Resource] = {}
for resource in json.loads(Path(config.require("resources")).read_text(encoding="utf-8")):
    options = pulumi.ResourceOptions(
        provider=provider if resource["class"] == "invite" else None,
        depends_on=[declared[name] for name in resource["dependsOn"]],
    )
    declared[resource["name"]] = CLASSES[resource["class"]](resource["name"], **resource["inputs"], opts=options)
