"""Members that never read, with the largest receive windows that their systems give: they are cut off, and nobody else notices."""

import contextlib
import pathlib

import pytest

from admin import Admin
from client import Client
from neighbours import Neighbours
from test_overload import LARGE, MEGABYTE
from websocket_client import WebSocketClient

DEAF = 8
SETTINGS = pathlib.Path("/proc/sys/net")

BOUND = {"off": 8, "1000": 48}
"""Megabytes. Without a store, all that is sent would be more; with one, a copy of it for each of them, and SQLite has its cache."""

pytestmark = pytest.mark.skipif(not SETTINGS.exists(), reason="how large sockets can be is read from Linux")


def window():
    return int((SETTINGS / "core/rmem_max").read_text())


def more_than_fits():
    """Messages, beyond what a window of the largest size, the broker's socket, and its memory of a room hold."""
    sent = int((SETTINGS / "ipv4/tcp_wmem").read_text().split()[2])
    return (2 * window() + sent + 2 * MEGABYTE) // len(LARGE)


def cut(broker):
    """The client ids of those that were cut off as slow consumers."""
    records = [record["metadata"] for record in broker.records() if record["message"] == "ended a connection"]
    return {metadata["client.id"] for metadata in records if metadata["code"] == "slow_consumer"}


@pytest.mark.parametrize("kind", [Client, WebSocketClient])
def test_one_that_stops_reading_is_listed_before_it_is_cut_off(start, tmp_path, kind):
    """Also while the buffers of the systems still take all that is sent to it."""
    broker = start(admin=tmp_path / "a.sock")
    with contextlib.ExitStack() as stack:
        ann, bob = (stack.enter_context(Client(broker, name)) for name in ("Ann", "Bob"))
        bob.subscribe("room")
        deaf = kind(broker, "Deaf", receive_buffer=4096)
        stack.callback(deaf.close)
        deaf.subscribe("room")
        for number in range(300):
            ann.publish("room", f"{number}")
            bob.expect("publish", room="room")
        admin = Admin(broker)
        stack.callback(admin.close)
        # Its system is asked again after 0.2 s; then it is known not to read.
        while not (found := admin.done("GET", "/statistics"))["slow"]:
            assert not cut(broker)
        assert [(member["id"], member["lag"]) for member in found["slowest"]] == [(deaf.id, 0)]


@pytest.mark.parametrize("history", BOUND)
@pytest.mark.parametrize("kind", [Client, WebSocketClient])
def test_those_that_never_read_are_cut_off(start, kind, history):
    """Where nothing is stored once they are behind the window; where they could be served from the store, once their systems
    have acknowledged nothing for a while."""
    broker = start("--channel", f"default,history={history}", "--tcp-user-timeout", "2s", "--loops", "2")
    with Neighbours(broker), contextlib.ExitStack() as stack:
        ann, bob = (stack.enter_context(Client(broker, name)) for name in ("Ann", "Bob"))
        bob.subscribe("room")
        deaf = [kind(broker, f"Deaf {number}", receive_buffer=window()) for number in range(DEAF)]
        for one in deaf:
            stack.callback(one.close)
            one.subscribe("room")
        before = most = broker.resident_bytes()
        for number in range(more_than_fits()):
            ann.publish("room", f"{number} {LARGE}")
            assert bob.expect("publish", room="room")["message"].startswith(f"{number} ")
            most = max(most, broker.resident_bytes())
        broker.wait_for_log(lambda _: cut(broker) == {one.id for one in deaf}, "that all of them were cut off")
        assert most - before < BOUND[history] * MEGABYTE
