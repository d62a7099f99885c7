"""The console in Chromium, against the built broker."""

import json

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from admin import Admin
from client import Client
from tokens import token as token_of

FLAGS = ["--channel", "default,history=2000", "--channel", "gated,auth=required,history=100", "--channel", "fleeting,history=off", "--memory-total", "128MiB"]


@pytest.fixture
def token(admin, request):
    """A token with all scopes."""
    name = f"test-{abs(hash(request.node.name))}"
    return admin.done("POST", "/tokens", {"name": name, "scopes": ["manage"]})["token"]


@pytest.fixture
def console(browser, administered, token):
    """The console, signed in with a token."""
    browser.open(administered, "/console")
    browser.find("#login-token").send_keys(token, Keys.ENTER)
    browser.wait(lambda: browser.text("#live") == "Live", "the stream of events")
    return browser


def go(browser, path):
    browser.run("location.hash = arguments[0]", path)


def test_a_wrong_token_is_refused(browser, administered):
    browser.expected.append("401")
    browser.open(administered, "/console")
    browser.find("#login-token").send_keys("rla_wrong", Keys.ENTER)
    browser.wait(lambda: browser.text("#login-error") != "", "why")
    assert not browser.driver.find_element("id", "app").is_displayed()
    browser.check_accessible()


def test_a_link_signs_in_once(browser, administered, admin):
    url = admin.done("POST", "/console-links", {})["url"]
    fragment = url.split("/console", 1)[1]
    browser.open(administered, f"/console{fragment}")
    browser.wait(lambda: browser.text("#live") == "Live", "the stream of events")
    assert "code=" not in browser.driver.current_url
    browser.press("Sign out")
    browser.find("#login-token")
    browser.expected.append("401")
    browser.open(administered, f"/console{fragment}")
    browser.wait(lambda: browser.text("#login-error") != "", "that the link is used up")


def test_a_link_opened_in_an_open_console_signs_in(console, admin):
    url = admin.done("POST", "/console-links", {})["url"]
    go(console, url.split("#", 1)[1])
    console.wait(lambda: "code=" not in console.driver.current_url, "that the link is used")
    console.wait(lambda: console.text("#live") == "Live", "the stream of events")
    console.wait(lambda: console.text("#content h1") == "Overview", "the overview")


def test_a_room_shows_its_messages_in_order(console, administered):
    def shown():
        return console.run("return [...document.querySelectorAll('.talk .said-row')].map((row) => Number(row.dataset.seq))")

    def days():
        return console.run("return document.querySelectorAll('.talk .talk-day').length")

    with Client(administered, "Luke") as luke:
        first = luke.publish("archive", "message 0")["seq"]
        for number in range(1, 250):
            luke.publish("archive", f"message {number}")
        go(console, "#/room/default/archive")
        console.wait(lambda: len(shown()) == 100, "the newest page")
        for count in (200, 250):
            console.press("Older messages")
            console.wait(lambda count=count: len(shown()) == count, f"{count} messages")
        assert shown() == list(range(first, first + 250))
        assert days() == 1
        console.run("const talk = document.querySelector('.talk'); talk.scrollTop = talk.scrollHeight")
        for number in range(250, 1600):
            luke.send({"type": "publish", "room": "archive", "message": f"message {number}"})
        last = luke.publish("archive", "the last one")["seq"]
        console.wait(lambda: shown()[-1:] == [last], "the newest message")
        rows = shown()
        assert rows == list(range(rows[0], last + 1)) and len(rows) <= 1500
        console.press("Older messages")
        console.wait(lambda: len(shown()) > len(rows), "an older page")
        assert shown() == list(range(shown()[0], last + 1))
        assert days() == 1


def asked_of(console, what):
    """How often the page has asked for something."""
    return console.run("return performance.getEntriesByType('resource').filter((entry) => entry.name.includes(arguments[0])).length", what)


