"""How the records of a baseline come back, for a person: those of this stack, and both halves of external-dns'."""

from collections.abc import Iterator, Sequence

from edge_dns.core.adoption import described
from edge_dns.core.baseline import NameBaseline, OwnedRecords, ZoneBaseline
from edge_dns.core.live import LiveRecord
from edge_dns.core.texts import counted, hanging, printable

_WIDTH = 78
"""A comment sign and a space stand before each line."""
_MAX_TEXT = 255
_NAME_TYPES = frozenset({"CNAME", "NS", "PTR"})

Named = tuple[ZoneBaseline, NameBaseline]


def restore_lines(stack: str, zones: Sequence[ZoneBaseline], missing: Sequence[str] = ()) -> Iterator[str]:
    """Yield the procedure in lines; record lines are as in a zone file (RFC 1035 §5.1) and never wrapped.

    `missing` are the names without a record.
    """
    names = [(zone, name) for zone in zones for name in zone.names]
    yield from _wrapped(f"Baseline of stack {stack}: {_counted(names, zones, missing)}, as the providers held them.")
    if not names:
        return
    yield from _wrapped(
        "Keep it with the change that withdraws them: a revert alone does not restore the zones, since the records "
        "come back by two hands. Below stand all of them as `edge-dns dump` shows them."
    )
    own = [(zone, name) for zone, name in names if name.own]
    if own:
        yield from ("", *_own(stack, own))
    for owner in sorted({one.owner for _, name in names for one in name.external}):
        theirs = [(zone, name, one) for zone, name in names for one in name.external if one.owner == owner]
        yield from ("", *_external(owner, theirs))
    others = [(zone, name) for zone, name in names if name.others]
    if others:
        yield ""
        yield from _wrapped("Other records of these names, which nothing of this withdraws:")
        yield from (f"  {name.hostname}  {printable(described(one))}" for _, name in others for one in name.others)


def _own(stack: str, names: Sequence[Named]) -> Iterator[str]:
    yield from _wrapped(
        "Records of this stack come back by the program alone. Take the change back (the exposure of the service, the "
        "annotation of the route, the hostname), then:"
    )
    pack = f"      --policy-pack policy --policy-pack-config stacks/{stack.rpartition('/')[2]}-policy.json"
    yield from (f"  pulumi preview --stack {stack} \\", pack)
    yield from (f"  pulumi up --stack {stack} --continue-on-error \\", pack)
    yield from _wrapped("The preview has to show them as created, with markers of their own:")
    yield from (
        f"  {name.hostname}  {printable(described(one))}"
        for _, name in names
        for one in name.own
        if one.name == name.hostname
    )
    yield from _wrapped(
        "Never write them by hand: they would be somebody else's (owner-foreign), to be removed or adopted "
        "(edge-dns:adopt) before the program writes the name again."
    )


def _external(owner: str, theirs: Sequence[tuple[ZoneBaseline, NameBaseline, OwnedRecords]]) -> Iterator[str]:
    instance = f"with --txt-owner-id={owner}" if owner else "whose registry names no owner"
    yield from _wrapped(
        f"Records of the external-dns {instance}, each with its entry in the TXT registry. Take the change back: once "
        "route and Gateway carry no controller annotation, the instance writes both halves again in its next pass. "
        "Where it does not run, and the names must answer at once, write both by hand, the entry first. A record "
        "without its entry is never changed or deleted by the instance again; both halves of a name that no source "
        "wants are deleted in its next pass (policy sync)."
    )
    for zone, _, owned in theirs:
        for record in (*owned.registry, *owned.records):
            yield from (f"  {line}" for line in zone_file_lines(record))
            if zone.provider == "cloudflare" and (record.proxied or record.ttl == 1):
                yield f"    ; {_at_cloudflare(record)}"


def _at_cloudflare(record: LiveRecord) -> str:
    return ", ".join([*(["ttl 1 is automatic"] if record.ttl == 1 else []), *(["proxied"] if record.proxied else [])])


def zone_file_lines(record: LiveRecord) -> Iterator[str]:
    """Yield a record in zone-file form, a line per value; a Route 53 alias, which has none, as a comment."""
    if record.alias:
        health = str(record.alias.evaluate_target_health).lower()
        yield (
            f"; {record.name}. {record.type} alias {record.alias.name} (hosted zone {record.alias.zone_id}, "
            f"EvaluateTargetHealth {health})"
        )
    for value in record.values:
        yield f"{record.name}. {record.ttl} IN {record.type} {_in_zone_file(record.type, value)}"


def _in_zone_file(kind: str, value: str) -> str:
    if kind == "TXT":
        chunks = [value[start : start + _MAX_TEXT] for start in range(0, len(value), _MAX_TEXT)] or [""]
        return " ".join('"{}"'.format(chunk.replace("\\", "\\\\").replace('"', '\\"')) for chunk in chunks)
    return f"{value}." if kind in _NAME_TYPES else value


def _counted(names: Sequence[Named], zones: Sequence[ZoneBaseline], missing: Sequence[str]) -> str:
    if not names:
        return f"no record of {', '.join(missing) or 'a name that would be withdrawn'}"
    number = len({name.hostname for _, name in names})
    domains = ", ".join(dict.fromkeys(zone.domain for zone in zones))
    return f"{counted(number, 'name')} in {domains}"


def _wrapped(text: str) -> list[str]:
    return hanging(text, rest="", width=_WIDTH)
