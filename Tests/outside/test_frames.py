"""The frames of a JSON client: what Scaledrone fixed, what a message looks like, what its publisher is told."""

import json
import uuid

import pytest

from client import Client

VALUES = [
    "1.0", "-0", "1E+2", "12345678901234567890", "1e400", "-1.5e-300", "true", "null", '""', "[]", "{}",
    '{"b":1,"a":2,"b":3}', '{ "spaced" : [ 1 , 2 ] }', '"\\u0041\\/\\ud83d\\ude00"', '"\\ud800"', '"é\\u00e9 \u2028 😀"',
    '{"type":"publish","callback":7}', '"' + "x" * 65_534 + '"', "[" * 60 + "]" * 60,
]  # fmt: skip


def shown(value):
    return value if len(value) < 40 else value[:40] + "…"


def test_a_stock_client_sees_what_scaledrone_would_show(broker):
    with Client(broker, handshake=False) as stock:
        stock.send({"type": "handshake", "channel": "default", "client_data": {"name": "Stock"}, "callback": 0, "version": 3})
        welcome = stock.reply(0)
        assert welcome["client_id"] and "type" not in welcome and "error" not in welcome
        room = f"observable-{uuid.uuid4()}"
        stock.send({"type": "subscribe", "room": room, "callback": 1, "history_count": 0, "history": 0})
        reply = stock.reply(1)
        assert "client_id" not in reply and "type" not in reply and "error" not in reply
        me = {"id": welcome["client_id"], "clientData": {"name": "Stock"}}
        stock.expect("observable_members", room=room, data=[me])
        stock.send({"type": "publish", "room": room, "message": {"text": "hi"}})
        heard = stock.expect("publish", room=room, message={"text": "hi"}, client_id=me["id"])
        assert isinstance(heard["timestamp"], int) and isinstance(heard["id"], str)
        stock.send({"type": "unsubscribe", "room": room})
        stock.send({"type": "publish", "room": room, "message": "nobody is here"})
        assert stock.fence() == []


def test_callbacks_come_back_as_they_were_and_once(connect):
    client = connect("Ann")
    callbacks = [0, 5, 3, -1, 2**31, 2**53 + 1, -(2**63), 2**63 - 1]
    for callback in callbacks:
        client.send({"type": "ping", "callback": callback})
    for callback in callbacks:
        assert client.reply(callback)["callback"] == callback
    assert client.fence() == [] and client.replies == {}


def test_frames_behind_an_unanswered_handshake_are_handled_in_order(broker, room):
    with Client(broker, handshake=False) as client:
        lines = [
            {"type": "handshake", "channel": "default", "callback": 0},
            {"type": "subscribe", "room": room, "callback": 1},
            *({"type": "publish", "room": room, "message": number, "callback": 2 + number} for number in range(50)),
            {"type": "unsubscribe", "room": room, "callback": 99},
        ]
        for line in lines:
            client.note(json.dumps(line))
        client.send_bytes("".join(json.dumps(line) + "\n" for line in lines).encode())
        assert [client.reply(2 + number)["seq"] for number in range(50)] == list(range(1, 51))
        client.reply(99)
        assert all(frame["message"] == number for number, frame in enumerate(client.fence()))


@pytest.mark.parametrize("ending", ["\n", "\r\n", " \t\r\n"])
def test_line_ends_and_blanks_around_a_frame(broker, ending):
    with Client(broker, handshake=False) as client:
        client.note('{"type":"handshake","callback":1}')
        client.send_bytes(b' \t{"type" : "handshake", "channel":"default","callback":1}' + ending.encode())
        assert client.reply(1)["client_id"]


@pytest.mark.parametrize("value", VALUES, ids=shown)
def test_a_message_passes_byte_for_byte(connect, room, value):
    ann, bob = connect("Ann"), connect("Bob")
    bob.subscribe(room)
    ann.send_valid_line(f'{{"type":"publish","message":{value},"room":"{room}","callback":1}}')
    reply = ann.reply(1)
    assert "error" not in reply, reply
    heard = bob.expect("publish", id=reply["id"])
    assert f',"message":{value}' in bob.raw[heard["id"]].decode()
    late = connect("Late")
    late.subscribe(room, history_count=1)
    assert f',"message":{value}' in late.raw[late.expect("history_message")["id"]].decode()
    stored = late.request({"type": "history", "room": room})
    assert f',"message":{value}' in late.raw[stored["id"]].decode()