def test_a_room_is_live_and_quiet(console, administered):
    """Messages come by the stream of the room. While nothing happens there, the page asks for nothing of it."""

    def said():
        return console.texts(".talk .said-row .text")

    with Client(administered, "Luke") as luke:
        luke.subscribe("quiet")
        luke.publish("quiet", "the first")
        go(console, "#/room/default/quiet")
        console.wait(lambda: said() == ["the first"], "what was said before")
        console.wait(lambda: console.texts(".room-grid tbody .strong") == ["Luke"], "the member")
        luke.publish("quiet", "the second")
        console.wait(lambda: said() == ["the first", "the second"], "what was said now")
        console.wait(lambda: "number 2" in console.text(".facts"), "the newest number")
        figures = asked_of(console, "/statistics")
        console.wait(lambda: asked_of(console, "/statistics") > figures, "the figures, behind what the message had it ask for")
        before, figures = asked_of(console, "/rooms/quiet"), asked_of(console, "/statistics")
        console.wait(lambda: asked_of(console, "/statistics") >= figures + 2, "the figures, twice")
        assert asked_of(console, "/rooms/quiet") == before
        luke.publish("quiet", "the third")
        console.wait(lambda: said()[-1:] == ["the third"], "what was said after the silence")
        console.find(".said-row:last-child .act").click()
        console.press("Remove the message", "dialog")
        console.wait(lambda: said()[-1:] == ["(removed)"], "the mark of the removed message")
        console.press("Delete all messages…")
        console.press("Delete all messages", "dialog")
        console.wait_for_text("No messages yet.", ".talk")
        luke.publish("quiet", "anew")
        console.wait(lambda: said() == ["anew"], "the new log")


def test_a_room_goes_on_where_it_was_when_the_window_is_visible_again(console, administered):
    def hide(is_hidden):
        console.run("Object.defineProperty(document, 'hidden', { value: arguments[0], configurable: true })", is_hidden)
        console.run("document.dispatchEvent(new Event('visibilitychange'))")

    with Client(administered, "Luke") as luke:
        luke.publish("away", "before")
        go(console, "#/room/default/away")
        console.wait(lambda: console.texts(".talk .text") == ["before"], "the message")
        luke.publish("away", "seen")
        console.wait(lambda: console.texts(".talk .text") == ["before", "seen"], "the live one")
        hide(True)
        before = asked_of(console, "/rooms/away")
        last = [luke.publish("away", f"missed {number}")["seq"] for number in range(250)][-1]
        assert asked_of(console, "/rooms/away") == before
        assert console.texts(".talk .text") == ["before", "seen"]
        hide(False)
        console.wait(lambda: console.texts(".talk .text")[-1:] == ["missed 249"], "the newest")
        seqs = console.run("return [...document.querySelectorAll('.talk .said-row')].map((row) => Number(row.dataset.seq))")
        assert seqs == list(range(1, last + 1))


def test_a_room_without_history_is_live(console, administered):
    with Client(administered, "Luke", channel="fleeting") as luke:
        luke.subscribe("here")
        luke.publish("here", "in memory")
        go(console, "#/room/fleeting/here")
        console.wait(lambda: console.texts(".talk .text") == ["in memory"], "what is still in memory")
        luke.publish("here", "live")
        console.wait(lambda: console.texts(".talk .text") == ["in memory", "live"], "what is said now")
        console.check_accessible()


def test_scripts_cannot_read_the_session(console):
    assert console.run("return document.cookie") == ""
    console.expected.append("403")
    console.expected.append("401")
    status = "return fetch('/admin/v1/channels', { headers: arguments[0] }).then((answer) => answer.status)"
    assert console.run(status, {}) in (401, 403), "the cookie alone is enough"
    proof = console.run("return sessionStorage.getItem('roomline.console.csrf')")
    assert console.run(status, {"X-Roomline-CSRF": proof}) == 200


def test_the_overview_follows_the_broker(console, administered):
    with Client(administered, "Luke") as luke:
        luke.subscribe("lobby")
        luke.publish("lobby", "hello")
        console.wait(lambda: console.texts(".tile-value")[:3] == ["1", "1", "1"], "the connection, its room, its member")
        console.wait(lambda: "json 1" in " ".join(console.text(".plots").split()), "its wire format")
        assert "Nobody lags behind." in console.text()
        console.check_accessible()


