"""Slowloris: clients that send a byte now and then. They are ended in their time, whatever they send, and others come in meanwhile."""

import contextlib
import json
import selectors
import socket

import pytest

from broker import PATIENCE
from client import Client, Closed
from neighbours import Neighbours
from test_overload import MEGABYTE
from websocket_client import PATH, TEXT, WebSocketClient, encode

SLOW = 200
PAUSE = 0.02
"""Seconds between two bytes of one of them. What it sends is so long that it never comes to its end."""

SENT = {
    "handshake": b'{"type":"handshake","channel":"default","callback":0,"x":"',
    "HTTP header": b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    "upgrade": f"GET {PATH} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Slow: ".encode(),
    "WebSocket frame": encode(TEXT, b"x" * 40_000)[:8],
}


def connected(broker, kind):
    if kind == "WebSocket frame":
        return WebSocketClient(broker, handshake=False).socket
    port = broker.port if kind == "handshake" else broker.http_port
    return socket.create_connection(("127.0.0.1", port), PATIENCE)


def drip(slow, data, meanwhile):
    """Each sends a byte and another one after a pause, until the broker has ended all of them."""
    with selectors.DefaultSelector() as selector:
        for one in slow:
            one.setblocking(False)
            selector.register(one, selectors.EVENT_READ)
        sent = 0
        while selector.get_map():
            assert sent < len(data), f"{len(selector.get_map())} of {len(slow)} are still there"
            for key in list(selector.get_map().values()):
                with contextlib.suppress(OSError):
                    key.fileobj.send(data[sent : sent + 1])
            sent += 1
            if sent == 1:
                meanwhile()
            for key, _ in selector.select(PAUSE):
                try:
                    is_open = bool(key.fileobj.recv(65_536))
                except OSError:
                    is_open = False
                if not is_open:
                    selector.unregister(key.fileobj)


@pytest.mark.parametrize("kind", SENT)
def test_what_comes_a_byte_at_a_time_is_ended_in_its_time(start, kind):
    broker = start("--handshake-timeout", "2s", "--http-header-timeout", "2s")

    def newcomer():
        with Client(broker, "Ann") as ann, WebSocketClient(broker, "Bob") as bob:
            for one in (ann, bob):
                one.publish("room", "after all")

    with contextlib.ExitStack() as stack, Neighbours(broker):
        before = broker.resident_bytes()
        slow = [stack.enter_context(connected(broker, kind)) for _ in range(SLOW)]
        drip(slow, SENT[kind] + b"x" * 20_000, newcomer)
        assert broker.resident_bytes() - before < 64 * MEGABYTE


def test_lines_that_never_end_are_held_within_a_bound(start):
    """Behind a handshake a line may take its time: those that hold the longest go where all of them hold too much."""
    broker = start("--input-total", "2MiB")
    line = json.dumps({"type": "publish", "room": "room", "message": "x" * 60_000, "callback": 7}).encode()
    with contextlib.ExitStack() as stack, Neighbours(broker):
        before = broker.resident_bytes()
        slow = [stack.enter_context(Client(broker, f"Slow {number}")) for number in range(SLOW)]
        for one in slow:
            one.note(line)
            with contextlib.suppress(ConnectionError):
                one.send_bytes(line[:-1])
        with Client(broker, "Ann") as ann:
            ann.publish("room", "after all")
        assert broker.resident_bytes() - before < 64 * MEGABYTE
        whole = [ends_its_line(one, line[-1:]) for one in slow].count(True)
        # as many as fit, and some that were read when others had gone
        assert 0 < whole < SLOW / 2


def ends_its_line(client, end):
    """Whether it is still there, and has its reply; whoever was cut off has been told why."""
    with contextlib.suppress(ConnectionError):
        client.send_bytes(end + b"\n")
    try:
        assert "error" not in client.reply(7)
        return True
    except Closed:
        assert {frame["code"] for frame in client.inbox} <= {"line_too_long"}
        return False
