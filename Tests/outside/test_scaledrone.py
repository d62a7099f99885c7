"""What Scaledrone's own clients expect of the frames and of REST, client by client: the frames below are theirs."""

import json
import time

import pytest
import wire_schemas

from client import Client
from rest import basic, secret
from tokens import token

UNTOUCHED = [{"name": "Luke"}, "Luke", 7, [1, "two"], None, False]


def wire(client, *frames):
    """Sends these in one write, and gives all that comes before the reply to a query behind them, in order.

    The query waits for the answers to subscribes.
    """
    fence = 999_999
    lines = [json.dumps(frame) for frame in (*frames, {"type": "rooms", "callback": fence})]
    for line in lines:
        client.note(line)
    client.send_bytes("".join(f"{line}\n" for line in lines).encode())
    seen = []
    while True:
        line = client.read_line()
        frame = json.loads(line)
        if frame.get("callback") == fence:
            return seen
        if "callback" in frame:
            client._check_reply(frame, wire_schemas.parse(line), client._asked.pop(frame["callback"]))
        else:
            client._check_place(frame)
        seen.append(frame)


def bare(broker, callback=0, channel="default", **fields):
    """A client after its handshake, as the JavaScript client makes it, and the reply."""
    client = Client(broker, handshake=False)
    frame = {"type": "handshake", "channel": channel, "version": 2, "callback": callback, **fields}
    return client, wire(client, frame)


# Frames and callbacks


@pytest.mark.parametrize("callback", [0, 1, 1000])
def test_a_callback_is_any_integer_and_has_one_reply(broker, callback):
    client, replies = bare(broker, callback, client_data=None)
    assert [reply["callback"] for reply in replies] == [callback]
    assert type(replies[0]["callback"]) is int
    assert replies[0]["client_id"] and "error" not in replies[0] and "require_auth" not in replies[0]
    client.close()


def test_callbacks_may_come_out_of_order(broker, room):
    client, _ = bare(broker, channel="closed")
    jwt = token(broker, "closed")
    replies = wire(
        client,
        {"type": "authenticate", "token": jwt, "callback": 2},
        {"type": "subscribe", "room": room, "callback": 1},
    )
    assert [reply["callback"] for reply in replies] == [2, 1]
    assert all("error" not in reply and "client_id" not in reply for reply in replies)
    client.close()


def test_what_has_no_callback_has_no_reply(broker, room):
    client, _ = bare(broker)
    frames = wire(
        client,
        {"type": "subscribe", "room": room, "callback": 1},
        {"type": "publish", "room": room, "message": True},
        {"type": "unsubscribe", "room": room},
        {"type": "pong"},
    )
    assert [frame.get("callback", frame.get("type")) for frame in frames if frame.get("type") != "publish"] == [1]
    client.close()


@pytest.mark.parametrize(
    "options", [{"history_count": 2}, {"history": 2}, {"history": 2, "history_count": 2}, {"history": 0, "history_count": 0}, {}]
)  # fmt: skip
def test_history_is_asked_for_by_either_name(connect, rest, broker, room, options):
    ann = connect("Ann")
    ann.subscribe(room)
    for number in range(3):
        ann.publish(room, number)
    rest.publish("default", room, "3")
    live = [ann.expect("publish") for _ in range(4)]
    client, _ = bare(broker)
    wire(client, {"type": "subscribe", "room": room, "callback": 1, **options})
    client.publish(room, "end")
    seen = []
    while (frame := client.next()).get("message") != "end":
        seen.append(frame)
    count = max(options.get("history", 0), options.get("history_count", 0))
    assert [(frame["type"], frame["index"]) for frame in seen] == [("history_message", index) for index in range(count)]
    # oldest first, with the live messages' own id and time, and no client_id for REST
    for frame, former in zip(seen, live[4 - count :], strict=True):
        assert all(frame.get(key) == former.get(key) for key in ("id", "timestamp", "message", "client_id"))
        assert type(frame["timestamp"]) is int
    assert all("client_id" not in frame for frame in (live[3], *seen[-1:]))
    client.close()


