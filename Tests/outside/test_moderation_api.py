"""Moderation by the admin API and by members: what is stored, what holds, what is noted."""

import base64
import time
import uuid

import pytest

from admin import Admin, name
from broker import PATIENCE
from client import Client
from rest import Rest
from tokens import token

MODERATOR = {".*": {"publish": True, "subscribe": True, "history": 100, "moderate": True}}
ROOM = "observable-r"
FLAGS = ["--channel", "default,history=1000,auth=optional", "--channel", "open,history=100", "--loops", "2"]


@pytest.fixture
def channel(admin):
    """A channel of the test's own, which takes tokens and lets in who has none."""
    id = f"m-{uuid.uuid4().hex[:12]}"
    admin.done("POST", "/channels", {"id": id, "authentication": "optional", "history": {"count": 1000}})
    return id


def member(broker, channel, user=None, *, permissions=None, name=None):
    """Somebody with a token, as this user."""
    claims = {} if user is None else {"data": {"id": user}}
    return Client(broker, name, channel=channel, token=token(broker, channel, permissions=permissions, **claims))


def handshake(broker, channel, user=None):
    """What a handshake is answered."""
    fields = {} if user is None else {"token": token(broker, channel, data={"id": user})}
    with Client(broker, handshake=False) as client:
        return client.request({"type": "handshake", "channel": channel, **fields})


def audited(admin, channel, *, before=0):
    """What the audit log has of moderation in this channel, oldest first."""
    entries = admin.done("GET", "/audit", query={"limit": 1000})["entries"]
    return [entry for entry in reversed(entries) if entry["target"].split("/")[0] == channel and not entry["action"].startswith("channel.c")][before:]


def sanctions(admin, channel, **query):
    return admin.done("GET", f"/channels/{channel}/sanctions", query=query)["sanctions"]


# Bans and mutes


def test_a_ban_of_a_user_lives(administered, admin, channel):
    path = f"/channels/{channel}/sanctions"
    with member(administered, channel, 17) as ann, member(administered, channel, 18) as bob:
        ann.subscribe("r")
        bob.subscribe("r")
        answer = admin.done("POST", path, {"kind": "ban", "user": "17", "reason": "spam", "seconds": 3600})
        assert answer.status == 201
        assert {key: answer[key] for key in ("kind", "user", "reason", "author")} == {"kind": "ban", "user": "17", "reason": "spam", "author": "uid:0"}
        _, goodbye = ann.goodbye("banned")
        assert goodbye["reconnect"] is False
        refused = handshake(administered, channel, 17)
        assert refused["code"] == "banned" and refused["client_id"] == "" and "spam" in refused["error"]
        assert "error" not in handshake(administered, channel, 19)
        assert sanctions(admin, channel) == [answer.body]
        again = admin.done("POST", path, {"kind": "ban", "user": "17"})
        assert sanctions(admin, channel) == [again.body] and "expires" not in again.body
        admin.refused(404, "sanction_not_found", "DELETE", path, query={"kind": "ban", "user": "17", "room": "r"})
        assert admin.done("DELETE", path, query={"kind": "ban", "user": "17"}).status == 204
        admin.refused(404, "sanction_not_found", "DELETE", path, query={"kind": "ban", "user": "17"})
        assert "error" not in handshake(administered, channel, 17)
        bob.publish("r", "still here")
    assert [entry["action"] for entry in audited(admin, channel)] == ["sanction.impose", "sanction.impose", "sanction.lift"]


def test_a_ban_of_an_address_and_of_a_client(administered, admin, channel):
    path = f"/channels/{channel}/sanctions"
    with Client(administered, "Ann", channel=channel) as ann:
        admin.done("POST", path, {"kind": "ban", "room": "r", "client_id": ann.id})
        ann.refused({"type": "subscribe", "room": "r"}, "banned")
        ann.refused({"type": "publish", "room": "r", "message": 1}, "banned")
        ann.subscribe("other")
        admin.done("POST", path, {"kind": "ban", "address": "127.0.0.0/8"})
        ann.goodbye("banned")
    assert handshake(administered, channel)["code"] == "banned"
    assert handshake(administered, channel, 17)["code"] == "banned"
    assert len(sanctions(admin, channel, address="127.0.0.1")) == 1 and not sanctions(admin, channel, address="10.0.0.1")
    admin.done("DELETE", path, query={"kind": "ban", "address": "127.0.0.0/8"})
    assert "error" not in handshake(administered, channel)


