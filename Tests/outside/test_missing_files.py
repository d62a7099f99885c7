"""Files that somebody deletes, replaces or locks while the broker has them open: it says so, and acknowledges nothing for them."""

import contextlib
import ctypes
import os
import shutil
import sqlite3
import time

import pytest

from admin import Admin
from broker import PATIENCE, alarms
from client import Client
from rest import Rest
from test_durability import history

BAN = {"kind": "ban", "user": "nobody"}
UNAVAILABLE = 503, "storage_unavailable"


@pytest.fixture
def run(start, tmp_path):
    """A broker, and its administrator."""
    broker = start("--channel", "default,history=1000", admin=tmp_path / "a.sock")
    with contextlib.closing(Admin(broker)) as admin:
        yield broker, admin


def exchange(path, other):
    """Gives each the name of the other at once: whoever looks meanwhile finds one of them."""
    library, here, swap = ctypes.CDLL(None, use_errno=True), -100, 2
    if not hasattr(library, "renameat2"):
        pytest.skip("only Linux exchanges two names at once")
    if library.renameat2(here, os.fsencode(path), here, os.fsencode(other), swap) != 0:
        raise OSError(ctypes.get_errno(), "renameat2")


def check_nothing_changes(broker, admin):
    answer = Rest(broker).get("/health")
    assert answer.status == 503 and answer.body["checks"]["store"] is False
    assert "storage_unavailable" in admin.done("GET", "/statistics")["warnings"]
    admin.refused(*UNAVAILABLE, "POST", "/channels/default/sanctions", BAN)
    admin.refused(*UNAVAILABLE, "PATCH", "/channels/default", {"durability": "power"})
    admin.refused(*UNAVAILABLE, "POST", "/channels", {"id": "other"})


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_data_directory_that_is_deleted_or_replaced(run, start, tmp_path, how):
    broker, admin = run
    with Client(broker, "Ann") as ann:
        ann.publish("room", "before")
        if how == "replaced":
            shutil.copytree(broker.data, tmp_path / "copy")
            exchange(tmp_path / "copy", broker.data)
        else:
            shutil.rmtree(broker.data)
        deadline = time.monotonic() + PATIENCE
        # it looks once a second
        while "error" not in (reply := ann.request({"type": "publish", "room": "room", "message": "lost"})):
            assert time.monotonic() < deadline
        assert reply["code"] == "storage_unavailable"
        for _ in range(5):
            ann.refused({"type": "publish", "room": "room", "message": "lost"}, "storage_unavailable")
    word = "was replaced by another file" if how == "replaced" else "was deleted or moved"
    for message in ("history cannot be stored", "the control file cannot be changed"):
        record = broker.wait_for_log(lambda record, text=message: record["message"].startswith(text), message)
        assert record["level"] == "error" and word in record["metadata"]["error"], record
    check_nothing_changes(broker, admin)
    broker.kill()
    with Client(start(), "Ann") as ann:
        assert [frame["message"] for frame in history(ann, "room")] == (["before"] if how == "replaced" else [])


def test_a_data_directory_that_is_missing_is_missed_while_nobody_publishes(run):
    broker, admin = run
    with Client(broker, "Ann") as ann:
        ann.publish("room", "before")
        away = broker.data.rename(broker.data.with_name("away"))
        broker.wait_for_log(lambda record: record["message"].startswith("history cannot be stored"), "that the history is missing")
        answer = Rest(broker).get("/health")
        assert answer.status == 503 and answer.body["checks"]["store"] is False
        away.rename(broker.data)
        for back in ("history is stored again", "the control file can be changed again"):
            broker.wait_for_log(lambda record, text=back: record["message"] == text, back)
        assert Rest(broker).get("/health").status == 200
        ann.publish("room", "behind")
        assert [frame["message"] for frame in history(ann, "room")] == ["before", "behind"]


@pytest.mark.parametrize("end", ["put back", "restarted"])
def test_a_control_file_that_is_missing_is_missed_before_somebody_acts(run, start, end):
    broker, admin = run
    admin.done("POST", "/channels/default/sanctions", BAN)
    path = broker.data / "control.sqlite"
    away = path.rename(broker.data.with_name("away"))
    record = broker.wait_for_log(lambda record: record["message"] == "the control file cannot be changed", "that the file is missing")
    assert record["level"] == "error" and "was deleted or moved" in record["metadata"]["error"], record
    with Client(broker, "Ann") as ann:
        for number in range(3):
            ann.publish("room", number)
        check_nothing_changes(broker, admin)
        ann.publish("room", 3)
    if end == "restarted":
        assert broker.terminate() == 0
        broker = start("--channel", "default,history=1000", admin=broker.data.with_name("b.sock"))
        assert any("its last backup was put in its place" in record["message"] for record in alarms(broker))
        with contextlib.closing(Admin(broker)) as again:
            assert [found["user"] for found in again.done("GET", "/channels/default/sanctions")["sanctions"]] == ["nobody"]
        return
    away.rename(path)
    broker.wait_for_log(lambda record: record["message"] == "the control file can be changed again", "that the file is back")
    answer = Rest(broker).get("/health")
    assert answer.status == 200 and answer.body["checks"]["store"] is True
    admin.done("PATCH", "/channels/default", {"durability": "power"})
    assert [record["message"] for record in alarms(broker)].count("the control file cannot be changed") == 1


def test_a_control_file_that_another_process_has_locked(run):
    """Who changes something does not wait for the lock, and nobody else does."""
    broker, admin = run
    with contextlib.closing(sqlite3.connect(broker.data / "control.sqlite", isolation_level=None)) as other, Client(broker, "Ann") as ann:
        other.execute("BEGIN EXCLUSIVE")
        admin.refused(*UNAVAILABLE, "POST", "/channels/default/sanctions", BAN)
        admin.refused(*UNAVAILABLE, "PATCH", "/channels/default", {"durability": "power"})
        for number in range(10):
            ann.publish("room", number)
        assert [frame["message"] for frame in history(ann, "room")] == list(range(10))
        assert Rest(broker).get("/health").status == 200
        other.execute("COMMIT")
        admin.done("POST", "/channels/default/sanctions", BAN)
        admin.done("PATCH", "/channels/default", {"durability": "power"})
