"""What is decided of one hostname, and what every decision is made from."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from edge_dns.core.authority import Turning
from edge_dns.core.blast_radius import BlastRadius
from edge_dns.core.endpoint_places import Places
from edge_dns.core.exceptions import InForce
from edge_dns.core.live import Live
from edge_dns.core.rules import Refusal
from edge_dns.core.service_claims import Place
from edge_dns.core.service_names import InternalNames
from edge_dns.core.settings import Adoption, Release, RuleException, Zone
from edge_dns.core.values import RRset, SlotRecord, Source, Target, Visibility, in_view
from edge_dns.core.zones import ZoneIndex

State = Literal["published", "held", "withdrawn", "refused", "released", "elsewhere"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A hostname as it was declared last: by which source, in which zone, as which record resources.

    `zone` is None when it left the settings: nothing can be held there.
    """

    hostname: str
    visibility: Visibility
    source: Source
    zone: Zone | None
    records: tuple[SlotRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What happens to one hostname of one visibility.

    `records` are the resources to declare. With `conditional` they are declared only once the hub confirms the name;
    where the hub has refused it before, the state is `refused` all the same, so that nothing is promised. `imports`
    holds by slot the import ids of live records to take over, `spelt` the records in the provider's own spelling.
    `drift` is what changed outside in the records of the state, `warnings` what else is to be looked at. `excepted` are
    the exceptions of the settings without which it would have come out otherwise, `blast_radius` what goes of a name
    that is internal. `untouched` are the slots, those of markers too, that are declared as the state has them, whatever
    the records say, and `renamed` gives the slot before of such a marker.
    """

    hostname: str
    visibility: Visibility
    source: Source
    state: State
    refusal: Refusal | None = None
    zone: Zone | None = None
    targets: tuple[Target, ...] = ()
    records: tuple[SlotRecord, ...] = ()
    conditional: bool = False
    published_before: bool = False
    notes: tuple[str, ...] = ()
    imports: Mapping[str, str] = field(default_factory=dict)
    spelt: Mapping[str, RRset] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    drift: tuple[str, ...] = ()
    untouched: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = field(default_factory=dict)
    excepted: tuple[RuleException, ...] = ()
    blast_radius: BlastRadius | None = None

    @property
    def shown(self) -> str:
        """The hostname as people see it: with the private view behind it, and an empty one in quotes."""
        return in_view(self.hostname or '""', self.visibility)

    @property
    def promised(self) -> tuple[SlotRecord, ...]:
        """The records that this run is expected to leave at the provider."""
        return self.records if self.state in ("published", "held") else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What every decision needs.

    `published` lists by hostname what the last run declared, `slots` by plain slot what every slot holds,
    `namespace_labels` by cluster and namespace, `internal` the hostnames that must not be published, with the reason,
    `only_private` those that only private zones may hold, `internal_targets` those that no public zone may point at.
    `live` are the live zones, None where none was read. `adopt` and `release` are those of the settings, `exceptions`
    those that have not expired. `domains` and `views` are the domains and visibilities of the last run's zones, by the
    zone's key. `turning` is what internal resolvers say of names that turn internal, `places` are the DNSEndpoint
    objects of the settings. `declared` says where public services declare a hostname. `rebound` are the hostnames for
    which the settings declare another route than the one they were admitted over, `of_services` all those of the
    services of the settings.
    """

    zones: ZoneIndex
    published: Mapping[str, Sequence[Published]]
    slots: Mapping[str, Mapping[str, RRset]]
    namespace_labels: Mapping[str | None, Mapping[str, Mapping[str, str]]]
    internal: InternalNames
    acknowledged: frozenset[str]
    live: Live | None = None
    adopt: tuple[Adoption, ...] = ()
    release: tuple[Release, ...] = ()
    places: Places = field(default_factory=Places)
    domains: Mapping[str, str] = field(default_factory=dict)
    views: Mapping[str, Visibility] = field(default_factory=dict)
    exceptions: InForce = field(default_factory=dict)
    only_private: InternalNames = field(default_factory=InternalNames)
    internal_targets: InternalNames = field(default_factory=InternalNames)
    turning: Turning = field(default_factory=Turning)
    declared: Mapping[tuple[str, Visibility], Sequence[Place]] = field(default_factory=dict)
    rebound: Collection[str] = ()
    of_services: Collection[str] = ()

    def why_internal(self, hostname: str, visibility: Visibility) -> Refusal | None:
        """Return why zones of this visibility must not hold the hostname, None when they may."""
        return self.internal.why(hostname) or (self.only_private.why(hostname) if visibility == "public" else None)

    def allowed(self, hostname: str) -> Mapping[str, RuleException]:
        """Return the exceptions of a hostname by rule."""
        return self.exceptions.get(hostname, {})


def published_before(hostname: str, visibility: Visibility, context: Context) -> Published | None:
    """Return what is published of a hostname in zones of this visibility, first of all in one of the settings."""
    found = [one for one in context.published.get(hostname, ()) if one.visibility == visibility]
    return next((one for one in found if one.zone), found[0] if found else None)


def without_record(decision: Decision, refusal: Refusal) -> Decision:
    """Return the decision for a hostname that has no record after this run."""
    return replace(decision, state="withdrawn" if decision.published_before else "refused", refusal=refusal)
