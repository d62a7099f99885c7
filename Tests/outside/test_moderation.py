"""Moderation as members see it: kicks, bans, mutes, locks, slow mode, redactions, clearing and notices."""

import itertools
import json
import threading
import time
import uuid

import pytest

from admin import Admin, name
from broker import PATIENCE
from client import Client, Closed, TextClient
from command import Command
from rest import Rest
from rest import basic as rest_basic
from tokens import EVERYTHING, secret, token

MODERATOR = {".*": {"publish": True, "subscribe": True, "history": 100, "moderate": True}}
CHANNEL = "stage"
"""Keeps history; tokens are optional, so that there are moderators, users and strangers."""
BARE = "bare"
"""The same without history."""
FLAGS = ["--channel", f"{CHANNEL},auth=optional,history=100", "--channel", f"{BARE},auth=optional,history=off", "--loops", "3"]
FLAGS += ["--text-room", "lobby", "--text-channel", CHANNEL]


@pytest.fixture
def connect(administered):
    """Opens clients: with a token where they are a `user` or a moderator, else as strangers."""
    clients = []

    def connect(name=None, *, user=None, moderator=False, channel=CHANNEL, **fields):
        if user or moderator:
            permissions = MODERATOR if moderator else EVERYTHING
            fields["token"] = token(administered, channel, permissions=permissions, data={"id": user or f"mod-{name}"})
        clients.append(Client(administered, name, channel=channel, **fields))
        return clients[-1]

    yield connect
    for client in clients:
        client.close()
    for client in clients:
        client.check_no_holes()


@pytest.fixture
def user():
    return f"user-{uuid.uuid4().hex[:8]}"


def moderate(client, room, action, **fields):
    return client.ask({"type": "moderate", "room": room, "action": action, **fields})


def enter(client, room, **fields):
    reply = client.subscribe(room, **fields)
    if room.startswith("observable-"):
        client.expect("observable_members", room=room)
    return reply


def refused_handshake(administered, code, *, channel=CHANNEL, **fields):
    """A connection that is not let in."""
    with Client(administered, handshake=False) as client:
        reply = client.request({"type": "handshake", "channel": channel, **fields})
        assert reply.get("code") == code and reply["client_id"] == "", reply
        return reply


def eventually(what, check):
    """Asks again until it holds: for what time alone brings about."""
    deadline = time.monotonic() + PATIENCE
    while not check():
        assert time.monotonic() < deadline, f"{what} did not come about in {PATIENCE} s"
        time.sleep(0.05)


# Redaction


@pytest.mark.parametrize("channel", [CHANNEL, BARE])
def test_a_redaction_is_seen_live_and_by_who_recovers(connect, observable, channel):
    ann, bob, carol = connect("Ann", channel=channel), connect("Bob", channel=channel), connect("Carol", channel=channel)
    mod = connect("Mod", moderator=True, channel=channel)
    enter(ann, observable)
    start = enter(carol, observable)
    carol.close()
    ann.expect("observable_member_join")
    ann.expect("observable_member_leave")
    first, nasty, last = (bob.publish(observable, text) for text in ("hello", "nasty words", "bye"))
    done = moderate(mod, observable, "redact", target_id=nasty["id"], reason="manners")
    assert (done["seq"], done["target_seq"], done["target_id"]) == (4, nasty["seq"], nasty["id"])
    assert [frame["message"] for frame in ann.messages(3)] == ["hello", "nasty words", "bye"]
    redacted = ann.expect("message_redacted", room=observable, seq=4, target_seq=2, target_id=nasty["id"], reason="manners")
    assert redacted["sender"]["id"] == mod.id

    back = connect("Carol", channel=channel)
    reply = enter(back, observable, since={"epoch": start["epoch"], "seq": start["seq"]})
    assert reply["recovered"] is True and reply["seq"] == 4
    got = [back.next() for _ in range(4)]
    assert [frame["type"] for frame in got] == ["publish"] * 3 + ["message_redacted"]
    assert [frame["seq"] for frame in got] == [1, 2, 3, 4]
    tombstone = got[1]
    assert tombstone["message"] is None and tombstone["redacted"] is True
    assert (tombstone["id"], tombstone["client_id"], tombstone["sender"]) == (nasty["id"], bob.id, bob.member)
    assert "redacted" not in got[0] and got[3] == redacted

    again = moderate(mod, observable, "redact", target_seq=2)
    assert again["duplicate"] is True and "seq" not in again
    assert "nasty" not in json.dumps(ann.room_fence(observable))


