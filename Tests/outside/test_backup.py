"""roomline backup, restore, history import, doctor: what is kept can be carried away and brought back, and what ails is found."""

import contextlib
import datetime
import fcntl
import json
import os
import re
import resource
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import threading
import time

import pytest

import stranger
from admin import Admin
from broker import BINARY, PATIENCE, ROOT, alarms, run_to_end
from cli import Shell
from client import Client
from command import Command, Terminal, run

FLAGS = ("--channel", "default,history=1000000")


@pytest.fixture
def kept(start, tmp_path):
    """A broker with an admin socket of its own."""
    return start(*FLAGS, "--loops", "2", admin=tmp_path / "a.sock")


class Publisher(threading.Thread):
    """Publishes into one room until it is told to stop; knows what was acknowledged, in order."""

    WINDOW = 16

    def __init__(self, broker, room):
        super().__init__()
        self.client = Client(broker, "Publisher")
        self.room = room
        self.acknowledged = []
        self.stopping = threading.Event()
        self.failure = None

    def run(self):
        waiting, count = [], 0
        try:
            while waiting or not self.stopping.is_set():
                if len(waiting) < self.WINDOW and not self.stopping.is_set():
                    body = f"{self.room} {count}"
                    waiting.append((self.client.post({"type": "publish", "room": self.room, "message": body}), body))
                    count += 1
                    continue
                callback, body = waiting.pop(0)
                reply = self.client.reply(callback)
                assert "error" not in reply, reply
                self.acknowledged.append((reply["seq"], reply["id"], body))
        except BaseException as failure:
            self.failure = failure

    def stop(self):
        self.stopping.set()
        self.join(20)
        self.client.close()
        assert self.failure is None, self.failure


def export(shell, room, *more):
    """The lines of an export, as bytes."""
    result = shell.run("history", "export", room, *more)
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout


def fill(broker, room, count=50):
    with Client(broker, client_data={"name": "Luke ☃", "n": [1.0, None]}) as client:
        for number in range(count):
            message = [number, f"text {number}", {"deep": {" k ": [True, "\u0000 ü"]}}, 1.50][number % 4]
            client.publish(room, message)


