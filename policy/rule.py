"""How a rule over the properties of one record becomes a mandatory policy that also holds while values are unknown.

Only resource policies stop an `up` before the provider is called: stack policies run after the last step.
"""

from collections.abc import Callable, Mapping

from pulumi_policy import (
    EnforcementLevel,
    PolicyConfigSchema,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
)
from pulumi_policy.proxy import UnknownValueError

from edge_dns.core.rules import RULES

Properties = Mapping[str, object]
"""Inputs of a resource as the provider names them (`zoneId`), or the parameters of a rule."""

Check = Callable[[Properties, Properties], str | None]
"""From a record's properties and the rule's parameters to what is wrong and what to do, or None.

Reading a property that is not known yet raises UnknownValueError.
"""

CLOUDFLARE_RECORDS = frozenset({"cloudflare:index/dnsRecord:DnsRecord", "cloudflare:index/record:Record"})
ROUTE53_RECORDS = frozenset({"aws:route53/record:Record"})
RECORDS = CLOUDFLARE_RECORDS | ROUTE53_RECORDS


def find_violation(rule: str, check: Check, props: Properties, parameters: Properties) -> str | None:
    """Return the whole text of the violation, or None.

    A value that the check needs and that is unknown is a violation of unknown-guarded-value: the SDK would turn it
    into an advisory note, and the mandatory rule would fail open.
    """
    try:
        finding = check(props, parameters)
    except UnknownValueError as unknown:
        return _text("unknown-guarded-value", props, _unknown(rule, ".".join(unknown.props)))
    return None if finding is None else _text(rule, props, finding)


def resource_policy(
    rule: str, checks: Mapping[str, Check], schema: PolicyConfigSchema | None = None
) -> ResourceValidationPolicy:
    """Return the mandatory policy of a rule id of the core's table, with its check for each type token."""

    def validate(args: ResourceValidationArgs, report_violation: ReportViolation) -> None:
        check = checks.get(args.resource_type)
        if check is None:
            return
        violation = find_violation(rule, check, args.props, args.get_config())
        if violation is not None:
            report_violation(violation, None)

    return ResourceValidationPolicy(
        name=rule,
        description=RULES[rule].meaning,
        validate=validate,
        enforcement_level=EnforcementLevel.MANDATORY,
        config_schema=schema,
    )


def _text(rule: str, props: Properties, finding: str) -> str:
    return f"{rule}: record {_shown(props, 'name')}, zone {_shown(props, 'zoneId')}\n{finding}"


def _shown(props: Properties, key: str) -> str:
    try:
        return str(props.get(key, "(none)"))
    except UnknownValueError:
        return "(unknown)"


def _unknown(rule: str, path: str) -> str:
    return (
        f"{path} is unknown until the update, which leaves the rule\n{rule} unchecked.\n"
        "Make it known at preview: give a plain value, or create the resource\n"
        "that it comes from in an earlier update."
    )
