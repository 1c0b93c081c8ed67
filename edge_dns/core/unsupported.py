"""Settings that are valid but that this version does not act on yet: refused, since ignoring them would be unsafe."""

from collections.abc import Iterator

from edge_dns.core.settings import Settings, SettingsError


def unsupported_settings(settings: Settings) -> tuple[SettingsError, ...]:
    """Return one error for each setting that this version does not act on."""
    found = [
        *_lists(settings),
        *(f"tunnels[{i}].kind" for i, tunnel in enumerate(settings.tunnels) if tunnel.kind == "cloudflare"),
        *(f"tunnels[{i}].dns.mode" for i, tunnel in enumerate(settings.tunnels) if tunnel.dns.mode == "DNSEndpoint"),
    ]
    return tuple(SettingsError(path=f"edge-dns:{path}", message="not supported by this version yet") for path in found)


def _lists(settings: Settings) -> Iterator[str]:
    for name, given in (
        ("services", settings.services),
        ("exceptions", settings.exceptions),
        ("exposure.publishers", settings.exposure.publishers == "listed"),
    ):
        if given:
            yield name
