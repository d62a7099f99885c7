"""roomline room, member and channel as a moderator uses them: while people are there, in both output forms."""

import json
import re
import time

import pytest

from cli import facts, noted, unique
from client import Client
from tokens import token

FLAGS = ["--channel", "default,history=1000,auth=optional", "--channel", "still,history=off", "--loops", "2"]


@pytest.fixture
def people(administered):
    """Connects people: `people("Luke", user="17")`."""
    clients = []

    def connect(name, *, user=None, **fields):
        if user is not None:
            fields["token"] = token(administered, data={"id": user})
        clients.append(Client(administered, name, **fields))
        return clients[-1]

    yield connect
    for client in clients:
        client.close()


# Rooms


def test_a_room_is_locked_and_opened(shell, people):
    room, luke = unique("lock"), people("Luke")
    luke.subscribe(room)
    shown = facts(shell.says("room", "lock", room, "--reason", "back at nine"))
    assert shown["locked"] == "yes: back at nine" and shown["slow-mode"] == "off"
    luke.expect("notice", room=room, code="room_locked")
    luke.refused({"type": "publish", "room": room, "message": "x"}, "room_locked")
    assert facts(shell.says("room", "show", room))["locked"] == "yes: back at nine"
    assert shell.says("room", "list", "--prefix", room) == ["MEMBERS  RULES   ROOM", f"      1  locked  {room}"]
    assert shell.json("room", "unlock", room) == {"locked": False}
    luke.expect("notice", room=room, code="room_unlocked")
    luke.publish(room, "again")
    assert shell.lines("room", "list", "--prefix", room) == [{"name": room, "members": 1}]


def test_a_room_is_slowed_down_and_capped(shell, people):
    room, luke = unique("slow"), people("Luke")
    luke.subscribe(room)
    assert facts(shell.says("room", "slow-mode", room, "1h"))["slow-mode"] == "a message in 1h from each"
    luke.expect("notice", room=room, code="slow_mode", seconds=3600)
    luke.publish(room, "one")
    assert luke.refused({"type": "publish", "room": room, "message": "two"}, "rate_limited")["retry_after_ms"] > 1000
    assert shell.json("room", "limit", room, "1") == {"locked": False, "slow_mode_seconds": 3600, "member_limit": 1}
    leia = people("Leia")
    leia.refused({"type": "subscribe", "room": room}, "too_many_members")
    assert facts(shell.says("room", "show", room))["members at most"] == "1"
    assert shell.json("room", "limit", room, "none") == {"locked": False, "slow_mode_seconds": 3600}
    assert shell.json("room", "slow-mode", room, "off") == {"locked": False}
    leia.subscribe(room)
    # Rules are for rooms that are not there yet, too.
    for command in (["room", "lock"], ["room", "limit"], ["room", "notice"]):
        value = {"limit": ["5"], "notice": ["x"]}.get(command[1], [])
        assert f"did you mean {room}?" in noted(shell.run(*command, room[:-1], *value))[0]
    assert noted(shell.run("room", "unlock", room, "--json")) == []
    shell.refused(1, "86400", "room", "slow-mode", room, "2d")
    shell.refused(1, "did you mean default?", "room", "lock", room, "--channel", "defaultt")


def test_a_notice_is_told_to_a_room_or_to_a_channel(shell, people):
    room, luke, leia = unique("notice"), people("Luke"), people("Leia")
    luke.subscribe(room)
    assert noted(shell.run("room", "notice", room, "hear, hear")) == [f"roomline: the room {room} was told: 1 connection"]
    assert noted(shell.run("room", "notice", unique("empty"), "x")) != []
    luke.expect("notice", room=room, text="hear, hear")
    (said,) = noted(shell.run("channel", "notice", "default", "to all"))
    # Connections of other tests may be ending.
    assert re.fullmatch(r"roomline: the channel default was told: [2-9]\d* connections", said), said
    for person in (luke, leia):
        frame = person.expect("notice", text="to all")
        assert "room" not in frame
    shell.refused(1, "there is no channel", "channel", "notice", "nothing", "x")


def test_a_room_that_keeps_nothing_has_nothing_to_count(shell, people):
    room, luke = unique("still"), people("Luke", channel="still")
    luke.subscribe(room)
    luke.publish(room, "x")
    assert shell.json("room", "clear", room, "--channel", "still", "--dry-run")["messages"] == 0


