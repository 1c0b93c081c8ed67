"""Errors that end a run before anything is registered."""


class ObservationFailed(Exception):  # noqa: N818 - named after the rule id observation-failed
    """Something outside could not be read completely (rule observation-failed); the message says what and what to do."""
