"""The embedded default: the local stack's files, put on services that listen on free loopback ports."""

from pathlib import Path

from edge_dns.core.settings import Settings, load_settings, stack_values
from local.demo_failed import DemoFailed
from local.services import LocalServices
from local.stack import ROOT, STACK_FILE

GATEWAY_FILE = "stacks/local-gateways.yaml"
POLICY_FLAGS = ("--policy-pack", "policy", "--policy-pack-config", "stacks/local-policy.json")

# What the stack file holds encrypted.
_HUB_KEY = "local-hub-key"
_CLOUDFLARE_TOKEN = "local-cloudflare-token"  # noqa: S105 - it opens nothing but the emulator


def read_settings() -> Settings:
    """Return the settings of the local stack's file."""
    return load_settings(stack_values(STACK_FILE.read_text(encoding="utf-8")))


def make_services(settings: Settings) -> LocalServices:
    """Return the services, not started yet, with the zones of the settings."""
    services = LocalServices(hub_key=_HUB_KEY, cloudflare_token=_CLOUDFLARE_TOKEN)
    for zone in settings.zones:
        if zone.provider == "cloudflare":
            services.cloudflare.add_zone(zone.domain, zone_id=zone.zone_id)
        else:
            services.route53.add_zone(zone.domain, zone_id=zone.zone_id, private=zone.visibility == "private")
    return services


def stack_text(services: LocalServices, gateway_file: Path) -> str:
    """Return the text of the stack file for these services, which run, with the cluster's state in another file."""
    text = STACK_FILE.read_text(encoding="utf-8")
    for documented, actual in (
        ("http://127.0.0.1:8471", services.hub.url),
        ("http://127.0.0.1:8472/client/v4", services.cloudflare.url),
        ("http://127.0.0.1:8473", services.route53.url),
        (GATEWAY_FILE, str(gateway_file)),
    ):
        text = replaced(text, documented, actual)
    return text


def gateway_text() -> str:
    """Return the text of the file with the cluster's state."""
    return (ROOT / GATEWAY_FILE).read_text(encoding="utf-8")


def replaced(text: str, old: str, new: str) -> str:
    """Replace a part of a text. Raises DemoFailed when it is not there."""
    if old not in text:
        raise DemoFailed(f"there is no {old} in {STACK_FILE}")
    return text.replace(old, new)


def without_hostname(text: str, hostname: str) -> str:
    """Return the text of a YAML file without the list item of this hostname. Raises DemoFailed."""
    lines = text.splitlines(keepends=True)
    kept = [line for line in lines if line.strip() != f"- {hostname}"]
    if len(kept) != len(lines) - 1:
        raise DemoFailed(f"{hostname} is not exactly one list item of the local stack's files")
    return "".join(kept)
