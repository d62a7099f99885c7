"""roomline history prune: old messages go, in small steps, and readers are told what they miss."""

import re

import pytest

from admin import Admin
from cli import noted, unique
from client import Client
from command import Terminal


@pytest.fixture
def channel(admin):
    """A channel of the test's own."""
    id = unique("p")
    admin.done("POST", "/channels", {"id": id, "history": {"count": 100000}})
    return id


def fill(broker, channel, room, count):
    """Publishes from 1 on; where the room stands then."""
    with Client(broker, channel=channel) as client:
        reply = client.subscribe(room)
        for number in range(1, count + 1):
            client.post({"type": "publish", "room": room, "message": number})
        client.messages(count, room)
        return reply["epoch"]


def seqs(shell, channel, room):
    return [message["seq"] for message in shell.lines("history", "show", room, "--channel", channel, "-n", "1000")]


def audited(admin, target):
    entries = admin.done("GET", "/audit", query={"action": "history.prune", "limit": 1000})["entries"]
    return [entry["details"] for entry in entries if entry["target"] == target]


def test_a_room_keeps_its_newest_messages(administered, admin, shell, channel):
    epoch = fill(administered, channel, "r", 50)
    prune = ["history", "prune", "--channel", channel, "--room", "r", "--keep", "20"]
    assert "--yes" in shell.refused(64, "now 30 messages", *prune)
    (said,) = noted(shell.run(*prune, "--dry-run"))
    assert said.startswith("roomline: dry run: 30 messages (") and said.endswith(" of the room r would be deleted")
    assert seqs(shell, channel, "r") == list(range(1, 51)) and audited(admin, f"{channel}/r") == []
    pruned = shell.json(*prune, "--yes")
    assert (pruned["messages"], pruned["rooms"]) == (30, 1) and pruned["bytes"] >= 0
    assert seqs(shell, channel, "r") == list(range(31, 51))
    assert audited(admin, f"{channel}/r") == [{"keep": 20}]
    assert noted(shell.run(*prune, "--yes")) == [
        'roomline: there are no such messages; nothing was deleted; "roomline room list --stored" lists the rooms that store messages'
    ]
    assert noted(shell.run(*prune, "--dry-run")) == ["roomline: dry run: 0 messages of the room r would be deleted"]
    assert len(audited(admin, f"{channel}/r")) == 1
    # numbers go on, and the log is the same one
    with Client(administered, channel=channel) as client:
        reply = client.subscribe("r", since={"epoch": epoch, "seq": 10})
        assert reply["recovered"] is False and reply["epoch"] == epoch
        gap = client.expect("gap", room="r")
        assert (gap["from_seq"], gap["to_seq"], gap["reason"]) == (11, 30, "trimmed")
        assert [frame["seq"] for frame in client.messages(20, "r")] == list(range(31, 51))
        client.publish("r", "next")
        assert client.expect("publish", room="r")["seq"] == 51


def test_all_rooms_of_a_channel_lose_what_is_old(administered, admin, shell, channel):
    for number in range(3):
        fill(administered, channel, f"r{number}", 10)
    prune = ["history", "prune", "--channel", channel, "--older-than", "1h", "--yes"]
    assert shell.json(*prune)["messages"] == 0
    pruned = shell.json("history", "prune", "--channel", channel, "--older-than", "1ms", "--yes")
    assert (pruned["messages"], pruned["rooms"]) == (30, 3)
    assert all(seqs(shell, channel, f"r{number}") == [] for number in range(3))
    assert audited(admin, channel) == [{"older_than_seconds": 0.001}]
    stored = shell.lines("room", "list", "--channel", channel, "--stored")
    assert [(room["name"], room["messages"], room["seq"]) for room in stored] == [(f"r{number}", 0, 10) for number in range(3)]


def test_a_long_room_takes_several_requests_and_one_entry(administered, admin, shell, channel):
    fill(administered, channel, "r", 20_000)
    pruned = shell.json("history", "prune", "--channel", channel, "--room", "r", "--keep", "1", "--yes")
    assert (pruned["messages"], pruned["rooms"]) == (19_999, 1)
    assert seqs(shell, channel, "r") == [20_000]
    assert audited(admin, f"{channel}/r") == [{"keep": 1}]


def test_it_asks_on_a_terminal(administered, shell, channel):
    fill(administered, channel, "r", 5)
    command = ["history", "prune", "--channel", channel, "--keep", "2", *shell.place]
    for answer, code, left in (("n", 1, 5), ("y", 0, 2)):
        with Terminal(None, *command, columns=200) as terminal:
            shown = terminal.see("Go on?")
            assert re.search(r"This deletes for good all such messages that there are by then, now 3 messages( \(.*\))? of 1 room of the channel", shown), shown
            terminal.type(f"{answer}\r")
            assert terminal.end() == code
        assert len(seqs(shell, channel, "r")) == left


def test_what_cannot_be_meant_is_refused(shell, channel):
    place = ["history", "prune", "--channel", channel]
    assert shell.run(*place).returncode == 64
    assert shell.run(*place, "--older-than", "30").returncode == 64
    assert shell.run(*place, "--keep", "-1").returncode == 64
    shell.refused(1, "there is no channel", "history", "prune", "--channel", "nothing", "--keep", "1", "--yes")


def test_who_may_only_read_may_not_prune(administered, admin, channel):
    token = admin.done("POST", "/tokens", {"name": f"read-{channel}", "scopes": ["read"]})["token"]
    reader = Admin(administered, token)
    reader.refused(403, "permission_denied", "POST", f"/channels/{channel}/prune", {"keep": 1})
    reader.close()