# Members


def test_a_member_is_kicked_from_a_room_or_off_the_channel(shell, people):
    room, luke = unique("kick"), people("Luke")
    luke.subscribe(room)
    shell.refused(1, f"did you mean {luke.id}?", "member", "kick", luke.id[:-1], "--room", room)
    shell.refused(1, f"did you mean {room}?", "member", "kick", luke.id, "--room", room[:-1])
    note = noted(shell.run("member", "kick", luke.id, "--room", room, "--reason", "off topic"))
    assert note == [f"roomline: {luke.id} is out of the room {room} of default"]
    luke.expect("removed", room=room, code="kicked", reason="off topic")
    luke.subscribe(room)
    shell.refused(1, f"did you mean {luke.id}?", "member", "kick", luke.id[:-1])
    assert shell.lines("member", "kick", luke.id) == []
    luke.goodbye("kicked")
    shell.refused(1, "member", "member", "kick", luke.id)


def test_all_members_of_a_user_are_kicked(shell, people):
    room, user = unique("kick"), unique("user")
    luke, tablet, leia = people("Luke", user=user), people("Tablet", user=user), people("Leia")
    for person in (luke, tablet, leia):
        person.subscribe(room)
    result = shell.run("member", "kick", "--user", user, "--dry-run", "--json")
    assert sorted(json.loads(line)["member"]["id"] for line in result.stdout.splitlines()) == sorted([luke.id, tablet.id])
    assert noted(result) == ["roomline: dry run: 2 members would be kicked"]
    note = noted(shell.run("member", "kick", "--user", user, "--room", room, "--reason", "off topic"))
    assert note == [f"roomline: 2 members of the user {user} are out of the room {room} of default"]
    for person in (luke, tablet):
        person.expect("removed", room=room, code="kicked", reason="off topic")
    shell.refused(1, "no member of the user", "member", "kick", "--user", user, "--room", room)
    luke.subscribe(room)
    assert shell.lines("member", "kick", "--user", user) == []
    luke.goodbye("kicked")
    leia.fence()


def test_a_user_is_banned_from_the_channel(shell, people, administered):
    room, user = unique("ban"), unique("user")
    luke, leia = people("Luke", user=user), people("Leia")
    for person in (luke, leia):
        person.subscribe(room)
    assert f"{user}  Luke" in " ".join(shell.says("member", "list", room))
    dry = shell.lines("member", "ban", "--user", user, "--dry-run")
    assert [(entry["room"], entry["member"]["id"], entry["member"]["user"]) for entry in dry] == [(room, luke.id, user)]
    head, row = shell.says("member", "ban", "--user", user, "--dry-run")
    assert head.split() == ["MEMBER", "ROOM", "ADDRESS", "USER", "NAME"] and row.split() == [luke.id, room, "127.0.0.1", user, "Luke"]
    assert shell.lines("member", "bans", "--user", user) == []
    stranger = unique("nobody")
    result = shell.run("member", "mute", "--user", stranger, "--room", room)
    assert noted(result) == [f"roomline: nobody in the room {room} of default is the user {stranger} now; the mute holds for those who come"]
    banned = facts(shell.says("member", "ban", "--user", user, "--for", "2h", "--reason", "spam"))
    assert banned["ban"] == f"user {user}" and banned["in"] == "the whole channel" and banned["reason"] == "spam"
    luke.goodbye("banned")
    again = Client(administered, handshake=False)
    again.refused({"type": "handshake", "channel": "default", "token": token(administered, data={"id": user})}, "banned")
    again.close()
    leia.publish(room, "still here")
    (ban,) = shell.lines("member", "bans", "--user", user)
    assert ban["kind"] == "ban" and ban["user"] == user and "room" not in ban and ban["expires"] > ban["created"]
    head, row = shell.says("member", "bans", "--user", user)
    assert head.split() == ["WHO", "ROOM", "UNTIL", "BY", "REASON"] and row.startswith(f"user {user}  -     20")
    shell.refused(1, f"did you mean {user}?", "member", "unban", "--user", user[:-1])
    shell.refused(1, f'"roomline member unban --user {user} --socket {shell.place[1]}"', "member", "unban", "--user", user, "--room", room)
    note = noted(shell.run("member", "unban", "--user", user))
    assert note == [f"roomline: the ban of the user {user} in the channel default is lifted"]
    people("Luke", user=user).subscribe(room)


