"""Server-Sent Events down and POST up: sessions, streams for one room, bad input, and rooms with members of all kinds."""

import http.client
import json
import queue
import socket
import threading

import pytest

from broker import PATIENCE
from client import Client, TextClient, Wire
from events_client import PATH, EventsClient, EventStream, Refused, RoomStream
from rest import Rest
from tokens import token
from websocket_client import WebSocketClient

LARGE = "x" * 50_000
PAGE = "https://page.example"


@pytest.fixture
def events(broker):
    """Opens clients over event streams of the shared broker."""
    clients = []

    def events(name=None, **fields):
        clients.append(EventsClient(broker, name, **fields))
        return clients[-1]

    yield events
    for client in clients:
        client.close()
    for client in clients:
        client.check_no_holes()


# Sessions


def test_a_session_is_one_like_others(events, connect, observable):
    ann, bob = events("Ann"), connect("Bob")
    bob.subscribe(observable)
    bob.next()
    ann.subscribe(observable)
    ann.expect("observable_members", count=2)
    bob.expect("observable_member_join")
    ann.publish(observable, "by post")
    bob.publish(observable, "by line")
    for client in (ann, bob):
        assert [frame["message"] for frame in client.messages(2, observable)] == ["by post", "by line"]
    ann.ask({"type": "unsubscribe", "room": observable})
    bob.expect("observable_member_leave")
    assert ann.ask({"type": "rooms"})["rooms"] == []


def test_frames_keep_their_order_within_and_between_posts(events, connect, room):
    ann, bob = events("Ann"), connect("Bob")
    bob.subscribe(room)
    number = 0
    for count in (1, 40, 1, 7):
        ann.send_lines(*({"type": "publish", "room": room, "message": number + each} for each in range(count)))
        number += count
    assert [frame["message"] for frame in bob.messages(number, room)] == list(range(number))


def test_a_post_is_answered_when_its_frames_are_taken(events, room):
    """A query waits for the one before it, and the POST for the query; what comes by another connection waits behind."""
    ann = events("Ann")
    ann.subscribe(room)
    frames = [{"type": "history", "room": room, "callback": 500 + each} for each in range(20)]
    ann.send_lines(*frames)
    for each in range(20):
        assert ann.reply(500 + each)["messages"] == []


def test_the_head_tells_proxies_to_pass_it_on(broker):
    with EventStream(broker.http_port, headers={"Origin": PAGE}) as stream:
        assert stream.answered["access-control-allow-origin"] == PAGE and stream.answered["vary"] == "Origin"
        assert stream.answered["x-content-type-options"] == "nosniff" and "date" in stream.answered
        name, data = stream.event()
        assert name == "session" and set(json.loads(data)) == {"session"}


def test_a_stream_without_handshake_ends(start):
    broker = start("--handshake-timeout", "200ms")
    with EventStream(broker.http_port) as stream:
        assert stream.event()[0] == "session"
        assert json.loads(stream.event()[1])["code"] == "handshake_timeout"
        assert stream.event() is None


def test_a_session_is_resumed_over_another_stream(events, connect, observable):
    bob = connect("Bob")
    bob.subscribe(observable)
    bob.next()
    ann = events("Ann", resumable=True)
    epoch = ann.subscribe(observable)["epoch"]
    bob.expect("observable_member_join")
    ann.reset()
    missed = bob.publish(observable, "missed")
    again = events("Ann", resumable=True, resume=ann.welcome["resume_token"])
    assert again.welcome["resumed"] is True and again.id == ann.id
    assert again.subscribe(observable, since={"epoch": epoch, "seq": missed["seq"] - 1})["recovered"] is True
    again.expect("observable_members", count=2)
    assert again.expect("publish")["id"] == missed["id"]
    assert [frame["message"] for frame in bob.fence()] == ["missed"]


def test_replaced_is_told_and_its_secret_is_no_more(events):
    ann = events("Ann", resumable=True)
    events("Ann", resumable=True, resume=ann.welcome["resume_token"])
    ann.goodbye("replaced")
    status, problem = ann.post_body('{"type":"ping"}')
    assert (status, problem["code"]) == (404, "unknown_session")


