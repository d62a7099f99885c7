"""Moderators and those whom they moderate, on the chat page."""

import contextlib
import re

import pytest
from selenium.webdriver.common.keys import Keys

from admin import Admin
from chat_page import FLAGS, enter, keys, messages, say
from client import Client
from rest import secret, token


@pytest.fixture
def broker(start):
    return start(*FLAGS)


TALK = {"publish": True, "subscribe": True, "history": 100}
MODERATES = {".*": TALK, "^den": {"moderate": True}, "-calm$": {"moderate": False}}


def sign(broker, permissions=None, **claims):
    return token("closed", secret(broker, "closed"), permissions or {".*": TALK}, **claims).removeprefix("Bearer ")


def sign_in(browser, broker, room, permissions):
    """Opens a room of the channel that wants tokens."""
    enter(browser, broker, f"/?channel=closed#{room}")
    browser.find("#token").send_keys(sign(broker, permissions, data="ada"), Keys.ENTER)
    browser.wait(lambda: "here" in browser.text("#room-sub"), f"the room {room}")


def open_menu(browser, selector):
    """Opens the menu of a moderator, and gives what it offers. What was asked before is answered by then."""
    browser.wait(lambda: not browser.run("return document.querySelector('dialog[open]')"), "the end of the dialog")
    browser.wait(lambda: browser.run("const node = document.querySelector(arguments[0]); node?.click(); return Boolean(node)", selector), selector)
    browser.find(".menu [role=menu]")
    return browser.texts(".menu-item")


def await_frame(client, kind):
    """The next frame of this type; others are passed over."""
    while (frame := client.next()).get("type") != kind:
        pass
    return frame


@pytest.mark.parametrize("width", [390, 1280])
def test_a_moderator_acts_by_keyboard(browser, broker, width):
    browser.size(width, 800)
    with Client(broker, "Luke", channel="closed", token=sign(broker, data={"id": "u1"})) as luke:
        luke.subscribe("den")
        luke.publish("den", "buy my watches")
        luke.publish("den", "and my tea")
        sign_in(browser, broker, "den", MODERATES)
        browser.wait(lambda: messages(browser) == ["buy my watches", "and my tea"], "the messages")
        # one of the buttons is in the order of Tab, and the arrows go to the others
        assert browser.run("return [...document.querySelectorAll('.message .more')].map((node) => node.tabIndex)") == [-1, 0]
        browser.run("document.querySelectorAll('.message .more')[1].focus()")
        keys(browser, Keys.ARROW_UP, Keys.ENTER)
        browser.find(".menu [role=menu]")
        assert browser.text(".menu-title") == "Luke"
        assert browser.texts(".menu-item") == ["Remove the message…", "Mute…", "Kick…", "Ban…"]
        browser.check_accessible()
        keys(browser, Keys.ESCAPE)
        assert browser.text(".menu") == ""
        keys(browser, Keys.ENTER)
        browser.find(".menu [role=menu]")
        keys(browser, Keys.ENTER)
        browser.find("dialog[open] input[name=reason]").send_keys("spam")
        browser.check_accessible()
        keys(browser, Keys.ENTER)
        browser.wait_for_text("Removed by a moderator: spam", ".message .gone")
        assert browser.run("return document.querySelector('dialog[open]')") is None
        open_menu(browser, ".message:last-child .more")
        keys(browser, Keys.ARROW_DOWN, Keys.ENTER)
        browser.press("Mute", "dialog[open]")
        browser.wait(lambda: re.search(r"You have muted Luke until \S.*\.", browser.text("#messages")), "until when")
        assert await_frame(luke, "muted")["room"] == "den"
        assert "Lift the mute" in open_menu(browser, ".message .more")
        browser.press("Lift the mute", ".menu")
        await_frame(luke, "unmuted")
        browser.wait_for_text("You have lifted the mute of Luke.", "#messages")
        if width < 700:
            browser.find("#show-people").click()
        assert open_menu(browser, ".person .more") == ["Mute…", "Kick…", "Ban…"]
        browser.press("Ban…", ".menu")
        browser.run("document.querySelector('dialog select').value = ''")
        browser.press("Ban", "dialog[open]")
        assert await_frame(luke, "removed")["code"] == "banned"
        browser.wait_for_text("You have banned Luke until it is lifted.", "#messages")
        browser.wait(lambda: len(browser.driver.find_elements("css selector", ".person")) == 1, "the others")


