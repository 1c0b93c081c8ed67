"""Ownership markers: a text on a record that says which stack and source made it, so that a sweep finds it again.

Identity is the state; a marker serves only the sweep and the recovery of a create that a crash cut off. On Cloudflare
it is the record's comment, on Route 53 a TXT record per name in a label of its own.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import quote

from edge_dns.core.names import is_wildcard
from edge_dns.core.rules import refuse
from edge_dns.core.values import Source

VERSION = "edge-dns/1"
RELEASED_COMMENT = "released by edge-dns"
"""What stands in the place of the marker on a Cloudflare record whose release has begun: a marker of nobody."""
MAX_COMMENT = 100
"""Longest comment of a Cloudflare record on the free plan, in characters."""

_MAX_NAME = 253
_MAX_OWNER = 44
_HASHED = "sha256:"
_HASH_DIGITS = 20
_LABEL = "_edge-dns"
_WILDCARD_LABEL = "_wildcard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """A marker as read back: the owner (`owner`) and the source, each as text, hashed where it was too long."""

    owner: str
    source: str


def owner(project: str, stack: str) -> str:
    """Return the text that stands for a stack in markers: `<project>/<stack>`, percent-encoded, or a hash of it."""
    return _fit(f"{quote(project, safe='')}/{quote(stack, safe='')}", _MAX_OWNER)


def marker_prefix(project: str, stack: str) -> str:
    """Return what the marker of every record of a stack starts with: the filter of the sweep."""
    return f"{VERSION} {owner(project, stack)} "


def marker_text(project: str, stack: str, source: Source) -> str:
    """Return the marker of a record: printable ASCII without quotes, at most 100 characters."""
    prefix = marker_prefix(project, stack)
    parts = (source.kind, source.cluster, source.namespace, source.name)
    path = "/".join(quote(part, safe="") for part in parts if part is not None)
    return prefix + _fit(path, MAX_COMMENT - len(prefix))


def parse_marker(text: str) -> Marker | None:
    """Return the marker that a comment or TXT value (quoted or not) holds, None when it is none of this version."""
    parts = text.removeprefix('"').removesuffix('"').split(" ")
    if len(parts) != 3 or parts[0] != VERSION or not all(parts):
        return None
    return Marker(owner=parts[1], source=parts[2])


def belongs_to(text: str, project: str, stack: str) -> bool:
    """Say whether a comment or TXT value is a marker of this stack."""
    marker = parse_marker(text)
    return marker is not None and marker.owner == owner(project, stack)


def owners_in(texts: Iterable[str]) -> list[str]:
    """Return the owners that the markers among these comments or TXT values name, in their order."""
    return [marker.owner for text in texts if (marker := parse_marker(text))]


def marks_only(texts: Collection[str], owner: str | None) -> bool:
    """Say whether the texts are markers of this owner (None: of any) and nothing else, without a foreign text."""
    owners = owners_in(texts)
    return len(texts) > 0 and len(owners) == len(texts) and (owner is None or set(owners) == {owner})


def txt_value(text: str) -> str:
    """Return a marker as the single quoted string that a TXT record holds (RFC 1035 §5.1)."""
    return f'"{text}"'


def marker_name(fqdn: str, domain: str) -> str:
    """Return the name of the TXT record that marks a name in normal form in the zone `domain`.

    It stands in a label of its own with an underscore, which no hostname has, and never holds a `*`:
    `_edge-dns.<fqdn>`, or a hash directly below the domain when that is longer than 253 characters. Raises Refused
    (`marker-name`) when the domain leaves no room for either.
    """
    name = f"{_LABEL}.{_WILDCARD_LABEL}.{fqdn[2:]}" if is_wildcard(fqdn) else f"{_LABEL}.{fqdn}"
    if len(name) > _MAX_NAME:
        name = f"{_LABEL}-{_digest(fqdn)}.{domain}"
    if len(name) > _MAX_NAME:
        refuse("marker-name", f"zone {domain} leaves no room for the marker of {fqdn}")
    return name


def marked_name(name: str) -> str | None:
    """Return the name that a TXT record of this name marks, the inverse of `marker_name`; None where that is hashed."""
    label, _, rest = name.partition(".")
    if label != _LABEL:
        return None
    wildcard, _, parent = rest.partition(".")
    return f"*.{parent}" if wildcard == _WILDCARD_LABEL else rest


def is_marker_name(name: str) -> bool:
    """Say whether `marker_name` makes such names."""
    label = name.partition(".")[0]
    return label == _LABEL or label.startswith(f"{_LABEL}-")


def _fit(text: str, length: int) -> str:
    """Hash a text that is too long; percent-encoding leaves no colon, so a hash is never taken for a plain text."""
    return text if len(text) <= length else _HASHED + _digest(text)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:_HASH_DIGITS]
