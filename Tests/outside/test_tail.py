"""`roomline tail`: what it writes, where it goes on, how it ends."""

import json
import re
import signal
import subprocess
import uuid

import pytest

from broker import PATIENCE
from command import Command, Terminal, arguments, run

TIME = r"\d\d:\d\d:\d\d"


@pytest.fixture
def tail(broker):
    """Starts tails, and ends them whatever happens."""
    started = []

    def tail(*command, **options):
        started.append(Command(broker, "tail", *command, **options))
        return started[-1]

    yield tail
    for command in started:
        command.__exit__()


def test_a_message_is_a_line(connect, tail, room):
    ann = connect("Ann")
    ann.publish(room, "first")
    follow = tail(room, "--history", "1")
    assert re.fullmatch(f"{TIME} {room} Ann: first", follow.next())
    ann.publish(room, {"a": [1, 2.0]})
    assert re.fullmatch(TIME + " " + re.escape(room) + r' Ann: \{"a": \[1, 2.0\]\}', follow.next())
    ann.publish(room, {"text": "from a server", "priority": 1})
    assert re.fullmatch(f"{TIME} {room} Ann: from a server", follow.next())
    assert follow.end(signal.SIGINT) == 0


def test_nobody_can_forge_a_line(connect, tail, room):
    evil = connect("Ann: hello\n00:00:00 x Bob")
    evil.publish(room, "one\r\n00:00:00 x Bob: two\u2028three\u001b[2J\u009b1A\u202e")
    follow = tail(room, "--history", "1")
    assert re.fullmatch(f"{TIME} {room} Ann hello 00:00:00 x Bob: one 00:00:00 x Bob: two three\\[2J1A", follow.next())


def test_json_is_as_it_was_published(connect, tail, room):
    ann = connect("Ann")
    line = '{"type":"publish","room":"%s","message":{"b": 1.0,"a":"\\u00e9\\n","b":1e400},"callback":99}' % room
    ann.send_valid_line(line)
    seq = ann.reply(99)["seq"]
    follow = tail(room, "--history", "1", "--json")
    written = follow.next()
    assert '"message":{"b": 1.0,"a":"\\u00e9\\n","b":1e400}' in written
    event = json.loads(written)
    assert (event["type"], event["room"], event["seq"]) == ("message", room, seq)
    assert event["sender"] == {"id": ann.id, "clientData": {"name": "Ann"}}
    assert re.fullmatch(r"[0-9a-f]{16}", event["epoch"])
    assert uuid.UUID(event["id"]).version == 7
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", event["time"])


def test_history_can_be_long(connect, tail, room):
    ann = connect("Ann")
    for callback in [ann.post({"type": "publish", "room": room, "message": number}) for number in range(900)]:
        ann.reply(callback)
    follow = tail(room, "--history", "850", "--exit-after", "850", "--json")
    assert follow.end() == 0
    assert [json.loads(line)["message"] for line in follow.lines] == list(range(50, 900))


def test_history_goes_over_into_the_present(connect, tail, room):
    """Messages come all the time; none is missing between history and present, none comes twice."""
    ann = connect("Ann")
    callbacks = [ann.post({"type": "publish", "room": room, "message": number}) for number in range(300)]
    follow = tail(room, "--history", "1000", "--exit-after", "700", "--json")
    for number in range(300, 700):
        ann.publish(room, number)
    for callback in callbacks:
        ann.reply(callback)
    assert follow.end() == 0
    assert [json.loads(line)["message"] for line in follow.lines] == list(range(700))


def test_it_says_how_to_go_on_and_does(connect, tail, room):
    ann = connect("Ann")
    ann.publish(room, "one")
    follow = tail(room, "--history", "1")
    follow.next()
    assert follow.end(signal.SIGINT) == 0
    said = re.search(rf"roomline tail {room} --since ([0-9a-f]{{16}}:1) --server (\S+)$", "\n".join(follow.errors))
    assert said, follow.errors
    ann.publish(room, "two")
    ann.publish(room, "three")
    again = tail(room, "--since", said[1], "--server", said[2], "--exit-after", "2")
    assert again.end() == 0
    assert [line.rsplit(": ")[1] for line in again.lines] == ["two", "three"]
    assert f"{said[1][:16]}:3" in again.errors[-1]


