"""What several rules need to know: zones, internal names, exceptions. One policy takes it from the pack's config.

Each policy is given its own configuration only, so that the policy `settings`, which runs first for every resource,
keeps what it was given for the others.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from types import MappingProxyType

from pulumi_policy import (
    EnforcementLevel,
    PolicyConfigSchema,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
)

from edge_dns.core.exposure import EXPOSURE_LABEL, PREFIXES
from edge_dns.core.names import NameSyntax, normalise_hostname
from edge_dns.core.rules import RULES
from edge_dns.core.settings import (
    RuleException,
    Selector,
    SelectorSyntax,
    SettingsInvalid,
    load_settings,
    parse_selector,
)
from edge_dns.core.zones import ZoneIndex
from policy.texts import wrapped

Parameters = Mapping[str, object]
"""The parameters of a policy, as JSON values."""

_STACK = "pulumi:pulumi:Stack"
_SHARED = ("zones", "exceptions")
_TEXTS = {"type": "array", "items": {"type": "string"}}
_OBJECTS = {"type": "array", "items": {"type": "object"}}
_SCHEMA = PolicyConfigSchema(
    {
        "zones": _OBJECTS,
        "exceptions": _OBJECTS,
        "internalNames": _TEXTS,
        "exposureLabel": {"type": "string"},
        "annotationPrefixes": _TEXTS,
        "publicEndpoints": {"type": "string"},
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PackSettings:
    """The settings of the pack.

    `internal_names` are hostnames that no public zone may hold; `*.x` stands for all names below x. `exposure_label` is
    the label that tells the exposure of a route, `annotation_prefixes` those of the external-dns instances in use,
    `public_endpoints` selects the DNSEndpoints that a public instance reads. `today` is the day in UTC.
    """

    today: date
    zones: ZoneIndex = field(default_factory=lambda: ZoneIndex.of(()))
    internal_names: frozenset[str] = frozenset()
    exceptions: tuple[RuleException, ...] = ()
    exposure_label: str = EXPOSURE_LABEL
    annotation_prefixes: tuple[str, ...] = PREFIXES
    public_endpoints: Selector = field(default_factory=Selector)

    def why_internal(self, name: str) -> str | None:
        """Return why a name (in normal form) is internal, None when nothing says so."""
        if covers(self.internal_names, name):
            return "it is in internalNames of the pack's configuration"
        if self.zones.only_private(name):
            return f"zone {self.zones.longest(name)[0].domain} is private"
        return None

    def excepts(self, rule: str, names: Sequence[str]) -> bool:
        """Say whether exceptions that have not expired let all these names pass the rule."""
        known = {one.name for one in self.exceptions if one.rule == rule and not self.has_expired(one)}
        return bool(known) and bool(names) and known.issuperset(names)

    def has_expired(self, exception: RuleException) -> bool:
        """Say whether the last day of an exception is over."""
        return exception.expires < self.today


def covers(names: frozenset[str], name: str) -> bool:
    """Say whether a name is one of the names, or below one of their wildcards."""
    if name in names:
        return True
    dots = (at for at, character in enumerate(name) if character == ".")
    return bool(names) and any(f"*{name[at:]}" in names for at in dots)


def load(parameters: Parameters, today: date) -> PackSettings:
    """Return the settings of the pack; raises ValueError whose text has one line for each error."""
    shared = {key: _whole_numbers(parameters[key]) for key in _SHARED if key in parameters}
    try:
        loaded = load_settings(shared)
        return PackSettings(
            today=today,
            zones=ZoneIndex.of(loaded.zones),
            internal_names=frozenset(normalise_hostname(name) for name in _texts(parameters, "internalNames")),
            exceptions=loaded.exceptions,
            exposure_label=str(parameters.get("exposureLabel", EXPOSURE_LABEL)),
            annotation_prefixes=tuple(_texts(parameters, "annotationPrefixes")) or PREFIXES,
            public_endpoints=parse_selector(str(parameters.get("publicEndpoints", ""))),
        )
    except SettingsInvalid as invalid:
        lines = [f"{error.path.removeprefix('edge-dns:')}: {error.message}" for error in invalid.errors]
        raise ValueError("\n".join(lines)) from None
    except NameSyntax as error:
        raise ValueError(f"internalNames: {error}") from None
    except SelectorSyntax as error:
        raise ValueError(f"publicEndpoints: {error}") from None


def _whole_numbers(value: object) -> object:
    """Return the value with whole numbers as int: all numbers arrive as floats."""
    if isinstance(value, Mapping):
        return {key: _whole_numbers(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_whole_numbers(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _texts(parameters: Parameters, key: str) -> list[str]:
    found = parameters.get(key)
    return [str(text) for text in found] if isinstance(found, list) else []


class Shared:
    """The settings as the policy `settings` was given them last: none that are wrong, so that every zone is public."""

    def __init__(self, today: date) -> None:
        self._today = today
        self._parameters: Parameters = MappingProxyType({})
        self.settings = PackSettings(today=today)
        self.errors = ""

    def take(self, parameters: Parameters) -> None:
        """Take the parameters of the policy `settings`; they are the same for all resources of a run."""
        if parameters == self._parameters:
            return
        try:
            self.settings, self.errors = load(parameters, self._today), ""
        except ValueError as error:
            self.settings, self.errors = PackSettings(today=self._today), str(error)
        self._parameters = parameters


SHARED = Shared(datetime.now(UTC).date())


def _take_settings(args: ResourceValidationArgs, report_violation: ReportViolation) -> None:
    SHARED.take(args.get_config())
    if SHARED.errors and args.resource_type == _STACK:
        report_violation(wrapped(f"The settings of the policy pack are wrong:\n{SHARED.errors}"), None)


def expired(settings: PackSettings) -> Iterator[str]:
    """Yield a text for each exception that is over."""
    for one in settings.exceptions:
        if settings.has_expired(one):
            yield (
                f"exception-expired: {one.name}, rule {one.rule}\nThe exception ended on {one.expires}: {one.reason}\n"
                "Renew it or remove it."
            )


def in_force(settings: PackSettings) -> Iterator[str]:
    """Yield a text for each exception that lets its name pass."""
    for one in settings.exceptions:
        if not settings.has_expired(one):
            yield f"exception: {one.name} may break rule {one.rule}\nuntil {one.expires}: {one.reason}"


def _tell_expired(args: ResourceValidationArgs, report_violation: ReportViolation) -> None:
    _tell(args, report_violation, expired(SHARED.settings))


def _tell_in_force(args: ResourceValidationArgs, report_violation: ReportViolation) -> None:
    _tell(args, report_violation, in_force(SHARED.settings))


def _tell(args: ResourceValidationArgs, report_violation: ReportViolation, texts: Iterator[str]) -> None:
    """Tell about the whole stack once, at its root resource."""
    if args.resource_type == _STACK:
        for text in texts:
            report_violation(wrapped(text), None)


POLICIES = [
    ResourceValidationPolicy(
        name="settings",
        description="what several rules need to know: zones, internal names, exceptions",
        validate=_take_settings,
        enforcement_level=EnforcementLevel.MANDATORY,
        config_schema=_SCHEMA,
    ),
    ResourceValidationPolicy(
        name="exceptions",
        description="an exception lets a name pass a rule",
        validate=_tell_in_force,
        enforcement_level=EnforcementLevel.ADVISORY,
    ),
    ResourceValidationPolicy(
        name="exception-expired",
        description=RULES["exception-expired"].meaning,
        validate=_tell_expired,
        enforcement_level=EnforcementLevel.ADVISORY,
    ),
]