def test_a_mute_is_told_and_shown(administered, admin, channel):
    path = f"/channels/{channel}/sanctions"
    with member(administered, channel, 17) as ann:
        ann.subscribe("r")
        admin.done("POST", path, {"kind": "mute", "user": "17", "room": "r", "reason": "calm down"})
        ann.expect("muted", room="r", reason="calm down")
        ann.refused({"type": "publish", "room": "r", "message": 1}, "muted")
        shown = admin.done("GET", f"/channels/{channel}/rooms/r/members/{ann.id}")
        assert shown["user"] == "17" and shown["muted"] is True
        admin.done("DELETE", path, query={"kind": "mute", "user": "17", "room": "r"})
        ann.expect("unmuted", room="r")
        ann.publish("r", 1)
        assert "muted" not in admin.done("GET", f"/channels/{channel}/rooms/r/members/{ann.id}").body


def test_sanctions_come_in_pages(admin, channel):
    path = f"/channels/{channel}/sanctions"
    for user in range(7):
        admin.done("POST", path, {"kind": "ban", "user": f"u{user}", **({"room": "ü & more"} if user % 2 else {})})
    seen, query = [], {"limit": 3}
    while True:
        page = admin.done("GET", path, query=query)
        assert page["total"] == 7 and len(page["sanctions"]) <= 3
        seen += [sanction["user"] for sanction in page["sanctions"]]
        if page["next"] is None:
            break
        query["after"] = page["next"]
    assert seen == ["u0", "u2", "u4", "u6", "u1", "u3", "u5"]
    assert len(sanctions(admin, channel, room="ü & more")) == 3 and len(sanctions(admin, channel, room="")) == 4
    assert sanctions(admin, channel, user="u3", kind="ban")[0]["room"] == "ü & more" and not sanctions(admin, channel, kind="mute")


@pytest.mark.parametrize(
    ("method", "path", "document", "status", "code"),
    [
        ("POST", "/sanctions", {"kind": "ban"}, 400, "missing_field"),
        ("POST", "/sanctions", {"kind": "ban", "user": "1", "client_id": "2"}, 400, "invalid_field"),
        ("POST", "/sanctions", {"kind": "ban", "address": "10.0.0.1/8"}, 400, "invalid_field"),
        ("POST", "/sanctions", {"kind": "ban", "user": "x" * 201}, 400, "invalid_field"),
        ("POST", "/sanctions", {"kind": "ban", "user": "1", "seconds": 10**9}, 400, "invalid_field"),
        ("POST", "/sanctions", {"kind": "ban", "user": "1", "reason": "ü" * 251}, 400, "invalid_field"),
        ("POST", "/sanctions", {"kind": "shun", "user": "1"}, 400, "invalid_field"),
        ("POST", "/sanctions", {"kind": "ban", "userr": "1"}, 400, "unknown_field"),
        ("DELETE", "/sanctions?kind=ban", None, 400, "missing_field"),
        ("DELETE", "/sanctions?user=1", None, 400, "missing_field"),
        ("GET", "/sanctions?after=x", None, 400, "invalid_field"),
        ("PATCH", "/rooms/r/rules", {"slow_mode_seconds": 86_401}, 400, "invalid_field"),
        ("PATCH", "/rooms/r/rules", {"lock_reason": "x"}, 400, "invalid_field"),
        ("POST", "/notices", {"text": "x" * 2_001}, 400, "invalid_field"),
        ("POST", "/rooms/r/notices", {}, 400, "missing_field"),
        ("DELETE", "/rooms/r/members/nobody", None, 404, "member_not_found"),
        ("DELETE", "/members/nobody", None, 404, "member_not_found"),
        ("DELETE", "/rooms/r/messages/x", None, 400, "invalid_field"),
        ("DELETE", "/rooms/r/messages/9", None, 404, "message_not_found"),
        ("DELETE", f"/rooms/r/messages/{uuid.UUID(int=7 << 76)}", None, 404, "message_not_found"),
    ],
)
def test_what_is_refused_says_why_and_is_not_noted(admin, channel, method, path, document, status, code):
    admin.refused(status, code, method, f"/channels/{channel}{path}", document)
    assert audited(admin, channel) == []
    admin.refused(404, "unknown_channel", method, f"/channels/nobody{path}", document)


