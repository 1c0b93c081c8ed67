"""`edge-dns baseline`: the live records of names before they are withdrawn, with how each of them comes back."""

import argparse
import sys
from collections.abc import Iterator, Sequence

from edge_dns.cli.baseline_text import restore_lines
from edge_dns.cli.dump import records_document, yaml_text
from edge_dns.cli.json_text import json_text
from edge_dns.cli.progress import progress
from edge_dns.cli.stack_options import add_stack_options, chosen_stack
from edge_dns.cli.subcommand import FINE, STOPPED, Subparsers, print_failure
from edge_dns.core.baseline import NameBaseline, ZoneBaseline
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.json_values import Json
from edge_dns.core.live import LiveRecord
from edge_dns.core.names import NameSyntax, normalise_hostname
from edge_dns.core.texts import paragraph
from edge_dns.observe.pulumi_stack import Stack
from edge_dns.observe.questions import BaselineAnswer, Question
from edge_dns.observe.reader import ask

VERSION = 1


def add_parser(commands: Subparsers) -> None:
    """Add the subcommand `baseline`."""
    parser = commands.add_parser(
        "baseline",
        help="save the live records of names before they are withdrawn, with how to restore them",
        description="Print the live records of names as `dump` does, and how each of them is restored: those of this "
        "stack, and those of external-dns with its registry. Nothing is changed anywhere (docs/baseline.md).",
        epilog="exit status: 0 fine; 2 something could not be read",
    )
    parser.add_argument(
        "names",
        nargs="*",
        type=_hostname,
        metavar="NAME",
        help="a hostname; without any those that the next run would withdraw",
    )
    parser.add_argument("--zone", metavar="ZONE", help="only this zone of the settings, by domain or id")
    add_stack_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON (docs/baseline.md)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the baseline; returns the exit status."""
    names = tuple(sorted(set(options.names)))
    try:
        with progress() as tell:
            stack = chosen_stack(options, tell)
            question = Question(what="baseline", zone=options.zone or "", names=names)
            answer = ask(stack, question, BaselineAnswer, tell)
    except ObservationFailed as failed:
        print_failure(failed)
        return STOPPED
    for name in answer.missing:
        print(paragraph(f"note: {name} has no record in the zones that were read"), file=sys.stderr)
    if options.json:
        print(json_text(_document(stack, answer)))
    else:
        print("\n".join(_text(stack, answer)))
    return FINE


def _hostname(text: str) -> str:
    try:
        return normalise_hostname(text)
    except NameSyntax as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no hostname: {error}") from None


def _text(stack: Stack, answer: BaselineAnswer) -> Iterator[str]:
    """Yield the procedure as comments, then one YAML document per zone, as `dump` prints it."""
    yield from (f"# {line}".rstrip() for line in restore_lines(stack.name, answer.zones, answer.missing))
    for zone in answer.zones:
        yield "---"
        yield yaml_text(_zone(zone)).rstrip("\n")


def _zone(zone: ZoneBaseline) -> Json:
    return records_document(zone.domain, zone.provider, zone.zone_id, zone.records)


def _document(stack: Stack, answer: BaselineAnswer) -> Json:
    return {
        "version": VERSION,
        "stack": stack.name,
        "zones": [_zone(zone) for zone in answer.zones],
        "names": [_name(zone, one) for zone in answer.zones for one in zone.names],
        "missing": list(answer.missing),
        "restore": list(restore_lines(stack.name, answer.zones, answer.missing)),
    }


def _name(zone: ZoneBaseline, name: NameBaseline) -> Json:
    return {
        "hostname": name.hostname,
        "zone": zone.domain,
        "zoneId": zone.zone_id,
        "own": _ids(name.own),
        "externalDns": [
            {"owner": one.owner, "records": _ids(one.records), "registry": _ids(one.registry)} for one in name.external
        ],
        "others": _ids(name.others),
    }


def _ids(records: Sequence[LiveRecord]) -> list[str]:
    return [record.import_id for record in records]