def test_a_dialog_that_closes_late_leaves_the_next_menu_open(browser, broker):
    sign_in(browser, broker, "den", MODERATES)
    open_menu(browser, "#moderate-room")
    browser.press("Slow mode…", ".menu")
    browser.run("window.former = document.querySelector('dialog[open]')")
    browser.press("Cancel", "dialog[open]")
    browser.wait(lambda: browser.run("return document.activeElement.id") == "moderate-room", "the focus where it was")
    open_menu(browser, "#moderate-room")
    browser.run("window.former.dispatchEvent(new Event('close'))")
    assert browser.texts(".menu-item")[0] == "Lock the room…"


def test_a_kick_that_fails_says_why(browser, broker):
    with Client(broker, "Luke", channel="closed", token=sign(broker)) as luke:
        luke.subscribe("den")
        luke.publish("den", "hello")
        sign_in(browser, broker, "den", MODERATES)
        open_menu(browser, ".message .more")
        browser.press("Kick…", ".menu")
        luke.ask({"type": "unsubscribe", "room": "den"})
        browser.press("Kick", "dialog[open]")
        browser.wait_for_text("It was not done:", "dialog[open] .sheet-error")


@pytest.mark.parametrize("room, permissions", [("den", {".*": TALK}), ("other", MODERATES), ("den-calm", MODERATES)])
def test_only_moderators_are_offered_to_moderate(browser, broker, room, permissions):
    with Client(broker, "Luke", channel="closed", token=sign(broker)) as luke:
        luke.subscribe(room)
        luke.publish(room, "hello")
        sign_in(browser, broker, room, permissions)
        browser.wait(lambda: messages(browser) == ["hello"], "the message")
        browser.wait(lambda: len(browser.texts(".person")) == 2, "the people")
        assert browser.texts(".more") == []


def clock_of(browser, seconds):
    """What the page's clock shows in so many seconds, and a minute before and after, on this day or on the next, as an expression."""
    script = "return [-60, 0, 60].map((more) => new Date(Date.now() + (arguments[0] + more) * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }))"
    return f"(.* 20\\d\\d, )?({'|'.join(browser.run(script, seconds))})"


def test_a_mute_is_seen_and_lifted_after_the_page_was_closed(browser, broker):
    with Client(broker, "Luke", channel="closed", token=sign(broker, data={"id": "u1"})) as luke:
        luke.subscribe("den")
        luke.publish("den", "buy my watches")
        sign_in(browser, broker, "den", MODERATES)
        open_menu(browser, ".message .more")
        browser.press("Mute…", ".menu")
        browser.find("dialog[open] input[name=reason]").send_keys("adverts", Keys.ENTER)
        await_frame(luke, "muted")
        browser.driver.refresh()
        browser.wait(lambda: messages(browser) == ["buy my watches"], "the room")
        assert "Lift the mute" in open_menu(browser, ".message .more")
        keys(browser, Keys.ESCAPE)
        assert open_menu(browser, "#moderate-room") == ["Lock the room…", "Slow mode…", "Send a notice…", "Muted and banned…"]
        browser.press("Muted and banned…", ".menu")
        row = browser.wait(lambda: browser.text(".sanctions li"), "the mute")
        assert re.search(f"Luke, user u1 is muted until {clock_of(browser, 3600)}", row), row
        assert "adverts" in row
        browser.check_accessible()
        browser.press("Lift", ".sanctions")
        await_frame(luke, "unmuted")
        browser.wait_for_text("Luke, user u1 is not muted any more", ".sanctions li")
        # what was lifted by a slip is set again as it was
        browser.press("Undo", ".sanctions")
        assert await_frame(luke, "muted")["reason"] == "adverts"
        browser.wait(lambda: browser.text(".sanctions li") == row, "the mute as it was")
        browser.press("Lift", ".sanctions")
        await_frame(luke, "unmuted")
        browser.press("Close", "dialog[open]")
        open_menu(browser, "#moderate-room")
        browser.press("Muted and banned…", ".menu")
        browser.wait_for_text("Nobody is muted or banned in this room.", "dialog[open]")


