"""roomline channel, audit, completions, and what admin commands say when they cannot do it."""

import json
import os
import re
import shutil
import subprocess
import uuid

import pytest

import stranger
from admin import Admin
from broker import BINARY, Broker
from cli import facts
from command import Terminal, run

SECRET = re.compile(r"[A-Za-z0-9_-]{43}")

FLAGS = ["--channel", "default,history=1000", "--channel", "held,history=5"]


@pytest.fixture
def channel(shell):
    """A channel of the test's own."""
    id = f"c-{uuid.uuid4().hex[:12]}"
    shell.says("channel", "create", id)
    return id


def test_a_channel_lives(shell):
    id = f"life-{uuid.uuid4().hex[:8]}"
    made = shell.run("channel", "create", id, "--auth", "required", "--history", "7", "--name", "Life", "--limit", "rooms=3")
    assert made.returncode == 0 and SECRET.fullmatch(made.stdout.decode().strip())
    assert b"not shown again" in made.stderr
    shown = facts(shell.says("channel", "show", id))
    assert shown["authentication"] == "required" and shown["history"] == "7 messages, 30d" and shown["limits"] == "rooms=3"
    assert shell.json("channel", "show", id)["history"] == {"count": 7, "age_seconds": 2592000}
    changed = facts(shell.says("channel", "set", id, "--grace", "400ms", "--default", "limits", "--if-version", shown["version"]))
    assert changed["grace_seconds"] == "0.4s" and changed["limits"] == "-" and int(changed["version"]) == int(shown["version"]) + 1
    shell.refused(1, "--if-version", "channel", "set", id, "--name", "x", "--if-version", shown["version"])
    long = shell.run("channel", "set", id, "--grace", "4000d")
    assert long.returncode == 64 and b"give at most 3650d" in long.stderr, long
    rotated = shell.run("channel", "rotate-secret", id, "--yes", "--overlap", "1m")
    assert SECRET.fullmatch(rotated.stdout.decode().strip()) and rotated.stdout != made.stdout
    assert facts(shell.says("channel", "show", id))["previous_secrets"].startswith("taken until 20")
    assert shell.says("channel", "delete", id, "--yes") == []
    shell.refused(1, "there is no channel", "channel", "show", id)


def test_a_new_channel_says_what_it_keeps(shell):
    id = f"new-{uuid.uuid4().hex[:8]}"
    told = shell.run("channel", "create", id).stderr.decode()
    assert "its rooms keep 1000 messages, 30d" in told, told
    assert facts(shell.says("channel", "set", id, "--history", "off", "--yes"))["history"] == "off"
    assert facts(shell.says("channel", "set", id, "--default", "history"))["history"] == "1000 messages, 30d"
    for wrong in ("history_age=1h", "history-age", "history=5"):
        shell.refused(64, f'--default cannot be "{wrong}": give one of name, authentication, token_expiry, history, ', "channel", "set", id, "--default", wrong)
    less = ["channel", "set", id, "--history", "5", "--history-age", "1h"]
    assert facts(shell.says(*less, "--yes"))["history"] == "5 messages, 1h"
    assert facts(shell.says("channel", "set", id, "--default", "history"))["history"] == "1000 messages, 30d"
    told = shell.run("channel", "create", f"{id}-off", "--history", "off").stderr.decode()
    assert "its rooms keep no history; \"roomline channel set" in told, told
    told = shell.run("channel", "create", f"{id}-log", "--history", "off", "--history-rule", "^log=9").stderr.decode()
    assert "no history, but for those of its history rules" in told, told


def test_the_same_as_json(shell):
    id = f"json-{uuid.uuid4().hex[:8]}"
    created = shell.json("channel", "create", id, "--history", "off")
    assert SECRET.fullmatch(created["secret"]) and created["history"] is None
    assert shell.json("channel", "set", id, "--name", "Ü")["name"] == "Ü"
    rotated = shell.json("channel", "rotate-secret", id, "--yes", "--overlap", "0s")
    assert rotated["previous_secrets"] == [] and rotated["secret"] != created["secret"]
    assert shell.lines("channel", "delete", id, "--yes") == []


