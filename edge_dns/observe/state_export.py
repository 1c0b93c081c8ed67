"""What `pulumi stack export` prints: the outputs of the resources of a state, and the memory that they hold."""

import json
from collections.abc import Mapping

from edge_dns.core.errors import ObservationFailed
from edge_dns.core.markers import owner
from edge_dns.core.memory import Memory, encode
from edge_dns.observe.own_state import Outputs, memory_of

PROJECT = "edge-dns"
_STACK = "pulumi:pulumi:Stack"
_SEPARATORS = 3
_SECRET = "4dabf18193072939515e22adb298388d"  # noqa: S105 - the key by which Pulumi knows a special value
"""What every encrypted value of a state holds as a key, also where the export shows its text."""


def is_export(document: object) -> bool:
    """Say whether a document has the form of an export."""
    return isinstance(document, Mapping) and "deployment" in document


def exported_outputs(document: object) -> Outputs:
    """Return the outputs of each resource of an export. Raises ObservationFailed where it has another form.

    What is only waiting for its deletion is left out: another resource of the same URN has taken its place.
    """
    try:
        resources = document["deployment"].get("resources") or ()  # type: ignore[index] # what it may be is caught
        outputs = {one["urn"]: one.get("outputs") or {} for one in resources if not one.get("delete")}
    except (KeyError, TypeError, AttributeError):
        outputs = None
    if outputs is None or not all(map(_is_urn, outputs)) or not all(isinstance(v, Mapping) for v in outputs.values()):
        raise ObservationFailed("the export of a state has another form than expected")
    return outputs


def _is_urn(value: object) -> bool:
    """Say whether a value is `urn:pulumi:<stack>::<project>::<types>::<name>`."""
    return isinstance(value, str) and value.startswith("urn:pulumi:") and value.count("::") >= _SEPARATORS


def memory_of_export(document: object, of: str | None) -> Memory:
    """Return the memory that an exported state holds, without any secret.

    `of` is the owner as markers name it (`<project>/<stack>`), None where it is not known. Raises ObservationFailed
    when the state is empty, broken, or that of another stack: none of these is a stack without a memory.
    """
    outputs = exported_outputs(document)
    stacks = [urn.split("::") for urn in outputs if f"::{_STACK}::" in urn]
    if not stacks:
        raise ObservationFailed(
            "the exported state is empty: it holds no stack; for a first run leave the memory out, and for a state "
            "that was lost export an earlier version of it (pulumi stack export --version N)"
        )
    prefix, project, *_ = stacks[0]
    found = owner(project, prefix.removeprefix("urn:pulumi:"))
    if of is not None and found != of:
        raise ObservationFailed(
            f"the exported state is that of {found}, and by the name of their file the settings are of {of}"
        )
    if of is None and project != PROJECT:
        raise ObservationFailed(f"the exported state is that of {found}, which is no stack of the project {PROJECT}")
    memory = memory_of(outputs)
    if _SECRET in json.dumps(encode(memory)):
        raise ObservationFailed("the exported state holds a secret where a record or its memory is expected")
    return memory
