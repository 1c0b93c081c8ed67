r"""Names as Route 53 and the AWS provider spell them. Pure.

The API keeps a name as FQDN with a dot, in lower case, with `*` as `\052`; the provider shows neither dot nor escape.
"""


def api_name(name: str) -> str:
    """The API's form of an FQDN, with or without its last dot."""
    return name.lower().rstrip(".").replace("*", r"\052") + "."


def shown_name(name: str) -> str:
    """The provider's form of a name: lower case, no dot, `*` itself."""
    return name.lower().removesuffix(".").replace(r"\052", "*")


def expanded(name: str, zone_name: str) -> str:
    """The FQDN (shown form) of a record name that may be relative to the zone; an empty one is the apex."""
    shown, zone = shown_name(name), shown_name(zone_name)
    if shown == zone or shown.endswith(f".{zone}"):
        return shown
    return f"{shown}.{zone}" if shown else zone


def clean_zone_id(zone_id: str) -> str:
    """The bare id of `/hostedzone/<id>`."""
    return zone_id.removeprefix("/hostedzone/")