# Rules


def test_rules_hold_for_members_and_not_for_moderators(administered, admin, channel):
    path = f"/channels/{channel}/rooms/r/rules"
    assert admin.done("GET", path).body == {"locked": False}
    with member(administered, channel, 1) as ann, member(administered, channel, 2, permissions=MODERATOR) as judy:
        ann.subscribe("r")
        set_ = admin.done("PATCH", path, {"locked": True, "lock_reason": "a talk"})
        assert set_.body == {"locked": True, "lock_reason": "a talk"} == admin.done("GET", path).body
        notice = ann.expect("notice", room="r", code="room_locked")
        assert "a talk" in notice["text"] and notice["sender"] == {"id": "uid:0", "kind": "admin"}
        ann.refused({"type": "publish", "room": "r", "message": 1}, "room_locked")
        judy.publish("r", "order, please")
        ann.expect("publish", message="order, please")
        headers = {"Content-Type": "application/json"}
        admin.done("POST", f"/channels/{channel}/rooms/r/messages", body='"from the desk"', headers=headers)
        ann.expect("publish", message="from the desk")
        admin.done("PATCH", path, {"locked": False, "slow_mode_seconds": 3600, "member_limit": 1})
        ann.expect("notice", code="room_unlocked")
        ann.expect("notice", code="slow_mode", seconds=3600)
        ann.publish("r", 1)
        refused = ann.refused({"type": "publish", "room": "r", "message": 2}, "rate_limited")
        assert 0 < refused["retry_after_ms"] <= 3_600_000
        with member(administered, channel, 3) as bob:
            bob.refused({"type": "subscribe", "room": "r"}, "too_many_members")
        judy.subscribe("r")
        shown = {"locked": False, "slow_mode_seconds": 3600, "member_limit": 1}
        assert admin.done("GET", f"/channels/{channel}/rooms/r")["rules"] == shown
        assert admin.done("GET", f"/channels/{channel}/rooms")["rooms"] == [{"name": "r", "members": 2, "rules": shown}]
        count = len(audited(admin, channel))
        admin.done("PATCH", path, shown)
        assert len(audited(admin, channel)) == count
        admin.done("PATCH", path, {"slow_mode_seconds": None, "member_limit": 0})
        ann.messages(1)
        ann.expect("notice", code="slow_mode", seconds=0)
        ann.publish("r", 3)
    acts = ["room.lock", "message.publish", "room.unlock", "room.slow_mode", "room.limit_members", "room.slow_mode", "room.limit_members"]
    assert [entry["action"] for entry in audited(admin, channel)] == acts


# Acts


def test_members_are_kicked(administered, admin, channel):
    with member(administered, channel, 1) as ann, member(administered, channel, 2) as bob:
        ann.subscribe(ROOM)
        bob.subscribe(ROOM)
        ann.fence()
        admin.done("DELETE", f"/channels/{channel}/rooms/{ROOM}/members/{bob.id}", query={"reason": "enough"})
        removed = [frame for frame in bob.fence() if frame["type"] == "removed"]
        assert [(frame["room"], frame["code"], frame["reason"]) for frame in removed] == [(ROOM, "kicked", "enough")]
        ann.room_fence(ROOM)
        bob.subscribe(ROOM)
        admin.done("DELETE", f"/channels/{channel}/members/{bob.id}")
        bob.goodbye("kicked")
        left = [frame["data"]["id"] for frame in ann.fence() if frame["type"] == "observable_member_leave"]
        assert left == [bob.id]
    assert [(entry["action"], entry["target"], entry["details"]) for entry in audited(admin, channel)] == [
        ("member.kick", f"{channel}/{ROOM}", {"client_id": bob.id, "user": "2", "reason": "enough"}),
        ("member.kick", channel, {"client_id": bob.id, "user": "2"}),
    ]


