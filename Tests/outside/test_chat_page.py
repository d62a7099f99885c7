"""The chat page in Chromium, against the built broker and clients that are not our code."""

import pytest
from selenium.webdriver.common.keys import Keys

from admin import Admin
from chat_page import FLAGS, MESSAGES, again, enter, keys, messages, say, show
from client import Client, TextClient
from rest import secret, token

MOST_BYTES = 60_000
"""All that the page loads, as it is transferred."""


@pytest.fixture
def broker(start):
    return start(*FLAGS)


def test_a_newcomer_talks_with_people_at_nc(browser, broker):
    with TextClient(broker) as han:
        han.join("Han")
        han.say("anybody here?")
        enter(browser, broker)
        browser.wait(lambda: messages(browser) == ["anybody here?"], "what was said before")
        assert browser.text("#room-name") == "lobby"
        say(browser, "hello from the browser 👋")
        browser.wait(lambda: browser.text("#people-title") == "Here: 2", "both in the one lobby")
        assert browser.texts(".room-item .name") == ["lobby"]
        assert han.line() == "Ada Lovelace: hello from the browser 👋"
        han.say("welcome")
        browser.wait_for_text("welcome", "#messages")
        assert browser.texts(".message.own .said") == ["hello from the browser 👋"]
        browser.check_accessible()


def test_what_a_newcomer_types_goes_into_the_message(browser, broker):
    browser.open(broker)
    name = browser.find("#me-name")
    keys(browser, *[Keys.ESCAPE] * 3)
    # a browser closes it at the second Escape, and the page opens it again behind that
    browser.wait(name.is_displayed, "the dialog, behind which there is nothing to see without a name")
    name.send_keys("Ada", Keys.ENTER)
    keys(browser, "hello", Keys.ENTER)
    browser.wait(lambda: messages(browser) == ["hello"], "the first sentence")
    browser.find("#find-room").click()
    browser.find("#room-input").send_keys("attic", Keys.ENTER)
    browser.wait(lambda: browser.text("#room-name").endswith("attic"), "the other room")
    keys(browser, "and here", Keys.ENTER)
    browser.wait(lambda: messages(browser) == ["and here"], "the first sentence there")


def test_a_newcomer_sees_who_wrote_lately(browser, broker):
    with TextClient(broker) as han:
        han.join("Han")
        han.say("anybody here?")
        enter(browser, broker, "/?channel=quiet#lobby")
        browser.wait_for_text("This channel does not show who is in its rooms.", "#people-note")
    with Client(broker, "Luke", channel="quiet") as luke:
        luke.publish("lobby", "hello")
    browser.driver.refresh()
    browser.wait(lambda: messages(browser) == ["hello"], "the history")
    browser.wait(lambda: browser.texts(".person-name") == ["Luke"], "who wrote it")


def test_what_was_not_sent_is_kept(browser, start, tmp_path):
    broker = start(*FLAGS, admin=tmp_path / "a.sock")
    enter(browser, broker, "/#attic")
    show(browser, "lobby")
    field = browser.find("#write")
    written = lambda: browser.run("return document.getElementById('write').value")
    field.send_keys("half a sen")
    show(browser, "attic")
    assert written() == ""
    show(browser, "lobby")
    assert written() == "half a sen"
    browser.driver.refresh()
    browser.wait(lambda: browser.text("#state") == "Connected", "the connection")
    assert written() == "half a sen"
    Admin(broker).done("POST", "/channels/default/sanctions", {"kind": "mute", "address": "127.0.0.1", "seconds": 3600})
    browser.wait(lambda: not browser.find("#write").is_enabled(), "the mute")
    assert written() == "half a sen"
    Admin(broker).done("DELETE", "/channels/default/sanctions", query={"kind": "mute", "address": "127.0.0.1"})
    browser.wait(lambda: browser.find("#write").is_enabled(), "that one can write again")
    browser.run("const f = document.getElementById('write'); f.value = 'x'.repeat(100000); f.dispatchEvent(new Event('input'))")
    browser.find("#write").send_keys(Keys.ENTER)
    browser.wait_for_text("Not sent", ".trouble")
    browser.driver.refresh()
    browser.wait_for_text("Not sent", ".trouble")
    browser.press("Edit", ".trouble")
    assert written() == "x" * 100_000
    assert browser.texts(".message") == []


