"""`edge-dns observe`: what the API servers say now, as files that `plan` and the setting `files` take."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from edge_dns.cli.progress import progress
from edge_dns.cli.project import project_folder
from edge_dns.cli.settings_file import settings_values
from edge_dns.cli.stack_options import add_settings_options
from edge_dns.cli.subcommand import FINE, STOPPED, Subparsers, print_failure
from edge_dns.cli.whole_file import write_whole
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.settings import Cluster, Settings, SettingsInvalid, load_settings, reads_services


class ObserveRefused(Exception):  # noqa: N818 - the whole command is refused
    """Nothing is written; the message is for the person at the terminal."""


def add_parser(commands: Subparsers) -> None:
    """Add the subcommand `observe`."""
    parser = commands.add_parser(
        "observe",
        help="write what is read from clusters to files, for previews without access to them",
        description="Write what is read from clusters to files, which `plan --gateway-state` takes.",
        epilog="exit status: 0 all is written; 2 a cluster could not be read, nothing is written",
    )
    add_settings_options(parser)
    parser.add_argument(
        "-o",
        "--output",
        action="append",
        required=True,
        metavar="[NAME=]FILE",
        help="the file for a cluster, YAML by its suffix, else JSON; NAME where the settings have several",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read the clusters and write the files; returns the exit status."""
    try:
        _observe(Path(options.settings), options.output)
    except (ObserveRefused, ObservationFailed, SettingsInvalid) as error:
        print_failure(error)
        return STOPPED
    return FINE


def _observe(settings: Path, outputs: Sequence[str]) -> None:
    from edge_dns.observe.gateway_api import read_objects  # noqa: PLC0415 - the client, for this command only
    from edge_dns.observe.gateway_snapshot import snapshot  # noqa: PLC0415 - as above

    loaded = load_settings(settings_values(settings))
    clusters = _live_clusters(loaded, settings)
    files = _files(outputs, clusters)
    with progress() as tell:
        found = read_objects(
            [cluster for cluster in clusters if cluster.name in files],
            project_folder(settings),
            services=[cluster.name for cluster in clusters if reads_services(cluster, loaded)],
            tell=tell,
        )
    for name, file in files.items():
        form = "yaml" if file.suffix in {".yaml", ".yml"} else "json"
        _write(file, snapshot_text(snapshot(found[name]), form))
        print(f"{file}: {len(found[name])} objects of cluster {name}")


def _live_clusters(settings: Settings, file: Path) -> list[Cluster]:
    live = [cluster for cluster in settings.clusters if cluster.is_read]
    if not live:
        raise ObserveRefused(
            f"{file}: no cluster of the settings is read through the Kubernetes API (each has `files`, or `gateways` "
            "false), so there is nothing to observe: `edge-dns plan` reads `files` itself"
        )
    return live


def _files(outputs: Sequence[str], clusters: Sequence[Cluster]) -> Mapping[str, Path]:
    files: dict[str, Path] = {}
    for output in outputs:
        name, file = _split(output, clusters)
        if name in files:
            raise ObserveRefused(f"-o {output}: cluster {name} has the file {files[name]} already")
        files[name] = file
    return files


def _split(output: str, clusters: Sequence[Cluster]) -> tuple[str, Path]:
    names = [cluster.name for cluster in clusters]
    name, equals, file = output.partition("=")
    if equals and name in names:
        return name, Path(file)
    if equals and not Path(output).exists():
        raise ObserveRefused(f"-o {output}: no cluster {name!r} that is read through the API ({', '.join(names)})")
    if len(names) > 1:
        raise ObserveRefused(f"-o {output}: there are several clusters ({', '.join(names)}); write NAME={output}")
    return names[0], Path(output)


class _Quoted(yaml.SafeDumper):
    """Quotes every text: some that PyYAML would leave plain (`1e3`, `0o7`) are numbers by YAML 1.2."""


_Quoted.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))


def snapshot_text(document: Mapping[str, object], form: str) -> str:
    """Return a snapshot as text in the form `yaml` or `json`."""
    if form == "yaml":
        return yaml.dump(document, Dumper=_Quoted, sort_keys=False, allow_unicode=True)
    return json.dumps(document, indent=2) + "\n"


def _write(file: Path, text: str) -> None:
    try:
        write_whole(file, text)
    except OSError as error:
        raise ObserveRefused(f"-o {file}: {error.strerror}") from None
