"""What must not be sent over a WebSocket, sent. Each time two neighbours talk all the while, and must notice nothing.

The cases of the Autobahn test suite are in test_websocket_autobahn.py.
"""

import json
import threading
import time
import uuid

import pytest

from broker import PATIENCE
from client import Client, flood, wait_until_blocked
from neighbours import Neighbours
from rest import exchange
from websocket_client import BINARY, CLOSE, CONTINUATION, PATH, PING, TEXT, Closed, Message, Pong, WebSocket, WebSocketClient, close_payload, encode

MEGABYTE = 1 << 20
PROTOCOL_ERROR, TOO_BIG = 1002, 1009
PUBLISH = '{"type":"publish","room":"%s","message":"%s"}'


@pytest.fixture
def open_socket(broker, neighbours):
    """Opens WebSockets of the shared broker, each with its upgrade done and nothing else."""
    opened = []

    def open_socket(**options):
        opened.append(WebSocket(broker.http_port, **options))
        return opened[-1]

    yield open_socket
    for one in opened:
        one.close()


@pytest.fixture
def join(broker, neighbours):
    """Opens clients over WebSocket."""
    clients = []

    def join(name=None, **options):
        clients.append(WebSocketClient(broker, name, **options))
        return clients[-1]

    yield join
    for client in clients:
        client.close()


HEADS = {
    "2 to the 63": encode(TEXT, length=1 << 63, form=64),
    "all bits of a length": encode(TEXT, length=(1 << 64) - 1, form=64),
    "16 bits for 5": encode(TEXT, b"12345", form=16),
    "16 bits for 125": encode(TEXT, b"x" * 125, form=16),
    "64 bits for 5": encode(TEXT, b"12345", form=64),
    "64 bits for 126": encode(TEXT, b"x" * 126, form=64),
    "64 bits for 65535": encode(TEXT, b"x" * 65_535, form=64),
    "16 bits for a ping": encode(PING, b"12345", form=16),
    "a ping of 2 to the 32": encode(PING, length=1 << 32),
    "no mask": encode(TEXT, b"{}", mask=False),
    "a ping without a mask": encode(PING, mask=False),
    "a Close without a mask": encode(CLOSE, close_payload(1000), mask=False),
    "a fragmented Close": encode(CLOSE, close_payload(1000), fin=False),
    "half a code": encode(CLOSE, b"\x03"),
}


@pytest.mark.parametrize("frame", HEADS.values(), ids=HEADS)
def test_frames_that_break_a_rule(open_socket, frame):
    one = open_socket()
    one.send_all([frame])
    one.expect_close(PROTOCOL_ERROR)
    assert one.closed.reason, "the reason says what was wrong"


@pytest.mark.parametrize("length", [(1 << 63) - 1, 1 << 40, 1 << 32, 1 << 31, 1 << 24, 131_073])
@pytest.mark.parametrize("opcode", [TEXT, BINARY])
def test_a_length_beyond_the_limit_fails_by_its_head(broker, open_socket, opcode, length):
    """Nothing of the payload is waited for, and no memory taken for it."""
    one = open_socket()
    one.send_frame(opcode, length=length)
    one.expect_close(TOO_BIG)


def test_many_fragments_of_one_message_are_one_message_for_the_limit(open_socket):
    one = open_socket()
    one.send_all([encode(TEXT, b"x" * 65_536, fin=False), encode(CONTINUATION, b"x" * 65_536, fin=False), encode(CONTINUATION, b"x", fin=False)])
    one.expect_close(TOO_BIG)