def test_notices_reach_the_room_or_the_channel(administered, admin, channel):
    with member(administered, channel, 1) as ann, member(administered, channel, 2) as bob:
        ann.subscribe("r")
        bob.subscribe("other")
        ann.fence(), bob.fence()
        admin.done("POST", f"/channels/{channel}/rooms/r/notices", {"text": "to the room"})
        ann.expect("notice", room="r", text="to the room")
        admin.done("POST", f"/channels/{channel}/notices", {"text": "to\nall"})
        for client in (ann, bob):
            assert "room" not in client.expect("notice", text="to\nall", sender={"id": "uid:0", "kind": "admin"})


def test_a_message_is_redacted_and_a_room_cleared(administered, admin, channel):
    path = f"/channels/{channel}/rooms/r"
    with member(administered, channel, 1) as ann:
        before = ann.subscribe("r")
        first, second = ann.publish("r", "one"), ann.publish("r", "two")
        receipt = admin.done("DELETE", f"{path}/messages/{first['id']}", query={"reason": "rude"})
        assert receipt.body == {"seq": 3, "target_seq": 1, "target_id": first["id"]}
        again = admin.done("DELETE", f"{path}/messages/1")
        assert again.body == {"duplicate": True, "target_seq": 1, "target_id": first["id"]}
        ann.messages(2)
        ann.expect("message_redacted", room="r", seq=3, target_seq=1, target_id=first["id"], reason="rude")
        page = admin.done("GET", f"{path}/history")["messages"]
        assert [(entry["type"], entry["seq"]) for entry in page] == [("publish", 1), ("publish", 2), ("message_redacted", 3)]
        assert page[0]["redacted"] is True and page[0]["message"] is None and page[0]["id"] == first["id"]
        assert page[1]["message"] == "two" and page[1]["id"] == second["id"]
        cleared = admin.done("POST", f"{path}/clear")
        assert cleared["seq"] == 0 and cleared["epoch"] != before["epoch"]
        ann.expect("room_cleared", room="r", epoch=cleared["epoch"], seq=0)
        assert admin.done("GET", f"{path}/history")["messages"] == []
    assert [entry["action"] for entry in audited(admin, channel)] == ["message.redact", "room.clear"]


# The audit log


def test_all_messages_of_somebody_are_redacted_with_a_ban(administered, admin, channel):
    texts = lambda room: [message["message"] for message in admin.done("GET", f"/channels/{channel}/rooms/{room}/history")["messages"] if message["type"] == "publish"]
    with member(administered, channel, 17) as ann, member(administered, channel, 18) as bob:
        for room in ("plain", ROOM, "third"):
            ann.subscribe(room)
            bob.subscribe(room)
            for number in range(3):
                ann.publish(room, f"spam {number}")
                bob.publish(room, f"good {number}")
        bob.fence()
        path = f"/channels/{channel}/redactions"
        assert admin.done("POST", path, {"user": "17", "dry_run": True}).body == {"messages": 9, "next": None}
        assert admin.done("POST", path, {"user": "17", "room": "third", "reason": "spam"}).body == {"messages": 3, "next": None}
        assert [bob.expect("message_redacted", room="third")["target_seq"] for _ in range(3)] == [1, 3, 5]
        ban = admin.done("POST", f"/channels/{channel}/sanctions", {"kind": "ban", "user": "17", "reason": "spam", "redact": True})
        assert ban.status == 201 and ban["redacted"] == {"messages": 6, "next": None}
        ann.goodbye("banned")
        for room in ("plain", ROOM, "third"):
            assert texts(room) == [None, "good 0", None, "good 1", None, "good 2"]
        # the user has another session now, and the messages of the room have no authData
        for text in ("more spam", "and more"):
            with member(administered, channel, 19) as eve:
                eve.subscribe("plain")
                id = eve.publish("plain", text) and eve.messages(1)[0]["client_id"]
        assert admin.done("POST", path, {"client_id": id}).body == {"messages": 1, "next": None}
        assert admin.done("POST", path, {"client_id": id}).body == {"messages": 0, "next": None}
        assert admin.done("POST", path, {"user": "19"}).body == {"messages": 1, "next": None}
        admin.refused(400, "invalid_field", "POST", f"/channels/{channel}/sanctions", {"kind": "mute", "user": "1", "redact": True})
        admin.refused(400, "invalid_field", "POST", f"/channels/{channel}/sanctions", {"kind": "ban", "address": "192.0.2.1", "redact": True})
    entries = audited(admin, channel)
    assert [(entry["action"], entry["target"]) for entry in entries] == [
        ("message.redact", f"{channel}/third"), ("sanction.impose", channel), ("message.redact", channel), ("message.redact", channel),
    ]
    assert [list(entry["details"]) for entry in entries[2:]] == [["client_id"], ["user"]]
    assert entries[0]["details"] == {"user": "17", "reason": "spam"}
    assert entries[1]["details"] == {"kind": "ban", "user": "17", "reason": "spam", "redact": True}


