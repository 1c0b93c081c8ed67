"""What the engine's event log says of resources: the options and inputs that no resource of this project may have."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def forbidden(log: Path) -> list[str]:
    """Return `<urn>: <option>` for each resource that a run declared with retainOnDelete or allowOverwrite, sorted."""
    events = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    return sorted({found for event in events for found in _of_event(event)})


def _of_event(event: dict[str, Any]) -> Iterable[str]:
    # Both kinds of events: a step that fails has the first one only.
    metadata = (event.get("resourcePreEvent") or event.get("resOutputsEvent") or {}).get("metadata", {})
    new = metadata.get("new") or {}
    if new.get("retainOnDelete"):
        yield f"{new['urn']}: retainOnDelete"
    if new.get("inputs", {}).get("allowOverwrite"):
        yield f"{new['urn']}: allowOverwrite"


def failed(log: Path) -> list[str]:
    """Return the URNs of the resources of which a step failed, sorted."""
    events = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    return sorted(event["resOpFailedEvent"]["metadata"]["urn"] for event in events if "resOpFailedEvent" in event)
