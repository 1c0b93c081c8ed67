"""What `plan` and `explain` read: settings, the objects of clusters, the list of the hub, the memory; files only."""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import TypeVar

from edge_dns.cli.project import project_folder, stack_owner
from edge_dns.cli.settings_file import Unreadable, read_text, settings_values
from edge_dns.cli.stack_options import add_settings_options
from edge_dns.core import yaml_text
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.gateway_state import GatewayState
from edge_dns.core.hub_view import HubInvite, view_of_list
from edge_dns.core.memory import Memory, decode, encode
from edge_dns.core.plan import Observed, Plan, make_plan
from edge_dns.core.program_settings import program_settings
from edge_dns.core.settings import Cluster, Settings, SettingsInvalid, reads_services
from edge_dns.core.texts import paragraph
from edge_dns.observe.gateway_files import read_files
from edge_dns.observe.state_export import is_export, memory_of_export
from edge_dns.observe.telling import Passing, Tell

DEFAULT_CLUSTER = "default"

Read = TypeVar("Read")

PlanError = tuple[str, str, str]
"""Rule, path (a setting, an option) and message."""


class PlanRefused(Exception):  # noqa: N818 - the whole plan is refused
    """Nothing could be planned; holds every error, and the memory as it was given (None: it could not be read)."""

    def __init__(self, errors: Sequence[PlanError], memory: object = None) -> None:
        super().__init__(f"{len(errors)} errors")
        self.errors = tuple(errors)
        self.memory = memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Everything that a plan is made from; `given_memory` is the memory as it stood in the file."""

    settings: Settings
    observed: Observed
    memory: Memory
    given_memory: object


def add_input_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what is read."""
    add_settings_options(parser)
    parser.add_argument(
        "--gateway-state",
        action="append",
        default=[],
        metavar="[NAME=]FILE",
        help="Kubernetes objects (YAML or JSON) that stand for a cluster; NAME where the settings have several",
    )
    parser.add_argument("--hub-state", metavar="FILE", help="the body of GET /v1/invites; without it all is predicted")
    parser.add_argument(
        "--today", metavar="DATE", type=_day, help="the day, as 2027-03-31, for what expires; omitted: not looked at"
    )
    parser.add_argument(
        "--memory",
        metavar="FILE",
        help="what is published already: what `pulumi stack export` prints, an earlier `plan --json` output, or its "
        "memory object",
    )


def is_memory_given(options: argparse.Namespace) -> bool:
    """Say whether it is known what is published already."""
    return options.memory is not None


def unknown_without_memory() -> Iterator[str]:
    """Yield the lines that tell a person what a plan without a memory cannot know."""
    yield ""
    yield paragraph(
        "note: without --memory it is not known what is published already: an update may hold or withdraw what is "
        "refused here, and withdraws what nothing declares any more"
    )


def unknown_without_hub(options: argparse.Namespace, inputs: Inputs) -> Iterator[str]:
    """Yield the lines that tell a person what a plan of known invites cannot know of them without the hub."""
    if is_memory_given(options) and options.hub_state is None and inputs.memory.invites:
        yield ""
        yield paragraph(
            "note: without --hub-state the invites are taken to be on the hub as the memory has them: whether one has "
            "ended, or another holds a hostname by now, is not known"
        )


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date such as 2027-03-31") from None


def read_inputs(options: argparse.Namespace, tell: Tell) -> Inputs:
    """Read all inputs; `tell` gets progress lines. Raises PlanRefused with the errors of all of them."""
    errors = _Errors()
    owner = stack_owner(Path(options.settings))
    given = errors.of(lambda: _memory_document(options.memory, owner, tell))
    memory = None if errors else errors.of(lambda: _memory(given, options.memory))
    settings = errors.of(lambda: _settings(options.settings, tell))
    invites = errors.of(lambda: _invites(options.hub_state, tell)) if options.hub_state is not None else None
    if settings:
        files = _files_by_cluster(options.gateway_state, settings, errors)
        if not settings.clusters and files:
            settings = settings.model_copy(update={"clusters": (Cluster(name=DEFAULT_CLUSTER),)})
        states = _states(settings, files, project_folder(Path(options.settings)), errors, tell)
    if errors or settings is None or memory is None:
        raise PlanRefused(errors, given)
    known = [one.invite_id for one in memory.invites.values() if one.invite_id]
    hub = None if invites is None else view_of_list(invites, known)
    return Inputs(
        settings=settings,
        observed=Observed(clusters=states, hub=hub, today=options.today, owner=owner),
        memory=memory,
        given_memory=given,
    )


def plan_of(inputs: Inputs, tell: Tell) -> Plan:
    """Return the plan of the inputs; `tell` gets progress lines. Raises PlanRefused when they do not suffice."""
    routes = sum(len(state.routes) for state in inputs.observed.clusters.values())
    tell(Passing(f"planning {routes:,} routes and {len(inputs.settings.tunnels):,} tunnels"))
    try:
        return make_plan(inputs.settings, inputs.observed, inputs.memory, adopt_by_name=True)
    except ObservationFailed as error:
        raise PlanRefused([(error.rule, "", str(error))], inputs.given_memory) from None


