"""The entries of `elsewhere`, `adopt` and `release`: domains and names by whose hand their records are managed."""

from typing import Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from edge_dns.core.names import NameSyntax, normalise_domain, normalise_hostname
from edge_dns.core.settings.base import Setting, refuse
from edge_dns.core.settings.fields import Domain, Hostname, ZoneRef
from edge_dns.core.settings.zone import Zone
from edge_dns.core.values import Visibility


class Elsewhere(Setting):
    """A domain whose names another stack publishes. A text stands for a domain of visibility public."""

    domain: Domain = Field(
        description="The domain, for its names down to a longer domain of `zones` or of this list; it may itself be "
        "below one."
    )
    visibility: Visibility = Field("public", description="The visibility of the zone in which they are published.")


class Listed(Setting):
    """Names by hostname, or every name of a zone."""

    hostname: Hostname | None = Field(None, description="A hostname; either this or zone.")
    zone: ZoneRef | None = Field(None, description="Every name of this zone of the settings, by domain or zone id.")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.hostname is None) == (self.zone is None):
            refuse(self, {"hostname": "either hostname or zone, exactly one of them"})
        return self

    def covers(self, hostname: str, zone: Zone) -> bool:
        """Say whether it means this hostname, in normal form, in this zone."""
        return self.hostname == hostname if self.hostname else self.means(zone)

    def means(self, zone: Zone) -> bool:
        """Say whether it means every name of this zone."""
        return self.zone is not None and self.zone in (zone.domain, zone.zone_id)


class Adoption(Listed):
    """Existing records to take over, where they equal the wanted ones. A text stands for a hostname."""

    type: Literal["A", "AAAA", "CNAME"] | None = Field(
        None, description="Only the records of this type; the others of the hostname are created."
    )

    @model_validator(mode="after")
    def _type_of_a_hostname(self) -> Self:
        if self.type and self.hostname is None:
            refuse(self, {"type": "only beside hostname"})
        return self


class Release(Listed):
    """Names to manage no longer, while their records stay. A text stands for a hostname."""


def spelt_out(field: Literal["domain", "hostname"], value: object) -> object:
    """Return the mapping that a text stands for: it is the one field."""
    if not isinstance(value, str):
        return value
    try:
        return {field: normalise_domain(value) if field == "domain" else normalise_hostname(value)}
    except NameSyntax as error:
        raise PydanticCustomError("text", f"a {field}: {{reason}}", {"reason": str(error)}) from None
