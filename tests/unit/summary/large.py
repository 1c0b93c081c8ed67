"""A large change as a preview tells it: every kind of change, and names that are refused."""

from collections.abc import Mapping, Sequence

from tests.unit.summary.stream import Event, address, cname, outputs, record, told

REFUSED = tuple(f"refused{number}.example.com" for number in range(12))


def large_change(*, create: int = 900, update: int = 97, delete: int = 3) -> list[Event]:
    """Return its events, for so many hostnames; additions come first, as the engine may tell them."""
    added = [record("create", new=cname(f"added{n}.team-{n % 30}.example.com")) for n in range(create)]
    changed = [
        record("update", old=cname(name), new=cname(name, "edge-ca.example.net", ttl=60))
        for name in (f"changed{n}.example.com" for n in range(update))
    ]
    withdrawn = [f"gone{n}.example.com" for n in range(delete)]
    gone = [record("delete", old=address(name, "203.0.113.7")) for name in withdrawn]
    return [*added, *changed, *gone, outputs(_hostnames(withdrawn))]


def _hostnames(gone: Sequence[str]) -> Mapping[str, Event]:
    withdrawn = {name: told("withdrawn", "not-declared", "TowonelTunnel team/app left the settings") for name in gone}
    refused = {name: told("refused", "zone-none", "no zone of the settings holds it", zone=None) for name in REFUSED}
    return withdrawn | refused
