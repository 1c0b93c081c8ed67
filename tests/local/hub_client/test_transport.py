"""One call against a real server on loopback: classification, retries, waiting on 429, secrecy."""

import gzip
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest

from edge_dns.hub import HubClient, HubError
from edge_dns.hub.errors import (
    HubBadAnswer,
    HubConflict,
    HubNotAHub,
    HubNotFound,
    HubRateLimited,
    HubRefused,
    HubServerError,
    HubUnauthorized,
    HubUnreachable,
    NotFound,
)
from edge_dns.hub.transport import ATTEMPTS, RATE_LIMIT_BUDGET_S
from local.hub_emulator import (
    EMPTY_404,
    HTML_200,
    HTML_404,
    INTERNAL_500,
    NOT_READY_503,
    TEXT_200,
    Drop,
    Fault,
    HubEmulator,
    Reply,
    rate_limited,
)
from tests.processes import until

UNKNOWN_ID = "A" * 22
JSON = "application/json; charset=utf-8"


def reply(status: int, body: bytes = b"", kind: str | None = JSON, **headers: str) -> Reply:
    return Reply(
        status=status,
        body=body,
        content_type=kind,
        headers=tuple((name.replace("_", "-"), value) for name, value in headers.items()),
    )


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (EMPTY_404, HubNotAHub),
        (HTML_404, HubNotAHub),
        (HTML_200, HubNotAHub),
        (TEXT_200, HubNotAHub),
        (reply(204), HubNotAHub),
        (reply(200, b"{"), HubNotAHub),
        (reply(302, location="https://elsewhere.test/login"), HubNotAHub),
        (reply(200, b"[]"), HubBadAnswer),
        (reply(200, b'{"invites":null}'), HubBadAnswer),
        (reply(200, b'{"invites":[]}', x_total_count="7"), HubBadAnswer),
        (reply(200, b'{"invites":[]}', x_total_count="9" * 5000), HubBadAnswer),
        (reply(200, b"[" * 200_000), HubNotAHub),
        (reply(200, b'{"invites":' + b"9" * 5000 + b"}"), HubNotAHub),
        (reply(200, b'{"invites":["\\ud800"]}'), HubNotAHub),
        (reply(200, gzip.compress(b'{"invites":[]}'), content_encoding="gzip"), HubNotAHub),
        (reply(401, b'{"error":{"code":"unauthorized","message":"authentication required"}}'), HubUnauthorized),
        (reply(401, b"<html>", "text/html"), HubUnauthorized),
        (reply(403, b'{"error":{"code":"forbidden","message":"no"}}'), HubRefused),
        (reply(404, b'{"error":{"code":"not_found","message":"not found"}}'), HubNotFound),
        (reply(404, b'{"error":"not_found"}'), HubNotAHub),
        (reply(405), HubRefused),
        (reply(409, b"conflict", "text/plain"), HubRefused),
        (reply(409, b'{"error":{"code":"hostname_conflict","message":"x"}}'), HubConflict),
        (reply(422, b"Failed to deserialize", "text/plain"), HubRefused),
    ],
)
def test_each_answer_is_an_error_of_its_own_and_never_an_empty_list(
    hub: HubEmulator, client: HubClient, outcome: Reply, kind: type[HubError]
) -> None:
    hub.inject(Fault(outcome=outcome))
    with pytest.raises(HubError) as caught:
        client.list_invites()
    assert type(caught.value) is kind
    assert len(hub.requests) == 1
    assert hub.operator_key not in str(caught.value)


@pytest.mark.parametrize(
    "outcome", [INTERNAL_500, NOT_READY_503, reply(502), reply(504, b"<html>", "text/html"), Drop()]
)
def test_a_read_is_tried_again_with_growing_waits(
    hub: HubEmulator, client: HubClient, waits: list[float], outcome: Reply | Drop
) -> None:
    hub.inject(Fault(outcome=outcome, times=ATTEMPTS - 1))
    assert client.list_invites() == ()
    assert waits == [0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    ("outcome", "kind"), [(INTERNAL_500, HubServerError), (Drop(), HubUnreachable)], ids=["500", "drop"]
)
def test_the_tries_of_a_read_are_bounded(
    hub: HubEmulator, client: HubClient, outcome: Reply | Drop, kind: type[HubError]
) -> None:
    hub.inject(Fault(outcome=outcome, times=None))
    with pytest.raises(kind):
        client.list_invites()
    assert len(hub.requests) == ATTEMPTS


@pytest.mark.parametrize("outcome", [INTERNAL_500, Drop()], ids=["500", "drop"])
def test_a_create_is_never_sent_twice_by_itself(hub: HubEmulator, client: HubClient, outcome: Reply | Drop) -> None:
    hub.inject(Fault(method="POST", outcome=outcome))
    with pytest.raises(HubError) as caught:
        client.create_invite(name="net/app", hostnames=["a.x.test"])
    assert caught.value.ambiguous
    assert hub.count("POST") == 1


def test_a_delete_is_tried_again(hub: HubEmulator, client: HubClient) -> None:
    invite = hub.create("a.x.test")
    hub.inject(Fault(method="DELETE", outcome=NOT_READY_503))
    client.delete_invite(invite.invite_id)
    assert hub.invites == ()


