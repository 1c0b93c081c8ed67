"""EndpointRecordSet: the records of one Gateway or one tunnel, and the memory of them for the next run."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import pulumi

from components.registration import Registration
from edge_dns.core.resource_types import ENDPOINT_RECORD_SET
from edge_dns.core.values import SlotRecord

Declare = Callable[[Sequence[SlotRecord], pulumi.Resource], list[pulumi.Resource]]
"""Declares the records of one hostname as children of a component."""

DeclareObjects = Callable[[pulumi.Resource], Sequence[pulumi.Output[None]]]
"""Declares the objects that hold the records of many hostnames, as children of a component."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointRecordSetArgs:
    """The records by hostname: `records` are declared directly, `conditional` ones once the hub confirms the hostname.

    `memory` is the JSON text that the next run reads; it holds plan values only, never resource outputs.
    `aliases` are former names of the component.
    """

    source: str
    visibility: str
    memory: str
    records: Mapping[str, Sequence[SlotRecord]] = field(default_factory=dict)
    conditional: Mapping[str, Sequence[SlotRecord]] = field(default_factory=dict)
    aliases: Sequence[str] = ()


class EndpointRecordSet(pulumi.ComponentResource):
    """Declares provider records as its children. A child of the stack itself, so that a name can move between sets.

    `declare` makes the records of one hostname, `declare_objects` those that objects hold; `registration` is that of
    the run. All records depend on `after`. `confirmed` are the hostnames that the hub confirms. `done` resolves when
    everything is declared.
    """

    done: pulumi.Output[None]

    def __init__(
        self,
        name: str,
        args: EndpointRecordSetArgs,
        *,
        declare: Declare,
        registration: Registration,
        after: Sequence[pulumi.Resource] = (),
        declare_objects: DeclareObjects = lambda _: (),
        confirmed: pulumi.Output[Sequence[str]] | None = None,
    ) -> None:
        props = {"source": args.source, "visibility": args.visibility}
        opts = pulumi.ResourceOptions(aliases=[pulumi.Alias(name=alias) for alias in args.aliases])
        super().__init__(ENDPOINT_RECORD_SET, name, props, opts)
        # Before the first record: after a crash in between, the next run drops what does not exist.
        self.register_outputs({"version": 1, "memory": args.memory})
        self._declare = declare
        self._registration, self._after = registration, after
        objects = declare_objects(self)
        self.done = pulumi.Output.all(self._declare_all(args.records.values()), *objects).apply(lambda _: None)
        if args.conditional and confirmed is not None:
            # What is declared in here is deleted where the invite fails: only names that the hub never confirmed.
            self.done = pulumi.Output.all(self.done, confirmed).apply(
                lambda known: self._declare_all(
                    records for hostname, records in args.conditional.items() if hostname in known[1]
                )
            )

    async def _declare_all(self, hostnames: Iterable[Sequence[SlotRecord]]) -> None:
        declared = (partial(self._declare, records, self) for records in hostnames)
        await self._registration.register(declared, after=self._after)
