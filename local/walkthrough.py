"""The steps of the demo: publish the local stack's hostnames, take two away, check what the providers hold."""

import os
import shlex
import signal
import sys
import textwrap
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from edge_dns.core.dns_outcome import NxDomain, describe_outcome
from edge_dns.observe.dns_answers import ask, server_at
from local.bind import BindError, BindServer
from local.demo_failed import DemoFailed
from local.embedded import POLICY_FLAGS, gateway_text, make_services, read_settings, stack_text, without_hostname
from local.held_records import HeldRecord, held_records, surprises, table_lines
from local.services import LocalServices
from local.stack import ROOT, STACK, LocalStack, Run, Step
from tools.named import find_named

TUNNEL_HOSTNAME = "app.example.com"
ROUTE_HOSTNAME = "cart.example.org"

_WIDTH = 80
_INDENT = "   "
_TAIL_LINES = 10
_SIGNS = {"create": "+", "update": "~", "delete": "-"}


class Walkthrough:
    """One run of the demo, with state and logs in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._log = folder / "log"
        self._gateways = folder / "gateways.yaml"
        self._settings = read_settings()

    def run(self, *, keep: bool) -> None:
        """Go all steps; with `keep` the services stay up until Ctrl-C.

        Raises DemoFailed at the first step that is not as promised.
        """
        with make_services(self._settings) as services:
            _title(1, "The hub, Cloudflare and Route 53: emulators on free loopback ports")
            stack = self._make_stack(services)
            self._publish(stack, services)
            self._withdraw(stack, services)
            _title(5, "pulumi preview once more")
            self._checked(stack, "preview", "--expect-no-changes")
            _say("Nothing to do.")
            self._say_where_things_are(keep=keep)
            if keep:
                self._say_what_to_try(stack, services)
                self._keep(services)

    def _make_stack(self, services: LocalServices) -> LocalStack:
        for name, url in (
            ("hub", services.hub.url),
            ("Cloudflare", services.cloudflare.url),
            ("Route 53", services.route53.url),
        ):
            print(f"{_INDENT}{name:<10}  {url}", flush=True)
        try:
            stack = LocalStack(self._folder, {})
        except RuntimeError as error:
            raise DemoFailed(str(error)) from None
        self._gateways.write_text(gateway_text(), encoding="utf-8")
        stack.configure_text(stack_text(services, self._gateways))
        return stack

    def _publish(self, stack: LocalStack, services: LocalServices) -> None:
        _title(2, "pulumi preview, with the policy pack")
        preview = self._checked(stack, "preview")
        _show_steps(preview.steps)
        _say("Not published, and why:")
        for message in preview.messages:
            _say(message)
        _title(3, "pulumi up")
        steps = self._checked(stack, "up", "--skip-preview").steps
        _say(f"{_counted(steps)}. The providers now hold:")
        self._show_table(held_records(services, self._settings))

    def _withdraw(self, stack: LocalStack, services: LocalServices) -> None:
        _title(4, "Two hostnames go, then pulumi up")
        _say(f"{TUNNEL_HOSTNAME} from a tunnel, {ROUTE_HOSTNAME} from an HTTPRoute")
        before = held_records(services, self._settings)
        _remove_hostname(stack.config_file, TUNNEL_HOSTNAME)
        _remove_hostname(self._gateways, ROUTE_HOSTNAME)
        update = self._checked(stack, "up", "--skip-preview")
        _show_steps(update.steps)
        for message in update.messages:
            if ": withdrawn: " in message:
                _say(message)
        after = held_records(services, self._settings)
        wrong = surprises(before, after, [TUNNEL_HOSTNAME, ROUTE_HOSTNAME])
        if wrong:
            raise DemoFailed("not exactly the records of the two hostnames went:\n" + "\n".join(wrong))
        _say("Gone from the providers:")
        self._show_table(sorted(set(before) - set(after)))
        _say(f"Checked: exactly the records of these two went, the other {len(after)} are as they were.")
        if find_named():
            try:
                _ask_dns(services)
            except BindError as error:
                raise DemoFailed(str(error)) from None

    def _checked(self, stack: LocalStack, command: str, *flags: str) -> Run:
        """Run a `pulumi` command that must succeed; everything that it prints goes to the log."""
        operation = stack.preview if command == "preview" else stack.up
        run = operation(*flags, *POLICY_FLAGS)
        with self._log.open("a", encoding="utf-8") as log:
            log.write(f"$ pulumi {' '.join((command, *flags))}\n{run.text}\nexit status {run.status}\n\n")
        if run.status:
            raise DemoFailed(self._failure(command, run))
        return run

    def _failure(self, command: str, run: Run) -> str:
        tail = [line for line in run.text.splitlines() if line.strip()][-_TAIL_LINES:]
        return "\n".join((f"pulumi {command} failed.", *run.messages, "", *tail, "", f"All that it said: {self._log}"))

    def _show_table(self, records: Sequence[HeldRecord]) -> None:
        for line in table_lines(records, self._settings.zones):
            print(line, flush=True)

    def _say_where_things_are(self, *, keep: bool) -> None:
        _title(6, "Look further")
        more = () if keep else (("make demo ARGS=--keep", "keeps the services up, with commands to try"),)
        for what, meaning in (
            (f"{_shown(self._log)}", "everything that pulumi printed"),
            (f"{_shown(self._folder)}/*.yaml", "what ran: the stack, and the cluster's state"),
            *more,
            ("make clean", "removes all of it"),
        ):
            print(f"{_INDENT}{what:<24}  {meaning}", flush=True)

    def _say_what_to_try(self, stack: LocalStack, services: LocalServices) -> None:
        environment = self._folder / "environment"
        environment.write_text(_exports(stack), encoding="utf-8")
        lines = "", f"--stack {STACK} --config-file {_shown(stack.config_file)}", " ".join(POLICY_FLAGS)
        options = f" \\\n{_INDENT * 2}".join(lines)
        print("\nThe services stay up until Ctrl-C; Enter shows what the providers hold.")
        print(f"The account at Cloudflare is {services.cloudflare.account_id}.")
        print("`pulumi config get` tells edge-dns:hub.apiKey (--path) and cloudflare:apiToken.")
        print("No DNS server has these zones, so `edge-dns verify` finds none to ask.")
        print("Change one of the two YAML files, and in another terminal:\n")
        print(f"{_INDENT}cd {ROOT}\n{_INDENT}. {_shown(environment)}")
        print(f"{_INDENT}pulumi preview{options}")
        print(f"{_INDENT}pulumi up --continue-on-error{options}")
        print(f"{_INDENT}pulumi stack output --stack {STACK}", flush=True)

    def _keep(self, services: LocalServices) -> None:
        try:
            while sys.stdin.readline():
                self._show_table(held_records(services, self._settings))
            signal.pause()
        except KeyboardInterrupt:
            print("\nStopped.")


def _ask_dns(services: LocalServices) -> None:
    """Let BIND hold what the providers hold, and ask it for the two hostnames. Raises DemoFailed."""
    with BindServer(services.zone_ids) as bind:
        services.push_zones(bind)
        for hostname in (TUNNEL_HOSTNAME, ROUTE_HOSTNAME):
            outcome = ask(server_at(bind.address), hostname, "A")
            if outcome != NxDomain():
                raise DemoFailed(f"DNS does not say that {hostname} is gone: {describe_outcome(outcome)}")
    _say("Asked by DNS, with the zones in BIND: both are NXDOMAIN.")


def _remove_hostname(file: Path, hostname: str) -> None:
    file.write_text(without_hostname(file.read_text(encoding="utf-8"), hostname), encoding="utf-8")


def _exports(stack: LocalStack) -> str:
    added = {key: value for key, value in stack.environment.items() if os.environ.get(key) != value}
    return "".join(f"export {key}={shlex.quote(value)}\n" for key, value in sorted(added.items()))


def _shown(path: Path) -> Path:
    """Return the path as short as it can be said in the checkout."""
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def _title(number: int, text: str) -> None:
    print(f"\n{number}. {text}", flush=True)


def _say(text: str) -> None:
    print(textwrap.fill(text, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT + "  "), flush=True)


def _counted(steps: Sequence[Step]) -> str:
    counts = Counter(step.op for step in steps)
    return "Steps: " + ", ".join(f"{count} {op}" for op, count in sorted(counts.items()))


def _show_steps(steps: Sequence[Step]) -> None:
    """Print the steps of records and invites, and count those of components and providers."""
    told = [step for step in steps if not step.type.startswith(("pulumi:", "edge:"))]
    for step in sorted(told, key=_shown_name):
        print(f"{_INDENT}{_SIGNS.get(step.op, step.op)} {step.type.rpartition(':')[2]:<9}  {_shown_name(step)}")
    if others := len(steps) - len(told):
        _say(f"and {others} of components and providers")


def _shown_name(step: Step) -> str:
    """Return the hostname of a record's slot (`<zone id>/<hostname>#<hash>`), other names as they are."""
    return step.name.partition("/")[2].partition("#")[0] if step.type.endswith("Record") else step.name
