"""A node of a cluster that a test plays: of another release, or one that is late."""

import itertools
import json
import socket

from broker import PATIENCE

# each is new to those who hear it
NUMBERS = itertools.count(4_000_000)


class OtherNode:
    """Speaks NATS (https://docs.nats.io/reference/reference-protocols/nats-protocol)."""

    def __init__(self, port, **beat):
        """`beat`: what its heartbeats say otherwise."""
        self.number = next(NUMBERS)
        self.beat_fields = {"node": self.number, "host": "other", "version": "0.1.0", "ready": True, "control": 2**53, **beat}
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.lines = self.socket.makefile("rb")
        self.socket.sendall(b'CONNECT {"verbose":false}\r\nSUB rl.n.%d 1\r\n' % self.number)

    def publish(self, subject, document):
        body = json.dumps(document).encode()
        self.socket.sendall(b"PUB %s %d\r\n%s\r\n" % (subject.encode(), len(body), body))

    def beat(self, **fields):
        self.publish("rl.hb", {**self.beat_fields, **fields})

    def asked(self, word):
        """The next question of this kind: the subject of its answer."""
        for line in self.lines:
            if line.startswith(b"MSG "):
                _, _, _, reply, length = line.split()
                question = json.loads(self.lines.read(int(length) + 2))
                if question["ask"] == word:
                    return reply.decode()
        raise AssertionError("the server has closed the connection")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # nobody has to wait for it any more
        self.beat(control=2**64 - 1)
        self.lines.close()
        self.socket.close()
