"""The cases of the Autobahn test suite, by its numbers (categories 1 to 7, 9 and 10; 12 and 13 are about compression,
which the broker does not negotiate).

The suite talks to a server that echoes. Here an echo is a publish with a callback into a room that the client is in: the
message comes back, and a client of JSON lines in the same room sees it, too. A payload of the suite stands in the
message's string; where its length is the point, the whole frame is padded to that length. Bytes that are no text in a
binary message get an error with a stable code, and an empty message is ignored; the connection goes on.
"""

import collections
import itertools
import json

import pytest

from client import Client
from websocket_client import (
    BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, Closed, Message, Pong, WebSocketClient, close_payload, encode, fragments,
)  # fmt: skip

NORMAL, PROTOCOL_ERROR, INVALID_PAYLOAD, TOO_BIG = 1000, 1002, 1007, 1009
KILO, MEGA = 1 << 10, 1 << 20
LIMIT = 128 * KILO
"""The longest message from a client (--max-line)."""

room_numbers = itertools.count()


class Peer(WebSocketClient):
    """The suite's side: a client in a room of its own, whose name is short, so that a whole publish fits in 125 bytes."""

    def __init__(self, broker, watcher):
        super().__init__(broker)
        self.room, self.watcher = f"ab{next(room_numbers)}", watcher
        for client in (self, watcher):
            client.subscribe(self.room)

    def publish_frame(self, message="", *, size=None):
        """A publish as JSON; with `size`, padded to as many bytes."""
        self._callbacks += 1
        head = b'{"type":"publish","room":"%s","callback":%d,"message":"' % (self.room.encode(), self._callbacks)
        text = message if isinstance(message, bytes) else message.encode()
        if size is not None:
            text = b"*" * (size - len(head) - 2)
        self._asked[self._callbacks] = {"type": "publish", "room": self.room}
        self.last = head + text + b'"}'
        return self.last

    def take(self, event):
        """Files what the broker sent, as `Client` does."""
        if isinstance(event, Message):
            self._take(event.text.encode())
        elif isinstance(event, Pong):
            self.pongs.append(event.payload)
        return event

    def take_until(self, condition):
        while not condition():
            event = self.take(self.event())
            assert event is not None and not isinstance(event, Closed), f"the connection ended: {self.closed}"

    def expect_echo(self, message):
        """The message, back again, and its acknowledgement; the watcher has it, too."""
        self.take_until(lambda: self.inbox and self.replies)
        callback, reply = self.replies.popitem()
        assert "error" not in reply, reply
        for client in (self, self.watcher):
            assert client.expect("publish", room=self.room, id=reply["id"])["message"] == message

    def expect_ignored(self):
        """An empty message is as an empty line: nothing comes of it, and the connection goes on."""
        self.ping(b"ignored")
        self.take_until(lambda: self.pongs)
        assert not self.inbox
        self.pongs.clear()
        self.send_message(self.publish_frame("still here"))
        self.expect_echo("still here")

    def expect_refused(self, *codes):
        """An error for a message that is not a frame; the connection goes on."""
        self.take_until(lambda: self.inbox)
        self.expect_error(*codes)
        self.send_message(self.publish_frame("still here"))
        self.expect_echo("still here")

    def expect_failed(self, *codes):
        """The connection fails with one of the close codes, and the room gets nothing more; what came before."""
        before = self.expect_close(*codes)
        assert self.watcher.room_fence(self.room) == []
        return before

    def expect_clean_end(self):
        """Nothing is left to read, a Close is answered, and the room gets nothing more."""
        assert self.finish() == [] and not self.inbox and not self.replies
        assert self.watcher.room_fence(self.room) == []


@pytest.fixture(scope="module")
def watcher(shared):
    """A healthy neighbour, in the rooms of all cases: it gets what is published there, and nothing else."""
    with Client(shared, "Watcher") as watcher:
        yield watcher


@pytest.fixture
def peer(broker, watcher):
    with Peer(broker, watcher) as peer:
        yield peer
    watcher.ask({"type": "unsubscribe", "room": peer.room})
    watcher.inbox.clear()


# Most cases are frames, and what has to come of them

