"""How a rule over declared resources becomes a policy that also holds while values are unknown.

A rule about one resource is a resource policy, which stops an `up` before the provider is called. A rule across
resources can only be a stack policy: it runs after the last step, and so stops the preview before an `up`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from pulumi_policy import (
    EnforcementLevel,
    PolicyConfigSchema,
    PolicyResourceOptions,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.proxy import UnknownValueError

from edge_dns.core.exceptions import EXCEPTABLE
from edge_dns.core.resource_types import PUBLISHER_REGISTER
from edge_dns.core.rules import RULES, Level
from policy.declared import RECORDS, DeclaredObject, DeclaredRecord, DeclaredRegister, kind_of
from policy.settings import SHARED, PackSettings, Parameters
from policy.texts import wrapped


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a check is given besides the resource: the settings of the pack and the parameters of its own rule."""

    settings: PackSettings
    parameters: Parameters = field(default_factory=dict)


class Declared(Protocol):
    """A resource that a rule is about."""

    @property
    def title(self) -> str:
        """How a message names it."""

    @property
    def hostnames(self) -> tuple[str, ...]:
        """Its hostnames in normal form."""


D = TypeVar("D", bound=Declared)

Check = Callable[[D, Given], str | None]
"""From a resource to what is wrong and, in the last line, what to do; None when nothing is.

Reading a property that is not known yet raises UnknownValueError.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Everything that a program declares, as far as rules are about it."""

    records: tuple[DeclaredRecord, ...]
    objects: tuple[DeclaredObject, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is wrong with one resource of a program and what to do; `unknown` is the path of what is not known yet."""

    resource: DeclaredRecord | DeclaredObject
    text: str = ""
    unknown: str | None = None


_EXCEPTION = "An exception counts here only where the pack's configuration lists it too, not in the stack file alone."

StackCheck = Callable[[Program, Given], Iterable[Finding]]


def find_violation(rule: str, check: Check[D], resource: D, given: Given) -> str | None:
    """Return the whole text of the violation, or None.

    A value that the check needs and that is unknown is a violation of unknown-guarded-value: the SDK would turn it
    into an advisory note, and the mandatory rule would fail open.
    """
    try:
        finding = check(resource, given)
    except UnknownValueError as unknown:
        return _told(resource, _unknown_text(rule, ".".join(unknown.props)), "unknown-guarded-value", rule, given)
    return None if finding is None else _told(resource, finding, rule, rule, given)


def find_violations(rule: str, check: StackCheck, program: Program, given: Given) -> Iterator[tuple[str, str]]:
    """Yield URN and text of each violation of a rule across resources."""
    for finding in check(program, given):
        known = finding.unknown is None
        text = finding.text if finding.unknown is None else _unknown_text(rule, finding.unknown)
        told = _told(finding.resource, text, rule if known else "unknown-guarded-value", rule, given)
        if told is not None:
            yield finding.resource.urn, told


def record_policy(
    rule: str,
    check: Check[DeclaredRecord],
    tokens: Collection[str] = RECORDS,
    parameters: dict[str, dict[str, object]] | None = None,
) -> ResourceValidationPolicy:
    """Return the policy of a rule about one DNS record, with the JSON schema of each of its parameters."""

    def resource(args: ResourceValidationArgs) -> DeclaredRecord | None:
        if args.resource_type not in tokens:
            return None
        record = DeclaredRecord(
            token=args.resource_type,
            props=args.props,
            zones=SHARED.settings.zones,
            urn=args.urn,
            parent=args.opts.parent or "",
            untouched=_is_untouched(args.opts),
        )
        return None if record.is_left else record

    return _resource_policy(rule, resource, check, parameters)


def object_policy(rule: str, kinds: Collection[str], check: Check[DeclaredObject]) -> ResourceValidationPolicy:
    """Return the policy of a rule about one Kubernetes object of these kinds."""

    def resource(args: ResourceValidationArgs) -> DeclaredObject | None:
        kind = kind_of(args.resource_type)
        return DeclaredObject(kind=kind, props=args.props, urn=args.urn) if kind in kinds and kind else None

    return _resource_policy(rule, resource, check)


def register_policy(rule: str, check: Check[DeclaredRegister]) -> ResourceValidationPolicy:
    """Return the policy of a rule about the register: the inputs `entries` and `before` of its component."""

    def resource(args: ResourceValidationArgs) -> DeclaredRegister | None:
        return DeclaredRegister(props=args.props, urn=args.urn) if args.resource_type == PUBLISHER_REGISTER else None

    return _resource_policy(rule, resource, check)


def stack_policy(rule: str, check: StackCheck, *, name: str = "") -> StackValidationPolicy:
    """Return the policy of a rule across resources; `name` where the rule has a policy about one resource too."""

    def validate(args: StackValidationArgs, report_violation: ReportViolation) -> None:
        given = Given(settings=SHARED.settings, parameters=args.get_config())
        for urn, text in find_violations(rule, check, _program(args, given.settings), given):
            report_violation(text, urn)

    return StackValidationPolicy(
        name=name or rule, description=RULES[rule].meaning, validate=validate, enforcement_level=_level(rule)
    )


def _unknown_text(rule: str, path: str) -> str:
    return (
        f"{path} is unknown until the update, which leaves the rule {rule} unchecked.\n"
        "Make it known at preview: give a plain value, or create the resource that it comes from in an earlier update."
    )


def _resource_policy(
    rule: str,
    resource: Callable[[ResourceValidationArgs], D | None],
    check: Check[D],
    parameters: dict[str, dict[str, object]] | None = None,
) -> ResourceValidationPolicy:
    def validate(args: ResourceValidationArgs, report_violation: ReportViolation) -> None:
        found = resource(args)
        if found is None:
            return
        given = Given(settings=SHARED.settings, parameters=args.get_config())
        violation = find_violation(rule, check, found, given)
        if violation is not None:
            report_violation(violation, None)

    return ResourceValidationPolicy(
        name=rule,
        description=RULES[rule].meaning,
        validate=validate,
        enforcement_level=_level(rule),
        config_schema=PolicyConfigSchema(parameters) if parameters else None,
    )


def _program(args: StackValidationArgs, settings: PackSettings) -> Program:
    records, objects = [], []
    # In an order of its own: that of the engine changes from run to run.
    for one in sorted(args.resources, key=lambda one: str(one.urn)):
        if one.resource_type in RECORDS:
            parent = one.parent.urn if one.parent else ""
            record = DeclaredRecord(
                token=one.resource_type,
                props=one.props,
                zones=settings.zones,
                urn=one.urn,
                parent=parent,
                untouched=_is_untouched(one.opts),
            )
            records += [] if record.is_left else [record]
        elif kind := kind_of(one.resource_type):
            objects.append(DeclaredObject(kind=kind, props=one.props, urn=one.urn))
    return Program(records=tuple(records), objects=tuple(objects))


def _is_untouched(options: PolicyResourceOptions) -> bool:
    return "*" in options.ignore_changes


def _level(rule: str) -> EnforcementLevel:
    return EnforcementLevel.ADVISORY if RULES[rule].level is Level.WARNING else EnforcementLevel.MANDATORY


def _told(resource: Declared, text: str, shown_rule: str, rule: str, given: Given) -> str | None:
    """Return the whole text, None where an exception lets the resource pass the rule."""
    try:
        excepted = given.settings.excepts(rule, resource.hostnames)
    except UnknownValueError:
        excepted = False
    if excepted:
        return None
    way_out = f"\n{_EXCEPTION}" if shown_rule in EXCEPTABLE else ""
    return wrapped(f"{shown_rule}: {resource.title}\n{text}{way_out}")
