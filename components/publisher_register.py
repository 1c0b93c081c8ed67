"""PublisherRegister: the publishers that nobody has decided about yet, for the policy pack and for the next run."""

import pulumi

from edge_dns.core.memory import RegisterMemory
from edge_dns.core.resource_types import PUBLISHER_REGISTER


class PublisherRegister(pulumi.ComponentResource):
    """The register in force, and what it was until its last change: inputs, so that the policy pack compares them."""

    def __init__(self, register: RegisterMemory) -> None:
        props = {"entries": list(register.entries)}
        if register.before is not None:
            props["before"] = list(register.before)
        super().__init__(PUBLISHER_REGISTER, "register", props)
        self.register_outputs(props)