Step = collections.namedtuple("Step", "opcode payload fin rsv")
Case = collections.namedtuple("Case", "number steps chop expected end")
FRAME = "frame"
"""Each frame in a write of its own."""


def data(opcode, payload="", fin=True, rsv=0):
    return Step(opcode, payload, fin, rsv)


def text(payload="", **options):
    return data(TEXT, payload, **options)


def more(payload="", **options):
    return data(CONTINUATION, payload, **options)


def ping(payload=b"", **options):
    return data(PING, payload, **options)


def pong(payload=b"", **options):
    return data(PONG, payload, **options)


CASES = []


def case(number, *steps, chop=None, expected=(), end=NORMAL):
    CASES.append(Case(number, steps, chop, expected, end))


HELLO = "Hello, world!"
BYTES = b"\x00\xff\xfe\xfd\xfc\xfb\x00\xff"

# 2: pings and pongs. `expected`: texts are echoes, bytes are pongs.
case("2.1", ping(), expected=[b""])
case("2.2", ping(b"Hello, world!"), expected=[b"Hello, world!"])
case("2.3", ping(BYTES), expected=[BYTES])
case("2.4", ping(b"\xfe" * 125), expected=[b"\xfe" * 125])
case("2.5", ping(b"\xfe" * 126), end=PROTOCOL_ERROR)
case("2.6", ping(b"\xfe" * 125), chop=1, expected=[b"\xfe" * 125])
case("2.7", pong())
case("2.8", pong(b"unsolicited pong payload"))
case("2.9", pong(b"unsolicited pong payload"), ping(b"ping payload"), expected=[b"ping payload"])
ten = [b"payload-%d" % number for number in range(10)]
case("2.10", *map(ping, ten), expected=ten)
case("2.11", *map(ping, ten), chop=1, expected=ten)

# 3: reserved bits
case("3.1", text(HELLO, rsv=1), end=PROTOCOL_ERROR)
case("3.2", text(HELLO), text(HELLO, rsv=2), ping(), expected=[HELLO], end=PROTOCOL_ERROR)
case("3.3", text(HELLO), text(HELLO, rsv=3), ping(), chop=FRAME, expected=[HELLO], end=PROTOCOL_ERROR)
case("3.4", text(HELLO), text(HELLO, rsv=4), ping(), chop=1, expected=[HELLO], end=PROTOCOL_ERROR)
case("3.5", data(BINARY, BYTES, rsv=5), end=PROTOCOL_ERROR)
case("3.6", ping(HELLO.encode(), rsv=6), end=PROTOCOL_ERROR)
case("3.7", data(CLOSE, b"", rsv=7), end=PROTOCOL_ERROR)

# 4: reserved opcodes
for number, first in (("4.1", 3), ("4.2", 11)):
    case(f"{number}.1", data(first), end=PROTOCOL_ERROR)
    case(f"{number}.2", data(first + 1, b"reserved opcode payload"), end=PROTOCOL_ERROR)
    case(f"{number}.3", text(HELLO), data(first + 2), ping(), expected=[HELLO], end=PROTOCOL_ERROR)
    case(f"{number}.4", text(HELLO), data(first + 3, HELLO.encode()), ping(), expected=[HELLO], end=PROTOCOL_ERROR)
    case(f"{number}.5", text(HELLO), data(first + 4, HELLO.encode()), ping(), chop=1, expected=[HELLO], end=PROTOCOL_ERROR)

# 5: fragments
one, two = text("fragment1", fin=False), more("fragment2")
both = "fragment1fragment2"
case("5.1", ping(b"fragment1", fin=False), more("fragment2"), end=PROTOCOL_ERROR)
case("5.2", pong(b"fragment1", fin=False), more("fragment2"), end=PROTOCOL_ERROR)
for number, chop in ((3, None), (4, FRAME), (5, 1)):
    case(f"5.{number}", one, two, chop=chop, expected=[both])
    case(f"5.{number + 3}", one, ping(b"ping payload"), two, chop=chop, expected=[b"ping payload", both])
    case(f"5.{number + 6}", more("non-continuation payload"), text(HELLO), chop=chop, end=PROTOCOL_ERROR)
    case(f"5.{number + 9}", more("non-continuation payload", fin=False), text(HELLO), chop=chop, end=PROTOCOL_ERROR)
