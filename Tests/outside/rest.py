"""Clients of the HTTP side that are not our code: the standard library's http.client, and bare sockets."""

import base64
import collections
import hashlib
import hmac
import http.client
import json
import re
import socket
import sqlite3
import time

import rest_schemas

from broker import PATIENCE

Answer = collections.namedtuple("Answer", "status headers body")

SCHEMAS_BY_LAST_NAME = {
    ("POST", "publish"): "publish",
    ("POST", "rooms"): "publish-rooms",
    ("GET", "stats"): "stats",
    ("GET", "members"): "members",
    ("GET", "rooms"): "rooms",
    ("GET", "room-members"): "room-members",
    ("GET", "health"): "health",
    ("GET", "ready"): "health",
}


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(self.path)


class Rest:
    """One connection. Every JSON answer is held to Schemas/rest."""

    def __init__(self, broker, *, unix=False):
        if unix:
            self.connection = UnixConnection(broker.admin_socket)
        else:
            self.connection = http.client.HTTPConnection("127.0.0.1", broker.http_port, timeout=PATIENCE)

    def call(self, method, path, body=None, **headers):
        """`path` goes out as it stands; underscores in the names of `headers` are hyphens."""
        self.connection.putrequest(method, path, skip_accept_encoding=True, skip_host="Host" in headers)
        for name, value in headers.items():
            self.connection.putheader(name.replace("_", "-"), value)
        if body is not None:
            body = body if isinstance(body, bytes) else body.encode()
            self.connection.putheader("Content-Length", str(len(body)))
        self.connection.endheaders(body)
        response = self.connection.getresponse()
        data = response.read()
        answer = Answer(response.status, response.headers, self._parsed(response, data))
        self._check(method, path, answer, data)
        return answer

    @staticmethod
    def _parsed(response, data):
        if not data:
            return None
        return json.loads(data) if response.headers.get_content_type().endswith("json") else data.decode()

    @staticmethod
    def _check(method, path, answer, data):
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Date"]
        if method == "HEAD" or answer.body is None or not isinstance(answer.body, (dict, list)):
            return
        if path.startswith("/admin/"):
            return
        assert answer.headers["Content-Type"] == "application/json", answer.headers["Content-Type"]
        name = SCHEMAS_BY_LAST_NAME.get((method, path.split("?")[0].rsplit("/", 1)[-1]))
        if isinstance(answer.body, dict) and "message" in answer.body and "rooms" not in answer.body:
            name = "error"
        if name:
            rest_schemas.validate(name, answer.body)

    def get(self, path, **headers):
        return self.call("GET", path, **headers)

    def post(self, path, body=b"", **headers):
        return self.call("POST", path, body, **headers)

    def publish(self, channel, room, body, **headers):
        """Publishes into a room whose name needs no encoding; the receipt."""
        answer = self.post(f"/{channel}/{room}/publish", body, **headers)
        assert answer.status == 200, answer
        return answer.body

    def close(self):
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def exchange(port, data, *, half_close=False):
    """Sends bytes and reads to the end of the stream; what has no end is an error of the test."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(data)
        if half_close:
            connection.shutdown(socket.SHUT_WR)
        received = b""
        try:
            while part := connection.recv(65_536):
                received += part
        except ConnectionResetError:
            pass
        return received


def statuses(data):
    """The status of each answer in what a connection sent."""
    return [int(part.split(b" ", 1)[0]) for part in re.split(rb"HTTP/1\.[01] ", data)[1:]]


def secret(broker, channel):
    """A channel's secret, read from the broker's file: nothing else shows it later. Works while the broker runs."""
    with sqlite3.connect(f"file:{broker.data / 'control.sqlite'}?mode=ro", uri=True, timeout=PATIENCE) as file:
        query = "SELECT text FROM channel_secret WHERE channel = ? AND expires IS NULL"
        return file.execute(query, (channel,)).fetchone()[0]


def basic(channel, text):
    return "Basic " + base64.b64encode(f"{channel}:{text}".encode()).decode()


def token(channel, key, permissions, **claims):
    """A JSON Web Token as any library makes it."""

    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")

    body = {"channel": channel, "exp": int(time.time()) + 600, "permissions": permissions, **claims}
    signed = part({"alg": "HS256", "typ": "JWT"}) + b"." + part(body)
    signature = hmac.new(key.encode(), signed, hashlib.sha256).digest()
    return "Bearer " + (signed + b"." + base64.urlsafe_b64encode(signature).rstrip(b"=")).decode()
