"""`roomline chat` in line mode: in a pipe, and at a terminal with somebody who types."""

import re
import signal
import uuid

import pytest

from broker import PATIENCE
from command import Command, Terminal, run


@pytest.fixture
def chat(broker):
    """Opens chats at terminals, and closes them whatever happens."""
    opened = []

    def chat(*command, **options):
        opened.append(Terminal(broker, "chat", *command, "--line-mode", **options))
        return opened[-1]

    yield chat
    for terminal in opened:
        terminal.__exit__()


# In a pipe


def test_in_a_pipe_each_line_is_a_message(connect, broker, room):
    ann = connect("Ann")
    ann.subscribe(room)
    done = run(broker, "chat", room, "--name", "Bob", input="hello\n/quit\nlast")
    assert (done.returncode, done.stderr) == (0, b"")
    assert [frame["message"] for frame in ann.messages(3)] == ["hello", "/quit", "last"]
    lines = done.stdout.decode().splitlines()
    assert [re.sub(r"^\d\d:\d\d ", "", line) for line in lines] == [
        "· here: Ann, Bob (you)", "Bob: hello", "Bob: /quit", "Bob: last",
    ]


def test_a_pipe_gets_no_control_codes(connect, broker, observable):
    evil = connect("\u001b[31mEvil\u202e")
    evil.subscribe(observable)
    evil.publish(observable, "\u001b[2Jtext\u009b\nforged")
    done = run(broker, "chat", observable, "--color", "red", input="hello\n", env={"COLORTERM": "truecolor"})
    assert done.returncode == 0
    assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae", done.stdout), done.stdout
    lines = done.stdout.decode().splitlines()
    assert [line[6:] for line in lines if "text" in line] == ["[31mEvil: [2Jtext forged"]
    assert any("here: [31mEvil, tester (you)" in line for line in lines), lines


def test_in_a_pipe_a_refused_line_is_named(broker, room):
    done = run(broker, "chat", room, input="fine\n" + "x" * 70_000)
    assert done.returncode == 1
    assert b"line 2:" in done.stderr


def test_others_are_seen_until_the_input_ends(connect, broker, observable):
    with Command(broker, "chat", observable, "--name", "Bob") as pipe:
        assert pipe.next() == "· nobody else is here"
        ann = connect("Ann")
        ann.subscribe(observable)
        assert pipe.next().endswith("→ Ann joined")
        ann.publish(observable, "hello")
        assert pipe.next().endswith("Ann: hello")
        ann.ask({"type": "update", "client_data": {"name": "Queen Ann"}})
        assert pipe.next().endswith("· Ann is Queen Ann now")
        ann.close()
        assert pipe.next().endswith("← Queen Ann left")
        assert pipe.end() == 0


# At a terminal


def test_two_people_talk(chat, observable):
    luke = chat(observable, "--name", "Luke", "--color", "#2e7d32")
    luke.see("nobody else is here")
    leia = chat(observable, "--name", "Leia")
    leia.see("here: Luke, Leia (you)")
    luke.see("→ Leia joined")
    luke.type("hello\r")
    assert re.match(r"\d\d:\d\d Luke: hello$", leia.see("Luke: hello"))
    leia.type("hi\r")
    luke.see("Leia: hi")
    assert "1;38;5;29" in luke.screen.styles and "1;38;5;29" in leia.screen.styles
    leia.type("/quit\r")
    assert leia.end() == 0
    luke.see("← Leia left")
    luke.type("\x04")
    assert luke.end() == 0


def test_the_line_being_typed_survives_what_comes_in(connect, chat, room):
    ann = connect("Ann")
    ann.subscribe(room)
    bob = chat(room, "--name", "Bob")
    bob.see("Bob>")
    bob.type("hel")
    bob.see("Bob> hel")
    for number in range(30):
        ann.publish(room, f"message {number}")
    bob.see("message 29")
    bob.type("lo")
    bob.see("Bob> hello")
    rows = [row for row in bob.screen.text() if row]
    assert rows[-2] == "Bob> hello" and rows[-1].startswith(room[:20])
    assert [row.split(": ")[1] for row in rows[:-2] if "Ann: " in row] == [f"message {number}" for number in range(30)]
    bob.type("\x01\x1b[C\x7fJ\x05!\r")
    while ann.next()["message"] != "Jello!":
        pass


def test_history_on_entry_and_on_demand(connect, chat, room):
    ann = connect("Ann")
    for number in range(40):
        ann.publish(room, f"message {number}")
    bob = chat(room, "--history", "5", rows=60)
    bob.see("message 39")
    assert not any("message 34" in row for row in bob.screen.text())
    bob.type("/history 10\r")
    bob.see("10 older")
    bob.see("message 34")
    assert not any("message 24" in row for row in bob.screen.text())
    bob.type("/history 1000\r")
    bob.see("25 older")
    bob.see("message 0")
    bob.type("/history\r")
    bob.see("there is nothing older")