def test_what_cannot_be_had_is_a_gap(connect, broker, room):
    ann = connect("Ann", channel="short")
    first = ann.publish(room, 0)
    for number in range(1, 30):
        ann.publish(room, number)
    ann.subscribe(room)
    epoch = ann.ask({"type": "rooms"})["rooms"][0]["epoch"]
    since = ["--since", f"{epoch}:{first['seq']}", "--channel", "short", "--exit-after", "10"]
    done = run(broker, "tail", room, "--json", *since)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert events[0] == {"type": "gap", "room": room, "epoch": epoch, "from_seq": 2, "to_seq": 20, "reason": "trimmed"}
    assert [event["message"] for event in events[1:]] == list(range(20, 30))
    text = run(broker, "tail", room, *since).stdout.decode()
    assert f"{room} * 19 messages are lost (trimmed)" in text


def test_several_rooms(connect, tail, room):
    ann = connect("Ann")
    rooms = [f"{room}-{number}" for number in range(3)]
    for name in rooms:
        ann.publish(name, f"in {name}")
    follow = tail(*rooms, "--history", "1")
    assert sorted(follow.next().split(" ", 1)[1] for _ in rooms) == sorted(f"{name} Ann: in {name}" for name in rooms)
    assert follow.end(signal.SIGTERM) == 0
    assert len([line for line in follow.errors if "--since" in line]) == 3


def test_presence(connect, tail, room):
    ann = connect("Ann")
    ann.publish(room, "hello")
    silent = tail(room, "-n", "1")
    assert silent.next().endswith("Ann: hello")
    follow, objects = tail(room, "-n", "1", "--presence"), tail(room, "-n", "1", "--presence", "--json")
    assert follow.next().endswith("Ann: hello")
    while json.loads(objects.next())["type"] != "members":
        pass
    ann.subscribe(room)
    while not (line := follow.next()).endswith(f"{room} * Ann joined"):
        assert "somebody" in line, line
    while (event := json.loads(objects.next()))["type"] != "joined" or event["member"]["id"] != ann.id:
        pass
    assert event["member"]["clientData"] == {"name": "Ann"}
    ann.ask({"type": "unsubscribe", "room": room})
    while not (line := follow.next()).endswith(f"{room} * Ann left"):
        assert "somebody" in line, line
    while json.loads(objects.next())["type"] != "left":
        pass
    ann.publish(room, "bye")
    assert silent.next().endswith("Ann: bye")


def test_it_survives_the_death_of_the_broker(start):
    broker = start()
    port, room = broker.port, f"room-{uuid.uuid4()}"
    assert run(broker, "publish", room, input="1\n2\n3").returncode == 0
    with Command(broker, "tail", room, "-n", "10", "--json") as follow:
        assert [json.loads(follow.next())["seq"] for _ in range(3)] == [1, 2, 3]
        broker.kill()
        follow.wait_for_error("connection lost")
        broker = start(tcp=f"127.0.0.1:{port}")
        assert run(broker, "publish", room, input="4\n5\n6").returncode == 0
        events = [json.loads(follow.next()) for _ in range(3)]
        assert [(event["seq"], event["message"]) for event in events] == [(4, "4"), (5, "5"), (6, "6")]
        assert follow.end(signal.SIGINT) == 0
        assert any("back" in line for line in follow.errors)


def test_it_ends_when_nobody_reads_any_more(connect, broker, room):
    ann = connect("Ann")
    for number in range(5):
        ann.publish(room, number)
    # After what head wants to see comes no other message: only the closed pipe tells.
    command = " ".join(arguments(broker, ["tail", room, "--history", "5"]))
    shell = subprocess.run(
        f"{command} | head -n 1; echo ${{PIPESTATUS[0]}}",
        shell=True, executable="/bin/bash", capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert shell.stdout.decode().splitlines()[1:] == ["0"], shell


def test_a_bad_room_is_refused(broker):
    done = run(broker, "tail", "fine", "x" * 300)
    assert done.returncode == 1 and b"room" in done.stderr


def test_a_message_that_a_terminal_would_obey_is_escaped_on_one(connect, broker, room):
    ann = connect("Ann")
    ann.publish(room, "one\u009b2Jtwo\u202ethree")
    with Terminal(broker, "tail", room, "-n", "1", "--exit-after", "1", "--json", columns=400) as terminal:
        assert "one\\u009b2Jtwo\\u202ethree" in terminal.see("one")
        assert terminal.end() == 0


def test_a_place_in_another_log_is_a_gap(connect, broker, room):
    ann = connect("Ann")
    ann.publish(room, "before")
    with Command(broker, "tail", room, "--since", "0123456789abcdef:4", "--json") as follow:
        gap = json.loads(follow.next())
        assert (gap["type"], gap["reason"]) == ("gap", "epoch")
        ann.publish(room, "now")
        assert json.loads(follow.next())["message"] == "now"
        assert follow.end(signal.SIGTERM) == 0
