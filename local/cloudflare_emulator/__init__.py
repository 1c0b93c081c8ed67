"""An emulator of the Cloudflare API's zones, DNS records and tunnels on a loopback port."""

from local.cloudflare_emulator.emulator import CloudflareEmulator
from local.loopback import Fault, LoggedRequest

__all__ = ["CloudflareEmulator", "Fault", "LoggedRequest"]