def test_a_backup_under_load_restores_to_a_prefix_of_what_was_acknowledged(kept, start, tmp_path):
    """The rooms are whole up to a place; channels, secrets, tokens and the audit log are there; the epochs are others."""
    shell, admin = Shell(kept), Admin(kept)
    admin.done("POST", "/channels", {"id": "shop", "authentication": "required"})
    secret = admin.done("POST", "/channels/shop/secret", {})["secret"]
    token = admin.done("POST", "/tokens", {"name": "ops", "scopes": ["manage"]})["token"]
    publishers = [Publisher(kept, f"room-{number}") for number in range(3)]
    epochs = {}
    for publisher in publishers:
        with Client(kept) as client:
            epochs[publisher.room] = client.subscribe(publisher.room)["epoch"]
        publisher.start()
    while not all(len(publisher.acknowledged) >= 300 for publisher in publishers):
        time.sleep(0.01)
        assert all(publisher.failure is None for publisher in publishers)
    before = {publisher.room: len(publisher.acknowledged) for publisher in publishers}
    shown = shell.json("backup", str(tmp_path / "copy"))
    for publisher in publishers:
        publisher.stop()
    assert kept.data.joinpath("backup.unfinished").is_dir() and not any(kept.data.joinpath("backup.unfinished").iterdir())
    assert shown["messages"] >= sum(before.values()) and shown["channels"] == 2
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "copy").iterdir()} == {0o600}
    (entry,) = [entry for entry in shell.lines("audit") if entry["action"] == "backup.create"]
    assert entry["target"] == shown["id"]
    admin.close()
    kept.terminate()

    result = run_to_end("restore", str(tmp_path / "copy"), "--data", str(tmp_path / "other"), "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["messages"] == shown["messages"]
    restored = start(*FLAGS, data=tmp_path / "other", admin=tmp_path / "b.sock")
    assert alarms(restored) == []
    found = 0
    for publisher in publishers:
        lines = [json.loads(line) for line in export(Shell(restored), publisher.room).splitlines()]
        stored = [(line["seq"], line["id"], line["message"]) for line in lines]
        assert stored == publisher.acknowledged[: len(stored)] and len(stored) >= before[publisher.room]
        found += len(stored)
        with Client(restored) as client:
            since = {"epoch": epochs[publisher.room], "seq": 1}
            reply = client.subscribe(publisher.room, since=since)
            assert reply["recovered"] is False and reply["epoch"] != epochs[publisher.room]
            published = client.publish(publisher.room, "after")
            assert published["seq"] == len(stored) + 1
            assert published["id"] > max(acknowledged[1] for acknowledged in publisher.acknowledged)
    assert found == shown["messages"]
    with contextlib.closing(Admin(restored, token)) as remote:
        assert [token["name"] for token in remote.done("GET", "/tokens")["tokens"]] == ["ops"]
        actions = [entry["action"] for entry in remote.done("GET", "/audit")["entries"]]
    assert "channel.create" in actions and "token.create" in actions and "backup.create" not in actions
    made = run(
        None, "token", "make", "--channel", "shop", "--expires", "1h", "--allow", ".*=publish", env={"ROOMLINE_SECRET": secret}
    )
    assert made.returncode == 0, made.stderr
    assert restored.terminate() == 0


def test_a_backup_comes_over_the_network_with_a_token(kept, tmp_path):
    fill(kept, "lobby")
    admin = Admin(kept)
    tokens = {scope: admin.done("POST", "/tokens", {"name": scope, "scopes": [scope]})["token"] for scope in ("manage", "moderate")}
    admin.close()
    place = ["--server", f"http://127.0.0.1:{kept.http_port}"]
    refused = run(None, "backup", str(tmp_path / "copy"), *place, env={"ROOMLINE_TOKEN": tokens["moderate"]})
    assert refused.returncode == 1 and b"scope manage" in refused.stderr
    done = run(None, "backup", str(tmp_path / "copy"), *place, env={"ROOMLINE_TOKEN": tokens["manage"]})
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "copy").iterdir()) == ["clock", "control.sqlite", "history.sqlite", "manifest.json"]
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("copy")) == ["copy"]


def test_backups_are_made_one_at_a_time_and_fetched_in_files(kept):
    admin = Admin(kept)
    made = admin.done("POST", "/backups")
    assert made.status == 201 and [file["name"] for file in made["files"]] == ["history.sqlite", "control.sqlite", "clock"]
    assert "wait" in admin.refused(409, "backup_under_way", "POST", "/backups")
    for file in made["files"]:
        status, headers, body = admin.raw("GET", f"/backups/{made['id']}/{file['name']}")
        assert (status, headers["Content-Type"], len(body)) == (200, "application/octet-stream", file["bytes"])
    for wrong in (f"/backups/{made['id']}/lock", f"/backups/{made['id']}/..%2flock", "/backups/0/clock"):
        admin.refused(404, "unknown_backup", "GET", wrong)
    assert admin.done("DELETE", f"/backups/{made['id']}").status == 204
    admin.refused(404, "unknown_backup", "DELETE", f"/backups/{made['id']}")
    assert admin.done("POST", "/backups").status == 201
    admin.close()


def test_a_broker_that_keeps_nothing_says_so(start, tmp_path):
    broker = start(*FLAGS, data=":memory:", admin=tmp_path / "a.sock")
    assert "--data" in Shell(broker).refused(1, "keeps nothing", "backup", str(tmp_path / "copy"))
    assert not (tmp_path / "copy").exists()


