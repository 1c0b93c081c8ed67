"""The calls to the hub behind `towonel:index:Port`."""

from edge_dns.hub import HubClient, HubError, Port, outcomes
from providers.towonel import port
from providers.towonel.checks import Failure
from providers.towonel.errors import PluginError
from providers.towonel.port import PortInputs
from providers.towonel.resource import Diff, Live, Log
from providers.towonel.values import Properties, known


class PortResource:
    """See resource.Resource; the decisions are in port.py."""

    secret_outputs: frozenset[str] = frozenset()

    def check(self, inputs: Properties) -> tuple[Properties, list[Failure]]:
        """The inputs in normal form."""
        wanted, failures = PortInputs.read(inputs)
        return wanted.properties(), failures

    def diff(self, outputs: Properties, inputs: Properties) -> Diff:
        """See port.diff."""
        return port.diff(outputs, _inputs(inputs))

    def cost_of_replacement(self, outputs: Properties) -> str | None:
        """The number of the port."""
        return port.COST_OF_REPLACEMENT if outputs.get("port") else None

    def predict_create(self, hub: HubClient | None, inputs: Properties) -> Properties:
        """See port.predict_create."""
        return port.predict_create(_inputs(inputs))

    def predict_update(self, hub: HubClient | None, outputs: Properties, inputs: Properties) -> Properties:
        """The same reservation under the new inputs. The retry of one that was refused is not promised anything."""
        wanted = _inputs(inputs)
        if not _number(outputs) and wanted != _inputs(port.inputs_in(outputs)):
            return port.predict_create(wanted)
        return _kept(outputs, wanted)

    def create(self, hub: HubClient, inputs: Properties, log: Log) -> Live:
        """Reserve the port, or take up the tenant's own reservation with this label and protocol.

        A port that the hub does not give is no failure, which would keep agents from all else: see `refused`.
        """
        wanted = _inputs(inputs)
        outputs = _reserve(hub, wanted, log)
        tenant_id = known(wanted.tenant_id) or port.UNRESERVED
        resource_id = port.resource_id(tenant_id, known(wanted.protocol), _number(outputs))
        return Live(resource_id=resource_id, outputs=outputs)

    def update(self, hub: HubClient, resource_id: str, outputs: Properties, inputs: Properties, log: Log) -> Properties:
        """Ask again for a port that was refused; of another one `preferred` was dropped, or now names what it is."""
        wanted = _inputs(inputs)
        return _kept(outputs, wanted) if _number(outputs) else _reserve(hub, wanted, log)

    def read(self, hub: HubClient, resource_id: str, outputs: Properties, log: Log) -> Live | None:
        """The reservation; None when the hub lists it no more, so that it is made anew. Unreadable: as it was."""
        number = _number(outputs)
        if not number:
            return Live(resource_id=resource_id, outputs=outputs)
        # A port that was refused at first gets its id here, since an update cannot change it.
        resource_id = port.resource_id(str(outputs["tenantId"]), str(outputs["protocol"]), number)
        try:
            found = _find(hub, resource_id)
        except HubError as error:
            log.warn(f"the port could not be read, its last known state is kept. {error}")
            return Live(resource_id=resource_id, outputs=outputs)
        if found is None:
            return None
        return Live(resource_id=resource_id, outputs=dict(outputs) | {"ip": found.ip})

    def import_(self, hub: HubClient, resource_id: str, log: Log) -> Live | None:
        """A reservation by `<tenant id>/<protocol>/<port>`."""
        found = _find(hub, resource_id)
        if found is None:
            return None
        if not found.label:
            raise PluginError("the port has no label and cannot be adopted: its label is what it is found by")
        tenant_id = resource_id.partition("/")[0]
        inputs = PortInputs(tenant_id=tenant_id, protocol=found.protocol, label=found.label)
        outputs = port.outputs_of(inputs, found)
        return Live(resource_id=resource_id, outputs=outputs, inputs=inputs.properties())

    def delete(self, hub: HubClient, outputs: Properties, log: Log) -> None:
        """Release the port; an agent that still uses it makes that an error."""
        if number := _number(outputs):
            protocol = str(outputs["protocol"])
            outcomes.release_port(hub, str(outputs["tenantId"]), protocol=protocol, port=number)


def _find(hub: HubClient, resource_id: str) -> Port | None:
    parts = port.parse_id(resource_id)
    if parts is None:
        raise PluginError("the id of a port should look like <tenant id>/tcp/2222")
    tenant_id, protocol, number = parts
    ports = hub.list_ports(tenant_id)
    return next((found for found in ports if (found.protocol, found.port) == (protocol, number)), None)


def _reserve(hub: HubClient, wanted: PortInputs, log: Log) -> Properties:
    tenant_id, protocol, label = known(wanted.tenant_id), known(wanted.protocol), known(wanted.label)
    if tenant_id is None:
        return port.refused(wanted, port.NOT_ISSUED)
    try:
        reserved = outcomes.reserve_port(
            hub, tenant_id, protocol=protocol, label=label, preferred=known(wanted.preferred)
        )
    except HubError as error:
        if not port.is_refusal(error):
            raise
        log.warn(f"the hub refused the {protocol} port of {label!r}: {error.detail}")
        return port.refused(wanted, error.detail)
    return port.outputs_of(wanted, reserved)


def _number(outputs: Properties) -> int:
    """The number of the port in the state, 0 without one."""
    number = outputs.get("port")
    return number if isinstance(number, int) else 0


def _kept(outputs: Properties, wanted: PortInputs) -> Properties:
    return wanted.properties() | {key: outputs.get(key) for key in ("port", "ip", "edgeAddresses", "refused")}


def _inputs(properties: Properties) -> PortInputs:
    inputs, failures = PortInputs.read(properties)
    if failures:
        raise PluginError(f"{failures[0].path} {failures[0].reason}")
    return inputs
