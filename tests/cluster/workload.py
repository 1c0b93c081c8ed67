"""Many HTTPRoutes on Gateways, as a real API server holds them."""

from collections.abc import Iterator

from tests.cluster.objects import FROM_ALL, Object, gateway, gateway_status, route, route_status

_ROUTES_PER_GATEWAY = 100


def routes_and_gateways(start: int, end: int) -> Iterator[Object]:
    """Yield the routes of these numbers with one hostname each, each hundred after its Gateway, with statuses."""
    for number in range(start, end):
        name = f"gateway-{number // _ROUTES_PER_GATEWAY}"
        if number % _ROUTES_PER_GATEWAY == 0:
            address = f"203.0.113.{number // _ROUTES_PER_GATEWAY % 250 + 1}"
            yield {**gateway(name, FROM_ALL), "status": gateway_status([address])}
        one = route(f"route-{number}", [f"name-{number}.example.com"], name)
        yield {**one, "status": route_status(one)}
