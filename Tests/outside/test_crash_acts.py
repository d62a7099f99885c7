"""The broker dies at a writing system call amid the acts of administrators: each of them is done, or not at all.

ROOMLINE_CRASH_ROUNDS is the number of rounds of each test. ROOMLINE_SEED repeats the choices of a run that has printed it.
"""

import contextlib
import os
import shutil
import sqlite3
import time

import pytest

from broker import run_to_end
from crash_acts import ACTS, FLAGS, Acts
from disk import check_files
from seeds import choices
from test_service_manager import make_old_history

ROUNDS = int(os.environ.get("ROOMLINE_CRASH_ROUNDS", "2"))
POWER = pytest.mark.parametrize("power", [False, True], ids=["death", "power cut"])


@POWER
@pytest.mark.parametrize("kind", [*ACTS, "anything"])
def test_an_act_is_done_or_not_at_all(start, disk, tmp_path, kind, power):
    """The broker that starts next dies, too, amid whatever it has to bring to an end."""
    acts = Acts(start, disk, tmp_path, kind, power=power)
    acts.set_up()
    acts.kill()
    for number in range(ROUNDS):
        acts.begin()
        acts.until_it_dies(ACTS.get(kind, Acts.anything))
        died = acts.die_while_starting()
        print(f"round {number}: {acts.acknowledged} acts, {'died' if died else 'did not die'} while starting")
        acts.check()
        acts.kill()
    # In two rounds each death can come before the reader has got anything.
    if ROUNDS >= 8:
        assert acts.reader.seen_ever, "nobody has seen anything"


def test_a_change_whose_backup_cannot_be_made_survives_a_power_cut(start, disk, tmp_path):
    """The backup of the control file syncs the directory, too: without it, the removal of SQLite's journal has to be synced by itself."""
    acts = Acts(start, disk, tmp_path, "no backup", power=True)
    acts.set_up()
    (acts.data / "control.sqlite.backup.new").symlink_to(tmp_path / "missing" / "file")
    acts.do(lambda state: state["spare"].change(17), lambda: acts.admin.done("PATCH", "/channels/spare", {"history": {"count": 17}}))
    acts.broker.wait_for_log(lambda record: "backup of the control file could not be made" in record["message"], "that there is no backup")
    acts.kill()
    acts.check()
    acts.kill()


@POWER
def test_a_restore_is_done_or_not_at_all(start, disk, tmp_path, power):
    """Where it is half done, no broker starts until it is repeated."""
    acts = Acts(start, disk, tmp_path, "restore", power=power)
    acts.set_up()
    acts.command("backup", str(tmp_path / "backup"))
    saved = acts.state
    command = ["restore", str(tmp_path / "backup"), "--data", str(tmp_path / "data"), "--replace", "--yes"]
    for number in range(ROUNDS):
        for _ in range(3):
            acts.publish()
        acts.kill()
        disk.kill_after(acts.choice.randrange(40))
        result = run_to_end(*command, env=acts.environment)
        assert result.returncode in (0, -9), result.stderr
        acts.lose_unsynced()
        # a log that was restored has another epoch
        acts.pending = saved.after(lambda state: [forget_epoch(room) for channel in state.values() for room in channel.rooms.values()])
        if result.returncode == 0:
            acts.state, acts.pending = acts.pending, None
        elif (tmp_path / "data" / "restore.unfinished").exists():
            refused = start(wait=False)
            assert refused.wait_for_exit() not in (0, -9), refused.tail()
            result = run_to_end(*command, env=acts.environment)
            assert result.returncode == 0, result.stderr
            acts.lose_unsynced()
            acts.state, acts.pending = acts.pending, None
        print(f"round {number}: exit code {result.returncode}")
        check_files(tmp_path / "data", tmp_path / "files")
        acts.check()
        for replaced in (tmp_path / "data").glob("replaced-*"):
            shutil.rmtree(replaced)
    acts.kill()


def forget_epoch(room):
    room.past, room.epoch = room.past | {room.epoch} - {None}, None


@POWER
def test_an_old_history_is_taken_over_after_each_death(start, disk, tmp_path, power):
    """A migration goes on where it was, and no message is lost or there twice."""
    messages = 2000
    flags = ("--channel", "default,history=1000000", *FLAGS)
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
    choice = choices("migration power" if power else "migration")
    for number in range(ROUNDS):
        shutil.rmtree(tmp_path / "data", ignore_errors=True)
        shutil.copytree(tmp_path / "old", tmp_path / "data")
        disk.take_as_synced(tmp_path / "data")
        died = True
        while died:
            disk.kill_after(choice.randrange(choice.choice([50, 200, 600])))
            broker = start(*flags, wait=False, env=disk.unreliable if power else disk.environment)
            try:
                broker.listening()
            except AssertionError:
                assert not broker.is_running(), broker.tail()
            died = not broker.is_running()
            if died:
                assert broker.wait_for_exit() == -9, broker.tail()
                if power:
                    disk.cut_power(tmp_path / "data", choice if choice.random() < 0.7 else None)
            check_files(tmp_path / "data", tmp_path / "files")
        broker.kill()
        with contextlib.closing(sqlite3.connect(tmp_path / "data" / "history.sqlite")) as file:
            ((total, last),) = file.execute("SELECT sum(count), max(last_seq) FROM batch, room").fetchall()
            assert (total, last) == (messages, messages), f"round {number}"
            assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
