"""What survives: kill -9, a restart, a disk that takes nothing, a corrupt file."""

import os
import resource
import signal
import stat
import threading
import uuid

import pytest

from broker import alarms
from client import Client, Closed
from disk import check_files
from neighbours import Neighbours

ROUNDS = int(os.environ.get("ROOMLINE_KILL_ROUNDS", "20"))


def history(client, room):
    """The whole history of a room, page by page."""
    messages, after = [], 0
    while True:
        reply = client.ask({"type": "history", "room": room, "after_seq": after})
        messages += reply["messages"]
        if not reply["more"]:
            return messages
        after = messages[-1]["seq"]


class Publisher(threading.Thread):
    """Publishes with a window of unacknowledged messages until the connection is lost; knows what was acknowledged."""

    WINDOW = 32

    def __init__(self, broker, room, enough, unsettled):
        super().__init__()
        self.client = Client(broker, "Publisher")
        self.room = room
        self.enough = enough
        self.acknowledged = {}
        self.unsettled = dict(unsettled)
        self.count = 0
        self.failure = None

    def run(self):
        waiting = []
        try:
            for key, body in list(self.unsettled.items()):
                waiting.append((key, self.publish(key, body)))
            while True:
                if len(waiting) < self.WINDOW:
                    key, body = str(uuid.uuid4()), f"{self.name} {self.count}"
                    self.count += 1
                    self.unsettled[key] = body
                    waiting.append((key, self.publish(key, body)))
                    continue
                key, callback = waiting.pop(0)
                reply = self.client.reply(callback)
                assert "error" not in reply, reply
                self.acknowledged[key] = (reply["seq"], reply["id"], self.unsettled.pop(key))
                if len(self.acknowledged) == 100:
                    self.enough.release()
        except (Closed, ConnectionError):
            pass
        except BaseException as failure:
            self.failure = failure
        finally:
            self.enough.release()
            self.client.close()

    def publish(self, key, body):
        return self.client.post({"type": "publish", "room": self.room, "message": body, "message_id": key})


def test_kill_9_in_the_middle_of_acknowledged_publishing(start, tmp_path):
    """Promise 2: what was acknowledged is in the history, once and in order; what was not is sent again and is there once."""
    room = "observable-ledger"
    acknowledged, unsettled, epochs = {}, [{}, {}], set()
    flags = ("--channel", "default,history=1000000")
    for number in range(ROUNDS):
        broker = start(*flags)
        with Client(broker, "Auditor") as auditor:
            epochs.add(auditor.subscribe(room)["epoch"])
        enough = threading.Semaphore(0)
        publishers = [Publisher(broker, room, enough, left) for left in unsettled]
        for publisher in publishers:
            publisher.start()
        for _ in publishers:
            enough.acquire()
        broker.kill()
        check_files(broker.data, tmp_path / "files")
        for publisher in publishers:
            publisher.join()
            assert publisher.failure is None, publisher.failure
            assert len(publisher.acknowledged) >= 100, f"round {number}: {broker.tail()}"
            acknowledged.update(publisher.acknowledged)
        unsettled = [publisher.unsettled for publisher in publishers]

    broker = start(*flags)
    with Client(broker, "Auditor") as auditor:
        for left in unsettled:
            for key, body in left.items():
                reply = auditor.publish(room, body, message_id=key)
                acknowledged[key] = (reply["seq"], reply["id"], body)
        stored = history(auditor, room)
        assert [frame["seq"] for frame in stored] == list(range(1, len(stored) + 1))
        assert [frame["id"] for frame in stored] == sorted({frame["id"] for frame in stored})
        places = {frame["seq"]: (frame["id"], frame["message"]) for frame in stored}
        for seq, id, body in acknowledged.values():
            assert places[seq] == (id, body)
        assert len(stored) == len(acknowledged), "a message is there twice, or one that nobody sent"
        assert len(epochs) == 1, "the machine did not go down, so the log is the same one"
    assert alarms(broker) == []


def test_a_restart_keeps_history_position_and_message_ids(start):
    broker = start()
    with Client(broker, "Ann") as ann:
        epoch = ann.subscribe("room")["epoch"]
        first = ann.publish("room", {"n": 1.0}, message_id=str(uuid.UUID(int=1)))
        live = ann.expect("publish")
    broker.kill()
    with Client(start(), "Ann") as ann:
        assert ann.subscribe("room", since={"epoch": epoch, "seq": 0})["recovered"] is True
        assert ann.expect("publish") == live
        again = ann.publish("room", {"n": 1.0}, message_id=str(uuid.UUID(int=1)))
        assert again["duplicate"] is True and (again["id"], again["seq"], again["sender"]) == (first["id"], 1, first["sender"])
        ann.refused({"type": "publish", "room": "room", "message": 2, "message_id": str(uuid.UUID(int=1))}, "message_id_conflict")
        second = ann.publish("room", "two")
        assert second["seq"] == 2 and second["id"] > first["id"]