def test_a_second_stream_is_another_session(events):
    ann, bea = events("Ann"), events("Bea")
    assert ann.secret != bea.secret and ann.id != bea.id
    ann.close()
    bea.ask({"type": "ping"})


def test_after_the_client_has_gone_its_secret_is_no_more(broker, connect, observable):
    bob = connect("Bob")
    bob.subscribe(observable)
    bob.next()
    ann = EventsClient(broker, "Ann")
    ann.subscribe(observable)
    bob.expect("observable_member_join")
    ann.half_close()
    bob.expect("observable_member_leave")
    assert ann.read_to_end() is not None
    status, problem = ann.post_body('{"type":"ping"}')
    assert (status, problem["code"]) == (404, "unknown_session")
    ann.close()


def test_comments_keep_a_silent_stream_alive(start):
    broker = start("--websocket-ping", "1s")
    with EventsClient(broker, "Ann") as ann:
        for _ in range(2):
            while Wire.read_line(ann) != b": ping":
                pass
        ann.ask({"type": "ping"})


def test_a_shutdown_is_told(start, room):
    broker = start()
    with EventsClient(broker, "Ann") as ann, RoomStream(broker, room) as stream:
        ann.subscribe(room)
        assert stream.next()["callback"] == 0
        assert broker.terminate() == 0
        ann.goodbye("shutting_down")
        goodbye = stream.next()
        assert goodbye["type"] == "goodbye" and stream.retry == goodbye["retry_after_ms"]
        assert stream.next() is None


# Streams for one room


def test_a_stream_for_one_room(broker, connect, room):
    bob = connect("Bob")
    bob.publish(room, "one")
    epoch = bob.publish(room, "two") and bob.subscribe(room)["epoch"]
    with RoomStream(broker, room, history=1, name="Ann") as stream:
        reply = stream.next()
        assert (reply["callback"], reply["epoch"], reply["seq"]) == (0, epoch, 2)
        (frame,) = stream.messages(1)
        assert frame["type"] == "history_message" and frame["message"] == "two" and stream.last_event_id == f"{epoch}:2"
        bob.publish(room, "three")
        bob.publish(room, {"typing": True}, ephemeral=True)
        three, typing = stream.messages(2)
        assert three["message"] == "three" and typing["message"] == {"typing": True}
        # what is not in the log is no place to come back to
        assert stream.last_event_id == f"{epoch}:3" and stream.retry == 2000
    bob.messages(2)


def test_its_name_is_shown(broker, connect, observable):
    bob = connect("Bob")
    bob.subscribe(observable)
    bob.next()
    with RoomStream(broker, observable, name="Ann & Co"):
        joined = bob.expect("observable_member_join")
        assert joined["data"]["clientData"] == {"name": "Ann & Co"}
    bob.expect("observable_member_leave")


def test_it_is_shown_who_is_there_if_it_asks(broker, connect, room):
    bob = connect("Bob")
    bob.subscribe(room)
    with RoomStream(broker, room, name="Ann", presence="true") as ann, RoomStream(broker, room) as silent:
        members = ann.next()
        assert members["type"] == "observable_members" and bob.member in members["data"]
        assert ann.next()["presence"] is True and "presence" not in silent.next()
        bob.publish(room, "hello")
        while (frame := ann.next())["type"] != "publish":
            assert frame["type"] == "observable_member_join"
        assert silent.next()["message"] == "hello"
    assert bob.messages(1)[0]["message"] == "hello"


def test_last_event_id_resumes_exactly(broker, connect, room):
    bob = connect("Bob")
    with RoomStream(broker, room) as stream:
        stream.next()
        # before any message, the mark behind the answer is the place
        sent = [bob.publish(room, number) for number in range(3)]
        assert [frame["message"] for frame in stream.messages(3)] == [0, 1, 2]
        place = stream.last_event_id
    more = [bob.publish(room, number) for number in range(3, 8)]
    with RoomStream(broker, room, last_event_id=place, history=1) as stream:
        assert stream.next()["recovered"] is True
        frames = stream.messages(5)
        assert [frame["id"] for frame in frames] == [reply["id"] for reply in more]
        assert all(frame["type"] == "publish" for frame in frames)
    with RoomStream(broker, room, since=f"{place.split(':')[0]}:0") as stream:
        assert stream.next()["recovered"] is True
        assert [frame["id"] for frame in stream.messages(8)] == [reply["id"] for reply in (*sent, *more)]


