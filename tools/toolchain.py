"""Where the toolchain is, for everything that starts `pulumi`: tests, the local stack, the Makefile."""

import os
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
# Written by the set-up: the folder that holds the `pulumi` it has chosen or built.
RECORD = VENV / "toolchain-bin"
# The same for what only tests need: an API server, CRDs, external-dns, Pulumi's Kubernetes provider.
TEST_RECORD = VENV / "test-toolchain-bin"
# And the folder with Mermaid's own parser.
MERMAID_RECORD = VENV / "mermaid"


class NotSetUpError(Exception):
    """The set-up has not run, or what it has built is gone."""


def bin_directory() -> Path:
    """Return the folder with `pulumi` and its language host. Raises NotSetUpError."""
    return _recorded(RECORD, "pulumi", "make setup")


def test_directory() -> Path:
    """Return the folder with what only tests need, from `etcd` to `external-dns`. Raises NotSetUpError."""
    return _recorded(TEST_RECORD, "kube-apiserver", "make setup-tests")


def gateway_crds() -> list[Path]:
    """Return the files of the Gateway API's CRDs (standard channel) that tests install. Raises NotSetUpError."""
    return sorted(test_directory().glob("gateway.networking.k8s.io_*.yaml"))


def dnsendpoint_crd() -> Path:
    """Return the file of external-dns's CRD DNSEndpoint. Raises NotSetUpError."""
    return test_directory() / "externaldns.k8s.io_dnsendpoints.yaml"


def mermaid_reader() -> Path:
    """Return the program for Node.js that reads drawings with Mermaid's own parser. Raises NotSetUpError."""
    return _recorded(MERMAID_RECORD, "read.mjs", "make setup-tests") / "read.mjs"


def _recorded(record: Path, program: str, remedy: str) -> Path:
    try:
        folder = Path(record.read_text(encoding="utf-8").strip())
    except FileNotFoundError:
        raise NotSetUpError(f"The toolchain is not set up: run `{remedy}`.") from None
    if not (folder / program).exists():
        raise NotSetUpError(f"There is no {program} in {folder} any more: run `{remedy}`.")
    return folder


def environment(base: Mapping[str, str], *, home: Path | None = None) -> dict[str, str]:
    """Return base with the toolchain and the virtual environment first on PATH, and Pulumi's update check off.

    With home, the engine keeps plugins, logs and logins there instead of in ~/.pulumi; it also remembers the selected
    stack there, so name the stack in each call (`--stack`). Raises NotSetUpError.
    """
    path = os.pathsep.join([str(bin_directory()), str(VENV / "bin"), base.get("PATH", os.defpath)])
    added = {"PATH": path, "PULUMI_SKIP_UPDATE_CHECK": "true"}
    if home is not None:
        added["PULUMI_HOME"] = str(home)
    return {**base, **added}


def install_plugins(home: Path, executables: Iterable[Path]) -> None:
    """Put links to `pulumi-resource-NAME` executables into home's plugin cache, as `pulumi plugin install` would.

    The engine warns about each plugin that it finds on PATH, and about none in its cache. There it asks for the
    version of the Python package `pulumi-NAME`, which is the one the link gets. Raises PackageNotFoundError.
    """
    for executable in executables:
        name = executable.name.removeprefix("pulumi-resource-")
        folder = home / "plugins" / f"resource-{name}-v{metadata.version(f'pulumi-{name}')}"
        folder.mkdir(parents=True, exist_ok=True)
        link = folder / executable.name
        link.unlink(missing_ok=True)
        link.symlink_to(executable.resolve())
