"""What the engine's event log says of resources: the options and inputs that no resource of this project may have."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """What may be retained: hostnames and ids of whole zones that the setting `release` of a stack file lists.

    `others` are the hostnames, and the names of markers, that the test has marked as another stack's.
    """

    hostnames: frozenset[str] = frozenset()
    zone_ids: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()

    @classmethod
    def of(cls, stack_file: Path, others: Iterable[str] = ()) -> "Listed":
        """Read them."""
        config = yaml.safe_load(stack_file.read_text(encoding="utf-8")).get("config") or {}
        entries = [{"hostname": one} if isinstance(one, str) else one for one in config.get("edge-dns:release", ())]
        ids = {zone["domain"]: zone.get("zoneId", "") for zone in config.get("edge-dns:zones", ())}
        return cls(
            hostnames=frozenset(one["hostname"] for one in entries if "hostname" in one),
            zone_ids=frozenset(ids.get(one["zone"], one["zone"]) for one in entries if "zone" in one),
            others=frozenset(others),
        )

    def has(self, urn: str) -> bool:
        """Say whether a resource is a record of a listed hostname; an ownership marker is none."""
        zone_id, _, name = urn.rpartition("::")[2].partition("/")
        hostname = name.partition("#")[0]
        if hostname in self.hostnames | self.others:
            return True
        return zone_id in self.zone_ids and not hostname.startswith("_edge-dns")


def forbidden(log: Path, listed: Listed) -> list[str]:
    """Return `<urn>: <option>` for each resource that a run declared with an option that it must not have, sorted.

    That is allowOverwrite, and retainOnDelete but for records that `release` lists, or that others have marked.
    """
    events = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    return sorted({found for event in events for found in _of_event(event, listed)})


def _of_event(event: dict[str, Any], listed: Listed) -> Iterable[str]:
    # Both kinds of events: a step that fails has the first one only.
    metadata = (event.get("resourcePreEvent") or event.get("resOutputsEvent") or {}).get("metadata", {})
    new = metadata.get("new") or {}
    if new.get("retainOnDelete") and not listed.has(new["urn"]):
        yield f"{new['urn']}: retainOnDelete"
    if new.get("inputs", {}).get("allowOverwrite"):
        yield f"{new['urn']}: allowOverwrite"


def failed(log: Path) -> list[str]:
    """Return the URNs of the resources of which a step failed, sorted."""
    events = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    return sorted(event["resOpFailedEvent"]["metadata"]["urn"] for event in events if "resOpFailedEvent" in event)
