"""A restore takes what a backup has made, and nothing else: whatever lies there instead is refused at once, and changes nothing."""

import hashlib
import json
import os
import resource
import shutil
import socket
import sqlite3
import stat

import pytest

from broker import Broker, run_to_end
from cli import Shell
from client import Client

FILES = ("history.sqlite", "control.sqlite", "clock", "manifest.json")


@pytest.fixture(scope="module")
def backed_up(tmp_path_factory):
    """A backup, and the data directory of the broker that it was made of."""
    folder = tmp_path_factory.mktemp("forged")
    broker = Broker(folder / "data", "--channel", "default,history=1000", admin=folder / "a.sock").listening()
    try:
        with Client(broker) as client:
            for number in range(20):
                client.publish("room", number)
        Shell(broker).says("backup", str(folder / "copy"))
        assert broker.terminate() == 0
    finally:
        broker.close()
    return folder


@pytest.fixture
def forged(backed_up, tmp_path):
    """A copy of the backup, to be changed, and a check that it is refused."""
    copy, data = tmp_path / "copy", tmp_path / "data"
    shutil.copytree(backed_up / "copy", copy)
    shutil.copytree(backed_up / "data", data)

    def refused(*parts):
        before = contents(data)
        for more in (["--dry-run"], ["--yes"]):
            before_it = work_of_children()
            result = run_to_end("restore", str(copy), "--data", str(data), "--replace", *more)
            assert (result.returncode, result.stdout) == (1, ""), (result.returncode, result.stdout, result.stderr)
            assert all(part in result.stderr for part in parts), result.stderr
            assert work_of_children() - before_it < 3
        assert contents(data) == before

    return copy, refused


def work_of_children():
    """Seconds of a core that commands have taken: on a busy machine no more than on another."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def contents(folder):
    return {path.name: (path.lstat().st_ino, path.lstat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir() if path.is_file()}


def seal(copy):
    """The manifest says what the files are now."""
    path = copy / "manifest.json"
    manifest = json.loads(path.read_bytes())
    for file in manifest["files"]:
        content = (copy / file["name"]).read_bytes()
        file["bytes"], file["sha256"] = len(content), hashlib.sha256(content).hexdigest()
    path.write_text(json.dumps(manifest))


def run_sql(path, *statements):
    with sqlite3.connect(path) as file:
        for statement in statements:
            file.execute(statement)
    file.close()
    seal(path.parent)


@pytest.mark.parametrize("name", FILES)
def test_a_link(forged, tmp_path, name):
    copy, refused = forged
    (copy / name).rename(tmp_path / "elsewhere")
    (copy / name).symlink_to(tmp_path / "elsewhere")
    refused(f"{name} is a symbolic link", "regular files only")


@pytest.mark.parametrize("name", FILES)
def test_a_fifo(forged, name):
    copy, refused = forged
    (copy / name).unlink()
    os.mkfifo(copy / name)
    refused(f"{name} is a FIFO")


@pytest.mark.parametrize("name", FILES)
def test_a_device(forged, name):
    copy, refused = forged
    (copy / name).unlink()
    try:
        os.mknod(copy / name, stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root with CAP_MKNOD can make a device")
    refused(f"{name} is a device")


def test_a_socket(forged):
    copy, refused = forged
    (copy / "clock").unlink()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(copy / "clock"))
        refused("clock is a socket")


def test_a_directory(forged):
    copy, refused = forged
    (copy / "control.sqlite").unlink()
    (copy / "control.sqlite").mkdir()
    refused("control.sqlite is a directory")


@pytest.mark.parametrize(
    ("name", "statement", "part"),
    [
        ("history.sqlite", "CREATE TRIGGER mine AFTER UPDATE ON room BEGIN DELETE FROM batch; END", 'trigger "mine"'),
        ("history.sqlite", "CREATE VIEW mine AS SELECT * FROM batch", 'view "mine"'),
        ("control.sqlite", "CREATE TRIGGER mine AFTER INSERT ON sanction BEGIN DELETE FROM sanction; END", 'trigger "mine"'),
        ("control.sqlite", "CREATE TABLE mine (a)", 'table "mine"'),
        ("control.sqlite", "CREATE INDEX mine ON audit (actor)", 'index "mine"'),
        ("control.sqlite", "ALTER TABLE sanction ADD COLUMN mine TEXT", 'table "sanction" is not as Roomline makes it'),
    ],
)
def test_what_somebody_has_put_into_a_database(forged, name, statement, part):
    copy, refused = forged
    run_sql(copy / name, statement)
    refused(f"/{name}: ", part, "roomline backup")


@pytest.mark.parametrize("name", ["history.sqlite-wal", "history.sqlite-shm", "history.sqlite-journal", "control.sqlite-journal"])
def test_a_companion(forged, name):
    copy, refused = forged
    (copy / name).write_bytes(b"")
    refused(f"{name} belongs to no backup")


def test_a_database_with_a_log(forged):
    copy, refused = forged
    file = sqlite3.connect(copy / "control.sqlite")
    file.execute("PRAGMA journal_mode = WAL")
    file.close()
    seal(copy)
    refused("control.sqlite: it is not a database as a backup has it")
    assert sorted(path.name for path in copy.iterdir()) == sorted(FILES)


@pytest.mark.parametrize("length", [0, 50, 100, 4096, 8192])
def test_a_database_that_was_cut(forged, length):
    copy, refused = forged
    os.truncate(copy / "history.sqlite", length)
    seal(copy)
    refused("/history.sqlite: ")


@pytest.mark.parametrize("name", ["history.sqlite", "control.sqlite"])
def test_a_database_of_something_else(forged, name):
    copy, refused = forged
    (copy / name).unlink()
    run_sql(copy / name, "CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url TEXT)")
    refused(f"/{name}: ", "not a file of Roomline")


def test_the_backup_may_be_named_by_a_link(backed_up, tmp_path):
    (tmp_path / "link").symlink_to(backed_up / "copy")
    result = run_to_end("restore", str(tmp_path / "link"), "--data", str(tmp_path / "data"))
    assert result.returncode == 0, result.stderr