def test_a_redaction_is_seen_in_the_history(connect, admin, room):
    bob, mod = connect("Bob"), connect("Mod", moderator=True)
    for text in ("one", "two", "three"):
        bob.publish(room, text)
    moderate(mod, room, "redact", target_seq=2)
    bob.publish(room, "four")
    carol = connect("Carol")
    carol.subscribe(room, history_count=10)
    replayed = [carol.expect("history_message", index=index) for index in range(4)]
    assert [frame["message"] for frame in replayed] == ["one", None, "three", "four"]
    assert replayed[1]["redacted"] is True and replayed[1]["sender"] == bob.member
    page = carol.ask({"type": "history", "room": room, "after_seq": 0, "limit": 100})
    assert [frame["type"] for frame in page["messages"]] == ["publish", "publish", "publish", "message_redacted", "publish"]
    assert [frame["seq"] for frame in page["messages"]] == [1, 2, 3, 4, 5]
    told = admin.done("GET", f"/channels/{CHANNEL}/rooms/{name(room)}/history")
    assert "two" not in json.dumps(told.body)


def test_the_sdk_shows_all_of_a_history_with_redactions_in_it(administered, connect, room):
    bob, mod = connect("Bob"), connect("Mod", moderator=True)
    for number in range(8):
        bob.publish(room, f"message {number}")
    for seq in (1, 2, 3, 4):
        moderate(mod, room, "redact", target_seq=seq)
    with Command(administered, "tail", room, "--channel", CHANNEL, "--history", "6", "--json") as tail:
        shown = [json.loads(tail.next()) for _ in range(6)]
        assert [line["seq"] for line in shown] == [3, 4, 5, 6, 7, 8]
        bob.publish(room, "live")
        assert json.loads(tail.next())["message"] == "live"


def test_only_a_message_can_be_redacted(connect, room):
    mod = connect("Mod", moderator=True)
    mod.publish(room, 1)
    moderate(mod, room, "redact", target_seq=1)
    for target in ({"target_seq": 2}, {"target_seq": 99}, {"target_id": str(uuid.UUID(int=7 << 76 | 8 << 60))}):
        mod.refused({"type": "moderate", "room": room, "action": "redact", **target}, "message_not_found")
    mod.publish(room, 2)


def test_a_redacted_text_is_not_in_the_file(start, tmp_path):
    secret = "the-words-that-have-to-go"
    broker = start("--channel", f"{CHANNEL},auth=optional,history=100")
    with Client(broker, channel=CHANNEL, token=token(broker, CHANNEL, permissions=MODERATOR)) as mod:
        mod.publish("r", "before")
        mod.publish("r", secret, message_id=(key := str(uuid.uuid4())))
        moderate(mod, "r", "redact", target_seq=2)
        assert mod.publish("r", secret, message_id=key)["duplicate"] is True
    assert broker.kill() == -9
    broker = start("--channel", f"{CHANNEL},auth=optional,history=100")
    with Client(broker, channel=CHANNEL) as reader:
        page = reader.ask({"type": "history", "room": "r"})
        assert [frame.get("message") for frame in page["messages"]] == ["before", None, None]
    assert broker.terminate() == 0
    for file in broker.data.iterdir():
        if file.is_file():
            assert secret.encode() not in file.read_bytes(), file.name


# Clearing


@pytest.mark.parametrize("channel", [CHANNEL, BARE])
def test_clearing_is_seen_live_by_who_recovers_and_in_the_history(connect, observable, channel):
    ann, mod = connect("Ann", channel=channel), connect("Mod", moderator=True, channel=channel)
    before = enter(ann, observable)
    for text in ("a", "b"):
        ann.publish(observable, text)
    ann.messages(2)
    done = moderate(mod, observable, "clear")
    assert done["epoch"] != before["epoch"] and done["seq"] == 0
    told = ann.expect("room_cleared", room=observable, epoch=done["epoch"], seq=0)
    assert told["sender"]["id"] == mod.id
    ann.expect("observable_members")
    assert ann.publish(observable, "c")["seq"] == 1
    ann.expect("publish", message="c", seq=1)

    late = connect("Late", channel=channel)
    reply = late.subscribe(observable, since={"epoch": before["epoch"], "seq": 1})
    assert reply["recovered"] is False and reply["epoch"] == done["epoch"]
    late.expect("observable_members")
    late.expect("gap", reason="cleared")
    if channel == CHANNEL:
        page = late.ask({"type": "history", "room": observable})
        assert [frame["message"] for frame in page["messages"]] == ["c"]
    assert [frame for frame in late.room_fence(observable) if frame["type"] == "publish"] == []


