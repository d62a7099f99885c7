"""roomline stats --watch: a screen of its own that leaves nothing behind, and lines for scripts."""

import json
import re
import signal
import threading
import time

import pytest

from broker import PATIENCE
from client import Client
from command import Command, Terminal, run


@pytest.fixture
def watched(start, tmp_path):
    return start(admin=tmp_path / "a.sock")


def watch(broker):
    return ["stats", "--watch", "--interval", "100ms", "--socket", str(broker.admin_socket)]


@pytest.mark.parametrize("ending", ["q", "\x03", signal.SIGINT, signal.SIGTERM])
def test_it_shows_what_goes_on_and_leaves_the_terminal_as_it_was(watched, ending):
    with Terminal(None, *watch(watched)) as terminal, Client(watched) as client:
        client.subscribe("lobby")
        terminal.see("  default")
        terminal.wait(lambda rows: any(row.split()[:2] == ["1", "1"] and row.endswith("  default") for row in rows), "the client")
        terminal.wait(lambda rows: any(row.startswith("published/s") and row.split()[1] == "0" for row in rows), "a rate")
        assert len(terminal.screen.text()) <= 24
        if isinstance(ending, str):
            terminal.type(ending)
            assert terminal.end() == 0
        else:
            assert terminal.end(ending) == 0
        assert terminal.is_as_before()
        assert terminal.raw.index(b"\x1b[?1049h") < terminal.raw.rindex(b"\x1b[?1049l")
        assert terminal.raw.rindex(b"\x1b[?25h") > terminal.raw.rindex(b"\x1b[?25l")
        assert b"\x1b[2J" not in terminal.raw, "that would flicker"


def test_keys_sort_the_channels(start, tmp_path):
    broker = start("--channel", "default,history=100", "--channel", "another,history=off", admin=tmp_path / "a.sock")
    with Terminal(None, *watch(broker)) as terminal, Client(broker) as client:
        client.subscribe("lobby")

        def order(rows):
            return [row.split()[-1] for row in rows if row.split()[-1:] in (["default"], ["another"])]

        terminal.wait(lambda rows: order(rows) == ["default", "another"], "the channel with a connection first")
        terminal.type("n")
        terminal.wait(lambda rows: order(rows) == ["another", "default"], "the channels by name")
        terminal.see("▾CHANNEL")
        terminal.type("c")
        terminal.see("▾CONNECTIONS")
        terminal.type("q")
        assert terminal.end() == 0


def test_it_survives_the_broker(start, tmp_path):
    broker = start(admin=tmp_path / "a.sock")
    with Terminal(None, *watch(broker)) as terminal:
        terminal.see("  default")
        broker.kill()
        terminal.see("no broker since ")
        start(admin=tmp_path / "a.sock")
        terminal.see_not("no broker since ")
        terminal.type("q")
        assert terminal.end() == 0


def test_scripts_get_lines(watched):
    with Command(None, *watch(watched), "--json") as command:
        first, second = (json.loads(command.next()) for _ in range(2))
        assert first["time"] < second["time"]
        assert command.end(signal.SIGINT) == 0


def test_without_a_terminal_or_a_broker_there_is_nothing_to_watch(watched, tmp_path):
    refused = run(None, *watch(watched))
    assert refused.returncode == 64 and b"--json" in refused.stderr
    with Terminal(None, "stats", "--watch", "--data", str(tmp_path / "nobody")) as terminal:
        assert terminal.end() == 69
        assert b"\x1b[?1049h" not in terminal.raw


