"""roomline room, member, history, trace: what is in the rooms, while people are there."""

import json
import re
import uuid

import pytest

from cli import facts
from client import Client
from command import Terminal, run

FLAGS = ["--channel", "default,history=5000", "--loops", "2"]


@pytest.fixture
def luke(administered):
    with Client(administered, client_data={"name": "Luke", "color": "#2e7d32"}) as client:
        yield client


def test_rooms_and_members(shell, luke):
    room = f"a/b ü {uuid.uuid4().hex[:8]}"
    luke.subscribe(room)
    assert {"name": room, "members": 1} in shell.lines("room", "list")
    assert shell.lines("room", "list", "--prefix", room[:-1]) == [{"name": room, "members": 1}]
    assert shell.says("room", "list", "--prefix", room) == ["MEMBERS  RULES  ROOM", f"      1  -      {room}"]
    shown = shell.json("room", "show", room)
    assert shown["name"] == room and shown["members"] == 1
    assert facts(shell.says("room", "show", room))["history"] == "5000 messages, 30d"
    (member,) = shell.lines("member", "list", room)
    assert member["client_data"] == {"name": "Luke", "color": "#2e7d32"}
    head, row = shell.says("member", "list", room)
    assert head.split() == ["MEMBER", "ADDRESS", "SINCE", "AS", "LAG", "USER", "NAME"]
    assert row.split()[0] == member["id"] and row.split()[-1] == "Luke" and "127.0.0.1" in row
    assert shell.json("member", "show", room, member["id"]) == member
    assert facts(shell.says("member", "show", room, member["id"]))["name"] == "Luke"
    shell.refused(1, f"did you mean {room}?", "room", "show", room[:-1])
    shell.refused(1, f"did you mean {room}?", "member", "list", room[:-1])
    shell.refused(1, f"did you mean {member['id']}?", "member", "show", room, member["id"][:-1])


def test_a_name_has_its_colour_at_a_terminal(shell, luke):
    room = f"r-{uuid.uuid4().hex}"
    luke.subscribe(room)
    with Terminal(None, "member", "list", room, *shell.place, env={"COLORTERM": "truecolor"}, columns=200) as terminal:
        assert terminal.end() == 0
        assert b"\x1b[1;38;2;" in terminal.raw and b"Luke" in terminal.raw


def test_history_is_shown_and_searched(shell, luke):
    room = f"h-{uuid.uuid4().hex}"
    luke.subscribe(room)
    for number in range(1, 6):
        luke.publish(room, f"Order #{number}")
    luke.publish(room, {"celsius": 21})
    luke.publish(room, "\x1b[2Jgone")
    lines = shell.says("history", "show", room, "--limit", "3")
    assert [line.split("  ")[0] for line in lines] == ["5", "6", "7"]
    assert lines[0].endswith("  Luke: Order #5") and lines[1].endswith('Luke: {"celsius": 21}') and lines[2].endswith("Luke: [2Jgone")
    assert [message["seq"] for message in shell.lines("history", "show", room, "--before", "3")] == [1, 2]
    assert [message["seq"] for message in shell.lines("history", "show", room, "--after", "3", "-n", "2")] == [4, 5]

    def found(*command):
        return [message["seq"] for message in shell.lines("history", "search", room, *command)]

    assert found("order #2") == [] and found("order #2", "-i") == [2] and found("Order #.") == []
    assert found("--regex", "Order #[24]") == [2, 4] and found("celsius") == [6]
    assert found("--from", "Luke", "--limit", "2") == [1, 2] and found("--from", "Leia") == []
    assert found("Order", "--since", "1h") == [1, 2, 3, 4, 5] and found("--until", "1h") == []
    assert shell.says("history", "search", room, "#3")[0].endswith("Luke: Order #3")
    shell.refused(64, "not a regular expression", "history", "search", room, "--regex", "(")
    shell.refused(1, f"did you mean {room}?", "history", "show", room[:-1])


def test_there_is_still_no_room_after_it_was_asked_for(shell, luke):
    room = f"none-{uuid.uuid4().hex}"
    for command in ("history export", "history show", "room show", "history export"):
        shell.refused(1, f'there is no room "{room}" in the channel default', *command.split(), room)
    shell.says("room", "lock", room)
    assert facts(shell.says("room", "show", room))["locked"] == "yes", "it has a rule"
    luke.subscribe(room)
    assert shell.says("history", "export", room) == []


def test_a_room_is_still_there_when_nobody_is(start, tmp_path):
    socket = tmp_path / "a.sock"
    broker = start(admin=socket)
    with Client(broker, "Luke") as luke:
        luke.publish("attic", "hello")
    assert broker.terminate() == 0
    start(admin=socket)
    shown = run(None, "room", "show", "attic", "--json", "--socket", str(socket))
    assert shown.returncode == 0, shown
    assert json.loads(shown.stdout)["seq"] == 1 and json.loads(shown.stdout)["members"] == 0


def test_a_room_without_members_is_suggested_too(shell, administered):
    room = f"attic-{uuid.uuid4().hex}"
    with Client(administered) as luke:
        luke.publish(room, "anybody?")
    for command in (["show"], ["search"], ["export"]):
        text = ["anybody"] if command == ["search"] else []
        shell.refused(1, f"did you mean {room}?", "history", *command, room[:-1], *text)
    shell.refused(1, f"did you mean {room}?", "room", "show", room[:-1])