def test_nothing_is_left_of_a_backup_that_fails(kept, tmp_path):
    """The directory cannot be made; the command is ended; the broker is gone."""
    fill(kept, "lobby")
    (tmp_path / "file").write_text("")
    Shell(kept).refused(1, "cannot be made", "backup", str(tmp_path / "file" / "copy"))
    Shell(kept).refused(64, "is there already", "backup", str(tmp_path / "file"))
    kept.process.send_signal(signal.SIGSTOP)
    command = Command(None, "backup", str(tmp_path / "copy"), "--socket", str(kept.admin_socket))
    try:
        deadline = time.monotonic() + PATIENCE
        while not (tmp_path / "copy.incomplete").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        command.process.send_signal(signal.SIGINT)
        # before the broker goes on: on a busy machine it could be faster than the signal
        assert command.process.wait(PATIENCE) == 1
    finally:
        kept.process.send_signal(signal.SIGCONT)
    assert not list(tmp_path.glob("copy*"))
    kept.terminate()
    Shell(kept).refused(69, "admin socket", "backup", str(tmp_path / "copy"))
    assert not list(tmp_path.glob("copy*")) and not (kept.data / "backup.unfinished").exists()


@pytest.mark.parametrize("spelling", ["{}/", "{}/.", "{}//", "{0.parent}/./{0.name}/./"])
def test_any_spelling_of_a_directory_is_that_directory(kept, tmp_path, spelling):
    fill(kept, "lobby")
    copy = tmp_path / "copy"
    shown = Shell(kept).json("backup", spelling.format(copy))
    assert shown["backup"] == str(copy)
    assert sorted(path.name for path in tmp_path.glob("copy*")) == ["copy"]
    assert sorted(path.name for path in copy.iterdir()) == ["clock", "control.sqlite", "history.sqlite", "manifest.json"]
    Shell(kept).refused(64, "is there already", "backup", spelling.format(copy))
    restored = run_to_end("restore", f"{copy}/.", "--data", f"{tmp_path}//restored/", "--json")
    assert restored.returncode == 0 and json.loads(restored.stdout)["data"] == str(tmp_path / "restored"), restored.stderr


def test_what_a_backup_that_was_killed_leaves_blocks_no_other(kept, tmp_path):
    fill(kept, "lobby")
    left, copy = tmp_path / "copy.incomplete", tmp_path / "copy"
    left.mkdir(mode=0o755)
    (left / "history.sqlite").write_text("half of it")
    directory = os.open(left, os.O_RDONLY)
    fcntl.flock(directory, fcntl.LOCK_EX)
    Shell(kept).refused(1, "another command is making", "backup", str(copy))
    os.close(directory)
    (left / "mine").write_text("")
    Shell(kept).refused(1, "not a backup's: mine", "backup", str(copy))
    (left / "mine").unlink()
    Shell(kept).says("backup", str(copy))
    assert not left.exists() and stat.S_IMODE(copy.stat().st_mode) == 0o700
    assert run_to_end("restore", str(copy), "--data", str(tmp_path / "restored"), "--dry-run").returncode == 0


def test_a_restore_checks_and_asks_before_it_changes_anything(kept, start, tmp_path):
    fill(kept, "lobby")
    shell = Shell(kept)
    before = export(shell, "lobby")
    shell.says("backup", str(tmp_path / "copy"))
    fill(kept, "lobby", 5)
    place = ["restore", str(tmp_path / "copy"), "--data", str(kept.data)]

    def refused(part, *more, code=1):
        result = run_to_end(*place, *more)
        assert (result.returncode, result.stdout) == (code, "") and part in result.stderr, (result.returncode, result.stderr)

    refused("in use by another broker", "--replace", "--yes")
    running = run_to_end(*place, "--dry-run", "--json")
    assert running.returncode == 0 and json.loads(running.stdout)["messages"] == 50
    assert "nothing was changed; the backup is whole, and a restore would be refused now: " in running.stderr
    assert "in use by another broker" in running.stderr
    kept.terminate()
    names = sorted(path.name for path in kept.data.iterdir())
    refused("say --replace")
    refused("say --yes", "--replace", code=64)
    dry = run_to_end(*place, "--replace", "--dry-run", "--json")
    assert dry.returncode == 0 and json.loads(dry.stdout)["messages"] == 50 and "nothing was changed" in dry.stderr
    shutil.copytree(tmp_path / "copy", tmp_path / "whole")
    with (tmp_path / "copy" / "history.sqlite").open("r+b") as file:
        file.seek(5000)
        file.write(b"\xa5")
    refused("checksum", "--replace", "--yes")
    refused("checksum", "--dry-run")
    (tmp_path / "copy" / "control.sqlite").unlink()
    (tmp_path / "copy" / "history.sqlite").write_bytes((tmp_path / "whole" / "history.sqlite").read_bytes())
    refused("control.sqlite is missing", "--replace", "--yes")
    (tmp_path / "copy" / "manifest.json").unlink()
    refused("not a backup", "--replace", "--yes")
    assert sorted(path.name for path in kept.data.iterdir()) == names

    place[1] = str(tmp_path / "whole")
    itself = run_to_end("restore", str(tmp_path / "whole"), "--data", f"{tmp_path}/./whole/", "--replace", "--yes")
    assert itself.returncode == 1 and "is the backup itself" in itself.stderr
    done = run_to_end(*place, "--replace", "--yes", "--json")
    assert done.returncode == 0, done.stderr
    aside = json.loads(done.stdout)["replaced"]
    assert sorted(os.listdir(aside)) == [name for name in names if name not in ("lock", "a.sock", "reserve")]
    assert stat.S_IMODE(os.stat(aside).st_mode) == 0o700
    again = start(*FLAGS, admin=tmp_path / "b.sock")
    assert export(Shell(again), "lobby") == before
    assert alarms(again) == []