def test_what_waits_for_the_broker_is_sent_by_the_page_that_is_loaded_again(browser, broker):
    enter(browser, broker)
    # a socket that swallows what is sent, as a network that has just gone
    browser.run("WebSocket.prototype.send = () => {}")
    say(browser, "on its way")
    browser.wait(lambda: browser.texts(".message.sending .said") == ["on its way"], "the message that waits")
    browser.driver.refresh()
    browser.wait(lambda: messages(browser) == ["on its way"], "the message, once")
    assert browser.texts(".message.sending") == []


def test_a_tab_and_its_copy_send_what_waits_once(browser, broker, start):
    enter(browser, broker)
    browser.run("window.sends = WebSocket.prototype.send; WebSocket.prototype.send = () => {}")
    say(browser, "on its way")
    browser.wait(lambda: browser.texts(".message.sending .said") == ["on its way"], "the message that waits")
    # a tab that the browser copies has the storage of the first
    browser.run("window.open(location.href)")
    first, copy = browser.driver.window_handles
    browser.driver.switch_to.window(copy)
    browser.wait(lambda: messages(browser) == ["on its way"], "the message in the copy")
    browser.driver.close()
    browser.driver.switch_to.window(first)
    browser.expected.append("WebSocket connection")
    browser.run("WebSocket.prototype.send = window.sends")
    broker.kill()
    again(start, broker)
    browser.wait_for_text("Connected again", "#messages")
    browser.wait(lambda: browser.texts(".message.sending") == [], "that nothing waits")
    assert messages(browser) == ["on its way"]


def test_messages_of_one_minute_have_one_time_and_mentions_are_marked(browser, broker):
    enter(browser, broker, "/#attic", name="Ada")
    show(browser, "lobby")
    with Client(broker, client_data={"name": "Luke"}) as luke:
        for text in ("one", "two", "is ADA here? adamant", "see https://ada.example/"):
            luke.publish("lobby", text)
        browser.wait(lambda: len(messages(browser)) == 4, "the messages")
        times = browser.run("return [...document.querySelectorAll('.message .time')].map((node) => node.offsetWidth > 1)")
        # a minute may have ended in between
        assert times[0] and times.count(True) <= 2
        assert browser.texts(".mention") == ["ADA"]
        assert len(browser.driver.find_elements("css selector", ".bubble.named")) == 2
        show(browser, "attic")
        luke.publish("lobby", "Ada?")
        browser.wait(lambda: browser.texts(".room-item .badge")[0] == "@1", "the mention in the list")
        luke.publish("attic", "who am I?")
        before = browser.wait(lambda: browser.run("return document.querySelector('.other .avatar')?.style.getPropertyValue('--c')"), "a colour")
    with Client(broker, client_data={"name": "Luke"}) as luke:
        luke.publish("attic", "again")
        browser.wait(lambda: len(messages(browser)) == 2, "the other message")
    colours = browser.run("return [...document.querySelectorAll('.other .avatar')].map((node) => node.style.getPropertyValue('--c'))")
    assert set(colours) == {before}, "the colour of another session"


def test_the_day_covers_no_message_at_rest(browser, broker):
    with Client(broker) as writer:
        for number in range(90):
            writer.publish("lobby", f"message {number}")
    enter(browser, broker)
    browser.wait(lambda: messages(browser)[-1:] == ["message 89"], "the messages")
    covered = "const day = document.querySelector('.line.day').getBoundingClientRect(); const at = document.getElementById('scroll').getBoundingClientRect(); return day.bottom > at.top"
    assert not browser.run(covered)
    browser.run("document.getElementById('scroll').scrollTop = 900")
    browser.wait(lambda: browser.run(covered), "the day while one scrolls")
    browser.wait(lambda: not browser.run(covered), "the messages at rest")


def test_the_name_is_remembered(browser, broker):
    enter(browser, broker)
    say(browser, "mine")
    browser.wait(lambda: messages(browser) == ["mine"], "the message")
    browser.open(broker)
    browser.wait(lambda: browser.texts(".message.own .said") == ["mine"], "one's own message, after a reload")
    assert browser.text("#my-name") == "Ada Lovelace"


