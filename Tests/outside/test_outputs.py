"""Outputs that cannot be written to: a full disk, a closed descriptor, a pipe whose reader has gone. Each command ends with its
documented code all the same, at once."""

import os
import socket
import subprocess

import pytest

from broker import PATIENCE
from command import arguments, environment


def run(command, output, stream, shell_input=subprocess.DEVNULL):
    """Runs it with one of its streams like this; the other one is read."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    number = {"stdout": 1, "stderr": 2}[stream]
    closes, preexec = [], None
    if output == "full":
        streams[stream] = open("/dev/full", "wb")
        closes.append(streams[stream].close)
    elif output == "gone":
        reader, writer = os.pipe()
        os.close(reader)
        streams[stream] = writer
        closes.append(lambda: os.close(writer))
    else:
        streams[stream] = None
        preexec = lambda: os.close(number)  # noqa: E731
    try:
        return subprocess.run(
            arguments(None, command), stdin=shell_input, env=environment(), timeout=PATIENCE, preexec_fn=preexec, **streams
        )
    finally:
        for close in closes:
            close()


OUTPUTS = ["full", "closed", "gone"]


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(
    "command, code",
    [
        (["serve", "--config", "{bad}"], 78),
        (["serve", "--nonsense", "1"], 64),
        (["serve", "--data", "/proc/none", "--tcp", "127.0.0.1:0", "--http", "off"], 1),
        (["channel", "list", "--socket", "/nonexistent/a.sock"], 69),
        (["channel", "list", "--nonsense"], 64),
        (["nonsense"], 64),
        (["publish", "room", "text", "--server", "tcp://127.0.0.1:1"], 69),
        (["tail", "room", "--server", "tcp://127.0.0.1:1"], 69),
        (["token", "verify", "nonsense", "--secret-file", "/nonexistent"], 64),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_command_that_fails_has_its_code_where_it_cannot_say_why(output, command, code, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('{"max-line": "huge"}')
    command = [word.format(bad=bad) for word in command]
    assert run(command, output, "stderr").returncode == code


PRINTING = [
    ["completions", "bash"],
    ["manual"],
    ["--help"],
    ["help", "channel"],
    ["channel", "list", "--help"],
    ["--version"],
    ["serve", "--print-config", "--data", ":memory:"],
    ["serve", "--print-config", "--json", "--data", ":memory:"],
    ["token", "make", "--help"],
]


@pytest.mark.parametrize("command", PRINTING, ids=" ".join)
def test_what_cannot_be_printed_is_a_failure_with_its_reason(command):
    for output, reason in [("full", b"No space left on device"), ("closed", b"Bad file descriptor")]:
        done = run(command, output, "stdout")
        assert done.returncode == 1, (output, done.stderr)
        assert done.stderr == b"roomline: standard output cannot be written to: " + reason + b"\n"


@pytest.mark.parametrize("command", PRINTING, ids=" ".join)
def test_that_the_reader_has_gone_is_no_failure(command):
    done = run(command, "gone", "stdout")
    assert done.returncode == 0 and done.stderr == b""


@pytest.mark.parametrize("output", ["full", "closed"])
def test_a_list_that_cannot_be_printed_is_a_failure(administered, output):
    for form in ([], ["--json"]):
        done = run(["channel", "list", "--socket", str(administered.admin_socket), *form], output, "stdout")
        assert done.returncode == 1 and done.stderr.startswith(b"roomline: standard output cannot be written to: ")


def test_a_closed_standard_error_is_no_file_of_the_broker(start, tmp_path):
    """The first file that the broker opens would get its number, and the log would be written into it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "n"))
        manager.settimeout(PATIENCE)
        broker = start(preexec=lambda: os.close(2), wait=False, env={"NOTIFY_SOCKET": str(tmp_path / "n")})
        while b"READY=1" not in manager.recv(4096):
            pass
        assert os.readlink(f"/proc/{broker.process.pid}/fd/2") == "/dev/null"
        assert broker.terminate() == 0
