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
        """The same reservation under the new inputs."""
        return _kept(outputs, _inputs(inputs))

    def create(self, hub: HubClient, inputs: Properties, log: Log) -> Live:
        """Reserve the port, or take up the tenant's own reservation with this label and protocol."""
        wanted = _inputs(inputs)
        tenant_id, protocol, label = known(wanted.tenant_id), known(wanted.protocol), known(wanted.label)
        preferred = known(wanted.preferred)
        reserved = outcomes.reserve_port(hub, tenant_id, protocol=protocol, label=label, preferred=preferred)
        if preferred not in {None, reserved.port}:
            raise PluginError(
                f"the label {label!r} stands on the reserved {protocol} port {reserved.port}, not on the preferred "
                f"{preferred}: release that port on the hub, or drop `preferred`"
            )
        number = reserved.port
        return Live(
            resource_id=port.resource_id(tenant_id, protocol, number), outputs=port.outputs_of(wanted, reserved)
        )

    def update(self, hub: HubClient, resource_id: str, outputs: Properties, inputs: Properties, log: Log) -> Properties:
        """Nothing changes on the hub: only `preferred` was dropped, or now names the port that it is."""
        return _kept(outputs, _inputs(inputs))

    def read(self, hub: HubClient, resource_id: str, outputs: Properties, log: Log) -> Live | None:
        """The reservation; None when the hub lists it no more, so that it is made anew. Unreadable: as it was."""
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
        inputs = PortInputs.read({key: outputs[key] for key in ("tenantId", "protocol", "label") if key in outputs})[0]
        number = outputs.get("port")
        if isinstance(number, int):
            outcomes.release_port(hub, known(inputs.tenant_id), protocol=known(inputs.protocol), port=number)


def _find(hub: HubClient, resource_id: str) -> Port | None:
    parts = port.parse_id(resource_id)
    if parts is None:
        raise PluginError("the id of a port should look like <tenant id>/tcp/2222")
    tenant_id, protocol, number = parts
    ports = hub.list_ports(tenant_id)
    return next((found for found in ports if (found.protocol, found.port) == (protocol, number)), None)


def _kept(outputs: Properties, wanted: PortInputs) -> Properties:
    return wanted.properties() | {key: outputs.get(key) for key in ("port", "ip", "edgeAddresses")}


def _inputs(properties: Properties) -> PortInputs:
    inputs, failures = PortInputs.read(properties)
    if failures:
        raise PluginError(f"{failures[0].path} {failures[0].reason}")
    return inputs
