"""Gateway state from files: the objects of a cluster as `kubectl get -o yaml` prints them, YAML or JSON."""

from collections.abc import Iterable
from pathlib import Path

from edge_dns.core.errors import GatewayStateInvalid, ObservationFailed
from edge_dns.core.gateway_objects import flatten, parse_objects
from edge_dns.core.gateway_state import GatewayState
from edge_dns.core.yaml_text import TextInvalid, Value, load_all


def read_files(paths: Iterable[Path], *, services: bool = False) -> GatewayState:
    """Return the state that all files together hold; their Services only where `services` says that they are needed.

    Raises ObservationFailed, naming the file, when one cannot be read or holds no Kubernetes object.
    """
    return parse_objects(read_documents(paths), services=services)


def read_documents(paths: Iterable[Path]) -> list[Value]:
    """Return the documents of all files, each of them a Kubernetes object or a List; raises as `read_files` does."""
    return [document for path in paths for document in _read(path)]


def _read(path: Path) -> list[Value]:
    try:
        documents = load_all(path.read_text(encoding="utf-8"))
        flatten(documents)
    except OSError as error:
        raise ObservationFailed(f"cannot read the gateway state {path}: {error.strerror}; check 'files'") from None
    except UnicodeDecodeError:
        raise ObservationFailed(f"cannot read the gateway state {path}: it is not UTF-8 text") from None
    except TextInvalid as error:
        raise ObservationFailed(f"the gateway state {path} is not YAML or JSON: {error}; write it anew") from None
    except GatewayStateInvalid as error:
        raise ObservationFailed(f"the gateway state {path}: {error}") from None
    return documents