def test_a_cleared_message_does_not_come_back_when_it_is_sent_again(start):
    channel = f"{CHANNEL},auth=optional,history=100"
    broker = start("--channel", channel)
    key = str(uuid.uuid4())
    with Client(broker, channel=CHANNEL, token=token(broker, CHANNEL, permissions=MODERATOR)) as mod:
        first = mod.publish("r", "what has to go", message_id=key)
        moderate(mod, "r", "clear")
        again = mod.publish("r", "what has to go", message_id=key)
        assert (again["id"], again["duplicate"], again.get("seq")) == (first["id"], True, None)
    assert broker.kill() == -9
    broker = start("--channel", channel)
    with Client(broker, channel=CHANNEL) as late:
        late.subscribe("r")
        again = late.publish("r", "what has to go", message_id=key)
        assert (again["id"], again["duplicate"], again.get("seq")) == (first["id"], True, None)
        assert again["sender"] == first["sender"]
        late.refused({"type": "publish", "room": "r", "message": "another", "message_id": key}, "message_id_conflict")
        assert [frame for frame in late.room_fence("r") if frame["type"] == "publish"] == []


def test_an_empty_room_can_be_cleared(connect, room):
    mod = connect("Mod", moderator=True)
    epoch = moderate(mod, room, "clear")["epoch"]
    assert mod.subscribe(room)["epoch"] == epoch


# Kicks


def test_a_kicked_member_is_told_and_can_come_back(connect, observable):
    ann, bob, mod = connect("Ann"), connect("Bob", resumable=True), connect("Mod", moderator=True)
    for client in (ann, bob):
        enter(client, observable)
    ann.expect("observable_member_join")
    moderate(mod, observable, "kick", client_id=bob.id, reason="shouting")
    ann.expect("observable_member_leave", data=bob.member)
    assert bob.expect("removed", room=observable)["code"] == "kicked"
    assert bob.publish(observable, "I can still write")["seq"] == 1
    ann.messages(1)
    enter(bob, observable)
    ann.expect("observable_member_join", data=bob.member)
    mod.refused({"type": "moderate", "room": observable, "action": "kick", "client_id": "nobody"}, "member_not_found")
    bob.reset()
    # its resume token is gone, and with it its grace
    ann.expect("observable_member_leave", data=bob.member)
    again = connect("Bob", resumable=True, resume=bob.welcome["resume_token"])
    assert again.welcome["resumed"] is False and again.id != bob.id


def test_a_kick_meets_a_member_that_is_between_two_connections(connect, observable):
    ann, bob, mod = connect("Ann"), connect("Bob", resumable=True), connect("Mod", moderator=True)
    for client in (ann, bob):
        enter(client, observable)
    ann.expect("observable_member_join")
    bob.reset()
    moderate(mod, observable, "kick", client_id=bob.id)
    ann.expect("observable_member_leave", data=bob.member)
    again = connect("Bob", resumable=True, resume=bob.welcome["resume_token"])
    assert again.welcome["resumed"] is False and again.id != bob.id


def test_a_kick_from_the_channel_ends_the_connection(connect, admin, observable):
    ann, bob = connect("Ann"), connect("Bob", resumable=True)
    for client in (ann, bob):
        enter(client, observable)
    ann.expect("observable_member_join")
    admin.done("DELETE", f"/channels/{CHANNEL}/members/{bob.id}", query={"reason": "flooding"})
    _, goodbye = bob.goodbye("kicked")
    assert goodbye["reconnect"] is False and "flooding" in goodbye["reason"]
    ann.expect("observable_member_leave", data=bob.member)
    again = connect("Bob", resumable=True, resume=bob.welcome["resume_token"])
    assert again.welcome["resumed"] is False
    admin.refused(404, "member_not_found", "DELETE", f"/channels/{CHANNEL}/members/{bob.id}")


# Bans


