"""The hub's hostname rules: one validator serves every endpoint of the hub."""

import re

_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")


def normalise(hostname: str) -> str:
    """The form in which hostnames are sent and compared: lower case, without surrounding blanks."""
    return hostname.strip().lower()


def problem(hostname: str) -> str | None:
    """Why the hub would refuse `hostname` (normalised), or None.

    1 to 253 characters, two labels or more, labels of 1 to 63 letters, digits and inner hyphens; `*` only as the whole
    first label; no dot at the end; A-labels (`xn--…`), never U-labels.
    """
    if not hostname:
        return "is empty"
    if len(hostname) > 253:
        return "is longer than 253 characters"
    labels = hostname.split(".")
    if len(labels) < 2:
        return "needs at least two labels, like app.example.com"
    if labels[0] == "*":
        labels = labels[1:]
    return next((found for found in map(_label_problem, labels) if found), None)


def _label_problem(label: str) -> str | None:
    if not label:
        return "has an empty label (a dot at either end, or two in a row)"
    if len(label) > 63:
        return "has a label longer than 63 characters"
    if not _LABEL.fullmatch(label):
        return (
            f"has the label {label!r}: only letters, digits and inner hyphens are allowed, "
            "`*` only as the whole first label, and international names as xn--…"
        )
    return None
