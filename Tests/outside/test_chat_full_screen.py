"""`roomline chat` on the full screen of a terminal."""

import re
import signal
import uuid

import pytest

from broker import PATIENCE
from command import Terminal
from full_screen import Grid
from tokens import token


@pytest.fixture
def chat(broker):
    """Opens chats at terminals, and closes them whatever happens."""
    opened = []

    def chat(*command, **options):
        opened.append(Terminal(broker, "chat", *command, screen=Grid, **options))
        return opened[-1]

    yield chat
    for terminal in opened:
        terminal.__exit__()


@pytest.fixture
def place():
    return f"place-{uuid.uuid4().hex[:8]}"


def test_two_people_talk(chat, place):
    luke = chat(place, "--name", "Luke", "--color", "#2e7d32", env={"COLORTERM": "truecolor"})
    luke.see("│ Luke you")
    leia = chat(place, "--name", "Leia", columns=160, rows=50)
    leia.see("│ Luke")
    luke.see("│ Leia")
    luke.see("→ Leia joined")
    luke.type("hello\r")
    assert re.search(r"│\d\d:\d\d Luke: hello *│", leia.see("Luke: hello"))
    leia.type("hi Luke!\r")
    luke.see("Leia: hi Luke!")
    # Her message names him: the bell rings there, and not here.
    assert (luke.screen.bells, leia.screen.bells) == (1, 0)
    assert "1;38;2;65;131;68" in luke.screen.styles and "1;38;5;29" in leia.screen.styles
    luke.see("Luke: hello")
    assert sum("Luke: hello" in row for row in luke.screen.text()) == 1
    leia.type("/quit\r")
    assert leia.end() == 0
    luke.see("← Leia left")
    luke.type("\x04")
    assert luke.end() == 0


def test_rooms_beside_each_other(connect, chat, place):
    other = f"{place}-2"
    ann = connect("Ann")
    ann.subscribe(other, presence=True)
    ann.expect("observable_members")
    bob = chat(place, "--name", "Bob", columns=120)
    bob.see(f"1 {place} ")
    bob.type(f"/join {other}\r")
    ann.expect("observable_member_join")
    bob.see("│ Ann")
    bob.type("\x10")
    bob.wait(lambda rows: rows[0].startswith(f" {place} "), "the first room")
    ann.publish(other, "Bob, are you there?")
    bob.see("1!│")
    assert not any("are you there" in row for row in bob.screen.text())
    bob.type("\x0e")
    bob.see("─ new ─")
    bob.see("Ann: Bob, are you there?")
    bob.type("/leave\r")
    while ann.next()["type"] != "observable_member_leave":
        pass
    bob.wait(lambda rows: rows[0].startswith(f" {place} "), "the first room")


def test_several_rooms_are_named_at_the_start(chat, place):
    bob = chat(place, f"{place}-2", "--name", "Bob")
    bob.see(f"2 {place}-2")
    bob.type("\x1b2")
    bob.wait(lambda rows: rows[0].startswith(f" {place}-2 · 1 member "), "the second room")


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (160, 50), (200, 60)])
def test_the_screen_is_divided_by_its_size(connect, chat, place, size):
    columns, rows = size
    ann = connect("Ann")
    ann.subscribe(place)
    bob = chat(place, "--name", "Bob", columns=columns, rows=rows)
    bob.see("Ann")
    text = bob.wait(lambda rows: rows if rows[-1].startswith("Bob>") else None, "the prompt")
    assert len(text) == rows
    separators = {row.count("│") for row in text[1:-2]}
    assert separators == ({0} if columns < 70 else {2})


def test_history_is_loaded_page_by_page(connect, chat, room):
    ann = connect("Ann")
    for number in range(150):
        ann.publish(room, f"message {number}.")
    bob = chat(room, "--history", "30")
    bob.see("message 149.")
    while not any("message 0." in row for row in bob.screen.text()):
        before = bob.screen.text()
        bob.type("\x1b[5~")
        bob.wait(lambda rows: rows != before, "another page")
    bob.see("more below")
    bob.type("\x1b")
    bob.see("message 149.")


def test_a_search_finds_what_is_loaded(connect, chat, room):
    ann = connect("Ann")
    for number in range(60):
        ann.publish(room, f"message {number}.")
    bob = chat(room, "--history", "60")
    bob.see("message 59.")
    bob.type("\x12MESSAGE 7")
    bob.see("search: MESSAGE 7")
    bob.see(": message 7.")
    bob.type("\x03")
    bob.see("message 59.")


