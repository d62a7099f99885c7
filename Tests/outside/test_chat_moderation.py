"""Moderation as people see it: `roomline chat` of a moderator and of those it concerns, and `roomline tail`."""

import contextlib
import json
import re
import uuid

import pytest

from client import Client
from command import Command, Terminal
from full_screen import Grid
from tokens import token

MODERATOR = {".*": {"publish": True, "subscribe": True, "history": 100, "moderate": True}}

LOCAL_TIME = r"(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d"


@pytest.fixture
def chat(broker):
    """Opens chats in the channel `ajar` at terminals, and closes them whatever happens."""
    opened = []

    def chat(room, name, *, user=None, moderates=False):
        claims = {"data": {"id": user}} if user else {}
        made = token(broker, "ajar", permissions=MODERATOR if moderates else None, **claims)
        env = {"ROOMLINE_TOKEN": made}
        opened.append(Terminal(broker, "chat", room, "--channel", "ajar", "--name", name, screen=Grid, env=env, columns=300, rows=40))
        opened[-1].see(f"{name} {user} you" if user else f"{name} you")
        return opened[-1]

    yield chat
    for terminal in opened:
        terminal.__exit__()


@pytest.fixture
def room():
    return f"observable-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def member(broker, room):
    """Members who come by other clients."""
    with contextlib.ExitStack() as opened:

        def member(name, user=None):
            made = token(broker, "ajar", **({"data": {"id": user}} if user else {}))
            client = opened.enter_context(Client(broker, channel="ajar", name=name, token=made))
            client.subscribe(room, presence=True)
            return client

        yield member


def asked(moderator, count):
    """Waits until the chat has asked back so often, and done nothing."""
    moderator.wait(lambda rows: sum("that can mean more than one; say which" in row for row in rows) == count, "the question")


def test_a_redaction_takes_the_text_off_the_screen(broker, chat, room):
    with Client(broker, channel="ajar", name="Ann") as ann:
        luke = chat(room, "Luke", moderates=True)
        leia = chat(room, "Leia")
        luke.see("→ Leia joined")
        ann.publish(room, "buy my watches")
        ann.publish(room, "and my tea")
        leia.see("and my tea")
        luke.see("and my tea")
        luke.type("/redact 2 spam\r")
        luke.see('Ann: "buy my watches"; /yes does it')
        luke.type("/yes\r")
        for terminal in (luke, leia):
            terminal.see("Ann: (removed by Luke: spam)")
            terminal.see("and my tea")
        assert not any("watches" in row for row in leia.screen.text())
        late = chat(room, "Han")
        late.see("Ann: (removed by a moderator)")
        assert not any("watches" in row for row in late.screen.text())
        luke.type("/redact 1")
        luke.see("/redact 1")
        ann.publish(room, "wait")
        luke.see("Ann: wait")
        # what comes while one is typing is not what was meant
        luke.type("\r")
        luke.see('Ann: "and my tea"; /yes does it')
        luke.type("/yes\r")
        leia.see_not("and my tea")
        leia.see("Ann: wait")


def test_a_redaction_that_was_asked_for_spares_what_comes_behind_a_clear(broker, chat, room):
    with Client(broker, channel="ajar", name="Ann") as ann:
        luke, han = chat(room, "Luke", moderates=True), chat(room, "Han", moderates=True)
        ann.publish(room, "evil")
        for moderator in (luke, han):
            moderator.see("Ann: evil")
        luke.type("/redact 1\r")
        luke.see('Ann: "evil"; /yes does it')
        han.type("/clear\r")
        han.see("/yes does it")
        han.type("/yes\r")
        luke.see_not("Ann: evil")
        ann.publish(room, "precious")
        luke.see("Ann: precious")
        luke.type("/yes\r")
        luke.see("the room has no such message")
        luke.see("Ann: precious")


