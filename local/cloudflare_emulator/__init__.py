"""An emulator of the Cloudflare API's zones and DNS records on a loopback port."""

from local.cloudflare_emulator.emulator import CloudflareEmulator
from local.loopback import Fault, LoggedRequest

__all__ = ["CloudflareEmulator", "Fault", "LoggedRequest"]
