"""A real `named` (BIND 9) on a free loopback port, whose zones are written by dynamic updates (RFC 2136).

Neither emulator of a DNS provider answers DNS; what they hold is pushed here, so that tests can ask for it.
"""

import secrets
import shutil
import subprocess
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Self

import dns.exception
import dns.message
import dns.name
import dns.query
import dns.rcode
import dns.rdataset
import dns.tsig
import dns.tsigkeyring
import dns.update
import dns.xfr
import dns.zone

from local.child import LOOPBACK, die_with_parent, free_port
from local.zone_answers import RRsetAnswer
from tools.named import MISSING, REMEDY, find_named

HOST_ZONE = "name-servers.test"
"""A zone of its own that every server has: in it are the names of the servers."""
NAME_SERVERS = (f"ns1.{HOST_ZONE}", f"ns2.{HOST_ZONE}")
"""What the NS records of every zone say; both are this server."""

_KEY_NAME = dns.name.from_text("edge-dns-local")
_WAIT_SECONDS = 30.0
_CALL_SECONDS = 10.0
_STARTS = 3
"""Somebody else may take the free port before named does."""
_LOG_LINES = 3

_Content = Mapping[tuple[dns.name.Name, str], dns.rdataset.Rdataset]


class BindError(RuntimeError):
    """named is missing, did not start, or refused an update."""