@pytest.mark.parametrize("channel", ["default", "fleeting"])
def test_the_first_place_is_told_before_any_message(broker, room, channel):
    """Whoever goes at once after the answer misses nothing when it comes back."""
    with Client(broker, "Bob", channel=channel) as bob:
        bob.subscribe(room)
        with RoomStream(broker, room, channel=channel) as stream:
            epoch = stream.next()["epoch"]
            bob.publish(room, {"typing": True}, ephemeral=True)
            stream.messages(1)
            place = stream.last_event_id
        assert place == f"{epoch}:0"
        bob.publish(room, "missed")
        with RoomStream(broker, room, channel=channel, last_event_id=place) as stream:
            assert stream.next()["recovered"] is True
            assert stream.messages(1)[0]["message"] == "missed"
        bob.messages(2)


def test_a_kill_of_the_broker(start, room):
    broker = start("--channel", "default,history=1000")
    with Client(broker, "Bob") as bob, RoomStream(broker, room) as stream:
        stream.next()
        for number in range(5):
            bob.publish(room, number)
        stream.messages(3)
        place = stream.last_event_id
        broker.kill()
    broker = start("--channel", "default,history=1000")
    with Client(broker, "Bob") as bob, RoomStream(broker, room, last_event_id=place) as stream:
        bob.publish(room, 5)
        assert stream.next()["recovered"] is True
        assert [frame["message"] for frame in stream.messages(3)] == [3, 4, 5]


def test_a_gap_is_told_and_is_a_place(broker, room):
    with Client(broker, "Bob", channel="short") as bob:
        with RoomStream(broker, room, channel="short") as stream:
            epoch = stream.next()["epoch"]
        for number in range(25):
            bob.publish(room, number)
        with RoomStream(broker, room, channel="short", last_event_id=f"{epoch}:0") as stream:
            assert stream.next()["recovered"] is False
            gap = stream.next()
            assert (gap["type"], gap["reason"], gap["from_seq"]) == ("gap", "trimmed", 1)
            first, *rest = stream.messages(25 - gap["to_seq"])
            assert first["seq"] == gap["to_seq"] + 1 and stream.last_event_id == f"{epoch}:25"
    for place in ("0000000000000000:7", "nonsense"):
        with RoomStream(broker, room, channel="short", last_event_id=place) as stream:
            assert stream.next()["recovered"] is False
            assert stream.next()["reason"] == "epoch"
            # The mark behind the gap is taken in with what follows.
            with Client(broker, "Bob", channel="short") as bob:
                bob.publish(room, {"typing": True}, ephemeral=True)
            stream.messages(1)
            assert stream.last_event_id == f"{epoch}:25"


MODERATOR = {".*": {"publish": True, "subscribe": True, "history": 100, "moderate": True}}


def test_redactions_clears_and_kicks(broker, room):
    mod = Client(broker, "Mod", channel="ajar", token=token(broker, "ajar", permissions=MODERATOR))
    with mod, RoomStream(broker, room, channel="ajar", name="Ann") as stream:
        epoch = stream.next()["epoch"]
        mod.publish(room, "secret")
        mod.ask({"type": "moderate", "room": room, "action": "redact", "target_seq": 1})
        (secret,) = stream.messages(1)
        assert stream.next()["type"] == "message_redacted" and stream.last_event_id == f"{epoch}:2"
        with RoomStream(broker, room, channel="ajar", last_event_id=f"{epoch}:0") as late:
            late.next()
            assert late.messages(1)[0]["message"] is None and late.next()["target_seq"] == 1
        cleared = mod.ask({"type": "moderate", "room": room, "action": "clear"})
        assert stream.next()["type"] == "room_cleared"
        mod.publish(room, "anew")
        (frame,) = stream.messages(1)
        assert stream.last_event_id == f"{cleared['epoch']}:1"
        members = Rest(broker)
        ids = members.call("GET", f"/ajar/{room}/members").body
        (ann,) = json.loads(ids) if isinstance(ids, (str, bytes)) else ids
        mod.ask({"type": "moderate", "room": room, "action": "kick", "client_id": ann, "reason": "enough"})
        assert stream.next()["type"] == "removed"
        assert stream.next()["code"] == "kicked" and stream.next() is None


