"""Moderators and those whom they moderate, on the chat page."""

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
    browser.find("#token").send_keys(sign(broker, permissions, data="ada"))
    browser.press("Sign in")
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
    """What the page's clock shows in so many seconds, and a minute before and after."""
    script = "return [-60, 0, 60].map((more) => new Date(Date.now() + (arguments[0] + more) * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }))"
    return browser.run(script, seconds)


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
        assert any(f"Luke is muted until {end}" in row for end in clock_of(browser, 3600)), row
        assert "adverts" in row
        browser.check_accessible()
        browser.press("Lift", ".sanctions")
        await_frame(luke, "unmuted")
        browser.wait_for_text("Nobody is muted or banned in this room.", "dialog[open]")


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


@pytest.mark.parametrize("room", ["lobby", None])
def test_one_who_is_banned_reads_one_sentence_with_the_local_time(browser, start, tmp_path, room):
    broker = start(*FLAGS, admin=tmp_path / "a.sock")
    enter(browser, broker)
    ban = {"kind": "ban", "address": "127.0.0.1", "seconds": 600, "reason": "adverts", **({"room": room} if room else {})}
    Admin(broker).done("POST", "/channels/default/sanctions", ban)
    place = "this room" if room else "this channel"
    ends = [f"You are banned from {place} until {end}: adverts." for end in clock_of(browser, 600)]
    browser.wait(lambda: browser.text("#banner-text") in ends, f"one of {ends}, not {browser.text('#banner-text')!r}")
    assert "observable" not in browser.text()
