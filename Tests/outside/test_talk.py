"""Two people who chat as the README says, with what everybody has: nc, telnet."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import time

import pytest
import wire_schemas

from broker import PATIENCE

README = (pathlib.Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


class Terminal:
    """A program that somebody types into: `nc` or `telnet`, on a pipe or, as for a person, on a terminal."""

    def __init__(self, *command, terminal=False):
        if shutil.which(command[0]) is None:
            pytest.fail(f"{command[0]} is missing; scripts/setup installs it")
        if terminal:
            self.output, inner = pty.openpty()
            self.input = self.output
        else:
            self.output, inner = os.pipe()
        self.process = subprocess.Popen(
            command, stdin=inner if terminal else subprocess.PIPE, stdout=inner, stderr=subprocess.STDOUT, start_new_session=True
        )
        os.close(inner)
        if not terminal:
            self.input = self.process.stdin.fileno()
        self.seen = ""

    def type(self, text):
        os.write(self.input, text.encode())

    def wait_for(self, pattern):
        """Waits until the output matches, and forgets it up to there."""
        deadline = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.seen)):
            ready, _, _ = select.select([self.output], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise AssertionError(f"{pattern!r} does not come; there is {self.seen!r}")
            data = os.read(self.output, 1 << 16)
            assert data, f"it ended before {pattern!r}; there was {self.seen!r}"
            self.seen += data.decode(errors="replace")
        self.seen = self.seen[found.end() :]
        return found

    def close(self):
        self.process.kill()
        self.process.wait()
        if self.process.stdin:
            self.process.stdin.close()
        os.close(self.output)


@pytest.fixture
def open_terminal():
    terminals = []

    def open_terminal(*command, **options):
        terminals.append(Terminal(*command, **options))
        return terminals[-1]

    yield open_terminal
    for terminal in terminals:
        terminal.close()


def frames_of(terminal, count):
    """The next `count` lines of the terminal, each a valid frame."""
    frames = []
    for _ in range(count):
        line = terminal.wait_for(r"([^\n]*)\n")[1]
        frames.append(wire_schemas.parse(line))
        wire_schemas.validate("broker", frames[-1])
    return frames


def test_two_people_chat_over_nc_with_the_lines_of_the_readme(start, open_terminal):
    broker = start()
    luke_lines, leia_lines = re.findall(r"^```json client\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    luke = open_terminal("nc", "127.0.0.1", str(broker.port))
    luke.type(luke_lines)
    welcome, subscribed, *rest = sorted(frames_of(luke, 5), key=lambda frame: frame.get("callback", 9))
    assert welcome["client_id"] and subscribed["seq"] == 0
    assert {frame.get("type") for frame in rest} == {None, "observable_members", "publish"}

    leia = open_terminal("nc", "127.0.0.1", str(broker.port))
    leia.type(leia_lines)
    seen = [frame for frame in frames_of(leia, 6) if "type" in frame]
    assert [frame["type"] for frame in seen] == ["observable_members", "history_message", "publish"]
    assert [member["clientData"]["name"] for member in seen[0]["data"]] == ["Leia", "Luke"]
    assert seen[1]["sender"]["clientData"] == {"name": "Luke", "color": "#2e7d32"}

    joined, answer = frames_of(luke, 2)
    assert joined["type"] == "observable_member_join" and joined["data"]["clientData"]["name"] == "Leia"
    assert answer["message"] == seen[2]["message"] and answer["id"] == seen[2]["id"]

    broker.kill()
    again = open_terminal("nc", "127.0.0.1", str(start().port))
    again.type("".join(leia_lines.splitlines(keepends=True)[:2]))
    kept = [frame["message"] for frame in frames_of(again, 5) if frame.get("type") == "history_message"]
    assert kept == [seen[1]["message"], seen[2]["message"]]


def test_plain_text_over_nc_reaches_the_json_people(broker, connect, open_terminal):
    luke = connect("Luke")
    luke.subscribe("lobby")
    han = open_terminal("nc", "127.0.0.1", str(broker.port))
    han.type("iam:Han\n")
    han.wait_for("^Han has joined\n")
    han.type("msg:hello\n")
    han.wait_for("^Han: hello\n")
    heard = luke.expect("publish", room="lobby", message="hello")
    assert heard["sender"]["clientData"]["name"] == "Han"
    luke.publish("lobby", "hello, Han")
    han.wait_for("^Luke: hello, Han\n")


def test_plain_text_over_telnet_on_a_terminal(broker, open_terminal):
    people = {}
    for name in ("Chewie", "Han"):
        people[name] = open_terminal("telnet", "127.0.0.1", str(broker.port), terminal=True)
        people[name].wait_for(r"Escape character")
        people[name].type(f"iam:{name}\r")
        people[name].wait_for(rf"(?m)^{name} has joined\r?$")
    people["Chewie"].wait_for(r"(?m)^Han has joined\r?$")
    people["Han"].type("msg:never tell me the odds\r")
    for name in people:
        people[name].wait_for(r"(?m)^Han: never tell me the odds\r?$")