def test_the_list_has_all(shell, channel):
    ids = [line["id"] for line in shell.lines("channel", "list")]
    head, *rows = shell.says("channel", "list")
    assert ids == sorted(ids) and {channel, "default", "held"} <= set(ids)
    assert head.split() == ["CHANNEL", "AUTHENTICATION", "HISTORY", "DURABILITY", "PRESENCE", "VERSION", "NAME"]
    assert [row.split()[0] for row in rows] == ids


def test_a_table_obeys_nobody(shell, channel, administered):
    admin = Admin(administered)
    # No API lets control characters into a name; what is no control character can still turn the reading direction.
    admin.done("PATCH", f"/channels/{channel}", {"name": "\u202eevil"})
    admin.close()
    assert any(row.endswith("  evil") for row in shell.says("channel", "list"))


def test_a_locked_setting_names_the_flag(shell):
    shell.refused(1, "--channel held,history=5", "channel", "set", "held", "--history", "7")
    assert "history" in facts(shell.says("channel", "show", "held"))["locked"]


def test_an_origin_that_no_browser_sends_is_refused_with_the_one_that_works(shell, channel):
    for origin in ("https://app.example:443", "https://app.example:0443", "wss://app.example", "https://App.example/"):
        shell.refused(1, "give https://app.example, which is what browsers send", "channel", "set", channel, "--origin", origin)
    assert shell.json("channel", "set", channel, "--origin", "https://app.example")["allowed_origins"] == ["https://app.example"]


def test_what_is_destructive_is_asked(shell, channel):
    for command in (["delete", channel], ["rotate-secret", channel]):
        shell.refused(64, "--yes", "channel", *command)
    for answer, code in (("n", 1), ("y", 0)):
        with Terminal(None, "channel", "delete", channel, *shell.place) as terminal:
            terminal.see("Go on? [y/N]")
            terminal.type(f"{answer}\n")
            assert terminal.end() == code
    shell.refused(1, "there is no channel", "channel", "show", channel)


def test_a_change_that_has_rooms_keep_less_is_asked(shell, channel):
    kept = ["channel", "set", channel]
    loses = f"this has rooms of {channel} keep less than now"
    for less in (["--history", "off"], ["--history", "999"], ["--history-age", "29d"], ["--history-rule", "^log=10"]):
        shell.refused(64, loses, *kept, *less)
    shell.says(*kept, "--history", "2000", "--history-age", "40d", "--history-rule", "^big=5000")
    for less in (["--default", "history"], ["--default", "history_rules"], ["--history-rule", "^big=4000"]):
        shell.refused(64, loses, *kept, *less)
    assert shell.json(*kept, "--history-rule", "^big=6000")["history_rules"][0]["history"] == {"count": 6000, "age_seconds": 40 * 86400}
    with Terminal(None, *kept, "--history", "7", *shell.place) as terminal:
        terminal.see("Go on? [y/N]")
        shell.says(*kept, "--name", "shop")
        terminal.type("y\n")
        assert terminal.end() == 1
        terminal.see("--if-version")
    assert facts(shell.says(*kept, "--history", "off", "--yes"))["history"] == "off"
    assert facts(shell.says(*kept, "--history", "off"))["history"] == "off"
    shell.refused(1, "this channel has none: give history.count, too", *kept, "--history-age", "3d")


def test_only_a_channel_that_takes_tokens_is_said_to_lose_some(shell, channel):
    command = ["channel", "rotate-secret", channel]
    assert "token" not in shell.refused(64, f"this ends the secret of {channel} in a day; ", *command)
    shell.says("channel", "set", channel, "--auth", "required")
    shell.refused(64, f"this ends the secret of {channel} at once, and the tokens that", *command, "--overlap", "0s")
    shell.refused(1, "there is no channel", "channel", "rotate-secret", channel + "-x")


