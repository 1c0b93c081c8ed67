"""The light AWS plugin: route53.Record, getRecords and getZone."""

from collections.abc import Sequence
from contextlib import suppress

from local.plugins import route53_lookups, route53_records, server
from local.plugins.properties import Properties
from local.plugins.provider import CheckFailure, Diff, Provider, ProviderError, State
from local.plugins.route53_api import InvalidChangeBatchError, Route53Api, ZoneMissingError
from local.plugins.route53_names import api_name, expanded
from local.plugins.route53_rules import Action, Change, RRset


class AwsProvider(Provider):
    """Settings: `region`, `accessKey`, `secretKey`, `token`, `profile`, `assumeRoles`, `endpoints`; others do nothing.

    What is not set comes from the environment, as boto3 finds it.
    """

    package = "aws"
    resource_type = route53_records.RESOURCE_TYPE
    secret_settings = frozenset({"accessKey", "secretKey", "token"})

    def __init__(self) -> None:
        self._api = Route53Api({})

    def configure(self, settings: Properties) -> None:
        """Take the settings."""
        self._api = Route53Api(settings)

    def check(self, inputs: Properties) -> Sequence[CheckFailure]:
        """What the official provider refuses at preview."""
        return route53_records.check(inputs)

    def diff(self, *, old_inputs: Properties, old_outputs: Properties, inputs: Properties) -> Diff:
        """Zone and name replace, all else changes in place."""
        return route53_records.diff(old_inputs=old_inputs, old_outputs=old_outputs, inputs=inputs)

    def create(self, inputs: Properties, *, preview: bool) -> State:
        """CREATE, or UPSERT with `allowOverwrite`."""
        if preview:
            return State(id="", inputs=inputs, outputs=route53_records.predicted_outputs(inputs))
        zone = self._api.zone(str(inputs["zoneId"]))
        rrset = route53_records.rrset(inputs, zone.name)
        action: Action = "UPSERT" if inputs.get("allowOverwrite") is True else "CREATE"
        self._api.change("creating Route53 Record", zone, [Change(action=action, rrset=rrset)])
        outputs = {**inputs, **_outputs(rrset, inputs)}
        return State(id=str(outputs["id"]), inputs=inputs, outputs=outputs)

    def read(self, resource_id: str, *, old_inputs: Properties, old_outputs: Properties) -> State | None:
        """The RRset of this name and type; gone when it, or its zone, is missing."""
        known = old_outputs if old_outputs.get("zoneId") else _from_import_id(resource_id)
        rrset = self._find(known)
        if rrset is None:
            return None
        outputs = _outputs(rrset, known)
        return State(id=str(outputs["id"]), inputs=route53_records.inputs_of(outputs, old_inputs), outputs=outputs)

    def update(self, resource_id: str, *, old_outputs: Properties, inputs: Properties, preview: bool) -> Properties:
        """UPSERT; a change of type is DELETE and CREATE in one batch."""
        if preview:
            return route53_records.predicted_outputs(inputs, old_outputs)
        zone = self._api.zone(str(inputs["zoneId"]))
        new, old = route53_records.rrset(inputs, zone.name), route53_records.rrset(old_outputs, zone.name)
        batch = [Change(action="UPSERT", rrset=new)]
        if new.type != old.type:
            batch = [Change(action="DELETE", rrset=old), Change(action="CREATE", rrset=new)]
        self._api.change(f"updating Route53 Record ({resource_id})", zone, batch)
        return {**inputs, **_outputs(new, inputs)}

    def delete(self, resource_id: str, old_outputs: Properties) -> None:
        """DELETE of what is there now; a record that is missing, or gone meanwhile, is fine."""
        rrset = self._find(old_outputs)
        if rrset is None:
            return
        zone = self._api.zone(str(old_outputs["zoneId"]))
        with suppress(InvalidChangeBatchError):
            self._api.change(f"deleting Route53 Record ({resource_id})", zone, [Change(action="DELETE", rrset=rrset)])

    def invoke(self, token: str, arguments: Properties) -> Properties:
        """Answer getRecords and getZone."""
        if token == route53_lookups.GET_RECORDS:
            return route53_lookups.records_result(arguments, self._api.listing(str(arguments["zoneId"])))
        if token == route53_lookups.GET_ZONE:
            return self._get_zone(arguments)
        raise ProviderError(f"the light aws plugin does not know {token}: install the official plugin")

    def _get_zone(self, arguments: Properties) -> Properties:
        if (arguments.get("zoneId") is None) == (arguments.get("name") is None):
            raise ProviderError("getZone: exactly one of zoneId and name is needed")
        zone_id = arguments.get("zoneId")
        if zone_id is None:
            zone_id = route53_lookups.only_zone_id(arguments, self._api.hosted_zones())
        return route53_lookups.zone_result(self._api.hosted_zone(str(zone_id)))

    def _find(self, known: Properties) -> RRset | None:
        try:
            zone = self._api.zone(str(known["zoneId"]))
            return self._api.find(zone, api_name(expanded(str(known["name"]), zone.name)), str(known["type"]))
        except ZoneMissingError:
            return None


def _outputs(rrset: RRset, known: Properties) -> Properties:
    return route53_records.outputs_of(rrset, str(known["zoneId"]), name=str(known["name"]))


def _from_import_id(import_id: str) -> Properties:
    zone_id, name, record_type, set_identifier = route53_records.parse_import_id(import_id)
    if set_identifier:
        raise ProviderError(f"{import_id}: records with a set identifier need the official aws plugin")
    return {"zoneId": zone_id, "name": name, "type": record_type}


if __name__ == "__main__":
    server.serve(AwsProvider())
