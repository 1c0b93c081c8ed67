"""The settings of the guard: limits on what one run may change, and what lets one run pass them."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from edge_dns.core.settings.base import Many, Setting, refuse
from edge_dns.core.settings.fields import Hostname, Share


class Acknowledge(Setting):
    """What one run may withdraw or change beyond the limits: a count, or the exact names."""

    count: int | None = Field(None, ge=0, description="Exactly this many different names, in all stops together.")
    names: Annotated[tuple[Hostname, ...], Field(strict=False, min_length=1)] | None = Field(
        None, description="Exactly these hostnames."
    )

    @model_validator(mode="after")
    def _not_both(self) -> Self:
        if self.count is not None and self.names is not None:
            refuse(self, {"names": "either count or names, not both"})
        return self


class Safety(Setting):
    """Limits on what one run may change."""

    max_update: Share = Field(0.3, description="Share of a zone's own records that one run may change, 0 to 1.")
    max_withdraw: Share = Field(0.3, description="Share of a zone's own records that one run may withdraw, 0 to 1.")
    min_records: int = Field(10, ge=0, description="The shares count from this many own records in a zone.")
    withdraw: Literal["never", "guarded", "free"] = Field(
        "guarded",
        description="never: no run withdraws. guarded: within the limits. free: without. Not for `pulumi destroy`.",
    )
    protect: Many[Hostname] = Field(
        (), description="Hostnames of the zones that no run withdraws; `pulumi destroy` does."
    )
    acknowledge: Acknowledge | None = Field(None, description="Lets exactly one accounted-for change through.")

    @property
    def acknowledged(self) -> frozenset[str]:
        """The hostnames that are acknowledged by name."""
        return frozenset(self.acknowledge.names or ()) if self.acknowledge else frozenset()
