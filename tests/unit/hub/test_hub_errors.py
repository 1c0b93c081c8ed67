"""Error texts are for a person and hold no secret."""

import pytest

from edge_dns.hub import HubClient
from edge_dns.hub.errors import HubRefused, HubUnauthorized, scrub

TENANT = "e262f17a153ece26a64bf9b076473d7fb26b74063e26db311053f25c6296eb65"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"already owned by tenant {TENANT}", "already owned by tenant [hidden]"),
        ("token tt_inv_2_aHR0.xIFD.x-_y.zz ends", "token [hidden] ends"),
        ("key twk_abc-DEF_1", "key [hidden]"),
        ("the key was s3cret-operator-key", "the key was [hidden]"),
        ("two\nlines\tand  blanks", "two lines and blanks"),
    ],
    ids=["tenant", "token", "personal-key", "operator-key", "one-line"],
)
def test_scrubbing_hides_secrets(text: str, shown: str) -> None:
    assert scrub(text, "s3cret-operator-key") == shown


def test_a_long_text_is_cut() -> None:
    assert len(scrub("x" * 1000)) == 200


def test_an_error_says_which_call_what_happened_and_what_to_do() -> None:
    error = HubUnauthorized("GET /v1/invites", "authentication required", status=401, request_id="r-1")
    assert str(error) == (
        "hub: GET /v1/invites answered 401: authentication required. The API key is unknown, expired or revoked: "
        "check the hub's apiKey. [x-request-id r-1]"
    )


def test_the_path_of_an_error_holds_no_tenant() -> None:
    assert TENANT not in str(HubRefused(f"GET /v1/tenants/{TENANT}/ports", "forbidden", status=403))


@pytest.mark.parametrize("url", ["", "hub.test", "ftp://hub.example.com", "https://u:p@hub.test", "https://h/?a=b"])
def test_a_url_that_cannot_be_a_hub_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ValueError, match="url should") as refusal:
        HubClient(url, "key")
    assert not url or url not in str(refusal.value)


@pytest.mark.parametrize("key", ["", "two words", "line\nbreak", "clé"])
def test_a_key_that_cannot_be_one_is_refused_without_repeating_it(key: str) -> None:
    with pytest.raises(ValueError, match="apiKey") as refusal:
        HubClient("https://hub.test", key)
    assert not key or key not in str(refusal.value)


def test_one_trailing_slash_is_cut_and_the_key_is_not_shown() -> None:
    client = HubClient("https://hub.test/", "s3cret")
    assert client.url == "https://hub.test"
    assert repr(client) == "HubClient('https://hub.test')"
