"""The provider's configuration: the hub's `url` and `apiKey`."""

from edge_dns.hub import HubClient
from providers.towonel.checks import Failure, InputReader
from providers.towonel.values import Plain, Properties, Unknown

SECRETS = frozenset({"apiKey"})


def check(inputs: Properties) -> tuple[dict[str, Plain], list[Failure]]:
    """The configuration in normal form (one trailing slash cut off the url), and what is wrong with it."""
    reader = InputReader(inputs)
    url, api_key = reader.text("url"), reader.text("apiKey")
    if not reader.failures and isinstance(url, str) and isinstance(api_key, str):
        try:
            url = HubClient(url, api_key).url
        except ValueError as error:
            key = "apiKey" if "apiKey" in str(error) else "url"
            reader.fail(key, str(error).removeprefix(f"the hub's {key} "))
    return dict(inputs) | {"url": url, "apiKey": api_key}, reader.failures


def credentials(inputs: Properties) -> tuple[str, str] | None:
    """Url and key, or None while one of them is unknown."""
    url, api_key = inputs.get("url"), inputs.get("apiKey")
    if isinstance(url, Unknown) or isinstance(api_key, Unknown):
        return None
    return str(url or ""), str(api_key or "")
