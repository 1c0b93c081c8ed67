"""`getRecords` and `getZone` without the API: results in the SDK's spelling. Pure."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from local.plugins.properties import Properties
from local.plugins.provider import ProviderError
from local.plugins.route53_names import api_name, clean_zone_id, shown_name

GET_RECORDS: Final = "aws:route53/getRecords:getRecords"
GET_ZONE: Final = "aws:route53/getZone:getZone"


def records_result(arguments: Properties, listing: Iterable[Mapping[str, Any]]) -> Properties:
    """The lookup's result: all RRsets, or those whose name the expression finds, names in the API's form."""
    pattern = re.compile(str(arguments["nameRegex"])) if arguments.get("nameRegex") else None
    found = [_listed(record) for record in listing if pattern is None or pattern.search(record["Name"])]
    return {**arguments, "id": arguments["zoneId"], "resourceRecordSets": found}


def _listed(record: Mapping[str, Any]) -> Properties:
    alias = record.get("AliasTarget")
    return {
        "name": record["Name"],
        "type": record["Type"],
        "ttl": None if alias else record.get("TTL"),
        "resourceRecords": [{"value": entry["Value"]} for entry in record.get("ResourceRecords", ())],
        "aliasTarget": None
        if not alias
        else {
            "dnsName": alias["DNSName"],
            "hostedZoneId": alias["HostedZoneId"],
            "evaluateTargetHealth": alias["EvaluateTargetHealth"],
        },
        "setIdentifier": record.get("SetIdentifier"),
        "weight": record.get("Weight"),
        "region": record.get("Region"),
        "failover": record.get("Failover"),
        "multiValueAnswer": record.get("MultiValueAnswer"),
        "healthCheckId": record.get("HealthCheckId"),
    }


def only_zone_id(arguments: Properties, zones: Iterable[Mapping[str, Any]]) -> str:
    """The id of the one hosted zone with the arguments' name and privacy; any other number is an error."""
    name, private = api_name(str(arguments["name"])), arguments.get("privateZone") is True
    found = [zone for zone in zones if zone["Name"] == name and zone["Config"]["PrivateZone"] == private]
    if not found:
        raise ProviderError("no matching Route 53 Hosted Zone found")
    if len(found) > 1:
        raise ProviderError("multiple Route 53 Hosted Zones matched")
    return clean_zone_id(found[0]["Id"])


def zone_result(description: Mapping[str, Any]) -> Properties:
    """The lookup's result for the API's description of a hosted zone."""
    zone, vpcs = description["HostedZone"], description.get("VPCs") or []
    zone_id = clean_zone_id(zone["Id"])
    name_servers = sorted((description.get("DelegationSet") or {}).get("NameServers", ()))
    return {
        "id": zone_id,
        "zoneId": zone_id,
        "arn": f"arn:aws:route53:::hostedzone/{zone_id}",
        "name": shown_name(zone["Name"]),
        "callerReference": zone.get("CallerReference"),
        "comment": zone["Config"].get("Comment", ""),
        "privateZone": zone["Config"]["PrivateZone"],
        "resourceRecordSetCount": zone.get("ResourceRecordSetCount"),
        "nameServers": name_servers,
        "primaryNameServer": name_servers[0] if name_servers else "",
        "tags": {},
        "vpcId": vpcs[0]["VPCId"] if vpcs else "",
        "linkedServiceDescription": "",
        "linkedServicePrincipal": "",
        "enableAcceleratedRecovery": False,
    }
