from collections.abc import Iterator

import cloudflare
import httpx
import pytest

from local.cloudflare_emulator import CloudflareEmulator

ZONE_ID = "a" * 32


@pytest.fixture
def emulator() -> Iterator[CloudflareEmulator]:
    with CloudflareEmulator() as running:
        running.add_zone("example.com", zone_id=ZONE_ID)
        yield running


@pytest.fixture(scope="session")
def http_client() -> Iterator[httpx.Client]:
    with httpx.Client() as shared:  # building one loads all certificates: 50 ms
        yield shared


@pytest.fixture
def client(emulator: CloudflareEmulator, http_client: httpx.Client) -> cloudflare.Cloudflare:
    return cloudflare.Cloudflare(
        api_token=emulator.token, base_url=emulator.url, max_retries=0, http_client=http_client
    )
