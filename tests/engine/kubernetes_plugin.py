"""A Kubernetes plugin that knows every kind and no cluster: an object is what was declared, and has no status."""

from collections.abc import Sequence

from local.plugins import server
from local.plugins.properties import Properties
from local.plugins.provider import CheckFailure, Diff, Provider, ProviderError, State


class KubernetesProvider(Provider):
    """It keeps nothing: what the engine remembers is all there is."""

    package = "kubernetes"
    resource_type = "kubernetes:"
    secret_settings = frozenset({"kubeconfig"})

    def knows(self, resource_type: str) -> bool:
        """Every kind."""
        return resource_type.startswith(self.resource_type)

    def configure(self, settings: Properties) -> None:
        """Nothing to configure."""

    def check(self, inputs: Properties) -> Sequence[CheckFailure]:
        """Anything may be declared."""
        del inputs
        return ()

    def diff(self, *, old_inputs: Properties, old_outputs: Properties, inputs: Properties) -> Diff:
        """Everything changes in place."""
        del old_outputs
        return Diff(changed=tuple(sorted(key for key in inputs if inputs[key] != old_inputs.get(key))))

    def create(self, inputs: Properties, *, preview: bool) -> State:
        """The object as declared."""
        return State(id="" if preview else "object", inputs=inputs, outputs=inputs)

    def read(self, resource_id: str, *, old_inputs: Properties, old_outputs: Properties) -> State | None:
        """The object as it was."""
        return State(id=resource_id, inputs=old_inputs, outputs=old_outputs)

    def update(self, resource_id: str, *, old_outputs: Properties, inputs: Properties, preview: bool) -> Properties:
        """The object as declared."""
        del resource_id, old_outputs, preview
        return inputs

    def delete(self, resource_id: str, old_outputs: Properties) -> None:
        """Nothing to delete."""

    def invoke(self, token: str, arguments: Properties) -> Properties:
        """There is nothing to look up."""
        raise ProviderError(f"no lookup {token} of {sorted(arguments)}")


if __name__ == "__main__":
    server.serve(KubernetesProvider())
