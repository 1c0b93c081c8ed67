"""Cloudflare tunnels as values: ingress rules, and what the API says of the tunnels of an account."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from edge_dns.core.names import covers

CATCH_ALL = "*"
"""How the rule that answers every other request is named, in messages and in `replaceIngress`."""

TARGET_SUFFIX = ".cfargotunnel.com"
_UNKNOWN = "unknown-"


@dataclass(frozen=True, slots=True, kw_only=True)
class IngressRule:
    """One rule of a tunnel's ingress list: requests for a hostname (empty: any) and a path lead to a service.

    `tuned`: settings of origins (originRequest) count for it, its own or those of the whole configuration, which this
    project never makes.
    """

    hostname: str
    service: str
    path: str = ""
    tuned: bool = False

    @property
    def name(self) -> str:
        """Its hostname, `*` for the catch-all."""
        return self.hostname or CATCH_ALL

    @property
    def is_refusal(self) -> bool:
        """Whether it leads nowhere: cloudflared answers with a status itself."""
        return self.service.startswith("http_status:")

    def __str__(self) -> str:
        return f"{self.name}{self.path} → {self.service}{' (with originRequest)' if self.tuned else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTunnel:
    """One tunnel as the API lists it; `remote`: its rules are kept at Cloudflare. `ingress` is None where not read."""

    tunnel_id: str
    name: str
    deleted: bool
    remote: bool = True
    ingress: tuple[IngressRule, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountTunnels:
    """All tunnels of one account by id, deleted ones included."""

    by_id: Mapping[str, LiveTunnel]

    def live(self, tunnel_id: str) -> LiveTunnel | None:
        """Return a tunnel, None for one that is deleted or not there."""
        found = self.by_id.get(tunnel_id)
        return found if found and not found.deleted else None

    def named(self, name: str) -> LiveTunnel | None:
        """Return the live tunnel of this name; the API allows one."""
        return next((one for one in self.by_id.values() if one.name == name and not one.deleted), None)


def target_of_tunnel(tunnel_id: str) -> str:
    """Return what the records of a tunnel point at."""
    return f"{tunnel_id}{TARGET_SUFFIX}"


def unknown_target(key: str) -> str:
    """Return what stands for the target of the tunnel `<namespace>/<name>` that has no id before this run.

    A plan holds plain values only; the component puts the tunnel's own id in its place.
    """
    return f"{_UNKNOWN}{sha256(key.encode()).hexdigest()[:10]}{TARGET_SUFFIX}"


def is_unknown_target(value: str) -> bool:
    """Say whether a value stands for a target that is not known yet; ids of tunnels are UUIDs."""
    return value.startswith(_UNKNOWN) and value.endswith(TARGET_SUFFIX)


def tunnel_of_target(value: str) -> str | None:
    """Return the id of the tunnel that a target names, None for any other target."""
    return value.removesuffix(TARGET_SUFFIX) if value.endswith(TARGET_SUFFIX) else None


def sorted_rules(rules: Iterable[IngressRule]) -> tuple[IngressRule, ...]:
    """Sort rules with a hostname so that none hides another: exact names first, then wildcards, the longest first.

    cloudflared takes the first rule that matches (Cloudflare docs, "Ingress rules").
    """
    return tuple(sorted(rules, key=lambda one: (one.hostname.startswith("*"), -one.hostname.count("."), one.hostname)))


def first_rule(rules: Iterable[IngressRule], hostname: str) -> IngressRule | None:
    """Return the first rule that matches everything that the hostname stands for, the catch-all aside."""
    return next((one for one in rules if one.hostname and covers(one.hostname, hostname)), None)


def ingress_rules(answer: Mapping[str, object]) -> tuple[IngressRule, ...]:
    """Return the rules of a configuration in the SDK's spelling (`config.ingresses`), none where it has none.

    Raises ValueError for a rule without a service.
    """
    config = answer.get("config")
    if not isinstance(config, Mapping):
        return ()
    found, tuned = config.get("ingresses"), _says_something(config.get("originRequest"))
    return tuple(_rule(one, tuned) for one in found if isinstance(one, Mapping)) if isinstance(found, list) else ()


def _rule(answer: Mapping[str, object], tuned: bool) -> IngressRule:
    service = answer.get("service")
    if not isinstance(service, str) or not service:
        raise ValueError("an ingress rule without service")
    return IngressRule(
        hostname=str(answer.get("hostname") or "").lower(),
        path=str(answer.get("path") or ""),
        service=service,
        tuned=tuned or _says_something(answer.get("originRequest")),
    )


def _says_something(value: object) -> bool:
    """Say whether settings hold anything but empty values: the provider fills in what nobody has set."""
    if isinstance(value, Mapping):
        return any(map(_says_something, value.values()))
    return bool(value)
