"""The hub's one hostname validator."""

import re

_LABEL = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?")


def problem(hostname: str) -> str | None:
    """Why the hub refuses `hostname`, or None when it accepts it (an IPv4 address and `*.com` are accepted)."""
    if not hostname:
        return "hostname must not be empty"
    size = len(hostname.encode())
    if size > 253:
        return f"hostname exceeds 253 characters ({size})"
    labels = hostname.split(".")
    if "" in labels:
        return "hostname contains an empty label (double dot or leading/trailing dot)"
    if len(labels) < 2:
        return "hostname must have at least two labels (e.g. app.example.eu)"
    checked = labels[1:] if labels[0] == "*" else labels
    return next((found for found in map(_label_problem, checked) if found), None)


def _label_problem(label: str) -> str | None:
    if len(label.encode()) > 63:
        return f"hostname label exceeds 63 characters ({len(label.encode())})"
    if not _LABEL.fullmatch(label):
        return f"invalid hostname label: `{label}` (only a-z, 0-9, hyphen allowed; `*` only as first label)"
    return None