def test_a_moderator_bans_redacts_and_sees_what_is_set(administered, admin, channel):
    with member(administered, channel, 1, permissions=MODERATOR) as mod, member(administered, channel, 17) as ann:
        def moderate(action, **fields):
            return mod.ask({"type": "moderate", "room": "r", "action": action, **fields})

        mod.subscribe("r")
        ann.subscribe("r")
        # more than one step of the broker has
        for number in range(300):
            ann.publish("r", number)
        mod.publish("r", "good")
        assert moderate("show")["sanctions"] == []
        moderate("lock", reason="raid")
        moderate("mute", client_id="gone", seconds=3600)
        answer = moderate("ban", user="17", reason="spam", redact=True)
        assert answer["count"] == 300 and "after_seq" not in answer
        assert moderate("redact", user="17")["count"] == 0
        history = admin.done("GET", f"/channels/{channel}/rooms/r/history", query={"limit": 1000})["messages"]
        assert [message["message"] for message in history if message["type"] == "publish"] == [None] * 300 + ["good"]
        assert sum(message["type"] == "message_redacted" for message in history) == 300
        state = moderate("show")
        assert state["rules"] == {"locked": True, "lock_reason": "raid"} and state["total"] == 2
        assert [(each["kind"], each.get("user"), each.get("client_id")) for each in state["sanctions"]] == [("ban", "17", None), ("mute", None, "gone")]
        assert state["sanctions"][1]["until"] - state["sanctions"][1]["created"] in (3600, 3601)
        # who has written a message, also where it does not say the user, and after its author has gone
        assert "author" not in state
        told = [message for message in history if message["type"] == "publish"]
        assert moderate("show", target_seq=told[0]["seq"])["author"] == {"user": "17", "client_id": ann.id}
        assert moderate("show", target_id=told[-1]["id"])["author"] == {"user": "1", "client_id": mod.id}
        author = f"/channels/{channel}/rooms/r/messages/{{}}/author"
        assert admin.done("GET", author.format(told[0]["seq"])).body == {"user": "17", "client_id": ann.id}
        assert admin.done("GET", author.format(told[-1]["id"])).body == {"user": "1", "client_id": mod.id}
        admin.refused(404, "message_not_found", "GET", author.format(100_000))
        assert "author" not in moderate("show", target_seq=100_000)
        moderate("unmute", client_id="gone")
        for own in ({"user": "1"}, {"client_id": mod.id}):
            for fields in (own, {**own, "redact": True}):
                mod.refused({"type": "moderate", "room": "r", "action": "ban", **fields}, "invalid_field")
        assert moderate("show")["total"] == 1
    assert [entry["action"] for entry in audited(admin, channel)] == ["room.lock", "sanction.impose", "sanction.impose", "sanction.lift"]


