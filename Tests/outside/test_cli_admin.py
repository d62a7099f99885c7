"""roomline admin-token, --trust and manual: how to be let in from elsewhere, and the page that tells of all commands."""

import json
import os
import re
import shutil
import stat
import subprocess

import pytest

from cli import Shell
from command import Terminal, run

TOKEN = re.compile(r"rla_[A-Za-z0-9_-]{43}")


def test_a_token_is_shown_once_and_lets_in_until_it_is_deleted(shell, administered):
    made = shell.run("admin-token", "create", "ops", "--scope", "read", "--scope", "manage")
    token = made.stdout.decode().strip()
    assert made.returncode == 0 and TOKEN.fullmatch(token) and b"not shown again" in made.stderr
    place = ["--server", f"http://127.0.0.1:{administered.http_port}"]
    listed = run(None, "admin-token", "list", *place, "--json", env={"ROOMLINE_TOKEN": token})
    (shown,) = [json.loads(line) for line in listed.stdout.splitlines()]
    assert shown["name"] == "ops" and shown["scopes"] == ["read", "manage"] and shown["expires_at"] is None
    head, row = shell.says("admin-token", "list")
    assert head.split() == ["NAME", "SCOPES", "SINCE", "UNTIL"] and row.startswith("ops   read, manage  20") and token not in row
    shell.refused(1, "ops", "admin-token", "create", "ops", "--scope", "read")
    shell.refused(64, "--yes", "admin-token", "delete", "ops")
    shell.refused(1, "did you mean ops?", "admin-token", "delete", "opps", "--yes")
    assert shell.says("admin-token", "delete", "ops", "--yes") == []
    assert shell.says("admin-token", "list") == ["NAME  SCOPES  SINCE  UNTIL"]
    refused = run(None, "stats", *place, env={"ROOMLINE_TOKEN": token})
    assert refused.returncode == 1 and token.encode() not in refused.stderr


def test_the_end_of_a_token_is_asked(shell):
    shell.says("admin-token", "create", "asked", "--scope", "read")
    for answer, code in (("n", 1), ("y", 0)):
        with Terminal(None, "admin-token", "delete", "asked", *shell.place) as terminal:
            terminal.see("Go on? [y/N]")
            terminal.type(f"{answer}\n")
            assert terminal.end() == code


def test_a_token_goes_into_a_file_of_ones_own(shell, tmp_path):
    file = tmp_path / "desk.token"
    made = shell.json("admin-token", "create", "desk", "--scope", "moderate", "--expires", "90d", "--output", str(file))
    assert made["name"] == "desk" and "token" not in made and made["expires_at"] > made["created_at"]
    assert TOKEN.fullmatch(file.read_text().strip()) and stat.S_IMODE(file.stat().st_mode) == 0o600
    # Neither a file that is there nor a name that is taken costs anything.
    shell.refused(64, "is there already", "admin-token", "create", "other", "--scope", "read", "--output", str(file))
    shell.refused(1, "desk", "admin-token", "create", "desk", "--scope", "read", "--output", str(tmp_path / "new"))
    assert not (tmp_path / "new").exists() and "other" not in [token["name"] for token in shell.lines("admin-token", "list")]
    shell.refused(64, "No such file", "admin-token", "create", "other", "--scope", "read", "--output", str(tmp_path / "no" / "file"))
    assert shell.says("admin-token", "delete", "desk", "--yes") == []


@pytest.mark.parametrize("flags", [[], ["--scope", "read", "--expires", "0s"], ["--scope", "read", "--expires", "never"]])
def test_what_is_no_token_is_not_made(shell, flags):
    assert shell.run("admin-token", "create", "none", *flags).returncode == 64
    assert shell.lines("admin-token", "list") == []


def test_a_scope_that_there_is_not_is_told_by_the_broker(shell):
    shell.refused(1, "read, moderate, manage", "admin-token", "create", "none", "--scope", "all")


def test_a_certificate_of_ones_own_is_trusted(start, certificate, tmp_path):
    files = ["--tls-certificate", str(certificate[0]), "--tls-key", str(certificate[1])]
    broker = start(*files, admin=tmp_path / "a.sock")
    token = Shell(broker).says("admin-token", "create", "ops", "--scope", "manage")[0]
    env = {"ROOMLINE_TOKEN": token}
    for host in ("localhost", "127.0.0.1"):
        server = ["--server", f"https://{host}:{broker.http_port}"]
        trusted = run(None, "channel", "list", "--json", *server, "--trust", str(certificate[0]), env=env)
        assert trusted.returncode == 0 and json.loads(trusted.stdout)["id"] == "default", trusted.stderr
        refused = run(None, "channel", "list", *server, env=env)
        assert refused.returncode == 69 and b"--trust" in refused.stderr, refused.stderr
    for file in (certificate[1], tmp_path / "nothing"):
        refused = run(None, "channel", "list", *server, "--trust", str(file), env=env)
        assert refused.returncode == 64 and str(file).encode() in refused.stderr
    refused = run(None, "channel", "list", "--trust", str(certificate[0]), "--server", f"http://127.0.0.1:{broker.http_port}", env=env)
    assert refused.returncode == 64 and b"https://" in refused.stderr
    # A certificate that is for another name is none, whoever has signed it.
    other = run(None, "channel", "list", "--server", f"https://127.0.0.2:{broker.http_port}", "--trust", str(certificate[0]), env=env)
    assert other.returncode == 69


def test_the_manual_page_has_every_command_and_no_warnings(tmp_path):
    page = run(None, "manual").stdout
    commands = re.findall(rb'^\.SS "roomline (.*?)["\[A-Z]', page, re.M)
    assert len(commands) > 40 and {b"room slow\\-mode ", b"member ban ", b"admin\\-token create "} <= set(commands)
    file = tmp_path / "roomline.1"
    file.write_bytes(page)
    tools = [["groff", "-man", "-ww", "-Tutf8", "-z", str(file)], ["mandoc", "-Tlint", str(file)]]
    for tool in tools:
        if shutil.which(tool[0]):
            result = subprocess.run(tool, capture_output=True, text=True)
            assert (result.stdout, result.stderr) == ("", ""), tool
