"""Route 53 on a loopback port: moto's server, with what moto leaves out of the API's normal form put right."""

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Final

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from moto.route53.models import ChangeList, FakeZone, HostedZoneIdentifier, Route53Backend, route53_backends
from moto.utilities.id_generator import moto_id_manager
from werkzeug.wrappers import Request, Response

from local.loopback import LoopbackServer

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_ZONE_AUTHORITY_TYPES: Final = frozenset({"NS", "SOA"})


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class HostedRecord:
    """An RRset as the service holds it: name as FQDN without the last dot, `*` as itself; ttl None for an alias."""

    name: str
    type: str
    values: tuple[str, ...]
    ttl: int | None
    alias: tuple[str, str, bool] | None
    """(DNS name, hosted zone id, evaluate target health)"""


class Route53Service(LoopbackServer):
    """Route 53 of one account while the context is open; made-up credentials, and any others, are accepted.

    Each service has an account of its own, so that several in one process share no zone. What the helpers below do is
    in no request log.
    """

    region: Final = "us-east-1"

    def __init__(self) -> None:
        self.access_key = "AKIA" + secrets.token_hex(8).upper()
        self.secret_key = secrets.token_urlsafe(30)
        self._account = str(100_000_000_000 + secrets.randbelow(900_000_000_000))
        self._moto = DomainDispatcherApplication(create_backend_app)
        super().__init__(self._forward)

    @property
    def url(self) -> str:
        """The endpoint as the AWS provider's `endpoints: [{route53: …}]` takes it."""
        return self.origin

    @property
    def zone_ids(self) -> Mapping[str, str]:
        """The ids of the hosted zones by name, without the last dot."""
        return {str(zone.name).rstrip("."): str(zone.resource_id) for zone in self._backend.zones.values()}

    def add_zone(self, name: str, *, zone_id: str | None = None, private: bool = False) -> str:
        """Add a hosted zone (NS and SOA at its apex); returns its id, made up unless given."""
        fqdn = name.lower().rstrip(".") + "."
        identifier = HostedZoneIdentifier(self._account, fqdn, None)
        if zone_id is not None:
            moto_id_manager.set_custom_id(identifier, zone_id)
        try:
            zone = self._backend.create_hosted_zone(
                fqdn,
                private_zone=private,
                vpcid="vpc-0123456789abcdef0" if private else None,
                vpcregion=self.region if private else None,
            )
        finally:
            moto_id_manager.unset_custom_id(identifier)
        for rrset in zone.rrsets:
            # moto keeps the value of its own SOA as the request for it would hold it.
            rrset.records = [one["Value"] if isinstance(one, dict) else one for one in rrset.records]
        return str(zone.resource_id)

    def add_record(self, zone_id: str, *, name: str, record_type: str, values: Sequence[str], ttl: int = 300) -> None:
        """Add or replace an RRset as somebody else would; values as the API wants them (TXT quoted)."""
        records = [{"Value": value} for value in values]
        self._change(zone_id, "UPSERT", {"Name": name, "Type": record_type, "TTL": ttl, "ResourceRecords": records})

    def add_alias(self, zone_id: str, *, name: str, record_type: str, target: str, target_zone_id: str) -> None:
        """Add or replace an alias as somebody else would, with the health of its target evaluated."""
        alias = {"DNSName": target, "HostedZoneId": target_zone_id, "EvaluateTargetHealth": True}
        self._change(zone_id, "UPSERT", {"Name": name, "Type": record_type, "AliasTarget": alias})

    def delete_record(self, zone_id: str, *, name: str, record_type: str) -> None:
        """Remove an RRset behind its owner's back; one that is missing stays missing."""
        self._zone(zone_id).delete_rrset({"Name": _api_name(name), "Type": record_type})
        _prune_journal(self._zone(zone_id))

    def records(self, zone_id: str) -> list[HostedRecord]:
        """All RRsets of the zone but the NS and SOA that it was made with, sorted by name and type."""
        zone = self._zone(zone_id)
        return sorted(
            _hosted(rrset)
            for rrset in zone.rrsets
            if not (rrset.name == zone.name and rrset.type in _ZONE_AUTHORITY_TYPES)
        )

    def _change(self, zone_id: str, action: str, rrset: dict[str, object]) -> None:
        rrset["Name"] = _api_name(str(rrset["Name"]))
        self._backend.change_resource_record_sets(zone_id, [{"Action": action, "ResourceRecordSet": rrset}])
        _prune_journal(self._zone(zone_id))

    @property
    def _backend(self) -> Route53Backend:
        return route53_backends[self._account]["aws"]

    def _zone(self, zone_id: str) -> FakeZone:
        return self._backend.get_hosted_zone(zone_id)

    def _forward(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        environ["HTTP_X_MOTO_ACCOUNT_ID"] = self._account
        if environ["REQUEST_METHOD"] == "POST":
            _normalise_body(environ)
        response = Response.from_app(self._moto, environ, buffered=True)
        for zone in self._backend.zones.values():
            _prune_journal(zone)
        return response(environ, start_response)


def _api_name(name: str) -> str:
    """The form in which Route 53 keeps a name: FQDN with a dot, lower case, `*` as an octal escape."""
    return name.lower().rstrip(".").replace("*", r"\052") + "."


def _normalise_body(environ: "WSGIEnvironment") -> None:
    def normalised(match: re.Match[str]) -> str:
        return f"<{match[1]}>{_api_name(match[2])}</{match[1]}>"

    body = Request(environ).get_data(as_text=True)
    encoded = re.sub(r"<(Name|DNSName)>([^<]+)</\1>", normalised, body).encode()
    environ["wsgi.input"] = BytesIO(encoded)
    environ["CONTENT_LENGTH"] = str(len(encoded))


def _prune_journal(zone: FakeZone) -> None:
    """Keep of moto's change journal what the zone still holds: moto takes what it finds there for existing records."""
    held = {(rrset.name.rstrip("."), rrset.type) for rrset in zone.rrsets}
    kept = ChangeList()
    for change in zone.rr_changes:
        rrset = change["ResourceRecordSet"]
        if change["Action"] != "DELETE" and (rrset["Name"], rrset["Type"]) in held:
            kept.append(change)
    zone.rr_changes = kept


def _hosted(rrset: object) -> HostedRecord:
    alias = getattr(rrset, "alias_target", None)
    ttl = getattr(rrset, "ttl", None)
    return HostedRecord(
        name=str(getattr(rrset, "name", "")).rstrip(".").replace(r"\052", "*"),
        type=str(getattr(rrset, "type", "")),
        values=tuple(sorted(getattr(rrset, "records", None) or ())),
        ttl=None if alias or ttl is None else int(ttl),
        alias=(alias["DNSName"], alias["HostedZoneId"], alias["EvaluateTargetHealth"]) if alias else None,
    )