def test_client_data_passes_byte_for_byte(broker, connect, observable):
    watcher = connect("Watcher")
    watcher.subscribe(observable)
    watcher.expect("observable_members")
    data = '{"n":1.0,"big":12345678901234567890,"b":1,"a":"\\u0041","b":2}'
    with Client(broker, handshake=False) as client:
        client.send_valid_line(f'{{"type":"handshake","client_data":{data},"channel":"default","callback":1}}')
        client.reply(1)
        client.subscribe(observable)
        joined = watcher.expect("observable_member_join")
        assert watcher.raw[joined["id"]].decode().count(f'"clientData":{data}') == 2


def test_escaped_keys_are_the_keys_they_mean(connect, room):
    ann = connect("Ann")
    ann.subscribe(room)
    ann.send_line(f'{{"t\\u0079pe":"publish","room":"{room}","m\\u0065ssage":"escaped","callback":1}}')
    assert "error" not in ann.reply(1)
    ann.expect("publish", message="escaped")


def test_room_names_are_any_text_compared_byte_by_byte(connect):
    ann = connect("Ann")
    for name in ['quote " and \\ back', "Zimmer für zwei", "😀", "e\u0301", "\u00e9", "x" * 200, "\u2028"]:
        ann.subscribe(name)
        ann.publish(name, "hi")
        ann.expect("publish", room=name, message="hi")
    ann.publish("e\u0301", "decomposed")
    ann.expect("publish", room="e\u0301", message="decomposed")


def test_an_acknowledgement_is_the_stamp_of_the_message(connect, room):
    ann, bob = connect("Ann"), connect("Bob")
    bob.subscribe(room)
    replies = [ann.publish(room, number) for number in range(3)]
    assert [reply["seq"] for reply in replies] == [1, 2, 3]
    for number, reply in enumerate(replies):
        heard = bob.expect("publish", message=number)
        for field in ("id", "seq", "timestamp", "sender"):
            assert heard[field] == reply[field]
        assert reply["sender"] == ann.member


def test_replies_are_stamped_by_the_broker(connect, room):
    ann = connect("Ann")
    broker = {"id": "roomline", "kind": "broker"}
    assert ann.welcome["sender"] == broker
    for frame in (
        {"type": "subscribe", "room": room}, {"type": "history", "room": room}, {"type": "rooms"}, {"type": "ping"},
        {"type": "unsubscribe", "room": room}, {"type": "unsubscribe", "room": room},
    ):  # fmt: skip
        assert ann.request(frame)["sender"] == broker
    ann.send({"type": "ping"})
    assert ann.expect("pong")["sender"] == broker


def test_ids_increase_strictly_within_a_room(connect, room):
    people = [connect(name) for name in ("Ann", "Bob", "Cid")]
    people[0].subscribe(room)
    callbacks = [(person, person.post({"type": "publish", "room": room, "message": "m"})) for _ in range(200) for person in people]
    ids = [frame["id"] for frame in people[0].messages(len(callbacks), room)]
    assert ids == sorted(set(ids))
    assert {person.reply(callback)["id"] for person, callback in callbacks} == set(ids)


def read_all(person):
    """The ids of what comes up to all 300 messages and the newest state of each of the three; states between them may be
    skipped."""
    ids, messages, newest = [], 0, set()
    while messages < 300 or len(newest) < 3:
        frame = person.next()
        ids.append(frame["id"])
        messages += frame["type"] == "publish"
        if frame["type"] == "observable_member_update" and frame["data"]["clientData"]["name"] == "version 90":
            newest.add(frame["id"])
    return ids


def test_all_members_see_one_order(connect, observable):
    people = [connect(name) for name in ("Ann", "Bob", "Cid")]
    for person in people:
        person.subscribe(observable)
    people[0].publish(observable, "begin")
    for person in people:
        while person.next().get("message") != "begin":
            pass
    for number in range(100):
        for person in people:
            person.send({"type": "publish", "room": observable, "message": number})
            if number % 10 == 0:
                person.send({"type": "update", "client_data": {"name": f"version {number}"}})
    seen = [read_all(person) for person in people]
    assert seen[0] == seen[1] == seen[2]
    assert seen[0] == sorted(set(seen[0]))


def test_a_repeat_is_answered_and_not_delivered(connect, room):
    ann, bob = connect("Ann"), connect("Bob")
    bob.subscribe(room)
    key = str(uuid.uuid4())
    first = ann.publish(room, "once", message_id=key)
    again = ann.publish(room, "once", message_id=key.upper())
    assert again.pop("duplicate") is True and "duplicate" not in first
    for field in ("id", "seq", "timestamp", "sender"):
        assert again[field] == first[field]
    assert [frame["message"] for frame in bob.room_fence(room)] == ["once"]
    elsewhere = ann.publish(f"{room}-2", "once", message_id=key)
    assert "duplicate" not in elsewhere