def test_a_member_is_kicked(console, administered, admin):
    with Client(administered, "Luke") as luke, Client(administered, "Leia") as leia:
        luke.subscribe("observable-ship")
        leia.subscribe("observable-ship")
        leia.publish("observable-ship", "an unkind one")
        go(console, "#/rooms")
        console.press("observable-ship")
        console.wait_for_text("an unkind one", ".talk")
        console.check_accessible()
        console.wait(lambda: len(console.texts(".room-grid tbody tr")) == 2, "the members")
        row = next(number for number, text in enumerate(console.texts(".room-grid tbody tr"), 1) if "Leia" in text)
        console.press("Kick…", f".room-grid tbody tr:nth-child({row})")
        console.find("dialog input[name=reason]").send_keys("enough")
        console.check_accessible()
        console.press("Kick", "dialog")
        while (frame := leia.next()).get("type") != "removed":
            pass
        assert (frame["code"], frame["room"]) == ("kicked", "observable-ship")
        assert "enough" in frame["reason"]
        console.wait(lambda: "Leia" not in console.text(".room-grid table"), "that she has left")
        go(console, "#/audit")
        console.wait_for_text(f"kicked Leia (session {leia.id}) out of the room observable-ship: enough", "table")


def test_a_message_is_removed_and_the_room_locked(console, administered):
    with Client(administered, "Luke") as luke:
        luke.subscribe("observable-hold")
        seq = luke.publish("observable-hold", "my password")["seq"]
        go(console, "#/room/default/observable-hold")
        console.press("Remove…", ".talk")
        console.press("Remove the message", "dialog")
        while (frame := luke.next()).get("type") != "message_redacted":
            pass
        assert frame["target_seq"] == seq
        console.wait_for_text("(removed)", ".talk")
        console.press("Lock…")
        console.press("Lock", "dialog")
        console.wait_for_text("locked", "#content h1")
        luke.refused({"type": "publish", "room": "observable-hold", "message": "?"}, "room_locked")


def test_a_ban_is_seen_and_lifted(console, administered, admin):
    with Client(administered, "Jabba") as jabba:
        jabba.subscribe("palace")
        go(console, "#/room/default/palace")
        console.press("Ban…")
        Select(console.find("dialog select[name=place]")).select_by_value("channel")
        console.press("Ban", "dialog")
        jabba.goodbye("banned")
    go(console, "#/channel/default")
    console.press("Lift…")
    console.check_accessible()
    console.press("Lift the ban", "dialog")
    console.wait_for_text("Nobody is banned or muted.")
    assert admin.done("GET", "/channels/default/sanctions")["total"] == 0


def test_the_author_of_a_message_is_banned_also_when_gone(console, administered, admin):
    with Client(administered, "Jabba") as jabba:
        id = jabba.id
        for text in ("buy my watches", "and my tea"):
            jabba.publish("market", text)
    go(console, "#/room/default/market")
    console.wait(lambda: console.texts(".talk .text") == ["buy my watches", "and my tea"], "the messages")
    console.press("Ban…", ".talk")
    console.check_accessible()
    Select(console.find("dialog select[name=redact]")).select_by_value("all")
    Select(console.find("dialog select[name=seconds]")).select_by_value("600")
    console.find("dialog input[name=reason]").send_keys("no adverts")
    console.press("Ban", "dialog")
    console.wait_for_text(f"Jabba (session {id}) is banned, and 2 messages are removed", "#toast")
    console.wait(lambda: console.texts(".talk .text") == ["(removed: no adverts)"] * 2, "the marks")
    (sanction,) = admin.done("GET", "/channels/default/sanctions")["sanctions"]
    assert (sanction["kind"], sanction["client_id"], sanction["room"]) == ("ban", id, "market")
    go(console, "#/audit")
    sentence = f"banned session {id} from the room market for 10 minutes, and removed their messages there: no adverts"
    console.wait_for_text(sentence, "table")
    Select(console.find("select[aria-label=What]")).select_by_value("room.lock")
    console.wait(lambda: sentence not in console.text("#content"), "the locks alone")
    Select(console.find("select[aria-label=What]")).select_by_value("sanction.impose")
    console.wait_for_text(sentence, "table")
    console.check_accessible()


def test_the_user_of_a_message_is_banned_also_when_gone(console, administered, admin):
    """The message names no user, and the list of members not any more: the broker knows."""
    access = token_of(administered, "gated", data={"id": "u7"})
    with Client(administered, "Jabba", channel="gated", token=access) as jabba:
        jabba.publish("market", "buy my watches")
    go(console, "#/room/gated/market")
    console.press("Ban…", ".talk")
    console.wait_for_text("Ban Jabba (user u7)?", "dialog")
    console.press("Ban", "dialog")
    console.wait_for_text("Jabba (user u7) is banned", "#toast")
    (sanction,) = admin.done("GET", "/channels/gated/sanctions")["sanctions"]
    assert (sanction["kind"], sanction["user"], sanction["room"]) == ("ban", "u7", "market")


