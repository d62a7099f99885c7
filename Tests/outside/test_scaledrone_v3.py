"""What stock Scaledrone clients send, in their own frames, and what they break on if it comes otherwise.

Each test speaks as one family of clients does: JavaScript 1.5.0, Java 0.7.0, Swift 0.5.3 and 0.3.0, the Go and Dart
clients, an aiortc script. Nothing in here uses what Roomline adds. docs/protocol.md has the frames; the comments here
name what the client does with them.
"""

import json
import random
import re
import time
import uuid

import pytest

import rest
import tokens

from broker import PATIENCE
from rest import Rest
from websocket_client import WebSocketClient

JAVASCRIPT = {"Origin": "http://app.example"}
NODE = {"Origin": "http://websocket.org", "Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}
JAVA = {"User-Agent": "okhttp/4.9.0", "Accept-Encoding": "gzip", "Connection": "Upgrade"}
SWIFT = {
    "Origin": "ws://127.0.0.1:10001",
    "Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits; server_max_window_bits=15",
}


class Stock(WebSocketClient):
    """A client that sends frames as they stand in a stock client's log. `opens`: the callback of its handshake."""

    def __init__(self, broker, channel="default", *, opens=0, headers=None, binary=False, data=None, extra=None, keys=None):
        self.keys = keys
        super().__init__(broker, handshake=False, headers=headers, binary=binary)
        fields = {} if data is None else {"client_data": data}
        self.write({"type": "handshake", "channel": channel, **fields, **(extra or {}), "callback": opens})
        self.welcome = self.answer(opens)
        self.id = self.welcome.get("client_id")
        self.member = {"id": self.id, **({} if data is None else {"clientData": data})}

    def write(self, *frames):
        """Sends the frames without waiting; with `keys`, a random source, in any order of the keys."""
        for frame in frames:
            if self.keys:
                names = list(frame)
                self.keys.shuffle(names)
                frame = {name: frame[name] for name in names}
            self.send(frame)

    def answer(self, callback):
        """The one reply to a callback, with what a stock client looks for."""
        reply = self.reply(callback)
        assert reply["callback"] == callback and type(reply["callback"]) is int
        # Presence of `error` is what some test, and `client_id` makes others authenticate anew.
        assert "error" not in reply or isinstance(reply["error"], str)
        assert "type" not in reply
        return reply

    def done(self, callback):
        reply = self.answer(callback)
        assert "error" not in reply and "client_id" not in reply and "require_auth" not in reply, reply

    def ask_as(self, frame):
        """Sends a frame with a callback of its own, and expects success."""
        self.write(frame)
        self.done(frame["callback"])

    def nothing_more(self):
        """Nothing has come that was not asked for: no second reply, no frame of another room."""
        self.ping(b"nothing more")
        self.expect_pong(b"nothing more")
        assert not self.inbox and not self.replies, (self.inbox, self.replies)

    def message(self, room, message, **fields):
        frame = self.expect("publish", room=room, message=message, **fields)
        assert isinstance(frame["id"], str) and type(frame["timestamp"]) is int and abs(frame["timestamp"] - time.time()) < 60
        return frame


@pytest.fixture
def stock(broker):
    """Opens stock clients of the shared broker; none may be left with something that it did not ask for."""
    clients = []

    def stock(*arguments, **options):
        clients.append(Stock(options.pop("broker", broker), *arguments, **options))
        return clients[-1]

    yield stock
    for client in clients:
        client.close()


def javascript(stock, channel="default", data=None, **options):
    """It sends `client_data` in any case, and a version that is not ours."""
    return stock(channel, headers=options.pop("headers", JAVASCRIPT), extra={"version": 2, "client_data": data}, data=data, **options)


def java(stock, channel="default", data=None, **options):
    return stock(channel, headers=JAVA, data=data, **options)


def swift(stock, channel="default", data=None, **options):
    """Binary messages, callbacks from 1, keys in any order."""
    return stock(channel, headers=SWIFT, data=data, opens=1, binary=True, keys=random.Random(7), **options)


# The life of each family


def test_javascript(stock, observable):
    """Handshake 0, subscribe 1 with a history; publish and unsubscribe have no callback, and get no reply."""
    ann = javascript(stock, data={"name": "Ann", "color": "#ff0000"})
    assert ann.welcome["client_id"] and "error" not in ann.welcome and "require_auth" not in ann.welcome
    ann.ask_as({"type": "subscribe", "room": observable, "history": 5, "history_count": 5, "callback": 1})
    assert ann.expect("observable_members", room=observable)["data"] == [ann.member]
    ann.write({"type": "publish", "room": observable, "message": {"hello": True}})
    frame = ann.message(observable, {"hello": True}, client_id=ann.id)
    bob = javascript(stock, data={"name": "Bob"}, headers=NODE)
    bob.ask_as({"type": "subscribe", "room": observable, "callback": 1})
    assert bob.expect("observable_members", room=observable)["data"] == [bob.member, ann.member]
    assert ann.expect("observable_member_join", room=observable)["data"] == bob.member
    ann.write({"type": "publish", "room": observable, "message": "again"})
    for client in (ann, bob):
        client.message(observable, "again", client_id=ann.id)
    ann.write({"type": "unsubscribe", "room": observable})
    # The whole member, by whose name the tutorial says who left.
    assert bob.expect("observable_member_leave", room=observable)["data"] == ann.member
    bob.write({"type": "publish", "room": observable, "message": "alone"})
    bob.message(observable, "alone")
    ann.nothing_more()
    bob.nothing_more()
    late = javascript(stock)
    late.ask_as({"type": "subscribe", "room": observable, "history": 2, "history_count": 2, "callback": 1})
    late.expect("observable_members")
    told = [late.expect("history_message", room=observable, index=index) for index in (0, 1)]
    assert [entry["message"] for entry in told] == ["again", "alone"]
    assert told[0]["id"] != frame["id"]
    assert bob.expect("observable_member_join")["data"] == late.member
    assert ann.leave(None) == bob.leave(None) == []


def test_java(stock, room):
    """Callbacks from 0, unsubscribe with one; a second reply would kill the client, and so would an unknown room."""
    ann = java(stock, data={"name": "Ann"})
    ann.ask_as({"type": "subscribe", "room": room, "callback": 1, "history_count": 10, "history": 10})
    ann.write({"type": "publish", "room": room, "message": {"text": "hi", "number": 1}})
    ann.message(room, {"text": "hi", "number": 1}, client_id=ann.id)
    ann.ask_as({"type": "unsubscribe", "room": room, "callback": 2})
    ann.write({"type": "publish", "room": room, "message": "after"})
    ann.ask_as({"type": "subscribe", "room": room, "callback": 3})
    ann.nothing_more()
    assert ann.leave(1000, b"") == []


@pytest.mark.parametrize("version", ["0.5.3", "0.3.0"])
def test_swift(stock, observable, version):
    """Both history keys always, 0 for none; the answers are text frames."""
    history = {"history_count": 0, "history": 0} if version == "0.5.3" else {}
    ann = swift(stock, data={"name": "Ann", "color": "#00ff00"})
    ann.ask_as({"type": "subscribe", "room": observable, "callback": 2, **history})
    members = ann.expect("observable_members", room=observable)["data"]
    assert members == [ann.member] and all(isinstance(member["id"], str) for member in members)
    for message in ("hello", {"a": [1, 2.5, None]}, [True], 7, True, "123", None):
        ann.write({"type": "publish", "room": observable, "message": message})
        frame = ann.message(observable, message)
        # true stays true, and 7 is no 7.0
        assert json.dumps(frame["message"]) == json.dumps(message)
    ann.nothing_more()
    assert ann.leave(1000) == []


def test_dart(stock, room):
    """Handshake and subscribe at once, history_count alone, an unsubscribe with callback, and a pong that nobody asked for."""
    ann = stock(opens=0)
    ann.write({"type": "pong"}, {"type": "subscribe", "room": room, "history_count": 3, "callback": 1}, {"type": "pong"})
    ann.done(1)
    ann.ask_as({"type": "publish", "room": room, "message": "hi", "callback": 2})
    ann.message(room, "hi")
    ann.ask_as({"type": "unsubscribe", "room": room, "callback": 3})
    ann.nothing_more()
    assert ann.leave() == []


def test_aiortc(broker, observable):
    """It writes all that it has to say before it reads anything."""
    with WebSocketClient(broker, handshake=False) as ann:
        ann.send({"type": "handshake", "channel": "default", "client_data": {"name": "aiortc"}, "callback": 0})
        ann.send({"type": "subscribe", "room": observable, "callback": 1})
        ann.send({"type": "publish", "room": observable, "message": {"sdp": "offer"}})
        ann.send({"type": "publish", "room": observable, "message": {"candidate": 1}})
        texts = [json.loads(ann.read_line()) for _ in range(5)]
        assert [frame.get("callback", frame.get("type")) for frame in texts] == [0, "observable_members", 1, "publish", "publish"]
        assert texts[1]["data"] == [{"id": texts[0]["client_id"], "clientData": {"name": "aiortc"}}]
        assert [frame["message"] for frame in texts[3:]] == [{"sdp": "offer"}, {"candidate": 1}]


def test_unofficial_clients(stock, room):
    """Those with `history` alone; one closes with a code of its own."""
    first = stock()
    first.write(*({"type": "publish", "room": room, "message": number} for number in range(5)))
    first.ask_as({"type": "subscribe", "room": room, "callback": 1000})
    old = stock(opens=1000)
    old.ask_as({"type": "subscribe", "room": room, "history": 3, "callback": 1001})
    assert [old.expect("history_message", index=index)["message"] for index in range(3)] == [2, 3, 4]
    assert old.leave(4000, b"setup_failed") == []


# Callbacks


@pytest.mark.parametrize("callbacks", [(0, 1, 2), (1, 2, 3), (1000, 7, 42), (5, 3, 4), (0, -1, 2**53), (3, 3, 3)], ids=str)
def test_callbacks_are_what_the_client_says(stock, room, callbacks):
    opens, subscribes, publishes = callbacks
    ann = stock(opens=opens)
    ann.ask_as({"type": "subscribe", "room": room, "callback": subscribes})
    ann.ask_as({"type": "publish", "room": room, "message": "hi", "callback": publishes})
    ann.message(room, "hi")
    ann.nothing_more()


def test_javascript_numbers_a_queued_subscribe_before_its_authenticate(broker, stock, room):
    """`subscribe()` before the handshake takes 1 and waits; `authenticate()` takes 2 and goes out first."""
    ann = javascript(stock, "closed")
    assert ann.welcome["require_auth"] is True and ann.welcome["client_id"]
    ann.write({"type": "authenticate", "token": tokens.token(broker, "closed", client=ann.id), "callback": 2})
    ann.write({"type": "subscribe", "room": room, "callback": 1})
    ann.done(2)
    ann.done(1)
    ann.nothing_more()


def test_refused_without_a_callback(stock, room):
    """JavaScript shows an error without callback by its `error` event; every such frame has to have a type or an error."""
    ann = javascript(stock)
    ann.write({"type": "publish", "room": room, "message": "x" * 70_000})
    frame = ann.next()
    assert isinstance(frame["error"], str) and "callback" not in frame
    # nobody has asked for an answer to this one
    ann.write({"type": "unsubscribe", "room": room})
    ann.nothing_more()


def test_a_failed_handshake_has_a_client_id(broker):
    """Scaledrone-Swift takes it without a look whether there is one, and crashes where there is none."""
    with WebSocketClient(broker, handshake=False, binary=True) as ann:
        reply = ann.request({"type": "handshake", "channel": "no such channel"})
        assert reply["error"] and isinstance(reply["client_id"], str)


# Subscribing


def test_a_second_subscribe_begins_anew(stock, observable):
    """JavaScript and Swift make a new room object, which waits for members of its own; nothing comes twice afterwards."""
    ann, bob = javascript(stock, data={"name": "Ann"}), swift(stock, data={"name": "Bob"})
    ann.ask_as({"type": "subscribe", "room": observable, "callback": 1})
    ann.expect("observable_members")
    bob.ask_as({"type": "subscribe", "room": observable, "callback": 2, "history_count": 0, "history": 0})
    bob.expect("observable_members")
    ann.expect("observable_member_join")
    bob.write({"type": "publish", "room": observable, "message": "one"})
    ann.message(observable, "one")
    bob.message(observable, "one")
    for client, callback in ((ann, 2), (bob, 3)):
        client.write({"type": "subscribe", "room": observable, "callback": callback, "history": 5, "history_count": 5})
        client.done(callback)
        assert client.expect("observable_members", room=observable)["data"] == [bob.member, ann.member]
        assert client.expect("history_message", index=0)["message"] == "one"
    bob.write({"type": "publish", "room": observable, "message": "two"})
    for client in (ann, bob):
        client.message(observable, "two")
        client.nothing_more()
    # It is in the room once: one unsubscribe leaves it, and the others see one leave.
    ann.write({"type": "unsubscribe", "room": observable})
    assert bob.expect("observable_member_leave")["data"] == ann.member
    bob.write({"type": "publish", "room": observable, "message": "three"})
    bob.message(observable, "three")
    ann.nothing_more()
    bob.nothing_more()


def test_nothing_comes_before_the_subscribe_and_after_the_unsubscribe(connect, stock, room):
    """A Java client dies of a frame of a room that it does not know."""
    talker = connect("Talker")
    ann = java(stock)
    waiting = [talker.post({"type": "publish", "room": room, "message": number}) for number in range(100)]
    for callback in range(1, 21, 2):
        ann.write({"type": "subscribe", "room": room, "callback": callback}, {"type": "unsubscribe", "room": room, "callback": callback + 1})
        waiting += [talker.post({"type": "publish", "room": room, "message": number}) for number in range(20)]
    order = []
    while 20 not in order:
        frame = json.loads(ann.read_line())
        order.append(frame.get("callback", "message"))
    inside = False
    for entry in order:
        if entry == "message":
            assert inside, order
        else:
            inside = entry % 2 == 1
    for callback in waiting:
        talker.reply(callback)


# Observable rooms


@pytest.mark.parametrize("make", [javascript, java, swift])
def test_a_plain_room_shows_a_stock_client_nothing_of_its_members(connect, stock, room, make):
    """Java dies of a frame about members in a room that is not observable; others beside it may ask to be shown them."""
    asker = connect("Asker")
    asker.subscribe(room, presence=True)
    ann = make(stock, data={"name": "Ann"})
    ann.write({"type": "subscribe", "room": room, "callback": 5})
    assert set(ann.answer(5)) == {"callback", "epoch", "seq", "id", "timestamp", "sender"}
    for number in range(3):
        with connect(f"Bob {number}") as bob:
            bob.subscribe(room, presence=number == 0)
            bob.ask({"type": "update", "client_data": {"name": "Robert"}})
            bob.publish(room, number)
    assert [json.loads(ann.read_line())["message"] for _ in range(3)] == [0, 1, 2]
    ann.nothing_more()
    for kind in ("join", "update", "leave"):
        while asker.next()["type"] != f"observable_member_{kind}":
            pass


def test_members_are_told_as_java_tests_them(stock, observable):
    """No join of oneself, no null where something is unset, joins before the first message of who joined."""
    ann = java(stock)
    ann.ask_as({"type": "subscribe", "room": observable, "callback": 1})
    assert ann.expect("observable_members")["data"] == [{"id": ann.id}]
    bob = java(stock, data={"name": "Bob"})
    bob.write({"type": "subscribe", "room": observable, "callback": 1}, {"type": "publish", "room": observable, "message": "hi"})
    bob.done(1)
    assert bob.expect("observable_members")["data"] == [bob.member, {"id": ann.id}]
    bob.message(observable, "hi")
    assert ann.expect("observable_member_join")["data"] == {"id": bob.id, "clientData": {"name": "Bob"}}
    ann.message(observable, "hi", client_id=bob.id)
    ann.nothing_more()
    bob.nothing_more()


@pytest.mark.parametrize("data", [{"name": "Ann"}, "Ann", 7, [1, 2], True, {}], ids=json.dumps)
def test_client_data_is_any_json(stock, observable, data):
    ann = stock(data=data)
    ann.ask_as({"type": "subscribe", "room": observable, "callback": 1})
    assert ann.expect("observable_members")["data"] == [{"id": ann.id, "clientData": data}]


@pytest.mark.parametrize("end", ["close", "empty close", "fin", "reset", "half a frame"])
def test_a_member_that_is_gone_is_gone_at_once(connect, stock, observable, end):
    """A JVM that exits closes nothing: the next run of Java's tests wants to be alone in the room."""
    watcher = connect("Watcher")
    watcher.subscribe(observable)
    watcher.expect("observable_members")
    ghost = java(stock, data={"name": "Ghost"})
    ghost.ask_as({"type": "subscribe", "room": observable, "callback": 1})
    watcher.expect("observable_member_join")
    if "close" in end:
        assert ghost.leave(None if end == "empty close" else 1000)[1:] == []
    elif end == "reset":
        ghost.reset()
    else:
        ghost.send_bytes(b"\x81\xfe" if end == "half a frame" else b"")
        ghost.close()
    assert watcher.expect("observable_member_leave")["data"] == ghost.member
    again = java(stock)
    again.ask_as({"type": "subscribe", "room": observable, "callback": 1})
    assert again.expect("observable_members")["data"] == [again.member, watcher.member]


def test_an_app_that_comes_back_is_there_once(stock, observable):
    """Nothing is resumed unless it was asked for."""
    for _ in range(3):
        ann = swift(stock, data={"name": "Anna"})
        ann.ask_as({"type": "subscribe", "room": observable, "callback": 2, "history_count": 0, "history": 0})
        ann.close()
    deadline = time.monotonic() + PATIENCE
    while True:
        one = swift(stock, data={"name": "Anna"})
        one.ask_as({"type": "subscribe", "room": observable, "callback": 2, "history_count": 0, "history": 0})
        members = one.expect("observable_members")["data"]
        if members == [one.member]:
            break
        assert time.monotonic() < deadline, members
        one.close()


# History


def test_history_is_told_from_its_oldest_message(broker, stock, room):
    """Java keeps an array of as many as it asked for, and shows one for each frame."""
    ann = java(stock)
    with Rest(broker) as web:
        web.publish("default", room, json.dumps("by REST"), Authorization=rest.basic("default", rest.secret(broker, "default")))
    live = []
    ann.ask_as({"type": "subscribe", "room": room, "callback": 1})
    for number in range(4):
        ann.write({"type": "publish", "room": room, "message": number})
        live.append(ann.message(room, number))
    bob = java(stock)
    bob.ask_as({"type": "subscribe", "room": room, "callback": 1, "history_count": 10, "history": 10})
    told = [bob.expect("history_message", room=room, index=index) for index in range(5)]
    assert [frame["message"] for frame in told] == ["by REST", 0, 1, 2, 3]
    assert "client_id" not in told[0]
    assert [(frame["id"], frame["timestamp"], frame["client_id"]) for frame in told[1:]] == [
        (frame["id"], frame["timestamp"], ann.id) for frame in live
    ]
    bob.nothing_more()


@pytest.mark.parametrize("count, told", [(0, 0), (1, 1), (100, 100), (101, 100), (5000, 100)])
def test_history_has_at_most_a_hundred_messages(stock, connect, room, count, told):
    talker = connect("Talker")
    for callback in [talker.post({"type": "publish", "room": room, "message": number}) for number in range(110)]:
        talker.reply(callback)
    ann = java(stock)
    ann.ask_as({"type": "subscribe", "room": room, "callback": 1, "history_count": count, "history": count})
    got = [ann.expect("history_message", index=index)["message"] for index in range(told)]
    assert got == list(range(110 - told, 110))
    ann.nothing_more()


FLAGS = ["--channel", "default,history=100", "--channel", "secret,auth=required,history=100"]


def test_history_in_the_other_order(administered, admin, stock):
    """The page on the protocol says that index 0 is the newest; a channel can have it so."""
    id, room = f"c-{uuid.uuid4().hex[:8]}", "room"
    admin.done("POST", "/channels", {"id": id, "history": {"count": 100}, "history_order": "newest_first"})
    ann = java(stock, id, broker=administered)
    ann.write(*({"type": "publish", "room": room, "message": number} for number in range(3)))
    ann.ask_as({"type": "subscribe", "room": room, "callback": 1})
    bob = java(stock, id, broker=administered)
    bob.ask_as({"type": "subscribe", "room": room, "callback": 1, "history_count": 3, "history": 3})
    told = [(frame["index"], frame["message"]) for frame in (bob.expect("history_message") for _ in range(3))]
    assert told == [(2, 0), (1, 1), (0, 2)]


# Tokens


def test_a_channel_that_wants_a_token(broker, stock, room):
    """The texts are those that Java's AuthTest compares."""
    ann = java(stock, "closed")
    assert ann.welcome["require_auth"] is True and ann.id
    ann.write({"type": "subscribe", "room": room, "callback": 1})
    assert ann.answer(1)["error"] == "Unauthorized"
    ann.write({"type": "authenticate", "token": "no token", "callback": 2})
    assert ann.answer(2)["error"] == "JWT does not have 3 parts"
    # AuthTest has such a key, which is not a pattern in most languages: the others count all the same.
    permissions = {"^*.$": {"publish": True, "subscribe": True}, "^room": {"publish": True, "subscribe": True, "history": 5}}
    ann.ask_as({"type": "authenticate", "token": tokens.token(broker, "closed", client=ann.id, permissions=permissions), "callback": 3})
    ann.ask_as({"type": "subscribe", "room": room, "callback": 4})
    ann.write({"type": "publish", "room": room, "message": "allowed"})
    ann.message(room, "allowed")
    ann.nothing_more()


def test_the_permissions_of_the_tutorials(broker, stock):
    """A lookahead of the Go tutorial, everything but one room as on the page, no match at all."""
    prefix = uuid.uuid4().hex[:8]
    permissions = {
        rf"^{prefix}-(?!private)": {"publish": True, "subscribe": True},
        "main-room$": {"publish": False, "subscribe": False},
    }
    ann = javascript(stock, "closed")
    ann.ask_as({"type": "authenticate", "token": tokens.token(broker, "closed", client=ann.id, permissions=permissions), "callback": 1})
    for callback, (room, allowed) in enumerate([("open", True), ("private-7", False), ("main-room", False), ("other", True)], 2):
        ann.write({"type": "subscribe", "room": f"{prefix}-{room}", "callback": callback})
        assert ("error" in ann.answer(callback)) != allowed, room
    ann.write({"type": "subscribe", "room": "elsewhere", "callback": 9})
    assert ann.answer(9)["error"]
    ann.nothing_more()


def test_what_a_token_says_of_a_member(broker, stock, observable):
    """`data` of the token is what the others see as authData; the history permission limits what is told."""
    permissions = {".*": {"publish": True, "subscribe": True, "history": 1}}
    ann = javascript(stock, "closed", data={"name": "Ann"})
    made = tokens.token(broker, "closed", client=ann.id, data={"user": 7}, permissions=permissions)
    ann.ask_as({"type": "authenticate", "token": made, "callback": 1})
    ann.ask_as({"type": "subscribe", "room": observable, "callback": 2})
    assert ann.expect("observable_members")["data"] == [{"id": ann.id, "clientData": {"name": "Ann"}, "authData": {"user": 7}}]
    ann.write({"type": "publish", "room": observable, "message": 1}, {"type": "publish", "room": observable, "message": 2})
    ann.messages(2)
    ann.ask_as({"type": "subscribe", "room": observable, "history": 10, "history_count": 10, "callback": 3})
    ann.expect("observable_members")
    assert ann.expect("history_message", index=0)["message"] == 2
    ann.nothing_more()


@pytest.mark.parametrize("claims", [{"client": "somebody else"}, {"valid_for": -3600}, {"key": "x" * 32}], ids=str)
def test_tokens_that_are_refused(broker, stock, claims):
    ann = swift(stock, "closed")
    ann.write({"type": "authenticate", "token": tokens.token(broker, "closed", **{"client": ann.id, **claims}), "callback": 2})
    assert isinstance(ann.answer(2)["error"], str)
    ann.write({"type": "authenticate", "token": tokens.token(broker, "default", client=ann.id), "callback": 3})
    assert isinstance(ann.answer(3)["error"], str)
    ann.nothing_more()


# The end


@pytest.mark.parametrize("code", [None, 1000, 1001, 3000, 4000, 4999])
def test_a_close_is_answered_by_a_close(stock, room, code):
    """Without it JavaScript sees 1006 and comes back after close(), and Swift and Java wait for ever."""
    ann = javascript(stock)
    ann.ask_as({"type": "subscribe", "room": room, "callback": 1})
    assert ann.leave(code, b"setup_failed" if code == 4000 else b"") == []


def test_a_close_right_behind_a_publish(stock, connect, room):
    watcher = connect("Watcher")
    watcher.subscribe(room)
    ann = javascript(stock)
    ann.write({"type": "publish", "room": room, "message": "bye"})
    assert ann.leave(None) == []
    watcher.expect("publish", message="bye", client_id=ann.id)


def test_a_restart_drops_tcp(start, stock):
    """A stock JavaScript client comes back only after 1006: the end of TCP without a Close."""
    broker = start()
    ann, bob = javascript(stock, broker=broker), swift(stock, broker=broker)
    for client, callback in ((ann, 1), (bob, 2)):
        client.write({"type": "subscribe", "room": "observable-room", "callback": callback, "history": 0, "history_count": 0})
        client.done(callback)
    assert broker.terminate() == 0
    for client in (ann, bob):
        seen, _ = client.goodbye("shutting_down")
        assert all(frame["type"].startswith("observable_") for frame in seen)
    broker = start()
    back = javascript(stock, broker=broker)
    back.ask_as({"type": "subscribe", "room": "observable-room", "callback": 1})
    assert back.expect("observable_members")["data"] == [back.member]


def test_a_ban_closes(administered, admin, stock):
    """A clean close is final for a stock JavaScript client; its reason is for people."""
    ann = javascript(stock, broker=administered)
    ann.ask_as({"type": "subscribe", "room": "room", "callback": 1})
    admin.done("POST", "/channels/default/sanctions", {"kind": "ban", "client_id": ann.id, "reason": "enough"})
    assert ann.goodbye("banned", close=4504)[0] == []
    assert "enough" in ann.closed.reason


def test_a_kick_closes(administered, admin, stock):
    ann = swift(stock, broker=administered)
    ann.ask_as({"type": "subscribe", "room": "room", "callback": 2, "history_count": 0, "history": 0})
    admin.done("DELETE", f"/channels/default/members/{ann.id}", query={"reason": "enough"})
    assert ann.goodbye("kicked", close=4507)[0] == []


def test_a_client_that_does_not_answer_the_close_is_closed_all_the_same(administered, admin, stock):
    ann = javascript(stock, broker=administered)
    admin.done("DELETE", f"/channels/default/members/{ann.id}")
    ann.close_sent = True  # so that the broker's Close gets no answer
    ann.goodbye("kicked", close=4507)


# Beside REST


def test_a_message_by_rest(broker, stock, room):
    """It has no client_id: `message.member` is undefined."""
    ann = javascript(stock)
    ann.ask_as({"type": "subscribe", "room": room, "callback": 1})
    key = rest.secret(broker, "default")
    with Rest(broker) as web:
        web.publish("default", room, json.dumps({"by": "REST"}), Authorization=rest.basic("default", key), Content_Type="application/json")
        assert "client_id" not in ann.message(room, {"by": "REST"})
        members = web.get(f"/default/{room}/members", Authorization=rest.basic("default", key)).body
        assert members == [ann.id]
    assert re.fullmatch(r"[0-9A-Za-z:]+", ann.id)
    ann.nothing_more()


def test_every_length_of_head_on_the_way_out(stock, room):
    """Frames of the broker around the longest that 16 bits of a length hold."""
    ann, bob = javascript(stock), swift(stock)
    bob.ask_as({"type": "subscribe", "room": room, "callback": 2})
    ann.write({"type": "publish", "room": room, "message": "x" * 60_000})
    overhead = len(bob.raw[bob.message(room, "x" * 60_000)["id"]]) - 60_000
    for length in range(65_533, 65_539):
        message = "x" * (length - overhead)
        ann.write({"type": "publish", "room": room, "message": message})
        frame = bob.message(room, message)
        # The digits of `seq` may become more.
        assert abs(len(bob.raw[frame["id"]]) - length) <= 1
    bob.nothing_more()
