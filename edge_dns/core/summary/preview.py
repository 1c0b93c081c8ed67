"""What one preview would do, as people talk about it: hostnames in zones, tunnels, findings."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from edge_dns.core.outputs import WILL_FAIL
from edge_dns.core.values import RRset

Action = Literal["withdrawn", "changed", "added", "adopted", "released"]
ACTIONS: tuple[Action, ...] = ("withdrawn", "released", "changed", "adopted", "added")
"""In the order in which they are told: first what disappears."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What happens to one hostname of one zone; `before` and `after` are its RRsets, empty where there are none.

    `zone` is the zone's domain, or its id where the preview does not name it. `rule` and `reason` are those of the
    stack output `hostnames`, empty for a hostname that is simply published.
    """

    zone: str
    hostname: str
    action: Action
    before: tuple[RRset, ...]
    after: tuple[RRset, ...]
    source: str = ""
    rule: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of the engine on a resource that is no record: what it does (`create`, `delete`, …)."""

    op: str
    type: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A violation that a policy pack reports; `level` is its enforcement level, `resource` its Pulumi name."""

    policy: str
    level: str
    resource: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A hostname of the stack output `hostnames`: held, withdrawn or refused, with the rule that decided.

    `shown` is the hostname with ` (private)` behind it in private zones.
    """

    hostname: str
    shown: str
    state: str
    rule: str
    reason: str
    zone: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Excepted:
    """An exception of the settings that a hostname needs: the rule that it breaks, its last day, and why."""

    hostname: str
    rule: str
    expires: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """One preview. `succeeded` is false where nothing would change: the run would stop, or a policy is violated.

    `errors` and `warnings` are its messages.
    """

    stack: str
    succeeded: bool
    changes: Sequence[Change] = ()
    invites: Sequence[Step] = ()
    others: Sequence[Step] = ()
    findings: Sequence[Finding] = ()
    told: Sequence[Told] = ()
    exceptions: Sequence[Excepted] = ()
    errors: Sequence[str] = ()
    warnings: Sequence[str] = ()
    same: int = 0
    by_action: dict[Action, int] = field(init=False)

    def __post_init__(self) -> None:
        counts = {action: sum(one.action == action for one in self.changes) for action in ACTIONS}
        object.__setattr__(self, "by_action", counts)

    @property
    def is_violated(self) -> bool:
        """Whether a mandatory policy is violated, which lets the preview fail."""
        return any(one.level != "advisory" for one in self.findings)

    @property
    def is_stopped(self) -> bool:
        """Whether the run would stop for another reason than a violated policy."""
        return not self.succeeded and not (self.is_violated and not self.errors)

    @property
    def is_refused(self) -> bool:
        """Whether the update would end unsuccessful: a mandatory policy is violated, or a hostname is an error."""
        told = any(text.endswith(WILL_FAIL) for text in self.warnings)
        return self.is_violated or bool(self.errors) or told

    @property
    def has_changes(self) -> bool:
        """Whether the update would do anything."""
        return bool(self.changes or self.invites or self.others)
