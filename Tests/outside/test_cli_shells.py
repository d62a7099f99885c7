"""What a shell offers when somebody presses the Tab key, and what the program says to a command that there is not."""

import subprocess
import time

import pytest

from broker import BINARY, PATIENCE
from cli import unique
from client import Client
from command import environment, run


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    directory = tmp_path_factory.mktemp("completion")
    (directory / "bin").mkdir()
    (directory / "bin/roomline").symlink_to(BINARY)
    file = directory / "roomline.bash"
    file.write_bytes(run(None, "completions", "bash").stdout)
    return file


def complete(script, *words):
    """What bash offers for the last of these words."""
    program = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; '
    program += '_roomline roomline "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"; printf "%s\\n" "${COMPREPLY[@]}"'
    env = environment()
    env["PATH"] = f"{script.parent / 'bin'}:{env['PATH']}"
    command = ["bash", "--norc", "-c", program, "-", str(script), "roomline", *words]
    result = subprocess.run(command, capture_output=True, env=env, timeout=PATIENCE)
    assert result.stderr == b"", result.stderr
    return result.stdout.decode().split()


def test_a_shell_offers_commands_options_and_words(script):
    assert complete(script, "channel", "rot") == ["rotate-secret"]
    assert complete(script, "serve", "--max-stored") == ["--max-stored-rooms"]
    assert complete(script, "serve", "--log-level", "deb") == ["debug"]
    assert complete(script, "admin-token", "create", "x", "--scope", "m") == ["moderate", "manage"]
    assert complete(script, "bench", "--workload", "f") == ["fanout"]


def complete_in_time(script, *words):
    """What bash offers once the broker has answered within the second that a shell waits for it."""
    deadline = time.monotonic() + PATIENCE
    while not (offered := complete(script, *words)) and time.monotonic() < deadline:
        pass
    return offered


def test_a_shell_offers_what_the_broker_has(script, administered):
    room, other = unique("here"), unique("there")
    place = ["--socket", str(administered.admin_socket)]
    with Client(administered) as luke:
        luke.subscribe(room)
        luke.subscribe(other)
        assert complete_in_time(script, "channel", "show", *place, "def") == ["default"]
        assert complete_in_time(script, "room", "show", *place, "here") == [room]
        assert complete_in_time(script, "history", "show", *place, "--channel", "def") == ["default"]
        assert complete_in_time(script, "member", "show", *place, room, luke.id[:3]) == [luke.id]
        assert complete_in_time(script, "member", "kick", *place, "--room", "there") == [other]
    assert complete(script, "room", "show", "--socket", "/nonexistent/a.sock", "x") == []


@pytest.mark.parametrize(
    "words,part",
    [
        (["chanel", "list"], 'did you mean "roomline channel"?'),
        (["room", "lst", "--json"], 'did you mean "roomline room list"?'),
        (["help", "memebr"], 'did you mean "roomline member"?'),
        (["xyzzy"], '"roomline --help" lists the commands'),
    ],
)
def test_a_mistyped_command_is_told(words, part):
    result = run(None, *words)
    assert result.returncode == 64 and result.stdout == b"" and part in result.stderr.decode()
