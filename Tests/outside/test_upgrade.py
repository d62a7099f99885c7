"""The upgrade of an HTTP connection to a WebSocket (RFC 6455 §4), by bare sockets."""

import base64
import hashlib
import json
import os
import socket
import ssl
import struct

import pytest

from broker import PATIENCE
from neighbours import Talk
from rest import exchange, statuses

PATH = b"GET /v3/websocket HTTP/1.1\r\nHost: localhost\r\n"
GET = b"GET /fleeting/stats HTTP/1.1\r\nHost: localhost\r\n\r\n"
KEY = "dGhlIHNhbXBsZSBub25jZQ=="


def fields(**changes):
    """The fields of a handshake; None leaves one out, a list repeats it."""
    named = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec_WebSocket_Key": KEY,
        "Sec_WebSocket_Version": "13",
        **changes,
    }
    lines = []
    for name, value in named.items():
        for one in value if isinstance(value, list) else [value]:
            if one is not None:
                lines.append(f"{name.replace('_', '-')}: {one}\r\n".encode())
    return b"".join(lines)


HANDSHAKE = PATH + fields() + b"\r\n"


def frame(text):
    """One masked text frame."""
    data = text if isinstance(text, bytes) else json.dumps(text).encode()
    length = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
    mask = os.urandom(4)
    return b"\x81" + length + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))


CLOSE = b"\x88\x80" + b"\0\0\0\0"
SAY_HELLO = frame({"type": "handshake", "channel": "fleeting", "callback": 0})


class Socket:
    """A WebSocket client that knows only short text frames."""

    def __init__(self, connection, request=HANDSHAKE, behind=b""):
        self.connection = connection
        self.connection.settimeout(PATIENCE)
        self.data = b""
        self.connection.sendall(request + behind)
        while b"\r\n\r\n" not in self.data:
            self.read()
        self.head, self.data = self.data.split(b"\r\n\r\n", 1)

    def read(self):
        part = self.connection.recv(65_536)
        assert part, self.data
        self.data += part

    def take(self, count):
        while len(self.data) < count:
            self.read()
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def next(self):
        """The opcode and the payload of the next frame."""
        first, length = self.take(2)
        if length == 126:
            (length,) = struct.unpack(">H", self.take(2))
        return first & 0x0F, self.take(length)

    def json(self):
        opcode, payload = self.next()
        assert opcode == 1, (opcode, payload)
        return json.loads(payload)

    def send(self, document):
        self.connection.sendall(frame(document))


def connect(broker, **options):
    return Socket(socket.create_connection(("127.0.0.1", broker.http_port), timeout=PATIENCE), **options)


def talk(client):
    """The client is a member as any other."""
    client.send({"type": "subscribe", "room": "upgraded", "callback": 1})
    assert client.json()["callback"] == 1
    client.send({"type": "publish", "room": "upgraded", "message": "hello", "callback": 2})
    found = [client.json(), client.json()]
    assert "hello" in [one.get("message") for one in found], found


# What is accepted


def test_a_handshake_is_answered_as_the_rfc_has_it(broker):
    client = connect(broker)
    lines = client.head.split(b"\r\n")
    assert lines[0] == b"HTTP/1.1 101 Switching Protocols"
    assert sorted(lines[1:]) == [
        b"Connection: Upgrade",
        b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        b"Upgrade: websocket",
    ]
    client.connection.sendall(SAY_HELLO)
    assert client.json()["client_id"]
    talk(client)


def test_what_is_sent_behind_the_request_is_not_lost(broker):
    more = frame({"type": "subscribe", "room": "pipelined", "callback": 1})
    client = connect(broker, behind=SAY_HELLO + more)
    assert client.json()["callback"] == 0
    assert client.json()["callback"] == 1


def test_byte_by_byte(broker):
    connection = socket.create_connection(("127.0.0.1", broker.http_port), timeout=PATIENCE)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in HANDSHAKE + SAY_HELLO[:-1]:
        connection.sendall(bytes([byte]))
    client = Socket(connection, SAY_HELLO[-1:])
    assert client.head.startswith(b"HTTP/1.1 101 ")
    assert client.json()["callback"] == 0