def print_errors(errors: Sequence[PlanError]) -> None:
    """Print errors for the person at the terminal."""
    for rule, path, message in sorted(errors):
        print(paragraph(f"error: {rule}: {path + ': ' if path else ''}{message}"), file=sys.stderr)


class _Errors(list[PlanError]):
    """The errors of all inputs, so that one run tells all of them."""

    def of(self, read: Callable[[], Read]) -> Read | None:
        """Return what is read; None, with its errors kept, when that is refused."""
        try:
            return read()
        except PlanRefused as refused:
            self.extend(refused.errors)
            return None


def _settings(file: str, tell: Tell) -> Settings:
    tell(Passing(f"reading {file}"))
    try:
        return program_settings(settings_values(Path(file)))
    except SettingsInvalid as invalid:
        raise PlanRefused([("settings-invalid", error.path, error.message) for error in invalid.errors]) from None


def _files_by_cluster(arguments: Sequence[str], settings: Settings, errors: _Errors) -> dict[str, list[Path]]:
    clusters = [cluster.name for cluster in settings.clusters] or [DEFAULT_CLUSTER]
    files: dict[str, list[Path]] = {}
    for argument in arguments:
        split = errors.of(partial(_split_argument, argument, clusters))
        if split:
            files.setdefault(split[0], []).append(Path(split[1]))
    return files


def _split_argument(argument: str, clusters: Sequence[str]) -> tuple[str, str]:
    """Split `NAME=FILE`; a file whose own name holds a `=` is still taken as one where it exists."""
    name, equals, file = argument.partition("=")
    if equals and name in clusters:
        return name, file
    if equals and not Path(argument).exists():
        known = ", ".join(clusters)
        raise PlanRefused([("settings-invalid", "--gateway-state", f"no cluster {name!r} in the settings ({known})")])
    if len(clusters) > 1:
        message = f"{argument}: the settings have several clusters ({', '.join(clusters)}); write NAME={argument}"
        raise PlanRefused([("settings-invalid", "--gateway-state", message)])
    return clusters[0], argument


def _states(
    settings: Settings, files: Mapping[str, Sequence[Path]], root: Path, errors: _Errors, tell: Tell
) -> dict[str, GatewayState]:
    states: dict[str, GatewayState] = {}
    for index, cluster in enumerate(settings.clusters):
        given = files.get(cluster.name)
        tell(Passing(f"reading cluster {cluster.name}: {', '.join(map(str, given or cluster.files or ()))}"))
        try:
            states[cluster.name] = _state(cluster, given, root, services=reads_services(cluster, settings))
        except ObservationFailed as error:
            path = f"--gateway-state {cluster.name}" if given else f"edge-dns:clusters[{index}]"
            errors.append((error.rule, path, str(error)))
    return states


def _state(cluster: Cluster, given: Sequence[Path] | None, root: Path, *, services: bool) -> GatewayState:
    if not cluster.gateways:
        if given:
            raise ObservationFailed(f"nothing is read from cluster {cluster.name}: its gateways is false")
        return GatewayState.of_nothing()
    if given:
        return read_files(given, services=services)
    if cluster.files is None:
        raise ObservationFailed(
            f"cluster {cluster.name} is read from its API server, which a plan without the engine does not do; "
            f"give its objects with --gateway-state {cluster.name}=FILE"
        )
    return read_files([root / file for file in cluster.files], services=services)


def _invites(file: str, tell: Tell) -> tuple[HubInvite, ...]:
    from edge_dns.observe.hub import parse_hub_list  # noqa: PLC0415 - the HTTP client, for plans with tunnels only

    try:
        return parse_hub_list(_document(file, "--hub-state", tell))
    except ValueError as error:
        raise PlanRefused([("observation-failed", f"--hub-state {file}", str(error))]) from None


def _memory_document(file: str | None, owner: str | None, tell: Tell) -> object:
    """Return the memory object of the file: its own, that of a whole earlier output, or that of the owner's state.

    Without a file it is that of a first run.
    """
    if file is None:
        return encode(Memory())
    document = _document(file, "--memory", tell)
    if is_export(document):
        try:
            return encode(memory_of_export(document, owner))
        except ObservationFailed as error:
            raise PlanRefused([(error.rule, f"--memory {file}", str(error))]) from None
    return document["memory"] if isinstance(document, dict) and "memory" in document else document


def _memory(document: object, file: str) -> Memory:
    try:
        return decode(document)
    except ObservationFailed as error:
        raise PlanRefused([(error.rule, f"--memory {file}", str(error))]) from None


def _document(file: str, option: str, tell: Tell) -> object:
    tell(Passing(f"reading {file}"))
    try:
        return yaml_text.load(read_text(Path(file)))
    except (Unreadable, yaml_text.TextInvalid) as error:
        raise PlanRefused([("observation-failed", f"{option} {file}", str(error))]) from None
