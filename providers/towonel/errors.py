"""What the resources of the plugin raise, beside HubError."""

from providers.towonel.values import Properties


class PluginError(Exception):
    """A message for the person at the terminal."""


class PartialWrite(Exception):  # noqa: N818 - not a failure of the call as a whole: its state is to be kept
    """The hub was changed, but not all of it is done or known: `outputs` is what holds now, and goes to the state."""

    def __init__(self, reason: str, *, resource_id: str, outputs: Properties, secret_outputs: frozenset[str]) -> None:
        super().__init__(reason)
        self.resource_id = resource_id
        self.outputs = outputs
        self.secret_outputs = secret_outputs