def test_an_import_of_an_export_is_the_same_export(kept, tmp_path):
    """Byte for byte, over many parts, into a room whose members are told of another log."""
    shell = Shell(kept)
    with Client(kept, client_data={"name": "Luke ☃"}) as client:
        for number in range(120):
            client.publish("lobby", {"number": number, "filler": "ü" * 3000})
    fill(kept, "lobby")
    lines = export(shell, "lobby")
    file = tmp_path / "lobby.jsonl"
    file.write_bytes(lines)
    shell.refused(1, "clear it first", "history", "import", "lobby", str(file))
    with Client(kept) as member:
        epoch = member.subscribe("other")["epoch"]
        said = shell.json("history", "import", "other", str(file))
        assert (said["messages"], said["not_kept"], said["first_seq"], said["seq"]) == (170, 0, 1, 170)
        gaps = []
        while not gaps or gaps[-1] != said["epoch"]:
            gaps.append(member.expect("gap", room="other")["epoch"])
        assert epoch not in gaps
        assert member.publish("other", "after")["seq"] == 171
        member.expect("publish", seq=171)
    copied = export(shell, "other").replace(b'"room":"other"', b'"room":"lobby"')
    assert copied.splitlines()[:170] == lines.splitlines()
    imports = [entry for entry in shell.lines("audit") if entry["action"] == "history.import"]
    assert [entry["target"] for entry in imports] == ["default/other"]


def test_an_import_may_begin_anywhere_and_keeps_what_the_room_keeps(start, tmp_path):
    flags = ("--channel", "default,history=1000", "--channel", "short,history=10", "--channel", "none,history=off")
    shell = Shell(broker := start(*flags, admin=tmp_path / "a.sock"))
    fill(broker, "lobby")
    file = tmp_path / "lobby.jsonl"
    file.write_bytes(export(shell, "lobby", "--after", "20"))
    shell.says("history", "import", "middle", str(file))
    assert [json.loads(line)["seq"] for line in export(shell, "middle").splitlines()] == list(range(21, 51))
    result = shell.run("history", "import", "lobby", str(file), "--channel", "short")
    assert result.returncode == 0 and b"20 of them" in result.stderr, result.stderr
    assert [json.loads(line)["seq"] for line in export(shell, "lobby", "--channel", "short").splitlines()] == list(range(41, 51))
    shell.refused(1, "keeps no history", "history", "import", "lobby", str(file), "--channel", "none")
    shell.refused(1, "there is no channel", "history", "import", "lobby", str(file), "--channel", "nowhere")