def test_a_name_that_is_near_is_told(shell, channel):
    assert shell.refused(1, f"did you mean {channel}?", "channel", "show", channel[:-1])
    shell.refused(1, "\"roomline channel list\"", "channel", "show", "nothing-like-it-at-all")
    shell.refused(1, "none, optional, required", "channel", "set", channel, "--auth", "sometimes")


def test_no_broker_says_what_to_do(tmp_path):
    place = ["--data", str(tmp_path)]
    result = run(None, "channel", "list", *place)
    assert result.returncode == 69 and b"\"roomline serve\" starts one" in result.stderr
    (tmp_path / "admin.sock").write_text("")
    assert run(None, "channel", "list", *place).returncode == 69
    broker = Broker(tmp_path / "data", admin=tmp_path / "b.sock")
    try:
        broker.listening()
        broker.kill()
        result = run(None, "channel", "list", "--socket", str(tmp_path / "b.sock"))
        assert result.returncode == 69 and b"does not run any more" in result.stderr
    finally:
        broker.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_socket_of_somebody_else_says_what_to_do(tmp_path, shell):
    path = tmp_path / "admin.sock"
    os.link(shell.place[1], path)
    result = stranger.run("channel", "list", "--socket", str(path))
    assert result.returncode == 69 and b"sudo" in result.stderr, result.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_another_user_can_run_what_only_root_can_read(tmp_path):
    """A clone in the home directory of root, as in most containers."""
    clone = tmp_path / "clone"
    clone.mkdir(mode=0o700)
    shutil.copy(BINARY, clone)
    assert not stranger.is_open(clone / BINARY.name)
    result = stranger.run("--version", binary=clone / BINARY.name)
    assert result.returncode == 0 and result.stdout, result.stderr


def test_over_http_a_token_decides(shell, administered, tmp_path):
    admin = Admin(administered)
    tokens = {scope: admin.done("POST", "/tokens", {"name": scope, "scopes": [scope]})["token"] for scope in ("read", "moderate")}
    admin.close()
    place = ["--server", f"http://127.0.0.1:{administered.http_port}"]
    secret = tmp_path / "token"
    secret.write_text(tokens["read"] + "\n")
    assert json.loads(run(None, "stats", *place, "--json", "--token-file", str(secret)).stdout)
    refused = run(None, "audit", *place, "--token-file", str(secret))
    assert refused.returncode == 1 and b"this needs the scope moderate; the token read has read" in refused.stderr
    assert run(None, "audit", *place, env={"ROOMLINE_TOKEN": tokens["moderate"]}).returncode == 0
    refused = run(None, "stats", *place)
    assert refused.returncode == 1 and b"ROOMLINE_TOKEN" in refused.stderr
    assert run(None, "stats", "--server", "http://192.0.2.1:80", env={"ROOMLINE_TOKEN": "x"}).returncode == 64
    assert run(None, "stats", "--server", "http://127.0.0.1:1", env={"ROOMLINE_TOKEN": "x"}).returncode == 69


def test_the_audit_log_has_who_did_what(shell, channel):
    entries = shell.lines("audit", "--limit", "1", "--action", "channel.create")
    assert [entry["target"] for entry in entries] == [channel] and entries[0]["actor"] == f"uid:{os.geteuid()}"
    head, *rows = shell.says("audit", "--limit", "3")
    assert head.split() == ["TIME", "WHO", "FROM", "WHAT", "ON", "DETAILS"] and len(rows) == 3
    assert shell.lines("audit", "--actor", "uid:4294967294") == []
    for option, value, part in (
        ("--action", "nonsense", b"sanction.impose"),
        ("--action", "bann", b"did you mean ban?"),
        ("--actor", "leia", b"member:leia"),
    ):
        refused = shell.run("audit", option, value)
        assert refused.returncode == 64 and part in refused.stderr and refused.stdout == b"", refused.stderr


