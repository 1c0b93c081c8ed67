"""`edge-dns audit`; its `orphans`: live records of this stack that its state forgot, and those whose target is gone."""

import argparse
import json
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from edge_dns.cli import audit_exposure
from edge_dns.cli.json_text import json_text
from edge_dns.cli.progress import progress
from edge_dns.cli.stack_options import add_stack_options, chosen_stack
from edge_dns.cli.subcommand import FINE, STOPPED, WRONG, Subparsers, print_failure
from edge_dns.cli.whole_file import write_whole
from edge_dns.core.endpoint_entries import KIND
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.host_port import DNS_PORT, parse_host_port
from edge_dns.core.import_file import import_file
from edge_dns.core.json_values import Json
from edge_dns.core.orphans import Dangling, Evidence, Orphan, OrphanObject, OrphanReport, report, targets
from edge_dns.core.plan_json import alias_entry
from edge_dns.core.sweep import LostInvite
from edge_dns.core.texts import counted, hanging
from edge_dns.observe.pulumi_stack import Stack
from edge_dns.observe.questions import Question, SweepAnswer
from edge_dns.observe.reader import ask

VERSION = 1
_INDENT = " " * 4
_OBJECT_REASONS = {
    "wanted": "a source has names for an object there; the next `pulumi up` takes it over where the state was about to "
    "declare it, else delete it with kubectl",
    "waiting": "all the names that a source has for an object there are refused for now; delete it with kubectl where "
    "what it holds must not be published",
    "unwanted": "no source has a name for an object there",
}
"""By the standing of an object."""


