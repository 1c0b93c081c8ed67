"""The summary of a preview for people who review it: from the engine's events to Markdown and JSON."""

from edge_dns.core.summary.events import EventsInvalid, read_preview
from edge_dns.core.summary.markdown import MAX_CHARACTERS, markdown, title
from edge_dns.core.summary.preview import Preview
from edge_dns.core.summary.summary_json import summary_json

__all__ = ["MAX_CHARACTERS", "EventsInvalid", "Preview", "markdown", "read_preview", "summary_json", "title"]