def test_a_muted_member_is_unmuted(console, administered, admin):
    path = "/channels/default/sanctions"
    with Client(administered, "Greedo") as greedo:
        greedo.subscribe("cantina")
        admin.done("POST", path, {"kind": "mute", "room": "cantina", "client_id": greedo.id})
        admin.done("POST", path, {"kind": "mute", "address": "127.0.0.0/8"})
        admin.done("POST", path, {"kind": "mute", "room": "elsewhere", "client_id": greedo.id})
        go(console, "#/room/default/cantina")
        console.press("Unmute…", ".room-grid")
        console.wait_for_text(f"session {greedo.id}, in this room; of 127.0.0.0/8, in the whole channel “default”", "dialog")
        console.check_accessible()
        console.press("Unmute", "dialog")
        console.wait_for_text(f"Greedo (session {greedo.id}) can write again", "#toast")
        console.wait(lambda: "Mute…" in console.texts(".room-grid button"), "that it can be muted again")
        greedo.publish("cantina", "oota goota")
        left = admin.done("GET", path, query={"kind": "mute"})["sanctions"]
        assert [sanction["room"] for sanction in left] == ["elsewhere"]
        admin.done("DELETE", path, query={"kind": "mute", "client_id": greedo.id, "room": "elsewhere"})


@pytest.mark.parametrize("scope", ["read", "moderate"])
def test_what_the_token_does_not_allow_is_not_there(browser, administered, admin, scope):
    made = admin.done("POST", "/tokens", {"name": f"only-{scope}", "scopes": [scope]})["token"]
    with Client(administered, "Luke") as luke:
        luke.subscribe(f"hall-{scope}")
        luke.publish(f"hall-{scope}", "hello")
        browser.open(administered, "/console")
        browser.find("#login-token").send_keys(made, Keys.ENTER)
        browser.wait(lambda: browser.text("#live") == "Live", "the stream of events")
        audit = ["Audit log"] if scope == "moderate" else []
        assert browser.texts("#nav a") == ["Overview", "Rooms", "Channels", *audit]
        go(browser, "#/tokens")
        browser.wait(lambda: browser.text("#content h1") == "Overview", "the overview in its place")
        go(browser, f"#/room/default/hall-{scope}")
        browser.wait(lambda: browser.texts(".talk .text") == ["hello"] and browser.texts(".room-grid tbody .strong") == ["Luke"], "the room")
        acts = browser.texts("#content button")
        assert ("Ban…" in acts, "Lock…" in acts, "Remove…" in acts) == (scope == "moderate",) * 3
        go(browser, "#/channel/default")
        browser.wait_for_text("Bans and mutes")
        acts = browser.texts("#content button")
        assert "Save" not in acts and "New secret…" not in acts and "Delete the channel…" not in acts
        assert ("Notice…" in acts) == (scope == "moderate")
        browser.driver.refresh()
        browser.wait(lambda: browser.texts("#nav a") == ["Overview", "Rooms", "Channels", *audit], "the same after a reload")
        browser.check_accessible()


def test_the_overview_knows_the_machine(console, admin):
    version = admin.done("GET", "/statistics")["version"]
    console.wait(lambda: version in console.text(".facts"), "the version")
    facts = console.text(".facts")
    assert "Up for" in facts and "% of a core" in facts and " free of " in facts


def test_a_narrow_window_scrolls_in_one_direction(console, administered):
    """390 pixels: a telephone."""
    console.driver.set_window_size(390, 844)
    console.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True})
    try:
        with Client(administered, "A member with a rather long name") as luke:
            luke.subscribe("observable-a-room-with-a-rather-long-name")
            luke.publish("observable-a-room-with-a-rather-long-name", "a message " * 30)
            for place, sign in (
                ("#/overview", "Members that read slowly"), ("#/rooms", "observable-a-room"), ("#/room/default/observable-a-room-with-a-rather-long-name", "a message"),
                ("#/channels", "fleeting"), ("#/channel/default", "Bans and mutes"), ("#/audit", "When"), ("#/tokens", "New token…"),
            ):
                go(console, place)
                console.wait_for_text(sign)
                wide = console.run("return document.documentElement.scrollWidth")
                assert wide <= 390, f"{place} is {wide} pixels wide"
    finally:
        console.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        console.driver.set_window_size(1280, 800)


