"""What the broker tells the service manager that has started it, by sd_notify(3)."""

import contextlib
import pathlib
import re
import signal
import socket
import sqlite3
import time
import uuid

import pytest

from broker import PATIENCE, ROOT
from client import Client


class Manager:
    """The socket of a service manager."""

    def __init__(self, address):
        self.address = address
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.settimeout(PATIENCE)
        self.socket.bind(address.replace("@", "\0", 1) if address.startswith("@") else address)

    def environment(self, **more):
        return {"NOTIFY_SOCKET": self.address, **more}

    def next(self):
        return self.socket.recv(4096).decode()

    def next_but(self, word):
        while (news := self.next()) == word:
            pass
        return news

    def close(self):
        self.socket.close()


@pytest.fixture(params=["path", "abstract"])
def manager(request, tmp_path):
    abstract = request.param == "abstract"
    manager = Manager(f"@roomline-{uuid.uuid4()}" if abstract else str(tmp_path / "notify"))
    yield manager
    manager.close()


def test_it_tells_when_it_listens_reloads_and_stops(start, manager):
    broker = start(env=manager.environment())
    assert manager.next() == "READY=1"
    with Client(broker, "Ann") as ann:
        ann.ask({"type": "ping"})
        before = time.clock_gettime(time.CLOCK_MONOTONIC)
        broker.process.send_signal(signal.SIGHUP)
        told = re.fullmatch(r"RELOADING=1\nMONOTONIC_USEC=(\d+)", manager.next())
        assert told and before <= int(told[1]) / 1e6 <= time.clock_gettime(time.CLOCK_MONOTONIC)
        assert manager.next() == "READY=1"
        ann.ask({"type": "ping"})
        broker.process.send_signal(signal.SIGTERM)
        assert manager.next() == "STOPPING=1"
        ann.goodbye("shutting_down")
    assert broker.wait_for_exit() == 0


def test_it_says_that_it_is_alive_as_long_as_it_is(start, manager):
    broker = start("--loops", "3", env=manager.environment(WATCHDOG_USEC="100000"))
    assert manager.next() == "READY=1"
    assert [manager.next() for _ in range(3)] == ["WATCHDOG=1"] * 3
    broker.process.send_signal(signal.SIGSTOP)
    # What was sent before it stood still.
    manager.socket.settimeout(0.5)
    with pytest.raises(TimeoutError):
        while True:
            manager.next()
    manager.socket.settimeout(PATIENCE)
    broker.process.send_signal(signal.SIGCONT)
    assert manager.next() == "WATCHDOG=1"
    broker.process.send_signal(signal.SIGTERM)
    assert manager.next_but("WATCHDOG=1") == "STOPPING=1"


def make_old_history(data, messages):
    """The history of a release in which each message had a row of its own."""
    data.mkdir(mode=0o700)
    with contextlib.closing(sqlite3.connect(data / "history.sqlite")) as file, file:
        file.execute("CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        for number in range(1, 5):
            file.executescript((ROOT / "Schemas" / "store" / f"{number:04}-history.sql").read_text())
            file.execute("INSERT INTO grdb_migrations VALUES (?)", (f"{number:04}-history",))
        file.execute("INSERT INTO meta VALUES (1, 'f', 'boot', 1, 7)")
        file.execute(
            """INSERT INTO room (id, channel, name, epoch, last_seq, last_high, last_low, is_synced, keep_count, keep_milliseconds,
                last_redaction) VALUES (1, 'default', 'lobby', 1, ?, 1, 1, 0, 1000000, 3600000, 0)""",
            (messages,),
        )
        rows = [(1 << 40 | seq, seq, b'"id":"x"}') for seq in range(1, messages + 1)]
        file.executemany("INSERT INTO message (id, stamp_high, stamp_low, tail) VALUES (?, ?, 1, ?)", rows)


def test_it_asks_for_time_while_it_takes_over_an_old_history(start, manager, tmp_path):
    make_old_history(tmp_path / "old", 5000)
    broker = start("--accept-lost-channels", data=tmp_path / "old", env=manager.environment())
    assert manager.next() == "EXTEND_TIMEOUT_USEC=300000000\nSTATUS=counting the messages of an earlier version"
    assert manager.next() == "EXTEND_TIMEOUT_USEC=300000000\nSTATUS="
    assert manager.next() == "READY=1"
    broker.wait_for_log(
        lambda record: record["metadata"].get("messages.total") == record["metadata"].get("messages.moved") == "5000",
        "that all messages are taken over",
    )


def test_nobody_wants_to_hear_that_another_process_is_alive(start, manager):
    broker = start(env=manager.environment(WATCHDOG_USEC="1000", WATCHDOG_PID="1"))
    assert manager.next() == "READY=1"
    broker.process.send_signal(signal.SIGTERM)
    assert manager.next() == "STOPPING=1"


def test_a_service_manager_that_is_not_there_does_not_stop_the_broker(start, tmp_path):
    broker = start(env={"NOTIFY_SOCKET": str(tmp_path / "nobody")})
    record = broker.wait_for_log(lambda record: record["metadata"].get("code") == "service_manager_unreachable", "that nobody can be told")
    assert record["level"] == "warning"
    with Client(broker, "Ann") as ann:
        ann.ask({"type": "ping"})


def test_the_unit_runs_the_broker_as_it_can_be_run(start):
    """Its exit codes and times are those of the broker."""
    unit = (pathlib.Path(__file__).resolve().parents[2] / "packaging" / "roomline.service").read_text()
    lines = [line.split("=", 1) for line in unit.splitlines() if "=" in line and not line.startswith("#")]
    values = dict(lines)
    assert values["Type"] == "notify" and values["WatchdogSec"]
    checked, told = [value for name, value in lines if name == "ExecReload"]
    assert f"{values['ExecStart']} --print-config >/dev/null" in checked and "kill -HUP ${MAINPID}" in told
    refused = start("--config", "/nowhere/roomline.json", wait=False)
    assert str(refused.wait_for_exit()) in values["RestartPreventExitStatus"].split()
