"""Herds and floods: those who are there are served meanwhile, those who come back miss nothing, and memory is bounded."""

import contextlib
import json
import selectors
import socket
import ssl
import time
from concurrent.futures import ThreadPoolExecutor

import tokens
import wire_schemas
from broker import PATIENCE
from client import Client
from neighbours import Neighbours
from test_descriptors import open_files
from test_overload import MEGABYTE, allow_open_files
from test_process import SecureClient

HERD = 5_000
MISSED = 10
SLOW = 200


class Returning:
    """One of a herd: shows a resume token of the broker that died, and asks for what it has missed, in one write."""

    def __init__(self, port, since, is_sample):
        self.is_sample = is_sample
        frames = (
            {"type": "handshake", "channel": "default", "resumable": True, "resume": "9a7f3b0c5d2e4f18", "callback": 0},
            {"type": "subscribe", "room": "herd", "since": since, "callback": 1},
        )
        for frame in frames:
            if is_sample:
                wire_schemas.validate("client", frame)
        self.unsent = b"".join(json.dumps(frame).encode() + b"\n" for frame in frames)
        self.received = b""
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.connect_ex(("127.0.0.1", port))

    def frames(self):
        """What has come, once it is all that it waits for: two replies and the missed messages."""
        lines = self.received.split(b"\n")
        return [json.loads(line) for line in lines[:-1]] if len(lines) > 2 + MISSED else None

    def go_on(self, event):
        """Returns whether it waits for more."""
        if event & selectors.EVENT_WRITE:
            assert self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
            self.unsent = self.unsent[self.socket.send(self.unsent) :]
        else:
            data = self.socket.recv(65_536)
            assert data, f"it was cut off after {self.received}"
            self.received += data
        return self.frames() is None


def all_back(port, since):
    """The herd, each with all that it has missed."""
    herd = []
    with selectors.DefaultSelector() as selector:
        for number in range(HERD):
            herd.append(Returning(port, since, is_sample=number % 100 == 0))
            selector.register(herd[-1].socket, selectors.EVENT_WRITE, herd[-1])
        waiting = HERD
        while waiting:
            events = selector.select(PATIENCE)
            assert events, f"{waiting} of {HERD} wait for what they have missed"
            for key, event in events:
                one = key.data
                if not one.go_on(event):
                    selector.unregister(one.socket)
                    waiting -= 1
                elif not one.unsent:
                    selector.modify(one.socket, selectors.EVENT_READ, one)
    return herd


def test_a_herd_comes_back_after_a_kill(start):
    allow_open_files(HERD + 1_000)
    broker = start("--channel", "default,history=100")
    with Client(broker, "Ann") as ann:
        epoch = ann.subscribe("herd")["epoch"]
        seen = ann.publish("herd", "before")["seq"]
        sent = [ann.publish("herd", f"missed {number}")["id"] for number in range(MISSED)]
    broker.kill()
    # many of them say nothing until all have connected
    broker = start("--channel", "default,history=100", "--text-listen-after", "off")
    with Neighbours(broker), contextlib.ExitStack() as stack:
        before = broker.resident_bytes()
        for one in all_back(broker.port, {"epoch": epoch, "seq": seen}):
            stack.callback(one.socket.close)
            welcome, joined, *missed = one.frames()
            if one.is_sample:
                for frame in one.frames():
                    wire_schemas.validate("broker", frame)
            assert welcome["resumed"] is False and "error" not in joined
            assert [frame["id"] for frame in missed] == sent
        assert broker.resident_bytes() - before < 256 * MEGABYTE


def test_slow_tls_handshakes_hold_nothing(start, certificate):
    """They send the beginning of a record and no more: whoever speaks TLS is served, and they are ended by the time of a handshake."""
    chain, key = certificate
    broker = start("--tls-certificate", str(chain), "--tls-key", str(key), "--handshake-timeout", "2s")
    context = ssl.create_default_context(cafile=chain)
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(socket.create_connection(("127.0.0.1", broker.port), PATIENCE)) for _ in range(SLOW)]
        for number, one in enumerate(slow):
            one.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[: 1 + number % 11])
        with socket.create_connection(("127.0.0.1", broker.port), PATIENCE) as plain, context.wrap_socket(plain, server_hostname="localhost") as ann:
            ann.sendall(b'{"type":"handshake","channel":"default","callback":0}\n')
            assert b'"client_id":"' in ann.recv(4096)
            for one in slow:
                with contextlib.suppress(ConnectionResetError):
                    while one.recv(4096):
                        pass
            ann.sendall(b'{"type":"ping","callback":1}\n')
            assert b'"callback":1' in ann.recv(4096)


