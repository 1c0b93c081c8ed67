"""The blast radius of a name that turns internal: every record that goes, by whose hand, and what answers then."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from edge_dns.core.adoption import described
from edge_dns.core.live import LiveRecord
from edge_dns.core.names import in_zone
from edge_dns.core.rrsets import describe_rrset
from edge_dns.core.settings import Zone
from edge_dns.core.values import RRset


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternallyOwned:
    """What one external-dns instance (its `txtOwnerId`, may be empty) owns of a name in one zone.

    `records` may be empty, where only entries of the TXT registry are left.
    """

    zone: Zone
    owner: str
    records: tuple[LiveRecord, ...]
    registry: tuple[LiveRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlastRadius:
    """What goes of one hostname: `own` records of this stack in this run, with the name of their TXT marker.

    `external` is not of this stack. `afterwards` says in words what answers when all of that is gone.
    """

    own: tuple[RRset, ...]
    marker: str | None
    external: tuple[ExternallyOwned, ...]
    afterwards: str

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it in words."""
        return (*self._own(), *map(_told, self.external), f"afterwards: {self.afterwards}")

    def _own(self) -> Iterator[str]:
        if self.own:
            marker = f" and the marker TXT {self.marker}" if self.marker else ""
            yield f"this run deletes {', '.join(map(describe_rrset, self.own))}{marker}"


def _told(one: ExternallyOwned) -> str:
    owner = f"external-dns (owner {one.owner})" if one.owner else "an external-dns (owner unknown)"
    texts = [f"TXT {name}" for name in dict.fromkeys(record.name for record in one.registry)]
    what = ", ".join([*map(described, one.records), *texts])
    return (
        f"{owner} has {what} in {one.zone.visibility} zone {one.zone.domain}: not of this stack, "
        "it removes them within one pass once it honours the annotation"
    )


def closest_encloser(name: str, names: Collection[str], domain: str) -> str:
    """Return the longest parent of a name that exists in the zone `domain` (RFC 4592 §3.3.1).

    `names` are those that hold records; a name between one of them and the apex exists as well.
    """
    parent = name.partition(".")[2]
    while parent != domain and not any(in_zone(one, parent) for one in names):
        parent = parent.partition(".")[2]
    return parent


def what_answers(hostname: str, names: Collection[str], domain: str) -> str:
    """Return what a resolver gets for a hostname of the zone `domain` once only these names hold records.

    NXDOMAIN unless it still exists, or a wildcard stands for it (RFC 4592 §3.3.2).
    """
    if hostname in names:
        return "its other records, but no address"
    if any(in_zone(one, hostname) for one in names):
        return "no address (NODATA): names below it stay"
    wildcard = f"*.{closest_encloser(hostname, names, domain)}"
    return f"the wildcard {wildcard}" if wildcard in names else "NXDOMAIN"