def test_clear_empties_the_screen(broker, chat, room):
    with Client(broker, channel="ajar", name="Ann") as ann:
        luke, leia = chat(room, "Luke", moderates=True), chat(room, "Leia")
        luke.see("→ Leia joined")
        ann.publish(room, "before")
        leia.see("Ann: before")
        luke.type("/clear\r")
        luke.see(f"this deletes all messages of the room {room}, for everybody and for good; /yes does it")
        luke.type("/yes\r")
        for terminal in (luke, leia):
            terminal.see("× Luke deleted all messages")
            terminal.see_not("before")
        ann.publish(room, "after")
        leia.see("Ann: after")


def test_locks_slow_mode_and_notices_are_told_to_all(chat, room):
    luke, leia = chat(room, "Luke", moderates=True), chat(room, "Leia")
    luke.see("→ Leia joined")
    luke.type("/notice tea is ready\r")
    leia.see("notice of Luke: tea is ready")
    luke.type("/lock back at nine\r")
    leia.see("2 members · locked")
    leia.type("hello\r")
    leia.see('not sent: "hello"')
    luke.type("/unlock\r")
    leia.see_not("2 members · locked")
    luke.type("/slow 5m\r")
    for terminal in (luke, leia):
        terminal.see("slow mode, 300 s")
    luke.type("/slow off\r")
    leia.see_not("slow mode, 300 s")


def test_mutes(chat, room):
    luke, leia = chat(room, "Luke", moderates=True), chat(room, "Leia", user="u-leia")
    luke.see("→ Leia joined")
    luke.type("/mute Le\t1h spam\r")
    assert re.search(rf"muted in this room until {LOCAL_TIME}", luke.see("Leia (u-leia) is muted in this room until "))
    assert re.search(f"you are muted until {LOCAL_TIME}: spam", leia.see("you are muted until "))
    leia.see("2 members · muted")
    leia.type("/name Veronica\r")
    leia.see("that did not work: your name and data cannot change while you are muted in the room ")
    leia.type("/name\r")
    leia.see("your name is Leia")
    leia.type("hello\r")
    refusal = 'not sent: "hello": you are muted in this room until '
    assert re.search(f"{refusal}{LOCAL_TIME}: spam", leia.see(refusal))
    told = re.search(rf"muted in this room until ({LOCAL_TIME})", luke.see("Leia (u-leia) is muted in this room until "))[1]
    luke.type("/bans\r")
    luke.see(f"user:u-leia is muted until {told}, by ")
    luke.type("/unmute leia\r")
    luke.see("Leia (u-leia) can write again")
    leia.see("you are not muted any more")
    leia.type("thanks\r")
    luke.see("Leia: thanks")


@pytest.mark.parametrize("word, done", [("kick", " is out of this room"), ("ban", " is banned from this room")])
def test_who_is_taken_out_learns_why(chat, room, word, done):
    luke, leia = chat(room, "Luke", moderates=True), chat(room, "Leia")
    luke.see("→ Leia joined")
    luke.type(f"/{word} Leia enough is enough\r")
    luke.see(done)
    luke.see("← Leia left")
    leia.see("enough is enough")


def test_somebody_who_is_no_moderator(chat, room):
    luke, leia = chat(room, "Luke"), chat(room, "Leia")
    luke.see("→ Leia joined")
    luke.type("/lock\r")
    luke.see("you are not a moderator here")
    for command in ("/clear", "/redact 1", "/ban Leia --redact"):
        leia.type("hello\r")
        luke.see("Leia: hello")
        luke.type("\x0c" + command + "\r")
        luke.see("you are not a moderator here")
        luke.type("/yes\r")
        luke.see("there is nothing to confirm")
        assert not any("/yes does it" in row for row in luke.screen.text())
    luke.type("/kick Vader\r")
    luke.see("nobody here is called Vader")
    luke.type("/help\r")
    luke.see("For moderators")


