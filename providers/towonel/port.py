"""The decisions of `towonel:index:Port`, without I/O."""

import re
from dataclasses import dataclass

from edge_dns.hub import HubError, Port
from edge_dns.hub.errors import HubConflict, HubOutcomeUnclear
from providers.towonel.checks import Failure, InputReader
from providers.towonel.resource import Diff
from providers.towonel.values import UNKNOWN, Plain, Properties, Unknown

COST_OF_REPLACEMENT = "this replaces the port reservation: the number changes, or may change."
NOT_ISSUED = "the tunnel's invite has not been issued"
UNRESERVED = "unreserved"
"""Stands for the number in the id of a port that the hub refused at first."""
RESERVED_BY_HUB = frozenset({4443, 8443, 51820})

# Beside a conflict (hub API 1.x, ports).
_REFUSALS = frozenset({"port_quota_exceeded", "no_assignable_ip", "invalid_request"})
_INPUTS = ("tenantId", "protocol", "label", "preferred")
_TENANT = re.compile(r"[0-9a-f]{64}")
_ID = re.compile(r"([0-9a-f]{64})/(tcp|udp)/([0-9]{1,5})")


@dataclass(frozen=True, slots=True, kw_only=True)
class PortInputs:
    """What the program wants: a port of a tenant (None: not issued yet), found again by its label and protocol."""

    tenant_id: str | Unknown | None
    protocol: str | Unknown
    label: str | Unknown
    preferred: int | Unknown | None = None

    @classmethod
    def read(cls, properties: Properties) -> "tuple[PortInputs, list[Failure]]":
        """From a property map, with what is wrong with it."""
        reader = InputReader(properties)
        reader.refuse_others(_INPUTS)
        inputs = cls(
            tenant_id=_tenant(reader),
            protocol=reader.choice("protocol", ("tcp", "udp")),
            label=reader.text("label"),
            preferred=reader.integer("preferred", 1024, 65535),
        )
        if inputs.preferred in RESERVED_BY_HUB:
            reader.fail("preferred", f"should not be one of the hub's own ports {sorted(RESERVED_BY_HUB)}")
        return inputs, reader.failures

    def properties(self) -> dict[str, Plain]:
        """As a property map."""
        values: dict[str, Plain] = {"tenantId": self.tenant_id, "protocol": self.protocol, "label": self.label}
        return values if self.preferred is None else values | {"preferred": self.preferred}


def _tenant(reader: InputReader) -> str | Unknown | None:
    if reader.inputs.get("tenantId") is None:
        return None
    value = reader.text("tenantId")
    if isinstance(value, str) and value and not _TENANT.fullmatch(value):
        reader.fail("tenantId", "should be 64 lower-case hex digits")
    return value


def diff(outputs: Properties, wanted: PortInputs) -> Diff:
    """What `wanted` changes. A reservation cannot be changed on the hub, so all but dropping `preferred` replaces.

    A port that the hub refused shows as an update: the retry. Another preferred number is reserved before the old one
    is released, so that agents can move to it; all else is released first.
    """
    old = PortInputs.read(inputs_in(outputs))[0]
    if not outputs.get("port"):
        return Diff(updates=("port",))
    changed = {
        "tenantId": wanted.tenant_id != old.tenant_id,
        "protocol": wanted.protocol != old.protocol,
        "label": wanted.label != old.label,
        "preferred": wanted.preferred not in {None, old.preferred, outputs.get("port")},
    }
    replaces = tuple(key for key, differs in changed.items() if differs)
    return Diff(
        updates=("preferred",) if wanted.preferred != old.preferred else (),
        replaces=replaces,
        deletes_first=replaces != ("preferred",),
    )


def inputs_in(outputs: Properties) -> Properties:
    """The inputs that the outputs of a resource repeat."""
    return {key: outputs[key] for key in _INPUTS if key in outputs}


def predict_create(wanted: PortInputs) -> dict[str, Plain]:
    """The outputs of a reservation that is yet to be made."""
    number = UNKNOWN if wanted.preferred is None else wanted.preferred
    return wanted.properties() | {"port": number, "ip": UNKNOWN, "edgeAddresses": UNKNOWN, "refused": UNKNOWN}


def outputs_of(wanted: PortInputs, port: Port) -> dict[str, Plain]:
    """The outputs of a reservation. The hub lists no edge with it, so its own address stands for the edge's."""
    addresses = port.edge_addresses or ((port.ip,) if port.ip else ())
    return wanted.properties() | {"port": port.port, "ip": port.ip, "edgeAddresses": addresses, "refused": ""}


def refused(wanted: PortInputs, reason: str) -> dict[str, Plain]:
    """The outputs of a port that the hub did not give, with its reason; None for the number would read as unknown."""
    return wanted.properties() | {"port": 0, "ip": None, "edgeAddresses": (), "refused": reason}


def is_refusal(error: HubError) -> bool:
    """Whether the hub, or what it lists, says no to this one port; another try may be answered otherwise."""
    return isinstance(error, HubConflict | HubOutcomeUnclear) or error.code in _REFUSALS


def resource_id(tenant_id: str, protocol: str, port: int) -> str:
    """`<tenant id>/<protocol>/<port>`, also the import id; 0 stands for no port yet."""
    return f"{tenant_id}/{protocol}/{port or UNRESERVED}"


def parse_id(text: str) -> tuple[str, str, int] | None:
    """Tenant id, protocol and port of a resource id, or None."""
    match = _ID.fullmatch(text)
    return (match[1], match[2], int(match[3])) if match else None
