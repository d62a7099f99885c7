"""A disk that has no room left (ENOSPC): what was stored is served, nothing else waits, and it stores again when there is room."""

import os
import pathlib
import shutil
import time
import uuid

import pytest

from admin import Admin
from broker import PATIENCE, alarms
from cli import Shell
from client import Client
from mounts import inside, kept, small
from rest import Rest
from test_durability import history

FLAGS = ("--channel", "default,history=100000", "--channel", "fleeting,history=off")


def publish(room, text):
    return {"type": "publish", "room": room, "message": text, "message_id": str(uuid.uuid4())}


def publish_at_last(client, frame):
    """The same frame again until it is stored."""
    deadline = time.monotonic() + PATIENCE
    while "error" in (reply := client.request(frame)):
        assert reply["code"] == "storage_unavailable" and time.monotonic() < deadline, reply
    return reply


def check_log(broker):
    """It says once that the disk is full, and once that it is not any more."""
    broker.wait_for_log(lambda record: record["message"] == "history is stored again", "that there is room again")
    said = [record for record in broker.records() if record["message"].startswith("history cannot be stored")]
    assert len(said) == 1 and "database or disk is full" in said[0]["metadata"]["error"], said
    assert [record["level"] for record in broker.records() if record["message"] == "history is stored again"] == ["notice"]


def test_a_disk_that_runs_full_and_has_room_again(start, mountable, tmp_path):
    broker = start(*FLAGS, admin=tmp_path / "a.sock", preexec=small(mountable, 6), data=mountable)
    with Client(broker, "Ann") as ann, Client(broker, "Bob", channel="fleeting") as bob, Client(broker, "Cid") as cid:
        epoch = cid.subscribe("room")["epoch"]
        bob.subscribe("room")
        count = 0
        while "error" not in (reply := ann.request(publish("room", f"{count} {'x' * 50_000}"))):
            count += 1
        assert count > 10 and reply["code"] == "storage_unavailable", (count, reply)
        refused = publish("room", "refused " + "y" * 50_000)
        ann.refused(refused, "storage_unavailable")
        bob.publish("room", "live")
        bob.expect("publish", message="live")
        answer = Rest(broker).get("/health")
        assert answer.status == 503 and answer.body["checks"]["store"] is False
        admin = Admin(broker)
        ban = {"kind": "ban", "user": "nobody"}
        assert [frame["message"].split()[0] for frame in history(ann, "room")] == [str(number) for number in range(count)]

        inside(broker, "mount", "-o", "remount,size=64m", str(mountable))
        assert publish_at_last(ann, refused)["seq"] >= count + 1
        assert ann.publish("room", "after")["seq"] >= count + 2
        admin.done("POST", "/channels/default/sanctions", ban)
        admin.close()
        assert Rest(broker).get("/health").status == 200
        stored = [frame["message"].split()[0] for frame in history(ann, "room")]
        # the one that was refused first may be there
        assert [word for word in stored if word != str(count)] == [*map(str, range(count)), "refused", "after"]
        seen = []
        while not seen or seen[-1] != "after":
            seen.append(cid.expect("publish")["message"].split()[0])
        assert seen == stored and cid.subscribe("room")["epoch"] == epoch
    check_log(broker)
    assert broker.terminate() == 0