def test_a_ban_by_client_id_says_what_would_hold(shell, people):
    room, user = unique("id"), unique("user")
    luke, leia = people("Luke", user=user), people("Leia")
    for person in (luke, leia):
        person.subscribe(room)
    result = shell.run("member", "ban", luke.id, "--room", room)
    assert f"member ban --user {user}" in noted(result)[0] and f"client {luke.id}".encode() in result.stdout
    luke.expect("removed", room=room, code="banned")
    result = shell.run("member", "ban", leia.id, "--json")
    assert "--address" in noted(result)[0] and json.loads(result.stdout)["client_id"] == leia.id
    leia.goodbye("banned")
    stranger = "Kf3Qz81LmXw0TbR"
    assert f"no member {stranger} is in the room" in noted(shell.run("member", "ban", stranger, "--room", room))[0]
    troll = people("Troll")
    troll.subscribe(room)
    refusal = shell.refused(1, "Troll is a name and no client id", "member", "ban", "Troll", "--room", room)
    assert f"client id {troll.id}," in refusal and "--user" in refusal
    shell.refused(1, "Troll is a name and no client id", "member", "ban", "Troll", "--room", room, "--dry-run")
    result = shell.run("member", "ban", "--user", "Troll", "--room", room, "--dry-run")
    assert noted(result)[1:] == [f"roomline: the name Troll has the client id {troll.id}"]
    user = unique("troll")
    second = people("Troll", user=user)
    second.subscribe(room)
    refusal = shell.refused(1, "Troll is a name and no client id", "member", "ban", "Troll", "--room", room)
    assert f"{second.id} (user {user})" in refusal and troll.id in refusal
    silent = people("Troll", channel="still")
    silent.subscribe(room)
    for option in ([], ["--dry-run"]):
        command = ["member", "ban", "--user", "Troll", "--room", room, "--channel", "still", *option]
        refusal = shell.refused(1, "Troll is a name and no user: the channel still takes no tokens", *command)
        assert refusal.endswith(f"ban the client id {silent.id}"), refusal
    assert shell.lines("member", "bans", "--channel", "still") == []
    assert "Troll" not in str(shell.lines("member", "bans", "--room", room))
    shell.refused(1, f'"roomline member unban {luke.id} --room {room} --socket {shell.place[1]}"', "member", "unban", luke.id)
    for id in (luke.id, stranger):
        assert shell.lines("member", "unban", id, "--room", room) == []
    assert shell.lines("member", "unban", leia.id) == []


@pytest.mark.parametrize("word", ["ban", "mute"])
def test_a_user_is_not_taken_for_a_client_id(shell, people, word):
    room, user = unique("user"), unique("luke")
    luke = people("Luke", user=user)
    luke.subscribe(room)
    for place in (["--room", room], []):
        for option in ([], ["--dry-run"], *([["--redact", "--yes"]] if word == "ban" else [])):
            shell.refused(1, f"if it is a user, say --user {user}", "member", word, user, *place, *option)
    shell.refused(1, f"did you mean {luke.id}?", "member", word, luke.id[:-1], "--room", room)
    assert shell.lines("member", f"{word}s", "--room", room) == []
    shell.refused(64, f"if it is a user, say --user {user}", "member", f"{word}s", user)
    shell.refused(1, f"(a user is named by --user {user})", "member", "kick", user, "--room", room)
    shell.says("member", word, "--user", user, "--room", room)
    shell.refused(1, f'"roomline member un{word} --user {user} --room {room} --socket', "member", f"un{word}", user, "--room", room)
    shell.says("member", f"un{word}", "--user", user, "--room", room)


def test_who_is_connected_and_in_no_room_is_not_said_to_be_away(shell, people):
    user = unique("vader")
    vader = people("Vader", user=user)
    (note,) = noted(shell.run("member", "ban", "--user", user))
    place = "nobody in a room of the channel default"
    assert note == f"roomline: {place} is the user {user} now; the ban holds for those who are in no room, and for those who come"
    vader.goodbye("banned")


