"""The one way in which the demo fails."""


class DemoFailed(Exception):  # noqa: N818 - what happened to the demo
    """Something is not as promised, or could not be done; the message is for the person at the terminal."""
