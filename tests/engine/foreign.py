"""Other people's records: fifty of many kinds in both zones of a world, which no run of any test may touch."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from edge_dns.core.markers import marker_name, marker_text, txt_value
from edge_dns.core.values import Source
from local.route53 import HostedRecord
from local.services import LocalServices

COUNT = 50
_STAGING = marker_text("edge-dns", "staging", Source(cluster="prod", kind="Gateway", namespace="edge", name="front"))
_EXTERNAL_DNS = '"heritage=external-dns,external-dns/owner=prod,external-dns/resource=ingress/shop/web"'

Row = tuple[str, str, str]
"""Name below the zone (`@` is its apex), type, and value as a zone file has it."""

_ROWS: tuple[Row, ...] = (
    ("@", "TXT", '"v=spf1 mx -all"'),
    ("@", "MX", "10 mail.keep.example.net."),
    ("@", "CAA", '0 issue "ca.example.net"'),
    ("_dmarc", "TXT", '"v=DMARC1; p=reject"'),
    # All that may stand at one name.
    ("mail.keep", "A", "198.51.100.25"),
    ("mail.keep", "AAAA", "2001:db8:ffff::25"),
    ("mail.keep", "TXT", '"v=spf1 a -all"'),
    ("mail.keep", "CAA", '0 iodef "mailto:pki@example.net"'),
    ("s1._domainkey.keep", "TXT", f'"v=DKIM1; k=rsa; p={"M" * 200}"'),
    ("_sip._tcp.keep", "SRV", "10 20 5060 mail.keep.example.net."),
    ("intranet.keep", "CNAME", "elsewhere.example.net"),
    ("*.wild.keep", "A", "198.51.100.26"),
    ("lab.keep", "NS", "ns1.example.net"),
    # Of external-dns, with its registry.
    ("shop.keep", "CNAME", "ingress.example.net"),
    ("cname-shop.keep", "TXT", _EXTERNAL_DNS),
    ("pay.keep", "A", "198.51.100.27"),
    ("a-pay.keep", "TXT", _EXTERNAL_DNS),
    # Text in the place of a marker that is none.
    (marker_name("note.keep", ""), "TXT", '"not a marker"'),
)
_FILLERS: tuple[Row, ...] = tuple((f"host{number}.keep", "A", f"198.51.100.{number}") for number in range(100, 150))


@dataclass(frozen=True, slots=True)
class Foreign:
    """The planted records as the providers held them at first: in full, ids and times of change included."""

    services: LocalServices
    cloudflare_zone: str
    route53_zone: str
    at_cloudflare: tuple[Mapping[str, object], ...]
    at_route53: tuple[HostedRecord, ...]

    def without(
        self, cloudflare: Iterable[Mapping[str, object]], route53: Iterable[HostedRecord]
    ) -> tuple[list[Mapping[str, object]], list[HostedRecord]]:
        """Return what is in the two lists beside the planted records."""
        return (
            [one for one in cloudflare if one not in self.at_cloudflare],
            [one for one in route53 if one not in self.at_route53],
        )

    @property
    def names(self) -> set[str]:
        """The names of the planted records."""
        return {str(one["name"]) for one in self.at_cloudflare} | {one.name for one in self.at_route53}

    def touched(self) -> list[object]:
        """Return the planted records that are not there any more exactly as they were."""
        cloudflare, route53 = _held(self.services, self.cloudflare_zone, self.route53_zone)
        lost = [one for one in self.at_cloudflare if one not in cloudflare]
        return [*lost, *(one for one in self.at_route53 if one not in route53)]


def plant(services: LocalServices, cloudflare_zone: str, route53_zone: str) -> Foreign:
    """Put fifty records of other people into each of two zones, which are named by domain."""
    cloudflare, route53 = services.zone_ids[cloudflare_zone], services.zone_ids[route53_zone]
    for row in _rows(cloudflare_zone, others=[("other.keep", "A", "198.51.100.28")]):
        _add_to_cloudflare(services, cloudflare, row)
    marked = [("other.keep", "A", "198.51.100.28"), (marker_name("other.keep", ""), "TXT", txt_value(_STAGING))]
    for name, kind, value in _rows(route53_zone, others=marked):
        services.route53.add_record(route53, name=name, record_type=kind, values=[value])
    at_cloudflare, at_route53 = _held(services, cloudflare_zone, route53_zone)
    assert len(at_cloudflare) == len(at_route53) == COUNT
    return Foreign(services, cloudflare_zone, route53_zone, tuple(at_cloudflare), tuple(at_route53))


def _rows(zone: str, others: Iterable[Row]) -> list[Row]:
    """Return the rows with their names in the zone, filled up to the count."""
    rows = [*_ROWS, *others, *_FILLERS][:COUNT]
    return [(zone if name == "@" else f"{name}.{zone}", kind, value) for name, kind, value in rows]


def _add_to_cloudflare(services: LocalServices, zone_id: str, row: Row) -> None:
    name, kind, value = row
    fields: dict[str, object] = {"name": name, "type": kind, "content": value}
    if kind == "MX":
        priority, _, host = value.partition(" ")
        fields |= {"priority": int(priority), "content": host.removesuffix(".")}
    if kind in {"A", "CNAME"} and not name.startswith("*"):
        fields["proxied"] = True
    if name.startswith("other."):
        fields["comment"] = _STAGING
    services.cloudflare.add_record(zone_id, **fields)


def _held(
    services: LocalServices, cloudflare_zone: str, route53_zone: str
) -> tuple[list[dict[str, object]], list[HostedRecord]]:
    zones = services.zone_ids
    return services.cloudflare.records(zones[cloudflare_zone]), services.route53.records(zones[route53_zone])
