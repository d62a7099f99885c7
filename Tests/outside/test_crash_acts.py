"""The broker dies at a writing system call amid the acts of administrators: each of them is done, or not at all.

ROOMLINE_CRASH_ROUNDS is the number of rounds of each test. ROOMLINE_SEED repeats the choices of a run that has printed it.
"""

import contextlib
import http.client
import json
import os
import shutil
import signal
import sqlite3
import time

import pytest

from admin import Admin
from broker import run_to_end
from cli import Shell
from crash_model import Channel, Room, State, observe
from disk import check_files
from seeds import choices
from test_service_manager import make_old_history

ROUNDS = int(os.environ.get("ROOMLINE_CRASH_ROUNDS", "2"))
DEATHS = (OSError, http.client.HTTPException)
"""What a client is told when the broker dies."""


class Acts:
    """Administrators of one broker after the other over the same files, and what these have to hold."""

    def __init__(self, start, disk, tmp_path, kind):
        self.choice = choices(kind)
        self.start, self.disk, self.directory = start, disk, tmp_path
        self.state = State(default=Channel(10), spare=Channel(10))
        self.pending = None
        self.texts = 0
        self.acknowledged = 0
        self.broker = self.admin = None

    def begin(self, **options):
        self.broker = self.start(admin=self.directory / "a.sock", **options)
        self.admin = Admin(self.broker)

    def end(self, code):
        self.admin.close()
        assert self.broker.wait_for_exit() == code, self.broker.tail()

    def kill(self):
        self.broker.process.send_signal(signal.SIGKILL)
        self.end(-9)

    def set_up(self):
        self.begin()
        self.admin.done("PATCH", "/channels/default", {"history": {"count": 10}})
        self.admin.done("POST", "/channels", {"id": "spare", "history": {"count": 10}})
        for _ in range(5):
            self.publish()

    def do(self, change, ask):
        """An act that is in effect once it is acknowledged, and before that wholly or not at all."""
        self.pending = self.state.after(change)
        ask()
        self.state, self.pending = self.pending, None
        self.acknowledged += 1

    def until_it_dies(self, act):
        """Acts and publishes until the broker is gone."""
        with contextlib.suppress(*DEATHS):
            while True:
                self.publish()
                act(self)

    def check(self):
        """Starts the broker again: all that was acknowledged is there, and of the last act all or nothing."""
        self.begin()
        seen = observe(self.admin)
        said = [state.difference(seen) for state in (self.state, self.pending) if state is not None]
        assert None in said, said
        self.state = [self.state, self.pending][said.index(None)]
        self.pending = None
        self.state.take_over(seen)

    # Acts

    def publish(self):
        self.texts += 1
        text = f"text {self.texts}"
        id = self.choice.choice(list(self.state))

        def change(state):
            state[id].rooms.setdefault("room", Room()).append(text, state[id].count)

        def ask():
            receipt = self.admin.done("POST", f"/channels/{id}/rooms/room/messages", text)
            assert receipt["seq"] == self.pending[id].rooms["room"].seq

        self.do(change, ask)

    def redact(self):
        room = self.state["default"].rooms.get("room", Room())
        targets = [seq for seq in list(room.entries)[len(room.entries) - room.sure :] if isinstance(room.entries[seq], str)]
        if not targets:
            return
        target = self.choice.choice(targets)

        def change(state):
            room = state["default"].rooms["room"]
            room.entries[target] = None
            room.append(target, state["default"].count)

        self.do(change, lambda: self.admin.done("DELETE", f"/channels/default/rooms/room/messages/{target}"))

    def clear(self):
        self.do(
            lambda state: state["default"].rooms.setdefault("room", Room()).clear(),
            lambda: self.admin.done("POST", "/channels/default/rooms/room/clear"),
        )

    def prune(self):
        keep = self.choice.randrange(8)
        self.do(
            lambda state: state["default"].rooms.setdefault("room", Room()).prune(keep),
            lambda: self.admin.done("POST", "/channels/default/prune", {"room": "room", "keep": keep}),
        )

    def change_channels(self):
        count = self.choice.randrange(1, 20)
        if "spare" not in self.state:
            settings = {"id": "spare", "history": {"count": count}}
            self.do(lambda state: state.update(spare=Channel(count)), lambda: self.admin.done("POST", "/channels", settings))
        elif self.choice.random() < 0.5:
            settings = {"history": {"count": count}}
            self.do(lambda state: state["spare"].change(count), lambda: self.admin.done("PATCH", "/channels/spare", settings))
        else:
            self.do(lambda state: state.pop("spare"), lambda: self.admin.done("DELETE", "/channels/spare"))

    def bring_in(self):
        """An import, into a room that was cleared."""
        lines = [f"imported {number}" for number in range(self.choice.randrange(1, 9))]
        file = self.directory / "lines.jsonl"
        file.write_text("".join(json.dumps({"message": line}) + "\n" for line in lines))

        def change(state):
            room = state["default"].rooms.setdefault("other", Room())
            room.clear()
            for line in lines:
                room.append(line, state["default"].count)

        def clear(state):
            state["default"].rooms.setdefault("other", Room()).clear()

        self.do(clear, lambda: self.admin.done("POST", "/channels/default/rooms/other/clear"))
        self.do(change, lambda: self.command("history", "import", "other", str(file)))

    def back_up(self):
        copy = self.directory / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        try:
            self.do(lambda state: None, lambda: self.command("backup", str(copy)))
        finally:
            assert copy.exists() == (self.pending is None), "a backup has its name when it is complete"

    def command(self, *words):
        result = Shell(self.broker).run(*words)
        if result.returncode != 0:
            assert self.broker.wait_for_exit() == -9, (result.stderr, self.broker.tail())
            raise ConnectionError(result.stderr)

    def anything(self):
        self.choice.choice(list(ACTS.values()))(self)


