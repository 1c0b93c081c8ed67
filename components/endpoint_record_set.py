"""EndpointRecordSet: the records of one Gateway or one tunnel, and the memory of them for the next run."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pulumi

from components.types import ENDPOINT_RECORD_SET
from edge_dns.core.values import SlotRecord

WINDOW = 50
"""Registrations awaited together: the SDK's cost per registration grows with the number of those in flight."""

Declare = Callable[[SlotRecord, pulumi.ResourceOptions], pulumi.Resource]


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointRecordSetArgs:
    """The records by hostname: `records` are declared directly, `conditional` ones once the hub confirms the hostname.

    `memory` is the JSON text that the next run reads; it holds plan values only, never resource outputs.
    """

    source: str
    visibility: str
    memory: str
    records: Mapping[str, Sequence[SlotRecord]] = field(default_factory=dict)
    conditional: Mapping[str, Sequence[SlotRecord]] = field(default_factory=dict)


class EndpointRecordSet(pulumi.ComponentResource):
    """Declares provider records as direct children; a child of the stack itself, so that a name can move between sets.

    `confirmed` are the hostnames that the hub confirms, where conditional ones depend on it; `depends_on` is what must
    outlive the records.
    """

    def __init__(
        self,
        name: str,
        args: EndpointRecordSetArgs,
        *,
        declare: Declare,
        depends_on: Sequence[pulumi.Resource] = (),
        confirmed: pulumi.Output[Sequence[str]] | None = None,
    ) -> None:
        super().__init__(ENDPOINT_RECORD_SET, name, {"source": args.source, "visibility": args.visibility})
        # Before the first record: a crash between the two loses nothing, since slots that do not exist are dropped on reading.
        self.register_outputs({"version": 1, "memory": args.memory})
        self._declare = declare
        self._depends_on = depends_on
        self.done: pulumi.Output[None] = pulumi.Output.from_input(self._declare_all(args.records.values()))
        if args.conditional and confirmed is not None:
            self.done = pulumi.Output.all(self.done, confirmed).apply(
                lambda known: self._declare_all(
                    records for hostname, records in args.conditional.items() if hostname in set(known[1])
                )
            )

    async def _declare_all(self, hostnames: Iterable[Sequence[SlotRecord]]) -> None:
        window: list[pulumi.Resource] = []
        for records in hostnames:
            window += self._declare_hostname(records)
            if len(window) >= WINDOW:
                await asyncio.gather(*(resource.urn.future() for resource in window))
                window = []

    def _declare_hostname(self, records: Sequence[SlotRecord]) -> list[pulumi.Resource]:
        """Declare the plain slot first: the others depend on it, so that a change of type never meets them."""
        declared: list[pulumi.Resource] = []
        for record in sorted(records, key=lambda record: record.slot):
            declared.append(self._declare(record, self._options(record, declared[:1])))
        return declared

    def _options(self, record: SlotRecord, plain: Sequence[pulumi.Resource]) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(
            parent=self,
            delete_before_replace=True,
            depends_on=[*self._depends_on, *plain],
            aliases=[pulumi.Alias(name=record.former)] if record.former else None,
        )