def test_data_after_a_close(broker, connect, join, room):
    """A megabyte of it, while the broker closes: nothing of it is done."""
    watcher = connect("Watcher")
    watcher.subscribe(room)
    ann = join("Ann")
    ann.close_sent = True
    late = encode(TEXT, (PUBLISH % (room, "late")).encode())
    ann.send_all([encode(CLOSE, close_payload(1000)), *[late] * (MEGABYTE // len(late))])
    assert ann.expect_close(1000) == []
    assert watcher.room_fence(room) == []


def test_a_peer_that_does_not_answer_a_close(open_socket):
    """The broker has failed the connection: it does not wait for ever for the peer's Close."""
    one = open_socket()
    one.close_sent = True  # so that the broker's Close gets no answer
    one.send_frame(TEXT, b"{}", rsv=1)
    assert one.expect_close(PROTOCOL_ERROR) == []


def test_a_close_in_the_middle_of_a_message(open_socket):
    one = open_socket()
    one.send_frame(TEXT, b'{"type":"ping"', fin=False)
    assert one.finish() == []


def test_the_end_of_tcp_in_the_middle_of_everything(broker, connect, observable, neighbours):
    """Head, mask, payload, fragments, handshake: wherever it is cut, the member is gone, and nothing is left of it."""
    ann = connect("Ann")
    ann.subscribe(observable)
    ann.expect("observable_members")
    lines = [
        '{"type":"handshake","channel":"default","callback":0}', json.dumps({"type": "subscribe", "room": observable, "callback": 1}),
        PUBLISH % (observable, "cut"),
    ]  # fmt: skip
    stream = b"".join(encode(TEXT, part.encode(), fin=last) if first else encode(CONTINUATION, part.encode(), fin=last)
                      for line in lines for part, first, last in ((line[:20], True, False), (line[20:], False, True)))  # fmt: skip
    for cut in range(0, len(stream), 17):
        one = WebSocket(broker.http_port)
        one.send_bytes(stream[:cut])
        one.reset() if cut % 2 else one.close()
    deadline = time.monotonic() + PATIENCE
    while ann.ask({"type": "members", "room": observable})["members"] != [ann.member]:
        assert time.monotonic() < deadline
    ann.inbox.clear()


def test_a_flood_of_pings(broker, join, room):
    """Each is answered, or only the newest: RFC 6455 §5.5.3."""
    ann = join("Ann")
    ann.subscribe(room)
    payloads = [b"%d" % number for number in range(5000)]
    sender = threading.Thread(target=ann.send_all, args=([encode(PING, payload.ljust(125, b".")) for payload in payloads],))
    sender.start()
    ann.publish(room, "in between")
    ann.expect_pong(payloads[-1].ljust(125, b"."))
    sender.join(PATIENCE)
    numbers = [int(pong.rstrip(b".")) for pong in ann.pongs]
    assert numbers == sorted(set(numbers))
    ann.expect("publish", message="in between")
    ann.leave()


def test_a_flood_of_pings_from_a_peer_that_never_reads(broker, neighbours):
    """The broker stops reading from it, or coalesces its pongs; it does not keep them."""
    before = broker.resident_bytes()
    with WebSocketClient(broker, "Greedy", receive_buffer=4096) as greedy:
        pings = b"".join(encode(PING, b"%d" % number) for number in range(1000))
        try:
            wait_until_blocked(greedy, pings, limit=8 * MEGABYTE, pause=0.5)
        except AssertionError:
            pass  # it coalesces
        except (ConnectionResetError, BrokenPipeError):
            pass  # it has closed
        assert broker.resident_bytes() - before < 64 * MEGABYTE


def test_a_peer_that_pipelines_requests_and_never_reads(broker, neighbours):
    before = broker.resident_bytes()
    with WebSocketClient(broker, "Greedy", receive_buffer=4096) as greedy:
        pings = b"".join(encode(TEXT, b'{"type":"ping","callback":%d}' % number) for number in range(1000))
        wait_until_blocked(greedy, pings, limit=256 * MEGABYTE, pause=0.5)
        assert broker.resident_bytes() - before < 96 * MEGABYTE


def test_a_peer_that_never_reads_is_disconnected_where_nothing_is_kept(connect, join, room):
    slow = join("Slow", channel="fleeting", receive_buffer=4096)
    slow.subscribe(room)
    flood(connect("Ann", channel="fleeting"), room, 200, first=0)
    got, _ = slow.goodbye("slow_consumer")
    numbers = [int(frame["message"].split()[0]) for frame in got]
    assert numbers == list(range(len(numbers))) and len(numbers) < 200


def test_a_peer_that_reads_late_misses_nothing_where_there_is_a_history(connect, join, room):
    slow = join("Slow", receive_buffer=4096)
    slow.subscribe(room)
    flood(connect("Ann"), room, 120, first=0)
    assert [int(frame["message"].split()[0]) for frame in slow.messages(120, room)] == list(range(120))
    slow.leave()


@pytest.mark.parametrize("fin", [False, True], ids=["never ended", "ended"])
def test_empty_fragments(broker, open_socket, fin):
    """A hundred thousand of them cost the sender its connection, or nobody anything."""
    before = broker.resident_bytes()
    one = open_socket()
    empty = encode(CONTINUATION, fin=False) * 1000
    one.send_all([encode(TEXT, b'{"type":', fin=False), *[empty] * 100])
    one.send_all([encode(CONTINUATION, b'"ping","callback":1}', fin=True)] if fin else [], chop=None)
    try:
        one.ping(b"at the end")
    except (ConnectionResetError, BrokenPipeError):
        pass
    event = one.event()
    while isinstance(event, Message) and event.text and (event := one.event()):
        pass
    assert isinstance(event, (Pong, Closed)), event
    assert broker.resident_bytes() - before < 64 * MEGABYTE


def test_one_byte_at_a_time(join, room):
    ann = join("Ann")
    ann.subscribe(room)
    for text in ("drip", "drop"):
        ann.send_all([encode(TEXT, (PUBLISH % (room, text)).encode())], chop=1)
        ann.expect("publish", message=text)
    ann.leave()


UNREADABLE = {
    "{": "malformed_json", "[]": "malformed_json", "hello": "malformed_json", "msg:hello": "malformed_json",
    '{"type":"ping"}{"type":"ping"}': "malformed_json", '{"type":"ping"}\n{"type":"ping"}': "malformed_json", "iam:Luke": "malformed_json",
    '{"type":"telepathy"}': "unknown_type", '{"type":"publish","room":"r"}': "missing_field",
}  # fmt: skip


@pytest.mark.parametrize("opcode", [TEXT, BINARY], ids=["text", "binary"])
def test_messages_that_are_no_frames(join, room, opcode):
    """A message is one frame: neither lines nor plain text."""
    ann = join("Ann")
    ann.subscribe(room)
    for message, code in UNREADABLE.items():
        ann.send_message(message, opcode)
        ann.expect_error(code)
    for message in ('{"type":"ping"}\n', ' \r\n\t{"type":"ping"} ', '{\n"type":\r\n"ping"\n}'):
        ann.send_message(message, opcode)
        ann.expect("pong")
    ann.send_message(PUBLISH % (room, "still here"), opcode)
    ann.expect("publish", message="still here")
    ann.leave()


def test_line_breaks_between_tokens_are_no_line_breaks_for_others(join, connect, room):
    lines, ann = connect("Lines"), join("Ann")
    for client in (lines, ann):
        client.subscribe(room)
    ann.send_message('{"type":"publish","room":"%s","message":{\r\n"a":\n[1,\n2]}}' % room)
    for client in (lines, ann):
        assert client.expect("publish")["message"] == {"a": [1, 2]}
    ann.leave()


def test_a_peer_that_sends_nothing_but_rubbish_is_ended(join):
    """As over TCP: unreadable messages have a rate."""
    ann = join("Ann")
    ann.send_all([encode(TEXT, b"rubbish")] * 300)
    rest, _ = ann.goodbye("rate_limited")
    assert {frame["code"] for frame in rest} == {"malformed_json"}


OFFERS = [
    "permessage-deflate; client_max_window_bits",
    "permessage-deflate; client_max_window_bits; server_max_window_bits=15",
    "permessage-deflate; server_no_context_takeover, x-webkit-deflate-frame, no-such-thing; a=\"b\"",
    "",
]


@pytest.mark.parametrize("offer", OFFERS)
def test_offers_of_extensions_are_ignored(join, room, offer):
    ann = join("Ann", headers={"Sec-WebSocket-Extensions": offer})
    ann.subscribe(room)
    ann.publish(room, "hi")
    ann.expect("publish", message="hi")
    ann.leave()


ORIGINS = ["http://evil.example", "null", "ws://127.0.0.1:10001", "http://websocket.org", "file://", "https://app.example:444"]


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_page_of_another_origin_may_connect(join, room, origin):
    """Stock clients send what they like, and no cookie counts here."""
    ann = join("Ann", headers={"Origin": origin, "Cookie": "session=of-somebody"})
    ann.publish(room, "hi")
    ann.leave()


FLAGS = ["--channel", "default,history=100"]


def test_a_channel_that_lists_origins_takes_no_other_pages(administered, admin):
    """The upgrade does not say which channel is meant, so the handshake is refused."""
    id = f"c-{uuid.uuid4().hex[:8]}"
    admin.done("POST", "/channels", {"id": id, "allowed_origins": ["https://app.example"]})
    # The broker's own pages are not strangers.
    own = f"http://127.0.0.1:{administered.http_port}"
    for headers in ({}, {"Origin": "https://app.example"}, {"Origin": own}):
        with WebSocketClient(administered, channel=id, headers=headers) as client:
            client.leave()
    for origin in ("https://evil.example", "null", "https://app.example.evil.example", "https://app.example:444", "http://app.example"):
        with WebSocketClient(administered, handshake=False, headers={"Origin": origin}) as page:
            reply = page.request({"type": "handshake", "channel": id})
            assert (reply["client_id"], reply["code"]) == ("", "permission_denied") and "origin" in reply["error"], reply
            # Another channel of the same broker has its own list.
            page.ask({"type": "handshake", "channel": "default"})
            page.leave()


def test_upgrades_that_say_nothing_are_bounded_in_number(start):
    broker = start("--max-connections", "50", "--handshake-timeout", "10m")
    with Neighbours(broker):
        silent, refused = [], 0
        for _ in range(100):
            try:
                silent.append(WebSocketClient(broker, handshake=False))
            except (AssertionError, ConnectionError):
                refused += 1
        # the neighbours have two places
        assert (len(silent), refused) == (48, 52)
        for one in silent:
            one.close()
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                late = WebSocketClient(broker, "Late")
                break
            except (AssertionError, ConnectionError):
                assert time.monotonic() < deadline, "a place that became free is never given away"
        late.publish("room", "after all")
        late.leave()


def test_upgrades_that_say_nothing_are_bounded_in_time(start):
    broker = start("--handshake-timeout", "2s")
    with Neighbours(broker):
        silent = [WebSocketClient(broker, handshake=False) for _ in range(50)]
        for one in silent:
            assert one.goodbye("handshake_timeout")[0] == []
            one.close()


def test_a_handshake_has_its_time(start):
    broker = start("--handshake-timeout", "2s")
    with Neighbours(broker), WebSocketClient(broker, handshake=False) as slow:
        slow.send_frame(TEXT, b'{"type":', fin=False)
        slow.ping(b"I am still here")
        assert slow.goodbye("handshake_timeout")[0] == []


def test_an_upgrade_before_garbage(broker, neighbours):
    """What follows the upgrade in the same bytes is WebSocket at once."""
    fields = "Host: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {}\r\n\r\n"
    head = f"GET {PATH} HTTP/1.1\r\n{fields.format('AAAAAAAAAAAAAAAAAAAAAA==')}".encode()
    for tail in (b"GET / HTTP/1.1\r\n\r\n", b"\x00" * 100, b"\xff" * 100, b"msg:hello\n"):
        answer = exchange(broker.http_port, head + tail)
        status, frames = answer.split(b"\r\n\r\n", 1)
        assert status.startswith(b"HTTP/1.1 101") and frames[0] == 0x88, answer
        assert int.from_bytes(frames[2:4], "big") == PROTOCOL_ERROR


def test_frames_right_behind_the_upgrade(broker, connect, room):
    """A client that pipelines does not wait for the 101."""
    watcher = connect("Watcher")
    watcher.subscribe(room)
    lines = ['{"type":"handshake","channel":"default","callback":0}', PUBLISH % (room, "early")]
    fields = "Host: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    frames = b"".join(encode(TEXT, line.encode()) for line in lines) + encode(CLOSE, close_payload(1000))
    answer = exchange(broker.http_port, f"GET {PATH} HTTP/1.1\r\n{fields}".encode() + frames)
    assert b'"client_id":"' in answer and answer.endswith(b"\x88\x02\x03\xe8"), answer
    watcher.expect("publish", message="early")


def test_garbage(broker, neighbours):
    """Every first byte of a frame, with every second one of some."""
    for first in range(256):
        with WebSocket(broker.http_port) as one:
            one.send_all([bytes([first, (first * 37) & 0xFF]) * 40])
            one.half_close()
            one.events_to_end()


def test_neighbours_of_all_kinds_keep_their_order(broker, connect, join, text):
    """What the neighbours of each test do over TCP, others do over WebSocket and as plain text, with some rubbish between."""
    lines, socket = connect("Lines"), join("Socket")
    han = text().join(f"Han{uuid.uuid4().hex[:6]}")
    for client in (lines, socket):
        client.subscribe("lobby")
    for number in range(30):
        with WebSocket(broker.http_port) as bad:
            bad.send_all([encode(TEXT, b"{}", rsv=number % 7 + 1)])
            bad.expect_close(PROTOCOL_ERROR)
        socket.publish("lobby", f"message {number}")
    expected = [f"message {number}" for number in range(30)]
    for client in (lines, socket):
        assert [frame["message"] for frame in client.messages(30, "lobby")] == expected
    assert [han.line() for _ in expected] == [f"Socket: {message}" for message in expected]
    socket.leave()


def test_a_peer_that_vanished(start):
    """Nothing comes from it, not even the answer to a ping; one that answers may be silent."""
    broker = start("--websocket-ping", "3s")
    with Neighbours(broker), WebSocketClient(broker, "Silent") as silent, WebSocketClient(broker, "Gone") as gone:
        silent.subscribe("room")
        heard = []
        reader = threading.Thread(target=lambda: heard.append(silent.expect("publish")))
        reader.start()
        gone.answers_pings = False
        assert gone.goodbye("heartbeat_timeout")[0] == []
        with Client(broker, "Late") as late:
            late.publish("room", "still there?")
        reader.join(PATIENCE)
        assert heard and silent.pinged > 0
        silent.leave()