def test_an_export_is_the_history_byte_for_byte(shell, luke):
    room = f"e-{uuid.uuid4().hex}"
    luke.subscribe(room)
    messages = ['{"b":1.0,"a":[ 1e2 ],"c":"\\u00fc\\/"}', '"text"', "12345678901234567890", "null"]
    for number in range(2_100):
        luke.post({"type": "publish", "room": room, "message": number})
    for message in messages:
        luke.send_line(f'{{"type":"publish","room":"{room}","message":{message}}}')
    luke.fence()
    lines = shell.says("history", "export", room)
    assert [json.loads(line)["seq"] for line in lines] == list(range(1, 2_105))
    for line, message in zip(lines[-4:], messages):
        assert f'"message":{message}' in line
    assert [json.loads(line)["seq"] for line in shell.says("history", "export", room, "--after", "2102")] == [2103, 2104]
    assert shell.says("history", "show", room, "--limit", "4")[0].endswith(f"Luke: {messages[0]}")
    assert [message["seq"] for message in shell.lines("history", "search", room, '"b":1.0,"a":[ 1e2 ]')] == [2101]
    newest = shell.lines("history", "show", room, "--limit", "1500")
    assert [message["seq"] for message in newest] == list(range(605, 2_105))


def test_a_message_is_traced(shell, luke):
    room = f"t-{uuid.uuid4().hex}"
    luke.subscribe(room)
    luke.publish(room, "where am I?")
    (message,) = shell.lines("history", "show", room)
    trace = shell.json("trace", message["id"], "--room", room)
    assert trace["seq"] == message["seq"] and trace["stored"] and trace["lagging"] == []
    assert facts(shell.says("trace", message["id"]))["room"] == room
    unknown = str(uuid.UUID(int=(7 << 76) | (2 << 62)))
    shell.refused(1, "has no message", "trace", unknown, "--room", room)
    shell.refused(1, "none of the", "trace", unknown)
    misnamed = shell.run("trace", "x", "--room", room)
    assert misnamed.returncode == 64 and b'"x" is not the id of a message' in misnamed.stderr, misnamed


def test_stats_count_what_is_said(shell, luke):
    before = shell.json("stats")
    room = f"s-{uuid.uuid4().hex}"
    luke.subscribe(room)
    for number in range(7):
        luke.publish(room, number)
    luke.fence()
    after = shell.json("stats")
    assert after["publishes"] - before["publishes"] == 7 and after["deliveries"] - before["deliveries"] == 7
    assert facts(shell.says("stats"))["publishes"] == f"{after['publishes']} since the start"


def test_stored_rooms_are_listed_by_what_they_take(shell, luke, admin):
    prefix = f"disk-{uuid.uuid4().hex[:8]}-"
    large, small, gone = (prefix + word for word in ("large", "small", "gone"))
    for room, count in ((large, 3), (small, 1), (gone, 2)):
        luke.subscribe(room)
        for number in range(count):
            luke.publish(room, "x" * 1000 * (3 if room == large else 1))
    luke.request({"type": "unsubscribe", "room": gone})
    rooms = shell.lines("room", "list", "--stored", "--prefix", prefix)
    assert [(room["name"][len(prefix) :], room["messages"], room["members"]) for room in rooms] == [
        ("gone", 2, 0),
        ("large", 3, 1),
        ("small", 1, 1),
    ]
    assert 9000 < rooms[1]["bytes"] < 12000 and not rooms[1]["bytes_are_estimated"] and rooms[1]["oldest"] <= rooms[1]["newest"]
    assert rooms[1]["epoch"] == shell.json("room", "show", large)["epoch"]
    names = [room["name"] for room in shell.lines("room", "list", "--stored", "--prefix", prefix, "--sort", "bytes", "--limit", "2")]
    assert names == [large, gone]
    (empty,) = shell.lines("room", "list", "--stored", "--prefix", prefix, "--empty", "--sort", "newest")
    assert empty["name"] == gone
    head, *rows = shell.says("room", "list", "--stored", "--prefix", prefix, "--sort", "messages")
    assert head.split() == ["BYTES", "MESSAGES", "MEMBERS", "OLDEST", "NEWEST", "EPOCH", "ROOM"]
    assert [row.split()[-1] for row in rows] == [large, gone, small]
    assert re.match(r" *(8|9|1\d)\.\d KiB  ", rows[0]), rows[0]
    page = admin.done("GET", f"/channels/default/stored-rooms?prefix={prefix}&limit=2")
    assert [room["name"] for room in page["rooms"]] == [gone, large]
    rest = admin.done("GET", f"/channels/default/stored-rooms?prefix={prefix}&limit=2&after={page['next']}")
    assert [room["name"] for room in rest["rooms"]] == [small] and rest["next"] is None
    shell.refused(1, "there is no channel", "room", "list", "--stored", "--channel", "nowhere")
    for words, error in [(["--sort", "bytes"], "--sort bytes goes"), (["--empty", "--sort", "newest"], "--empty and --sort newest go")]:
        result = shell.run("room", "list", *words)
        assert result.returncode == 64 and f"Error: {error} with --stored." in result.stderr.decode()


def test_rooms_are_listed_by_members(shell, luke, administered):
    prefix = f"busy-{uuid.uuid4().hex[:8]}-"
    for room in ("a", "b"):
        luke.subscribe(prefix + room)
    with Client(administered) as leia:
        leia.subscribe(prefix + "b")
        listed = shell.lines("room", "list", "--prefix", prefix, "--sort", "members")
        assert [(room["name"], room["members"]) for room in listed] == [(prefix + "b", 2), (prefix + "a", 1)]
        assert len(shell.lines("room", "list", "--prefix", prefix, "--limit", "1")) == 1