def test_what_another_moderator_has_set_meanwhile_stays(browser, broker):
    """Neither Undo nor Lift takes what was not on the screen."""
    sign_in(browser, broker, "den", MODERATES)
    with Moderator(broker) as leia:
        leia.act("ban", user="u1", reason="a day", seconds=86400)
        open_menu(browser, "#moderate-room")
        browser.press("Muted and banned…", ".menu")
        browser.wait_for_text("a day", ".sanctions li")
        browser.press("Lift", ".sanctions")
        browser.wait_for_text("is not banned any more", ".sanctions li")
        leia.act("ban", user="u1", reason="for good")
        browser.press("Undo", ".sanctions")
        browser.wait_for_text("Somebody has set it anew meanwhile. This is how it stands now.", "dialog[open]")
        assert re.search("user u1 is banned until it is lifted.*for good", browser.text(".sanctions li"), re.S)
        leia.act("ban", user="u1", reason="really")
        browser.press("Lift", ".sanctions")
        browser.wait_for_text("really", ".sanctions li")
        browser.press("Lift", ".sanctions")
        browser.wait_for_text("is not banned any more", ".sanctions li")


def test_a_dialog_and_a_menu_replace_nothing_that_was_set_meanwhile(browser, broker):
    with Client(broker, "Luke", channel="closed", token=sign(broker, data={"id": "u1"})) as luke, Moderator(broker) as leia:
        luke.subscribe("den")
        luke.publish("den", "buy my watches")
        sign_in(browser, broker, "den", MODERATES)
        open_menu(browser, ".message.other .more")
        browser.press("Mute…", ".menu")
        leia.act("mute", user="u1", reason="for good")
        browser.press("Mute", "dialog[open]")
        browser.wait_for_text("It was not done: Another moderator has set a mute meanwhile", "dialog[open]")
        browser.press("Cancel", "dialog[open]")
        assert "Lift the mute" in open_menu(browser, ".message.other .more")
        leia.act("mute", user="u1", reason="really")
        browser.press("Lift the mute", ".menu")
        browser.wait_for_text("It was not done: Another moderator has set a mute meanwhile", "#messages")
        assert [each["reason"] for each in leia.act("show")["sanctions"]] == ["really"]
        open_menu(browser, ".message.other .more")
        browser.press("Lift the mute", ".menu")
        browser.wait_for_text("You have lifted the mute of Luke.", "#messages")


def test_the_end_of_a_mute_is_by_the_clock_of_the_broker(browser, broker):
    with Client(broker, "Luke", channel="closed", token=sign(broker, data={"id": "u1"})) as luke:
        luke.subscribe("den")
        luke.publish("den", "buy my watches")
        sign_in(browser, broker, "den", MODERATES)
        right = clock_of(browser, 3600)
        browser.run("const now = Date.now; Date.now = () => now() - 7_200_000")
        open_menu(browser, ".message .more")
        browser.press("Mute…", ".menu")
        browser.press("Mute", "dialog[open]")
        browser.wait_for_text("You have muted Luke until", "#messages")
        said = browser.text("#messages")
        assert re.search(f"You have muted Luke until {right}", said), said


def test_two_spellings_of_an_accent_are_told_apart(browser, broker):
    sign_in(browser, broker, "den", MODERATES)
    composed, decomposed = "B\u00e9a", "Be\u0301a"
    with Client(broker, composed, channel="closed", token=sign(broker, data={"id": "u7"})) as seven:
        with Client(broker, decomposed, channel="closed", token=sign(broker, data={"id": "u8"})) as eight:
            for client in (seven, eight):
                client.subscribe("den")
            eight.publish("den", "hello")
            browser.wait(lambda: messages(browser) == ["hello"], "the message")
            browser.wait(lambda: sorted(re.findall("u[78]", browser.text("#people-list"))) == ["u7", "u8"], "both marks")
    # who has left is named by the user, as the act is for the user
    browser.driver.refresh()
    browser.wait(lambda: messages(browser) == ["hello"], "the room")
    open_menu(browser, ".message .more")
    browser.press("Ban…", ".menu")
    assert "for one session only" not in browser.text("dialog[open]")