class BindServer:
    """An authoritative server for these zones while the context is open; each is empty but for SOA and NS.

    It resolves nothing and refuses names of other zones. Updates and transfers need its TSIG key: `key`, name and
    secret in base64, of algorithm HMAC-SHA256.
    """

    def __init__(self, zones: Iterable[str]) -> None:
        self._zones = tuple(zones)
        self.key = (_KEY_NAME.to_text(omit_final_dot=True), b64encode(secrets.token_bytes(32)).decode())
        self.port = 0
        self._folder = Path()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Start named; raises BindError when it is missing or not ready in time."""
        self._folder = Path(tempfile.mkdtemp(prefix="edge-dns-bind-"))
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Stop named and remove its folder."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def stop(self) -> None:
        """Kill named: nothing answers at its address any more."""
        if self._process:
            self._process.kill()
            self._process.wait()

    @property
    def address(self) -> str:
        """`127.0.0.1:<port>`."""
        return f"{LOOPBACK}:{self.port}"

    def push(self, zone: str, wanted: Iterable[RRsetAnswer]) -> None:
        """Let the zone hold exactly these RRsets, its own SOA and NS aside, by one update; raises BindError."""
        now, then = self.content(zone), dict(map(_rdataset, wanted))
        update = dns.update.UpdateMessage(
            zone, keyring=self._keyring, keyname=_KEY_NAME, keyalgorithm=dns.tsig.HMAC_SHA256
        )
        # First what goes: a CNAME is silently not added where something else stands (RFC 2136 §3.4.2.2).
        for (name, kind), rdataset in now.items():
            if then.get((name, kind)) != rdataset or then[name, kind].ttl != rdataset.ttl:
                update.delete(name, kind)
        for (name, kind), rdataset in then.items():
            if now.get((name, kind)) != rdataset or now[name, kind].ttl != rdataset.ttl:
                update.add(name, rdataset)
        if update.update:
            self._send(update, zone)

    @property
    def _keyring(self) -> Mapping[dns.name.Name, dns.tsig.Key]:
        name, secret = self.key
        return dns.tsigkeyring.from_text({name: (dns.tsig.HMAC_SHA256, secret)})

    def content(self, zone: str) -> _Content:
        """Return what the zone holds by name and type, SOA and NS of its apex aside. Raises BindError."""
        transferred = dns.zone.Zone(dns.name.from_text(zone), relativize=False)
        query, _ = dns.xfr.make_query(
            transferred, keyring=self._keyring, keyname=_KEY_NAME, keyalgorithm=dns.tsig.HMAC_SHA256
        )
        try:
            dns.query.inbound_xfr(LOOPBACK, transferred, query, port=self.port, lifetime=_CALL_SECONDS)
        except (dns.exception.DNSException, OSError) as error:
            raise BindError(f"zone {zone} cannot be transferred: {error!r}") from None
        return {
            (name, dns.rdatatype.to_text(rdataset.rdtype)): rdataset
            for name, rdataset in transferred.iterate_rdatasets()
            if not (name == transferred.origin and rdataset.rdtype in (dns.rdatatype.SOA, dns.rdatatype.NS))
        }

    def _send(self, update: dns.update.UpdateMessage, zone: str) -> None:
        try:
            response = dns.query.tcp(update, LOOPBACK, port=self.port, timeout=_CALL_SECONDS)
        except (dns.exception.DNSException, OSError) as error:
            raise BindError(f"zone {zone} cannot be updated: {error!r}") from None
        if response.rcode() != dns.rcode.NOERROR:
            raise BindError(f"zone {zone} cannot be updated: {self._last_lines()}")

    def _start(self) -> None:
        program = find_named()
        if program is None:
            raise BindError(f"{MISSING} {REMEDY}")
        # A copy: where AppArmor confines Debian's named, it is by its path, to folders of the system.
        named = shutil.copy(program, self._folder / "named")
        for zone in (HOST_ZONE, *self._zones):
            (self._folder / f"{zone}.zone").write_text(_zone_text(zone), encoding="utf-8")
        for _ in range(_STARTS):
            self.port = free_port()
            config = self._folder / "named.conf"
            config.write_text(_config_text(self._folder, self._zones, self.port, self.key), encoding="utf-8")
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    [named, "-g", "-4", "-n", "1", "-c", str(config)],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    preexec_fn=die_with_parent,  # noqa: PLW1509 - it makes one system call and takes no lock
                )
            if self._is_ready(self._process):
                return
        raise BindError(f"named does not start: {self._last_lines()}")

    @property
    def _log(self) -> Path:
        return self._folder / "named.log"

    def _log_text(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    def _last_lines(self) -> str:
        return "\n".join(self._log_text().splitlines()[-_LOG_LINES:])

    def _is_ready(self, process: subprocess.Popen[bytes]) -> bool:
        """Wait until this named serves its zones; False when it ended, or cannot have the port."""
        end = time.monotonic() + _WAIT_SECONDS
        while time.monotonic() < end and process.poll() is None:
            log = self._log_text()
            if "address in use" in log:
                break
            if " running\n" in log:
                return True
            time.sleep(0.02)
        process.kill()
        process.wait()
        return False


def _rdataset(answer: RRsetAnswer) -> tuple[tuple[dns.name.Name, str], dns.rdataset.Rdataset]:
    try:
        rdataset = dns.rdataset.from_text_list("IN", answer.type, answer.ttl, answer.values)
        return (dns.name.from_text(answer.name), answer.type), rdataset
    except dns.exception.DNSException as error:
        raise BindError(f"{answer.name} {answer.type} {' '.join(answer.values)} is no record: {error}") from None


def _zone_text(zone: str) -> str:
    servers = "".join(f"@ NS {server}.\n" for server in NAME_SERVERS)
    hosts = "".join(f"{server}. A {LOOPBACK}\n" for server in NAME_SERVERS) if zone == HOST_ZONE else ""
    authority = f"@ SOA {NAME_SERVERS[0]}. hostmaster.{HOST_ZONE}. 1 3600 600 86400 60\n"
    return f"$ORIGIN {zone}.\n$TTL 300\n{authority}{servers}{hosts}"


def _config_text(folder: Path, zones: Iterable[str], port: int, key: tuple[str, str]) -> str:
    name, secret = key
    served = "".join(
        f'zone "{zone}" {{ type primary; file "{zone}.zone"; allow-update {{ key "{name}"; }}; }};\n'
        for zone in (HOST_ZONE, *zones)
    )
    return f"""\
key "{name}" {{ algorithm hmac-sha256; secret "{secret}"; }};
controls {{ }};
options {{
  directory "{folder}";
  pid-file none;
  session-keyfile none;
  listen-on port {port} {{ {LOOPBACK}; }};
  listen-on-v6 {{ none; }};
  recursion no;
  notify no;
  dnssec-validation no;
  allow-transfer {{ key "{name}"; }};
}};
{served}"""
