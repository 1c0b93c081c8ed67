"""Errors that end a run before anything is registered."""


class ObservationFailed(Exception):  # noqa: N818 - named after the rule id observation-failed
    """Something outside could not be read completely; the message says what, where and what to do.

    `rule` is the id of the stop: `observation-failed`, or `hub-account` for a key that the hub refuses.
    """

    def __init__(self, message: str, *, rule: str = "observation-failed") -> None:
        super().__init__(message)
        self.rule = rule


class GatewayStateInvalid(ObservationFailed):
    """Kubernetes objects that are no complete, well-formed state; the message names the object and the field."""
