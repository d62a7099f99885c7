"""What must not be sent, sent. Each time two neighbours talk all the while, and must notice nothing."""

import json
import socket
import ssl
import time
import uuid

import pytest

from broker import PATIENCE
from client import Client, TextClient, Wire

pytestmark = pytest.mark.usefixtures("neighbours")


@pytest.fixture
def ann(connect, room):
    client = connect("Ann")
    client.subscribe(room)
    return client


def still_works(client, room):
    client.publish(room, "still here")
    client.expect("publish", message="still here")


def refused(client, line, *codes, room=None):
    """The line gets one error with one of these codes, and the connection works on."""
    if isinstance(line, str):
        line = line.encode("utf-8", "surrogatepass")
    client.send_bytes(line + b"\n")
    frame = client.next()
    assert frame.get("code") in codes and "error" in frame and "callback" not in frame, (line[:80], frame)
    if room:
        assert frame["room"] == room
    return frame


MALFORMED = [
    "{", "}", "[]", "1", "null", '"text"', "hello", "{}}", "{} {}", '{"type":"ping"', '{"type":"ping",}', "{'type':'ping'}",
    '{type:"ping"}', '{"type":"ping"} x', '{"type" "ping"}', '{"type"::"ping"}', '{"type":ping}', '{"a":[1,]}', '{"a":[1 2]}', '{"a":[,1]}',
    '{"a":01}', '{"a":-}', '{"a":+1}', '{"a":.5}', '{"a":1.}', '{"a":1e}', '{"a":1e+}', '{"a":0x1}', '{"a":1_000}', '{"a":NaN}', '{"a":Infinity}',
    '{"a":-Infinity}', '{"a":tru}', '{"a":True}', '{"a":nul}', '{"a":"\\x"}', '{"a":"\\u12"}', '{"a":"\\u12G4"}', '{"a":"tab\there"}',
    '{"a":"\x01"}', '{"a":"unended}', '{"a":1}/* comment */', "// comment", '{"a":1,,"b":2}', '{,"a":1}', '{"a"}', '{1:2}', '{null:1}', "\x00",
    '{"a":"nul\x00"}', '{"a":\x0c1}', "\ufeff\ufeff{}", '{"a":[}', '{"a":{]}', '{"a":"b"', "[" * 70, '{"a":',
]  # fmt: skip


@pytest.mark.parametrize("line", MALFORMED, ids=ascii)
def test_malformed_json(ann, room, line):
    refused(ann, line, *(("malformed_json", "nesting_too_deep") if line.startswith("[[") else ("malformed_json",)))
    still_works(ann, room)


def test_an_empty_line_is_no_trouble(ann, room):
    ann.send_bytes(b"\n\r\n \n")
    for frame in ann.fence():
        assert frame["code"] == "malformed_json"
    still_works(ann, room)