def test_a_long_name_leaves_the_marks_of_namesakes_whole(browser, broker):
    name = "A name that goes on and on for longer than the list is wide"
    marks = ["a-user-of-a-directory-with-long-names-1", "a-user-of-a-directory-with-long-names-2"]
    with contextlib.ExitStack() as stack:
        for user in marks:
            stack.enter_context(Client(broker, name, channel="closed", token=sign(broker, data={"id": user}))).subscribe("den")
        sign_in(browser, broker, "den", MODERATES)
        browser.wait(lambda: sorted(browser.texts(".person:has(.more) small")) == marks, "the marks")
        script = """
        return [...document.querySelectorAll('.person')].every((person) => {
          const edge = person.querySelector('.person-name').getBoundingClientRect();
          return [...person.querySelectorAll('small')].every((mark) => {
            const at = mark.getBoundingClientRect();
            return at.width > 0 && at.right <= edge.right + 1 && at.bottom <= edge.bottom + 1;
          });
        })
        """
        assert browser.run(script)


def test_everything_of_one_person_is_removed_with_the_ban(browser, broker):
    with Client(broker, "Luke", channel="closed", token=sign(broker, data={"id": "u1"})) as luke:
        luke.subscribe("den")
        for text in ("buy my watches", "and my tea", "and my rugs"):
            luke.publish("den", text)
        sign_in(browser, broker, "den", MODERATES)
        say(browser, "stays")
        browser.wait(lambda: len(messages(browser)) == 4, "the messages")
        open_menu(browser, ".message.other .more")
        browser.press("Ban…", ".menu")
        browser.find("dialog[open] input[name=redact]").click()
        browser.press("Ban", "dialog[open]")
        assert await_frame(luke, "removed")["code"] == "banned"
        browser.wait_for_text("Messages that were removed: 3.", "#messages")
        assert [text.startswith("Removed by a moderator") for text in messages(browser)] == [True] * 3 + [False]


def test_the_rules_of_a_room(browser, broker):
    with Client(broker, "Luke", channel="closed", token=sign(broker)) as luke:
        luke.subscribe("den")
        sign_in(browser, broker, "den", MODERATES)
        open_menu(browser, "#moderate-room")
        browser.press("Lock the room…", ".menu")
        browser.press("Lock", "dialog[open]")
        assert await_frame(luke, "notice")["code"] == "room_locked"
        assert "Unlock the room" in open_menu(browser, "#moderate-room")
        browser.press("Unlock the room", ".menu")
        assert await_frame(luke, "notice")["code"] == "room_unlocked"
        open_menu(browser, "#moderate-room")
        browser.press("Slow mode…", ".menu")
        browser.run("document.querySelector('dialog select').value = '30'")
        browser.press("Set", "dialog[open]")
        assert await_frame(luke, "notice")["seconds"] == 30
        open_menu(browser, "#moderate-room")
        browser.press("Slow mode…", ".menu")
        browser.wait(lambda: browser.run("return document.querySelector('dialog select')?.value") == "30", "what is set")
        browser.run("document.querySelector('dialog select').value = '0'")
        browser.press("Set", "dialog[open]")
        assert await_frame(luke, "notice")["code"] == "slow_mode"
        open_menu(browser, "#moderate-room")
        browser.press("Send a notice…", ".menu")
        browser.find("dialog[open] input[name=text]").send_keys("we close at nine", Keys.ENTER)
        assert await_frame(luke, "notice")["text"] == "we close at nine"
        browser.wait_for_text("we close at nine", "#messages")


class Moderator(Client):
    """Leia, who moderates the den by frames."""

    def __init__(self, broker):
        super().__init__(broker, "Leia", channel="closed", token=sign(broker, MODERATES, data="leia"))

    def act(self, action, **fields):
        return self.ask({"type": "moderate", "room": "den", "action": action, **fields})

    def kick(self, name):
        members = self.ask({"type": "members", "room": "den"})["members"]
        for member in members:
            if member["clientData"]["name"] == name:
                self.act("kick", client_id=member["id"])