def add_parser(commands: Subparsers) -> None:
    """Add the subcommand `audit`, with `orphans` and `exposure` below it."""
    audit = commands.add_parser("audit", help="find records that a stack has lost track of, and who publishes what")
    kinds = audit.add_subparsers(dest="kind", required=True, metavar="KIND")
    audit_exposure.add_parser(kinds)
    parser = kinds.add_parser(
        "orphans",
        help="live records of this stack that its state forgot, and those whose target is gone",
        description="List live records with this stack's marker that its state does not hold, and records of the "
        "state whose target does not exist. Nothing is changed anywhere (docs/audit.md).",
        epilog="exit status: 0 nothing is listed; 1 something is; 2 something could not be read",
    )
    add_stack_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON (docs/audit.md)")
    parser.add_argument(
        "--import-file",
        metavar="FILE",
        help="write what `pulumi import` takes, so that the next reviewed update deletes what nobody wants",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="propose all that is unremembered, not only what nobody wants and whose target is NXDOMAIN",
    )
    parser.add_argument(
        "--resolver",
        metavar="HOST[:PORT]",
        help="where name servers are looked up, and the port at which they are asked; omitted: as the system does, 53",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the report and write the import file; returns the exit status."""
    from edge_dns.observe.dns_answers import resolver  # noqa: PLC0415 - the DNS library, for this command only
    from edge_dns.observe.targets import look_up_targets  # noqa: PLC0415 - as above

    try:
        by = resolver(options.resolver)
        port = parse_host_port(options.resolver).port if options.resolver else DNS_PORT
        with progress() as tell:
            stack = chosen_stack(options, tell)
            answer = ask(stack, Question(what="sweep"), SweepAnswer, tell)
            names = [name for name in targets(answer.sweep) if name not in answer.tunnels]
            evidence = {**look_up_targets(names, by, port=port, tell=tell), **answer.tunnels}
        found = report(answer.sweep, evidence, answer.resources, every=options.all)
        file = _write_import(found, answer, options.import_file)
    except ObservationFailed as failed:
        print_failure(failed)
        return STOPPED
    if options.json:
        print(json_text(_document(found, stack)))
    else:
        print("\n".join(_lines(found)))
        if options.import_file:
            needs_hub = answer.resources.hub not in answer.resources.urns
            given, pack = _stack_options(stack, options), _policy_options(stack)
            print("\n".join(_next_steps(found, given, pack, file, needs_hub=needs_hub)))
    return WRONG if found.found else FINE


def _stack_options(stack: Stack, options: argparse.Namespace) -> str:
    """Return how `pulumi` is told the same stack."""
    file = ("--config-file", str(stack.config_file)) if options.config_file else ()
    return shlex.join(["--stack", stack.name, *file])


def _policy_options(stack: Stack) -> str:
    """Return how `pulumi` is told of the policy pack and its configuration, which stands beside the stack's file."""
    return shlex.join(
        ["--policy-pack", "policy", "--policy-pack-config", f"stacks/{stack.name.rpartition('/')[2]}-policy.json"]
    )


def _write_import(found: OrphanReport, answer: SweepAnswer, file: str | None) -> Path | None:
    """Write the file where there is something to import; returns it."""
    if file is None or not found.number_proposed:
        return None
    document = import_file(found.proposed, found.proposed_invites, found.proposed_objects, answer.resources)
    try:
        write_whole(Path(file), json.dumps(document, indent=2) + "\n")
    except OSError as error:
        raise ObservationFailed(f"--import-file {file}: {error.strerror}") from None
    return Path(file)


# --- for a person, in 80 columns --------------------------------------------------------------------------------------


def _lines(found: OrphanReport) -> Iterator[str]:
    for orphan in found.orphans:
        yield from _orphan_lines(orphan)
    for one in found.objects:
        yield from _object_lines(one)
    for dangling in found.dangling:
        yield from _dangling_lines(dangling)
    for invite in found.invites:
        yield from _invite_lines(invite)
    if found.found:
        yield ""
    yield from hanging(_summary(found))
    for domain in found.blind:
        yield from hanging(f"zone {domain} has no markers (marker: none), so nothing is found in it")


def _orphan_lines(orphan: Orphan) -> Iterator[str]:
    one, record = orphan.record, orphan.record.record
    value = f"alias {record.alias.name}" if record.alias else " ".join(record.values)
    yield from hanging(f"unremembered {record.name} {record.type} {value}")
    yield from hanging(f"{one.standing}: {one.reason}", _INDENT)
    yield from hanging(f"marker: {one.source} in zone {one.zone}; import id {record.import_id}", _INDENT)
    if orphan.evidence:
        yield from _evidence_lines(one.target or "", orphan.evidence)
    if orphan.proposed:
        yield from hanging("proposed for import", _INDENT)
    elif orphan.lacks_provider:
        yield from hanging("run `pulumi up`, which makes the provider of the zone, and then this again", _INDENT)


def _object_lines(orphan: OrphanObject) -> Iterator[str]:
    one = orphan.object
    yield from hanging(f"unremembered {KIND} {one.key.path} of cluster {one.key.cluster}")
    yield from hanging(f"{one.standing}: {_OBJECT_REASONS[one.standing]}", _INDENT)
    yield from hanging(f"marker: {one.source}; it holds {', '.join(one.hostnames) or 'no entry'}", _INDENT)
    if orphan.proposed:
        yield from hanging("proposed for import", _INDENT)
    elif one.standing == "unwanted" and not orphan.importable:
        yield from hanging("the state has no provider of the cluster, so delete it with kubectl", _INDENT)


def _dangling_lines(dangling: Dangling) -> Iterator[str]:
    one = dangling.record
    yield from hanging(f"dangling {one.hostname} {one.type} {one.target}")
    yield from hanging(f"in the state (zone {one.zone}), but its target does not exist", _INDENT)
    yield from _evidence_lines(one.target, dangling.evidence)


def _invite_lines(invite: LostInvite) -> Iterator[str]:
    yield from hanging(f"invite {invite.invite_id} of the hub, named {invite.name}: not in the state")
    if invite.name != invite.tunnel:
        yield from hanging(f"it is that of tunnel {invite.tunnel}, which was renamed", _INDENT)
    yield from hanging(f"it holds {', '.join(invite.hostnames)}", _INDENT)
    if invite.unissued:
        yield from hanging(
            "the state holds an unissued invite in its place: take that out with `pulumi state delete`, run this again",
            _INDENT,
        )


def _evidence_lines(target: str, evidence: Evidence) -> Iterator[str]:
    yield from hanging(f"target {target}: {evidence.liveness} ({'; '.join(evidence.told)})", _INDENT)


def _summary(found: OrphanReport) -> str:
    return (
        f"{len(found.orphans) + len(found.objects)} unremembered, {len(found.dangling)} dangling, "
        f"{counted(len(found.invites), 'invite')}; "
        f"{found.number_proposed} proposed for import"
    )


def _next_steps(found: OrphanReport, options: str, pack: str, file: Path | None, *, needs_hub: bool) -> Iterator[str]:
    yield ""
    if file is None:
        yield "There is nothing to import, so no file is written."
        return
    yield f"{file} is written. Next:"
    if found.proposed_invites and needs_hub:
        yield f"  pulumi config set {options} towonel:url URL  # edge-dns:hub.url"
        yield f"  pulumi config set {options} --secret towonel:apiKey"
    yield f"  pulumi import {options} --file {shlex.quote(str(file))} \\"
    yield "    --generate-code=false --protect=false"
    if found.proposed_invites and needs_hub:
        yield f"  pulumi config rm {options} towonel:url"
        yield f"  pulumi config rm {options} towonel:apiKey"
    yield f"  pulumi preview {options} \\"
    yield f"    {pack}"
    yield f"  pulumi up {options} --continue-on-error \\"
    yield f"    {pack}"
    yield "The preview shows what would be deleted."


# --- JSON -------------------------------------------------------------------------------------------------------------


def _document(found: OrphanReport, stack: Stack) -> Json:
    return {
        "version": VERSION,
        "stack": stack.name,
        "unremembered": [_orphan_entry(one) for one in found.orphans],
        "objects": [_object_entry(one) for one in found.objects],
        "dangling": [_dangling_entry(one) for one in found.dangling],
        "invites": [_invite_entry(one, found.proposed_invites) for one in found.invites],
        "withoutMarkers": list(found.blind),
    }


def _orphan_entry(orphan: Orphan) -> Json:
    one = orphan.record
    alias = one.record.alias
    return {
        "zone": one.zone,
        "provider": one.provider,
        "zoneId": one.zone_id,
        "hostname": one.hostname,
        "name": one.record.name,
        "type": one.record.type,
        "values": list(one.record.values),
        "alias": alias_entry(alias) if alias else None,
        "importId": one.record.import_id,
        "marker": one.source,
        "standing": one.standing,
        "reason": one.reason,
        "target": _target_entry(one.target, orphan.evidence) if one.target and orphan.evidence else None,
        "slot": one.slot,
        "proposed": orphan.proposed,
    }


def _object_entry(orphan: OrphanObject) -> Json:
    one = orphan.object
    return {
        "kind": KIND,
        "cluster": one.key.cluster,
        "namespace": one.key.namespace,
        "name": one.key.name,
        "hostnames": list(one.hostnames),
        "marker": one.source,
        "standing": one.standing,
        "reason": _OBJECT_REASONS[one.standing],
        "proposed": orphan.proposed,
    }


def _dangling_entry(dangling: Dangling) -> Json:
    one = dangling.record
    return {
        "zone": one.zone,
        "hostname": one.hostname,
        "type": one.type,
        "slot": one.slot,
        "target": _target_entry(one.target, dangling.evidence),
    }


def _target_entry(name: str, evidence: Evidence) -> Json:
    return {"name": name, "liveness": evidence.liveness, "told": list(evidence.told)}


def _invite_entry(invite: LostInvite, proposed: Iterable[LostInvite]) -> Json:
    return {
        "inviteId": invite.invite_id,
        "tunnel": invite.tunnel,
        "name": invite.name,
        "hostnames": list(invite.hostnames),
        "unissued": invite.unissued,
        "proposed": invite in proposed,
    }