def test_members_and_typing(browser, broker):
    enter(browser, broker)
    with Client(broker, client_data={"name": "יעל", "color": "#0b7285"}) as yael:
        yael.subscribe("lobby")
        browser.wait(lambda: browser.text("#people-title") == "Here: 2", "two members")
        assert "יעל" in browser.text("#people-list")
        yael.publish("lobby", {"typing": True}, ephemeral=True)
        browser.wait(lambda: browser.text("#typing") == "יעל is typing", "who is typing")
        browser.find("#write").send_keys("h")
        while (frame := yael.next()).get("message") != {"typing": True} or frame["client_id"] == yael.id:
            pass
        yael.publish("lobby", "שלום")
        browser.wait_for_text("שלום", "#messages")
        assert browser.text("#typing") == ""
    browser.wait(lambda: browser.text("#people-title") == "Here: 1", "that the other has left")


def test_a_text_about_its_sender_reads_as_in_the_terminal(browser, broker):
    enter(browser, broker)
    with Client(broker, "Luke") as luke:
        luke.publish("lobby", "/me waves")
        browser.wait(lambda: messages(browser) == ["* Luke waves"], "what Luke does")
        browser.wait(lambda: "* Luke waves" in browser.texts(".room-item .last"), "the same in the list")
    say(browser, "/me waves back")
    browser.wait(lambda: messages(browser)[1:] == ["* Ada Lovelace waves back"], "what one does oneself")


def test_a_command_is_done_or_not_sent_but_never_published(browser, broker):
    enter(browser, broker)
    written = lambda: browser.run("return document.getElementById('write').value")
    with Client(broker, "Luke") as luke:
        luke.subscribe("lobby", presence=True)
        for typed, told in [
            ("/msg Leia the password is 1234", "There are no private messages"),
            ("/frobnicate", "There is no /frobnicate, and nothing was sent."),
            ("/kick Luke", "Moderators act by the menu"),
        ]:
            say(browser, typed)
            browser.wait(lambda: told in browser.texts(".line.done")[-1:][0], told)
            assert written() == typed, "what was not done stays in the field"
            browser.find("#write").clear()
        say(browser, "/help")
        browser.wait(lambda: "/join ROOM: joins a room" in browser.texts(".line.done")[-1], "the commands")
        say(browser, "/who")
        browser.wait(lambda: browser.texts(".line.done")[-1] == "Here: Ada Lovelace, Luke", "who is here")
        say(browser, "/name Grace")
        browser.wait(lambda: browser.text("#my-name") == "Grace", "the name")
        say(browser, "/join the kitchen")
        browser.wait(lambda: browser.text("#room-name") == "the kitchen", "the room")
        say(browser, "/leave")
        browser.wait(lambda: browser.text("#room-name") == "lobby", "the room before")
        assert browser.texts(".room-item .name") == ["lobby"]
        say(browser, "//usr is a directory")
        browser.wait(lambda: messages(browser) == ["/usr is a directory"], "the slash")
        while (frame := luke.next()).get("type") != "publish" or "typing" in frame["message"]:
            pass
        assert frame["message"] == "/usr is a directory", "nothing else was published"
        assert written() == ""


def test_back_goes_to_the_room_before(browser, broker):
    enter(browser, broker)
    with Client(broker, "Luke") as luke:
        for room in ("attic", "kitchen"):
            say(browser, f"/join {room}")
            browser.wait(lambda: browser.text("#room-name") == room, room)
        browser.driver.back()
        browser.wait(lambda: browser.text("#room-name") == "attic", "the room before")
        browser.driver.back()
        browser.wait(lambda: browser.text("#room-name") == "lobby", "the first room")
        browser.driver.forward()
        browser.wait(lambda: browser.text("#room-name") == "attic", "forward again")
        show(browser, "kitchen")
        browser.find("#leave-room").click()
        browser.wait(lambda: browser.text("#room-name") == "lobby", "another room")
        browser.driver.back()
        browser.wait(lambda: browser.text("#room-name") == "attic", "the room before")
        browser.driver.forward()
        browser.wait(lambda: browser.text("#room-name") == "lobby", "the room that took its place")
        browser.driver.back()
        browser.wait(lambda: browser.text("#room-name") == "attic", "the room before, once more")
        browser.find("#leave-room").click()
        browser.wait(lambda: browser.texts(".room-item .name") == ["lobby"], "the last room")
        browser.driver.forward()
        browser.driver.back()
        assert browser.texts(".room-item .name") == ["lobby"], "what was left is not joined again"
        luke.ask({"type": "ping"})