@pytest.mark.parametrize(
    "act, undo, subject, shown",
    [("mute", "unmute", {"user": "ada"}, "You are muted"), ("lock", "unlock", {}, "This room is locked")],
)
def test_what_is_lifted_while_one_is_out_of_the_room_is_over(browser, broker, act, undo, subject, shown):
    sign_in(browser, broker, "den", {".*": TALK})
    with Moderator(broker) as leia:
        leia.act(act, **subject)
        browser.wait_for_text(shown, "#why")
        leia.kick("Ada Lovelace")
        browser.wait_for_text("A moderator has kicked you", "#banner-text")
        assert browser.text("#why") == ""
        leia.act(undo, **subject)
        browser.press("Join again", "#banner")
        browser.wait(lambda: browser.find("#write").is_enabled(), "that one can write again")
        assert browser.text("#why") == ""
        say(browser, "finally")
        browser.wait(lambda: messages(browser) == ["finally"], "the message")


def test_a_mute_that_lasts_is_there_after_the_room_is_joined_again(browser, broker):
    sign_in(browser, broker, "den", {".*": TALK})
    with Moderator(broker) as leia:
        leia.act("mute", user="ada")
        browser.wait_for_text("You are muted", "#why")
        leia.kick("Ada Lovelace")
        browser.press("Join again", "#banner")
        browser.wait_for_text("You are muted", "#why")
        browser.find("#edit-me").click()
        browser.find("#me-name").clear()
        browser.find("#me-name").send_keys("Grace", Keys.ENTER)
        browser.wait(lambda: "Your name was not changed" in "".join(browser.texts(".line.done")), "that it was refused")
        assert browser.text("#my-name") == "Ada Lovelace", "the name that the others see"


def test_what_another_user_of_the_browser_has_written_is_not_ones_own(browser, broker):
    def come_in(user):
        browser.find("#token").send_keys(sign(broker, {".*": TALK}, data=user), Keys.ENTER)
        browser.wait(lambda: "here" in browser.text("#room-sub"), "the room")

    enter(browser, broker, "/?channel=closed#den")
    come_in("ada")
    say(browser, "mine")
    browser.wait(lambda: browser.texts(".message.own .said") == ["mine"], "the message")
    for user, own in (("eve", []), ("ada", ["mine"])):
        browser.run("sessionStorage.clear()")
        browser.driver.refresh()
        come_in(user)
        browser.wait(lambda: messages(browser) == ["mine"], "the history")
        assert browser.texts(".message.own .said") == own, user


def test_a_question_is_gone_with_its_room(browser, broker):
    sign_in(browser, broker, "lobby", MODERATES)
    say(browser, "/join den")
    browser.wait(lambda: browser.text("#room-name") == "den", "the room")
    open_menu(browser, "#moderate-room")
    browser.driver.back()
    browser.wait(lambda: browser.text("#room-name") == "lobby", "the room before")
    browser.wait(lambda: browser.run("return document.querySelector('.menu').hidden"), "the end of the menu")
    browser.driver.forward()
    browser.wait(lambda: browser.text("#room-name") == "den", "forward again")
    open_menu(browser, "#moderate-room")
    browser.press("Lock the room…", ".menu")
    browser.find("dialog[open]")
    browser.driver.back()
    browser.wait(lambda: browser.text("#room-name") == "lobby", "the room before")
    assert not browser.run("return document.querySelector('dialog[open]')")


def test_a_user_that_is_a_number_is_the_one_that_the_broker_knows(browser, broker):
    """JavaScript's numbers round the first two to one, and take the others for one."""
    users = [9007199254740992, 9007199254740993, 8, 8.0]
    with contextlib.ExitStack() as stack:
        for user in users:
            name = f"Num {user}"
            client = stack.enter_context(Client(broker, name, channel="closed", token=sign(broker, data={"id": user})))
            client.subscribe("den")
            client.publish("den", name)
        sign_in(browser, broker, "den", MODERATES)
        browser.wait(lambda: len(messages(browser)) == 4, "the messages")
        for user in (users[1], users[3]):
            open_menu(browser, f"[aria-label='Moderate Num {user}']")
            browser.press("Mute…", ".menu")
            browser.press("Mute", "dialog[open]")
            browser.wait_for_text(f"You have muted Num {user} until", "#messages")
        with Moderator(broker) as leia:
            muted = {sanction["user"] for sanction in leia.act("show")["sanctions"]}
        assert muted == {"9007199254740993", "8.0"}


