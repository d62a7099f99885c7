"""A bit that flips in a row of the control file: the doctor names the row, and the next start goes by the backup."""

import contextlib
import json
import sqlite3

import pytest

from admin import Admin
from broker import alarms, run_to_end
from client import Client
from tokens import secret as secret_of

FREE = ("--tcp", "127.0.0.1:0", "--http", "off")
FLIPS = [
    ("UPDATE sanction SET expires = expires - 1099511627776", "sanction"),
    ("UPDATE channel_secret SET text = 'q' || substr(text, 2) WHERE channel = 'shop'", "channel_secret"),
    ("UPDATE admin_token SET scopes = 'manage' WHERE name = 'reader'", "admin_token"),
    ("UPDATE channel SET authentication = 'none' WHERE id = 'shop'", "channel"),
]


def run_sql(path, statement):
    with contextlib.closing(sqlite3.connect(path)) as file, file:
        assert file.execute(statement).rowcount == 1


def control(data):
    """What the doctor says of the control file, and its exit code."""
    result = run_to_end("doctor", "--json", "--data", str(data), *FREE)
    (found,) = [finding for finding in json.loads(result.stdout)["findings"] if finding["check"] == "control"]
    return found, result.returncode


@pytest.mark.parametrize(("statement", "table"), FLIPS)
def test_a_row_of_the_control_file_that_is_damaged(start, tmp_path, statement, table):
    broker = start(admin=tmp_path / "a.sock")
    with contextlib.closing(Admin(broker)) as admin:
        admin.done("POST", "/channels", {"id": "shop", "authentication": "required"})
        admin.done("POST", "/tokens", {"name": "reader", "scopes": ["read"]})
        admin.done("POST", "/channels/default/sanctions", {"kind": "ban", "user": "17", "seconds": 3600})
    secret = secret_of(broker, "shop")
    broker.kill()
    assert control(broker.data)[0]["status"] == "ok"
    run_sql(broker.data / "control.sqlite", statement)
    found, code = control(broker.data)
    assert (found["status"], code) == ("problem", 1)
    assert f"the row of the table {table} with" in found["text"] and "start the broker anew" in found["advice"]
    assert secret not in found["text"]
    again = start(admin=tmp_path / "b.sock")
    (line,) = [record for record in alarms(again) if record["level"] == "critical"]
    assert line["message"] == "control file could not be used: its last backup was put in its place"
    assert f"the table {table}" in line["metadata"]["error"] and ".corrupt-" in line["metadata"]["control.moved_to"]
    assert secret_of(again, "shop") == secret
    with contextlib.closing(Admin(again)) as admin:
        assert admin.done("GET", "/channels/shop")["authentication"] == "required"
        assert [token["scopes"] for token in admin.done("GET", "/tokens")["tokens"]] == [["read"]]
        assert [ban["user"] for ban in admin.done("GET", "/channels/default/sanctions")["sanctions"]] == ["17"]
    with Client(again) as client:
        client.publish("room", "goes on")
    assert control(again.data)[0]["status"] == "ok"


def test_where_the_backup_is_damaged_too_nothing_is_started(start, tmp_path):
    broker = start("--channel", "shop,auth=required")
    broker.kill()
    for name in ("control.sqlite", "control.sqlite.backup"):
        run_sql(broker.data / name, "UPDATE channel SET authentication = 'none' WHERE id = 'shop'")
    before = sorted(path.name for path in broker.data.iterdir())
    refused = start(wait=False)
    assert refused.wait_for_exit() == 1
    assert "neither can its backup" in "\n".join(refused.log)
    assert sorted(path.name for path in broker.data.iterdir()) == before