def test_back_closes_what_covers_the_room(browser, broker):
    enter(browser, broker)
    browser.size(390, 800)
    side = lambda: browser.run("return document.getElementById('app').dataset.side")
    say(browser, "/join attic")
    browser.wait(lambda: browser.text("#room-name") == "attic", "the room")
    browser.find("#show-people").click()
    browser.wait(lambda: side() == "people", "the people")
    browser.driver.back()
    browser.wait(lambda: side() == "room", "the room again")
    assert browser.text("#room-name") == "attic"
    assert browser.find("#show-people").get_attribute("aria-expanded") == "false"
    for close in (lambda: browser.find("#hide-people").click(), lambda: keys(browser, Keys.ESCAPE)):
        browser.find("#show-people").click()
        browser.wait(lambda: side() == "people", "the people")
        close()
        browser.wait(lambda: side() == "room" and browser.run("return history.state.side") == "room", "no step that is left behind")
    browser.find("#show-rooms").click()
    browser.wait(lambda: side() == "rooms", "the rooms")
    browser.driver.back()
    browser.wait(lambda: side() == "room", "the room again")
    browser.find("#show-rooms").click()
    show(browser, "lobby")
    browser.driver.back()
    browser.wait(lambda: browser.text("#room-name") == "attic", "the room before, not the list")
    assert side() == "room"
    browser.driver.back()
    browser.wait(lambda: browser.text("#room-name") == "lobby", "the first room")


def test_a_channel_that_is_not_there_is_named_with_the_way_to_another(browser, broker):
    browser.open(broker, "/?channel=nowhere")
    browser.find("#me-name").send_keys("Ada", Keys.ENTER)
    browser.wait_for_text("There is no channel “nowhere”.", "#banner-text")
    assert "?channel=NAME" in browser.text("#banner-text")
    browser.check_accessible()
    browser.size(390, 800)
    assert browser.run("const node = document.getElementById('banner'); return node.scrollWidth <= node.clientWidth"), "all of it is seen"
    browser.size(1280, 800)
    browser.press("Go to the channel default", "#banner")
    browser.wait(lambda: browser.text("#state") == "Connected", "the connection")
    assert browser.text("#banner") == ""


def test_people_of_one_name_and_rooms_are_told_apart(browser, broker):
    enter(browser, broker, "/#observable-kitchen")
    assert browser.texts(".room-item .name") == ["lobby", "observable-kitchen"], "the names that the rooms have everywhere"
    with Client(broker, "Luke") as one, Client(broker, "luke") as other:
        one.subscribe("observable-kitchen")
        browser.wait(lambda: "Luke" in browser.texts(".person-name"), "the only one of the name")
        other.subscribe("observable-kitchen")
        browser.wait(lambda: len(browser.texts(".person-name")) == 3, "both")
        assert {person.id[:5] for person in (one, other)} <= set(browser.texts(".person-name small"))
        other.publish("observable-kitchen", "which one?")
        browser.wait(lambda: browser.texts(".message .by small") == [other.id[:5]], "who says it")


def test_people_who_had_one_name_are_told_apart_also_after_a_reload(browser, broker):
    enter(browser, broker, "/#observable-den")
    with Client(broker, "Zed") as one, Client(broker, "Bob") as other:
        for client in (one, other):
            client.subscribe("observable-den")
        one.publish("observable-den", "buy my watches")
        one.request({"type": "update", "client_data": {"name": "Han"}})
        other.request({"type": "update", "client_data": {"name": "Zed"}})
        other.publish("observable-den", "good evening")
        marks = [one.id[:5], other.id[:5]]
        browser.wait(lambda: browser.texts(".message .by small") == marks, "who says what")
        browser.driver.refresh()
        browser.wait(lambda: messages(browser) == ["buy my watches", "good evening"], "the history")
        browser.wait(lambda: browser.texts(".message .by small") == marks, "who says what, after a reload")
        other.close()
        browser.wait(lambda: browser.texts(".person-name bdi") == ["Ada Lovelace", "Han"], "that one has left")
        assert browser.texts(".message .by small") == marks