def test_without_history_it_begins_now(connect, chat, room):
    ann = connect("Ann", channel="fleeting")
    ann.subscribe(room)
    ann.publish(room, "before")
    bob = chat(room, "--channel", "fleeting")
    bob.type("hello\r")
    bob.see("tester: hello")
    bob.type("/history\r")
    bob.see("keeps no history")


def test_typing_is_told_and_seen(connect, chat, text, observable):
    ann = connect("Ann")
    ann.subscribe(observable)
    bob = chat(observable, "--name", "Bob")
    bob.see("Ann, Bob")
    ann.expect("observable_members")
    ann.expect("observable_member_join")
    ann.publish(observable, {"typing": True}, ephemeral=True)
    bob.see("Ann is typing…")
    ann.publish(observable, "done")
    bob.see_not("is typing")
    bob.type("/who")
    bob.see("Bob> /who")
    bob.type("\x15hm")
    ann.expect("publish", message={"typing": True})
    ann.expect("publish", message="done")


def test_commands(connect, chat, observable):
    ann = connect("Ann", client_data={"name": "Ann", "color": "teal"})
    ann.subscribe(observable)
    ann.expect("observable_members")
    bob = chat(observable, "--name", "Bob", rows=60)
    ann.expect("observable_member_join")
    bob.see("here: Ann")
    bob.type("/color HotPink\r")
    frame = ann.expect("observable_member_update")
    assert frame["data"]["clientData"] == {"name": "Bob", "color": "#ff69b4"}
    bob.type("/name Bobby\r")
    frame = ann.expect("observable_member_update")
    assert frame["data"]["clientData"] == {"name": "Bobby", "color": "#ff69b4"}
    bob.see("you are Bobby")
    bob.type("/who\r")
    bob.see("here: Ann, Bobby (you)")
    bob.type("/color infrared\r")
    bob.see("infrared is no colour")
    bob.type("/dance\r")
    bob.see("there is no /dance")
    bob.type("/help\r")
    for command in ("/who", "/name", "/color", "/history", "/quit"):
        bob.see(f"· {command}")
    bob.see("Ctrl-K, Ctrl-U, Ctrl-W")
    bob.type("//slash\r")
    bob.see("Bobby: /slash")
    bob.type("A\t!\r")
    bob.see("Bobby: Ann: !")


def test_nobody_can_forge_a_line_or_take_over_the_terminal(connect, chat, observable):
    """`Screen` allows nothing but the few codes of the chat's own."""
    evil = connect("Leia: I give up\n12:00 Han\u001b]0;title\u0007")
    evil.subscribe(observable)
    bob = chat(observable, "--name", "Bob", columns=60)
    bob.see("here: Leia I give up")
    bob.type("draft")
    evil.publish(observable, "\u001b[?1049h\u001b[2J\u009b5A\r\u2028\u202egone\u0000\u007f" + " " * 120 + "12:00 Luke: forged")
    evil.publish(observable, {"key": "\u0085\u009d0;x"})
    evil.publish(observable, "fence")
    bob.see("fence")
    bob.see("Bob> draft")
    assert b"1049" not in re.sub(rb"\[\?1049h", b"", bob.raw)
    assert not re.search(rb"\xc2[\x80-\x9f]", bob.raw)
    assert not any(row.startswith("12:00 Luke") for row in bob.screen.text())
    assert all(row.startswith(("        ", "·", "Bob>", observable[:20])) or re.match(r"\d\d:\d\d ", row) for row in bob.screen.text() if row)


def test_no_color(connect, chat, observable):
    bob = chat(observable, "--color", "red", env={"NO_COLOR": "1"})
    bob.see("nobody else is here")
    assert bob.screen.styles <= {"0", "1", "2"}


def test_a_dumb_terminal_gets_plain_lines(connect, chat, room):
    bob = chat(room, "--name", "Bob", env={"TERM": "dumb"})
    bob.type("hello\n")
    bob.see("Bob: hello")
    assert b"\x1b" not in bob.raw
    bob.type("/quit\n")
    assert bob.end() == 0


def test_the_color_of_a_name_is_that_of_the_text_clients(connect, chat, text):
    """Without a colour of its own a member has the one that the broker gives text clients of that name."""
    names = [f"N{uuid.uuid4().hex[:6]}" for _ in range(5)]
    ann = connect("Ann")
    ann.subscribe("lobby")
    colors = {}
    for name in names:
        text().join(name).say("msg:hello")
        while (frame := ann.next()).get("message") != "hello" or frame["sender"]["clientData"]["name"] != name:
            pass
        colors[name] = frame["sender"]["clientData"]["color"]
    room = f"room-{uuid.uuid4()}"
    bob = chat(room, env={"COLORTERM": "truecolor"})
    bob.see("tester>")
    for name in names:
        bob.screen.styles.clear()
        for data in ({"name": name}, {"name": name, "color": colors[name]}):
            other = connect(client_data=data)
            other.publish(room, f"{len(data)} from {name}")
        # Those of two connections come in any order; "2 NAME" alone would also be in a line that begins with "13:22 NAME".
        bob.see(f"1 from {name}")
        bob.see(f"2 from {name}")
        assert len([style for style in bob.screen.styles if style.startswith("1;38;2")]) == 2, "this name's and the prompt's"