def test_a_kept_alive_connection_is_upgraded(broker):
    """As nginx does, which has used the connection for others before."""
    connection = socket.create_connection(("127.0.0.1", broker.http_port), timeout=PATIENCE)
    connection.sendall(GET * 3)
    data = b""
    while data.count(b"users_count") < 3:
        data += connection.recv(65_536)
    client = Socket(connection, behind=SAY_HELLO)
    assert client.head.startswith(b"HTTP/1.1 101 ")
    assert client.json()["callback"] == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"Origin": "https://elsewhere.example"},
        {"Origin": "ws://127.0.0.1:10001"},
        {"Origin": "null"},
        {"Sec_WebSocket_Extensions": "permessage-deflate; client_max_window_bits; server_max_window_bits=15"},
        {"Sec_WebSocket_Protocol": "chat, superchat"},
        {"Upgrade": "h2c, WebSocket"},
        {"Connection": ["keep-alive", "foo, UPGRADE"]},
        {"Cookie": "roomline_console=x"},
        {"Authorization": "Basic x"},
    ],
)
def test_what_clients_send_beside(broker, changes):
    client = connect(broker, request=PATH + fields(**changes) + b"\r\n")
    assert client.head.startswith(b"HTTP/1.1 101 ")
    assert b"extensions" not in client.head.lower() and b"protocol:" not in client.head.lower()