def test_a_ban_takes_the_messages_along(chat, room):
    luke, leia = chat(room, "Luke", moderates=True), chat(room, "Leia", user="u-leia")
    luke.see("→ Leia joined")
    for text in ("buy my watches", "and my tea"):
        leia.type(text + "\r")
        luke.see(f"Leia: {text}")
    luke.type("/ban Leia --redact 1h spam\r")
    luke.see(f"this bans Leia (u-leia) from the room {room} for 1h, and removes all messages of Leia (u-leia) there, for everybody and for good")
    luke.type("/yes\r")
    luke.see("2 messages are removed")
    luke.see_not("Leia: buy my watches")
    leia.see("you are banned from this room until")


def test_who_has_left_is_banned_as_the_user(broker, chat, room):
    made = token(broker, "ajar", data={"id": "u-leia"})
    for text in ("buy my watches", "and my tea"):
        with Client(broker, channel="ajar", name="Leia", token=made) as leia:
            leia.publish(room, text)
    luke = chat(room, "Luke", moderates=True)
    luke.see("Leia: and my tea")
    luke.type("/mute Leia 1h\r")
    luke.see("Leia (u-leia) is muted in this room until ")
    luke.type("/unmute Leia\r")
    luke.see("Leia (u-leia) can write again")
    luke.type("/ban Leia --redact\r")
    luke.see("and removes all messages of Leia (u-leia) there, for everybody and for good; /yes does it")
    luke.type("/yes\r")
    luke.see("Leia (u-leia) is banned from this room until you lift it with /unban; 2 messages are removed")
    luke.type("/unban Leia\r")
    luke.see("Leia (u-leia) can come back")
    # asked about also where only the broker knows the user that is named
    luke.type("/ban Leia (u-leia) --redact 1h\r")
    luke.see(f"this bans Leia (u-leia) from the room {room} for 1h")
    for line, refusal in (("/kick Leia (u-leia)", "Leia (u-leia) is not here"), ("/ban Leia (u8) --redact", "nobody called Leia is (u8) here")):
        luke.type(line + "\r")
        luke.see(refusal)


def test_who_has_left_is_not_taken_for_somebody_of_the_same_name(broker, chat, room):
    """The one who is here has done nothing."""
    with Client(broker, channel="ajar", name="Ann", token=token(broker, "ajar", data={"id": "u7"})) as ann:
        ann.publish(room, "good evening")
        with Client(broker, channel="ajar", name="Ann", token=token(broker, "ajar", data={"id": "u8"})) as spammer:
            spammer.publish(room, "buy my watches")
        ann.subscribe(room, presence=True)
        luke = chat(room, "Luke", moderates=True)
        luke.see("Ann (u8): buy my watches")
        for count, line in enumerate(("/ban Ann --redact", "/mute Ann 1h"), 1):
            luke.type(line + "\r")
            asked(luke, count)
        luke.see("/1 is user u7, called Ann")
        luke.see("/2 is user u8, called Ann, who has left")
        luke.type("/2\r")
        luke.see("Ann (u8) is muted in this room until ")
        luke.type("/redact 1\r")
        luke.see('Ann (u8): "buy my watches"; /yes does it')
        luke.type("/ban Ann (u8) --redact\r")
        luke.see("and removes all messages of Ann (u8) there, for everybody and for good; /yes does it")
        luke.type("/yes\r")
        luke.see("Ann (u8) is banned from this room until you lift it with /unban; 1 message is removed")
        luke.see("Ann (u7): good evening")
        luke.type("/kick Ann (u7)\r")
        luke.see("Ann (u7) is out of this room")
        luke.type("/kick Ann (u7)\r")
        luke.see("Ann (u7) is not here")


