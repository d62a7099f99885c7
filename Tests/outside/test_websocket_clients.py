"""Another implementation of WebSocket than ours: `websockets` from PyPI, with all that it does by itself (RFC 6455 read
strictly, an offer of compression, pings, fragments, the closing handshake)."""

import json
import threading
import uuid

import pytest
import wire_schemas

from websockets.exceptions import ConnectionClosedError
from websockets.frames import CloseCode
from websockets.sync.client import connect as open_websocket

from broker import PATIENCE
from websocket_client import PATH

FLAGS = ["--channel", "default,history=100"]


class Person:
    """Somebody with a `websockets` client."""

    def __init__(self, broker, name=None, **options):
        # Not as a context manager: the tests end it in many ways.
        options = {"legacy": True, "open_timeout": PATIENCE, "close_timeout": PATIENCE, **options}
        self.socket = open_websocket(f"ws://127.0.0.1:{broker.http_port}{PATH}", **options)
        self.callback = 0
        reply = self.ask({"type": "handshake", "channel": "default", **({"client_data": {"name": name}} if name else {})})
        self.member = {"id": reply["client_id"], **({"clientData": {"name": name}} if name else {})}

    def send(self, frame):
        wire_schemas.validate("client", frame)
        self.socket.send(json.dumps(frame, ensure_ascii=False))

    def next(self):
        text = self.socket.recv(PATIENCE)
        assert isinstance(text, str)
        wire_schemas.validate("broker", wire_schemas.parse(text))
        return json.loads(text)

    def ask(self, frame):
        """The request's reply, which comes next."""
        self.post(frame)
        return self.reply()

    def post(self, frame):
        self.callback += 1
        self.send({**frame, "callback": self.callback})

    def reply(self):
        reply = self.next()
        assert reply["callback"] == self.callback and "error" not in reply, reply
        return reply

    def expect(self, kind, **fields):
        frame = self.next()
        assert {"type": frame.get("type"), **{key: frame.get(key) for key in fields}} == {"type": kind, **fields}, frame
        return frame

    def close(self, *arguments):
        self.socket.close(*arguments)
        assert self.socket.close_code in (*arguments[:1], CloseCode.NORMAL_CLOSURE)


@pytest.fixture
def person(broker):
    people = []

    def person(name=None, **options):
        people.append(Person(broker, name, **options))
        return people[-1]

    yield person
    for one in people:
        one.socket.close()


def test_two_people_talk(person, observable):
    ann, bob = person("Ann"), person("Bob")
    for one, members in ((ann, [ann.member]), (bob, [bob.member, ann.member])):
        one.post({"type": "subscribe", "room": observable})
        one.expect("observable_members", data=members)
        one.reply()
    ann.expect("observable_member_join", data=bob.member)
    for number in range(50):
        for speaker in (ann, bob):
            speaker.send({"type": "publish", "room": observable, "message": f"{number} grüße 👋"})
            for listener in (ann, bob):
                listener.expect("publish", message=f"{number} grüße 👋", client_id=speaker.member["id"])
    bob.close()
    ann.expect("observable_member_leave", data=bob.member)
    ann.close(4000, "setup_failed")


def test_it_talks_with_the_others(person, connect, text):
    lines, ann = connect("Lines"), person("Ann")
    han = text().join(f"Han{uuid.uuid4().hex[:6]}")
    lines.subscribe("lobby")
    ann.ask({"type": "subscribe", "room": "lobby"})
    ann.send({"type": "publish", "room": "lobby", "message": "hi"})
    lines.expect("publish", message="hi")
    ann.expect("publish", message="hi")
    assert han.line() == "Ann: hi"
    han.say("msg:hi yourself")
    assert ann.expect("publish", message="hi yourself")["id"] == lines.expect("publish", message="hi yourself")["id"]


def test_a_large_message(person, room):
    ann, bob = person(), person()
    bob.ask({"type": "subscribe", "room": room})
    for message in ("x" * 65_534, "ü" * 32_767, ["x" * 1000] * 60):
        ann.ask({"type": "publish", "room": room, "message": message})
        bob.expect("publish", message=message)


def test_fragments_of_its_own(person, room):
    ann = person()
    ann.ask({"type": "subscribe", "room": room})
    frame = json.dumps({"type": "publish", "room": room, "message": "in pieces " * 100})
    ann.socket.send(frame[start : start + 7] for start in range(0, len(frame), 7))
    ann.expect("publish", message="in pieces " * 100)


def test_pings_of_its_own(person):
    """By hand, and those that it sends by itself."""
    ann = person(ping_interval=0.05, ping_timeout=PATIENCE)
    for payload in ("", b"\xff" * 125, None):
        assert ann.socket.ping(payload).wait(PATIENCE)
    silence = threading.Event()
    while ann.socket.latency == 0:
        assert not silence.wait(0.01)
    ann.ask({"type": "ping"})


def test_an_offer_of_compression(person, room):
    """It is not taken, and everything else works."""
    ann = person(compression="deflate")
    assert ann.socket.protocol.extensions == []
    ann.ask({"type": "subscribe", "room": room})
    ann.ask({"type": "publish", "room": room, "message": "x" * 10_000})


def test_it_is_kicked(administered, admin):
    ann = Person(administered, "Ann")
    admin.done("DELETE", f"/channels/default/members/{ann.member['id']}")
    ann.expect("goodbye", code="kicked", reconnect=False)
    with pytest.raises(ConnectionClosedError) as closed:
        ann.next()
    assert closed.value.rcvd.code == 4507 and closed.value.sent.code == 4507


def test_the_broker_restarts(start):
    broker = start()
    ann = Person(broker, "Ann")
    broker.terminate()
    ann.expect("goodbye", code="shutting_down", reconnect=True)
    with pytest.raises(ConnectionClosedError) as closed:
        ann.next()
    # Seen as 1006, after which stock JavaScript clients come back.
    assert closed.value.rcvd is None
