"""Web pages of other sites: what the browser of a visitor brings to a broker that only the visitor can reach."""

import pytest

from cli import Shell
from events_client import EventsClient, Refused, RoomStream
from rest import Rest
from websocket_client import WebSocketClient

EVIL = "https://evil.example"
# what every browser sends with the upgrade to WebSocket; Chromium sends no Sec-Fetch-Site there
BROWSER = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64)", "Accept-Language": "en"}
HANDSHAKE = {"type": "handshake", "channel": "default"}


def by_web_socket(broker, origin, channel="default", headers=BROWSER):
    with WebSocketClient(broker, handshake=False, headers={"Origin": origin, **headers}) as client:
        return client.request({**HANDSHAKE, "channel": channel}).get("code")


def by_events(broker, origin, channel="default", headers=BROWSER):
    client = EventsClient(broker, handshake=False, headers={"Origin": origin, **headers})
    code = client.request({**HANDSHAKE, "channel": channel}).get("code")
    client.close()
    return code


def by_room_stream(broker, origin, channel="default", headers=BROWSER):
    try:
        with RoomStream(broker, "lobby", channel=channel, headers={"Origin": origin, **headers}) as stream:
            stream.next()
    except Refused as refused:
        return refused.code


def by_rest(broker, origin, channel="default", headers=BROWSER):
    with Rest(broker) as rest:
        answer = rest.post(f"/{channel}/lobby/publish", "1", Origin=origin, Host=f"127.0.0.1:{broker.http_port}")
        return "permission_denied" if answer.status == 403 and answer.body["code"] == "origin_refused" else None


DOORS = [by_web_socket, by_events, by_room_stream, by_rest]


@pytest.mark.parametrize("door", DOORS)
def test_an_open_channel_of_this_machine_is_for_no_page_of_elsewhere(administered, admin, door):
    broker = administered
    for origin in (EVIL, "null", "http://127.0.0.1.evil.example", "http://localhost.evil.example:3000"):
        assert door(broker, origin) == "permission_denied", origin
    for origin in (f"http://127.0.0.1:{broker.http_port}", "http://localhost:3000", "https://[::1]:8443"):
        assert door(broker, origin) is None, origin


@pytest.mark.parametrize("door", DOORS)
def test_any_page_may_use_a_channel_that_says_so(administered, admin, door):
    channel = f"any-{door.__name__.replace('_', '-')}"
    assert admin.call("POST", "/channels", {"id": channel, "allowed_origins": ["any"]}).status == 201
    assert door(administered, EVIL, channel) is None


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://websocket.org", "Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"},
        {"Origin": "ws://127.0.0.1:PORT"},
        {"User-Agent": "okhttp/4.9.3"},
    ],
    ids=["ws 3.3.3", "Starscream", "okhttp"],
)
def test_scaledrones_stock_clients_are_no_pages(broker, headers):
    headers = {name: value.replace("PORT", str(broker.http_port)) for name, value in headers.items()}
    with WebSocketClient(broker, handshake=False, headers=headers) as client:
        assert "code" not in client.request(HANDSHAKE)


def test_who_lets_all_pages_in_is_told_so_at_the_start(start, tmp_path):
    broker = start(admin=tmp_path / "a.sock")
    Shell(broker).says("channel", "set", "default", "--origin", "any")
    assert broker.terminate() == 0
    again = start()
    again.wait_for_log(lambda record: record["metadata"].get("channels") == "default", "web pages of all sites")
    assert by_web_socket(again, EVIL) is None


def test_a_broker_that_others_reach_is_open_to_their_pages(start):
    broker = start("--allow-open-channels", "--trusted-proxies", "127.0.0.1/32")
    for door in DOORS:
        assert door(broker, EVIL) is None