def told(broker, part):
    """What the records of a start say whose message has this in it. One of its channels keeps nothing, which is said last."""
    broker.wait_for_log(lambda record: "channels keep no history" in record["message"], "which channels keep nothing")
    return [record["metadata"] for record in broker.records() if part in record["message"]]


def test_a_channel_that_somebody_names_keeps_what_was_acknowledged(start):
    """As the channel that nobody has named."""
    flags = ("--channel", "talk", "--channel", "brief,history=off")
    broker = start(*flags)
    assert {"channel": "talk", "history": "1000 messages, 30d"} in told(broker, "made a channel")
    assert {"channel": "brief", "history": "off"} in told(broker, "made a channel")
    with Client(broker, "Ann", channel="talk") as ann:
        ann.publish("room", "kept")
    broker.kill()
    broker = start(*flags)
    with Client(broker, "Ann", channel="talk") as ann:
        assert [frame["message"] for frame in history(ann, "room")] == ["kept"]
    assert told(broker, "channels keep no history") == [{"channels": "brief"}]
    assert told(broker, "made a channel") == []


def test_a_channel_that_exists_keeps_what_it_has(start):
    assert start("--channel", "brief,history=off").terminate() == 0
    broker = start("--channel", "brief")
    with Client(broker, "Ann", channel="brief") as ann:
        ann.refused({"type": "history", "room": "room"}, "history_off")
    assert told(broker, "channels keep no history") == [{"channels": "brief"}]


def test_without_history_a_restart_is_another_epoch(start):
    flags = ("--channel", "default,history=off")
    broker = start(*flags)
    with Client(broker, "Ann") as ann:
        position = ann.subscribe("room")
        ann.publish("room", 1)
    broker.kill()
    with Client(start(*flags), "Ann") as ann:
        reply = ann.subscribe("room", since={"epoch": position["epoch"], "seq": 1})
        assert reply["recovered"] is False and reply["epoch"] != position["epoch"]
        ann.expect("gap", reason="epoch")


def test_an_orderly_stop_keeps_everything_too(start):
    broker = start()
    with Client(broker, "Ann") as ann:
        epoch = ann.subscribe("room")["epoch"]
        for number in range(10):
            ann.publish("room", number)
    assert broker.terminate() == 0
    with Client(start(), "Ann") as ann:
        assert ann.subscribe("room", history_count=100)["epoch"] == epoch
        assert [ann.expect("history_message")["message"] for _ in range(10)] == list(range(10))


def test_durability_power_works_the_same(start):
    flags = ("--channel", "default,history=100,durability=power")
    broker = start(*flags)
    with Client(broker, "Ann") as ann:
        ann.publish("room", "kept")
    broker.kill()
    with Client(start(*flags), "Ann") as ann:
        assert [frame["message"] for frame in history(ann, "room")] == ["kept"]


def test_in_memory_keeps_nothing(start):
    broker = start(data=":memory:")
    with Client(broker, "Ann") as ann:
        ann.publish("room", "gone")
        assert len(history(ann, "room")) == 1
    broker.kill()
    with Client(start(data=":memory:"), "Ann") as ann:
        assert history(ann, "room") == []


def test_the_data_is_private(start):
    broker = start()
    with Client(broker, "Ann") as ann:
        ann.publish("room", "private")
    assert stat.S_IMODE(broker.data.stat().st_mode) == 0o700
    files = list(broker.data.iterdir())
    assert files and all(stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 for path in files)


def test_a_second_broker_on_the_same_data_is_refused(start):
    first = start()
    with Neighbours(first):
        second = start(wait=False)
        assert second.wait_for_exit() != 0
        assert str(first.data) in "\n".join(second.log)
    first.kill()
    start()


CAN_LIMIT = hasattr(resource, "prlimit") and hasattr(signal, "SIGXFSZ")


