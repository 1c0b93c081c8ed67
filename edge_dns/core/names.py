"""DNS names: hostnames and targets as people write them, brought to one form or refused with a reason.

The form is lower case, IDN as A-labels, no trailing dot (RFC 1035 §2.3, RFC 1123 §2.1, RFC 5891, UTS 46).
"""

import ipaddress
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import idna

_MAX_NAME = 253
_MAX_LABEL = 63
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_PLAIN_HOSTNAME = re.compile(rf"(?:\*\.)?(?:{_LABEL}\.)+{_LABEL}", re.ASCII)
_DIGITS_AND_DOTS = re.compile(r"[0-9.]+", re.ASCII)
_LABEL_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_*")
"""What needs no further word: underscores and stars have messages of their own."""


class NameSyntax(ValueError):  # noqa: N818 - named after the rule id name-syntax
    """A text that is not a valid DNS name; the message is the reason in words."""


class TargetSyntax(NameSyntax):
    """A DNS target that is no hostname with a dot inside (rule target-syntax)."""


class TargetNotIp(TargetSyntax):
    """An IP address where a hostname is wanted as target (rule target-not-ip)."""


def normalise_hostname(text: str) -> str:
    """Return the hostname in normal form: lower case, A-labels, no trailing dot; ``*`` only as the whole first label.

    Raises NameSyntax when it is longer than 253 octets, has a label over 63, fewer than two labels (the ``*`` counts),
    characters other than letters, digits and hyphens (underscores included), or is an IP address.
    """
    name = _trim(text)
    if _PLAIN_HOSTNAME.fullmatch(name) and _is_plain(name):
        return name
    return _normalise_slowly(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hostnames:
    """Hostnames as somebody declares them: normal forms, and the broken ones as shown with what is wrong."""

    valid: tuple[str, ...] = ()
    broken: tuple[tuple[str, str], ...] = ()

    @property
    def is_any(self) -> bool:
        """Whether none is declared at all."""
        return not self.valid and not self.broken


def split_hostnames(texts: Iterable[str]) -> Hostnames:
    """Return the hostnames that the texts stand for, each once, in their order."""
    valid: dict[str, None] = {}
    broken: dict[str, str] = {}
    for text in texts:
        try:
            valid[normalise_hostname(text)] = None
        except NameSyntax as error:
            broken[text.strip().lower()] = str(error)
    return Hostnames(valid=tuple(valid), broken=tuple(broken.items()))


def as_shown(text: str) -> str:
    """Return a hostname in normal form, a malformed one as written, in lower case."""
    try:
        return normalise_hostname(text)
    except NameSyntax:
        return text.strip().lower()


def normalise_domain(text: str) -> str:
    """Return a zone's domain in normal form: like a hostname, but no wildcard, and one label is enough (``internal``).

    Raises NameSyntax.
    """
    name = _trim(text)
    if name.startswith("*"):
        raise NameSyntax("a zone's domain cannot be a wildcard")
    is_one_label = name and "." not in name and ":" not in name
    return _whole(_label(name)) if is_one_label else normalise_hostname(name)


@lru_cache(maxsize=1024)
def normalise_target(text: str) -> str:
    """Return a DNS target (CNAME value, edge target) in normal form: a hostname with a dot inside, no wildcard.

    Raises TargetNotIp for an IP address and TargetSyntax for everything else that is not such a name.
    """
    name = _trim(text)
    if is_ip_address(name):
        raise TargetNotIp("an IP address where a hostname is wanted")
    if name.startswith("*"):
        raise TargetSyntax("a target cannot be a wildcard")
    try:
        return normalise_hostname(name)
    except NameSyntax as error:
        raise TargetSyntax(str(error)) from None


def is_wildcard(hostname: str) -> bool:
    """Say whether a normal-form hostname is a wildcard."""
    return hostname.startswith("*.")


def is_ip_address(text: str) -> bool:
    """Say whether the text is an IPv4 or IPv6 address, in brackets or not."""
    try:
        ipaddress.ip_address(text.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def in_zone(hostname: str, domain: str) -> bool:
    """Say whether the hostname is the domain itself or below it; both in normal form."""
    return hostname == domain or hostname.endswith("." + domain)


def relative_name(hostname: str, domain: str) -> str:
    """Return the hostname relative to the domain, ``@`` at the apex; raises ValueError when it is not in the domain."""
    if hostname == domain:
        return "@"
    if not in_zone(hostname, domain):
        raise ValueError(f"{hostname} is not in the zone {domain}")
    return hostname[: -len(domain) - 1]


def meet(route: str, listener: str) -> str | None:
    """Return the most specific hostname that both admit, or None; both in normal form, symmetric.

    A wildcard stands for one or more leading labels and never for its apex (Gateway API, Listener.hostname and
    HTTPRouteSpec.hostnames); both directions of wildcard against wildcard are covered.
    """
    if route == listener:
        return route
    if is_wildcard(route) and is_wildcard(listener):
        longer, shorter = sorted((route, listener), key=len, reverse=True)
        return longer if longer.endswith(shorter[1:]) else None
    if is_wildcard(listener):
        return route if route.endswith(listener[1:]) else None
    if is_wildcard(route):
        return listener if listener.endswith(route[1:]) else None
    return None


def covers(pattern: str, hostname: str) -> bool:
    """Say whether the pattern (a hostname or wildcard) admits everything that the hostname stands for."""
    return meet(pattern, hostname) == hostname


def _trim(text: str) -> str:
    """Trim, lower-case and cut one trailing dot; UTS 46 also folds the ideographic full stops to dots."""
    name = text.strip()
    if not name.isascii():
        try:
            name = idna.uts46_remap(name, std3_rules=False)
        except (idna.IDNAError, UnicodeError) as error:
            raise NameSyntax(f"not a valid internationalised name: {error}") from None
    return name.lower().removesuffix(".")


def _is_plain(name: str) -> bool:
    return len(name) <= _MAX_NAME and "xn--" not in name and not (name[-1].isdigit() and _is_numeric(name))


def _is_numeric(name: str) -> bool:
    """Say whether all labels are numbers: every resolver takes such a name for an address."""
    return _DIGITS_AND_DOTS.fullmatch(name.removeprefix("*.")) is not None


def _normalise_slowly(name: str) -> str:
    if not name:
        raise NameSyntax("empty")
    if is_ip_address(name):
        raise NameSyntax("an IP address, not a hostname")
    star, rest = ("*.", name[2:]) if is_wildcard(name) else ("", name)
    hostname = _whole(star + ".".join(_labels(rest)))
    if "." not in hostname:
        raise NameSyntax("fewer than two labels")
    return hostname


def _whole(hostname: str) -> str:
    if len(hostname) > _MAX_NAME:
        raise NameSyntax(f"longer than {_MAX_NAME} characters")
    if _is_numeric(hostname):
        raise NameSyntax("an IP address, not a hostname")
    return hostname


def _labels(text: str) -> list[str]:
    """Return the labels in normal form; raises NameSyntax with what is wrong with each of them."""
    found, problems = [], []
    for label in text.split("."):
        try:
            found.append(_label(label))
        except NameSyntax as error:
            problems.append(str(error))
    if problems:
        raise NameSyntax("; ".join(dict.fromkeys(problems)))
    return found


def _label(label: str) -> str:
    if not label:
        raise NameSyntax("an empty label (two dots in a row, or a dot at the start)")
    ascii_label = label if label.isascii() and not label.startswith("xn--") else _a_label(label)
    if problems := list(_problems(ascii_label)):
        raise NameSyntax(f"label {_shorten(ascii_label)!r} {' and '.join(problems)}")
    return ascii_label


def _problems(label: str) -> Iterator[str]:
    if "*" in label:
        yield "holds a star; a wildcard is '*' as the whole first label"
    if "_" in label:
        yield "holds an underscore"
    if others := set(label) - _LABEL_CHARACTERS:
        yield f"holds something other than letters, digits and hyphens ({''.join(sorted(others))!r})"
    if label[0] == "-" or label[-1] == "-":
        yield "starts or ends with a hyphen"
    if len(label) > _MAX_LABEL:
        yield f"is longer than {_MAX_LABEL} characters"


@lru_cache(maxsize=65536)
def _a_label(label: str) -> str:
    """Return the A-label of one mapped label; an A-label is checked by decoding it and encoding it again."""
    try:
        unicode_label = idna.ulabel(label)
        a_label = idna.alabel(unicode_label).decode("ascii")
    except (idna.IDNAError, UnicodeError, IndexError) as error:
        raise NameSyntax(f"label {_shorten(label)!r} is not a valid internationalised label: {error}") from None
    if label.isascii() and a_label != label:
        raise NameSyntax(f"label {_shorten(label)!r} is not the A-label of any name")
    return a_label


def _shorten(label: str) -> str:
    return label if len(label) <= _MAX_LABEL else label[:_MAX_LABEL] + "…"