def test_a_ban_ends_a_stream_for_one_room_and_takes_a_session_out(broker, room):
    mod = Client(broker, "Mod", channel="ajar", token=token(broker, "ajar", permissions=MODERATOR))
    user = token(broker, "ajar", data="u7", permissions=MODERATOR)
    bearer = {"Authorization": f"Bearer {user}"}
    with mod, RoomStream(broker, room, channel="ajar", headers=bearer) as stream:
        stream.next()
        with EventsClient(broker, "Ann", channel="ajar", token=user) as ann:
            ann.subscribe(room)
            mod.ask({"type": "moderate", "room": room, "action": "ban", "user": "u7", "reason": "spam"})
            assert stream.next()["type"] == "removed"
            assert stream.next()["code"] == "banned" and stream.next() is None
            ann.expect("removed", room=room, code="banned")
            ann.refused({"type": "subscribe", "room": room}, "banned")
        with pytest.raises(Refused) as refused:
            RoomStream(broker, room, channel="ajar", headers=bearer)
        assert (refused.value.status, refused.value.code) == (403, "banned")


@pytest.mark.parametrize(
    "parameters, headers, status, code",
    [
        ({"channel": "nowhere", "room": "r"}, {}, 404, "unknown_channel"),
        ({"channel": "default"}, {}, 400, "missing_field"),
        ({"room": "r"}, {}, 400, "missing_field"),
        ({"channel": "default", "room": ""}, {}, 400, "room_name_invalid"),
        ({"channel": "default", "room": "r", "since": "7"}, {}, 400, "invalid_field"),
        ({"channel": "default", "room": "r", "history": "-1"}, {}, 400, "invalid_field"),
        ({"channel": "default", "room": "r", "overflow": "x"}, {}, 400, "invalid_field"),
        ({"channel": "default", "room": "r", "presence": "yes"}, {}, 400, "invalid_field"),
        ({"channel": "default", "room": "r", "name": "n" * 9000}, {}, 413, "message_too_large"),
        ({"channel": "default", "room": "r", "token": "t"}, {}, 400, "unknown_field"),
        ({"channel": "closed", "room": "r"}, {}, 401, "authentication_required"),
        ({"channel": "closed", "room": "r"}, {"Authorization": "Bearer a.b.c"}, 401, "token_invalid"),
        ({"channel": "closed", "room": "r"}, {"Authorization": "Basic eDp5"}, 401, "token_invalid"),
    ],
)
def test_what_cannot_be_is_refused_in_http(broker, parameters, headers, status, code):
    """A browser's EventSource does not come back then."""
    with pytest.raises(Refused) as refused:
        EventStream(broker.http_port, parameters=parameters, headers={**headers, "Origin": PAGE})
    assert (refused.value.status, refused.value.code) == (status, code)
    assert refused.value.headers["access-control-allow-origin"] == PAGE


def test_the_metrics_tell_streams_from_refusals(start):
    broker = start()
    with pytest.raises(Refused):
        EventStream(broker.http_port, parameters={"channel": "nowhere", "room": "r"})
    with RoomStream(broker, "r") as stream:
        assert stream.next()["callback"] == 0
        web = http.client.HTTPConnection("127.0.0.1", broker.http_port, timeout=PATIENCE)
        web.request("GET", "/metrics")
        text = web.getresponse().read().decode()
        web.close()
    for status in (200, 404):
        assert f'roomline_http_requests_total{{method="GET",route="/v3/events",status="{status}"}} 1\n' in text


def test_a_token_and_its_permissions(broker, room):
    bearer = {"Authorization": "Bearer " + token(broker, "closed", permissions={"^open$": {"subscribe": True}})}
    with RoomStream(broker, "open", channel="closed", headers=bearer) as stream:
        assert stream.next()["callback"] == 0
    with pytest.raises(Refused) as refused:
        RoomStream(broker, room, channel="closed", headers=bearer)
    assert (refused.value.status, refused.value.code) == (403, "permission_denied")