@pytest.mark.skipif(not CAN_LIMIT, reason="writes are made to fail with prlimit, which only Linux has")
def test_a_disk_that_takes_nothing_stops_storing_and_nothing_else(start):
    """A file size limit that is lowered under the running broker, and raised again: each write fails (EFBIG), which SQLite takes for an
    I/O error. `test_full_disk.py` has a disk without room."""
    broker = start(
        "--channel", "default,history=1000", "--channel", "fleeting,history=off",
        # The signal would end the process; ignored, a write fails with an error.
        preexec=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
    )  # fmt: skip
    _, hard = resource.prlimit(broker.process.pid, resource.RLIMIT_FSIZE)
    with Client(broker, "Ann") as ann, Client(broker, "Bob") as bob:
        bob.subscribe("room")
        ann.publish("room", "before")
        bob.expect("publish", message="before")
        with Neighbours(broker, channel="fleeting"):
            resource.prlimit(broker.process.pid, resource.RLIMIT_FSIZE, (1, hard))
            key = str(uuid.uuid4())
            refused = ann.refused({"type": "publish", "room": "room", "message": "during", "message_id": key}, "storage_unavailable")
            assert "message_id" not in refused or refused["message_id"] == key
            ann.send({"type": "publish", "room": "room", "message": "unanswered", "message_id": str(uuid.uuid4())})
            ann.expect_error("storage_unavailable", room="room")
            ann.publish("room", "typing", ephemeral=True)
            bob.expect("publish", message="typing")
            resource.prlimit(broker.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
            while "error" in (reply := ann.request({"type": "publish", "room": "room", "message": "during", "message_id": key})):
                assert reply["code"] == "storage_unavailable"
            assert "duplicate" not in reply or reply["seq"] >= 2
        ann.publish("room", "after")
        stored = [frame["message"] for frame in history(ann, "room")]
        assert stored[0] == "before" and stored[-1] == "after" and stored.count("during") == 1
        seen = []
        while not seen or seen[-1] != "after":
            seen.append(bob.expect("publish")["message"])
        assert ["before", *seen] == stored
    assert broker.terminate() == 0


@pytest.mark.skipif(not CAN_LIMIT, reason="writes are made to fail with prlimit, which only Linux has")
def test_a_broker_starts_on_a_disk_that_takes_nothing_and_stores_when_it_does(start):
    channels = "--channel", "default,history=1000", "--channel", "fleeting,history=off"
    start(*channels).terminate()

    def fill():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

    broker = start(*channels, preexec=fill)
    with Client(broker, "Ann", channel="fleeting") as ann, Client(broker, "Bob") as bob:
        ann.subscribe("room")
        ann.publish("room", "hello")
        ann.expect("publish", message="hello")
        bob.refused({"type": "publish", "room": "room", "message": 1}, "storage_unavailable")
        resource.prlimit(broker.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        while "error" in (reply := bob.request({"type": "publish", "room": "room", "message": 2})):
            assert reply["code"] == "storage_unavailable"
        assert [frame["message"] for frame in history(bob, "room")][-1] == 2


def test_nothing_is_acknowledged_for_a_directory_that_was_moved_away(start):
    broker = start()
    away = broker.data.with_name("away")
    with Client(broker, "Ann") as ann:
        ann.publish("room", "before")
        broker.data.rename(away)
        # it looks once a second
        while "error" not in (reply := ann.request({"type": "publish", "room": "room", "message": "lost"})):
            pass
        assert reply["code"] == "storage_unavailable"
        away.rename(broker.data)
        ann.publish("room", "after")
        assert [frame["message"] for frame in history(ann, "room")][-1] == "after"


def test_channels_that_are_lost_are_not_begun_anew_without_a_word(start):
    broker = start("--channel", "members,auth=required")
    broker.terminate()
    for file in broker.data.glob("control.sqlite*"):
        file.unlink()
    refused = start(wait=False)
    assert refused.wait_for_exit() != 0
    assert "--accept-lost-channels" in "\n".join(refused.log)
    accepted = start("--accept-lost-channels")
    assert any("--accept-lost-channels" in line for line in accepted.log)
    accepted.terminate()
    start()


def test_a_corrupt_history_is_moved_aside(start):
    broker = start()
    with Client(broker, "Ann") as ann:
        epoch = ann.subscribe("room")["epoch"]
        ann.publish("room", "lost")
    broker.terminate()
    files = {path.name for path in broker.data.iterdir()}
    path = broker.data / "history.sqlite"
    size = path.stat().st_size
    path.write_bytes(b"this is not a database " + os.urandom(size))
    broker = start()
    with Client(broker, "Ann") as ann:
        reply = ann.subscribe("room", since={"epoch": epoch, "seq": 1})
        assert reply["recovered"] is False and reply["epoch"] != epoch
        ann.expect("gap", reason="epoch")
        ann.publish("room", "new")
        assert [frame["message"] for frame in history(ann, "room")] == ["new"]
    assert alarms(broker), "the log says it loudly"
    aside = [path for path in broker.data.iterdir() if path.name not in files and path.read_bytes().startswith(b"this is not a database")]
    assert aside, sorted(path.name for path in broker.data.iterdir())


def test_a_corrupt_control_file_with_a_corrupt_backup_stops_the_start(start):
    broker = start("--channel", "secret,history=off")
    broker.terminate()
    for path in broker.data.iterdir():
        if path.name.startswith("control") and path.stat().st_size:
            path.write_bytes(os.urandom(path.stat().st_size))
    broker = start(wait=False)
    assert broker.wait_for_exit() != 0
    assert "control" in "\n".join(broker.log)