def test_a_channel_is_made_changed_and_deleted(console, admin):
    go(console, "#/channels")
    console.press("New channel…")
    presets = [console.find(f"dialog input[name=history_{name}]").get_property("value") for name in ("count", "days")]
    console.find("dialog input[name=id]").send_keys("shop", Keys.ENTER)
    secret = console.find("dialog .secret").text
    assert len(secret) == 43
    console.press("Done", "dialog")
    kept = admin.done("GET", "/channels/shop")["history"]
    assert kept == admin.done("POST", "/channels", {"id": "other"})["history"] and presets == ["1000", "30"]
    count = console.find("input[name=history_count]")
    count.clear()
    count.send_keys("500")
    console.press("Save")
    console.wait_for_text("A room that no rule names keeps 500 messages, 30 days.", "dialog")
    assert admin.done("GET", "/channels/shop")["history"]["count"] == 1000
    console.press("Delete them", "dialog")
    console.wait_for_text("The settings are in effect", "#toast")
    assert admin.done("GET", "/channels/shop")["history"]["count"] == 500
    assert secret not in console.text()
    console.check_accessible()
    console.press("Delete the channel…")
    console.find("dialog input[name=id]").send_keys("shop", Keys.ENTER)
    console.wait(lambda: console.driver.current_url.endswith("#/channels"), "the list")
    admin.refused(404, "unknown_channel", "GET", "/channels/shop")


def test_ten_thousand_rooms(console, administered):
    """They come by page, and are found by a part of their names."""
    clients = [Client(administered) for _ in range(10)]
    for number, client in enumerate(clients):
        client.ask({"type": "subscribe", "rooms": [f"room-{number * 1000 + index:05}" for index in range(1000)]})
    go(console, "#/rooms")
    console.wait_for_text("10,000 of 10,000 rooms · page 1 of 400", ".pager")
    assert console.run("return document.querySelectorAll('tbody tr').length") == 25
    console.press("Next")
    console.wait_for_text("page 2 of 400", ".pager")
    console.find("input[type=search]").send_keys("-04242")
    console.wait_for_text("1 of 10,000 rooms", ".pager")
    assert console.texts("tbody a") == ["room-04242"]
    for client in clients:
        client.close()


SEARCH_AT_ONCE = """
const done = arguments[arguments.length - 1];
new MutationObserver((_, observer) => {
  const search = document.querySelector("input[type=search]");
  if (!search) return;
  observer.disconnect();
  search.dispatchEvent(new Event("input"));
  done();
}).observe(document.body, { childList: true, subtree: true });
location.hash = "#/rooms";
"""


def test_rooms_are_not_asked_for_before_the_channel_is_known(console, administered):
    """A search that comes before the list of channels waits for it (the browser's console stays quiet)."""
    with Client(administered, "Luke") as luke:
        luke.ask({"type": "subscribe", "rooms": ["lobby"]})
        console.driver.execute_async_script(SEARCH_AT_ONCE)
        console.wait_for_text("1 of 1 rooms", ".pager")


def test_the_busiest_of_many_rooms_are_first(console, administered):
    with Client(administered, "Luke") as luke:
        luke.ask({"type": "subscribe", "rooms": [f"calm-{number:03}" for number in range(500)]})
        for room, count in (("calm-321", 4), ("calm-444", 9)):
            for number in range(count):
                luke.publish(room, number)
        go(console, "#/rooms")
        console.wait(lambda: console.texts("tbody a")[:2] == ["calm-444", "calm-321"], "the busiest rooms")
        assert console.text("tbody tr:first-child td:nth-child(3)") not in ("", "0", "–")


def test_the_tokens_of_administrators(console, admin):
    go(console, "#/tokens")
    console.press("New token…")
    console.find("dialog input[name=name]").send_keys("reader", Keys.ENTER)
    made = console.find("dialog .secret").text
    assert made.startswith("rla_")
    console.press("Done", "dialog")
    listed = {entry["name"]: entry["scopes"] for entry in admin.done("GET", "/tokens")["tokens"]}
    assert listed["reader"] == ["read"], json.dumps(listed)
    console.check_accessible()
