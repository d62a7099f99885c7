"""roomline context, and which broker, token and channel the other commands use with one."""

import json
import stat

import pytest

from cli import Shell, unique
from client import Client
from command import Command, run

FLAGS = ["--channel", "default,history=100", "--channel", "games,history=100"]


@pytest.fixture
def home(tmp_path):
    return {"XDG_CONFIG_HOME": str(tmp_path / "config")}


def context(home, *words, code=0):
    result = run(None, "context", *words, env=home)
    assert result.returncode == code, result.stderr
    return result


def test_a_context_says_where_the_broker_is(administered, home, tmp_path):
    token = tmp_path / "ops.token"
    assert Shell(administered).run("admin-token", "create", unique("ops"), "--scope", "manage", "--output", str(token)).returncode == 0
    server = f"tcp://127.0.0.1:{administered.port}"
    context(home, "add", "local", "--server", server, "--socket", str(administered.admin_socket), "--channel", "games", "--use")
    context(home, "add", "web", "--admin-server", f"http://127.0.0.1:{administered.http_port}", "--admin-token-file", str(token))
    room = unique("r")
    with Client(administered, channel="games") as luke:
        luke.subscribe(room)
        assert run(None, "publish", room, "hello", env=home).returncode == 0
        assert run(None, "publish", room, "no", "--channel", "default", env=home).returncode == 0
        assert room.encode() in run(None, "room", "list", env=home).stdout
        assert room.encode() not in run(None, "room", "list", "--channel", "default", env=home).stdout
        shown = run(None, "history", "show", room, "--json", env=home).stdout.splitlines()
        assert [json.loads(line)["message"] for line in shown] == ["hello"]
        web = run(None, "room", "list", "--context", "web", "--channel", "games", env=home)
        assert room.encode() in web.stdout, web.stderr
        web = run(None, "room", "list", "--channel", "games", env={**home, "ROOMLINE_CONTEXT": "web"})
        assert room.encode() in web.stdout, web.stderr
        names = ("SERVER", "CONTEXT", "TOKEN", "ADMIN_SOCKET", "DATA", "CONFIG")
        blank = {**home, **{f"ROOMLINE_{name}": blank for name, blank in zip(names, ("", " ", "\t", "", " ", ""), strict=True)}}
        assert run(None, "publish", room, "a blank variable is not set", env=blank).returncode == 0
        assert room.encode() in run(None, "room", "list", env=blank).stdout
    result = run(None, "publish", room, "x", "--context", "web", env=home)
    assert result.returncode == 64 and b"names no server" in result.stderr
    # The environment overrides the context that is in use.
    result = run(None, "room", "list", env={**home, "ROOMLINE_ADMIN_SOCKET": "/nonexistent/a.sock"})
    assert result.returncode == 69 and b"/nonexistent/a.sock" in result.stderr


def test_a_context_without_an_admin_token_says_that_it_can_keep_one(administered, home):
    context(home, "add", "web", "--admin-server", f"http://127.0.0.1:{administered.http_port}", "--use")
    hint = b'"roomline context add web --replace" with --admin-token-file FILE keeps one in the context'
    result = run(None, "room", "list", env=home)
    assert result.returncode == 1 and hint in result.stderr, result.stderr


def test_contexts_are_listed_used_and_removed(home, tmp_path):
    context(home, "add", "prod", "--server", "tls://chat.example:10000", "--token-file", "relative.token")
    context(home, "add", "test", "--data", "/srv/test", "--use")
    listed = [json.loads(line) for line in context(home, "list", "--json").stdout.splitlines()]
    assert [(one["name"], one["current"]) for one in listed] == [("prod", False), ("test", True)]
    assert listed[0]["token_file"].startswith("/") and listed[0]["token_file"].endswith("/relative.token")
    lines = context(home, "list").stdout.decode().splitlines()
    assert lines[2].split() == ["*", "test", "-", "/srv/test", "-"]
    file = tmp_path / "config/roomline/contexts.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert b"--replace" in context(home, "add", "prod", "--data", "/x", code=1).stderr
    context(home, "add", "prod", "--data", "/x", "--replace")
    assert b"did you mean prod?" in context(home, "use", "prd", code=64).stderr
    context(home, "use", "prod")
    context(home, "remove", "prod")
    context(home, "use", "--none")
    assert [json.loads(line)["current"] for line in context(home, "list", "--json").stdout.splitlines()] == [False]
    for wrong in (["add", "x"], ["add", "a b", "--data", "/x"], ["use"], ["add", "x", "--server", "ftp://x"]):
        context(home, *wrong, code=64)
    assert b"unencrypted" in context(home, "add", "x", "--admin-server", "http://chat.example", code=64).stderr
    file.write_text("{")
    assert b"repair it" in run(None, "stats", env=home).stderr


def test_the_broker_does_not_mind_a_context(administered):
    with Command(None, "serve", "--print-config", env={"ROOMLINE_CONTEXT": "prod"}) as command:
        assert command.end() == 0


@pytest.mark.parametrize(
    "content,part",
    [
        ("one\ntwo\n", "has 2 lines"),
        ("\n \n", "is empty"),
        (None, "is a directory"),
        (b"\xff\xfe", "is not a text"),
    ],
)
@pytest.mark.parametrize("command", [["publish", "r", "x"], ["stats", "--server", "http://127.0.0.1:1"]])
def test_a_bad_token_file_is_described(tmp_path, content, part, command):
    file = tmp_path / "t"
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    result = run(None, *command, "--token-file", str(file))
    assert result.returncode == 64 and part.encode() in result.stderr, result.stderr
    result = run(None, *command, "--token-file", str(tmp_path / "none"))
    assert result.returncode == 64 and b"does not exist" in result.stderr