@pytest.mark.parametrize(
    ("headers", "body", "wait"),
    [
        ({"retry_after": "3"}, b"", 3.0),
        ({"retry_after": "3"}, b"Too Many Requests! Wait for 9s", 3.0),
        ({"retry_after": "0"}, b"Too Many Requests! Wait for 9s", 9.0),
        ({"retry_after": "-1"}, b"Too Many Requests! Wait for 9s", 9.0),
        ({"retry_after": "Wed, 21 Oct 2026 07:28:00 GMT"}, b"Too Many Requests! Wait for 9s", 9.0),
        ({}, b"Too Many Requests! Wait for 9s", 9.0),
        ({}, b"slow down", 0.5),
        ({"retry_after": "0"}, b"Too Many Requests! Wait for 0s", 0.5),
    ],
)
def test_a_429_is_waited_for_as_it_asks(
    hub: HubEmulator, client: HubClient, waits: list[float], *, headers: dict[str, str], body: bytes, wait: float
) -> None:
    hub.inject(Fault(outcome=reply(429, body, "text/plain; charset=utf-8", **headers)))
    assert client.list_invites() == ()
    assert waits == [wait]


def test_a_429_on_a_create_is_waited_for_since_nothing_was_done(
    hub: HubEmulator, client: HubClient, waits: list[float]
) -> None:
    hub.inject(Fault(method="POST", outcome=rate_limited(2), times=2))
    assert client.create_invite(name="net/app", hostnames=["a.x.test"]).name == "net/app"
    assert waits == [2.0, 2.0]


def test_the_waiting_on_429_is_bounded_in_total(hub: HubEmulator, client: HubClient, waits: list[float]) -> None:
    hub.inject(Fault(outcome=rate_limited(25), times=None))
    with pytest.raises(HubRateLimited, match="after 50 s of waiting") as caught:
        client.list_invites()
    assert sum(waits) <= RATE_LIMIT_BUDGET_S
    assert not caught.value.ambiguous


def test_a_429_without_jitter_still_ends(hub: HubEmulator) -> None:
    hub.inject(Fault(outcome=reply(429), times=None))
    waits: list[float] = []
    client = HubClient(hub.url, hub.operator_key, sleep=waits.append, jitter=lambda: 0.0)
    with pytest.raises(HubRateLimited):
        client.list_invites()
    assert sum(waits) <= RATE_LIMIT_BUDGET_S


