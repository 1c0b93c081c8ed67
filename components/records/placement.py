"""Where a record resource stands: under which component, with which provider, after which resources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pulumi

from edge_dns.core.slots import is_released
from edge_dns.core.values import RRset, SlotRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """What all records of one endpoint record set share.

    `depends_on` is what must outlive them. `contents` gives the values that stand for what is not known before the run.
    By slot, `imports` are the import ids of live records to take over, `spelt` records in the provider's own spelling;
    `untouched` are declared, but never changed, of `renamed` the slot before.
    """

    parent: pulumi.Resource
    provider: pulumi.ProviderResource | None
    depends_on: Sequence[pulumi.Resource]
    contents: Mapping[str, pulumi.Output[str]] = field(default_factory=dict)
    imports: Mapping[str, str] = field(default_factory=dict)
    spelt: Mapping[str, RRset] = field(default_factory=dict)
    untouched: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = field(default_factory=dict)

    def options(self, slot: str, *after: pulumi.Resource, former: str | None = None) -> pulumi.ResourceOptions:
        """Return the options of the record in a slot that comes after these resources and was named `former` before.

        A replacement deletes first: Cloudflare refuses a record of another type beside the old one. Nothing but a
        release keeps a record that is not declared any more. What others have marked is declared without a change.
        """
        return pulumi.ResourceOptions(
            parent=self.parent,
            provider=self.provider,
            depends_on=[*self.depends_on, *after],
            delete_before_replace=True,
            aliases=[pulumi.Alias(name=former)] if former else None,
            import_=self.imports.get(slot),
            retain_on_delete=is_released(slot),
            ignore_changes=["*"] if slot in self.untouched else None,
        )


def plain_first(records: Sequence[SlotRecord]) -> tuple[SlotRecord, ...]:
    """Sort the records of a hostname by slot: the plain one, on which the others depend, comes first."""
    return tuple(sorted(records, key=lambda record: record.slot))