def test_repeats_sent_at_once_appear_once(connect, room):
    ann, bob = connect("Ann"), connect("Bob")
    bob.subscribe(room)
    key = str(uuid.uuid4())
    callbacks = [ann.post({"type": "publish", "room": room, "message": "once", "message_id": key}) for _ in range(20)]
    replies = [ann.reply(callback) for callback in callbacks]
    assert len({reply["id"] for reply in replies}) == 1 and {reply["seq"] for reply in replies} == {1}
    assert [reply.get("duplicate", False) for reply in replies] == [False] + [True] * 19
    assert len(bob.room_fence(room)) == 1


def test_another_body_under_the_same_message_id_is_a_conflict(connect, room):
    ann = connect("Ann")
    key = str(uuid.uuid4())
    ann.publish(room, "one", message_id=key)
    ann.refused({"type": "publish", "room": room, "message": "two", "message_id": key}, "message_id_conflict")
    ann.send({"type": "publish", "room": room, "message": "three", "message_id": key})
    ann.expect_error("message_id_conflict", room=room, message_id=key)


def test_without_echo_only_the_publisher_misses_it(connect, room):
    ann, bob = connect("Ann"), connect("Bob")
    for person in (ann, bob):
        person.subscribe(room)
    ann.publish(room, "heard")
    reply = ann.publish(room, "unheard", echo=False)
    ann.publish(room, "heard again")
    assert [frame["message"] for frame in ann.messages(2)] == ["heard", "heard again"]
    assert [frame["seq"] for frame in bob.messages(3)] == [1, reply["seq"], 3]
    ann.ask({"type": "unsubscribe", "room": room})
    ann.subscribe(room, since={"epoch": bob.request({"type": "rooms"})["rooms"][0]["epoch"], "seq": 1})
    assert [frame["message"] for frame in ann.messages(2)] == ["unheard", "heard again"]


def test_an_ephemeral_message_is_delivered_in_order_and_not_stored(connect, room):
    ann, bob = connect("Ann"), connect("Bob")
    bob.subscribe(room)
    callbacks = [ann.post({"type": "publish", "room": room, "message": number, "ephemeral": number % 2 == 1}) for number in range(20)]
    heard = bob.messages(20)
    assert [frame["message"] for frame in heard] == list(range(20))
    assert [frame.get("seq") for frame in heard] == [None if number % 2 else number // 2 + 1 for number in range(20)]
    assert ["seq" in ann.reply(callback) for callback in callbacks] == [number % 2 == 0 for number in range(20)]
    stored = ann.request({"type": "history", "room": room})["messages"]
    assert [frame["message"] for frame in stored] == list(range(0, 20, 2))


def test_publishing_needs_no_subscription_and_makes_no_member(connect, observable):
    ann, bob = connect("Ann"), connect("Bob")
    bob.subscribe(observable)
    bob.expect("observable_members", data=[bob.member])
    ann.publish(observable, "from outside")
    bob.expect("publish", message="from outside", client_id=ann.id, sender=ann.member)
    assert ann.fence() == []


def test_many_rooms_in_one_frame(connect, room):
    ann = connect("Ann")
    ann.subscribe(f"{room}-1")
    names = [f"{room}-{number}" for number in range(3)]
    reply = ann.ask({"type": "subscribe", "rooms": names})
    assert [entry["room"] for entry in reply["rooms"]] == names
    assert [entry.get("code") for entry in reply["rooms"]] == [None, None, None]
    for name in names:
        ann.publish(name, name)
        ann.expect("publish", room=name, message=name)
    reply = ann.ask({"type": "unsubscribe", "rooms": [names[0], "nowhere", names[2]]})
    assert [(entry["room"], entry.get("code")) for entry in reply["rooms"]] == [
        (names[0], None), ("nowhere", "not_subscribed"), (names[2], None)
    ]  # fmt: skip
    assert [entry["room"] for entry in ann.request({"type": "rooms"})["rooms"]] == [names[1]]


def test_a_bad_name_among_many_spoils_only_itself(connect, room):
    ann = connect("Ann")
    callback = 77
    ann.send_line(json.dumps({"type": "subscribe", "rooms": [room, "", "bell\u0007"], "callback": callback}))
    codes = [entry.get("code") for entry in ann.reply(callback)["rooms"]]
    assert codes == [None, "room_name_invalid", "room_name_invalid"]


def test_channels_are_apart(connect, room):
    ann, elsewhere = connect("Ann"), connect("Eve", channel="short")
    ann.subscribe(room)
    elsewhere.subscribe(room)
    elsewhere.publish(room, "in the other channel")
    assert ann.room_fence(room) == []


def test_authenticate_is_refused_clearly(connect):
    reply = connect("Ann").request({"type": "authenticate", "token": "aaa.bbb.ccc"})
    assert "error" in reply and "client_id" not in reply