def test_a_banned_user_is_let_go_and_kept_out(administered, connect, admin, observable, user):
    ann, bob = connect("Ann"), connect("Bob", user=user, resumable=True)
    other = connect("Other", user=user)
    pretender = connect(client_data={"name": "Bob", "id": user})
    for client in (ann, bob, pretender):
        enter(client, observable)
    ann.expect("observable_member_join")
    ann.expect("observable_member_join")
    admin.done("POST", f"/channels/{CHANNEL}/sanctions", {"kind": "ban", "user": user, "reason": "spam"})
    for client in (bob, other):
        _, goodbye = client.goodbye("banned")
        assert goodbye["reconnect"] is False and "spam" in goodbye["reason"]
    ann.expect("observable_member_leave")
    shown = token(administered, CHANNEL, data={"id": user})
    refused_handshake(administered, "banned", token=shown)
    refused_handshake(administered, "banned", token=shown, resume=bob.welcome["resume_token"], resumable=True)
    stranger = connect("Bob")
    stranger.refused({"type": "authenticate", "token": shown}, "banned")
    # what a member says of itself is no identity
    pretender.publish(observable, "I am still here")
    admin.done("DELETE", f"/channels/{CHANNEL}/sanctions", query={"kind": "ban", "user": user})
    connect("Bob", user=user).publish(observable, "back")


def test_a_ban_meets_a_session_that_lingers(administered, connect, admin, observable):
    ann, bob = connect("Ann"), connect("Bob", resumable=True)
    for client in (ann, bob):
        enter(client, observable)
    ann.expect("observable_member_join")
    bob.reset()
    admin.done("POST", f"/channels/{CHANNEL}/sanctions", {"kind": "ban", "client_id": bob.id})
    ann.expect("observable_member_leave", data=bob.member)
    with Client(administered, handshake=False) as back:
        reply = back.request({"type": "handshake", "channel": CHANNEL, "resume": bob.welcome["resume_token"]})
        assert reply.get("client_id") != bob.id, reply


def test_a_ban_ends_by_time(connect, admin, user, room):
    admin.done("POST", f"/channels/{CHANNEL}/sanctions", {"kind": "ban", "user": user, "room": room, "seconds": 1})
    bob = connect("Bob", user=user)
    bob.refused({"type": "subscribe", "room": room}, "banned")
    eventually("the end of the ban", lambda: "error" not in bob.request({"type": "subscribe", "room": room}))


def test_a_ban_from_a_room_is_for_that_room(connect, observable, room, user):
    ann, bob, mod = connect("Ann"), connect("Bob", user=user, resumable=True), connect("Mod", moderator=True)
    for client in (ann, bob):
        enter(client, observable)
    ann.expect("observable_member_join")
    moderate(mod, observable, "ban", user=user, reason="rude")
    ann.expect("observable_member_leave")
    removed = bob.expect("removed", room=observable, code="banned")
    assert "rude" in removed["reason"]
    for frame in ({"type": "subscribe"}, {"type": "publish", "message": 1}, {"type": "history"}, {"type": "members"}):
        bob.refused({**frame, "room": observable}, "banned")
    bob.subscribe(room)
    bob.publish(room, "elsewhere")
    bob.messages(1)
    moderate(mod, observable, "unban", user=user)
    enter(bob, observable)
    mod.refused({"type": "moderate", "room": observable, "action": "unban", "user": user}, "sanction_not_found")


def test_a_ban_by_address_meets_strangers_and_text_clients(start, tmp_path):
    broker = start("--channel", CHANNEL, "--text-channel", CHANNEL, admin=tmp_path / "a.sock")
    admin = Admin(broker)
    client, text = Client(broker, "Ann", channel=CHANNEL), TextClient(broker).join("Bob")
    admin.done("POST", f"/channels/{CHANNEL}/sanctions", {"kind": "ban", "address": "127.0.0.0/8", "reason": "spam"})
    client.goodbye("banned")
    assert b"spam" in text.read_to_end()
    refused_handshake(broker, "banned")
    with TextClient(broker) as again:
        again.say("iam:Bob")
        assert b"banned" in again.read_to_end()
    admin.done("DELETE", f"/channels/{CHANNEL}/sanctions", query={"kind": "ban", "address": "127.0.0.0/8"})
    Client(broker, "Ann", channel=CHANNEL).close()
    admin.close()