def test_two_of_one_name_are_told_apart(browser, broker):
    with (
        Client(broker, "Luke", channel="closed", token=sign(broker, data={"id": "u1"})) as one,
        Client(broker, "Luke", channel="closed", token=sign(broker, data={"id": "u2"})) as other,
    ):
        one.subscribe("den")
        one.publish("den", "hello")
        sign_in(browser, broker, "den", MODERATES)
        label = "return document.querySelector('.message .more')?.getAttribute('aria-label')"
        browser.wait(lambda: browser.run(label) == "Moderate the message of Luke", "the only one of the name")
        other.subscribe("den")
        browser.wait(lambda: browser.run(label) == "Moderate the message of Luke (u1)", "both")
        labels = browser.run("return [...document.querySelectorAll('.person .more')].map((node) => node.getAttribute('aria-label'))")
        assert sorted(labels) == ["Moderate Luke (u1)", "Moderate Luke (u2)"]
        for kind, done in (("Mute", "muted"), ("Ban", "banned")):
            open_menu(browser, ".message .more")
            assert browser.text(".menu-title") == "Luke (u1)"
            browser.press(f"{kind}…", ".menu")
            assert browser.text("dialog[open] h2") == f"{kind} Luke (u1)?"
            browser.press(kind, "dialog[open]")
            browser.wait_for_text(f"You have {done} Luke (u1) until", "#messages")
        with Moderator(broker) as leia:
            leia.act("mute", user="u2")
        open_menu(browser, "#moderate-room")
        browser.press("Muted and banned…", ".menu")
        browser.wait(lambda: len(browser.texts(".sanctions bdi")) == 3, "all that is set")
        assert sorted(browser.texts(".sanctions bdi")) == ["Luke, user u1", "Luke, user u1", "Luke, user u2"]


def test_who_is_kicked_from_an_old_message_is_the_person(browser, broker):
    access = sign(broker, data={"id": "u1"})
    with Client(broker, "Luke", channel="closed", token=access) as luke:
        luke.subscribe("den")
        luke.publish("den", "hello")
        sign_in(browser, broker, "den", MODERATES)
        browser.wait(lambda: browser.text("#people-title") == "Here: 2", "both")
    browser.wait(lambda: browser.text("#people-title") == "Here: 1", "that Luke has left")
    with Client(broker, "Luke", channel="closed", token=access) as luke:
        luke.subscribe("den")
        browser.wait(lambda: browser.text("#people-title") == "Here: 2", "Luke again")
        open_menu(browser, ".message .more")
        browser.press("Kick…", ".menu")
        browser.press("Kick", "dialog[open]")
        assert await_frame(luke, "removed")["code"] == "kicked"
        browser.wait_for_text("You have kicked Luke out of the room.", "#messages")


def test_the_ban_of_one_who_has_come_back_takes_the_old_messages_along(browser, broker):
    access = sign(broker, data={"id": "u1"})
    with Client(broker, "Luke", channel="closed", token=access) as luke:
        luke.subscribe("den")
        luke.publish("den", "buy my watches")
        sign_in(browser, broker, "den", MODERATES)
        browser.wait(lambda: browser.text("#people-title") == "Here: 2", "both")
    with Client(broker, "Luke", channel="closed", token=access) as luke:
        luke.subscribe("den")
        luke.publish("den", "and my tea")
        browser.wait(lambda: len(messages(browser)) == 2, "the messages")
        browser.wait(lambda: browser.text("#people-title") == "Here: 2", "that the old session has gone")
        open_menu(browser, ".message .more")
        browser.press("Ban…", ".menu")
        browser.find("dialog[open] input[name=redact]").click()
        browser.press("Ban", "dialog[open]")
        assert await_frame(luke, "removed")["code"] == "banned"
        browser.wait_for_text("Messages that were removed: 2.", "#messages")


