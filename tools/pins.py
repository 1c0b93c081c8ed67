"""What the toolchain consists of: to add a program, add an entry to PINS, or to TEST_PINS if only tests need it.

Each entry has a folder below tools/toolchain/ with the go.mod and go.sum that pin its version and everything it is
built from. Programs whose main package is published are built as they are; the others have a main of ours there.
"""

import hashlib
import platform
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tools.toolchain import ROOT

SDK = "github.com/pulumi/pulumi/sdk/v3"
KUBERNETES_PROVIDER = "github.com/pulumi/pulumi-kubernetes/provider/v4"
EXTERNAL_DNS = "sigs.k8s.io/external-dns"


@dataclass(frozen=True, kw_only=True)
class Pin:
    """One file of the toolchain's bin folder, taken from Go modules."""

    name: str
    folder: str
    module: str  # the module whose version in go.mod is the version of this program

    @property
    def source(self) -> Path:
        """The folder with the go.mod."""
        return ROOT / "tools" / "toolchain" / self.folder

    @cached_property
    def version(self) -> str:
        """The version that go.mod pins, with its leading v. Raises LookupError when go.mod does not name the module."""
        match = re.search(rf"^\s*(?:require )?{re.escape(self.module)} (v\S+)", self._go_mod(), re.MULTILINE)
        if match is None:
            raise LookupError(f"{self.source}/go.mod does not require {self.module}")
        return match[1]

    @cached_property
    def go_version(self) -> tuple[int, ...]:
        """The oldest Go that builds it, from the go line of go.mod."""
        match = re.search(r"^go (\S+)", self._go_mod(), re.MULTILINE)
        if match is None:
            raise LookupError(f"{self.source}/go.mod has no go line")
        return tuple(int(part) for part in match[1].split("."))

    @cached_property
    def key(self) -> str:
        """A hash over all that decides what the file is: this entry, its sources and the platform."""
        digest = hashlib.sha256(repr((self, sys.platform, platform.machine())).encode())
        for file in sorted(file for file in self.source.iterdir() if file.is_file()):
            digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
        return digest.hexdigest()[:16]

    def _go_mod(self) -> str:
        return (self.source / "go.mod").read_text(encoding="utf-8")


@dataclass(frozen=True, kw_only=True)
class Binary(Pin):
    """A program that is compiled."""

    package: str
    minutes: float  # with an empty build cache on two idle cores
    # Go variables that the linker sets, as `package.Name=value`, where {version}, {major} and {minor} are filled in.
    variables: tuple[str, ...] = ()

    @property
    def linker_flags(self) -> str:
        """The value of -ldflags: no symbol tables, and the version where the program wants to be told."""
        major, minor, _ = self.version.removeprefix("v").split(".", 2)
        set_to = (text.format(version=self.version, major=major, minor=minor) for text in self.variables)
        return " ".join(["-s -w", *(f"-X {variable}" for variable in set_to)])


@dataclass(frozen=True, kw_only=True)
class Script(Pin):
    """A file that is copied from a module as it is."""

    path: str


PINS: tuple[Binary | Script, ...] = (
    Binary(
        name="pulumi-language-python",
        folder="language-python",
        module=SDK,
        package=".",
        minutes=0.5,
    ),
    Script(
        name="pulumi-language-python-exec",
        folder="language-python",
        module=SDK,
        path="python/cmd/pulumi-language-python-exec",
    ),
    Script(
        name="pulumi-resource-pulumi-python",
        folder="language-python",
        module=SDK,
        path="python/dist/pulumi-resource-pulumi-python",
    ),
    Binary(
        name="pulumi",
        folder="pulumi",
        module="github.com/pulumi/pulumi/pkg/v3",
        package="github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
        minutes=5,
        variables=(f"{SDK}/go/common/version.Version={{version}}",),
    ),
)

# For tests: a real API server with the Gateway API's CRDs, Pulumi's provider for it, external-dns; workflows' linter.
GATEWAY_CRDS = ("gatewayclasses", "gateways", "grpcroutes", "httproutes", "listenersets", "tlsroutes")
TEST_PINS: tuple[Binary | Script, ...] = (
    Binary(
        name="etcd",
        folder="etcd",
        module="go.etcd.io/etcd/server/v3",
        package=".",
        minutes=1,
    ),
    Binary(
        name="kube-apiserver",
        folder="kube-apiserver",
        module="k8s.io/kubernetes",
        package="k8s.io/kubernetes/cmd/kube-apiserver",
        minutes=8,
        variables=(
            "k8s.io/component-base/version.gitVersion={version}",
            "k8s.io/component-base/version.gitMajor={major}",
            "k8s.io/component-base/version.gitMinor={minor}",
        ),
    ),
    *(
        Script(
            name=f"gateway.networking.k8s.io_{plural}.yaml",
            folder="gateway-api",
            module="sigs.k8s.io/gateway-api",
            path=f"config/crd/standard/gateway.networking.k8s.io_{plural}.yaml",
        )
        for plural in GATEWAY_CRDS
    ),
    Binary(
        name="pulumi-resource-kubernetes",
        folder="resource-kubernetes",
        module=KUBERNETES_PROVIDER,
        package=".",
        minutes=7,
        variables=("main.version=4.34.2",),
    ),
    Script(
        name="pulumi-resource-kubernetes-schema.json",
        folder="resource-kubernetes",
        module=KUBERNETES_PROVIDER,
        path="cmd/pulumi-resource-kubernetes/schema.json",
    ),
    Binary(
        name="external-dns",
        folder="external-dns",
        module=EXTERNAL_DNS,
        package=EXTERNAL_DNS,
        minutes=3,
    ),
    Binary(
        name="external-dns-0.22",
        folder="external-dns-0.22",
        module=EXTERNAL_DNS,
        package=EXTERNAL_DNS,
        minutes=2,
    ),
    Script(
        name="externaldns.k8s.io_dnsendpoints.yaml",
        folder="external-dns",
        module=EXTERNAL_DNS,
        path="config/crd/standard/dnsendpoints.externaldns.k8s.io.yaml",
    ),
    Binary(
        name="actionlint",
        folder="actionlint",
        module="github.com/rhysd/actionlint",
        package="github.com/rhysd/actionlint/cmd/actionlint",
        minutes=0.2,
    ),
)


def set_key(pins: tuple[Binary | Script, ...]) -> str:
    """The name of the folder that holds exactly these programs."""
    return hashlib.sha256(" ".join(pin.key for pin in pins).encode()).hexdigest()[:16]