def test_nothing_of_a_message_is_markup(browser, broker):
    enter(browser, broker)
    with Client(broker, client_data={"name": "<b>Mallory</b>", "color": "red;background:url(//x)"}) as mallory:
        mallory.publish("lobby", "<img src=x onerror=alert(1)> javascript:alert(1) https://example.org/a?b=(c).")
        mallory.publish("lobby", {"text": "<script>alert(1)</script>"})
        mallory.publish("lobby", {"html": "<i>no</i>"})
        browser.wait_for_text('{"html":"<i>no</i>"}', "#messages")
    assert messages(browser)[0].startswith("<img src=x onerror=alert(1)> javascript:alert(1) https://")
    assert "<b>Mallory</b>" in browser.text("#messages")
    assert browser.run("return document.querySelectorAll('#messages :is(img, script, i, .said b)').length") == 0
    links = browser.run("return [...document.querySelectorAll('#messages a')].map((a) => [a.href, a.target, a.rel])")
    assert links == [["https://example.org/a?b=(c)", "_blank", "noopener noreferrer nofollow"]]


def test_older_messages_come_when_one_scrolls_up(browser, broker):
    with Client(broker) as writer:
        for number in range(400):
            writer.send({"type": "publish", "room": "lobby", "message": f"message {number}"})
        writer.ask({"type": "ping"})
        enter(browser, broker)
        browser.wait(lambda: messages(browser)[-1:] == ["message 399"], "the newest message")
        assert "message 0" not in messages(browser)

    def reached():
        browser.run("document.getElementById('scroll').scrollTop = 0")
        return "message 0" in messages(browser)

    browser.wait(reached, "the first message")
    assert messages(browser) == [f"message {number}" for number in range(400)]


def test_unread_messages_are_counted_and_marked(browser, broker):
    enter(browser, broker, "/#attic")
    with Client(broker, "Luke") as luke:
        for number in range(3):
            luke.publish("lobby", f"news {number}")
        browser.wait(lambda: browser.texts(".room-item .badge")[0] == "3", "the count")
        show(browser, "lobby")
        browser.wait(lambda: browser.texts(".room-item .badge")[0] == "", "that they are read")
        assert browser.texts(".line.unread") == ["New messages"]


def test_what_comes_into_an_empty_room_is_unread_when_one_comes_back(browser, broker):
    enter(browser, broker, "/#attic")
    browser.driver.get("about:blank")
    with Client(broker, "Luke") as luke:
        for number in range(3):
            luke.publish("lobby", f"news {number}")
    browser.open(broker, "/#attic")
    browser.wait(lambda: browser.texts(".room-item .badge")[:1] == ["3"], "the count")


def test_the_broker_is_killed_and_nothing_is_missing(browser, broker, start):
    enter(browser, broker)
    say(browser, "before")
    browser.wait(lambda: messages(browser) == ["before"], "the message")
    browser.expected.append("WebSocket connection")
    with browser.offline():
        broker.kill()
        browser.wait_for_text("The connection is lost. Reconnecting…", "#banner")
        say(browser, "while it is away")
        browser.wait(lambda: browser.texts(".message.sending .said") == ["while it is away"], "the message that waits")
        broker = again(start, broker)
        with Client(broker, "Luke") as luke:
            for number in range(3):
                luke.publish("lobby", f"missed {number}")
    browser.wait_for_text("3 missed messages, here they are", "#messages")
    everything = ["before", "missed 0", "missed 1", "missed 2", "while it is away"]
    browser.wait(lambda: messages(browser) == everything, "all messages, each once")
    assert browser.text("#banner") == ""


def test_a_gap_is_named_and_what_was_before_it_goes(browser, broker, start):
    """A message before it may have been removed, and the entry that says so may be among those that are gone."""
    enter(browser, broker, "/?channel=short")
    browser.expected.append("WebSocket connection")
    with Client(broker, "Luke", channel="short") as luke:
        luke.publish("lobby", "first")
    browser.wait(lambda: messages(browser) == ["first"], "the message")
    with browser.offline():
        broker.kill()
        broker = again(start, broker)
        with Client(broker, "Luke", channel="short") as luke:
            for number in range(2, 31):
                luke.publish("lobby", f"message {number}")
        browser.wait_for_text("The connection is lost", "#banner")
    browser.wait_for_text("Messages up to 20 are gone: the room keeps only its newest messages.", "#messages")
    browser.wait(lambda: messages(browser) == [f"message {number}" for number in range(21, 31)], "what the room has")