def test_the_audit_log_knows_the_words_of_the_commands(shell, channel):
    for word in ("ban", "mute", "unban"):
        shell.says("member", word, "--user", "luke", "--channel", channel)
    for word in ("ban", "mute", "unban", "unmute"):
        entries = [entry for entry in shell.lines("audit", "--action", word, "--limit", "10000") if entry["target"] == channel]
        assert len(entries) == (0 if word == "unmute" else 1), (word, entries)
        assert all(entry["details"]["kind"] == word.removeprefix("un") for entry in entries)
    (newest,) = shell.lines("audit", "--action", "ban", "--limit", "1")
    assert newest["target"] == channel and newest["details"]["kind"] == "ban"


def test_stats_tell_what_is_there(shell):
    shown = shell.json("stats")
    assert {"connections", "rooms", "publishes", "deliveries"} <= set(shown)
    lines = shell.says("stats")
    assert facts(lines)["connections"] == str(shown["connections"])
    assert any(line.split() == ["CONNECTIONS", "ROOMS", "MESSAGES", "STORED", "CHANNEL"] for line in lines)


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_shells_are_helped(name):
    result = run(None, "completions", name)
    assert result.returncode == 0
    for word in (b"rotate-secret", b"slow-mode", b"unmute", b"redact", b"admin-token", b"dry-run", b"manual"):
        assert word in result.stdout, word


COMMANDS = [
    *(f"channel {name}" for name in ("list", "show", "create", "set", "rotate-secret", "notice", "delete")),
    *(f"room {name}" for name in ("list", "show", "lock", "unlock", "slow-mode", "limit", "notice", "clear")),
    *(f"member {name}" for name in ("list", "show", "kick", "ban", "unban", "mute", "unmute", "bans", "mutes")),
    *(f"token {name}" for name in ("make", "inspect", "verify")),
    *(f"admin-token {name}" for name in ("create", "list", "delete")),
    *(f"history {name}" for name in ("show", "search", "redact", "export", "import", "prune")),
    *("stats", "trace", "audit"),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_examples(command):
    text = run(None, *command.split(), "--help").stdout.decode()
    assert f"  roomline {command}" in text and "EXIT CODES" in text and "--json" in text


@pytest.mark.parametrize("columns", [40, 60, 72, 79, 80, 120])
@pytest.mark.parametrize("command", ["", "serve", "chat", "publish", "tail", "completions", "member ban", "token make", "audit"])
def test_a_help_is_wrapped_once_for_its_terminal(command, columns):
    def text(columns):
        return run(None, *command.split(), "--help", env={"COLUMNS": str(columns)}).stdout.decode()

    def examples(text):
        part = text.split("\nEXAMPLES\n")[1:]
        return [line for line in (part[0].split("\n\n")[0].splitlines() if part else []) if re.match(r"  \S", line)]

    shown = text(columns)
    for line in shown.splitlines():
        assert len(line) <= columns or len(line.split()) <= 2, line
    unfolded = re.sub(r" \\\n +", " ", shown)
    assert examples(unfolded) == examples(text(10_000))
    # Nothing is lost, and no text has blanks in it.
    assert " ".join(unfolded.split()) == " ".join(text(10_000).split())
    assert not [line for line in shown.splitlines() if re.match(r"\S", line) and re.search(r"\S {2,}\S", line)]
    # A text that is set in goes on where it is set in.
    if command == "serve":
        options = shown.split("\n\nUSAGE:")[0].split("\nLISTENING\n")[1]
        assert all(re.match(r"  |[A-Z0-9 ,]+$|$", line) for line in options.splitlines()), options


def test_colours_are_for_terminals_that_want_them(shell, administered):
    for env, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        with Terminal(None, "channel", "list", *shell.place, env=env) as terminal:
            assert terminal.end() == 0
            assert (b"\x1b[2m" in terminal.raw) == (coloured or "NO_COLOR" in env)
            assert b"\x1b[38" not in terminal.raw
    assert b"\x1b" not in shell.run("channel", "list").stdout


def test_a_reader_that_goes_is_no_failure(shell):
    command = " ".join([str(BINARY), "channel", "list", "--json", *shell.place])
    result = subprocess.run(["bash", "-c", f"set -o pipefail; {command} | true"], capture_output=True)
    assert result.returncode == 0 and result.stderr == b""