def test_every_act_of_a_member_is_noted_once(administered, admin, channel):
    with member(administered, channel, "judy", permissions=MODERATOR) as judy, member(administered, channel, "ann") as ann:
        ann.subscribe("r")
        message = ann.publish("r", "rude")
        acts = [
            ("kick", {"client_id": ann.id, "reason": "enough"}, "member.kick", {"client_id": ann.id, "user": "ann", "reason": "enough"}),
            ("mute", {"user": "ann", "seconds": 60}, "sanction.impose", {"kind": "mute", "user": "ann", "seconds": 60}),
            ("unmute", {"user": "ann"}, "sanction.lift", {"kind": "mute", "user": "ann"}),
            ("ban", {"address": "192.0.2.0/24"}, "sanction.impose", {"kind": "ban", "address": "192.0.2.0/24"}),
            ("unban", {"address": "192.0.2.0/24"}, "sanction.lift", {"kind": "ban", "address": "192.0.2.0/24"}),
            ("lock", {"reason": "a talk"}, "room.lock", {"reason": "a talk"}),
            ("unlock", {}, "room.unlock", {}),
            ("slow_mode", {"seconds": 5}, "room.slow_mode", {"seconds": 5}),
            ("slow_mode", {"seconds": 0}, "room.slow_mode", {"seconds": 0}),
            ("limit_members", {"count": 5}, "room.limit_members", {"count": 5}),
            ("notice", {"text": "hello"}, "room.notice", {"text": "hello"}),
            ("redact", {"target_id": message["id"]}, "message.redact", {"target_id": message["id"], "client_id": ann.id, "user": "ann"}),
            ("clear", {}, "room.clear", {}),
        ]
        for action, fields, word, details in acts:
            count = len(audited(admin, channel))
            judy.ask({"type": "moderate", "room": "r", "action": action, **fields})
            entries = audited(admin, channel)[count:]
            assert [(entry["action"], entry["details"]) for entry in entries] == [(word, details)], action
            assert entries[0]["actor"] == "member:judy" and entries[0]["origin"] == "127.0.0.1" and entries[0]["target"] == f"{channel}/r"
        count = len(audited(admin, channel))
        for action, fields, code in [
            ("kick", {"client_id": ann.id}, "member_not_found"),
            ("unban", {"user": "nobody"}, "sanction_not_found"),
            ("redact", {"target_seq": 99}, "message_not_found"),
        ]:
            judy.refused({"type": "moderate", "room": "r", "action": action, **fields}, code)
        ann.refused({"type": "moderate", "room": "r", "action": "clear"}, "permission_denied")
        assert len(audited(admin, channel)) == count


def test_acts_are_counted_and_told(administered, admin, channel):
    def counted():
        metrics = Rest(administered).call("GET", "/metrics").body
        return {line.split('"')[1]: float(line.split()[-1]) for line in metrics.splitlines() if line.startswith("roomline_moderation_acts_total{")}

    before = counted()
    assert set(before) >= {"member.kick", "sanction.impose", "room.lock", "message.redact", "room.clear", "channel.notice"}
    admin.done("POST", f"/channels/{channel}/notices", {"text": "x"})
    after, end = counted(), time.monotonic() + PATIENCE
    while after == before and time.monotonic() < end:
        after = counted()  # the text is made once a second
    assert {word: after[word] - before[word] for word in after if after[word] != before[word]} == {"channel.notice": 1}


# What lasts


