"""What a provider plugin has to answer, free of gRPC."""

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from local.plugins.properties import Properties

API_TIMEOUT_VARIABLE = "EDGE_DNS_LOCAL_API_TIMEOUT_SECONDS"


def api_timeout_seconds() -> float:
    """Return how long one call to an API may take: what the environment variable says, a minute without it."""
    return float(os.environ.get(API_TIMEOUT_VARIABLE, "60"))


class ProviderError(Exception):
    """A refusal or failure that the engine shows to the user as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFailure:
    """An input that cannot be: the property's name and the reason."""

    property: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """The properties that differ, and those among them that can only change by a replacement."""

    changed: tuple[str, ...]
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A resource as it was read: `id` as the engine keeps it."""

    id: str
    inputs: Properties
    outputs: Properties


class ResourceType(ABC):
    """Resources of one type. Methods raise ProviderError; with `preview` they make no API call.

    `old_inputs` and `old_outputs` are those of the last state, `inputs` what the program wants now.
    """

    @abstractmethod
    def check(self, inputs: Properties) -> Sequence[CheckFailure]:
        """What is wrong with the inputs, as far as that can be told without the API."""

    @abstractmethod
    def diff(self, *, old_inputs: Properties, old_outputs: Properties, inputs: Properties) -> Diff:
        """What would change."""

    @abstractmethod
    def create(self, inputs: Properties, *, preview: bool) -> State:
        """Create the resource, or predict its outputs (id "")."""

    @abstractmethod
    def read(self, resource_id: str, *, old_inputs: Properties, old_outputs: Properties) -> State | None:
        """The resource as it is now, None when it is gone; without old outputs `resource_id` is an import id."""

    @abstractmethod
    def update(self, resource_id: str, *, old_outputs: Properties, inputs: Properties, preview: bool) -> Properties:
        """Change the resource in place; returns the new outputs."""

    @abstractmethod
    def delete(self, resource_id: str, old_outputs: Properties) -> None:
        """Delete the resource."""


class Provider(ResourceType):
    """A plugin: its main resource type, others where it has them, and its lookups."""

    package: str
    resource_type: str
    secret_settings: frozenset[str]

    def of_type(self, resource_type: str) -> ResourceType | None:
        """Return what knows resources of this type, None where nothing does."""
        return self if self.knows(resource_type) else None

    def knows(self, resource_type: str) -> bool:
        """Say whether resources of this type are of its main one."""
        return resource_type == self.resource_type

    @abstractmethod
    def configure(self, settings: Properties) -> None:
        """Take the provider's settings; nothing is called yet."""

    @abstractmethod
    def invoke(self, token: str, arguments: Properties) -> Properties:
        """Answer a lookup; an unknown token is an error."""