FLOODERS = 4
HANDSHAKES = 250


def test_a_flood_of_tls_handshakes(start, certificate):
    """A thousand connections finish their handshake and leave. It is most of the broker's work, and they leave nothing."""
    chain, key = certificate
    broker = start("--tls-certificate", str(chain), "--tls-key", str(key))
    context = ssl.create_default_context(cafile=chain)

    def secure(broker, name, channel):
        client = SecureClient(broker, handshake=False)
        client.secure(chain)
        client.ask({"type": "handshake", "channel": channel, "client_data": {"name": name}})
        return client

    def shake():
        for _ in range(HANDSHAKES):
            with socket.create_connection(("127.0.0.1", broker.port), PATIENCE) as plain, context.wrap_socket(plain, server_hostname="localhost"):
                pass

    with Neighbours(broker, client=secure) as neighbours, ThreadPoolExecutor(FLOODERS) as flooders:
        files, memory, rounds = open_files(broker), broker.resident_bytes(), len(neighbours.here.work)
        for done in [flooders.submit(shake) for _ in range(FLOODERS)]:
            done.result()
        rounds = len(neighbours.here.work) - rounds
        assert rounds >= FLOODERS * HANDSHAKES / 100, f"{rounds} rounds of the neighbours beside {FLOODERS * HANDSHAKES} handshakes"
        assert broker.resident_bytes() - memory < 32 * MEGABYTE
        deadline = time.monotonic() + PATIENCE
        while open_files(broker) > files:
            assert time.monotonic() < deadline, f"{open_files(broker)} files are open, {files} were"
            time.sleep(0.05)
    assert len(broker.log) < 100, "each of a thousand has a line"


def test_a_flood_of_tokens(start):
    """Signatures that are wrong, many in one write: each is refused, and none lets anybody in."""
    broker = start("--channel", "default,history=off", "--channel", "guarded,auth=required")
    wrong = tokens.token(broker, "guarded", key="guessed" * 8)
    count = 200
    with Neighbours(broker), contextlib.ExitStack() as stack:
        before = broker.resident_bytes()
        flooders = [stack.enter_context(Client(broker, channel="guarded")) for _ in range(8)]
        asked = [[one.post({"type": "authenticate", "token": wrong}) for _ in range(count)] for one in flooders]
        for one, callbacks in zip(flooders, asked, strict=True):
            assert {one.reply(callback)["code"] for callback in callbacks} == {"token_invalid"}
            one.refused({"type": "subscribe", "room": "room"}, "authentication_required")
        assert broker.resident_bytes() - before < 64 * MEGABYTE


def stable_hash(name, state=0xCBF29CE484222325):
    """FNV-1a, by which the broker picks the event loop of a room and the queue in which it is opened."""
    for byte in name.encode():
        state = (state ^ byte) * 0x100000001B3 % (1 << 64)
    return state


ALIKE = ("8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ")
"""Whatever is behind them, these two have the same hash."""


def test_names_that_collide(start):
    """Pairs of rooms with the same hash, all for the loop of the neighbours' room: no room has what belongs to the other one."""
    broker = start("--channel", "default,history=10", "--loops", "4")
    assert stable_hash(ALIKE[0]) == stable_hash(ALIKE[1])
    with Neighbours(broker) as neighbours, Client(broker, "Ann") as ann:
        place = stable_hash("default", stable_hash(neighbours.here.room)) % 4
        ends = [str(number) for number in range(6_000) if stable_hash("default", stable_hash(f"{ALIKE[0]}{number}")) % 4 == place]
        names = [name + end for end in ends for name in ALIKE]
        assert len(names) > 2_000
        for first in range(0, len(names), 100):
            asked = [ann.post({"type": "publish", "room": name, "message": name}) for name in names[first : first + 100]]
            assert all("error" not in ann.reply(callback) for callback in asked)
        for name in names[:100]:
            assert [message["message"] for message in ann.ask({"type": "history", "room": name})["messages"]] == [name]