def test_a_ban_survives_kill_9(start, tmp_path):
    flags = ["--channel", f"{CHANNEL},auth=optional,history=10"]
    broker = start(*flags, admin=tmp_path / "a.sock")
    admin = Admin(broker)
    admin.done("POST", f"/channels/{CHANNEL}/sanctions", {"kind": "ban", "user": "u"})
    admin.done("PATCH", f"/channels/{CHANNEL}/rooms/r/rules", {"locked": True})
    broker.kill()
    broker = start(*flags)
    refused_handshake(broker, "banned", token=token(broker, CHANNEL, data="u"))
    with Client(broker, channel=CHANNEL) as client:
        client.refused({"type": "publish", "room": "r", "message": 1}, "room_locked")


@pytest.mark.parametrize("scope", ["channel", "room"])
def test_nobody_slips_through_a_ban_by_resuming(administered, connect, admin, scope):
    """A member resumes its session again and again, each time on another connection, while it is banned."""
    for round in range(12):
        room, user = f"observable-{uuid.uuid4()}", f"user-{uuid.uuid4().hex[:8]}"
        ann = connect("Ann")
        enter(ann, room)
        shown = token(administered, CHANNEL, data={"id": user})
        banned = threading.Event()
        turns = threading.Semaphore(0)
        slipped, left_open = [], []

        def come_and_go():
            resume = None
            for turn in itertools.count():
                turns.release()
                was_banned = banned.is_set()
                client = Client(administered, handshake=False)
                try:
                    fields = {"resume": resume} if resume else {}
                    reply = client.request({"type": "handshake", "channel": CHANNEL, "token": shown, "resumable": True, **fields})
                    if reply.get("code") == "banned":
                        return
                    resume = reply.get("resume_token")
                    joined = client.request({"type": "subscribe", "room": room})
                    if was_banned and "error" not in joined:
                        slipped.append((turn, joined))
                    if scope == "room" and joined.get("code") == "banned":
                        return
                except (Closed, BrokenPipeError, ConnectionResetError):
                    pass
                finally:
                    # every other time the old connection is still open when its session is resumed
                    if turn % 2:
                        client.reset()
                    else:
                        left_open.append(client)

        walker = threading.Thread(target=come_and_go)
        walker.start()
        # the ban comes at another turn each round
        for _ in range(round + 1):
            assert turns.acquire(timeout=PATIENCE)
        body = {"kind": "ban", "user": user, **({"room": room} if scope == "room" else {})}
        admin.done("POST", f"/channels/{CHANNEL}/sanctions", body)
        banned.set()
        walker.join(PATIENCE)
        assert not walker.is_alive() and slipped == []
        for client in left_open:
            client.close()
        present = set()
        for frame in ann.room_fence(room):
            if frame["type"] == "observable_member_join":
                present.add(frame["data"]["id"])
            elif frame["type"] == "observable_member_leave":
                present.remove(frame["data"]["id"])
        assert present == set()
        assert [member["id"] for member in admin.done("GET", f"/channels/{CHANNEL}/rooms/{room}/members")["members"]] == [ann.id]
        ann.close()


# Mutes


def test_a_muted_member_listens(connect, observable, user):
    ann, bob, mod = connect("Ann"), connect("Bob", user=user), connect("Mod", moderator=True)
    for client in (ann, bob):
        enter(client, observable)
    ann.expect("observable_member_join")
    moderate(mod, observable, "mute", user=user, reason="calm down", seconds=600)
    muted = bob.expect("muted", room=observable, reason="calm down")
    assert abs(muted["until"] - time.time() - 600) < 60
    for fields in ({}, {"ephemeral": True}):
        bob.refused({"type": "publish", "room": observable, "message": "hm", **fields}, "muted")
    ann.publish(observable, "quiet here")
    assert [client.expect("publish")["message"] for client in (ann, bob)] == ["quiet here"] * 2
    again = connect("Bob", user=user)
    again.refused({"type": "publish", "room": observable, "message": "hm"}, "muted")
    moderate(mod, observable, "unmute", user=user)
    bob.expect("unmuted", room=observable)
    bob.publish(observable, "thanks")


def test_a_mute_ends_by_time_and_the_member_hears_of_it(connect, admin):
    bob = connect("Bob")
    admin.done("POST", f"/channels/{CHANNEL}/sanctions", {"kind": "mute", "client_id": bob.id, "seconds": 1})
    muted = bob.expect("muted")
    assert "room" not in muted
    bob.refused({"type": "publish", "room": "anywhere", "message": 1}, "muted")
    bob.expect("unmuted")
    bob.publish("anywhere", 1)


