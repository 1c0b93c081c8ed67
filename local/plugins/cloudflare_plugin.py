"""The light Cloudflare plugin: DnsRecord, tunnels with their configuration, and the lookups on them and on zones."""

from collections.abc import Mapping, Sequence

from local.plugins import cloudflare_lookups, cloudflare_records, cloudflare_tunnels, server
from local.plugins.cloudflare_api import CloudflareApi
from local.plugins.properties import Properties
from local.plugins.provider import CheckFailure, Diff, Provider, ProviderError, ResourceType, State


class CloudflareProvider(Provider):
    """Settings: `apiToken` (or the environment variable CLOUDFLARE_API_TOKEN) and `baseUrl`."""

    package = "cloudflare"
    resource_type = cloudflare_records.RESOURCE_TYPE
    secret_settings = frozenset({"apiToken", "apiKey", "apiUserServiceKey"})

    def __init__(self) -> None:
        self._api = CloudflareApi({})

    def configure(self, settings: Properties) -> None:
        """Take the settings."""
        self._api = CloudflareApi(settings)

    def of_type(self, resource_type: str) -> ResourceType | None:
        """Records, tunnels and the configurations of these."""
        if resource_type == cloudflare_tunnels.TUNNEL:
            return cloudflare_tunnels.TunnelType(self._api)
        if resource_type == cloudflare_tunnels.CONFIG:
            return cloudflare_tunnels.ConfigType(self._api)
        return super().of_type(resource_type)

    def check(self, inputs: Properties) -> Sequence[CheckFailure]:
        """What the official provider refuses at preview."""
        return cloudflare_records.check(inputs)

    def diff(self, *, old_inputs: Properties, old_outputs: Properties, inputs: Properties) -> Diff:
        """Zone and type replace, all else changes in place."""
        return cloudflare_records.diff(old_inputs=old_inputs, old_outputs=old_outputs, inputs=inputs)

    def create(self, inputs: Properties, *, preview: bool) -> State:
        """POST; the API refuses a record that could not coexist with the others of its name."""
        if preview:
            return State(id="", inputs=inputs, outputs=cloudflare_records.predicted_outputs(inputs))
        zone_id = str(inputs["zoneId"])
        record = self._api.create(zone_id, cloudflare_records.body(inputs))
        outputs = cloudflare_records.outputs_of(record, zone_id, inputs)
        return State(id=str(record["id"]), inputs=inputs, outputs=outputs)

    def read(self, resource_id: str, *, old_inputs: Properties, old_outputs: Properties) -> State | None:
        """GET; a record that is missing is gone."""
        if old_outputs.get("zoneId"):
            zone_id, record_id = str(old_outputs["zoneId"]), resource_id
        else:
            zone_id, record_id = cloudflare_records.parse_import_id(resource_id)
        record = self._api.get(zone_id, record_id)
        if record is None:
            return None
        outputs = cloudflare_records.outputs_of(record, zone_id)
        return State(id=record_id, inputs=cloudflare_records.inputs_of(outputs, old_inputs), outputs=outputs)

    def update(self, resource_id: str, *, old_outputs: Properties, inputs: Properties, preview: bool) -> Properties:
        """PUT of the whole record."""
        if preview:
            return cloudflare_records.predicted_outputs(inputs, old_outputs)
        zone_id = str(inputs["zoneId"])
        record = self._api.update(zone_id, resource_id, cloudflare_records.body(inputs))
        return cloudflare_records.outputs_of(record, zone_id, inputs)

    def delete(self, resource_id: str, old_outputs: Properties) -> None:
        """DELETE; a record that is missing is an error, as with the official provider."""
        self._api.delete(str(old_outputs["zoneId"]), resource_id)

    def invoke(self, token: str, arguments: Properties) -> Properties:
        """Answer getDnsRecords, getZone and the lookups of tunnels."""
        if token == cloudflare_lookups.GET_DNS_RECORDS:
            return self._get_dns_records(arguments)
        if token == cloudflare_lookups.GET_ZONE:
            return self._get_zone(arguments)
        if token in (cloudflare_tunnels.GET_TUNNELS, cloudflare_tunnels.GET_CONFIG, cloudflare_tunnels.GET_TOKEN):
            return cloudflare_tunnels.answer(self._api, token, arguments)
        raise ProviderError(f"the light cloudflare plugin does not know {token}: install the official plugin")

    def _get_dns_records(self, arguments: Properties) -> Properties:
        query, limit = cloudflare_lookups.records_query(arguments), cloudflare_lookups.max_items(arguments)
        return cloudflare_lookups.records_result(
            arguments, self._api.list_records(str(arguments["zoneId"]), query, limit)
        )

    def _get_zone(self, arguments: Properties) -> Properties:
        zone_id, zone_filter = arguments.get("zoneId"), arguments.get("filter")
        if (zone_id is None) == (zone_filter is None):
            raise ProviderError("getZone: exactly one of zoneId and filter is needed")
        if not isinstance(zone_filter, Mapping):
            return cloudflare_lookups.zone_result(self._api.zone(str(zone_id)))
        zone = cloudflare_lookups.only_zone(self._api.list_zones(cloudflare_lookups.zones_query(zone_filter)))
        return {**cloudflare_lookups.zone_result(zone), "filter": zone_filter}


if __name__ == "__main__":
    server.serve(CloudflareProvider())
