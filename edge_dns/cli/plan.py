"""`edge-dns plan`: the plan without engine and credentials."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from edge_dns.cli.plan_table import plan_lines
from edge_dns.core import yaml_text
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.gateway_state import GatewayState
from edge_dns.core.hub_view import HubInvite, HubView, view_of_list
from edge_dns.core.memory import Memory, decode
from edge_dns.core.plan import Observed, Plan, make_plan
from edge_dns.core.plan_json import plan_document, refused_document
from edge_dns.core.settings import Cluster, Settings, SettingsInvalid, load_settings, stack_values
from edge_dns.core.unsupported import unsupported_settings
from edge_dns.observe.gateway_files import read_files

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

DEFAULT_CLUSTER = "default"

FINE, REFUSED, STOPPED = 0, 1, 2

PlanError = tuple[str, str, str]
"""Rule, path (a setting, an option) and message."""


class PlanRefused(Exception):  # noqa: N818 - the whole plan is refused
    """Nothing could be planned; holds every error."""

    def __init__(self, errors: Sequence[PlanError]) -> None:
        super().__init__(f"{len(errors)} errors")
        self.errors = tuple(errors)


def add_parser(commands: "Subparsers", *, epilog: str) -> None:
    """Add the subcommand `plan`."""
    parser = commands.add_parser(
        "plan",
        help="show which hostnames would be published, and why the others are not",
        description="Show which hostnames would be published, and why the others are not. Reads files only.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--settings", required=True, metavar="FILE", help="a stack file, or plain YAML of its config")
    parser.add_argument(
        "--gateway-state",
        action="append",
        default=[],
        metavar="[NAME=]FILE",
        help="Kubernetes objects (YAML or JSON) that stand for a cluster; NAME where the settings have several",
    )
    parser.add_argument("--hub-state", metavar="FILE", help="the body of GET /v1/invites; without it all is predicted")
    parser.add_argument("--memory", metavar="FILE", help="an earlier --json output, or its memory object")
    parser.add_argument("--json", action="store_true", help="print JSON (docs/plan-json.md)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the plan; returns the exit status."""
    memory = Memory()
    try:
        memory = _memory(options.memory)
        plan = _plan(options, memory)
    except PlanRefused as refused:
        return _report_refusal(refused.errors, memory, as_json=options.json)
    if options.json:
        _print_json(plan_document(plan))
    else:
        print("\n".join(plan_lines(plan)))
    if plan.stops:
        return STOPPED
    return REFUSED if plan.failures else FINE


def _report_refusal(errors: Sequence[PlanError], memory: Memory, *, as_json: bool) -> int:
    if as_json:
        _print_json(refused_document(errors, memory))
    else:
        for rule, path, message in errors:
            print(f"error: {rule}: {path + ': ' if path else ''}{message}", file=sys.stderr)
    return STOPPED


def _print_json(document: Mapping[str, object]) -> None:
    json.dump(document, sys.stdout, indent=2, ensure_ascii=False)
    print()


def _plan(options: argparse.Namespace, memory: Memory) -> Plan:
    settings = _settings(options.settings)
    files = _files_by_cluster(options.gateway_state, settings)
    if not settings.clusters and files:
        settings = settings.model_copy(update={"clusters": (Cluster(name=DEFAULT_CLUSTER),)})
    hub = _hub(options.hub_state, [one.invite_id for one in memory.invites.values() if one.invite_id])
    root = _project_folder(Path(options.settings))
    try:
        states = {cluster.name: _state(cluster, files.get(cluster.name), root) for cluster in settings.clusters}
        return make_plan(settings, Observed(clusters=states, hub=hub), memory, adopt_by_name=True)
    except ObservationFailed as error:
        raise PlanRefused([(error.rule, "", str(error))]) from None


def _settings(file: str) -> Settings:
    try:
        settings = load_settings(stack_values(_text(file, "--settings")))
    except SettingsInvalid as invalid:
        raise PlanRefused([("settings-invalid", error.path, error.message) for error in invalid.errors]) from None
    if errors := unsupported_settings(settings):
        raise PlanRefused([("settings-invalid", error.path, error.message) for error in errors])
    return settings


def _files_by_cluster(arguments: Sequence[str], settings: Settings) -> dict[str, list[Path]]:
    files: dict[str, list[Path]] = {}
    for argument in arguments:
        name, file = _split_argument(argument, [cluster.name for cluster in settings.clusters])
        files.setdefault(name, []).append(Path(file))
    return files


def _split_argument(argument: str, clusters: Sequence[str]) -> tuple[str, str]:
    """Split `NAME=FILE`; a file whose own name holds a `=` is still taken as one where it exists."""
    name, equals, file = argument.partition("=")
    if equals and name in clusters:
        return name, file
    if equals and not Path(argument).exists():
        known = ", ".join(clusters) or "none"
        raise PlanRefused([("settings-invalid", "--gateway-state", f"no cluster {name!r} in the settings ({known})")])
    if len(clusters) > 1:
        message = f"{argument}: the settings have several clusters ({', '.join(clusters)}); write NAME={argument}"
        raise PlanRefused([("settings-invalid", "--gateway-state", message)])
    return next(iter(clusters), DEFAULT_CLUSTER), argument


def _state(cluster: Cluster, given: Sequence[Path] | None, root: Path) -> GatewayState:
    if given:
        return read_files(given)
    if cluster.files is None:
        raise ObservationFailed(
            f"cluster {cluster.name} is read from its API server, which a plan without the engine does not do; "
            f"give its objects with --gateway-state {cluster.name}=FILE"
        )
    return read_files([root / file for file in cluster.files])


def _project_folder(settings: Path) -> Path:
    """Return the folder of Pulumi.yaml at or above the settings file, from which relative paths count."""
    folders = settings.resolve().parents
    return next((folder for folder in folders if (folder / "Pulumi.yaml").exists()), folders[0])


def _hub(file: str | None, known_ids: Sequence[str]) -> HubView | None:
    if file is None:
        return None
    return view_of_list(_invites(file), known_ids)


def _invites(file: str) -> tuple[HubInvite, ...]:
    from edge_dns.observe.hub import parse_hub_list  # noqa: PLC0415 - the HTTP client, for plans with tunnels only

    try:
        return parse_hub_list(_document(file, "--hub-state"))
    except ValueError as error:
        raise PlanRefused([("observation-failed", f"--hub-state {file}", str(error))]) from None


def _memory(file: str | None) -> Memory:
    if file is None:
        return Memory()
    document = _document(file, "--memory")
    if isinstance(document, dict) and "hostnames" in document:
        document = document.get("memory")
    try:
        return decode(document)
    except ObservationFailed as error:
        raise PlanRefused([(error.rule, f"--memory {file}", str(error))]) from None


def _document(file: str, option: str) -> object:
    try:
        return yaml_text.load(_text(file, option))
    except yaml_text.TextInvalid as error:
        raise PlanRefused([("observation-failed", f"{option} {file}", str(error))]) from None


def _text(file: str, option: str) -> str:
    rule = "settings-invalid" if option == "--settings" else "observation-failed"
    try:
        return Path(file).read_text(encoding="utf-8")
    except OSError as error:
        reason = error.strerror or "cannot be read"
    except UnicodeDecodeError:
        reason = "not text in UTF-8"
    raise PlanRefused([(rule, f"{option} {file}", reason)])