def test_the_reason_of_a_removed_message_is_there_after_a_reload(browser, broker):
    with Client(broker, "Luke", channel="closed", token=sign(broker)) as luke, Moderator(broker) as leia:
        seqs = [luke.publish("den", text)["seq"] for text in ("I live in 12 Elm Street", "or not", "anyway")]
        sign_in(browser, broker, "den", {".*": TALK})
        leia.act("redact", target_seq=seqs[0], reason="home address")
        leia.act("redact", target_seq=seqs[1])
        marks = ["Removed by a moderator: home address", "Removed by a moderator", "anyway"]
        browser.wait(lambda: messages(browser) == marks, "the reason")
        browser.driver.refresh()
        browser.wait(lambda: messages(browser) == marks, "the reason, after a reload")


def test_a_lock_is_shown_with_its_reason_to_who_joins(browser, broker):
    with Moderator(broker) as leia:
        leia.act("lock", reason="back at nine")
        sign_in(browser, broker, "den", MODERATES)
        browser.wait_for_text("This room is locked: back at nine", "#why")
        browser.run("sessionStorage.clear()")
        sign_in_again(browser, broker)
        browser.wait_for_text("This room is locked: back at nine", "#why")
        say(browser, "hello")
        leia.act("unlock")
        browser.wait(lambda: browser.text("#why") == "", "that it is open")


def sign_in_again(browser, broker):
    """The same page with a token that does not let one moderate."""
    browser.driver.refresh()
    browser.find("#token").send_keys(sign(broker))
    browser.press("Sign in")
    browser.wait(lambda: "here" in browser.text("#room-sub"), "the room")


def test_what_waits_for_slow_mode_says_so_and_goes_out_when_it_ends(browser, broker):
    sign_in(browser, broker, "den", {".*": TALK})
    with Moderator(broker) as leia:
        # longer than this test waits for anything
        leia.act("slow_mode", seconds=500)
        say(browser, "one")
        browser.wait(lambda: messages(browser) == ["one"], "the first message")
        say(browser, "two")
        browser.wait(lambda: re.fullmatch(r"Waits for slow mode: \d{3} s", browser.text(".message.sending .time")), "why it waits")
        browser.check_accessible()
        leia.act("slow_mode", seconds=0)
        browser.wait(lambda: messages(browser) == ["one", "two"], "the second message")
        leia.act("slow_mode", seconds=900)
        for text in ("three", "four"):
            say(browser, text)
        browser.wait_for_text("Not sent: the room is in slow mode, and one can write again at", ".trouble")


def test_a_moderator_reads_once_more_what_is_removed(browser, broker):
    with Client(broker, "Luke", channel="closed", token=sign(broker)) as luke:
        luke.publish("den", "<b>my address</b> is 12 Elm Street")
        sign_in(browser, broker, "den", MODERATES)
        open_menu(browser, ".message .more")
        browser.press("Remove the message…", ".menu")
        assert browser.text("dialog[open] .quote").split("\n") == ["Luke", "<b>my address</b> is 12 Elm Street"]
        browser.check_accessible()
        browser.press("Cancel", "dialog[open]")
        say(browser, "mine")
        browser.wait(lambda: len(messages(browser)) == 2, "one's own")
        open_menu(browser, ".message.own .more")
        browser.press("Remove the message…", ".menu")
        assert browser.text("dialog[open] .quote").split("\n") == ["You", "mine"]


@pytest.mark.parametrize("room", ["lobby", None])
def test_one_who_is_banned_reads_one_sentence_with_the_local_time(browser, start, tmp_path, room):
    broker = start(*FLAGS, admin=tmp_path / "a.sock")
    enter(browser, broker)
    ban = {"kind": "ban", "address": "127.0.0.1", "seconds": 600, "reason": "adverts", **({"room": room} if room else {})}
    Admin(broker).done("POST", "/channels/default/sanctions", ban)
    place = "this room" if room else "this channel"
    said = f"You are banned from {place} until {clock_of(browser, 600)}: adverts\\."
    browser.wait(lambda: re.fullmatch(said, browser.text("#banner-text")), f"{said}, not {browser.text('#banner-text')!r}")
    assert "observable" not in browser.text()
