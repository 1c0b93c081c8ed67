import urllib3

from local.loopback import Fault
from local.services import LocalServices


def test_the_services_run_side_by_side_with_the_zones_of_the_stack() -> None:
    with LocalServices(cloudflare_zones=["example.com"], route53_zones=["example.org"]) as services:
        assert set(services.zone_ids) == {"example.com", "example.org"}
        assert services.cloudflare.records(services.zone_ids["example.com"]) == []
        assert services.route53.records(services.zone_ids["example.org"]) == []
        urls = [services.hub.url, services.cloudflare.origin, services.route53.url]
        statuses = [urllib3.request("GET", url).status for url in urls]
        assert len(set(urls)) == 3
        assert all(statuses)
        assert services.write_count == 0


def test_the_settings_hold_what_the_stack_needs_to_reach_the_services() -> None:
    with LocalServices() as services:
        assert services.hub_settings == {"url": services.hub.url, "apiKey": services.hub.operator_key}
        assert services.provider_config["cloudflare:baseUrl"] == services.cloudflare.url
        assert services.provider_config["aws:endpoints"] == [{"route53": services.route53.url}]


def test_writes_are_counted_over_all_services() -> None:
    with LocalServices() as services:
        services.cloudflare.inject(Fault(status=500))
        urllib3.request("POST", services.cloudflare.url, retries=False)
        urllib3.request("POST", services.route53.url, retries=False)
        urllib3.request("GET", services.cloudflare.url, retries=False)
        assert services.write_count == 2


def test_a_stopped_service_comes_back_at_the_same_address_with_its_state() -> None:
    with LocalServices(cloudflare_zones=["example.com"]) as services:
        zone, url = services.zone_ids["example.com"], services.cloudflare.url
        services.cloudflare.add_record(zone, type="A", name="a", content="203.0.113.7")
        services.cloudflare.stop()
        services.cloudflare.start()
        assert services.cloudflare.url == url
        assert len(services.cloudflare.records(zone)) == 1