def test_durations_are_read_in_one_way(shell):
    room = unique("time")
    for command in (["member", "ban", "--user", "x", "--for"], ["room", "slow-mode", room]):
        for time in ("90", "500ms", "soon"):
            done = shell.run(*command, time)
            assert done.returncode == 64 and b"10s" in done.stderr and b"500ms, " not in done.stderr, done.stderr
    user = unique("week")
    shell.says("member", "ban", "--user", user, "--room", room, "--for", "1w")
    (ban,) = shell.lines("member", "bans", "--user", user)
    assert ban["expires"][:10] > ban["created"][:10]
    shell.says("member", "unban", "--user", user, "--room", room)
    assert facts(shell.says("room", "slow-mode", room, "90s"))["slow-mode"] == "a message in 1m 30s from each"


def test_an_address_is_banned_from_a_room(shell, people):
    room, luke = unique("address"), people("Luke")
    luke.subscribe(room)
    shell.refused(1, f"; Luke is {luke.id}", "member", "kick", "Luke", "--room", room)
    shell.refused(1, f"; Luke is {luke.id}", "member", "show", room, "Luke")
    assert len(shell.lines("member", "ban", "--address", "127.0.0.0/8", "--room", room, "--dry-run")) == 1
    assert shell.lines("member", "ban", "--address", "10.0.0.0/8", "--room", room, "--dry-run") == []
    assert f"did you mean {room}?" in noted(shell.run("member", "ban", "--address", "10.0.0.0/8", "--room", room + "x"))[-1]
    result = shell.run("member", "ban", "--address", "127.0.0.0/8", "--room", room, "--json")
    assert noted(result) == [] and json.loads(result.stdout)["address"] == "127.0.0.0/8"
    luke.expect("removed", room=room, code="banned")
    luke.refused({"type": "subscribe", "room": room}, "banned")
    (ban,) = shell.lines("member", "bans", "--address", "127.0.0.1", "--room", room)
    assert ban["address"] == "127.0.0.0/8"
    shell.refused(1, f'"roomline member unban --address 127.0.0.0/8 --room {room} --socket {shell.place[1]}"', "member", "unban", "--address", "127.0.0.1")
    shell.says("member", "unban", "--address", "127.0.0.0/8", "--room", room)
    luke.subscribe(room)
    assert b"192.0.2.0/24" in shell.run("member", "ban", "--address", "127.0.0.1/8").stderr


def test_a_member_is_muted_for_a_while(shell, people):
    room, user = unique("mute"), unique("user")
    luke = people("Luke", user=user)
    luke.subscribe(room)
    muted = shell.json("member", "mute", "--user", user, "--room", room, "--for", "10m", "--reason", "calm down")
    assert muted["kind"] == "mute" and muted["room"] == room
    told = luke.expect("muted", room=room, reason="calm down")
    assert 0 < told["until"] - time.time() <= 601
    luke.refused({"type": "publish", "room": room, "message": "x"}, "muted")
    assert shell.says("member", "list", room)[1].endswith("Luke (muted)")
    assert facts(shell.says("member", "show", room, luke.id))["muted"] == "yes"
    assert [mute["user"] for mute in shell.lines("member", "mutes", "--room", room)] == [user]
    assert shell.says("member", "mutes", "--room", room)[1].endswith("calm down")
    assert shell.lines("member", "bans", "--room", room) == []
    shell.says("member", "unmute", "--user", user, "--room", room)
    luke.expect("unmuted", room=room)
    luke.publish(room, "thanks")
    shell.refused(1, "mute", "member", "unmute", "--user", user, "--room", room)


# Channels


def test_a_channel_tells_what_would_go_with_it(shell, people):
    channel = unique("gone")[:20]
    shell.says("channel", "create", channel)
    luke = people("Luke", channel=channel)
    luke.subscribe("r")
    assert shell.json("channel", "delete", channel, "--dry-run") == {"id": channel, "connections": 1, "rooms": 1}
    assert "1 connection, and 1 room with members" in noted(shell.run("channel", "delete", channel, "--dry-run"))[0]
    assert shell.json("channel", "show", channel)["id"] == channel
    shell.says("channel", "delete", channel, "--yes")