def test_a_paste_keeps_its_lines(connect, chat, room):
    ann = connect("Ann")
    ann.subscribe(room)
    bob = chat(room, "--name", "Bob")
    bob.see("Bob>")
    bob.type("\x1b[200~two\n  lines\x1b[31m\x1b[201~")
    bob.wait(lambda rows: rows[-2:] == ["Bob> two", "       lines[31m"], "the two lines")
    bob.type("\r")
    while (frame := ann.next())["message"] != "two\n  lines[31m":
        assert frame["message"] == {"typing": True}
    bob.see("Bob: two")
    bob.type("\x1b[200~" + "line\n" * 9 + "\x1b[201~")
    bob.see("Paste 9 lines? y or Enter: yes, n or Escape: no")
    bob.type("n")
    bob.see_not("Paste")


def test_nobody_can_take_over_the_terminal(connect, chat, place):
    """`Grid` allows nothing but the few codes of the chat's own."""
    evil = connect("Leia: I give up\n12:00 Han\u001b]0;title\u0007")
    evil.subscribe(place)
    bob = chat(place, "--name", "Bob", columns=100)
    bob.see("Leia I give up")
    bob.type("draft")
    evil.publish(place, "\u001b[?1049l\u001b[2J\u009b5A\r\u2028\u202egone\u0000\u007f" + " " * 120 + "12:00 Luke: forged")
    evil.publish(place, "one\n12:00 Luke: forged too")
    evil.publish(place, {"key": "\u0085\u009d0;x"})
    evil.publish(place, "日本語 👩‍👩‍👧 e\u0301\u0302 " * 10)
    evil.publish(place, "fence")
    bob.see("fence")
    bob.see("Bob> draft")
    assert bob.screen.bells == 0
    assert not any(re.search(r"│12:00 Luke", row) for row in bob.screen.text())


def test_what_comes_over_rest_reads_like_a_message(chat, rest, room):
    bob = chat(room, "--name", "Bob")
    bob.see("Bob>")
    rest.publish("default", room, '{"text":"hello from a server"}')
    bob.see("REST: hello from a server")


def test_an_unknown_moderator_is_told_plainly(broker, chat, place):
    env = {"ROOMLINE_TOKEN": token(broker, "ajar", data={"id": "u7"})}
    bob = chat(place, "--channel", "ajar", "--name", "Bob", env=env, columns=100)
    bob.see("Bob (user u7)")
    bob.type("/lock\r")
    bob.see("you are not a moderator here")


def test_no_color(connect, chat, place):
    bob = chat(place, "--color", "red", env={"NO_COLOR": "1"})
    bob.see("│ tester you")
    assert bob.screen.styles <= {"0", "1", "2", "7", "4;7"}


@pytest.mark.parametrize("end", ["ctrl-d", "ctrl-c", "SIGTERM", "SIGHUP", "SIGINT"])
def test_the_terminal_is_given_back(chat, room, end):
    bob = chat(room)
    bob.see("tester>")
    assert not bob.is_as_before() and bob.screen.modes == {"1049", "2004", "25"}
    if end.startswith("SIG"):
        code = bob.end(signal.Signals[end])
    else:
        bob.type({"ctrl-d": "\x04", "ctrl-c": "not this\x03\x03"}[end])
        code = bob.end()
    assert code == 0
    assert bob.is_as_before() and bob.screen.modes == {"25", "7"}


def test_a_crash_gives_the_terminal_back(chat, room):
    bob = chat(room, env={"SWIFT_BACKTRACE": "enable=no"})
    bob.see("tester>")
    assert bob.end(signal.SIGSEGV) == -signal.SIGSEGV
    assert bob.is_as_before() and bob.screen.modes == {"25", "7"}


@pytest.mark.parametrize("how", ["signal", "key"])
def test_it_stops_and_goes_on(chat, room, how):
    bob = chat(room)
    bob.type("half")
    bob.see("tester> half")
    if how == "signal":
        bob.process.send_signal(signal.SIGTSTP)
    else:
        bob.type("\x1a")
    bob.see_not("tester>")
    while b"State:\tT" not in open(f"/proc/{bob.process.pid}/status", "rb").read():
        pass
    assert bob.is_as_before() and bob.screen.modes == {"25", "7"}
    bob.process.send_signal(signal.SIGCONT)
    bob.see("tester> half")
    assert not bob.is_as_before() and "1049" in bob.screen.modes
    bob.type(" and half\r")
    bob.see("tester: half and half")


def test_it_ends_when_the_terminal_goes_away(chat, room):
    bob = chat(room)
    bob.see("tester>")
    bob.hang_up()
    bob.process.wait(PATIENCE)


def test_another_size_of_the_window(connect, chat, place):
    ann = connect("Ann")
    ann.subscribe(place)
    bob = chat(place, "--name", "Bob", columns=80)
    bob.see("│ Ann")
    bob.type("a line that is edited")
    bob.see("is edited")
    for columns, rows, has_sides in [(60, 15, False), (200, 60, True), (20, 4, False)]:
        bob.resize(columns, rows)
        bob.process.send_signal(signal.SIGWINCH)
        bob.wait(
            lambda text: "is edited" in text[-1] and any("│" in row for row in text) == has_sides,
            "the prompt in the last row, with the columns beside the messages or without them",
        )
    bob.type("!")
    bob.see("is edited!")


