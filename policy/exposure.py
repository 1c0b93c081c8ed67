"""Rules that keep internal what is internal: addresses, names, routes and DNSEndpoints."""

from collections.abc import Iterable, Iterator

from edge_dns.core.addresses import classify, internal_name, parse_address
from edge_dns.core.exposure import annotated_hostnames, annotation_problem, exposure_of
from edge_dns.core.names import NameSyntax, normalise_target
from edge_dns.core.publisher_register import grown
from edge_dns.core.publishing_objects import ROUTES
from policy.declared import DeclaredObject, DeclaredRecord, DeclaredRegister, fold, items
from policy.rule import Given, object_policy, record_policy, register_policy
from policy.settings import PackSettings

_ADDRESS_TYPES = ("A", "AAAA")
_PUBLIC_ADDRESS = "Publish a public address, or list the zone in the pack's configuration with visibility private."
_PUBLIC_NAME = "Use a private zone, listed in the pack's configuration with visibility private, or a public name."


def private_address_public_zone(record: DeclaredRecord, _given: Given) -> str | None:
    """Refuse an A or AAAA record of a public zone with an address that is not globally routable."""
    if record.type not in _ADDRESS_TYPES or not record.is_public:
        return None
    return _with_advice(_address_findings(record.values), _PUBLIC_ADDRESS)


def internal_name_public_zone(record: DeclaredRecord, given: Given) -> str | None:
    """Refuse a record of a public zone whose name is internal, or a CNAME or alias to an internal name.

    What is behind a proxied record is in no answer of the zone: its target may be unknown, as that of a tunnel is until
    it is created.
    """
    if not record.is_public:
        return None
    own = [f"{name} is internal ({why})." for name in _told_names(record) if (why := given.settings.why_internal(name))]
    return _with_advice([*own, *_target_findings(record.known_targets, given.settings)], _PUBLIC_NAME)


def internal_route_annotation(found: DeclaredObject, given: Given) -> str | None:
    """Refuse a route or Service whose controller annotation does not fit its exposure, which its label tells.

    A Service without the label counts only where its annotations name hostnames: others publish nothing.
    """
    label = found.labels.get(given.settings.exposure_label)
    if found.kind == "Service" and label is None and not annotated_hostnames(found.annotations):
        return None
    problem = annotation_problem(exposure_of(label), found.annotations, given.settings.annotation_prefixes)
    if problem is None:
        return None
    return (
        f"{problem}.\nAn internal object carries it, with a value of your own; a public one has the label "
        f"{given.settings.exposure_label}: public and does not carry it."
    )


def dnsendpoint_selects_internal(found: DeclaredObject, given: Given) -> str | None:
    """Refuse a DNSEndpoint with an internal name, target or address that a public external-dns reads.

    The `crd` source of external-dns looks at no annotation; only its label filter keeps an object from it.
    """
    if not given.settings.public_endpoints.matches(dict(found.labels)):
        return None
    findings: list[str] = []
    for endpoint in found.endpoints:
        name = fold(str(endpoint.get("dnsName")))
        if why := given.settings.why_internal(name):
            findings.append(f"{name} is internal ({why}).")
        findings += _endpoint_findings(str(endpoint.get("recordType")), items(endpoint.get("targets")), given.settings)
    return _with_advice(
        findings, "Take it out of this DNSEndpoint, or give the object labels that publicEndpoints does not select."
    )


def register_grew(register: DeclaredRegister, _given: Given) -> str | None:
    """Refuse a register of publishers that lists one more than in the last run."""
    new = grown(register.entries, register.before)
    if not new:
        return None
    return f"The register may only shrink; new in it: {', '.join(new)}.\nDeclare the service instead."


def _with_advice(findings: Iterable[str], advice: str) -> str | None:
    lines = list(findings)
    return "\n".join([*lines, advice]) if lines else None


def _address_findings(values: Iterable[object]) -> Iterator[str]:
    for value in values:
        try:
            found = classify(parse_address(str(value)))
        except ValueError:
            # Unlike an address, such a text may be a secret that took the wrong way.
            yield "A value of the record is not an IP address."
            continue
        if found.scope == "private":
            yield f"{value} is not globally routable ({found.reason})."


def _target_findings(targets: Iterable[str], settings: PackSettings) -> Iterator[str]:
    for target in targets:
        try:
            name = normalise_target(target)
        except NameSyntax:
            yield "The target is no hostname with a dot inside."
            continue
        if why := internal_name(name) or settings.why_internal(name):
            yield f"The target {name} is internal ({why})."


def _endpoint_findings(record_type: str, targets: Iterable[object], settings: PackSettings) -> Iterator[str]:
    if record_type in _ADDRESS_TYPES:
        yield from _address_findings(targets)
    elif record_type == "CNAME":
        yield from _target_findings((str(target) for target in targets), settings)


def _told_names(record: DeclaredRecord) -> Iterator[str]:
    """Yield the names that the name of a record tells: its own, and that which a TXT record of ownership is about.

    Ours stand in a label of their own, those of external-dns have the type before the first label.
    """
    name = record.name
    yield name
    first, _, rest = name.partition(".")
    if record.type == "TXT":
        kind, _, label = first.partition("-")
        if first.startswith("_"):
            yield rest
        elif label and kind in ("a", "aaaa", "cname", "txt"):
            yield f"{label}.{rest}"


POLICIES = [
    record_policy("private-address-public-zone", private_address_public_zone),
    record_policy("internal-name-public-zone", internal_name_public_zone),
    object_policy("internal-route-annotation", ROUTES | {"Service"}, internal_route_annotation),
    object_policy("dnsendpoint-selects-internal", ("DNSEndpoint",), dnsendpoint_selects_internal),
    register_policy("register-grew", register_grew),
]
