"""Messages that moderators take back, one by one or all at once, as members see it."""

import json
import sqlite3
import time

import pytest

from admin import Admin
from broker import PATIENCE
from client import Client
from tokens import EVERYTHING, token

MODERATOR = {".*": {"publish": True, "subscribe": True, "history": 100, "moderate": True}}
FLAGS = ("--channel", "kept,auth=required,history=100", "--channel", "passing,auth=required,history=off", "--loops", "2")


@pytest.fixture
def broker(start):
    return start(*FLAGS)


def member(broker, channel="kept", permissions=EVERYTHING, **fields):
    return Client(broker, channel=channel, token=token(broker, channel, permissions=permissions), **fields)


def moderator(broker, channel="kept", **fields):
    return member(broker, channel, MODERATOR, **fields)


def moderate(client, action, room="room", **fields):
    return client.ask({"type": "moderate", "room": room, "action": action, **fields})


@pytest.mark.parametrize("channel", ["kept", "passing"])
def test_a_message_is_taken_away_from_all_who_come_later(broker, channel):
    with moderator(broker, channel, name="Mod") as mod, member(broker, channel, name="Ann") as ann:
        epoch = ann.subscribe("room")["epoch"]
        mod.subscribe("room")
        said = [ann.publish("room", f"secret {number}") for number in (1, 2, 3)]
        receipt = moderate(mod, "redact", target_id=said[1]["id"], reason="spam")
        assert (receipt["seq"], receipt["target_seq"], receipt["target_id"]) == (4, 2, said[1]["id"])
        again = moderate(mod, "redact", target_seq=2)
        assert again["duplicate"] is True and again["target_id"] == said[1]["id"] and "seq" not in again
        mod.refused({"type": "moderate", "room": "room", "action": "redact", "target_seq": 4}, "message_not_found")
        ann.refused({"type": "moderate", "room": "room", "action": "redact", "target_seq": 1}, "permission_denied")
        for client in (ann, mod):
            client.messages(3)
            frame = client.expect("message_redacted", room="room", seq=4, target_seq=2, target_id=said[1]["id"], reason="spam")
            assert frame["sender"]["clientData"] == {"name": "Mod"}
        with member(broker, channel) as bob:
            bob.subscribe("room", since={"epoch": epoch, "seq": 0})
            assert [bob.expect("publish")["message"] for _ in range(3)] == ["secret 1", None, "secret 3"]
            bob.expect("message_redacted", seq=4)
        ann.check_no_holes()


def test_history_and_a_restart_have_the_tombstone(broker, start):
    with moderator(broker) as mod:
        mod.subscribe("room")
        for number in (1, 2, 3):
            mod.publish("room", f"the secret {number}")
        moderate(mod, "redact", target_seq=3)
    broker.kill()
    broker = start(*FLAGS)
    with member(broker) as bob:
        bob.subscribe("room", history_count=2)
        told = [bob.expect("history_message") for _ in range(2)]
        assert [(frame["index"], frame["message"], frame.get("redacted")) for frame in told] == [(0, "the secret 2", None), (1, None, True)]
        messages = bob.ask({"type": "history", "room": "room"})["messages"]
        assert [(frame["type"], frame["seq"]) for frame in messages] == [("publish", 1), ("publish", 2), ("publish", 3), ("message_redacted", 4)]
    assert broker.terminate() == 0
    with sqlite3.connect(broker.data / "history.sqlite") as database:
        kinds = [row[0][24 * number + 20] for row in database.execute("SELECT messages, count FROM batch ORDER BY id") for number in range(row[1])]
        assert kinds == [0, 0, 2, 1]
    files = [path.read_bytes() for path in broker.data.glob("history.sqlite*")]
    assert any(b"the secret 2" in file for file in files)
    assert not any(b"the secret 3" in file for file in files)


@pytest.mark.parametrize("channel", ["kept", "passing"])
def test_a_cleared_room_begins_anew(broker, channel):
    with moderator(broker, channel, name="Mod") as mod, member(broker, channel) as ann:
        before = ann.subscribe("room")["epoch"]
        for number in (1, 2, 3):
            ann.publish("room", number)
        receipt = moderate(mod, "clear")
        assert receipt["seq"] == 0 and receipt["epoch"] != before
        ann.messages(3)
        ann.expect("room_cleared", epoch=receipt["epoch"], seq=0)
        assert ann.publish("room", "anew")["seq"] == 1
        ann.expect("publish", message="anew", seq=1)
        with member(broker, channel) as bob:
            reply = bob.subscribe("room", since={"epoch": before, "seq": 2})
            assert (reply["recovered"], reply["epoch"], reply["seq"]) == (False, receipt["epoch"], 1)
            bob.expect("gap", reason="cleared", to_seq=1)
        if channel == "kept":
            assert [frame["seq"] for frame in ann.ask({"type": "history", "room": "room"})["messages"]] == [1]


def test_many_redactions_while_people_talk(broker):
    """Each acknowledged redaction is a tombstone, and nobody misses anything."""
    with moderator(broker) as mod, member(broker) as ann, member(broker) as idle:
        epoch = idle.subscribe("room")["epoch"]
        redacted = []
        deadline = time.monotonic() + PATIENCE
        for number in range(1, 40):
            said = ann.publish("room", f"message {number}")
            if number % 3 == 0:
                redacted.append(said["seq"])
                moderate(mod, "redact", target_seq=said["seq"])
            assert time.monotonic() < deadline
        last = ann.publish("room", "the end")["seq"]
        with member(broker) as late:
            late.subscribe("room", since={"epoch": epoch, "seq": 0})
            frames = [late.next() for _ in range(last)]
            assert [frame["seq"] for frame in frames] == list(range(1, last + 1))
            assert [frame["seq"] for frame in frames if frame.get("redacted")] == redacted
            assert [frame["target_seq"] for frame in frames if frame["type"] == "message_redacted"] == redacted
        idle.room_fence("room")
        idle.check_no_holes()


def test_an_import_of_an_export_is_the_same_history(start, tmp_path):
    broker = start(*FLAGS, admin=tmp_path / "a.sock")
    with moderator(broker) as mod:
        for number in (1, 2, 3):
            mod.publish("room", f"secret {number}")
        moderate(mod, "redact", target_seq=2, reason="spam")
    admin = Admin(broker)
    place = "/channels/kept/rooms/{}/history"
    exported = admin.done("GET", place.format("room"))["messages"]
    assert [frame.get("redacted") for frame in exported] == [None, True, None, None]
    lines = "".join(json.dumps(frame, separators=(",", ":"), ensure_ascii=False) + "\n" for frame in exported)
    admin.done("POST", place.format("copy"), body=lines.encode(), headers={"Content-Type": "application/x-ndjson"})
    assert [{**frame, "room": "room"} for frame in admin.done("GET", place.format("copy"))["messages"]] == exported
    admin.done("DELETE", "/channels/kept/rooms/copy/messages/3")
    with member(broker) as bob:
        bob.subscribe("copy", history_count=3)
        told = [bob.expect("history_message") for _ in range(3)]
        assert [(frame["index"], frame["message"]) for frame in told] == [(0, "secret 1"), (1, None), (2, None)]
    admin.close()
