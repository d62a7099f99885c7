"""A broker whose disk is read-only: it starts, what was stored can be read, and nothing else is promised."""

import stat
import time

import pytest

from broker import PATIENCE, alarms
from client import Client
from mounts import inside, read_only
from rest import Rest
from test_backup import FREE, examine
from test_durability import history

FLAGS = ("--channel", "default,history=1000", "--channel", "fleeting,history=off")


@pytest.mark.parametrize("end", ["terminate", "kill", "terminate and remove -shm"])
def test_a_broker_on_a_read_only_disk_serves_what_was_stored(start, mountable, end):
    broker = start(*FLAGS, admin=None)
    with Client(broker, "Ann") as ann:
        epoch = ann.subscribe("room")["epoch"]
        for number in range(50):
            ann.publish("room", number)
    getattr(broker, end.split()[0])()
    if "-shm" in end:
        (broker.data / "history.sqlite-shm").unlink(missing_ok=True)
    before = {path.name: path.read_bytes() for path in broker.data.iterdir() if stat.S_ISREG(path.stat().st_mode)}

    broker = start(*FLAGS, admin=None, preexec=read_only(broker.data))
    with Client(broker, "Ann") as ann, Client(broker, "Bob", channel="fleeting") as bob:
        assert [frame["message"] for frame in history(ann, "room")] == list(range(50))
        reply = ann.subscribe("room", since={"epoch": epoch, "seq": 20})
        assert reply["recovered"] is True and reply["seq"] == 50
        assert [frame["message"] for frame in ann.messages(30)] == list(range(20, 50))
        for room in ("room", "new"):
            reply = ann.refused({"type": "publish", "room": room, "message": 1}, "storage_unavailable")
            assert "read-only" in reply["error"]
        bob.subscribe("room")
        bob.publish("room", "live")
        bob.expect("publish", message="live")
        assert [frame["message"] for frame in history(ann, "room")] == list(range(50))
    answer = Rest(broker).get("/health")
    assert answer.status == 503 and answer.body["checks"]["store"] is False
    for message in ("the disk is read-only: the history can be read, nothing can be stored or changed", "history cannot be stored"):
        record = broker.wait_for_log(lambda record: record["message"].startswith(message), message)
        assert record["level"] in ("error", "critical")
    findings = examine("--data", str(broker.data), *FREE, preexec=read_only(broker.data))
    assert any("Read-only file system" in finding["text"] for finding in findings["disk"])
    assert broker.terminate() == 0
    assert before == {path.name: path.read_bytes() for path in broker.data.iterdir() if stat.S_ISREG(path.stat().st_mode)}

    broker = start(*FLAGS)
    with Client(broker, "Ann") as ann:
        assert ann.subscribe("room")["epoch"] == epoch
        assert ann.publish("room", "again")["seq"] == 51
    assert alarms(broker) == []


def test_a_change_of_the_channels_needs_a_disk_that_can_be_written(start, mountable):
    broker = start(*FLAGS)
    broker.terminate()
    broker = start("--channel", "default,history=7", preexec=read_only(broker.data), wait=False)
    assert broker.wait_for_exit() != 0
    assert "cannot write the control file" in "\n".join(broker.log)


def test_a_disk_that_can_be_written_again_is_written(start, mountable):
    broker = start(*FLAGS)
    with Client(broker, "Ann") as ann:
        epoch = ann.subscribe("room")["epoch"]
        ann.publish("room", "before")
    broker.kill()
    broker = start(*FLAGS, preexec=read_only(broker.data))
    with Client(broker, "Ann") as ann:
        assert ann.subscribe("room", since={"epoch": epoch, "seq": 1})["recovered"] is True
        ann.refused({"type": "publish", "room": "room", "message": "lost"}, "storage_unavailable")
        inside(broker, "mount", "-o", "remount,rw,bind", str(broker.data))
        deadline = time.monotonic() + PATIENCE
        while "error" in (reply := ann.request({"type": "publish", "room": "room", "message": "after"})):
            assert reply["code"] == "storage_unavailable" and time.monotonic() < deadline, reply
        assert reply["seq"] == 2
        assert ann.expect("publish")["message"] == "after"
        assert [frame["message"] for frame in history(ann, "room")] == ["before", "after"]
    answer = Rest(broker).get("/health")
    assert answer.status == 200 and answer.body["checks"]["store"] is True
    assert broker.terminate() == 0
