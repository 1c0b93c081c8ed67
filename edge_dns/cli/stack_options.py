"""How the commands are told which stack: its settings, for those that read files only, or also its state."""

import argparse
from pathlib import Path

from edge_dns.core.errors import ObservationFailed
from edge_dns.observe.pulumi_stack import Stack, find_stack, stack_file
from edge_dns.observe.telling import Passing, Tell


def add_settings_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the settings; both give a file, as `settings` of the parsed options."""
    either = parser.add_mutually_exclusive_group(required=True)
    either.add_argument("--settings", metavar="FILE", help="a stack file, or plain YAML of its config")
    either.add_argument(
        "-s",
        "--stack",
        dest="settings",
        type=_stack_file,
        metavar="NAME",
        help="the stack whose file it is, in stacks/",
    )
    _refuse(parser, "--config-file", "only the settings are read here: name their file by --settings FILE")


def add_stack_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the stack, as `pulumi` has them."""
    parser.add_argument("-s", "--stack", metavar="NAME", help="the stack; omitted: the selected one")
    parser.add_argument("--config-file", metavar="FILE", help="its stack file; omitted: the one in stacks/")
    _refuse(
        parser,
        "--settings",
        "the state of the stack is read too: name the stack by --stack NAME, a stack file elsewhere by --config-file "
        "FILE",
    )


def _stack_file(name: str) -> str:
    try:
        file = stack_file(name, Path.cwd())
    except ObservationFailed as failed:
        raise argparse.ArgumentTypeError(str(failed)) from None
    if not file.exists():
        raise argparse.ArgumentTypeError(f"there is no {file}; a file of another name goes with --settings FILE")
    return str(file)


def _refuse(parser: argparse.ArgumentParser, option: str, message: str) -> None:
    """Tell what to use instead of an option that other commands have."""

    def refuse(_value: str) -> str:
        raise argparse.ArgumentTypeError(message)

    parser.add_argument(option, dest="_", type=refuse, help=argparse.SUPPRESS)


def chosen_stack(options: argparse.Namespace, tell: Tell) -> Stack:
    """Return the stack that the options choose; `tell` gets progress lines. Raises ObservationFailed."""
    if not options.stack:
        tell(Passing("asking pulumi which stack is selected"))
    return find_stack(options.stack, options.config_file, folder=Path.cwd())
