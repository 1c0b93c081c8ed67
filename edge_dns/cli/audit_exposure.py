"""`edge-dns audit exposure`: which objects an external-dns would publish, and which of them should not be."""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from edge_dns.cli.json_text import json_text
from edge_dns.cli.progress import progress
from edge_dns.cli.project import project_folder
from edge_dns.cli.settings_file import settings_values
from edge_dns.cli.stack_options import add_settings_options
from edge_dns.cli.subcommand import FINE, STOPPED, WRONG, Subparsers, print_failure
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.exposure import PREFIXES, prefix_of_version
from edge_dns.core.exposure_audit import ExposureReport, Finding, Judged, Listed, audit_exposure
from edge_dns.core.gateway_objects import flatten
from edge_dns.core.json_values import Json
from edge_dns.core.kubernetes_fields import Malformed, Object
from edge_dns.core.publishing_objects import PublishingObject, publishing_object
from edge_dns.core.selection import selected
from edge_dns.core.settings import Settings, SettingsInvalid, load_settings
from edge_dns.core.texts import counted, hanging
from edge_dns.observe.gateway_files import read_documents
from edge_dns.observe.manifests import read_manifests
from edge_dns.observe.telling import Tell

VERSION = 1
_INDENT = " " * 4
_IN_PART = "this stack does not publish it: it opts out, but under a prefix that not every external-dns reads"
_LISTED: dict[Listed, str] = {"service": "a service of the settings", "register": "in the register", "no": "not listed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """What was looked at: the objects, what could not be read with the reason, and what other tools render."""

    objects: tuple[PublishingObject, ...]
    unread: tuple[tuple[str, str], ...] = ()
    rendered: tuple[tuple[str, str], ...] = ()
    told: str = ""


def add_parser(kinds: Subparsers) -> None:
    """Add `exposure` below `audit`."""
    parser = kinds.add_parser(
        "exposure",
        help="which objects external-dns would publish, and which of them should not be",
        description="Check manifests, or the clusters of the settings: who publishes which hostnames, who opts out, "
        "and what of it should not be. Nothing is changed anywhere (docs/audit.md).",
        epilog="exit status: 0 nothing is wrong; 1 something is; 2 something could not be read",
    )
    add_settings_options(parser)
    parser.add_argument(
        "--manifests", metavar="DIR", help="check all YAML files below this folder instead of the clusters"
    )
    parser.add_argument(
        "--skip", action="append", default=[], metavar="GLOB", help="leave these files out, by their path below DIR"
    )
    parser.add_argument(
        "--namespace", default="default", metavar="NAME", help="namespace of objects in DIR that name none; default"
    )
    parser.add_argument(
        "--consumer-version",
        type=_prefix,
        metavar="VERSION",
        help="version of the external-dns in use, such as 0.21: only the annotation prefix that it reads counts; "
        "omitted: both",
    )
    parser.add_argument("--json", action="store_true", help="print JSON (docs/audit.md)")
    parser.set_defaults(run=run)


def _prefix(version: str) -> str:
    try:
        return prefix_of_version(version)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{version!r} is not a version such as 0.21") from None


def run(options: argparse.Namespace) -> int:
    """Print the report; returns the exit status."""
    try:
        settings = load_settings(settings_values(Path(options.settings)))
        with progress() as tell:
            audited = _audited(options, settings, tell)
    except (ObservationFailed, SettingsInvalid) as failed:
        print_failure(failed)
        return STOPPED
    prefixes = [options.consumer_version] if options.consumer_version else list(PREFIXES)
    report = audit_exposure(audited.objects, settings, prefixes)
    if options.json:
        print(json_text(_document(report, audited)))
    else:
        print("\n".join(_lines(report, audited)))
    if audited.unread:
        return STOPPED
    return WRONG if report.findings else FINE


def _audited(options: argparse.Namespace, settings: Settings, tell: Tell) -> Audited:
    if options.manifests is None:
        return _of_clusters(settings, project_folder(Path(options.settings)), tell)
    folder = Path(options.manifests)
    if not folder.is_dir():
        raise ObservationFailed(f"--manifests {folder}: not a folder")
    found = read_manifests(folder, skip=options.skip, tell=tell)
    if not (found.objects or found.unread or found.rendered):
        raise ObservationFailed(
            f"--manifests {folder}: no Kubernetes object in its YAML files ({found.files} read), so there is nothing "
            "to check; look at the step that writes them"
        )
    objects: list[PublishingObject] = []
    unread = list(found.unread)
    for file, item in found.objects:
        try:
            one = publishing_object(item, where=file, namespace=options.namespace)
        except Malformed as error:
            unread.append((file, f"{item['kind']}: {error}"))
        else:
            objects += [one] if one else []
    return Audited(
        objects=tuple(objects), unread=tuple(sorted(unread)), rendered=found.rendered, told=counted(found.files, "file")
    )


def _of_clusters(settings: Settings, root: Path, tell: Tell) -> Audited:
    if not settings.clusters:
        raise ObservationFailed("the settings have no cluster; check a folder with --manifests DIR")
    services = {(one.namespace, one.name) for one in settings.services}
    clusters = {cluster.name: cluster for cluster in settings.clusters}
    objects = (
        one
        for cluster, items in _items(settings, root, tell).items()
        for one in selected(clusters[cluster], _objects(cluster, items), services)
    )
    return Audited(objects=tuple(objects), told=counted(len(settings.clusters), "cluster"))


def _objects(cluster: str, items: Iterable[Object]) -> Iterator[PublishingObject]:
    for item in items:
        try:
            one = publishing_object(item, where=f"cluster {cluster}", cluster=cluster)
        except Malformed as error:
            raise ObservationFailed(f"cluster {cluster}: {item['kind']}: {error}") from None
        if one:
            yield one


def _items(settings: Settings, root: Path, tell: Tell) -> dict[str, list[Object]]:
    found: dict[str, list[Object]] = {}
    for cluster in settings.clusters:
        if cluster.files is not None:
            tell(f"reading cluster {cluster.name}: {', '.join(cluster.files)}")
            found[cluster.name] = list(flatten(read_documents(root / file for file in cluster.files)))
    live = [cluster for cluster in settings.clusters if cluster.is_read]
    if live:
        from edge_dns.observe.gateway_api import read_objects  # noqa: PLC0415 - the client, for live clusters only

        names = [cluster.name for cluster in live]
        found |= read_objects(live, root, services=names, tell=tell)
    return found


# --- for a person, in 80 columns --------------------------------------------------------------------------------------


def _lines(report: ExposureReport, audited: Audited) -> Iterator[str]:
    for one in report.objects:
        if one.publishes:
            names = " ".join(one.hostnames) or "(the hostnames of its listeners)"
            yield from hanging(f"{'in part  ' if one.in_part else 'publishes'} {one.object}  {names}")
            yield from hanging(f"{_LISTED[one.listed]}; {one.object.where}", _INDENT)
            if one.in_part:
                yield from hanging(_IN_PART, _INDENT)
        elif one.hidden:
            yield from hanging(f"opts out  {one.object}  {' '.join(one.object.hostnames)}".rstrip())
    for finding in report.findings:
        yield ""
        yield from hanging(f"{finding.rule}: {finding.object}")
        yield from hanging(f"{finding.message} ({finding.object.where})", _INDENT)
    for where, problem in audited.unread:
        yield ""
        yield from hanging(f"not read: {where}")
        yield from hanging(problem, _INDENT)
    if report.objects or report.findings or audited.unread:
        yield ""
    for where, command in audited.rendered:
        yield from hanging(f"{where}: check the output of `{command}` as well, which is not seen here")
    for entry in report.idle:
        yield from hanging(f"exposure.register: {entry} is not there; if that is all there is, take it out")
    yield from hanging(_summary(report, audited))


def _summary(report: ExposureReport, audited: Audited) -> str:
    listed = Counter(one.listed for one in report.objects if one.publishes)
    hidden = sum(one.hidden for one in report.objects)
    in_part = sum(one.in_part for one in report.objects)
    partly = f", {in_part} in part" if in_part else ""
    return (
        f"{audited.told}: {listed.total()} publish ({listed['service']} of the settings, {listed['register']} in the "
        f"register, {listed['no']} not listed), {hidden} opt out{partly}; {len(report.findings)} wrong, "
        f"{len(audited.unread)} not read"
    )


# --- JSON -------------------------------------------------------------------------------------------------------------


def _document(report: ExposureReport, audited: Audited) -> Json:
    return {
        "version": VERSION,
        "objects": [_object_entry(one) for one in report.objects if one.publishes or one.hidden],
        "findings": [_finding_entry(one) for one in report.findings],
        "idle": list(report.idle),
        "unread": [*_places(audited.unread, "problem")],
        "rendered": [*_places(audited.rendered, "command")],
    }


def _object_entry(one: Judged) -> Json:
    return {
        **_identity(one.object),
        "publishes": one.publishes,
        "hostnames": list(one.hostnames or one.object.hostnames),
        "listed": None if one.listed == "no" else one.listed,
    }


def _finding_entry(one: Finding) -> Json:
    return {"rule": one.rule, **_identity(one.object), "message": one.message}


def _identity(one: PublishingObject) -> Json:
    return {
        "kind": one.kind,
        "cluster": one.cluster,
        "namespace": one.namespace,
        "name": one.name,
        "where": one.where,
    }


def _places(found: Iterable[tuple[str, str]], what: str) -> Iterator[Json]:
    return ({"where": where, what: text} for where, text in found)