def test_pages_of_other_origins(administered, admin, room):
    broker = administered
    assert admin.call("POST", "/channels", {"id": "listed", "allowed_origins": [PAGE]}).status == 201
    with RoomStream(broker, room, channel="listed", headers={"Origin": PAGE}) as stream:
        assert stream.next()["callback"] == 0
    with pytest.raises(Refused) as refused:
        RoomStream(broker, room, channel="listed", headers={"Origin": "https://evil.example"})
    assert (refused.value.status, refused.value.code) == (403, "permission_denied")
    evil = EventsClient(broker, handshake=False, headers={"Origin": "https://evil.example"})
    assert evil.request({"type": "handshake", "channel": "listed"})["code"] == "permission_denied"
    evil.close()


def test_a_preflight_is_answered(broker):
    with Rest(broker) as web:
        answer = web.call(
            "OPTIONS", PATH, Origin=PAGE, Access_Control_Request_Method="POST", Access_Control_Request_Headers="roomline-session"
        )
        assert answer.status == 204
        headers = {name.lower(): value for name, value in dict(answer.headers).items()}
        assert headers["access-control-allow-origin"] == PAGE and "Roomline-Session" in headers["access-control-allow-headers"]
        assert "access-control-allow-credentials" not in headers


# Bad input


@pytest.mark.parametrize(
    "headers, body, status, code",
    [
        ({"Roomline-Session": None}, "{}", 400, "missing_field"),
        ({"Roomline-Session": "0.0.0"}, "{}", 404, "unknown_session"),
        ({"Roomline-Session": "x" * 5000}, "{}", 404, "unknown_session"),
        ({"Roomline-Session": "99.1.1"}, "{}", 404, "unknown_session"),
        ({"Content-Type": "text/plain"}, "{}", 415, "unsupported_media_type"),
        ({"Content-Type": None}, "{}", 415, "unsupported_media_type"),
        ({}, '"' + "x" * 140_000 + '"', 413, "line_too_long"),
        ({}, "x" * 300_000, 413, "message_too_large"),
    ],
)
def test_a_post_that_cannot_be_taken(events, neighbours, headers, body, status, code):
    ann = events("Ann")
    answer, problem = ann.post_body(body, **{"content_type": headers.get("Content-Type", "application/json"), **{k: v for k, v in headers.items() if k != "Content-Type"}})  # fmt: skip
    assert (answer, problem["code"]) == (status, code)
    ann.web.close()
    ann.ask({"type": "ping"})


def test_a_post_of_ten_megabytes(broker, events, neighbours):
    ann = events("Ann")
    with socket.create_connection(("127.0.0.1", broker.http_port), timeout=PATIENCE) as connection:
        head = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nRoomline-Session: {ann.secret}\r\n"
        connection.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 10485760\r\n\r\n".encode())
        answer = connection.recv(65536)
    assert answer.startswith(b"HTTP/1.1 413 ")
    ann.ask({"type": "ping"})


def test_a_post_with_bad_json_is_answered_in_the_stream(events):
    ann = events("Ann")
    for body, code in (("nonsense", "malformed_json"), ("[]", "malformed_json"), (b"\"\xff\"", "invalid_utf8"), ('{"type":"x"}', "unknown_type")):
        assert ann.post_body(body) == (204, None)
        ann.expect_error(code)
    for body in ("", " \n\r\n", "\n\n\n"):
        assert ann.post_body(body, "application/jsonl") == (204, None)
    assert ann.post_body('nonsense\n{"type":"ping"}\n' + "x" * 131_073, "application/x-ndjson") == (204, None)
    ann.expect_error("malformed_json")
    ann.expect("pong")
    ann.expect_error("line_too_long")
    # a frame may stand on more than one line where it is alone
    assert ann.post_body('{\n"type":\n"ping"\n}') == (204, None)
    ann.expect("pong")


