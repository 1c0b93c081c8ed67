"""Route 53's API through boto3, with Route 53's own checks before each change and errors in one line."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from local.plugins import route53_records, route53_rules
from local.plugins.properties import Properties
from local.plugins.provider import ProviderError, api_timeout_seconds
from local.plugins.route53_names import clean_zone_id
from local.plugins.route53_rules import Change, RRset, Zone

if TYPE_CHECKING:
    import boto3
    from mypy_boto3_route53 import Route53Client

_DEFAULT_REGION: Final = "us-east-1"  # Route 53 is global; the client wants a region all the same


class ZoneMissingError(ProviderError):
    """The hosted zone is not there."""


class InvalidChangeBatchError(ProviderError):
    """Route 53 refuses the changes."""


class Route53Api:
    """Calls with the provider's settings; session and client are made at the first call. Raises ProviderError."""

    def __init__(self, settings: Properties) -> None:
        self._settings = settings
        self._zones: dict[str, Zone] = {}
        self._one_change_at_a_time = threading.Lock()

    def zone(self, zone_id: str) -> Zone:
        """The hosted zone; asked for once."""
        bare = clean_zone_id(zone_id)
        if bare not in self._zones:
            name = self.hosted_zone(bare)["HostedZone"]["Name"]
            self._zones[bare] = Zone(id=bare, name=name)
        return self._zones[bare]

    def find(self, zone: Zone, name: str, record_type: str) -> RRset | None:
        """The RRset of this name (API form) and type."""
        return next((rrset for rrset in self._at(zone, name) if rrset.type == record_type), None)

    def change(self, action: str, zone: Zone, batch: Sequence[Change]) -> None:
        """Make the changes of one name in one transaction; refused as Route 53 refuses it. `action` is for errors."""
        with self._one_change_at_a_time:
            names = [batch[0].rrset.name, *_alias_names(zone, batch)]
            texts = route53_rules.violations(zone, self._at(zone, *names), batch)
            if texts:
                raise InvalidChangeBatchError(f"{action}: InvalidChangeBatch: [{', '.join(texts)}]")
            changes: Any = [
                {"Action": change.action, "ResourceRecordSet": route53_records.to_api(change.rrset)} for change in batch
            ]
            with _errors(action):
                self._client.change_resource_record_sets(HostedZoneId=zone.id, ChangeBatch={"Changes": changes})

    def listing(self, zone_id: str) -> Iterator[Mapping[str, Any]]:
        """All RRsets of the zone, as the API lists them."""
        with _errors(f"listing Route 53 Records ({zone_id})"):
            pages = self._client.get_paginator("list_resource_record_sets").paginate(HostedZoneId=zone_id)
            for page in pages:
                yield from page["ResourceRecordSets"]

    def hosted_zone(self, zone_id: str) -> Mapping[str, Any]:
        """The API's description of a hosted zone."""
        with _errors(f"reading Route 53 Hosted Zone ({zone_id})"):
            return self._client.get_hosted_zone(Id=zone_id)

    def hosted_zones(self) -> list[Mapping[str, Any]]:
        """All hosted zones, as the API lists them."""
        with _errors("listing Route 53 Hosted Zones"):
            pages = self._client.get_paginator("list_hosted_zones").paginate()
            return [zone for page in pages for zone in page["HostedZones"]]

    def _at(self, zone: Zone, *names: str) -> list[RRset]:
        found: list[RRset] = []
        for name in dict.fromkeys(names):
            with _errors(f"listing Route 53 Records ({zone.id})"):
                listed = self._client.list_resource_record_sets(
                    HostedZoneId=zone.id, StartRecordName=name, MaxItems="100"
                )
            rrsets = [route53_records.from_api(record) for record in listed["ResourceRecordSets"]]
            found.extend(rrset for rrset in rrsets if rrset.name == name)
        return found

    @cached_property
    def _client(self) -> "Route53Client":
        endpoint = _endpoints(self._settings).get("route53")
        from botocore.config import Config  # noqa: PLC0415 - see _session

        limits = Config(connect_timeout=api_timeout_seconds(), read_timeout=api_timeout_seconds())
        return self._session().client("route53", endpoint_url=endpoint, config=limits)

    def _session(self) -> "boto3.Session":
        import boto3  # noqa: PLC0415 - a third of a second that a preview without calls need not wait

        settings = self._settings
        session = boto3.Session(
            aws_access_key_id=_text(settings, "accessKey"),
            aws_secret_access_key=_text(settings, "secretKey"),
            aws_session_token=_text(settings, "token"),
            region_name=_text(settings, "region") or _DEFAULT_REGION,
            profile_name=_text(settings, "profile"),
        )
        for role in _nested(settings, "assumeRoles") or []:
            session = self._assumed(session, role)
        return session

    def _assumed(self, session: "boto3.Session", role: Mapping[str, Any]) -> "boto3.Session":
        import boto3  # noqa: PLC0415 - see _session

        optional = {"ExternalId": role.get("externalId"), "DurationSeconds": role.get("durationSeconds")}
        arguments = {key: value for key, value in optional.items() if value is not None}
        with _errors(f"assuming role {role['roleArn']}"):
            answer = session.client("sts", endpoint_url=_endpoints(self._settings).get("sts")).assume_role(
                RoleArn=role["roleArn"], RoleSessionName=role.get("sessionName", "pulumi"), **arguments
            )
        credentials = answer["Credentials"]
        return boto3.Session(
            aws_access_key_id=credentials["AccessKeyId"],
            aws_secret_access_key=credentials["SecretAccessKey"],
            aws_session_token=credentials["SessionToken"],
            region_name=session.region_name,
        )


_KINDS: Final = {"NoSuchHostedZone": ZoneMissingError, "InvalidChangeBatch": InvalidChangeBatchError}


def _alias_names(zone: Zone, batch: Sequence[Change]) -> list[str]:
    """The names in this zone that the batch's aliases target: they must exist."""
    aliases = (change.rrset.alias for change in batch)
    return [alias.name for alias in aliases if alias is not None and alias.zone_id == zone.id]


def _text(settings: Properties, key: str) -> str | None:
    value = settings.get(key)
    return str(value) if value else None


def _nested(settings: Properties, key: str) -> Any:  # noqa: ANN401 - JSON of the provider's settings
    """A setting that is no plain text: the engine hands it over as JSON."""
    value = settings.get(key)
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        raise ProviderError(f"aws:{key} is not JSON") from None


def _endpoints(settings: Properties) -> dict[str, str]:
    return {service: url for entry in _nested(settings, "endpoints") or [] for service, url in entry.items()}


@contextmanager
def _errors(action: str) -> Iterator[None]:
    import botocore.exceptions  # noqa: PLC0415 - loaded with boto3

    try:
        yield
    except botocore.exceptions.ClientError as error:
        code, message = error.response["Error"].get("Code"), error.response["Error"].get("Message")
        kind = _KINDS.get(str(code), ProviderError)
        raise kind(f"{action}: {code}: {message}") from None
    except botocore.exceptions.BotoCoreError as error:
        raise ProviderError(f"{action}: {' '.join(str(error).split())}") from None
