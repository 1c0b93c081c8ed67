"""A policy pack that refuses one text."""

from pulumi_policy import (
    EnforcementLevel,
    PolicyPack,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
)


def no_goodbye(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.props.get("text") == "goodbye":
        report("not yet", None)


PolicyPack(
    name="sample",
    enforcement_level=EnforcementLevel.MANDATORY,
    policies=[ResourceValidationPolicy(name="no-goodbye", description="Never say goodbye.", validate=no_goodbye)],
)