def test_a_post_that_comes_byte_by_byte_hurts_nobody(broker, events, neighbours):
    ann = events("Ann")
    with socket.create_connection(("127.0.0.1", broker.http_port), timeout=PATIENCE) as slow:
        head = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nRoomline-Session: {ann.secret}\r\nContent-Type: application/json\r\n"
        slow.sendall(f"{head}Content-Length: 15\r\n\r\n".encode())
        body = b'{"type":"ping"}'
        for byte in body[:3]:
            slow.sendall(bytes([byte]))
            # the other posts of the session do not wait for it
            ann.ask({"type": "ping"})
        slow.sendall(body[3:])
        assert slow.recv(65536).startswith(b"HTTP/1.1 204 ")
    ann.expect("pong")


def test_too_many_bad_frames_end_the_session(start):
    broker = start("--bad-frame-rate", "1")
    with EventsClient(broker, "Ann") as ann:
        status, problem = ann.post_body("\n".join(["nonsense"] * 30), "application/jsonl")
        assert (status, problem["code"]) == (404, "unknown_session")
        errors, goodbye = ann.goodbye("rate_limited")
        assert len(errors) == 10


def test_nothing_may_follow_the_request(broker):
    with EventStream(broker.http_port) as stream:
        stream.event()
        stream.send_bytes(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert json.loads(stream.event()[1])["code"] == "wrong_protocol"
        assert stream.event() is None


def test_a_request_with_a_body_is_refused(broker):
    with socket.create_connection(("127.0.0.1", broker.http_port), timeout=PATIENCE) as connection:
        connection.sendall(f"GET {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{{}}".encode())
        assert connection.recv(65536).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "HEAD"])
def test_other_methods(broker, method):
    connection = http.client.HTTPConnection("127.0.0.1", broker.http_port, timeout=PATIENCE)
    connection.request(method, PATH)
    answer = connection.getresponse()
    assert answer.status == 405 and answer.headers["Allow"] == "GET, OPTIONS, POST"
    connection.close()


# Slow readers, and all wire formats together


def test_a_stream_that_reads_nothing_delays_nobody(broker, events, connect, neighbours, room):
    slow = events("Slow", receive_buffer=4096)
    slow.subscribe(room)
    quick, bob = events("Quick"), connect("Bob")
    for client in (quick, bob):
        client.subscribe(room)
    for number in range(120):
        (quick, bob)[number % 2].publish(room, f"{number} {LARGE}")
        for listener in (quick, bob):
            listener.expect("publish", room=room)
    assert [int(frame["message"].split()[0]) for frame in slow.messages(120, room)] == list(range(120))


def test_posts_wait_while_replies_are_not_read(broker, events, neighbours):
    """So the broker keeps no more of them than of other clients; those beyond 256 KiB that wait are refused."""
    ann = events("Ann", receive_buffer=4096)
    answered, outcomes = queue.SimpleQueue(), []

    def post():
        web = http.client.HTTPConnection("127.0.0.1", broker.http_port, timeout=PATIENCE)
        lines = "\n".join(['{"type":"ping"}'] * 12_000)
        web.request("POST", PATH, lines, {"Roomline-Session": ann.secret, "Content-Type": "application/jsonl"})
        answer = web.getresponse()
        answered.put(answer.status)
        answer.read()
        web.close()

    threads = [threading.Thread(target=post) for _ in range(40)]
    for thread in threads:
        thread.start()
    while 429 not in outcomes:
        outcomes.append(answered.get(timeout=PATIENCE))
    ann.close()
    outcomes += [answered.get(timeout=PATIENCE) for _ in range(40 - len(outcomes))]
    for thread in threads:
        thread.join(PATIENCE)
    assert set(outcomes) <= {204, 404, 429}, outcomes
    assert 404 in outcomes


def test_members_of_all_kinds_see_one_order(start):
    broker = start("--channel", "default,history=1000", "--text-room", "lobby", "--text-channel", "default", "--loops", "3")
    with (
        Client(broker, "Lines") as lines,
        WebSocketClient(broker, "Socket") as websocket,
        EventsClient(broker, "Events") as events,
        TextClient(broker) as text,
        RoomStream(broker, "lobby") as stream,
    ):
        stream.next()
        text.join("Text")
        members = (lines, websocket, events)
        for member in members:
            member.subscribe("lobby")
        waiting = []
        for number in range(60):
            for member in members:
                callback = member.post({"type": "publish", "room": "lobby", "message": f"{number} {'y' * (number * 37)}"})
                waiting.append((member, callback))
        for member, callback in waiting:
            assert "error" not in member.reply(callback)
        orders = [[frame["id"] for frame in member.messages(180, "lobby")] for member in members]
        assert orders[0] == orders[1] == orders[2]
        # The frames themselves are the same bytes.
        assert [lines.raw[id] for id in orders[0]] == [events.raw[id] for id in orders[0]]
        assert [frame["id"] for frame in stream.messages(180)] == orders[0]
        websocket.leave()


