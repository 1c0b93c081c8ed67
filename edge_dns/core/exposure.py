"""Exposure: how a Kubernetes object says, by label and annotations, whether external-dns may publish its hostnames.

External-dns skips an object whose controller annotation is there and is not exactly `dns-controller`. The prefix of its
annotations changed with 0.22, without a fallback, so that both are needed unless the version is known.
"""

from collections.abc import Collection, Mapping
from typing import Literal

Exposure = Literal["internal", "public"]

PREFIXES = ("external-dns.alpha.kubernetes.io/", "external-dns.kubernetes.io/")
"""The annotation prefixes of external-dns: up to 0.21, and from 0.22 on."""

EXPOSURE_LABEL = "edge-dns/exposure"
"""The label by which a route or Service says `public` or `internal`; without it an object is internal."""

CLAIM = "dns-controller"
"""The value of the controller annotation by which an object asks for external-dns, as it does without one."""

_NEW_PREFIX_SINCE = (0, 22)


def exposure_of(label: str | None) -> Exposure:
    """Return the exposure that the value of the label means: internal unless it says public."""
    return "public" if label == "public" else "internal"


def opts_out(annotations: Mapping[str, str]) -> bool:
    """Say whether an object is for another DNS controller: the rule of external-dns, under either of its prefixes."""
    return any(annotations.get(f"{prefix}controller", CLAIM) != CLAIM for prefix in PREFIXES)


def taking_prefixes(annotations: Mapping[str, str], prefixes: Collection[str] = PREFIXES) -> tuple[str, ...]:
    """Return the prefixes under which an external-dns takes the object.

    Each one reads the annotations of its own prefix only, so that an opt-out under another one hides nothing from it.
    """
    return tuple(prefix for prefix in prefixes if annotations.get(f"{prefix}controller", CLAIM) == CLAIM)


def prefix_of_version(version: str) -> str:
    """Return the default annotation prefix of an external-dns of a version, such as `0.21` or `v0.22.0`."""
    major, minor = version.removeprefix("v").split(".")[:2]
    return PREFIXES[(int(major), int(minor)) >= _NEW_PREFIX_SINCE]


def annotated_hostnames(annotations: Mapping[str, str], prefixes: Collection[str] = PREFIXES) -> tuple[str, ...]:
    """Return the hostnames, as they are written, that the annotations of an object ask external-dns to publish."""
    texts = (annotations.get(f"{prefix}{key}", "") for prefix in prefixes for key in ("hostname", "internal-hostname"))
    return tuple(name.strip() for text in texts for name in text.split(",") if name.strip())


def hostnames_of_service(annotations: Mapping[str, str]) -> tuple[str, ...]:
    """Return the hostnames, as written, that the `service` source of some external-dns would publish; sorted."""
    return tuple(sorted(set(annotated_hostnames(annotations, taking_prefixes(annotations)))))


def annotation_problem(
    exposure: Exposure,
    annotations: Mapping[str, str],
    prefixes: Collection[str] = PREFIXES,
    why_internal: str = "it is internal",
) -> str | None:
    """Return what is wrong with the controller annotation of an object of this exposure, None when it fits.

    `prefixes` are those that an internal object has to carry it under. The value `dns-controller` is always wrong.
    """
    found = {key: annotations[key] for prefix in PREFIXES if (key := f"{prefix}controller") in annotations}
    for key, value in found.items():
        if value == CLAIM:
            return f"{key} has the value {CLAIM}, which every external-dns takes"
    if exposure == "public":
        return f"it is public, and {', '.join(found)} hides it" if found else None
    missing = [f"{prefix}controller" for prefix in prefixes if f"{prefix}controller" not in found]
    return f"{why_internal}, and has no annotation {', '.join(missing)}" if missing else None
