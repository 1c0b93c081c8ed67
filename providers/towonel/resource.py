"""What each resource type of the plugin does; the provider only dispatches."""

from dataclasses import dataclass
from typing import Protocol

from edge_dns.hub import HubClient
from providers.towonel.checks import Failure
from providers.towonel.values import Properties


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """Names of the properties whose change updates in place, and of those that replace; which end comes first then."""

    updates: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    deletes_first: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """A resource as it was read; `inputs` None keeps those of the state."""

    resource_id: str
    outputs: Properties
    inputs: Properties | None = None


class Log(Protocol):
    """Lines that the engine shows beside the resource."""

    def info(self, message: str) -> None:
        """Something worth knowing."""

    def warn(self, message: str) -> None:
        """Something that needs a look."""


class Resource(Protocol):
    """One resource type. `inputs` have passed `check`; `outputs` are those of the state.

    What talks to the hub raises HubError, PluginError or PartialWrite.
    """

    secret_outputs: frozenset[str]

    def check(self, inputs: Properties) -> tuple[Properties, list[Failure]]:
        """The inputs in normal form, and what is wrong with them."""

    def diff(self, outputs: Properties, inputs: Properties) -> Diff:
        """What the inputs change."""

    def cost_of_replacement(self, outputs: Properties) -> str | None:
        """What is lost when this resource is replaced, for the preview."""

    def predict_create(self, hub: HubClient | None, inputs: Properties) -> Properties:
        """The outputs that a create would give, as far as known. The hub (None: unknown yet) is read at most."""

    def predict_update(self, hub: HubClient | None, outputs: Properties, inputs: Properties) -> Properties:
        """The outputs that an update would give. The hub (None: unknown yet) is read at most."""

    def create(self, hub: HubClient, inputs: Properties, log: Log) -> Live:
        """Create it."""

    def update(self, hub: HubClient, resource_id: str, outputs: Properties, inputs: Properties, log: Log) -> Properties:
        """Update it; the new outputs."""

    def read(self, hub: HubClient, resource_id: str, outputs: Properties, log: Log) -> Live | None:
        """Read it again; None lets the engine drop it from the state."""

    def import_(self, hub: HubClient, resource_id: str, log: Log) -> Live | None:
        """Read it for the first time; None says that there is no such resource."""

    def delete(self, hub: HubClient, outputs: Properties, log: Log) -> None:
        """Delete it; what is gone already is a success."""