def test_a_random_key_has_its_proof(broker):
    key = base64.b64encode(os.urandom(16)).decode()
    proof = base64.b64encode(hashlib.sha1(f"{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode()).digest())
    assert b"Sec-WebSocket-Accept: " + proof in connect(broker, request=PATH + fields(Sec_WebSocket_Key=key) + b"\r\n").head


def test_a_query_is_ignored(broker):
    assert connect(broker, request=HANDSHAKE.replace(b"websocket ", b"websocket?client=java ", 1)).head.startswith(b"HTTP/1.1 101 ")


def test_over_tls(start, certificate):
    broker = start("--channel", "fleeting,history=off", "--tls-certificate", str(certificate[0]), "--tls-key", str(certificate[1]))
    context = ssl.create_default_context(cafile=str(certificate[0]))
    context.check_hostname = False
    raw = socket.create_connection(("127.0.0.1", broker.http_port), timeout=PATIENCE)
    client = Socket(context.wrap_socket(raw), behind=SAY_HELLO)
    assert client.json()["callback"] == 0
    talk(client)


# What is refused


REFUSED = [
    ({"Upgrade": None, "Connection": None}, 426, "upgrade_required", "websocket client"),
    ({"Upgrade": None}, 426, "upgrade_required", "ws://"),
    ({"Connection": "keep-alive"}, 426, "upgrade_required", "proxy"),
    ({"Sec_WebSocket_Version": "8"}, 426, "version_unsupported", "13"),
    ({"Sec_WebSocket_Version": None}, 426, "version_unsupported", "13"),
    ({"Sec_WebSocket_Version": ["13", "13"]}, 426, "version_unsupported", "13"),
    ({"Sec_WebSocket_Key": None}, 400, "malformed_request", "base64"),
    ({"Sec_WebSocket_Key": "short"}, 400, "malformed_request", "base64"),
    ({"Sec_WebSocket_Key": [KEY, KEY]}, 400, "malformed_request", "base64"),
    ({"Content_Length": "2"}, 400, "malformed_request", "body"),
    ({"Transfer_Encoding": "chunked"}, 400, "malformed_request", "body"),
]


@pytest.mark.parametrize(("changes", "status", "code", "word"), REFUSED)
def test_what_is_no_handshake_is_told_why(broker, changes, status, code, word):
    body = b"{}" if "Content_Length" in changes else b"2\r\n{}\r\n0\r\n\r\n" if "Transfer_Encoding" in changes else b""
    data = exchange(broker.http_port, PATH + fields(**changes) + b"\r\n" + body + CLOSE, half_close=True)
    assert statuses(data)[0] == status
    head, body = data.split(b"\r\n\r\n", 1)
    answer = json.loads(body.split(b"HTTP/1.1")[0])
    assert answer["code"] == code and word in answer["message"].lower()
    if status == 426:
        assert b"\r\nupgrade: websocket" in head.lower() and b"upgrade" in head.lower().split(b"\r\nconnection:")[1]
    if code == "version_unsupported":
        assert b"\r\nsec-websocket-version: 13" in head.lower()


def test_another_method(broker):
    for method in (b"POST", b"HEAD", b"DELETE"):
        data = exchange(broker.http_port, method + HANDSHAKE[3:], half_close=True)
        assert statuses(data) == [405] and b"\r\nallow: GET" in data.replace(b"Allow", b"allow")


def test_over_http_1_0(broker):
    data = exchange(broker.http_port, HANDSHAKE.replace(b"HTTP/1.1", b"HTTP/1.0"), half_close=True)
    assert statuses(data) == [400] and b"HTTP/1.1" in data and b"proxy" in data


def test_on_an_unknown_path(broker):
    for path in (b"/v3/websockets", b"/v3", b"/v3/websocket/", b"/fleeting/websocket"):
        data = exchange(broker.http_port, HANDSHAKE.replace(b"/v3/websocket", path), half_close=True)
        assert statuses(data) == [404]


def test_a_connection_without_the_offer_goes_on(broker):
    data = exchange(broker.http_port, PATH + b"\r\n" + GET + PATH + b"\r\n" + HANDSHAKE, half_close=True)
    assert statuses(data) == [426, 200, 426, 101]


def test_twice(broker):
    """The second handshake is not a frame: the connection ends with a Close, protocol error."""
    client = connect(broker, behind=HANDSHAKE)
    opcode, payload = client.next()
    while opcode == 1:
        opcode, payload = client.next()
    assert opcode == 8 and struct.unpack(">H", payload[:2]) == (1002,)


def test_a_foreign_host(broker):
    data = exchange(broker.http_port, HANDSHAKE.replace(b"localhost", b"evil.example"), half_close=True)
    assert statuses(data) == [421]


def test_where_connections_are_full(start):
    broker = start("--max-connections", "2", "--channel", "fleeting,history=off")
    held = [connect(broker), connect(broker)]
    data = exchange(broker.http_port, b"")
    assert statuses(data) == [503] and b"retry-after" in data.lower()
    for client in held:
        client.connection.sendall(SAY_HELLO)
        assert client.json()["callback"] == 0


def test_the_unix_socket_is_for_operators(administered):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(PATIENCE)
        connection.connect(str(administered.admin_socket))
        connection.sendall(HANDSHAKE)
        assert connection.recv(10_000).startswith(b"HTTP/1.1 404 ")


# Many, and the end


def test_upgrades_that_say_nothing_are_closed_in_time(start):
    """By the time for the handshake, not by that of HTTP."""
    broker = start("--handshake-timeout", "3s", "--http-idle-timeout", "1s", "--channel", "default")
    neighbours = Talk(broker, "default")
    neighbours.begin()
    silent = [connect(broker) for _ in range(300)]
    for client in silent:
        assert client.json()["code"] == "handshake_timeout"
    neighbours.end()
    assert neighbours.failure is None
    neighbours.close()
    assert broker.terminate() == 0


def test_it_counts_for_the_client_that_a_proxy_names(start):
    broker = start("--trusted-proxies", "127.0.0.1", "--max-connections-per-ip", "1", "--channel", "fleeting,auth=required,history=off")

    def from_(address):
        return connect(broker, request=PATH + fields(X_Forwarded_For=address) + b"\r\n")

    first, other = from_("192.0.2.1"), from_("192.0.2.2")
    assert first.head.startswith(b"HTTP/1.1 101 ") and other.head.startswith(b"HTTP/1.1 101 ")
    refused = from_("192.0.2.1")
    assert refused.head.startswith(b"HTTP/1.1 503 ") and b"retry-after" in refused.head.lower()
    first.connection.close()
    while not from_("192.0.2.1").head.startswith(b"HTTP/1.1 101 "):
        pass


def test_the_drain_of_http_leaves_websockets_to_the_broker(start):
    broker = start("--channel", "fleeting,history=off")
    client = connect(broker, behind=SAY_HELLO)
    assert client.json()["callback"] == 0
    assert broker.terminate() == 0
    assert client.json()["type"] == "goodbye"