def test_who_reads_slowly_is_named(watched):
    leia = Client(watched, receive_buffer=4096, client_data={"name": "Leia", "color": "teal"})
    with leia, Client(watched, "Luke") as luke:
        for client in (leia, luke):
            client.subscribe("lobby")
        # More than any kernel keeps for a socket that nobody reads.
        for number in range(200):
            luke.publish("lobby", f"{number} {'x' * 60_000}")
        place = ["--socket", str(watched.admin_socket)]
        shown = json.loads(run(None, "stats", "--json", *place).stdout)
        assert shown["slow"] == 1 and shown["members"] == 2
        (slowest,) = shown["slowest"]
        assert slowest["id"] == leia.id and slowest["client_data"]["name"] == "Leia" and slowest["lag"] > 0
        with Terminal(None, *watch(watched), env={"COLORTERM": "truecolor"}) as terminal:
            assert terminal.see("default/lobby").split()[-1] == "Leia"
            terminal.type("q")
            assert terminal.end() == 0
            assert b"\x1b[1;38;2;23;130;130mLeia" in terminal.raw
        with Terminal(None, *watch(watched), env={"NO_COLOR": "1"}) as terminal:
            terminal.see("Leia")
            terminal.type("q")
            assert terminal.end() == 0
            assert b"38;2;" not in terminal.raw


def test_connections_that_wait_for_their_turn_are_named(watched):
    line = b'{"type":"publish","room":"lobby","message":1,"ephemeral":true}\n'
    place = ["--socket", str(watched.admin_socket)]
    end = threading.Event()
    with Client(watched, client_data={"name": "Han"}) as han:

        def flood():
            while not end.is_set():
                han.send_bytes(line * 1_000)

        thread = threading.Thread(target=flood)
        thread.start()
        try:
            shown, deadline = {"busiest": []}, time.monotonic() + PATIENCE
            while not shown["busiest"] and time.monotonic() < deadline:
                shown = json.loads(run(None, "stats", "--json", *place).stdout)
            table = run(None, "stats", *place).stdout.decode()
        finally:
            end.set()
            thread.join()
    assert shown["busy"] <= 1, "alone on the machine, it waits for moments only"
    (busiest,) = shown["busiest"]
    assert busiest["id"] == han.id and busiest["client_data"] == {"name": "Han"} and busiest["address"] == "127.0.0.1"
    assert "LOOP %" in table and "Han" in table


def await_events(broker, command, channel="default"):
    """A stream shows what happens from its beginning on, so clients come and go until it does."""
    deadline = time.monotonic() + PATIENCE
    while not command.lines:
        assert time.monotonic() < deadline
        with Client(broker), Client(broker, channel=channel):
            pass


def test_events_are_followed_across_a_restart(start, tmp_path):
    socket = tmp_path / "a.sock"
    broker = start(admin=socket)

    def events(word):
        return [event for event in map(json.loads, command.lines) if event["event"] == word]

    with Command(None, "events", "--follow", "--json", "--socket", str(socket)) as command:
        await_events(broker, command)
        with Client(broker) as luke:
            luke.subscribe("lobby")
            command.wait(lambda: events("room_changed"), "the room")
            (changed,) = events("room_changed")
            assert (changed["channel"], changed["room"], changed["members"]) == ("default", "lobby", 1)
            assert luke.id in [event["client_id"] for event in events("connected")]
        broker.kill()
        command.wait_for_error("connection lost")
        again = start(admin=socket)
        command.wait_for_error("back")
        command.wait(lambda: events("gap"), "the gap")
        with Client(again) as leia:
            command.wait(lambda: any(leia.id in line for line in command.lines), "Leia")
        assert command.end(signal.SIGINT) == 0


def test_events_end_by_a_signal_without_a_word(start, tmp_path):
    socket = tmp_path / "a.sock"
    broker = start(admin=socket)
    with Command(None, "events", "--follow", "--socket", str(socket)) as command:
        await_events(broker, command)
        assert command.end(signal.SIGTERM) == -signal.SIGTERM
        assert command.errors == []


def test_events_are_lines_of_one_channel(start, tmp_path):
    socket = tmp_path / "a.sock"
    broker = start("--channel", "default", "--channel", "other", admin=socket)
    with Command(None, "events", "--channel", "other", "--socket", str(socket)) as command:
        await_events(broker, command, channel="other")
        line = r"\d{4}-\d\d-\d\d [\d:]{8} \+00:00  (dis)?connected +channel=other client_id=\w+( address=127\.0\.0\.1| reason=client_closed)?"
        assert all(re.fullmatch(line, text) for text in command.lines), command.lines
        broker.kill()
        assert command.end() == 69