ACTS = {
    "trim": Acts.publish,
    "redact": Acts.redact,
    "clear": Acts.clear,
    "prune": Acts.prune,
    "channels": Acts.change_channels,
    "import": Acts.bring_in,
    "backup": Acts.back_up,
}


@pytest.mark.parametrize("kind", [*ACTS, "anything"])
def test_an_act_is_done_or_not_at_all(start, disk, tmp_path, kind):
    acts = Acts(start, disk, tmp_path, kind)
    acts.set_up()
    for number in range(ROUNDS):
        acts.kill()
        acts.begin(env=disk.environment)
        disk.kill_after(acts.choice.randrange(acts.choice.choice([20, 200, 1000])))
        acts.until_it_dies(ACTS.get(kind, Acts.anything))
        acts.end(-9)
        check_files(tmp_path / "data", tmp_path / "files")
        print(f"round {number}: {acts.acknowledged} acts")
        acts.check()
    acts.kill()


def test_a_drain_keeps_what_was_acknowledged(start, disk, tmp_path):
    acts = Acts(start, disk, tmp_path, "drain")
    acts.set_up()
    for number in range(ROUNDS):
        acts.kill()
        disk.kill_after(1 << 32)
        acts.begin(env=disk.environment)
        for _ in range(acts.choice.randrange(5)):
            acts.anything()
        disk.kill_after(acts.choice.randrange(25))
        acts.broker.process.send_signal(signal.SIGTERM)
        acts.admin.close()
        code = acts.broker.wait_for_exit()
        assert code in (0, -9), acts.broker.tail()
        print(f"round {number}: exit code {code}")
        check_files(tmp_path / "data", tmp_path / "files")
        acts.check()
    acts.kill()


def test_a_restore_is_done_or_not_at_all(start, disk, tmp_path):
    """Where it is half done, no broker starts until it is repeated."""
    acts = Acts(start, disk, tmp_path, "restore")
    acts.set_up()
    acts.command("backup", str(tmp_path / "backup"))
    saved = acts.state
    command = ["restore", str(tmp_path / "backup"), "--data", str(tmp_path / "data"), "--replace", "--yes"]
    for number in range(ROUNDS):
        for _ in range(3):
            acts.publish()
        acts.kill()
        disk.kill_after(acts.choice.randrange(40))
        result = run_to_end(*command, env=disk.environment)
        assert result.returncode in (0, -9), result.stderr
        # a log that was restored has another epoch
        acts.pending = saved.after(lambda state: [forget_epoch(room) for channel in state.values() for room in channel.rooms.values()])
        if result.returncode == 0:
            acts.state, acts.pending = acts.pending, None
        elif (tmp_path / "data" / "restore.unfinished").exists():
            refused = start(wait=False)
            assert refused.wait_for_exit() not in (0, -9), refused.tail()
            result = run_to_end(*command)
            assert result.returncode == 0, result.stderr
            acts.state, acts.pending = acts.pending, None
        print(f"round {number}: exit code {result.returncode}")
        check_files(tmp_path / "data", tmp_path / "files")
        acts.check()
        for replaced in (tmp_path / "data").glob("replaced-*"):
            shutil.rmtree(replaced)
    acts.kill()


def forget_epoch(room):
    room.past, room.epoch = room.past | {room.epoch} - {None}, None


def test_an_old_history_is_taken_over_after_each_death(start, disk, tmp_path):
    """A migration goes on where it was, and no message is lost or there twice."""
    messages = 2000
    flags = ("--channel", "default,history=1000000")
    make_old_history(tmp_path / "made", messages)
    # the channel has to have been there before, or what is stored in its name is removed
    assert start(*flags, data=tmp_path / "old").terminate() == 0
    for leftover in (tmp_path / "old").glob("history.sqlite*"):
        leftover.unlink()
    shutil.copy(tmp_path / "made" / "history.sqlite", tmp_path / "old")
    with contextlib.closing(sqlite3.connect(tmp_path / "old" / "history.sqlite")) as file, file:
        # too new to be trimmed
        file.execute("UPDATE message SET stamp_high = ? + stamp_high", (now := int(time.time() * 1000) << 16,))
        file.execute("UPDATE room SET last_high = ?", (now + messages,))
    choice = choices("migration")
    for number in range(ROUNDS):
        shutil.rmtree(tmp_path / "data", ignore_errors=True)
        shutil.copytree(tmp_path / "old", tmp_path / "data")
        died = True
        while died:
            disk.kill_after(choice.randrange(choice.choice([50, 200, 600])))
            broker = start(*flags, wait=False, env=disk.environment)
            try:
                broker.listening()
            except AssertionError:
                assert not broker.is_running(), broker.tail()
            died = not broker.is_running()
            if died:
                assert broker.wait_for_exit() == -9, broker.tail()
            check_files(tmp_path / "data", tmp_path / "files")
        broker.kill()
        with contextlib.closing(sqlite3.connect(tmp_path / "data" / "history.sqlite")) as file:
            ((total, last),) = file.execute("SELECT sum(count), max(last_seq) FROM batch, room").fetchall()
            assert (total, last) == (messages, messages), f"round {number}"
            assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