@pytest.mark.parametrize(
    "text",
    [b"\xff", b"\xc3", b"\xc3\x28", b"\xc0\xaf", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf0\x80\x80\x80", b"\xf4\x90\x80\x80", b"\x80", b"\xe2\x82"],
    ids=ascii,
)
@pytest.mark.parametrize("place", [b'{"type":"publish","room":"r","message":"%s"}', b'{"type":"%s"}', b'{"%s":1,"type":"ping"}'])
def test_invalid_utf8(ann, room, text, place):
    refused(ann, place % text, "invalid_utf8")
    still_works(ann, room)


def test_invalid_utf8_outside_of_strings(ann, room):
    refused(ann, b'{"type":"ping"\xff}', "invalid_utf8", "malformed_json")
    still_works(ann, room)


@pytest.mark.parametrize("depth", [100, 10_000, 60_000])
@pytest.mark.parametrize("opening, closing", [("[", "]"), ('{"a":', "}")])
def test_nesting_bombs(ann, room, depth, opening, closing):
    depth = min(depth, 100_000 // len(opening))
    bomb = opening * depth + ("1" if opening != "[" else "") + closing * (depth if depth * (len(opening) + 1) < 120_000 else 0)
    refused(ann, f'{{"type":"publish","room":"{room}","message":{bomb}}}', "nesting_too_deep")
    still_works(ann, room)


def test_an_oversized_line_is_skipped(ann, room):
    refused(ann, '{"type":"publish","room":"r","message":"' + "x" * 200_000 + '"}', "line_too_long")
    refused(ann, "x" * 3_000_000, "line_too_long")
    still_works(ann, room)


def test_an_endless_line_ends_the_connection(broker, room):
    with Client(broker, "Ann") as ann:
        ann.subscribe(room)
        junk = b"x" * (1 << 20)
        try:
            for _ in range(20):
                ann.send_bytes(junk)
        except (ConnectionResetError, BrokenPipeError):
            pass
        seen, goodbye = ann.goodbye("line_too_long")
        assert [frame["code"] for frame in seen] in ([], ["line_too_long"])


def test_a_truncated_line_at_the_end(broker, room):
    with Client(broker, "Ann") as ann:
        ann.subscribe(room)
        callback = ann.post({"type": "publish", "room": room, "message": "whole"})
        ann.send_bytes(b'{"type":"publish","room":"' + room.encode() + b'","mess')
        ann.half_close()
        assert "error" not in ann.reply(callback)
        assert {frame.get("code", frame.get("message")) for frame in ann.rest()} == {"malformed_json", "whole"}


@pytest.mark.parametrize("kind", ["telepathy", "", "Publish", "history_message", "publish\u0000", "goodbye"])
def test_unknown_types(ann, room, kind):
    refused(ann, json.dumps({"type": kind, "room": room, "message": 1}), "unknown_type")
    callback = 5
    ann.send_line(json.dumps({"type": kind, "callback": callback}))
    assert ann.reply(callback)["code"] == "unknown_type"
    still_works(ann, room)


MISSING = [
    {}, {"room": "r"}, {"type": "subscribe"}, {"type": "unsubscribe"}, {"type": "publish", "room": "r"}, {"type": "publish", "message": 1},
    {"type": "update"}, {"type": "members"}, {"type": "history"}, {"type": "authenticate"}, {"type": "subscribe", "room": None},
]  # fmt: skip


@pytest.mark.parametrize("frame", MISSING, ids=json.dumps)
def test_missing_fields(ann, room, frame):
    refused(ann, json.dumps(frame), "missing_field", "authentication_required")
    callback = 6
    ann.send_line(json.dumps({**frame, "callback": callback}))
    assert ann.reply(callback)["code"] in ("missing_field", "authentication_required")
    still_works(ann, room)


def test_a_query_without_a_callback(ann, room):
    for frame in ({"type": "rooms"}, {"type": "history", "room": room}, {"type": "members", "room": "observable-x"}):
        refused(ann, json.dumps(frame), "missing_field")
    still_works(ann, room)


MISTYPED = [
    {"type": 1}, {"type": {}}, {"type": "subscribe", "room": 1}, {"type": "subscribe", "room": ["r"]}, {"type": "subscribe", "rooms": "r"},
    {"type": "subscribe", "rooms": [1]}, {"type": "subscribe", "rooms": []}, {"type": "subscribe", "room": "r", "rooms": ["r"]},
    {"type": "subscribe", "room": "r", "history_count": "5"}, {"type": "subscribe", "room": "r", "history_count": -1},
    {"type": "subscribe", "room": "r", "history_count": 1.5}, {"type": "subscribe", "room": "r", "overflow": "explode"},
    {"type": "subscribe", "room": "r", "since": 5}, {"type": "subscribe", "room": "r", "since": {"seq": 1}},
    {"type": "subscribe", "room": "r", "since": {"epoch": "x"}}, {"type": "subscribe", "room": "r", "since": {"epoch": 1, "seq": 1}},
    {"type": "subscribe", "room": "r", "since": {"epoch": "x", "seq": -1}}, {"type": "subscribe", "rooms": ["r"], "since": {"epoch": "x", "seq": 1}},
    {"type": "publish", "room": {}, "message": 1}, {"type": "publish", "room": "r", "message": 1, "message_id": "not a uuid"},
    {"type": "publish", "room": "r", "message": 1, "message_id": 7}, {"type": "publish", "room": "r", "message": 1, "ephemeral": "yes"},
    {"type": "publish", "room": "r", "message": 1, "ephemeral": 1}, {"type": "publish", "room": "r", "message": 1, "echo": 0},
    {"type": "publish", "room": "r", "message": 1, "echo": False},
    {"type": "publish", "room": "r", "message": 1, "ephemeral": True, "message_id": str(uuid.UUID(int=7))},
    {"type": "history", "room": "r", "limit": 0, "callback": 1}, {"type": "history", "room": "r", "limit": "all", "callback": 1},
    {"type": "history", "room": "r", "before_seq": 1, "after_seq": 1, "callback": 1}, {"type": "history", "room": "r", "before_seq": -1, "callback": 1},
]  # fmt: skip


@pytest.mark.parametrize("frame", MISTYPED, ids=json.dumps)
def test_mistyped_fields(ann, room, frame):
    ann.send_line(json.dumps(frame))
    answer = ann.reply(1) if "callback" in frame else ann.next()
    assert answer["code"] == "invalid_field", answer
    still_works(ann, room)


def test_extra_fields_are_ignored(ann, room):
    ann.publish(room, "hi", x=[1], y=None, version=3, types={"type": "ping", "room": 7})
    ann.expect("publish", message="hi")
    still_works(ann, room)


@pytest.mark.parametrize("callback", ['"1"', "1.5", "true", "[1]", "{}", "1e3", "9223372036854775808", "123456789012345678901234567890"])
def test_a_callback_that_is_no_integer(ann, room, callback):
    refused(ann, f'{{"type":"ping","callback":{callback}}}', "invalid_field")
    still_works(ann, room)


@pytest.mark.parametrize(
    "line",
    ['{"type":"ping","type":"ping"}', '{"type":"publish","room":"a","room":"b","message":1}', '{"type":"ping","t\\u0079pe":"pong"}',
     '{"type":"publish","room":"a","message":1,"message":2}'],
)  # fmt: skip
def test_a_field_that_stands_twice(ann, room, line):
    refused(ann, line, "duplicate_field")
    still_works(ann, room)


BAD_NAMES = ["", "bell\u0007", "line\nbreak", "nul\u0000", "del\u007f", "c1\u0085", "x" * 201, "é" * 101]


@pytest.mark.parametrize("name", BAD_NAMES, ids=lambda name: ascii(name[:12]))
@pytest.mark.parametrize("kind", ["subscribe", "unsubscribe", "publish", "history", "members"])
def test_bad_room_names(ann, room, kind, name):
    callback = 8
    ann.send_line(json.dumps({"type": kind, "room": name, "message": 1, "callback": callback}))
    assert ann.reply(callback)["code"] == "room_name_invalid"
    still_works(ann, room)


def test_a_room_name_with_half_a_surrogate_pair(ann, room):
    ann.send_line('{"type":"subscribe","room":"\\ud800","callback":8}')
    assert ann.reply(8)["code"] == "room_name_invalid"
    still_works(ann, room)


def test_frames_before_the_handshake(broker, room):
    with Client(broker, handshake=False) as client:
        for number, frame in enumerate(
            [{"type": "subscribe", "room": room}, {"type": "publish", "room": room, "message": 1}, {"type": "rooms"}, {"type": "update", "client_data": 1}]
        ):
            client.send({**frame, "callback": number})
            assert client.reply(number)["code"] == "handshake_required"
        client.send({"type": "publish", "room": room, "message": 1})
        client.expect_error("handshake_required")
        client.send({"type": "handshake", "channel": "default", "callback": 9})
        assert client.reply(9)["client_id"]
        client.subscribe(room)
        still_works(client, room)


@pytest.mark.parametrize(
    "fields, code",
    [({}, "missing_field"), ({"channel": 5}, "invalid_field"), ({"channel": None}, "missing_field"), ({"channel": "nowhere"}, "unknown_channel"),
     ({"channel": ""}, "unknown_channel"), ({"channel": "default", "heartbeat": 0}, "invalid_field"),
     ({"channel": "default", "resumable": "yes"}, "invalid_field"), ({"channel": "default", "resume": 7}, "invalid_field"),
     ({"channel": "default", "client_data": "x" * 9000}, "message_too_large")],
)  # fmt: skip
def test_bad_handshakes_leave_room_for_a_good_one(broker, fields, code):
    with Client(broker, handshake=False) as client:
        client.send_line(json.dumps({"type": "handshake", "callback": 0, **fields}))
        reply = client.reply(0)
        assert reply["code"] == code and reply["client_id"] == "" and isinstance(reply["error"], str)
        client.send({"type": "handshake", "channel": "default", "callback": 1})
        assert client.reply(1)["client_id"]


def test_two_handshakes(ann, room):
    ann.refused({"type": "handshake", "channel": "default"}, "already_connected")
    still_works(ann, room)
    ann.send({"type": "handshake", "channel": "default"})
    ann.expect_error("already_connected")
    still_works(ann, room)


def test_subscribing_twice(ann, room):
    assert "error" not in ann.ask({"type": "subscribe", "room": room})
    still_works(ann, room)
    assert len(ann.ask({"type": "rooms"})["rooms"]) == 1


def test_a_frame_full_of_rooms(ann, room):
    """As many as it may name; and again, as somebody would who wants to keep the loop busy."""
    names = [f"{room}-{number}" for number in range(1001)]
    ann.send_line(json.dumps({"type": "subscribe", "rooms": names, "callback": 9}))
    assert ann.reply(9)["code"] == "invalid_field"
    for _ in range(3):
        answers = ann.ask({"type": "subscribe", "rooms": names[:1000]})["rooms"]
        assert [answer.get("code") for answer in answers] == [None] * 999 + ["too_many_rooms"]
        assert not any("error" in answer for answer in ann.ask({"type": "unsubscribe", "rooms": names[:999]})["rooms"])
    still_works(ann, room)


def test_unsubscribing_from_where_one_is_not(ann, room):
    ann.refused({"type": "unsubscribe", "room": f"{room}-2"}, "not_subscribed")
    still_works(ann, room)


def test_a_publish_larger_than_the_limit(ann, room):
    large = "x" * 65_535
    ann.refused({"type": "publish", "room": room, "message": large}, "message_too_large")
    ann.send({"type": "publish", "room": room, "message": large})
    ann.expect_error("message_too_large", room=room)
    ann.publish(room, large[1:])
    ann.expect("publish")
    still_works(ann, room)


def test_too_large_member_data(ann, room):
    ann.refused({"type": "update", "client_data": "x" * 9000}, "message_too_large")
    still_works(ann, room)


def test_the_same_message_id_from_two_clients(connect, ann, room):
    bob, key = connect("Bob"), str(uuid.uuid4())
    first = ann.publish(room, "same", message_id=key)
    ann.expect("publish", message="same")
    again = bob.publish(room, "same", message_id=key)
    assert again["duplicate"] is True and (again["id"], again["sender"]) == (first["id"], ann.member)
    bob.refused({"type": "publish", "room": room, "message": "other", "message_id": key}, "message_id_conflict")
    assert ann.room_fence(room) == []
    still_works(ann, room)


REQUESTS = [
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: 70\r\n\r\n"
    b'{"type":"handshake","channel":"default","callback":0}\nmsg:from the web\n',
    b"OPTIONS * HTTP/1.0\r\n\r\n",
    # Longer than a read, and than what is looked at: a page can make its address as long as it likes.
    b"PUT /" + b"x" * 200_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nmsg:from the web\n",
    b"DELETE /no/end",
]


@pytest.mark.parametrize("request_bytes", REQUESTS, ids=lambda data: data.split()[0].decode())
def test_a_web_page_cannot_speak_to_the_rooms(broker, connect, text, request_bytes):
    watcher = connect("Watcher")
    watcher.subscribe("lobby")
    han = text().join(f"Han{uuid.uuid4().hex[:6]}")
    with Wire(broker.port) as page:
        page.send_bytes(request_bytes)
        page.half_close()
        answer = page.read_to_end()
    assert answer.startswith(b"HTTP/1.") and b" 4" in answer.split(b"\r\n")[0], answer[:200]
    assert watcher.room_fence("lobby") == []
    watcher.publish("lobby", "fence")
    assert han.line() == "Watcher: fence"


def test_a_tls_hello_gets_a_tls_alert(broker, connect, text):
    watcher = connect("Watcher")
    watcher.subscribe("lobby")
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", broker.port), timeout=PATIENCE) as plain:
        with pytest.raises(ssl.SSLError):
            context.wrap_socket(plain)
    with Wire(broker.port) as raw:
        hello = ssl.MemoryBIO()
        with pytest.raises(ssl.SSLWantReadError):
            context.wrap_bio(ssl.MemoryBIO(), hello).do_handshake()
        raw.send_bytes(hello.read())
        assert raw.read_to_end()[:2] == b"\x15\x03"
    assert watcher.room_fence("lobby") == []


def test_a_byte_order_mark_before_the_handshake(broker):
    with Client(broker, handshake=False) as client:
        client.note('{"type":"handshake","callback":0}')
        client.send_bytes(b'\xef\xbb\xbf \r\n\t{"type":"handshake","channel":"default","callback":0}\n')
        assert client.reply(0)["client_id"]


def test_terminal_escapes_in_json_stay_json(ann, connect, room):
    evil = connect("\u001b[31mred\u0007")
    evil.publish(room, "\u001b]0;title\u0007")
    heard = ann.expect("publish", message="\u001b]0;title\u0007", sender=evil.member)
    assert b"\x1b" not in ann.raw[heard["id"]]


def test_one_byte_after_the_other(broker, room):
    with Client(broker, "Drip") as drip:
        drip.subscribe(room)
        frame = json.dumps({"type": "publish", "room": room, "message": "drip drop", "callback": 5})
        drip.note(frame)
        for byte in frame.encode() + b"\n":
            drip.send_bytes(bytes([byte]))
        assert "error" not in drip.reply(5)


def test_a_half_closed_socket_gets_all_its_answers(broker, connect, observable):
    ann = connect("Ann")
    ann.subscribe(observable)
    ann.expect("observable_members")
    with Client(broker, "Half") as half:
        half.subscribe(observable)
        callbacks = [half.post({"type": "publish", "room": observable, "message": number}) for number in range(50)]
        half.half_close()
        assert all("error" not in half.reply(callback) for callback in callbacks)
        half.read_to_end()
        ann.expect("observable_member_join")
        ann.messages(50)
        ann.expect("observable_member_leave", data=half.member)


def test_connections_that_end_in_the_middle_of_everything(broker, connect, observable):
    ann = connect("Ann")
    ann.subscribe(observable)
    ann.expect("observable_members")
    for cut in range(0, 260, 13):
        lines = [
            {"type": "handshake", "channel": "default", "callback": 0}, {"type": "subscribe", "room": observable, "callback": 1},
            {"type": "publish", "room": observable, "message": "cut", "callback": 2}, {"type": "history", "room": observable, "callback": 3},
        ]  # fmt: skip
        wire = Wire(broker.port)
        wire.send_bytes("".join(json.dumps(line) + "\n" for line in lines).encode()[:cut])
        wire.reset() if cut % 2 else wire.close()
    present, deadline = {ann.id}, time.monotonic() + PATIENCE
    while ann.ask({"type": "members", "room": observable})["members"] != [ann.member] or present != {ann.id}:
        assert time.monotonic() < deadline, present
        for frame in ann.room_fence(observable):
            if frame["type"] == "observable_member_join":
                assert frame["data"]["id"] not in present
                present.add(frame["data"]["id"])
            elif frame["type"] == "observable_member_leave":
                present.remove(frame["data"]["id"])


def test_bad_lines_of_plain_text(text):
    leia, luke = text().join(f"L{uuid.uuid4().hex[:6]}"), text().join("Luke")
    assert leia.line() == "Luke has joined"
    for line, answer in [(b"msg:\xff\xfe", "UTF-8"), (b"x" * 200_000, "longer"), (b"msg:" + b"y" * 70_000, "the limit is"), (b'{"type":1}', "JSON")]:
        luke.send_bytes(line + b"\n")
        assert answer in luke.line()
    luke.send_bytes(b"\n\r\n\0\n")
    luke.say("msg:still here")
    assert luke.line() == leia.line() == "Luke: still here"


def test_an_endless_line_of_plain_text(broker, text):
    luke = text().join("Luke")
    try:
        for _ in range(20):
            luke.send_bytes(b"x" * (1 << 20))
    except (ConnectionResetError, BrokenPipeError):
        pass
    assert b"no newline" in luke.read_to_end()


def test_garbage(broker):
    for byte in range(256):
        with TextClient(broker) as client:
            client.send_bytes(bytes([byte]) * 100 + b"\n")
            client.half_close()
            client.read_to_end()
