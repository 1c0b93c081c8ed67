"""The register of publishers: its entries as texts, `<kind> <cluster>:<namespace>/<name>`, and which of them count."""

from collections.abc import Collection

_ANY = "*"


def publisher_text(kind: str, cluster: str | None, namespace: str, name: str) -> str:
    """Return an object as the register lists it: `<kind> <cluster>:<namespace>/<name>`, with `*` for any cluster."""
    return f"{kind} {cluster or _ANY}:{namespace}/{name}"


def in_any_cluster(publisher: str) -> str:
    """Return the text that means the object in any cluster."""
    kind, _, rest = publisher.partition(" ")
    return f"{kind} {_ANY}:{rest.rpartition(':')[2]}"


def is_listed(publisher: str, register: Collection[str]) -> bool:
    """Say whether the register lists a publisher, in its cluster or in any."""
    return publisher in register or in_any_cluster(publisher) in register


def lists(entry: str, kind: str, cluster: str | None, namespace: str, name: str) -> bool:
    """Say whether an entry of the register means an object; with None for its cluster, in whichever it is."""
    entry_kind, _, rest = entry.partition(" ")
    entry_cluster, _, path = rest.rpartition(":")
    is_named = (entry_kind, path) == (kind, f"{namespace}/{name}")
    return is_named and (cluster is None or entry_cluster in {_ANY, cluster})


def grown(register: Collection[str], before: Collection[str] | None) -> tuple[str, ...]:
    """Return the publishers that the register lists and did not list before (None: there was none), sorted."""
    return () if before is None else tuple(sorted(one for one in set(register) if not is_listed(one, before)))


def entries_in_force(register: Collection[str], before: Collection[str] | None) -> tuple[str, ...]:
    """Return the entries of the register that count, sorted; of one that was widened to any cluster its old part."""
    if before is None:
        return tuple(sorted(set(register)))
    kept = {one for one in register if is_listed(one, before)}
    return tuple(sorted(kept | {one for one in before if in_any_cluster(one) in register}))