@pytest.mark.parametrize("end", ["ctrl-d", "ctrl-c", "SIGTERM", "SIGHUP", "SIGINT"])
def test_the_terminal_is_given_back(chat, room, end):
    bob = chat(room)
    bob.see("tester>")
    assert not bob.is_as_before()
    if end.startswith("SIG"):
        code = bob.end(signal.Signals[end])
    else:
        bob.type({"ctrl-d": "\x04", "ctrl-c": "not this\x03\x03"}[end])
        code = bob.end()
    assert code == 0
    assert bob.is_as_before()
    assert bob.raw.count(b"\x1b[?2004h") == bob.raw.count(b"\x1b[?2004l") == 1
    assert not any("tester>" in row for row in bob.screen.text()), "the prompt is taken away"


def test_a_crash_gives_the_terminal_back(chat, room):
    bob = chat(room, env={"SWIFT_BACKTRACE": "enable=no"})
    bob.see("tester>")
    assert bob.end(signal.SIGSEGV) == -signal.SIGSEGV
    assert bob.is_as_before()


def test_it_stops_and_goes_on(chat, room):
    bob = chat(room)
    bob.type("half")
    bob.see("tester> half")
    bob.process.send_signal(signal.SIGTSTP)
    bob.see_not("tester>")
    while b"State:\tT" not in open(f"/proc/{bob.process.pid}/status", "rb").read():
        pass
    assert bob.is_as_before()
    bob.process.send_signal(signal.SIGCONT)
    bob.see("tester> half")
    assert not bob.is_as_before()
    bob.type(" and half\r")
    bob.see("tester: half and half")


def test_it_ends_when_the_terminal_goes_away(chat, room):
    bob = chat(room)
    bob.see("tester>")
    bob.hang_up()
    bob.process.wait(PATIENCE)


def test_a_narrower_window(chat, room):
    bob = chat(room, columns=80)
    bob.type("a line of some length that is edited")
    bob.see("that is edited")
    bob.resize(30, 10)
    bob.process.send_signal(signal.SIGWINCH)
    bob.see("tester>…")
    bob.type("!")
    bob.see("is edited!")


def test_a_paste_is_one_line(connect, chat, room):
    ann = connect("Ann")
    ann.subscribe(room)
    bob = chat(room)
    bob.see("tester>")
    bob.type("\x1b[200~two\nlines\x1b[31m\x1b[201~")
    bob.see("tester> two lines[31m")
    bob.type("\r")
    while (frame := ann.next())["message"] != "two lines[31m":
        assert frame["message"] == {"typing": True}


def test_it_survives_the_death_of_the_broker(start):
    broker = start()
    port, room = broker.port, f"observable-{uuid.uuid4()}"
    with Terminal(broker, "chat", room, "--name", "Bob", "--line-mode") as bob:
        bob.see("nobody else is here")
        broker.kill()
        bob.see("connection lost")
        bob.type("meanwhile\r")
        bob.see("not sent yet")
        start(tcp=f"127.0.0.1:{port}")
        bob.see("· back")
        bob.see("Bob: meanwhile")
        bob.see_not("not sent yet")
        bob.type("/quit\r")
        assert bob.end() == 0


def test_leaving_with_something_unsent_is_a_decision(start):
    broker = start()
    with Terminal(broker, "chat", "room", "--name", "Bob", "--line-mode") as bob:
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
    with Terminal(broker, "chat", "room", "--channel", "talk", "--name", "Bob", "--line-mode", columns=120) as bob:
        bob.see("Bob>")
        broker.kill()
        bob.see("connection lost")
        bob.type("one\rtwo\r")
        bob.see("2 messages not sent yet")
        start("--channel", "other", data=":memory:", tcp=f"127.0.0.1:{port}")
        assert bob.end() == 1
        bob.see('there is no channel "talk"')
        bob.see("2 of your messages may be lost: they were not acknowledged")
        assert bob.screen.text().count("  one") == 1 and "  two" in bob.screen.text()


@pytest.mark.parametrize("command", [["chat", "room"], ["tail", "room"], ["publish", "room", "hello"]])
def test_a_channel_that_is_not_there_is_named(broker, command):
    done = run(broker, *command, "--channel", "nope")
    assert done.returncode == 1
    assert done.stderr.decode().startswith('roomline: there is no channel "nope"; ')