@pytest.mark.parametrize("end", ["terminate", "kill"])
def test_what_is_set_outlives_the_broker(start, tmp_path, end):
    broker = start(*FLAGS, admin=tmp_path / "a.sock")
    admin = Admin(broker)
    kept = [
        admin.done("POST", "/channels/default/sanctions", {"kind": "ban", "user": "17", "reason": "spam"}).body,
        admin.done("POST", "/channels/default/sanctions", {"kind": "mute", "room": "r", "user": "18", "seconds": 3600}).body,
    ]
    admin.done("POST", "/channels/default/sanctions", {"kind": "ban", "user": "19", "seconds": 1})
    admin.done("POST", "/channels/default/sanctions", {"kind": "ban", "user": "20"})
    admin.done("DELETE", "/channels/default/sanctions", query={"kind": "ban", "user": "20"})
    rules = admin.done("PATCH", "/channels/default/rooms/r/rules", {"locked": True, "member_limit": 3}).body
    noted = audited(admin, "default")
    getattr(broker, end)()
    broker = start(*FLAGS, admin=tmp_path / "a.sock")
    admin = Admin(broker)
    deadline = time.monotonic() + PATIENCE
    while len(left := sanctions(admin, "default")) > 2:
        assert time.monotonic() < deadline, left
    assert left == kept
    assert admin.done("GET", "/channels/default/rooms/r/rules").body == rules
    assert audited(admin, "default") == noted
    assert handshake(broker, "default", 17)["code"] == "banned"
    for user in (19, 20):
        assert "error" not in handshake(broker, "default", user)
    with member(broker, "default", 18) as bob:
        assert bob.refused({"type": "publish", "room": "r", "message": 1}, "muted")
    with member(broker, "default", 21) as ann:
        assert ann.refused({"type": "publish", "room": "r", "message": 1}, "room_locked")
    admin.close()


def test_a_channel_that_is_made_again_begins_without(administered, admin, channel):
    admin.done("POST", f"/channels/{channel}/sanctions", {"kind": "ban", "user": "17"})
    admin.done("PATCH", f"/channels/{channel}/rooms/r/rules", {"locked": True})
    admin.done("DELETE", f"/channels/{channel}")
    admin.done("POST", "/channels", {"id": channel, "authentication": "optional"})
    assert sanctions(admin, channel) == []
    assert admin.done("GET", f"/channels/{channel}/rooms/r/rules").body == {"locked": False}
    with member(administered, channel, 17) as ann:
        ann.publish("r", 1)


# REST


def test_rest_is_subject_to_bans_mutes_and_locks(administered, admin, channel):
    key = admin.done("POST", f"/channels/{channel}/secret", {})["secret"]
    path, sanctioned = f"/{channel}/r/publish", f"/channels/{channel}/sanctions"
    with Rest(administered) as rest:

        def publish(credentials):
            answer = rest.call("POST", path, "1", **({"Authorization": credentials} if credentials else {}))
            return answer.status, (answer.body or {}).get("code")

        tokens = {user: "Bearer " + token(administered, channel, key=key, data=user) for user in ("17", "18")}
        basic = rest_basic(channel, key)
        everyone = [tokens["17"], tokens["18"], None, basic]
        assert [publish(one)[0] for one in everyone] == [200] * 4
        admin.done("POST", sanctioned, {"kind": "mute", "user": "17", "room": "r"})
        assert [publish(one) for one in everyone] == [(403, "muted"), (200, None), (200, None), (200, None)]
        admin.done("POST", sanctioned, {"kind": "ban", "user": "17"})
        assert publish(tokens["17"]) == (403, "banned")
        admin.done("POST", sanctioned, {"kind": "mute", "address": "127.0.0.1"})
        assert [publish(one) for one in everyone] == [(403, "banned"), (403, "muted"), (403, "muted"), (200, None)]
        admin.done("DELETE", sanctioned, query={"kind": "mute", "address": "127.0.0.1"})
        admin.done("PATCH", f"/channels/{channel}/rooms/r/rules", {"locked": True})
        assert [publish(one) for one in everyone[1:]] == [(403, "room_locked"), (403, "room_locked"), (200, None)]
        moderator = "Bearer " + token(administered, channel, key=key, data="19", permissions=MODERATOR)
        assert publish(moderator) == (200, None)


def rest_basic(channel, key):
    return "Basic " + base64.b64encode(f"{channel}:{key}".encode()).decode()


def test_a_channel_says_how_much_client_data_a_member_may_have(administered, admin, channel):
    admin.done("PATCH", f"/channels/{channel}", {"client_data_bytes": 16})
    with member(administered, channel, 1) as ann:
        assert "error" not in ann.ask({"type": "update", "client_data": "x" * 14})
        ann.refused({"type": "update", "client_data": "x" * 15}, "message_too_large")