@pytest.mark.parametrize("room", ["lobby", None])
def test_a_mute_that_ends_meanwhile_is_forgotten(browser, start, tmp_path, room):
    broker = start(*FLAGS, admin=tmp_path / "a.sock")
    enter(browser, broker)
    mute = {"kind": "mute", "address": "127.0.0.1", **({"room": room} if room else {})}
    Admin(broker).done("POST", "/channels/default/sanctions", {**mute, "seconds": 3600})
    browser.wait_for_text("You are muted until", "#why")
    assert not browser.find("#write").is_enabled()
    browser.expected.append("WebSocket connection")
    with browser.offline():
        broker.kill()
        broker = again(start, broker, admin=tmp_path / "a.sock")
        Admin(broker).done("DELETE", "/channels/default/sanctions", query=mute)
        browser.wait_for_text("The connection is lost", "#banner")
    browser.wait(lambda: browser.find("#write").is_enabled(), "that one can write again")
    say(browser, "finally")
    browser.wait(lambda: messages(browser) == ["finally"], "the message")


def test_a_room_is_left_before_one_is_in_it(browser, broker, start):
    enter(browser, broker)
    browser.expected.append("WebSocket connection")
    with browser.offline():
        broker.kill()
        browser.wait_for_text("The connection is lost", "#banner")
        browser.run("location.hash = '#other'")
        browser.wait(lambda: browser.text("#room-sub") == "Joining…", "the room")
        browser.find("#leave-room").click()
        broker = again(start, broker)
    browser.wait(lambda: browser.text("#state") == "Connected", "the connection")
    with Client(broker, "Luke") as luke:
        luke.subscribe("other")
        browser.run("location.hash = '#other'")
        browser.wait(lambda: browser.text("#people-title") == "Here: 2", "that one is in the room once")


def test_a_page_that_is_loaded_again_is_one_member(browser, broker):
    enter(browser, broker, "/#lobby")
    browser.wait(lambda: browser.text("#people-title") == "Here: 1", "oneself")
    browser.driver.refresh()
    browser.wait(lambda: browser.text("#state") == "Connected", "the connection")
    browser.wait(lambda: browser.text("#people-title").startswith("Here"), "the members")
    assert browser.text("#people-title") == "Here: 1"


def test_a_channel_with_tokens(browser, broker):
    permissions = {".*": {"publish": True, "subscribe": True, "history": 10}}
    enter(browser, broker, "/?channel=closed")
    browser.find("#token").send_keys("a.b.c")
    browser.press("Sign in")
    browser.wait_for_text("This token is not valid here. Paste all of it, or ask for another one.", "#token-error")
    shown = token("closed", secret(broker, "closed"), permissions).removeprefix("Bearer ")
    browser.find("#token").send_keys(shown)
    browser.press("Sign in")
    browser.wait(lambda: browser.text("#people-title") == "Here: 1", "the room")
    say(browser, "let in")
    browser.wait(lambda: messages(browser) == ["let in"], "the message")


def test_a_room_that_was_cleared_meanwhile_has_what_came_behind(browser, start, tmp_path):
    """What was deleted is not shown, what came behind is, and nobody is told that nothing was missed."""
    broker = start(*FLAGS, admin=tmp_path / "a.sock")
    enter(browser, broker)
    with Client(broker, "Han") as han:
        han.publish("lobby", "to be deleted")
        browser.wait(lambda: messages(browser) == ["to be deleted"], "the message")
        browser.expected.append("WebSocket connection")
        with browser.offline():
            broker.kill()
            broker = again(start, broker, admin=tmp_path / "a.sock")
            Admin(broker).done("POST", "/channels/default/rooms/lobby/clear")
            with Client(broker, "Leia") as leia:
                for text in ("one", "two", "three"):
                    leia.publish("lobby", text)
        browser.wait(lambda: messages(browser) == ["one", "two", "three"], "what came behind")
        browser.wait_for_text("The room has a new log.", "#messages")
        assert "Nothing was missed" not in browser.text("#messages")
        with Client(broker, "Leia") as leia:
            leia.publish("lobby", "four")
        browser.wait(lambda: messages(browser) == ["one", "two", "three", "four"], "the next message")


