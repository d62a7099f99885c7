"""A byte order mark at the start of text, as Windows programs write it: the same rule wherever text comes in."""

import json
import uuid

import pytest

from admin import Admin
from broker import run_to_end
from client import Client, TextClient
from command import run
from websocket_client import TEXT, WebSocket, encode

MARK = "\ufeff"
HANDSHAKE = json.dumps({"type": "handshake", "channel": "default", "callback": 0})

FLAGS = ["--channel", "default,history=100"]


def test_the_configuration(tmp_path):
    file = tmp_path / "roomline.json"
    file.write_text(MARK + '{"max-line": "64KiB"}')
    done = run_to_end("serve", "--config", str(file), "--print-config", "--json")
    assert done.returncode == 0, done.stderr
    assert {"option": "max-line", "value": "64KiB"}.items() <= next(
        option for option in map(json.loads, done.stdout.splitlines()) if option["option"] == "max-line"
    ).items()
    file.write_text(MARK + MARK + "{}")
    assert run_to_end("serve", "--config", str(file), "--print-config").returncode == 78


def test_a_connection_over_tcp(broker):
    with Client(broker, handshake=False) as ann:
        ann.send_bytes((MARK + HANDSHAKE + "\n").encode())
        assert json.loads(ann.read_line())["client_id"]


def test_plain_text(broker, connect):
    name = uuid.uuid4().hex[:8]
    listener = connect("Ann")
    listener.subscribe("lobby")
    with TextClient(broker) as text:
        text.send_bytes(f"{MARK}iam:{name}\nmsg:hello {name}\n".encode())
        listener.expect("publish", message=f"hello {name}")


@pytest.mark.parametrize("mark", ["", MARK])
def test_messages_of_a_websocket(broker, mark):
    with WebSocket(broker.http_port) as socket:
        for number in range(2):
            frame = {"type": "handshake", "channel": "default"} if number == 0 else {"type": "ping"}
            socket.send_bytes(encode(TEXT, (mark + json.dumps({**frame, "callback": number})).encode()))
            reply = json.loads(socket.event().text)
            assert reply["callback"] == number and "error" not in reply
        socket.send_bytes(encode(TEXT, (MARK + MARK + '{"type":"ping","callback":3}').encode()))
        assert json.loads(socket.event().text)["code"] == "malformed_json"


def test_the_admin_api(administered, admin):
    room = f"/channels/default/rooms/{uuid.uuid4().hex[:8]}/messages"
    assert admin.done("POST", room, body=(MARK + '"hello"').encode(), headers={"Content-Type": "application/json"})["seq"]
    admin.refused(400, "malformed_json", "POST", room, body=(MARK + MARK + '"hello"').encode(), headers={"Content-Type": "application/json"})


def test_an_import_and_what_publish_reads(administered, shell, tmp_path):
    lines = "".join(json.dumps({"message": text}) + "\n" for text in ("one", "two"))
    file = tmp_path / "lines.jsonl"
    file.write_text(MARK + lines)
    shell.says("history", "import", "from-file", str(file))
    shell.says("history", "import", "from-pipe", "-", input=MARK + lines)
    assert run(administered, "publish", "from-lines", input=MARK + "one\ntwo\n").returncode == 0
    assert run(administered, "publish", "from-json", "--json", input=MARK + '"one"\n"two"\n').returncode == 0
    for room in ("from-file", "from-pipe", "from-lines", "from-json"):
        assert [entry["message"] for entry in shell.lines("history", "show", room)] == ["one", "two"], room


def test_a_token_in_a_file(administered, shell, tmp_path):
    admin = Admin(administered)
    token = admin.done("POST", "/tokens", {"name": f"t-{uuid.uuid4().hex[:8]}", "scopes": ["read"]})["token"]
    admin.close()
    file = tmp_path / "token"
    file.write_text(MARK + token + "\r\n")
    place = ["--server", f"http://127.0.0.1:{administered.http_port}"]
    assert run(None, "stats", *place, "--token-file", str(file)).returncode == 0
    assert run(None, "stats", *place, env={"ROOMLINE_TOKEN": MARK + token}).returncode == 0