def test_who_has_had_a_name_is_not_taken_for_who_has_it_now(chat, room):
    han, bob = chat(room, "Zed", user="han"), chat(room, "Bob", user="bob")
    luke = chat(room, "Luke", moderates=True)
    han.type("buy my watches\r")
    luke.see("Zed: buy my watches")
    han.type("/name Han\r")
    luke.see("Zed is Han now")
    luke.type("/mute zed 1h\r")
    luke.see("Han (han), who was Zed, is muted in this room until ")
    luke.type("/unmute Zed\r")
    luke.see("Han (han), who was Zed, can write again")
    bob.type("/name Zed\r")
    luke.see("Bob is Zed now")
    bob.type("good evening\r")
    luke.see("Zed (bob): good evening")
    luke.see("Zed (han): buy my watches")
    luke.type("/ban Zed --redact\r")
    asked(luke, 1)
    luke.see("/1 is user bob, called Zed")
    luke.see("/2 is user han, called Han, who was Zed")
    luke.type("/2\r")
    luke.see("and removes all messages of Han (han), who was Zed, there")
    luke.type("/yes\r")
    luke.see("Han (han), who was Zed, is banned from this room until you lift it with /unban; 1 message is removed")
    luke.see("Zed (han): (removed by Luke)")
    bob.type("still here\r")
    luke.see("Zed (bob): still here")


def test_a_name_cannot_look_like_another_person_or_like_a_time(chat, member, room):
    fake, ann, han, _ = member("Ann (u2)", "u1"), member("Ann", "u2"), member("Bob 10m", "han"), member("Bob", "bob")
    luke = chat(room, "Luke", moderates=True)
    fake.publish(room, "buy my watches")
    luke.see("Ann (u2) (u1): buy my watches")
    for count, line in enumerate(("/mute Ann (u2)", "/kick Ann (u2)"), 1):
        luke.type(line + "\r")
        asked(luke, count)
    luke.see("user u1, called Ann (u2)")
    luke.see("user u2, called Ann")
    luke.type("/mute Ann (u2) (u1)\r")
    luke.see("Ann (u2) (u1) is muted in this room until ")
    luke.type("/mute Bob 10m\r")
    luke.see("user han, called Bob 10m")
    bob_is = luke.see('user bob, called Bob, with "10m"')
    luke.type(re.search(r"/\d", bob_is)[0] + "\r")
    assert re.search(rf"muted in this room until {LOCAL_TIME}", luke.see("Bob (bob) is muted in this room until "))
    for client, name in ((ann, "Ann"), (han, "Bob 10m")):
        client.publish(room, "I am not muted")
        luke.see(f"{name}: I am not muted")


def test_two_of_one_name_without_a_user_are_two_also_when_one_has_left(chat, member, room):
    luke, gone, here = chat(room, "Luke", moderates=True), member("Zoe"), member("Zoe")
    gone.publish(room, "buy my watches")
    luke.see(f"Zoe ({gone.id[:5]}): buy my watches")
    gone.close()
    luke.see(f"← Zoe ({gone.id[:5]}) left")
    luke.see(f"Zoe ({gone.id[:5]}): buy my watches")
    luke.type("/mute Zoe 5m\r")
    luke.see(f"/1 is id {here.id}, called Zoe")
    luke.see(f"/2 is id {gone.id}, called Zoe, who has left")
    luke.type("/1\r")
    luke.see(f"Zoe ({here.id[:5]}) is muted in this room until ")


@pytest.mark.parametrize("mark", ["\u200d", "\u034f", "\ufe0f", "\u180b"])
def test_a_name_with_what_nobody_can_see_is_the_same_name(chat, member, room, mark):
    maria = chat(room, "Maria", user="maria", moderates=True)
    member("Lou", "u90")
    member(f"Lou{mark}", "u91").publish(room, "buy my pills")
    maria.see("(u91): buy my pills")
    maria.type("/ban Lou pills\r")
    maria.see("/1 is user u9")
    maria.see("/2 is user u9")


