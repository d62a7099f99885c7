"""`roomline publish`: what arrives, in which order, and what the exit code says."""

import json
import re
import signal
import socket
import uuid

import pytest

from client import Client
from command import Command, run
from mounts import inside, small
from test_durability import history


def received(client, count):
    return [client.expect("publish") for _ in range(count)]


def test_one_message_arrives_as_text_and_nothing_is_printed(connect, broker, room):
    ann = connect("Ann")
    ann.subscribe(room)
    done = run(broker, "publish", room, 'hello "world"\n', "--name", "Bob")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    frame = ann.expect("publish", message='hello "world"\n')
    assert frame["sender"]["clientData"] == {"name": "Bob"}


def test_without_a_name_it_is_the_users(connect, broker, room):
    ann = connect("Ann")
    ann.subscribe(room)
    assert run(broker, "publish", room, "hello").returncode == 0
    assert ann.expect("publish")["sender"]["clientData"] == {"name": "tester"}


def test_json_goes_byte_for_byte(connect, broker, room):
    ann = connect("Ann")
    ann.subscribe(room)
    message = '{"b": 1.0, "a":12345678901234567890,"b":1e400}'
    assert run(broker, "publish", room, message, "--json").returncode == 0
    frame = ann.expect("publish")
    assert message.encode() in ann.raw[frame["id"]]


def test_what_is_no_json_is_a_wrong_argument(broker, room):
    done = run(broker, "publish", room, "{oops", "--json")
    assert done.returncode == 64
    assert b"JSON" in done.stderr


def test_lines_arrive_in_their_order(connect, broker, room):
    ann = connect("Ann")
    ann.subscribe(room)
    lines = [f"line {number}" for number in range(5000)]
    done = run(broker, "publish", room, input="\n".join(lines))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert [frame["message"] for frame in received(ann, 5000)] == lines


def test_lines_are_published_as_they_come(connect, broker, room):
    ann = connect("Ann")
    ann.subscribe(room)
    with Command(broker, "publish", room, "--verbose") as publish:
        publish.say("first")
        first = ann.expect("publish", message="first")
        assert publish.next() == f"{first['seq']} {first['id']}"
        publish.say("second")
        second = ann.expect("publish", message="second")
        assert publish.next() == f"{second['seq']} {second['id']}"
        assert publish.end() == 0


def test_blank_lines_and_line_ends(connect, broker, room):
    ann = connect("Ann")
    ann.subscribe(room)
    assert run(broker, "publish", room, input="one\r\n\nthree\n").returncode == 0
    assert [frame["message"] for frame in received(ann, 3)] == ["one", "", "three"]
    assert run(broker, "publish", room, "--json", input='{"a":1}\n\n[2]\n').returncode == 0
    assert [frame["message"] for frame in received(ann, 2)] == [{"a": 1}, [2]]


@pytest.mark.parametrize(
    ("flags", "lines", "bad", "reason"),
    [
        ([], [b"fine", b"x" * 70_000, b"fine"], 2, b"65536"),
        ([], [b"fine", b"fine", b"\xff\xfe"], 3, b"UTF-8"),
        (["--json"], [b"{}", b"{", b"[]"], 2, b"JSON"),
    ],
    ids=["too large", "no text", "no JSON"],
)
def test_what_is_refused_is_named_and_the_rest_is_stored(connect, broker, room, flags, lines, bad, reason):
    ann = connect("Ann")
    ann.subscribe(room)
    done = run(broker, "publish", room, *flags, input=b"\n".join(lines))
    assert done.returncode == 1
    assert f"line {bad}:".encode() in done.stderr and reason in done.stderr
    assert b"1 not stored, 2 stored" in done.stderr
    received(ann, 2)
    assert ann.room_fence(room) == []


def test_no_input_is_no_message(broker, room):
    done = run(broker, "publish", room, input="")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("command", [["publish", "room", "hello"], ["tail", "room"]], ids=lambda command: command[0])
def test_without_a_broker_it_says_how_to_start_one(command):
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    done = run(f"127.0.0.1:{port}", *command)
    assert done.returncode == 69
    assert b"roomline serve" in done.stderr and str(port).encode() in done.stderr
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("command", [["publish", "room", "hello"], ["tail", "room"]], ids=lambda command: command[0])
def test_a_channel_that_is_not_there_is_refused(broker, command):
    done = run(broker, *command, "--channel", "nowhere")
    assert done.returncode == 1
    assert b"--channel" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ["publish"],
        ["publish", "room", "message", "--timeout", "0"],
        ["publish", "room", "message", "--server", "http://localhost"],
        ["publish", "room", "message", "--token-file", "there-is-no-such-file"],
        ["tail"],
        ["tail", "room", "room"],
        ["tail", "room", "--since", "41"],
        ["tail", "one", "two", "--since", "5f3c9a1e7b240d86:41"],
        ["tail", "room", "--exit-after", "0"],
        ["chat", "room", "--color", "infrared"],
        ["chat", "room", "--name", "  "],
        ["chat", "room", "--history", "many"],
    ],
    ids=" ".join,
)
def test_wrong_options_are_explained(broker, command):
    if "--server" in command:
        done = run("http://localhost", *command[: command.index("--server")])
    else:
        done = run(broker, *command)
    assert done.returncode == 64
    assert done.stderr


