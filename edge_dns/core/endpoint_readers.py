"""The external-dns instances of a cluster that read DNSEndpoints, by the flags of their Deployments.

The `crd` source of external-dns looks at the object's namespace, labels and annotations (flags `--namespace`,
`--label-filter`, `--annotation-filter`), and `--domain-filter` at each name.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from edge_dns.core.json_values import object_in, objects_in
from edge_dns.core.names import in_zone
from edge_dns.core.settings import Selector, SelectorSyntax, parse_selector

_SWITCHES = frozenset({"once", "dry-run", "events"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """One instance with the source `crd`; `title` names its Deployment. A filter that is not there is None or empty."""

    title: str
    namespace: str = ""
    labels: Selector | None = None
    annotations: Selector | None = None
    domains: tuple[str, ...] = ()

    def takes(self, namespace: str, labels: Mapping[str, str], annotations: Mapping[str, str], domain: str) -> bool:
        """Say whether it publishes names of a domain from an object."""
        return (
            self.namespace in ("", namespace)
            and (self.labels is None or self.labels.matches(labels))
            and (self.annotations is None or self.annotations.matches(annotations))
            and (not self.domains or any(in_zone(domain, one) or in_zone(one, domain) for one in self.domains))
        )


def readers_of(deployments: Iterable[Mapping[str, object]]) -> tuple[Reader, ...]:
    """Return the instances that read DNSEndpoints among Deployments, as an API server lists them; sorted."""
    found = (reader for one in deployments for reader in _readers(one))
    return tuple(sorted(found, key=lambda one: one.title))


def _readers(deployment: Mapping[str, object]) -> Iterator[Reader]:
    metadata, spec = object_in(deployment, "metadata"), object_in(deployment, "spec")
    if spec.get("replicas") == 0:
        return
    for container in objects_in(object_in(object_in(spec, "template"), "spec"), "containers"):
        if "external-dns" not in str(container.get("image")):
            continue
        flags = _flags(container)
        if "crd" in flags.get("source", ()):
            yield Reader(
                title=f"Deployment {metadata.get('namespace')}/{metadata.get('name')}",
                namespace=_last(flags, "namespace"),
                labels=_selector(_last(flags, "label-filter")),
                annotations=_selector(_last(flags, "annotation-filter")),
                domains=tuple(one.strip(".").lower() for one in flags.get("domain-filter", ()) if one.strip(".")),
            )


def _flags(container: Mapping[str, object]) -> dict[str, list[str]]:
    """Return the values of each flag; an environment variable `EXTERNAL_DNS_…` stands for a flag that is not given."""
    flags: dict[str, list[str]] = {}
    name = ""
    for text in (*_texts(container, "command"), *_texts(container, "args")):
        if text.startswith("--"):
            name, equals, value = text.removeprefix("--").partition("=")
            flags.setdefault(name, []).extend([value] if equals else [])
            name = "" if equals or name in _SWITCHES else name
        elif name:
            flags[name].append(text)
            name = ""
    for variable in objects_in(container, "env"):
        key, given = str(variable.get("name")), variable.get("value")
        if key.startswith("EXTERNAL_DNS_") and isinstance(given, str):
            flags.setdefault(key.removeprefix("EXTERNAL_DNS_").lower().replace("_", "-"), given.split("\n"))
    return flags


def _selector(text: str) -> Selector | None:
    try:
        return parse_selector(text) if text else None
    except SelectorSyntax:
        # With such a filter external-dns does not start; once it is mended, it may take anything.
        return None


def _last(flags: Mapping[str, list[str]], name: str) -> str:
    return next(reversed(flags.get(name, [])), "")


def _texts(value: Mapping[str, object], key: str) -> list[str]:
    found = value.get(key)
    return [str(one) for one in found] if isinstance(found, list) else []
