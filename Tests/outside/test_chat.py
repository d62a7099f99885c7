"""`roomline chat` for those who type: commands, names, history, and where it is no chat at all."""

import uuid

import pytest

from command import Terminal, run
from full_screen import Grid


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


@pytest.mark.parametrize("where", ["a pipe", "a dumb terminal"])
def test_without_a_full_screen_it_names_the_commands_for_lines(broker, room, where):
    if where == "a pipe":
        done = run(broker, "chat", room, input="hello\n")
        code, said = done.returncode, done.stderr
    else:
        with Terminal(broker, "chat", room, env={"TERM": "dumb"}) as bob:
            code, said = bob.end(), bob.raw
    assert code == 64
    assert b"chat needs a terminal" in said and b"roomline publish ROOM" in said and b"roomline tail ROOM" in said


def test_history_on_entry_and_on_demand(connect, chat, room):
    ann = connect("Ann")
    for number in range(40):
        ann.publish(room, f"message {number}")
    bob = chat(room, "--history", "5", rows=60)
    bob.see("message 39")
    assert not any("message 34" in row for row in bob.screen.text())
    bob.type("/history 10\r")
    bob.see("message 25")
    assert not any("message 24" in row for row in bob.screen.text())
    bob.type("/history 1000\r")
    bob.see("message 0")
    bob.type("/history\r")
    bob.see("there is nothing older")


def test_without_history_it_begins_now(connect, chat, room):
    ann = connect("Ann", channel="fleeting")
    ann.subscribe(room)
    ann.publish(room, "before")
    bob = chat(room, "--channel", "fleeting")
    bob.type("hello\r")
    bob.see("─ this channel keeps no history ─")
    bob.see("tester: hello")
    bob.type("/history\r")
    bob.see("· this channel keeps no history")
    bob.see_not("Ann: before")


def test_typing_is_told_and_seen(connect, chat, observable):
    ann = connect("Ann")
    ann.subscribe(observable)
    bob = chat(observable, "--name", "Bob")
    bob.see("│ Bob you")
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
    bob = chat(observable, "--name", "Bob", columns=120, rows=60)
    ann.expect("observable_member_join")
    bob.see("│ Ann")
    bob.type("/color HotPink\r")
    frame = ann.expect("observable_member_update")
    assert frame["data"]["clientData"] == {"name": "Bob", "color": "#ff69b4"}
    bob.type("/name Bobby\r")
    frame = ann.expect("observable_member_update")
    assert frame["data"]["clientData"] == {"name": "Bobby", "color": "#ff69b4"}
    bob.see("│ Bobby you")
    bob.type("/who\r")
    bob.see(ann.id)
    bob.type("/color infrared\r")
    bob.see("infrared is not a colour")
    bob.type("/dance\r")
    bob.see("there is no /dance")
    bob.type("//slash\r")
    bob.see("Bobby: /slash")
    bob.type("A\t!\r")
    bob.see("Bobby: Ann: !")
    bob.type("/help\r")
    for command in ("/who", "/name", "/color", "/history", "/quit", "Ctrl-K, Ctrl-U, Ctrl-W"):
        bob.see(command)


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
    for name in names:
        room = f"room-{uuid.uuid4()}"
        bob = chat(room, env={"COLORTERM": "truecolor"})
        bob.see("tester you")
        for data in ({"name": name}, {"name": name, "color": colors[name]}):
            other = connect(client_data=data)
            other.publish(room, f"{len(data)} from {name}")
        # Those of two connections come in any order.
        bob.see(f"1 from {name}")
        bob.see(f"2 from {name}")
        assert len([style for style in bob.screen.styles if style.startswith("1;38;2")]) <= 2, "this name's and the own one"


def test_a_chat_in_a_channel_that_is_not_there_names_it(chat):
    bob = chat("room", "--channel", "nope", columns=120)
    assert bob.end() == 1
    assert bob.raw.startswith(b'roomline: there is no channel "nope"; ') and b"--channel" in bob.raw