def test_a_channel_stops_and_begins_to_take_tokens(browser, start, tmp_path):
    """The token that the tab has is no obstacle, and it is used again."""
    broker = start("--channel", "default", admin=tmp_path / "a.sock")
    admin = Admin(broker)
    admin.done("POST", "/channels", {"id": "club", "authentication": "required"})
    shown = token("club", secret(broker, "club"), {".*": {"publish": True, "subscribe": True}}).removeprefix("Bearer ")
    browser.open(broker, "/?channel=club")
    browser.find("#me-name").send_keys("Ada Lovelace", Keys.ENTER)
    browser.find("#token").send_keys(shown)
    browser.press("Sign in")
    browser.wait(lambda: browser.text("#people-title") == "Here: 1", "the room")
    admin.done("PATCH", "/channels/club", {"authentication": "none"})
    browser.driver.refresh()
    browser.wait_for_text("This channel takes no tokens.", "#token-error")
    browser.press("Go on without a token")
    browser.wait(lambda: browser.text("#people-title") == "Here: 1", "the open room")
    # the channel is closed again: who has no token is asked for one
    admin.done("PATCH", "/channels/club", {"authentication": "required"})
    browser.wait_for_text("This channel admits only people with a token.", "#token-text")
    browser.find("#token").send_keys(shown)
    browser.press("Sign in")
    browser.wait(lambda: browser.text("#people-title") == "Here: 1", "the room")
    # a tab that stays has its token still
    for authentication in ("none", "required"):
        admin.done("PATCH", "/channels/club", {"authentication": authentication})
    browser.wait(lambda: browser.text("#state") == "Connected" and browser.text("#people-title") == "Here: 1", "the room, with the token")
    say(browser, "still here")
    browser.wait(lambda: messages(browser)[-1:] == ["still here"], "the message")


def test_six_thousand_messages_at_once(browser, broker):
    """The newest stay on the screen, the page answers, and what it holds is bounded."""
    enter(browser, broker)
    count = 6000
    with Client(broker, "Flood") as flood:
        for number in range(count):
            flood.send_bytes(b'{"type":"publish","room":"lobby","message":"message %d"}\n' % number)
        browser.wait(lambda: len(messages(browser)) > 50, "the first messages")
        say(browser, "I can still write")
        flood.ask({"type": "ping"})
    browser.wait(lambda: f"message {count - 1}" in messages(browser)[-2:], "the newest message")
    shown = [int(text.removeprefix("message ")) for text in messages(browser) if text.startswith("message")]
    assert shown == list(range(shown[0], count)), "a hole"
    assert browser.run("return document.querySelectorAll('#messages > *').length") <= 2700
    assert browser.run("const s = document.getElementById('scroll'); return s.scrollHeight - s.scrollTop - s.clientHeight") < 2
    browser.wait(lambda: "I can still write" in browser.text("#messages") or browser.text(".message.sending") == "", "the answer to one's own")


def test_the_page_is_small_and_complete(browser, start):
    broker = start()
    browser.open(broker)
    resources = browser.run(
        "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
        ".map((entry) => [new URL(entry.name).host, new URL(entry.name).pathname, entry.encodedBodySize])"
    )
    assert {host for host, _, _ in resources} == {f"127.0.0.1:{broker.http_port}"}
    unique = {path: size for _, path, size in resources}
    assert "/roomline.js" in unique
    assert sum(unique.values()) < MOST_BYTES, unique


@pytest.mark.parametrize("width", [390, 1280])
def test_each_part_of_the_page_is_accessible(browser, broker, width):
    browser.size(width, 800)
    browser.open(broker)
    browser.find("#me-name")
    browser.check_accessible()
    browser.find("#me-name").send_keys("Ada", Keys.ENTER)
    browser.wait(lambda: browser.text("#room-name") == "lobby", "the room")
    say(browser, "one")
    browser.find(MESSAGES)
    browser.find("#emoji").click()
    browser.check_accessible()
    browser.find(".emoji-list button").send_keys(Keys.ESCAPE)
    if width < 700:
        browser.find("#show-rooms").click()
        browser.check_accessible()
    browser.find("#find-room").click()
    browser.find("#room-input")
    browser.check_accessible()
