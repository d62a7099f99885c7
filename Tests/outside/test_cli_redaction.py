"""roomline history redact and room clear, and what of moderation the audit log has."""

import json

import pytest

from cli import noted, unique
from client import Client
from command import Terminal

FLAGS = ["--channel", "default,history=1000", "--loops", "2"]


@pytest.fixture
def luke(administered):
    with Client(administered, "Luke") as client:
        yield client


def test_a_room_is_cleared(shell, luke):
    room = unique("clear")
    luke.subscribe(room)
    for number in range(3):
        luke.publish(room, number)
    luke.messages(3)
    assert noted(shell.run("room", "clear", room, "--dry-run"))[0].endswith(f"3 messages (1 to 3) of {room} would be removed")
    assert shell.json("room", "clear", room, "--dry-run") == {"room": room, "messages": 3, "first_seq": 1, "last_seq": 3}
    assert len(shell.lines("history", "show", room)) == 3
    shell.refused(64, "say --yes", "room", "clear", room)
    with Terminal(None, "room", "clear", room, *shell.place, columns=200) as terminal:
        terminal.see(f"removes for good all messages that the room {room} has by then, now 3 messages (1 to 3). Go on?")
        terminal.type("n\n")
        assert terminal.end() == 1
    before = shell.json("room", "show", room)
    cleared = shell.json("room", "clear", room, "--yes")
    assert cleared["seq"] == 0 and cleared["epoch"] != before["epoch"]
    luke.expect("room_cleared", room=room, epoch=cleared["epoch"])
    assert shell.lines("history", "show", room) == []
    assert shell.json("room", "clear", room, "--dry-run")["messages"] == 0
    assert "begins anew" in noted(shell.run("room", "clear", room, "--yes"))[0]
    shell.refused(1, f"did you mean {room}?", "room", "clear", room[:-1], "--yes")


def test_another_message_of_the_same_place_is_not_redacted(shell, luke):
    room = unique("place")
    luke.subscribe(room)
    luke.publish(room, "one")
    luke.messages(1)
    with Terminal(None, "history", "redact", room, "1", *shell.place, columns=160) as terminal:
        terminal.see("Luke: one. Go on? [y/N]")
        shell.run("room", "clear", room, "--yes")
        luke.publish(room, "innocent")
        terminal.type("y\n")
        assert terminal.end() == 1, "the message that was asked about is gone"
    assert [entry["message"] for entry in shell.lines("history", "show", room)] == ["innocent"]


def test_a_message_is_redacted(shell, luke):
    room = unique("redact")
    luke.subscribe(room)
    for text in ("one", "my address is secret", "three"):
        luke.publish(room, text)
    luke.messages(3)
    (dry,) = shell.lines("history", "redact", room, "2", "--dry-run")
    assert dry["message"] == "my address is secret"
    assert shell.says("history", "redact", room, dry["id"], "--dry-run")[0].endswith("Luke: my address is secret")
    shell.refused(64, "say --yes", "history", "redact", room, "2")
    with Terminal(None, "history", "redact", room, "2", "--reason", "private", *shell.place, columns=160) as terminal:
        terminal.see("Luke: my address is secret. Go on? [y/N]")
        terminal.type("y\n")
        assert terminal.end() == 0
    luke.expect("message_redacted", room=room, target_seq=2, target_id=dry["id"], reason="private")
    receipt = shell.json("history", "redact", room, dry["id"], "--yes")
    assert receipt["duplicate"] and receipt["target_seq"] == 2
    assert "had been redacted before" in noted(shell.run("history", "redact", room, "2", "--yes"))[0]
    lines = shell.says("history", "show", room)
    assert lines[1].endswith("  Luke (removed)") and "(admin) removed message 2: private" in lines[3]
    assert [entry["type"] for entry in shell.lines("history", "show", room)] == ["publish"] * 3 + ["message_redacted"]
    assert shell.lines("history", "search", room, "secret") == [] and shell.lines("history", "search", room, "null") == []
    assert [entry["seq"] for entry in shell.lines("history", "search", room, "private")] == [4]
    exported = [json.loads(line) for line in shell.says("history", "export", room)]
    assert exported[1]["redacted"] and exported[1]["message"] is None and exported[3]["target_seq"] == 2
    shell.refused(1, "history show", "history", "redact", room, "99", "--yes")
    shell.refused(1, "has no message 99", "history", "redact", room, "99", "--dry-run")
    assert b"give its seq" in shell.run("history", "redact", room, "the second", "--yes").stderr


def test_a_ban_takes_the_messages_along(shell, luke, administered):
    room = unique("purge")
    with Client(administered, "Spammer") as spammer:
        luke.subscribe(room)
        spammer.subscribe(room)
        spammer.publish(room, "buy")
        spammer.publish(room, "now")
        id = spammer.messages(2)[0]["client_id"]
        wrong = shell.run("member", "ban", id, "--yes")
        assert wrong.returncode == 64 and b"--yes goes with --redact" in wrong.stderr
        shell.refused(64, "say --yes", "member", "ban", id, "--room", room, "--redact")
        assert "2 messages would be removed" in noted(shell.run("member", "ban", id, "--room", room, "--redact", "--dry-run"))[-1]
        with Terminal(None, "member", "ban", id, "--room", room, "--redact", "--reason", "spam", *shell.place, columns=200) as terminal:
            terminal.see(f"removes 2 messages there for good. Go on? [y/N]")
            terminal.type("y\n")
            terminal.see("2 messages are removed")
            assert terminal.end() == 0
        spammer.expect("removed", room=room, code="banned")
    luke.messages(2)
    assert [luke.expect("message_redacted", reason="spam")["target_seq"] for _ in range(2)] == [1, 2]


def test_what_was_done_is_in_the_audit_log_once(shell, luke):
    room, user = unique("audit"), unique("user")
    luke.subscribe(room)
    luke.publish(room, "x")
    before = len(shell.lines("audit", "--limit", "100000"))
    for command in (
        ["room", "lock", room], ["room", "unlock", room], ["room", "slow-mode", room, "5s"], ["room", "limit", room, "5"],
        ["room", "notice", room, "hello"], ["channel", "notice", "default", "hello"], ["member", "kick", luke.id, "--room", room],
        ["member", "ban", "--user", user], ["member", "unban", "--user", user], ["member", "mute", "--user", user],
        ["member", "unmute", "--user", user], ["history", "redact", room, "1", "--yes"], ["room", "clear", room, "--yes"],
    ):  # fmt: skip
        shell.says(*command)
    entries = shell.lines("audit", "--limit", "100000")
    assert [entry["action"] for entry in reversed(entries[: len(entries) - before])] == [
        "room.lock", "room.unlock", "room.slow_mode", "room.limit_members", "room.notice", "channel.notice", "member.kick",
        "sanction.impose", "sanction.lift", "sanction.impose", "sanction.lift", "message.redact", "room.clear",
    ]  # fmt: skip
    assert any("room.clear" in line for line in shell.says("audit", "--limit", "3"))