def test_what_is_no_export_is_refused_by_its_line_before_anything_is_sent(kept, tmp_path):
    shell = Shell(kept)
    fill(kept, "lobby", 5)
    lines = export(shell, "lobby").splitlines()
    file = tmp_path / "bad.jsonl"
    ahead = json.loads(lines[4])
    for number, line, part in [
        (3, b"no json", "malformed JSON"),
        (3, lines[3], "has to follow"),
        (5, lines[4].replace(b'"seq":5', b'"seq":5,"extra":1'), "no field"),
        (5, lines[4].replace(f'"timestamp":{ahead["timestamp"]}'.encode(), b'"timestamp":7'), "the time of the id"),
        (2, b"[1]", "one JSON object"),
        (2, b'{"text":"hello"}', "no field \"text\""),
        (2, b'{"name":"Luke"}', "\"message\" is missing"),
        (2, b'{"message":1,"time":"soon"}', "2026-11-21T15:12:07Z"),
        (2, b'{"message":1,"timestamp":1}', "sort the lines"),
        (2, b'{"message":1,"id":"7"}', "UUIDv7"),
        (2, b'{"message":1,"type":"joined"}', "is not a message"),
    ]:
        file.write_bytes(b"\n".join(lines[: number - 1] + [line]) + b"\n")
        assert f"line {number}: " in shell.refused(1, part, "history", "import", "bad", str(file))
        shell.refused(1, part, "history", "import", "bad", str(file), "--dry-run")
    file.write_bytes(b"")
    shell.refused(1, "nothing to import", "history", "import", "bad", str(file))
    shell.refused(64, "cannot be read", "history", "import", "bad", str(tmp_path / "none"))
    assert "bad" not in [json.loads(line)["name"] for line in shell.says("room", "list", "--json")]
    file.write_bytes(b"\n".join(lines))
    assert shell.run("history", "import", "bad", str(file), "--dry-run").stderr == b"roomline: 5 messages, 1 to 5; the file and the room were checked, and nothing was imported\n"
    assert shell.json("history", "import", "bad", str(file), "--dry-run") == {"messages": 5, "first_seq": 1, "seq": 5}