@pytest.mark.parametrize("value", UNTOUCHED)
def test_values_pass_as_they_are(broker, connect, observable, value):
    client, replies = bare(broker, client_data=value)
    me = replies[0]["client_id"]
    frames = wire(client, {"type": "subscribe", "room": observable, "callback": 1})
    assert [frame.get("type", "reply") for frame in frames] == ["reply", "observable_members"]
    member = {"id": me} if value is None else {"id": me, "clientData": value}
    assert frames[1]["data"] == [member]
    client.publish(observable, value)
    assert client.expect("publish", client_id=me)["message"] == value
    client.close()


def test_everything_in_one_write(broker, observable):
    client = Client(broker, handshake=False)
    frames = wire(
        client,
        {"type": "handshake", "channel": "default", "client_data": {"name": "Luke"}, "callback": 0},
        {"type": "subscribe", "room": observable, "callback": 1},
        {"type": "publish", "room": observable, "message": "hello"},
    )
    assert [frame.get("callback", frame.get("type")) for frame in frames[:3]] == [0, 1, "observable_members"]
    message = frames[3] if len(frames) > 3 else client.next()
    assert message["message"] == "hello" and message["client_id"] == frames[0]["client_id"]
    client.close()


@pytest.mark.parametrize("frame", [{"channel": "nowhere"}, {"channel": 7}])
def test_a_handshake_that_fails_has_a_client_id(broker, frame):
    client = Client(broker, handshake=False)
    client.send_line(json.dumps({"type": "handshake", "callback": 1, **frame}))
    reply = json.loads(client.read_line())
    # Scaledrone's Swift client traps without it
    assert reply["client_id"] == "" and isinstance(reply["error"], str) and reply["callback"] == 1
    client.close()


def test_a_refused_publish_without_callback_is_an_error_without_callback(broker, room):
    client, _ = bare(broker, channel="closed")
    (error,) = wire(client, {"type": "publish", "room": room, "message": 1})
    assert "callback" not in error and error["error"] == "Unauthorized"
    client.close()


# Rooms


def test_a_second_subscribe_brings_the_members_again(broker, connect, observable):
    ann = connect("Ann")
    ann.subscribe(observable)
    ann.next()
    client, replies = bare(broker, client_data={"name": "Luke"})
    me = replies[0]["client_id"]
    again = {"type": "subscribe", "room": observable, "history_count": 1}
    frames = wire(client, {**again, "callback": 1}, {**again, "callback": 2}, {**again, "callback": 3})
    assert [frame.get("callback", frame.get("type")) for frame in frames] == [
        1, "observable_members", 2, "observable_members", 3, "observable_members"
    ]  # fmt: skip
    assert all({member["id"] for member in frame["data"]} == {ann.id, me} for frame in frames[1::2])
    client.publish(observable, "once")
    assert client.expect("publish")["message"] == "once"
    assert client.room_fence(observable) == []
    assert [ann.next()["type"] for _ in range(2)] == ["observable_member_join", "publish"]
    client.close()


@pytest.mark.parametrize("end", ["unsubscribe", "close", "half_close", "reset"])
def test_who_leaves_is_told_whole_and_at_once(broker, connect, observable, end):
    ann = connect("Ann")
    ann.subscribe(observable)
    ann.expect("observable_members", data=[ann.member])
    luke = Client(broker, "Luke")
    luke.subscribe(observable)
    ann.expect("observable_member_join", data=luke.member)
    # to the others only
    luke.expect("observable_members", data=[luke.member, ann.member])
    assert luke.room_fence(observable) == []
    ann.expect("publish")
    if end == "unsubscribe":
        luke.send({"type": "unsubscribe", "room": observable})
    else:
        getattr(luke, end)()
    ann.expect("observable_member_leave", data=luke.member)
    luke.close()


# Tokens


def test_the_texts_that_clients_compare(broker, room):
    client, replies = bare(broker, channel="closed")
    assert replies[0]["require_auth"] is True
    subscribe = {"type": "subscribe", "room": room, "callback": 1}
    assert wire(client, subscribe)[0]["error"] == "Unauthorized"
    assert wire(client, {"type": "authenticate", "token": "nonsense", "callback": 2})[0]["error"] == "JWT does not have 3 parts"
    client.close()