def test_a_hub_that_is_down_is_unreachable_and_nothing_was_sent(waits: list[float]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    client = HubClient(url, "key", sleep=waits.append)
    with pytest.raises(HubUnreachable, match=r"no connection to .* \(.*refused\)") as caught:
        client.create_invite(name="net/app", hostnames=["a.x.test"])
    assert not caught.value.ambiguous
    with pytest.raises(HubUnreachable):
        client.list_invites()
    assert len(waits) == ATTEMPTS - 1


def test_a_slow_hub_is_unreachable_and_may_have_acted(hub: HubEmulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edge_dns.hub.transport.READ_TIMEOUT_S", 0.1)
    client = HubClient(hub.url, hub.operator_key)
    hub.inject(Fault(method="POST", delay_seconds=30, after_commit=True))
    with pytest.raises(HubUnreachable, match="no answer") as caught:
        client.create_invite(name="net/app", hostnames=["a.x.test"])
    assert caught.value.ambiguous


def test_a_read_that_timed_out_is_not_waited_for_again(hub: HubEmulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edge_dns.hub.transport.READ_TIMEOUT_S", 0.1)
    client = HubClient(hub.url, hub.operator_key)
    hub.inject(Fault(delay_seconds=30, after_commit=True))
    with pytest.raises(HubUnreachable):
        client.list_invites()
    until(lambda: hub.waiting == 1, "the hub has acted and waits")
    assert len(hub.requests) == 1


def test_a_redirect_is_not_followed(hub: HubEmulator, client: HubClient) -> None:
    with HubEmulator() as other:
        hub.inject(Fault(outcome=reply(307, location=f"{other.url}/v1/invites")))
        with pytest.raises(HubNotAHub, match=r"a redirect to 127\.0\.0\.1"):
            client.list_invites()
        assert other.requests == ()


def test_the_wrong_key_is_unauthorized_and_not_shown(hub: HubEmulator) -> None:
    with pytest.raises(HubUnauthorized) as caught:
        HubClient(hub.url, "wrong-key-of-someone").list_invites()
    assert "wrong-key-of-someone" not in str(caught.value)
    assert "x-request-id" in str(caught.value)


def test_a_key_that_the_hub_repeats_is_hidden(hub: HubEmulator, client: HubClient) -> None:
    hub.inject(Fault(outcome=reply(400, f"bad key {hub.operator_key}".encode(), "text/plain")))
    with pytest.raises(HubRefused, match=r"bad key \[hidden\]"):
        client.list_invites()


@pytest.mark.parametrize(
    ("message", "what"),
    [
        ("invite does not exist", NotFound.INVITE),
        ("invite is already revoked or does not exist", NotFound.INVITE_ALREADY_REVOKED),
        ("hostname not found on invite", NotFound.HOSTNAME),
        ("port reservation does not exist", NotFound.PORT),
        ("not found", NotFound.ROUTE),
        ("no user with email x", NotFound.OTHER),
    ],
)
def test_the_404s_are_told_apart_by_their_message(
    hub: HubEmulator, client: HubClient, message: str, what: NotFound
) -> None:
    hub.inject(Fault(outcome=reply(404, f'{{"error":{{"code":"not_found","message":"{message}"}}}}'.encode())))
    with pytest.raises(HubNotFound) as caught:
        client.get_invite(UNKNOWN_ID)
    assert caught.value.what is what


def test_a_hub_before_1x_never_says_gone(hub: HubEmulator, client: HubClient) -> None:
    hub.settings.api_level = "v0.0.22"
    with pytest.raises(HubRefused) as caught:
        client.get_invite(UNKNOWN_ID)
    assert caught.value.status == 405
    with pytest.raises(HubNotAHub):
        client.invite_status(UNKNOWN_ID)


def test_path_segments_are_encoded(hub: HubEmulator, client: HubClient) -> None:
    invite = hub.create("*.x.test", "b.x.test")
    client.remove_hostname(invite.invite_id, "*.x.test")
    assert hub.invite(invite.invite_id).hostnames == ("b.x.test",)
    assert hub.requests[-1].path.endswith("/hostnames/%2A.x.test")


@pytest.mark.parametrize(
    "outcome",
    [
        reply(200, b"key operator-key-of-the-hub-and-more", "text/plain"),
        reply(500, b"key operator-key-of-the-hub-and-more", "text/plain"),
        reply(200, b"x", "application/operator-key-of-the-hub-and-more"),
        reply(302, location="https://operator-key-of-the-hub-and-more.example"),
        reply(200, b"[]", x_request_id="operator-key-of-the-hub-and-more"),
        reply(401, b'{"error":{"code":"c","message":"operator-key-of-the-hub-and-more"}}'),
        reply(404, b'{"error":{"code":"not_found","message":"operator-key-of-the-hub-and-more"}}'),
    ],
    ids=["text-200", "text-500", "type", "redirect", "request-id", "401", "404"],
)
def test_an_answer_that_echoes_the_key_is_shown_without_it(hub: HubEmulator, outcome: Reply) -> None:
    client = HubClient(hub.url, "operator-key-of-the-hub-and-more", sleep=lambda _: None)
    hub.inject(Fault(outcome=outcome, times=None))
    with pytest.raises(HubError) as caught:
        client.list_invites()
    assert "operator-key" not in str(caught.value)


def test_what_a_terminal_would_act_on_is_escaped_and_a_long_text_is_cut(hub: HubEmulator, client: HubClient) -> None:
    hub.inject(Fault(outcome=reply(200, b"\x1b]0;x\x07" + b"y" * 5000, "text/plain")))
    with pytest.raises(HubNotAHub) as caught:
        client.list_invites()
    assert "\\x1b]0;x\\x07yyy" in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("outcome", [reply(429, retry_after="9" * 5000), reply(429, b"Wait for " + b"9" * 5000 + b"s")])
def test_a_wait_that_is_no_number_is_not_waited_for(
    hub: HubEmulator, client: HubClient, waits: list[float], outcome: Reply
) -> None:
    hub.inject(Fault(outcome=outcome))
    assert client.list_invites() == ()
    assert waits == [0.5]


@contextmanager
def dripping(part: bytes, head: bytes = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n") -> Iterator[str]:
    """A server that answers one request with `head` and then `part` again and again, and never ends; gives its url."""
    ended = Event()

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(head)
            while not ended.wait(0.01):
                try:
                    connection.sendall(part)
                except OSError:
                    return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        ended.set()
        thread.join()


@pytest.mark.parametrize("part", [b"x", b"\r\n\r\n "], ids=["headers", "body"])
def test_an_answer_that_comes_byte_by_byte_without_end_is_given_up(part: bytes) -> None:
    with dripping(part) as url, pytest.raises(HubUnreachable, match="no whole answer") as caught:
        HubClient(url, "key", timeout_s=1).list_invites()
    assert caught.value.timed_out


def test_an_answer_of_no_reasonable_size_is_not_read_to_its_end(
    hub: HubEmulator, client: HubClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edge_dns.hub.transport.MAX_ANSWER_BYTES", 1000)
    hub.inject(Fault(outcome=reply(200, b'{"invites":[' + b" " * 10_000 + b"]}")))
    with pytest.raises(HubNotAHub, match="more than 1000 bytes"):
        client.list_invites()
    assert client.list_invites() == ()


def test_a_redirect_to_what_is_no_url_is_an_answer_that_no_hub_gives() -> None:
    head = b"HTTP/1.1 302 Found\r\nlocation: http://[bad\r\ncontent-length: 0\r\n\r\n"
    with dripping(b"", head) as url, pytest.raises(HubNotAHub, match="a redirect to another place"):
        HubClient(url, "key").list_invites()