def test_over_tls(start, certificate, room):
    import ssl

    broker = start("--tls-certificate", str(certificate[0]), "--tls-key", str(certificate[1]))
    context = ssl.create_default_context(cafile=str(certificate[0]))
    web = http.client.HTTPSConnection("localhost", broker.http_port, timeout=PATIENCE, context=context)
    stream = http.client.HTTPSConnection("localhost", broker.http_port, timeout=PATIENCE, context=context)
    stream.request("GET", f"{PATH}?channel=default&room={room}")
    answer = stream.getresponse()
    assert answer.status == 200
    while not answer.fp.readline().startswith(b"data: {\"callback\":0"):
        pass
    session = http.client.HTTPSConnection("localhost", broker.http_port, timeout=PATIENCE, context=context)
    session.request("GET", PATH)
    secret = None
    events = session.getresponse()
    while secret is None:
        line = events.fp.readline()
        if line.startswith(b"data: "):
            secret = json.loads(line[6:])["session"]
    frames = [{"type": "handshake", "channel": "default"}, {"type": "publish", "room": room, "message": "hello"}]
    web.request("POST", PATH, "\n".join(map(json.dumps, frames)), {"Roomline-Session": secret, "Content-Type": "application/jsonl"})
    assert web.getresponse().status == 204
    while not (line := answer.fp.readline()).startswith(b'data: {"type":"publish"'):
        pass
    assert json.loads(line[6:])["message"] == "hello"
    for connection in (web, stream, session):
        connection.close()


# Browsers

SOURCE = """
window.seen = [];
window.source = new EventSource(arguments[0]);
window.source.onmessage = (event) => window.seen.push([JSON.parse(event.data).message ?? null, event.lastEventId]);
"""

LIFE = """
const done = arguments[0];
import("/roomline.js").then(async ({ Roomline }) => {
  const client = new Roomline({ transport: "events", data: { name: "Ann" } });
  const room = await client.join("lobby");
  for (let number = 0; number < 3; number += 1) await room.publish(number);
  const seen = [];
  for await (const event of room) {
    if (event.type === "message") seen.push(event.value);
    if (seen.length === 3) break;
  }
  client.close();
  done(seen);
}).catch((error) => done(String(error)));
"""


def test_the_event_source_of_a_browser_comes_back_by_itself(start, browser):
    broker = start("--channel", "default,history=1000")
    browser.open(broker)
    browser.expected += ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE"]
    browser.run(SOURCE, f"{PATH}?channel=default&room=lobby&name=Ann")
    browser.wait(lambda: browser.run("return window.seen.length") == 1, "the reply")
    with Client(broker, "Bob") as bob:
        for number in range(3):
            bob.publish("lobby", number)
    browser.wait(lambda: browser.run("return window.seen.length") == 4, "three messages")
    broker.kill()
    ports = {"tcp": f"127.0.0.1:{broker.port}", "http": f"127.0.0.1:{broker.http_port}"}
    broker = start("--channel", "default,history=1000", **ports)
    with Client(broker, "Bob") as bob:
        for number in range(3, 6):
            bob.publish("lobby", number)
    browser.wait(lambda: browser.run("return window.seen.length") == 8, "the reply and what was missed")
    seen = browser.run("return window.seen")
    assert [message for message, _ in seen if message is not None] == list(range(6))
    assert [place.split(":")[1] for message, place in seen if message is not None] == [str(number + 1) for number in range(6)]
    browser.run("window.source.close()")


def test_roomline_js_by_events_in_a_browser(start, browser):
    broker = start("--channel", "default,history=1000")
    browser.open(broker)
    assert browser.driver.execute_async_script(LIFE) == [0, 1, 2]
