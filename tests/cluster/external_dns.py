"""A real external-dns, one pass at a time, from objects of a real API server into zones of a real BIND by RFC 2136."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import dns.message
import dns.query
import dns.rcode

from local.bind import BindServer
from local.child import LOOPBACK
from tools import toolchain

_SECONDS = 60.0

OWNER = "tests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of external-dns: its program, and the prefix of the annotations that it reads by default."""

    name: str
    program: str
    prefix: str


OLD = Version(name="0.21", program="external-dns", prefix="external-dns.alpha.kubernetes.io/")
NEW = Version(name="0.22", program="external-dns-0.22", prefix="external-dns.kubernetes.io/")
VERSIONS = (OLD, NEW)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalDns:
    """One instance: it syncs what a source of the cluster asks for in the zones, and marks it with TXT records."""

    version: Version
    kubeconfig: Path
    bind: BindServer
    zones: Sequence[str]

    def sync(self, source: str, *flags: str, policy: str = "sync") -> str:
        """Make one pass; it must succeed. Returns its log."""
        command = [
            str(toolchain.test_directory() / self.version.program),
            *self._flags(source),
            f"--policy={policy}",
            *flags,
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
        assert done.returncode == 0, done.stderr
        return done.stderr

    def _flags(self, source: str) -> list[str]:
        name, secret = self.bind.key
        return [
            "--once",
            # A port of its own: two may run at a time.
            f"--metrics-address={LOOPBACK}:0",
            f"--source={source}",
            f"--kubeconfig={self.kubeconfig}",
            "--provider=rfc2136",
            f"--rfc2136-host={LOOPBACK}",
            f"--rfc2136-port={self.bind.port}",
            f"--rfc2136-tsig-keyname={name}",
            f"--rfc2136-tsig-secret={secret}",
            "--rfc2136-tsig-secret-alg=hmac-sha256",
            "--rfc2136-tsig-axfr",
            "--registry=txt",
            f"--txt-owner-id={OWNER}",
            *(f"--rfc2136-zone={zone}" for zone in self.zones),
            *(f"--domain-filter={zone}" for zone in self.zones),
        ]


def answer(bind: BindServer, name: str, kind: str) -> tuple[str, tuple[str, ...]]:
    """Ask for a name by DNS: the response code as text, and the values, sorted."""
    query = dns.message.make_query(name, kind)
    response = dns.query.udp(query, LOOPBACK, port=bind.port, timeout=_SECONDS)
    values = sorted(item.to_text() for rrset in response.answer for item in rrset)
    return dns.rcode.to_text(response.rcode()), tuple(values)


NOTHING = ("NXDOMAIN", ())