case("5.15", one, two, more("fragment3", fin=False), text("fragment4"), expected=[both], end=PROTOCOL_ERROR)
case("5.16", *[more("fragment1", fin=False), text("fragment2", fin=False), more("fragment3")] * 2, end=PROTOCOL_ERROR)
case("5.17", *[more("fragment1"), text("fragment2", fin=False), more("fragment3")] * 2, end=PROTOCOL_ERROR)
case("5.18", one, text("fragment2"), end=PROTOCOL_ERROR)

# 6.1 to 6.3: text and its fragments
case("6.1.3", text("", fin=False), more("middle frame payload", fin=False), more(""), expected=["middle frame payload"])
MIXED = "Hello-µ@ßöäüàá-UTF-8!!"
GREEK = b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5".decode()
case("6.2.1", text(MIXED), expected=[MIXED])
case("6.2.2", text("Hello-µ@ßöä", fin=False), more("üàá-UTF-8!!"), expected=[MIXED])


def send(peer, steps, chop):
    """Sends the frames. The first fragment of a message gets the head of a publish before it, the last one its tail."""
    frames, head = [], None
    for step in steps:
        payload = step.payload
        if isinstance(payload, str) and step.opcode in (TEXT, CONTINUATION):
            whole = peer.publish_frame("\0") if head is None else None
            if whole:
                head, tail = whole.split(b"\0")
                payload = head.decode() + payload
            if step.fin:
                payload += tail.decode()
                head = None
        frames.append(encode(step.opcode, payload.encode() if isinstance(payload, str) else payload, fin=step.fin, rsv=step.rsv))
    if chop == FRAME:
        for frame in frames:
            peer.send_all([frame])
    else:
        peer.send_all(frames, chop=chop)


@pytest.mark.parametrize("case", CASES, ids=[case.number for case in CASES])
def test_frames(peer, case):
    send(peer, case.steps, case.chop)
    if case.end == NORMAL:
        for expected in case.expected:
            if isinstance(expected, bytes):
                peer.take_until(lambda: peer.pongs)
                assert not peer.inbox, "the message came before its control frame was answered"
                assert peer.pongs.pop(0) == expected
            else:
                peer.expect_echo(expected)
        # What the broker has to say nothing to, it has said nothing to.
        peer.ping(b"the last one")
        peer.expect_pong(b"the last one")
        assert not peer.pongs
        peer.expect_clean_end()
        return
    for event in peer.expect_close(case.end):
        assert isinstance(peer.take(event), Message), f"a pong behind what fails the connection: {event}"
    # The answer to what came before the fault may be lost with the connection, what it did is not.
    for message in case.expected:
        peer.watcher.expect("publish", room=peer.room, message=message)
    assert peer.watcher.room_fence(peer.room) == []
    assert [frame["message"] for frame in peer.inbox if frame["type"] == "publish"] in ([], list(case.expected))