def test_lines_of_other_tools_are_imported(kept, tmp_path):
    shell = Shell(kept)
    then = int(time.time()) - 3600
    moment = datetime.datetime.fromtimestamp(then, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.500Z")
    lines = [
        f'{{ "message" : {{"n": 1.0}},  "timestamp": {then}, "sender": "Luke" }}',
        f'{{"time":"{moment}","message":"\\u00e9","name":"Leia","client_id":"L1"}}',
        '{"message":null}\r',
        "",
        '{"message":"x","sender":{"id":"rest","kind":"rest"},"seq":4}',
    ]
    room = f"loose-{os.getpid()}"
    said = shell.json("history", "import", room, "-", input="\n".join(lines))
    assert (said["messages"], said["first_seq"], said["seq"]) == (4, 1, 4)
    got = [json.loads(line) for line in export(shell, room).splitlines()]
    assert [one["timestamp"] for one in got] == [then] * 4 and [one["seq"] for one in got] == [1, 2, 3, 4]
    assert [one["id"] for one in got] == sorted({one["id"] for one in got})
    assert [one["sender"] for one in got] == [
        {"id": "Luke", "clientData": {"name": "Luke"}},
        {"id": "L1", "clientData": {"name": "Leia"}},
        {"id": "import"},
        {"id": "rest", "kind": "rest"},
    ]
    assert b'"message":{"n": 1.0}}' in export(shell, room) and b'"message":"\\u00e9"}' in export(shell, room)
    # Lines in front without a time have the first one in the file.
    early = ['{"message":1}', '{"message":2}', f'{{"message":3,"timestamp":{then}}}']
    shell.says("history", "import", f"{room}-early", "-", input="\n".join(early))
    assert [json.loads(line)["timestamp"] for line in export(shell, f"{room}-early").splitlines()] == [then] * 3
    # An export that another tool has written anew is the same history.
    fill(kept, "lobby", 5)
    exported = export(shell, "lobby")
    file = tmp_path / "sorted.jsonl"
    file.write_text("\n".join(json.dumps(json.loads(line), sort_keys=True) for line in exported.splitlines()))
    shell.says("history", "import", f"{room}-sorted", str(file))
    again = [json.loads(line) for line in export(shell, f"{room}-sorted").splitlines()]
    assert [{**one, "room": "lobby"} for one in again] == [json.loads(line) for line in exported.splitlines()]


def test_what_the_broker_refuses_of_a_later_part_is_told_by_the_line_of_the_file(kept, tmp_path):
    shell = Shell(kept)
    with Client(kept) as client:
        for number in range(100):
            client.publish("lobby", {"number": number, "filler": "x" * 6000})
    lines = export(shell, "lobby").splitlines()
    file = tmp_path / "long.jsonl"
    lines[99] = lines[99].replace(b"x" * 6000, b"x" * 100_000)
    file.write_bytes(b"\n".join(lines))
    said = shell.refused(1, f"{file}, line 100: ", "history", "import", "long", str(file))
    assert f'"roomline room clear long --socket {shell.place[1]}", and import again' in said
    lines[99] = lines[99].replace(b"x" * 100_000, b"x")
    file.write_bytes(b"\n".join(lines))
    shell.says("room", "clear", "long", "--yes")
    assert shell.json("history", "import", "long", str(file))["messages"] == 100


def test_the_commands_of_the_page_do_what_it_says(start, tmp_path):
    """Those of docs/backup.md in their order, with places of this test's; the broker is stopped where the page says so."""
    data = tmp_path / "data"
    places = {
        "/backups/": f"{tmp_path}/",
        "nightly": f"{tmp_path}/nightly",
        "ops.token": f"{tmp_path}/ops.token",
        "lobby.jsonl": f"{tmp_path}/lobby.jsonl",
        "/srv/roomline": str(data),
        "0.0.0.0:10000": "127.0.0.1:0 --http 127.0.0.1:0",
        "--replace\n": "--replace --yes\n",
        "roomline doctor\n": "roomline doctor --tcp 127.0.0.1:0 --http 127.0.0.1:0\n",
    }
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ROOMLINE_")}
    env = {**clean, "ROOMLINE_DATA": str(data), "PATH": f"{BINARY.parent}:{os.environ['PATH']}"}
    broker = start(*FLAGS, data=data, admin=data / "admin.sock")
    fill(broker, "lobby")
    admin = Admin(broker)
    (tmp_path / "ops.token").write_text(admin.done("POST", "/tokens", {"name": "ops", "scopes": ["manage"]})["token"])
    admin.close()
    tried = 0
    for block in (ROOT / "docs" / "backup.md").read_text().split("```sh\n")[1:]:
        commands = block.split("```")[0]
        for old, new in {**places, "https://chat.example": f"http://127.0.0.1:{broker.http_port}"}.items():
            commands = commands.replace(old, new)
        offline = commands.startswith("roomline restore")
        if offline:
            broker.terminate()
        for command in commands.splitlines():
            result = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=PATIENCE, env=env)
            assert result.returncode == 0, (command, result.stdout, result.stderr)
            tried += 1
        if offline:
            broker = start(*FLAGS, data=data, admin=data / "admin.sock")
    assert tried == 10
    assert len(export(Shell(broker), "lobby-2025").splitlines()) == 50


# The doctor