def test_a_broker_without_a_reserve_starts_on_a_full_disk_and_serves_what_is_there(start, mountable, tmp_path):
    broker = start(*FLAGS, data=tmp_path / "made")
    with Client(broker, "Ann") as ann:
        epoch = ann.subscribe("room")["epoch"]
        for number in range(20):
            ann.publish("room", number)
    broker.kill()
    assert (broker.data / "history.sqlite-wal").stat().st_size > 0

    def fill():
        for path in pathlib.Path(tmp_path / "made").iterdir():
            if path.is_file() and path.name != "reserve":
                shutil.copy(path, mountable)
        ballast = os.open(mountable / "ballast", os.O_CREAT | os.O_WRONLY, 0o600)
        try:
            while os.write(ballast, bytes(4096)):
                pass
        except OSError:
            os.close(ballast)

    broker = start(*FLAGS, data=mountable, preexec=small(mountable, 6, fill))
    with Client(broker, "Ann", channel="fleeting") as ann, Client(broker, "Bob") as bob:
        ann.subscribe("room")
        ann.publish("room", "live")
        ann.expect("publish", message="live")
        refused = publish("room", "refused")
        bob.refused(refused, "storage_unavailable")
        assert Rest(broker).get("/health").status == 503
        for _ in range(3):
            assert [frame["message"] for frame in history(bob, "room")] == list(range(20))
            bob.refused(refused, "storage_unavailable")
        with Client(broker, "Cid") as cid:
            reply = cid.subscribe("room", since={"epoch": epoch, "seq": 5})
            assert (reply["recovered"], reply["seq"], reply["epoch"]) == (True, 20, epoch)
            assert [frame["message"] for frame in cid.messages(15)] == list(range(5, 20))
        said = {record["message"] for record in alarms(broker)}
        assert said == {"history cannot be stored; trying again with each message", "the backup of the control file could not be made"}
        broker.wait_for_log(lambda record: record["message"].startswith("there is no room on the disk for the reserve"), "that it has none")
        inside(broker, "rm", str(mountable / "ballast"))
        assert publish_at_last(bob, refused)["seq"] == 21
        assert bob.subscribe("room")["epoch"] == epoch
        assert [frame["message"] for frame in history(bob, "room")] == [*range(20), "refused"]
        assert Rest(broker).get("/health").status == 200
    check_log(broker)
    assert broker.terminate() == 0


@pytest.fixture
def disk_of_64_mib(mountable):
    """Its directory, and what a process has to do that is about to begin on it."""
    with kept(small(mountable, 64)) as enter:
        yield mountable, enter


def refused_at_last(client, room):
    """Publishes until the disk has no room."""
    count = 0
    while "error" not in (reply := client.request(publish(room, "y" * 10_000))):
        count += 1
    assert reply["code"] == "storage_unavailable", reply
    return count


@pytest.mark.parametrize("end", ["goes on", "kill"])
def test_an_operator_makes_room_on_a_full_disk_with_the_means_of_the_broker(start, disk_of_64_mib, tmp_path, end):
    mountable, enter = disk_of_64_mib
    begin = {"admin": tmp_path / "a.sock", "preexec": enter, "data": mountable / "data"}
    broker = start(*FLAGS, **begin)
    reserve, foreign = str(mountable / "data" / "reserve"), str(mountable / "foreign")
    with Client(broker, "Ann") as ann:
        epoch = ann.subscribe("room")["epoch"]
        for number in range(400):
            ann.publish("room", f"{number} {'x' * 50_000}")
    inside(broker, "test", "-s", reserve)
    inside(broker, "sh", "-c", f"dd if=/dev/zero of={foreign} bs=64k conv=fsync 2>/dev/null; cat /dev/zero >> {foreign} 2>/dev/null; sync; true")
    if end == "kill":
        broker.kill()
        broker = start(*FLAGS, **begin)
    shell, admin = Shell(broker), Admin(broker)
    with Client(broker, "Ann") as ann, Client(broker, "Bob") as bob:
        count = 400 + refused_at_last(ann, "room")
        assert count == 400 or end != "kill"
        inside(broker, "test", "-e", reserve)
        inside(broker, "test", "!", "-s", reserve)
        assert [frame["seq"] for frame in history(ann, "room")] == list(range(1, count + 1))
        assert Rest(broker).get("/health").status == 503
        # everything but a new message
        admin.done("POST", "/channels/default/sanctions", {"kind": "ban", "user": "nobody"})
        admin.done("POST", "/channels", {"id": "another"})
        assert bob.subscribe("room")["epoch"] == epoch
        shell.json("history", "redact", "room", "400", "--channel", "default", "--yes")
        assert bob.expect("message_redacted")["target_seq"] == 400
        prune = ["history", "prune", "--channel", "default", "--room", "room", "--yes", "--keep"]
        assert shell.json(*prune, "350")["messages"] >= 50
        assert "was not stored: the broker's disk is full" in bob.refused(publish("room", "refused"), "storage_unavailable")["error"]
        assert Rest(broker).get("/health").status == 503

        inside(broker, "rm", foreign)
        publish_at_last(bob, publish("room", "again"))
        inside(broker, "test", "-s", reserve)
        assert history(bob, "room")[-1]["message"] == "again"
        assert Rest(broker).get("/health").status == 200
    admin.close()
    assert broker.terminate() == 0
    broker = start(*FLAGS, **begin)
    assert alarms(broker) == []