@pytest.mark.parametrize("name", ["publish", "tail", "chat"])
def test_help_has_examples_and_exit_codes(broker, name):
    done = run(broker, name, "--help")
    assert done.returncode == 0
    for word in ("EXAMPLES", f"roomline {name}", "EXIT CODES", "69", "ROOMLINE_TOKEN", "--channel"):
        assert word in done.stdout.decode(), word
    assert all(len(line) <= 80 for line in done.stdout.decode().splitlines())


def test_lines_survive_the_death_of_the_broker(start):
    broker = start()
    port = broker.port
    room = f"room-{uuid.uuid4()}"
    with Command(broker, "publish", room, "--verbose") as publish:
        publish.say(*[f"before {number}" for number in range(100)])
        for _ in range(100):
            publish.next()
        broker.kill()
        publish.wait_for_error("connection lost")
        publish.say(*[f"meanwhile {number}" for number in range(100)])
        start(tcp=f"127.0.0.1:{port}")
        publish.wait_for_error("back")
        assert publish.end() == 0
        assert len(publish.lines) == 200
    tail = run(f"127.0.0.1:{port}", "tail", room, "--history", "200", "--exit-after", "200", "--json")
    messages = [json.loads(line)["message"] for line in tail.stdout.splitlines()]
    assert messages == [f"before {number}" for number in range(100)] + [f"meanwhile {number}" for number in range(100)]


def test_the_server_can_be_in_the_environment(connect, broker, room, tmp_path):
    ann = connect("Ann")
    ann.subscribe(room)
    with Command(broker, "publish", room, "hello", env={"ROOMLINE_SERVER": "tcp://127.0.0.1:1"}) as publish:
        assert publish.end() == 0, "an option beats the environment"
    ann.expect("publish", message="hello")


def test_what_is_set_for_the_clients_does_not_disturb_a_broker(start):
    with Client(start(env={"ROOMLINE_SERVER": "tcp://127.0.0.1:1", "ROOMLINE_TOKEN": "secret"}), "Ann") as ann:
        ann.ask({"type": "ping"})


