"""The refusals of the Cloudflare API that the emulator knows, by code and text."""

from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class ApiError(Exception):
    """An answer `{"success": false, "errors": [{"code", "message"}]}` with this HTTP status."""

    status: int
    code: int
    message: str


def a_aaaa_cname_exists() -> ApiError:
    """81053: what is new excludes the A, AAAA or CNAME record at the name."""
    return ApiError(400, 81053, "An A, AAAA, or CNAME record with that host already exists.")


def cname_exists() -> ApiError:
    """81054: the name has a CNAME, which excludes A and AAAA."""
    return ApiError(400, 81054, "A CNAME record with that host already exists.")


def ns_exists() -> ApiError:
    """81056: NS below the apex excludes every other type."""
    return ApiError(400, 81056, "NS records with that host already exist.")


def record_exists() -> ApiError:
    """81057: name, type and content are taken, other settings differ."""
    return ApiError(400, 81057, "The record already exists.")


def identical_record_exists() -> ApiError:
    """81058: a record that is the same in everything."""
    return ApiError(400, 81058, "An identical record already exists.")


def record_missing() -> ApiError:
    """81044: no record of that id in the zone."""
    return ApiError(404, 81044, "Record does not exist.")


def no_route(path: str) -> ApiError:
    """7003: the path, or an identifier in it, is malformed."""
    return ApiError(404, 7003, f"Could not route to {path}, perhaps your object identifier is invalid?")


def zone_hidden() -> ApiError:
    """10000: the zone is not one that the token may see."""
    return ApiError(403, 10000, "Authentication error")


def token_missing() -> ApiError:
    """10000: no credentials at all."""
    return ApiError(401, 10000, "Authentication error")


def token_invalid() -> ApiError:
    """9109: credentials that the API does not know."""
    return ApiError(403, 9109, "Invalid access token")


def invalid_content(record_type: str, expected: str) -> ApiError:
    """9005/9007: the content is not what the type holds."""
    return ApiError(400, 9005, f"Content for {record_type} record must be {expected}.")


def account_hidden() -> ApiError:
    """10000: the account is not one that the token may see."""
    return ApiError(403, 10000, "Authentication error")


def tunnel_missing() -> ApiError:
    """1003: no tunnel of that id in the account, or one that is deleted."""
    return ApiError(404, 1003, "Tunnel not found")


def tunnel_exists() -> ApiError:
    """1013: a tunnel that is not deleted has the name."""
    return ApiError(
        409,
        1013,
        "You already have a tunnel with this name. Delete the existing tunnel, or choose a different name for your new "
        "tunnel",
    )


def tunnel_connected() -> ApiError:
    """1022: something is still connected."""
    return ApiError(400, 1022, "Cannot delete tunnel because it has active connections")


def tunnel_invalid(reason: str) -> ApiError:
    """1001: a field of the tunnel is not valid."""
    return ApiError(400, 1001, f"Invalid tunnel: {reason}")


def bad_configuration(reason: str) -> ApiError:
    """1056: the configuration is refused, for one of cloudflared's own reasons."""
    return ApiError(400, 1056, f"Bad Configuration: {reason}")