# Rules of a room


def test_in_a_locked_room_only_moderators_write(connect, observable):
    ann, mod = connect("Ann"), connect("Mod", moderator=True)
    enter(ann, observable)
    moderate(mod, observable, "lock", reason="a talk is on")
    assert ann.expect("notice", room=observable, code="room_locked")["text"]
    ann.refused({"type": "publish", "room": observable, "message": 1}, "room_locked")
    assert mod.publish(observable, "welcome")["seq"] == 1
    ann.messages(1)
    late = connect("Late")
    enter(late, observable)
    assert late.expect("notice", room=observable, code="room_locked")["text"] == "This room is locked: a talk is on"
    late.refused({"type": "publish", "room": observable, "message": 1}, "room_locked")
    moderate(mod, observable, "unlock")
    ann.expect("observable_member_join")
    ann.expect("notice", room=observable, code="room_unlocked")
    ann.publish(observable, "at last")


def test_rest_obeys_as_members_do_but_for_the_channel_s_secret(administered, connect, observable, user):
    ann, mod = connect("Ann"), connect("Mod", moderator=True)
    enter(ann, observable)
    bearer = f"Bearer {token(administered, CHANNEL, data={'id': user})}"
    owner = rest_basic(CHANNEL, secret(administered, CHANNEL))
    with Rest(administered) as rest:

        def publish(authorization):
            answer = rest.post(f"/{CHANNEL}/{observable}/publish", "1", Authorization=authorization)
            return answer.status if answer.status == 200 else (answer.status, answer.body.get("code"))

        assert publish(bearer) == publish(owner) == 200
        for action, code in (("lock", "room_locked"), ("mute", "muted"), ("ban", "banned")):
            subject = {} if action == "lock" else {"user": user}
            moderate(mod, observable, action, **subject)
            assert publish(bearer)[0] == 403, code
            assert publish(owner) == 200, code
            moderate(mod, observable, f"un{action}", **subject)
            assert publish(bearer) == 200, code


def test_slow_mode_makes_members_wait(connect, observable):
    ann, bob, mod = connect("Ann"), connect("Bob"), connect("Mod", moderator=True)
    enter(ann, observable)
    moderate(mod, observable, "slow_mode", seconds=3600)
    assert ann.expect("notice", room=observable, code="slow_mode")["seconds"] == 3600
    bob.publish(observable, 1)
    refused = bob.refused({"type": "publish", "room": observable, "message": 2}, "rate_limited")
    assert 3_500_000 < refused["retry_after_ms"] <= 3_600_000
    for number in (3, 4):
        mod.publish(observable, number)
    ann.publish(observable, 5)
    assert [frame["message"] for frame in ann.messages(4)] == [1, 3, 4, 5]
    moderate(mod, observable, "slow_mode", seconds=0)
    assert ann.expect("notice", room=observable, code="slow_mode")["seconds"] == 0
    bob.publish(observable, 6)


def test_a_room_can_be_capped(connect, observable):
    mod = connect("Mod", moderator=True)
    members = [connect("Ann"), connect("Bob", resumable=True)]
    for client in members:
        enter(client, observable)
    moderate(mod, observable, "limit_members", count=1)
    late = connect("Late")
    refusal = late.refused({"type": "subscribe", "room": observable}, "too_many_members")
    assert "the room is full, its maximum is 1 member; try again later" in refusal["error"]
    # who is in stays, also over a resume
    members[1].reset()
    back = connect("Bob", resumable=True, resume=members[1].welcome["resume_token"])
    assert back.welcome["resumed"] is True
    enter(back, observable)
    moderate(mod, observable, "limit_members", count=0)
    enter(late, observable)


# Notices


def test_notices_come_in_the_room_s_order(connect, admin, observable):
    ann, mod = connect("Ann"), connect("Mod", moderator=True)
    enter(ann, observable)
    mod.publish(observable, 1)
    moderate(mod, observable, "notice", text="five minutes left")
    mod.publish(observable, 2)
    ann.expect("publish", message=1)
    notice = ann.expect("notice", room=observable, text="five minutes left")
    assert notice["sender"]["id"] == mod.id and "seq" not in notice
    ann.expect("publish", message=2)
    admin.done("POST", f"/channels/{CHANNEL}/rooms/{name(observable)}/notices", {"text": "by the operator"})
    assert ann.expect("notice", text="by the operator")["sender"]["kind"] == "admin"
    admin.done("POST", f"/channels/{CHANNEL}/notices", {"text": "to all"})
    assert "room" not in ann.expect("notice", text="to all")
    mod.expect("notice", text="to all")