def test_messages_go_over_a_websocket_too(connect, broker, room):
    ann = connect("Ann")
    ann.subscribe(room)
    done = run(f"ws://127.0.0.1:{broker.http_port}", "publish", room, input="one\ntwo\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert [frame["message"] for frame in received(ann, 2)] == ["one", "two"]


def test_an_encrypted_websocket_wants_a_certificate_that_is_trusted(start, certificate, room):
    broker = start("--tls-certificate", str(certificate[0]), "--tls-key", str(certificate[1]))
    server, trust = f"wss://localhost:{broker.http_port}", ["--trust", str(certificate[0])]
    assert run(server, "publish", room, "hello", *trust).returncode == 0
    with Command(server, "tail", room, "--json", "--history", "1", *trust) as tail:
        assert json.loads(tail.next())["message"] == "hello"
    refused = run(server, "publish", room, "hello")
    assert refused.returncode == 69 and b"certificate" in refused.stderr, refused.stderr


def test_a_path_without_a_websocket_is_told(broker, room):
    done = run(f"ws://127.0.0.1:{broker.http_port}/nothing", "publish", room, "hello")
    assert done.returncode == 69 and b"404" in done.stderr, done.stderr


def test_who_publishes_and_leaves_in_one_write_is_heard_by_the_others(connect, room):
    """An unsubscribe does not wait for the room: its reply is the end of the deliveries, whether or not the message has come."""
    ann, ben = connect("Ann"), connect("Ben")
    ben.subscribe(room)
    for number in range(1, 51):
        ann.subscribe(room)
        publish = {"type": "publish", "room": room, "message": number, "callback": 2 * number + 1000}
        leave = {"type": "unsubscribe", "room": room, "callback": 2 * number + 1001}
        for frame in (publish, leave):
            ann.note(json.dumps(frame))
        ann.send_bytes("".join(json.dumps(frame) + "\n" for frame in (publish, leave)).encode())
        assert "error" not in ann.reply(leave["callback"])
        ann.inbox.clear()
        assert ann.reply(publish["callback"])["seq"] == number
        ben.expect("publish", message=number)
        assert ann.fence() == []


def test_the_http_port_is_named(broker, room):
    done = run(f"tcp://127.0.0.1:{broker.http_port}", "publish", room, "hello")
    assert done.returncode != 0 and b"this is an HTTP port; use ws://" in done.stderr, done


def test_the_same_message_id_publishes_the_same_lines_once(connect, broker, room):
    ann = connect("Ann")
    ann.subscribe(room)
    id = uuid.uuid4()
    for expected in (["one", "two"], ["three"], []):
        lines = {2: ["one", "two"], 1: ["one", "two", "three"], 0: ["one", "two", "three"]}[len(expected)]
        done = run(broker, "publish", room, "--message-id", str(id), input="\n".join(lines))
        assert (done.returncode, done.stderr) == (0, b"")
        assert [frame["message"] for frame in received(ann, len(expected))] == expected
    assert run(broker, "publish", room, "one", "--message-id", str(id)).returncode == 0
    done = run(broker, "publish", room, "other", "--message-id", str(id))
    assert done.returncode == 1 and b"message_id was already used" in done.stderr
    assert ann.room_fence(room) == []
    assert run(broker, "publish", room, "x", "--message-id", "7").returncode == 64


def test_one_trouble_of_many_lines_is_told_once(broker, room):
    done = run(broker, "publish", room, "--json", input="{}\n" + "{oops\n" * 50 + "[]\n")
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 1 and len(lines) == 3, lines
    assert lines[0].startswith("roomline: line 2: this is not JSON")
    assert lines[1].startswith("roomline: the same of 49 more lines from line 2 to line 51: this is not JSON")
    assert lines[2] == "roomline: 50 not stored, 2 stored"


def test_a_full_disk_is_told_once_and_the_same_can_be_published_later(start, mountable):
    broker = start("--channel", "default,history=100000", preexec=small(mountable, 6), data=mountable)
    lines = [f"line {number} {'x' * 60_000}" for number in range(20)]
    with Client(broker, "Ann") as ann:
        while "error" not in ann.request({"type": "publish", "room": "other", "message": lines[0]}):
            pass
        done = run(broker, "publish", "room", "--timeout", "3", input="\n".join(lines))
        errors = done.stderr.decode().splitlines()
        assert done.returncode == 1 and len(errors) == 3, errors
        assert errors[0].startswith("roomline: line 1: the message was not stored: the broker's disk is full"), errors
        assert errors[1].startswith("roomline: the same of 19 more lines from line 1 to line 20: "), errors
        id = re.match("roomline: 20 not stored, 0 stored; .* --message-id ([0-9a-f-]{36}) ", errors[2])[1]
        inside(broker, "mount", "-o", "remount,size=64m", str(mountable))
        for _ in range(2):
            assert run(broker, "publish", "room", "--message-id", id, input="\n".join(lines)).returncode == 0
        ann.subscribe("room")
        assert [frame["message"] for frame in history(ann, "room")] == lines


LINES = [f"line {number}" for number in range(2_000)]


def published_again(start, broker, error):
    """The messages of the room once the same is published again, as the error says."""
    again = start("--channel", "default,history=10000", data=broker.data)
    id = re.search("--message-id ([0-9a-f-]{36}) ", error)[1]
    assert run(again, "publish", "room", "--message-id", id, input="\n".join(LINES)).returncode == 0
    with Client(again, "Ann") as ann:
        ann.subscribe("room")
        return [frame["message"] for frame in history(ann, "room")]


def test_a_file_is_not_read_on_behind_a_time_out(start, tmp_path):
    broker = start("--channel", "default,history=10000", "--publish-rate", "500")
    lines = tmp_path / "lines"
    lines.write_text("\n".join(LINES))
    with lines.open() as file, Command(broker, "publish", "room", "--verbose", "--timeout", "1", stdin=file) as publish:
        publish.next()
        broker.process.send_signal(signal.SIGSTOP)
        publish.wait_for_error("no acknowledgement")
        broker.kill()
        assert publish.end() == 1
    assert re.search(r" stored, and those behind line \d+ not sent; ", publish.errors[-1]), publish.errors
    assert published_again(start, broker, publish.errors[-1]) == LINES


def test_what_is_interrupted_says_how_to_go_on(start):
    broker = start("--channel", "default,history=10000")
    with Command(broker, "publish", "room", "--verbose") as publish:
        publish.say(*LINES[:10])
        publish.wait(lambda: len(publish.lines) == 10, "ten acknowledgements")
        broker.kill()
        publish.say(*LINES[10:20])
        publish.wait_for_error("connection lost")
        assert publish.end(send=signal.SIGINT) == -signal.SIGINT
    assert publish.errors[-1].startswith("roomline: interrupted: 10 stored, "), publish.errors
    assert published_again(start, broker, publish.errors[-1]) == LINES


def test_what_cannot_be_printed_is_a_failure_but_everything_is_published(connect, broker, room):
    ann = connect("Ann")
    ann.subscribe(room)
    with open("/dev/full", "wb") as full:
        publish = Command(broker, "publish", room, "--verbose", stdout=full)
        with publish:
            publish.say("one", "two")
            assert publish.end() == 1
            assert publish.errors == ["roomline: standard output cannot be written to: No space left on device"]
    assert [frame["message"] for frame in received(ann, 2)] == ["one", "two"]