def test_permissions_as_in_scaledrones_examples(broker, room):
    client, replies = bare(broker, channel="closed")
    permissions = {
        "^*.$": {"publish": True, "subscribe": True},
        "^(?!main-room$).*$": {"publish": True, "subscribe": True, "history": 1},
        "^main-room$": {"publish": False, "subscribe": False},
    }
    jwt = token(broker, "closed", permissions=permissions, client=replies[0]["client_id"], data={"role": "user"})
    assert wire(client, {"type": "authenticate", "token": jwt, "callback": 1})[0].get("error") is None
    assert "error" not in wire(client, {"type": "subscribe", "room": room, "callback": 2})[0]
    assert "error" in wire(client, {"type": "subscribe", "room": "main-room", "callback": 3})[0]
    client.close()


def test_auth_data_is_the_tokens(broker, observable):
    client, replies = bare(broker, channel="closed")
    jwt = token(broker, "closed", client=replies[0]["client_id"], data={"role": "user"})
    wire(client, {"type": "authenticate", "token": jwt, "callback": 1})
    frames = wire(client, {"type": "subscribe", "room": observable, "callback": 2})
    assert frames[1]["data"] == [{"id": replies[0]["client_id"], "authData": {"role": "user"}}]
    client.close()


# REST


def test_rest_as_the_libraries_use_it(rest, broker, connect, room):
    authorization = basic("closed", secret(broker, "closed"))
    jwt = "Bearer " + token(broker, "closed", client="a client of long ago")
    with Client(broker, channel="closed", token=token(broker, "closed")) as ann:
        alone = Client(broker, channel="closed", token=token(broker, "closed"))
        ann.subscribe(f"{room}-a")
        ann.subscribe(f"{room}-b")
        # Go: raw bytes without a type; Python, Ruby, PHP: JSON; node-push: plain text
        for kind, body, message in [
            (None, "Hello Go", "Hello Go"), ("application/json", '"text"', "text"), ("application/json", "{}", {}),
            ("text/plain", "42", "42"), ("text/plain", "[object Object]", "[object Object]"), (None, "[object Object]", "[object Object]"),
        ]:  # fmt: skip
            headers = {"Content-Type": kind} if kind else {}
            for who in (authorization, jwt):
                assert rest.post(f"/closed/{room}-a/publish", body, Authorization=who, **headers).status == 200
                assert ann.expect("publish", room=f"{room}-a")["message"] == message
        assert rest.post(f"/closed/publish/rooms?r={room}-a&r={room}-b", "1", Authorization=authorization).status == 200
        assert {ann.expect("publish")["room"] for _ in range(2)} == {f"{room}-a", f"{room}-b"}
        assert type(rest.get("/closed/stats", Authorization=jwt).body["users_count"]) is int
        members = rest.get("/closed/members", Authorization=jwt).body
        assert members.count(ann.id) == 1 and alone.id not in members
        assert rest.get(f"/closed/{room}-a/members", Authorization=jwt).body == [ann.id]
        assert rest.get(f"/closed/{room}-nobody/members", Authorization=jwt).body == []
        assert {f"{room}-a", f"{room}-b"} <= set(rest.get("/closed/rooms", Authorization=jwt).body)
        assert rest.get("/closed/room-members", Authorization=jwt).body[f"{room}-b"] == [ann.id]
        refusal = rest.get("/closed/members", Authorization=basic("closed", "wrong"))
        assert refusal.status == 401 and isinstance(refusal.body["message"], str)
        alone.close()


def test_the_last_second_of_an_exp_in_milliseconds(broker, room):
    client, _ = bare(broker, channel="closed")
    jwt = token(broker, "closed", exp=int(time.time() * 1000) + 60_000)
    (reply,) = wire(client, {"type": "authenticate", "token": jwt, "callback": 1})
    assert "error" not in reply
    client.close()