def examine(*options, preexec=None, env=None):
    """The findings by what was looked at."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ROOMLINE_")}
    result = subprocess.run(
        [str(BINARY), "doctor", "--json", *options],
        capture_output=True,
        timeout=PATIENCE,
        env={**clean, **(env or {})},
        preexec_fn=preexec,
    )
    return findings_of(result)


def findings_of(result):
    said = json.loads(result.stdout)
    findings = {}
    for finding in said["findings"]:
        assert set(finding) <= {"check", "status", "text", "advice"}
        assert finding["status"] == "ok" or finding["advice"] or finding["check"] in ("space", "open_files"), finding
        findings.setdefault(finding["check"], []).append(finding)
    assert result.returncode == (1 if said["status"] == "problem" else 0), (result.returncode, said)
    return findings


def problems(findings):
    return [finding for found in findings.values() for finding in found if finding["status"] == "problem"]


def ports(broker):
    return ["--tcp", f"127.0.0.1:{broker.port}", "--http", f"127.0.0.1:{broker.http_port}"]


FREE = ["--tcp", "127.0.0.1:0", "--http", "127.0.0.1:0"]


def test_the_doctor_finds_nothing_wrong_with_a_broker_that_runs_nor_with_one_that_does_not(start, tmp_path):
    data = tmp_path / "data"
    assert problems(examine("--data", str(data), *FREE)) == []
    assert not data.exists()
    broker = start(*FLAGS, admin=data / "admin.sock")
    fill(broker, "lobby")
    findings = examine("--data", str(data), *ports(broker))
    assert problems(findings) == []
    assert "50 messages in 1 room" in findings["history"][0]["text"]
    assert re.search(r"the largest rooms: default/lobby \S+ (Ki)?B \(50 messages\)", findings["rooms"][0]["text"]), findings["rooms"]
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        (found,) = problems(examine("--data", str(data), "--tcp", f"127.0.0.1:{taken.getsockname()[1]}", "--http", "off"))
        assert found["check"] == "port" and f"process {os.getpid()}" in found["text"]
    assert [port["text"] for port in findings["port"] if "held by the broker that runs" not in port["text"]] == []
    (found,) = examine("--data", str(data))["port"]
    pattern = rf"the broker that runs \(process {broker.process.pid}\) listens on: "
    assert found["status"] == "ok" and re.match(pattern, found["text"]) and str(broker.port) in found["text"], found
    assert "answers" in findings["broker"][0]["text"]
    assert "a sync takes" in findings["disk"][-1]["text"]
    # by the environment, as the broker
    assert "50 messages" in examine(*ports(broker), env={"ROOMLINE_DATA": str(data)})["history"][0]["text"]
    (other,) = problems(examine("--data", str(tmp_path / "other"), "--tcp", f"127.0.0.1:{broker.port}", "--http", "off"))
    assert other["check"] == "port" and "the broker of another data directory" in other["text"]
    fill(broker, "lobby", 1)
    assert alarms(broker) == [] and broker.terminate() == 0
    names = sorted(path.name for path in data.iterdir())
    findings = examine("--data", str(data), *FREE)
    assert problems(findings) == [] and "51 messages" in findings["history"][0]["text"]
    assert sorted(path.name for path in data.iterdir()) == names
    assert "no broker" in findings["broker"][0]["text"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_the_doctor_names_the_channels_that_keep_nothing(start, tmp_path):
    data = tmp_path / "data"
    broker = start("--channel", "talk", "--channel", "brief,history=off", "--channel", "short,history=off", admin=data / "admin.sock")
    (found,) = examine("--data", str(data), *ports(broker))["channels"]
    assert found["status"] == "ok" and found["text"] == "keep no history: brief, short", found
    Shell(broker).says("channel", "set", "short", "--history-rule", "^log=10")
    assert broker.terminate() == 0
    (found,) = examine("--data", str(data), *FREE)["channels"]
    assert found["text"] == "keep no history: brief", found


def test_the_doctor_says_what_another_user_cannot_know(start, tmp_path):
    """A directory that may not be read, a broker that may not be seen, a lock whose number is of another namespace."""
    data = tmp_path / "data"
    broker = start(*FLAGS, admin=data / "admin.sock")
    findings = findings_of(stranger.run("doctor", "--json", "--data", str(data), *ports(broker)))
    assert problems(findings) == []
    assert {finding["status"] for check in ("port", "broker", "permissions", "history") for finding in findings[check]} == {"warning"}
    assert "not known" in findings["broker"][0]["text"]
    number = (data / "lock").read_text()
    (data / "lock").write_text("1\n")
    findings = examine("--data", str(data), *ports(broker))
    assert problems(findings) == [] and "the broker answers" in findings["broker"][0]["text"]
    assert all("may be the broker" in finding["text"] for finding in findings["port"])
    (data / "lock").write_text(number)


def test_the_doctor_finds_what_was_planted(start, tmp_path):
    data = tmp_path / "data"
    broker = start(*FLAGS, admin=data / "admin.sock")
    fill(broker, "lobby")

    findings = examine("--data", str(tmp_path / "other"), "--tcp", f"127.0.0.1:{broker.port}", "--http", "off")
    (found,) = findings["port"]
    assert found["status"] == "problem" and f"process {broker.process.pid}, roomline" in found["text"]
    assert "end that" not in found["advice"]

    (found,) = problems(examine("--data", str(data), *ports(broker), "--admin-socket", str(tmp_path / "none.sock")))
    assert found["check"] == "broker" and "none.sock" in found["text"]
    broker.terminate()

    (data / "control.sqlite").chmod(0o644)
    (found,) = problems(examine("--data", str(data), *FREE))
    assert found["check"] == "permissions" and found["advice"] == f"chmod 600 {data}/control.sqlite"
    (data / "control.sqlite").chmod(0o600)
    data.chmod(0o777)
    (found,) = problems(examine("--data", str(data), *FREE))
    assert found["check"] == "permissions" and found["advice"] == f"chmod 700 {data}"
    data.chmod(0o700)

    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (500, 500))

    (found,) = problems(examine("--data", str(data), *FREE, preexec=few))
    assert found["check"] == "open_files" and "500 files" in found["text"]
    (found,) = problems(examine("--data", str(data), *FREE, "--max-connections", "490", preexec=few))
    assert "too few for the 490" in found["text"]

    clock = (data / "clock").read_bytes()
    (data / "clock").write_bytes(int((time.time() + 3600) * 1000).to_bytes(8, "little"))
    (found,) = problems(examine("--data", str(data), *FREE))
    assert found["check"] == "clock" and "ahead of the clock" in found["text"]
    (data / "clock").write_bytes(clock)

    copy = tmp_path / "copy"
    shutil.copytree(data, copy)
    with (copy / "history.sqlite").open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * 12000)
    (found,) = problems(examine("--data", str(copy), *FREE))
    assert found["check"] == "history" and "restore" in found["advice"]
    (copy / "history.sqlite").unlink()
    for leftover in copy.glob("history.sqlite-*"):
        leftover.unlink()
    (copy / "history.sqlite.corrupt-2026").write_bytes(b"")
    (copy / "history.sqlite.corrupt-2026").chmod(0o600)
    with sqlite3.connect(copy / "control.sqlite") as control:
        control.execute("INSERT INTO grdb_migrations VALUES ('9999-control')")
    findings = examine("--data", str(copy), *FREE)
    (found,) = problems(findings)
    assert found["check"] == "control" and "newer" in found["text"]
    assert findings["history"][0]["status"] == "warning" and "moved aside" in findings["history"][0]["text"]
    (copy / "restore.unfinished").mkdir(mode=0o700)
    assert "restore" in [finding["check"] for finding in problems(examine("--data", str(copy), *FREE))]

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        (found,) = problems(examine("--data", str(data), "--tcp", f"127.0.0.1:{port}", "--http", "off"))
        assert f"process {os.getpid()}" in found["text"]
    (found,) = problems(examine("--data", str(data), "--tcp", "192.0.2.1:7000", "--http", "off", "--channel", "default,auth=required"))
    assert found["check"] == "port" and "an address of this machine" in found["advice"]
    result = run_to_end("doctor", "--datta", "x")
    assert result.returncode == 64 and "did you mean --data" in result.stderr


@pytest.mark.parametrize(("env", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_the_doctor_fits_its_terminal(tmp_path, env, coloured):
    options = ["doctor", "--data", str(tmp_path / "data"), *FREE]
    with Terminal(None, *options, env=env, columns=50, rows=100) as terminal:
        assert terminal.end() == 0
        assert (b"\x1b[32mok\x1b[0m" in terminal.raw) == coloured
        assert (b"\x1b[3" in terminal.raw) == coloured
        # what is below the beginning of a text, and of an advice behind its arrow
        below = {len(line) - len(line.lstrip()) for line in terminal.screen.text() if line.startswith(" ")}
        assert 22 in below and below <= {22, 24}, terminal.screen.text()