@pytest.mark.parametrize("together", [True, False], ids=["5.19", "5.20"])
def test_fragments_with_pings_between(peer, together):
    whole = peer.publish_frame("".join(f"fragment{number}" for number in range(1, 6)))
    parts = fragments(TEXT, whole, -(-len(whole) // 5))
    for group in ([*parts[:2], encode(PING, b"pongme 1!")], [*parts[2:4], encode(PING, b"pongme 2!"), parts[4]]):
        for frames in [group] if together else [[frame] for frame in group]:
            peer.send_all(frames)
        if group[-1] is not parts[4]:
            # The first pong comes while the message is still on its way.
            peer.take_until(lambda: peer.pongs)
            assert peer.pongs.pop() == b"pongme 1!" and not peer.inbox
    peer.expect_echo("fragment1fragment2fragment3fragment4fragment5")
    assert peer.pongs == [b"pongme 2!"]
    peer.expect_clean_end()


# 1: framing

SIZES = [(1, 0), (2, 125), (3, 126), (4, 127), (5, 128), (6, 65_535), (7, 65_536), (8, 65_536)]


@pytest.mark.parametrize("number, size", SIZES, ids=[f"1.1.{number}" for number, _ in SIZES])
def test_a_text_message_of_a_length(peer, number, size):
    if size == 0:
        peer.send_message("")
        peer.expect_ignored()
    else:
        peer.send_all([encode(TEXT, peer.publish_frame(size=size))], chop=997 if number == 8 else None)
        peer.expect_echo(json.loads(peer.last)["message"])
    peer.expect_clean_end()


@pytest.mark.parametrize("number, size", SIZES, ids=[f"1.2.{number}" for number, _ in SIZES])
def test_a_binary_message_of_a_length(peer, number, size):
    """The stock Swift client sends JSON in binary messages, and is answered in text; what is not JSON is refused."""
    chop = 997 if number == 8 else None
    peer.send_all([encode(BINARY, b"\xfe" * size)], chop=chop)
    if size == 0:
        peer.expect_ignored()
    else:
        peer.expect_refused("invalid_utf8")
        peer.send_all([encode(BINARY, peer.publish_frame(size=size))], chop=chop)
        peer.expect_echo(json.loads(peer.last)["message"])
    peer.expect_clean_end()


# 6: UTF-8


@pytest.mark.parametrize("count", [1, 3], ids=["6.1.1", "6.1.2"])
def test_an_empty_text(peer, count):
    frames = [encode(TEXT if place == 0 else CONTINUATION, fin=place == count - 1) for place in range(count)]
    peer.send_all(frames)
    peer.expect_ignored()
    peer.expect_clean_end()


@pytest.mark.parametrize("message", [MIXED, GREEK], ids=["6.2.3", "6.2.4"])
def test_fragments_of_one_byte(peer, message):
    peer.send_all(fragments(TEXT, peer.publish_frame(message), 1))
    peer.expect_echo(message)
    peer.expect_clean_end()


SURROGATE, BEYOND, REST = b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"edited"


@pytest.mark.parametrize("size", [None, 1], ids=["6.3.1", "6.3.2"])
@pytest.mark.parametrize("bare", [False, True], ids=["in-json", "bare"])
def test_invalid_text(peer, size, bare):
    message = GREEK.encode() + SURROGATE + REST
    payload = message if bare else peer.publish_frame(message)
    peer.send_all(fragments(TEXT, payload, size or len(payload)))
    peer.expect_failed(INVALID_PAYLOAD)


@pytest.mark.parametrize("number, cut", [("6.4.1", 11), ("6.4.2", 12)])
@pytest.mark.parametrize("bare", [False, True], ids=["in-json", "bare"])
def test_invalid_text_fails_with_the_fragment_that_makes_it_invalid(peer, number, cut, bare):
    """The rest of the message never comes."""
    message = GREEK.encode() + BEYOND + REST
    payload = message if bare else peer.publish_frame(message)
    start = payload.index(GREEK.encode())
    cut, wrong = start + cut, start + (15 if number == "6.4.1" else 13)
    peer.send_all([encode(TEXT, payload[:cut], fin=False)])
    peer.ping(b"so far so good")
    peer.expect_pong(b"so far so good")
    peer.send_all([encode(CONTINUATION, payload[cut:wrong], fin=False)])
    peer.expect_failed(INVALID_PAYLOAD)


@pytest.mark.parametrize("number, cut", [("6.4.3", 11), ("6.4.4", 12)])
def test_invalid_text_fails_before_its_frame_is_whole(peer, number, cut):
    message = GREEK.encode() + BEYOND + REST
    frame = encode(TEXT, message)
    start = len(frame) - len(message)
    wrong = start + (15 if number == "6.4.3" else 13)
    peer.send_all([frame[: start + cut]])
    peer.send_all([frame[start + cut : wrong]])
    peer.expect_failed(INVALID_PAYLOAD)


def utf8_sequences():
    """6.5 to 6.23, as the suite makes them, after Markus Kuhn's UTF-8-test.txt: whether it is valid, and the bytes."""

    def lonely(first, last):
        return b"".join(bytes([start, 0x20]) for start in range(first, last))

    def group(valid, *payloads):
        return [(valid, payload) for payload in payloads]

    kosme = GREEK.encode()
    continuations = [bytes([0x80, 0xBF] * 3)[:length] for length in range(2, 7)]
    incomplete = [
        b"\xc0", b"\xe0\x80", b"\xf0\x80\x80", b"\xf8\x80\x80\x80", b"\xfc\x80\x80\x80\x80",
        b"\xdf", b"\xef\xbf", b"\xf7\xbf\xbf", b"\xfb\xbf\xbf\xbf", b"\xfd\xbf\xbf\xbf\xbf",
    ]  # fmt: skip
    planes = [
        lead + second + b"\xbf" + last
        for lead in (b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4")
        for second in (b"\x8f", b"\x9f", b"\xaf", b"\xbf")
        for last in (b"\xbe", b"\xbf")
        if not (lead == b"\xf4" and second != b"\x8f") and not (lead == b"\xf0" and second == b"\x8f")
    ]
    return [
        group(True, b"hello\x24world", b"hello\xc2\xa2world", b"hello\xe2\x82\xacworld", b"hello\xf0\xa4\xad\xa2world", kosme),
        [(length in (2, 5, 7, 9, 11), kosme[:length]) for length in range(1, len(kosme) + 1)],
        group(True, b"\x00", b"\xc2\x80", b"\xe0\xa0\x80", b"\xf0\x90\x80\x80"),
        group(False, b"\xf8\x88\x80\x80\x80", b"\xfc\x84\x80\x80\x80\x80"),
        group(True, b"\x7f", b"\xdf\xbf", b"\xef\xbf\xbf", b"\xf4\x8f\xbf\xbf"),
        group(False, b"\xf7\xbf\xbf\xbf", b"\xfb\xbf\xbf\xbf\xbf", b"\xfd\xbf\xbf\xbf\xbf\xbf"),
        group(True, b"\xed\x9f\xbf", b"\xee\x80\x80", b"\xef\xbf\xbd", b"\xf4\x8f\xbf\xbf") + group(False, b"\xf4\x90\x80\x80"),
        group(False, b"\x80", b"\xbf", *continuations, bytes(range(0x80, 0xBF))),
        group(False, *(lonely(*ends) for ends in ((0xC0, 0xDF), (0xE0, 0xEF), (0xF0, 0xF7), (0xF8, 0xFB), (0xFC, 0xFD)))),
        group(False, *incomplete),
        group(False, b"".join(incomplete)),
        group(False, b"\xfe", b"\xff", b"\xfe\xfe\xff\xff"),
        group(False, b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf", b"\xf8\x80\x80\x80\xaf", b"\xfc\x80\x80\x80\x80\xaf"),
        group(False, b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xf0\x8f\xbf\xbf", b"\xf8\x87\xbf\xbf\xbf", b"\xfc\x83\xbf\xbf\xbf\xbf"),
        group(False, b"\xc0\x80", b"\xe0\x80\x80", b"\xf0\x80\x80\x80", b"\xf8\x80\x80\x80\x80", b"\xfc\x80\x80\x80\x80\x80"),
        group(False, *(b"\xed" + rest for rest in (b"\xa0\x80", b"\xad\xbf", b"\xae\x80", b"\xaf\xbf", b"\xb0\x80", b"\xbe\x80", b"\xbf\xbf"))),
        group(False, *(b"\xed" + high + b"\xed" + low for high in (b"\xa0\x80", b"\xad\xbf", b"\xae\x80", b"\xaf\xbf") for low in (b"\xb0\x80", b"\xbf\xbf"))),
        group(True, b"\xef\xbf\xbe", b"\xef\xbf\xbf", *planes),
        group(True, *(b"\xef\xbf" + bytes([last]) for last in range(0xB9, 0xC0))),
    ]  # fmt: skip


UTF8 = [
    (f"6.{group}.{number}", valid, payload)
    for group, members in enumerate(utf8_sequences(), 5)
    for number, (valid, payload) in enumerate(members, 1)
]  # fmt: skip


@pytest.mark.parametrize("valid, payload", [entry[1:] for entry in UTF8], ids=[entry[0] for entry in UTF8])
def test_utf8(broker, peer, watcher, valid, payload):
    peer.send_message(peer.publish_frame(payload))
    if payload == b"\x00":
        # It is text, but no JSON: a control character has to be escaped in a string.
        peer.expect_refused("malformed_json")
    elif valid:
        peer.expect_echo(payload.decode())
    else:
        peer.expect_failed(INVALID_PAYLOAD)
        # Without JSON around it, as the suite sends it.
        with Peer(broker, watcher) as bare:
            bare.send_message(payload)
            bare.expect_failed(INVALID_PAYLOAD)
        return
    peer.expect_clean_end()


# 7: closing


def test_a_message_and_a_close(peer):
    """7.1.1"""
    peer.send_message(peer.publish_frame("Hello World!"))
    peer.expect_echo("Hello World!")
    peer.expect_clean_end()


@pytest.mark.parametrize(
    "before, after",
    [
        ([], lambda peer: [encode(CLOSE)]),
        ([], lambda peer: [encode(PING)]),
        ([], lambda peer: [encode(TEXT, peer.publish_frame("Hello World!"))]),
        ([0], lambda peer: []),
    ],
    ids=["7.1.2", "7.1.3", "7.1.4", "7.1.5"],
)
def test_nothing_counts_after_a_close(peer, before, after):
    """A second Close, a ping, a message, the end of a message."""
    frames = fragments(TEXT, peer.publish_frame(both), 60) if before else []
    peer.close_sent = True
    peer.send_all([*frames[:1], encode(CLOSE, close_payload(NORMAL)), *frames[1:], *after(peer)])
    assert peer.expect_failed(NORMAL) == []


def test_what_came_before_a_close_counts(peer):
    """7.1.6: a large message, a small one, the Close and a ping, all at once."""
    large, small = peer.publish_frame(size=65_536), peer.publish_frame("Hello World!")
    peer.close_sent = True
    peer.send_all([encode(TEXT, large), encode(TEXT, small), encode(CLOSE, close_payload(NORMAL)), encode(PING)])
    assert all(isinstance(event, Message) for event in peer.expect_close(NORMAL))
    seen = peer.watcher.messages(2, peer.room)
    assert [frame["message"] for frame in seen] == [json.loads(large)["message"], "Hello World!"]
    assert peer.watcher.room_fence(peer.room) == []


CLOSES = [
    ("7.3.1", b"", (None, NORMAL)),
    ("7.3.2", b"a", (PROTOCOL_ERROR,)),
    ("7.3.3", close_payload(NORMAL), (NORMAL,)),
    ("7.3.4", close_payload(NORMAL, b"Hello World!"), (NORMAL,)),
    ("7.3.5", close_payload(NORMAL, b"*" * 123), (NORMAL,)),
    ("7.3.6", close_payload(NORMAL, b"*" * 124), (PROTOCOL_ERROR,)),
    ("7.5.1", close_payload(NORMAL, GREEK.encode() + SURROGATE + REST), (PROTOCOL_ERROR, INVALID_PAYLOAD)),
]
VALID = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999]
CLOSES += [(f"7.7.{number}", close_payload(code), (NORMAL, code)) for number, code in enumerate(VALID, 1)]
INVALID = [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999]
CLOSES += [(f"7.9.{number}", close_payload(code), (PROTOCOL_ERROR,)) for number, code in enumerate(INVALID, 1)]
# The suite takes whatever comes here, as the RFC says nothing about these.
CLOSES += [("7.13.1", close_payload(5000), (PROTOCOL_ERROR,)), ("7.13.2", close_payload(65_535), (PROTOCOL_ERROR,))]


@pytest.mark.parametrize("payload, codes", [entry[1:] for entry in CLOSES], ids=[entry[0] for entry in CLOSES])
def test_closes(peer, payload, codes):
    peer.close_sent = True
    peer.send_frame(CLOSE, payload)
    assert peer.expect_failed(*codes) == []


# 9 and 10: large messages, many fragments. First as large as a message may be, then in the suite's sizes, which are beyond.

LARGE = [("1", 64 * KILO), ("2", 256 * KILO), ("3", MEGA), ("4", 4 * MEGA), ("5", 8 * MEGA), ("6", 16 * MEGA)]


@pytest.mark.parametrize("opcode", [TEXT, BINARY], ids=["9.1", "9.2"])
@pytest.mark.parametrize("size", [entry[1] for entry in LARGE], ids=[entry[0] for entry in LARGE])
def test_a_large_message(peer, opcode, size):
    peer.send_all([encode(opcode, peer.publish_frame(size=size))])
    if size <= LIMIT:
        peer.expect_echo(json.loads(peer.last)["message"])
        peer.expect_clean_end()
    else:
        peer.expect_failed(TOO_BIG)


def test_a_message_as_long_as_the_limit_and_longer(peer):
    """The limit is one of the whole message; that of what is published is smaller, and its error is another."""
    frame = peer.publish_frame(size=LIMIT)
    peer.send_message(frame)
    peer.take_until(lambda: peer.replies)
    assert peer.replies.popitem()[1]["code"] == "message_too_large"
    peer.send_message(frame.replace(b'"type":', b' "type":', 1))
    peer.expect_failed(TOO_BIG)


FRAGMENTS = [(str(number), 64 * 4**power) for number, power in enumerate(range(9), 1)]


@pytest.mark.parametrize("opcode", [TEXT, BINARY], ids=["9.3", "9.4"])
@pytest.mark.parametrize("size", [entry[1] for entry in FRAGMENTS], ids=[entry[0] for entry in FRAGMENTS])
@pytest.mark.parametrize("length", [65_536, 4 * MEGA], ids=["64K", "4M"])
def test_a_large_message_in_fragments(peer, opcode, size, length):
    whole = peer.publish_frame(size=length)
    if length > LIMIT:
        # What is behind the limit is not looked at: as much as makes sure that it is reached.
        whole = whole[: max(2 * LIMIT, 2 * size)]
    peer.send_all(fragments(opcode, whole, size))
    if length <= LIMIT:
        peer.expect_echo(json.loads(whole)["message"])
        peer.expect_clean_end()
    else:
        peer.expect_failed(TOO_BIG)


CHOPS = [(str(number), 64 << power) for number, power in enumerate(range(6), 1)]


@pytest.mark.parametrize("opcode", [TEXT, BINARY], ids=["9.5", "9.6"])
@pytest.mark.parametrize("chop", [entry[1] for entry in CHOPS], ids=[entry[0] for entry in CHOPS])
@pytest.mark.parametrize("length", [65_536, MEGA], ids=["64K", "1M"])
def test_a_large_message_in_pieces_of_tcp(peer, opcode, chop, length):
    frame = encode(opcode, peer.publish_frame(size=length))
    if length > LIMIT:
        frame = frame[: 2 * LIMIT]
    peer.send_all([frame], chop=chop)
    if length <= LIMIT:
        peer.expect_echo(json.loads(peer.last)["message"])
        peer.expect_clean_end()
    else:
        peer.expect_failed(TOO_BIG)


ROUNDS = 40
"""The suite measures 1,000 round trips; here it matters that each comes, and in its order."""


@pytest.mark.parametrize("opcode", [TEXT, BINARY], ids=["9.7", "9.8"])
@pytest.mark.parametrize("size", [0, 16, 64, 256, 1024, 4096], ids=["1", "2", "3", "4", "5", "6"])
def test_round_trips(peer, opcode, size):
    for number in range(ROUNDS):
        if size == 0:
            peer.send_message(b"", opcode)
            peer.ping(b"%d" % number)
            peer.take_until(lambda: peer.pongs)
            assert peer.pongs.pop() == b"%d" % number
        else:
            message = f"{number} ".ljust(size, "*")
            peer.send_message(peer.publish_frame(message), opcode)
            peer.expect_echo(message)
    peer.expect_clean_end()


def test_automatic_fragments(peer):
    """10.1.1"""
    peer.send_all(fragments(TEXT, peer.publish_frame(size=65_536), 1300))
    peer.expect_echo(json.loads(peer.last)["message"])
    peer.expect_clean_end()