def test_only_what_changes_is_written(connect, chat, room):
    bob = chat(room, "--name", "Bob", columns=160, rows=50)
    bob.see("Bob>")
    bob.type("a")
    bob.see("Bob> a")
    before = bob.screen.written
    bob.type("b")
    bob.see("Bob> ab")
    assert bob.screen.written - before < 2 * 160 + 100


def test_it_survives_the_death_of_the_broker(start):
    broker = start()
    port, room = broker.port, f"place-{uuid.uuid4().hex[:8]}"
    with Terminal(broker, "chat", room, "--name", "Bob", screen=Grid) as bob:
        bob.see("│ Bob you")
        broker.kill()
        bob.see("connection lost, next attempt in")
        bob.see("Enter tries now")
        bob.type("\r")
        bob.type("meanwhile\r")
        bob.see("1 message not sent yet")
        bob.see("Bob: meanwhile")
        start(tcp=f"127.0.0.1:{port}")
        bob.see("connected again")
        bob.see_not("not sent yet")
        assert sum("Bob: meanwhile" in row for row in bob.screen.text()) == 1
        bob.type("/quit\r")
        assert bob.end() == 0


def test_the_end_of_the_connection_gives_the_terminal_back(administered, shell):
    with Terminal(administered, "chat", "place-end", "--name", "Bob", columns=120, screen=Grid) as bob:
        bob.see("│ Bob you")
        bob.type("/who\r")
        member = re.search(r"Bob  id (\w+) \(you\)", bob.see("(you)"))[1]
        bob.type("half a sentence")
        bob.see("half a sentence")
        shell.run("member", "kick", member, "--reason", "off topic")
        assert bob.end() == 1
        bob.see("the connection is over: a moderator has kicked you")
        bob.see("off topic")
        bob.see("you were typing, and it is not sent: half a sentence")
        assert bob.is_as_before() and bob.screen.modes == {"25", "7"}


def test_who_is_taken_out_of_a_room_learns_why_and_can_come_back(broker, place):
    claims = {"permissions": {".*": {"publish": True, "subscribe": True, "history": 100, "moderate": True}}}
    env = {"ROOMLINE_TOKEN": token(broker, "ajar", **claims)}
    options = {"columns": 120, "screen": Grid}
    command = ["chat", place, "--channel", "ajar", "--name"]
    with Terminal(broker, *command, "Luke", env=env, **options) as luke, Terminal(broker, *command, "Leia", env={"ROOMLINE_TOKEN": token(broker, "ajar")}, **options) as leia:
        luke.see("│ Leia")
        leia.see("│ Luke")
        luke.type("/kick Leia enough is enough\r")
        luke.see(" is out of this room")
        leia.see(f'· you were removed from "{place}": enough is enough; /join')
        leia.type("/join " + place + "\r")
        luke.see("→ Leia joined")
        leia.see("│ Luke")


def test_leaving_with_something_unsent_is_a_decision(start):
    broker = start()
    with Terminal(broker, "chat", "room", "--name", "Bob", screen=Grid) as bob:
        bob.see("Bob>")
        broker.kill()
        bob.see("connection lost")
        bob.type("unsent\r/quit\r")
        bob.see("waiting for 1 message, Ctrl-C leaves now")
        bob.type("\x03")
        assert bob.end() == 1
        bob.see("1 of your messages may be lost: it was not acknowledged")
        assert "  unsent" in bob.screen.text()
        assert bob.is_as_before()


def test_a_broker_without_the_channel_gives_back_what_was_not_sent(start):
    broker = start("--channel", "talk", data=":memory:")
    port = broker.port
    with Terminal(broker, "chat", "room", "attic", "--channel", "talk", "--name", "Bob", columns=120, screen=Grid) as bob:
        bob.see("│ Bob you")
        bob.see("2 attic")
        broker.kill()
        bob.see("connection lost")
        bob.type("one\x1b\rtwo\r\x1b2three\r")
        bob.see("2 messages not sent yet")
        start("--channel", "other", data=":memory:", tcp=f"127.0.0.1:{port}")
        assert bob.end() == 1
        bob.see('the connection is over: there is no channel "talk"')
        bob.see("2 of your messages may be lost: they were not acknowledged")
        bob.see("  room: one\\ntwo")
        bob.see("  attic: three")
        assert bob.is_as_before()


def test_a_broker_that_is_not_there_leaves_the_screen_alone():
    with Terminal("tcp://127.0.0.1:1", "chat", screen=Grid) as bob:
        assert bob.end() == 69 and b"roomline serve" in bob.raw
        assert b"1049" not in bob.raw and bob.is_as_before()
