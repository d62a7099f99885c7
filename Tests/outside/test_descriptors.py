"""A broker that may open few files: connections leave some for the admin socket, health, the store and backups."""

import contextlib
import os
import resource
import socket
import time

import pytest

from admin import Admin
from broker import PATIENCE
from client import Client
from neighbours import Neighbours
from rest import Rest

FILES = 256


def few():
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))


@pytest.fixture
def small(start, tmp_path):
    return start("--channel", "default,history=100", "--loops", "2", admin=tmp_path / "a.sock", preexec=few)


def is_open(connection):
    """Whether the broker serves the connection: whoever is refused is told so and closed."""
    connection.sendall(b'{"type":"handshake","channel":"default","callback":0}\n')
    try:
        answer = connection.recv(4096)
    except ConnectionResetError:
        return False
    return b'"client_id":"' in answer and b"too_many_connections" not in answer


@contextlib.contextmanager
def all_places(broker):
    """Connections to the rooms until none is served any more."""
    held = []
    try:
        for _ in range(FILES):
            connection = socket.create_connection(("127.0.0.1", broker.port), timeout=PATIENCE)
            held.append(connection)
            if not is_open(connection):
                break
        assert FILES / 4 <= len(held) < FILES / 2
        yield held
    finally:
        before = open_files(broker)
        for connection in held:
            connection.close()
    # Only when the broker has noticed it are there places again.
    while open_files(broker) > before - len(held) / 2:
        time.sleep(0.01)


def open_files(broker):
    return len(os.listdir(f"/proc/{broker.process.pid}/fd"))


def shortages(broker):
    return [record["message"] for record in broker.records() if record.get("level") == "warning" and "connections" in record["message"]]


def test_the_broker_works_while_connections_have_all_files_that_they_may(small):
    with Client(small, "Ann") as ann, all_places(small):
        assert open_files(small) < FILES - 32
        with Rest(small) as rest, Rest(small, unix=True) as unix:
            assert rest.get("/health").body["status"] == "ok"
            assert unix.get("/health").body["status"] == "ok"
        admin = Admin(small)
        ann.publish("room", "stored")
        ban = admin.call("POST", "/channels/default/sanctions", {"kind": "ban", "user": "nobody"})
        assert ban.status in (200, 201), ban
        backup = admin.call("POST", "/backups")
        assert backup.status == 201, backup
        names = [file["name"] for file in backup.body["files"]]
        assert "history.sqlite" in names and "control.sqlite" in names
    with Client(small, "Bob") as bob:
        assert bob.ask({"type": "ping"}) is not None


def test_where_no_file_is_left_accepting_waits_and_the_log_says_so_once(small):
    """The admin socket is for those who mend things, so it may take what is in reserve."""
    with all_places(small), contextlib.ExitStack() as stack:
        for _ in range(FILES):
            connection = stack.enter_context(socket.socket(socket.AF_UNIX))
            connection.settimeout(PATIENCE)
            connection.connect(small.admin_socket)
        small.wait_for_log(lambda record: "connections wait" in record["message"], "that connections wait")
        assert open_files(small) == FILES
        assert shortages(small) == ["connections wait: no file is left for them"]
    with Rest(small) as rest:
        assert rest.get("/health").body["status"] == "ok"
    with Client(small, "Bob") as bob:
        assert bob.ask({"type": "ping"}) is not None
    small.wait_for_log(lambda record: "accepted again" in record["message"], "that connections are accepted again")
    assert len(shortages(small)) == 2


def test_a_crowd_of_more_connections_than_files(small):
    """All of them come at once, and stay: those who are there go on talking, and when the crowd has gone, others come in."""
    with Neighbours(small) as neighbours, contextlib.ExitStack() as stack:
        rounds = len(neighbours.here.work)
        for _ in range(4 * FILES):
            one = stack.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", small.port))
            with contextlib.suppress(OSError):
                one.send(b'{"type":"handshake","channel":"default","callback":0}\n')
        while len(neighbours.here.work) < rounds + 20:
            assert neighbours.here.failure is None
            assert open_files(small) <= FILES
            time.sleep(0.01)
        with Rest(small) as rest:
            assert rest.get("/health").body["status"] == "ok"
    assert len(shortages(small)) <= 2
    with all_places(small) as held:
        assert len(held) > FILES / 4
    with Client(small, "Bob") as bob:
        assert bob.ask({"type": "ping"}) is not None
