"""The admin API from outside, by the standard library's HTTP; each answer is held to Schemas/admin.openapi.yaml."""

import http.client
import json
import socket
import urllib.parse

import admin_schemas

from broker import PATIENCE


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(self.path)


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def __getitem__(self, name):
        return self.body[name]


class Admin:
    """One kept-alive connection, to the Unix socket, or with a token to the HTTP port."""

    def __init__(self, broker, token=None, *, tcp=False):
        self.tcp = tcp or token is not None
        self.token = token
        self.connection = (
            http.client.HTTPConnection("127.0.0.1", broker.http_port, timeout=PATIENCE) if self.tcp else UnixConnection(broker.admin_socket)
        )

    def raw(self, method, path, body=None, headers=None):
        headers = dict(headers or {})
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        self.connection.request(method, admin_schemas.PREFIX + path, body, headers)
        response = self.connection.getresponse()
        return response.status, response.headers, response.read()

    def call(self, method, path, document=None, *, body=None, headers=None, query=None):
        """An answer that the OpenAPI document allows, whatever its status."""
        if query:
            path += "?" + urllib.parse.urlencode(query)
        headers = dict(headers or {})
        if document is not None:
            body = json.dumps(document)
            headers.setdefault("Content-Type", "application/merge-patch+json" if method == "PATCH" else "application/json")
        status, found, bytes_ = self.raw(method, path, body, headers)
        return Answer(status, found, admin_schemas.check_answer(method, admin_schemas.PREFIX + path, status, found, bytes_))

    def done(self, method, path, document=None, **options):
        """The same, and it has to have succeeded."""
        answer = self.call(method, path, document, **options)
        assert answer.status < 300, (answer.status, answer.body)
        return answer

    def refused(self, status, code, method, path, document=None, **options):
        answer = self.call(method, path, document, **options)
        assert (answer.status, answer.body["code"]) == (status, code), answer.body
        return answer.body["detail"]

    def close(self):
        self.connection.close()


def name(text):
    """A name as a part of a path."""
    return urllib.parse.quote(text, safe="")