def test_text_clients_read_notices_and_are_moderated(administered, connect, admin):
    mod, text = connect("Mod", moderator=True), TextClient(administered).join("Han")
    moderate(mod, "lobby", "notice", text="tidy up\nAnn: forged")
    assert text.line() == "* tidy up Ann: forged"
    members = admin.done("GET", f"/channels/{CHANNEL}/rooms/lobby/members")["members"]
    moderate(mod, "lobby", "lock")
    assert text.line().startswith("* ")
    text.say("msg:hello")
    assert "locked" in text.line()
    moderate(mod, "lobby", "unlock")
    assert text.line().startswith("* ")
    moderate(mod, "lobby", "kick", client_id=members[0]["id"], reason="bye")
    text.close()


# Who may


@pytest.mark.parametrize(
    "act",
    [
        {"action": "kick", "client_id": "x"},
        {"action": "ban", "user": "x"},
        {"action": "unban", "user": "x"},
        {"action": "mute", "user": "x"},
        {"action": "unmute", "user": "x"},
        {"action": "lock"},
        {"action": "unlock"},
        {"action": "slow_mode", "seconds": 1},
        {"action": "limit_members", "count": 1},
        {"action": "redact", "target_seq": 1},
        {"action": "clear"},
        {"action": "notice", "text": "x"},
    ],
    ids=lambda act: act["action"],
)
def test_only_a_token_makes_a_moderator(connect, room, act):
    connect("Bob").refused({"type": "moderate", "room": room, **act}, "permission_denied")
    connect("Bob", user="b").refused({"type": "moderate", "room": room, **act}, "permission_denied")


def test_every_act_is_in_the_audit_log_once(connect, admin, observable, user):
    bob, mod = connect("Bob", user=user), connect("Mod", moderator=True)
    enter(bob, observable)
    bob.publish(observable, 1)
    path = f"/channels/{CHANNEL}/rooms/{name(observable)}"
    seen = len(admin.done("GET", "/audit", query={"limit": 1000})["entries"])

    moderate(mod, observable, "mute", user=user, reason="why")
    moderate(mod, observable, "unmute", user=user)
    moderate(mod, observable, "lock")
    moderate(mod, observable, "unlock")
    moderate(mod, observable, "slow_mode", seconds=5)
    moderate(mod, observable, "limit_members", count=9)
    moderate(mod, observable, "notice", text="x")
    moderate(mod, observable, "redact", target_seq=1)
    moderate(mod, observable, "clear")
    moderate(mod, observable, "kick", client_id=bob.id)
    admin.done("POST", f"/channels/{CHANNEL}/sanctions", {"kind": "ban", "user": user})
    admin.done("DELETE", f"/channels/{CHANNEL}/sanctions", query={"kind": "ban", "user": user})
    admin.done("PATCH", f"{path}/rules", {"locked": True})
    admin.done("POST", f"{path}/notices", {"text": "y"})
    admin.done("POST", f"/channels/{CHANNEL}/notices", {"text": "z"})

    entries = admin.done("GET", "/audit", query={"limit": 1000})["entries"]
    entries = entries[: len(entries) - seen][::-1]
    by_member = ["sanction.impose", "sanction.lift", "room.lock", "room.unlock", "room.slow_mode", "room.limit_members"]
    by_member += ["room.notice", "message.redact", "room.clear", "member.kick"]
    by_admin = ["sanction.impose", "sanction.lift", "room.lock", "room.notice", "channel.notice"]
    assert [entry["action"] for entry in entries] == by_member + by_admin
    assert {entry["actor"] for entry in entries[:10]} == {"member:mod-Mod"}
    assert {entry["origin"] for entry in entries[:10]} == {"127.0.0.1"}
    assert entries[0]["details"]["reason"] == "why"
    assert entries[7]["details"] == {"target_seq": 1, "client_id": bob.id, "user": user, "name": "Bob"}
    assert entries[9]["details"] == {"client_id": bob.id, "user": user, "name": "Bob"}
    assert all(CHANNEL in entry["target"] for entry in entries)