def test_a_name_that_is_cut_is_not_that_of_its_first_word(chat, member, room):
    maria = chat(room, "Maria", user="maria", moderates=True)
    for name, user in (("Joe", "u120"), ("Joe the builder of all the houses", "u121")):
        member(name, user)
    maria.see("u121")
    maria.type("/mute Joe the buil… 3m\r")
    maria.see(" is a longer name: write all of it, or as it stands here, or user:USER or id:ID")
    maria.type("/mute Joe the builder of all the houses 3m\r")
    maria.see("is user u121, called Joe the builder of all the houses, with \"3m\"")
    maria.see("is user u120, called Joe, with \"the builder of all the houses 3m\"")
    maria.type("/mute Joe 5m\r")
    maria.see("Joe (u120) is muted in this room until ")


def test_oneself_is_nobody_to_act_on_and_a_user_is_all_its_sessions(chat, member, room):
    maria = chat(room, "Maria", user="maria", moderates=True)
    for line in ("/ban Maria", "/kick Maria", "/mute user:maria"):
        maria.type(line + "\r")
    maria.wait(lambda rows: sum("that is you" in row for row in rows) == 3, "three refusals")
    for name in ("Han", "Solo"):
        member(name, "u-han")
    maria.see("→ Solo joined")
    maria.type("/kick user:u-han enough\r")
    maria.see(" (u-han) is out of this room")
    maria.wait(lambda rows: sum(" left" in row for row in rows) == 2, "both leave")
    maria.type("/kick user:u-han\r")
    maria.see(" (u-han) is not here")
    maria.type("/kick user:u9\r")
    maria.see("this chat has seen no session of the user u9 here")


def test_a_time_behind_the_reason_is_the_time(chat, room):
    luke, leia = chat(room, "Luke", moderates=True), chat(room, "Leia")
    luke.see("→ Leia joined")
    luke.type("/mute Leia shouting 10m\r")
    assert re.search(rf"muted in this room until {LOCAL_TIME}; by its id", luke.see(" is muted in this room until "))
    assert re.search(rf"you are muted until {LOCAL_TIME}: shouting\b", leia.see("you are muted until "))
    luke.type("/help\r")
    luke.see("the time may be the last word")


def test_a_user_who_is_not_there_can_be_banned_and_that_is_told(chat, room):
    luke = chat(room, "Luke", moderates=True)
    luke.type("/ban user:Han 1h\r")
    luke.see("nobody in the room is the user Han now, and the ban holds for those who come")
    chat(room, "Leia", user="u-leia")
    luke.see("→ Leia joined")
    luke.type("/mute user:u-leia 1h\r")
    assert "nobody in the room" not in luke.see("Leia (u-leia) is muted in this room until ")


def test_tail_tells_what_moderators_do(broker, chat, room):
    luke = chat(room, "Luke", moderates=True)
    with Command(broker, "tail", room, "--channel", "ajar", "--json") as lines, Command(broker, "tail", room, "--channel", "ajar") as texts:
        luke.wait(lambda rows: sum("→ somebody" in row for row in rows) == 2, "both tails")
        with Client(broker, channel="ajar", name="Ann") as ann:
            ann.publish(room, "buy now")
        luke.see("Ann: buy now")
        luke.type("/redact 1 spam\r")
        luke.see("/yes does it")
        luke.type("/yes\r")
        luke.see("(removed by Luke: spam)")
        luke.type("/notice hear, hear\r")
        luke.see("notice of Luke: hear, hear")
        luke.type("/clear\r")
        luke.see("deletes all messages")
        luke.type("/yes\r")
        seen = {}
        while "cleared" not in seen:
            event = json.loads(lines.next())
            seen[event["type"]] = event
        assert seen["redacted"]["target_seq"] == seen["message"]["seq"]
        assert seen["redacted"]["target_id"] == seen["message"]["id"] and seen["redacted"]["reason"] == "spam"
        assert seen["notice"]["text"] == "hear, hear"
        assert seen["cleared"]["seq"] == 0 and seen["cleared"]["epoch"] != seen["message"]["epoch"]
        said = []
        while not said or "deleted all messages" not in said[-1]:
            said.append(re.sub(r"^\d\d:\d\d:\d\d \S+ ", "", texts.next()))
        assert "* Luke removed message 1: spam" in said and "* hear, hear" in said
