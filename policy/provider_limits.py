"""Rules of the providers that they themselves report only when the record is created."""

from policy.rule import CLOUDFLARE_RECORDS, Properties, resource_policy

_AUTOMATIC_TTL = 1


def proxied_ttl(record: Properties, _parameters: Properties) -> str | None:
    """Refuse a proxied Cloudflare record with a TTL other than automatic, which the API refuses at create."""
    if record.get("proxied") in (None, False):
        return None
    ttl = record.get("ttl")
    if ttl in (None, _AUTOMATIC_TTL):
        return None
    shown = f"{ttl:g}" if isinstance(ttl, int | float) else ttl
    return f"The record is proxied and has ttl {shown}.\nSet ttl to 1 (automatic), or proxied to false."


POLICIES = [resource_policy("proxied-ttl", dict.fromkeys(CLOUDFLARE_RECORDS, proxied_ttl))]
