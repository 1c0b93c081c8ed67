"""`edge-dns dump`: the live records of one zone, as a backup and as what adoption takes."""

import argparse
from collections.abc import Iterable

import yaml

from edge_dns.cli.json_text import json_text
from edge_dns.cli.progress import progress
from edge_dns.cli.stack_options import add_stack_options, chosen_stack
from edge_dns.cli.subcommand import FINE, STOPPED, Subparsers, print_failure
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.json_values import Json
from edge_dns.core.live import LiveRecord
from edge_dns.core.markers import marker_name, parse_marker
from edge_dns.core.plan_json import alias_entry
from edge_dns.core.rules import Refused
from edge_dns.core.values import RECORD_TYPES, Provider
from edge_dns.observe.questions import Question, ZoneAnswer
from edge_dns.observe.reader import ask

VERSION = 1


def add_parser(commands: Subparsers) -> None:
    """Add the subcommand `dump`."""
    parser = commands.add_parser(
        "dump",
        help="print the live records of a zone, as a backup or for adoption",
        description="Print the live records of a zone of the settings, read with the stack's own providers.",
        epilog="exit status: 0 fine; 2 the zone could not be read",
    )
    parser.add_argument("zone", metavar="ZONE", help="the domain of a zone of the settings, or its id at the provider")
    add_stack_options(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON instead of YAML")
    form.add_argument("--adopt", action="store_true", help="print the setting edge-dns:adopt that names its records")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the zone; returns the exit status."""
    try:
        with progress() as tell:
            zone = ask(chosen_stack(options, tell), Question(what="zone", zone=options.zone), ZoneAnswer, tell)
    except ObservationFailed as failed:
        print_failure(failed)
        return STOPPED
    if options.json:
        print(json_text(zone_document(zone)))
    else:
        print(yaml_text(adopt_setting(zone) if options.adopt else zone_document(zone)), end="")
    return FINE


def zone_document(zone: ZoneAnswer) -> Json:
    """Return a zone as values: its records in normal form, one per value at Cloudflare, one per RRset at Route 53."""
    return records_document(zone.domain, zone.provider, zone.zone_id, zone.records)


def records_document(domain: str, provider: Provider, zone_id: str, records: Iterable[LiveRecord]) -> Json:
    """Return records of a zone as values; see `zone_document`."""
    return {
        "version": VERSION,
        "zone": domain,
        "provider": provider,
        "zoneId": zone_id,
        "records": [_record(one) for one in records],
    }


def adopt_setting(zone: ZoneAnswer) -> Json:
    """Return the setting that adopts each name whose records this project could write and no stack has marked."""
    markers = {one.name for one in zone.records if any(parse_marker(text) for text in one.values)}
    names = {
        one.name
        for one in zone.records
        if one.type in RECORD_TYPES and not one.set_identifier and not parse_marker(one.comment)
    }
    return {"config": {"edge-dns:adopt": sorted(name for name in names if _marker(name, zone.domain) not in markers)}}


def yaml_text(document: Json) -> str:
    """Return values as YAML. All texts but keys are quoted: some (`1e3`, `0o7`) would be numbers by YAML 1.2."""
    return yaml.dump(_quoted(document), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1000)


def _marker(name: str, domain: str) -> str | None:
    try:
        return marker_name(name, domain)
    except Refused:
        return None


def _record(record: LiveRecord) -> Json:
    alias = record.alias
    entry: Json = {
        "name": record.name,
        "type": record.type,
        "values": list(record.values),
        "ttl": record.ttl,
        "alias": alias_entry(alias) if alias else None,
        "proxied": record.proxied,
        "comment": record.comment,
        "importId": record.import_id,
    }
    return {**entry, "setIdentifier": record.set_identifier} if record.set_identifier else entry


class _Text(str):
    """A text that is quoted."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    """Knows such texts."""


_Dumper.add_representer(
    _Text, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style='"')
)


def _quoted(value: object) -> object:
    if isinstance(value, dict):
        return {key: _quoted(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_quoted(one) for one in value]
    return _Text(value) if isinstance(value, str) else value
