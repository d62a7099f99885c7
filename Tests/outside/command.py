"""The client commands of the built binary as processes: in a pipe, or at a terminal."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import threading
import time
import unicodedata

from broker import BINARY, PATIENCE


def environment(env=None):
    """Ours only: no variable of the shell decides about a test."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("ROOMLINE_") and key not in ("NO_COLOR", "COLORTERM")}
    return {**kept, "TERM": "xterm-256color", "TZ": "UTC", "USER": "tester", "XDG_CONFIG_HOME": "/nonexistent", **(env or {})}


def arguments(broker, command):
    """`broker`: one that runs, a URL, or None for commands that say by themselves where it is."""
    if broker is None:
        return [str(BINARY), *command]
    server = broker if isinstance(broker, str) else f"tcp://127.0.0.1:{broker.port}"
    return [str(BINARY), *command, "--server", server]


class Command:
    """A command with pipes. What it writes is read as it comes, line by line."""

    def __init__(self, broker, *command, env=None, stdin=subprocess.PIPE, stdout=subprocess.PIPE):
        self.process = subprocess.Popen(
            arguments(broker, command), stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, env=environment(env)
        )
        self.lines, self.errors = [], []
        self._read = 0
        self._news = threading.Condition()
        pairs = [(self.process.stdout, self.lines), (self.process.stderr, self.errors)]
        self._readers = [threading.Thread(target=self._follow, args=pair, daemon=True) for pair in pairs if pair[0]]
        for reader in self._readers:
            reader.start()

    def _follow(self, stream, lines):
        for line in stream:
            with self._news:
                lines.append(line.decode().rstrip("\n"))
                self._news.notify_all()
        with self._news:
            self._news.notify_all()

    def say(self, *lines):
        self.process.stdin.write("".join(line + "\n" for line in lines).encode())
        self.process.stdin.flush()

    def wait(self, condition, what):
        deadline = time.monotonic() + PATIENCE
        with self._news:
            while not (found := condition()):
                left = deadline - time.monotonic()
                assert left > 0, f"{what} did not happen; output: {self.lines[-20:]}, errors: {self.errors}"
                over = not any(reader.is_alive() for reader in self._readers)
                assert not over, f"it ended without {what}; output: {self.lines[-20:]}, errors: {self.errors}"
                self._news.wait(min(left, 0.5))
            return found

    def next(self):
        """The next line that it writes."""
        self.wait(lambda: len(self.lines) > self._read, "a line")
        self._read += 1
        return self.lines[self._read - 1]

    def wait_for_error(self, part):
        self.wait(lambda: any(part in line for line in self.errors), f"an error with {part!r}")

    def end(self, send=None):
        """Its exit code, once it has ended by itself, or by a signal."""
        if send is not None:
            self.process.send_signal(send)
        elif self.process.stdin:
            self.process.stdin.close()
        code = self.process.wait(PATIENCE)
        for reader in self._readers:
            reader.join(PATIENCE)
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE)
        for reader in self._readers:
            reader.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream and not stream.closed:
                try:
                    stream.close()
                except BrokenPipeError:
                    pass


def run(broker, *command, input=None, env=None):
    """Runs a command to its end."""
    stdin = {"stdin": subprocess.DEVNULL} if input is None else {"input": input if isinstance(input, bytes) else input.encode()}
    return subprocess.run(arguments(broker, command), capture_output=True, timeout=PATIENCE, env=environment(env), **stdin)


class Terminal:
    """A command at a terminal of its own, and what stands on the screen."""

    opened = []
    """Whoever waits reads from all of them: a command stops at a terminal that nobody reads from."""

    def __init__(self, broker, *command, columns=80, rows=24, env=None, screen=None):
        self.master, slave = pty.openpty()
        self.slave = os.dup(slave)
        self.screen = (screen or Screen)(columns, rows)
        self.raw = b""
        self.resize(columns, rows, tell=False)
        self.before = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen(
            arguments(broker, command),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment(env),
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        Terminal.opened.append(self)

    def resize(self, columns, rows, tell=True):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if tell:
            self.screen.resize(columns, rows)

    def type(self, text):
        os.write(self.master, text.encode())

    @staticmethod
    def _fill(patience):
        terminals = {terminal.master: terminal for terminal in Terminal.opened}
        ready = select.select(list(terminals), [], [], patience)[0]
        return any([terminals[master]._read() for master in ready])

    def _read(self):
        try:
            data = os.read(self.master, 65536)
        except OSError:  # the other side is closed
            return False
        self.raw += data
        self.screen.write(data)
        return bool(data)

    def wait(self, condition, what):
        """Reads on until the screen is as it should be."""
        deadline = time.monotonic() + PATIENCE
        while not (found := condition(self.screen.text())):
            assert time.monotonic() < deadline, f"{what} did not happen; the screen:\n" + "\n".join(self.screen.text())
            self._fill(0.5)
        return found

    def see(self, part):
        """Waits for a row with this in it, and returns the row."""
        return self.wait(lambda rows: next((row for row in rows if part in row), None), f"{part!r}")

    def see_not(self, part):
        self.wait(lambda rows: not any(part in row for row in rows), f"the end of {part!r}")

    def end(self, send=None):
        if send is not None:
            self.process.send_signal(send)
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < deadline:
            self._fill(0.1)
        code = self.process.wait(1)
        while self._fill(0):
            pass
        return code

    def is_as_before(self):
        return termios.tcgetattr(self.slave) == self.before

    def hang_up(self):
        Terminal.opened.remove(self)
        os.close(self.slave)
        os.close(self.master)
        self.master = self.slave = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE)
        if self.master is not None:
            self.hang_up()


class Screen:
    """What a terminal makes of the bytes that it gets: as much of one as the chat needs, and nothing else is allowed."""

    SEQUENCE = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])")

    def __init__(self, columns, rows):
        self.columns, self.height = columns, rows
        self.rows = [[]]
        self.row = self.column = 0
        self.pending = b""
        self.styles = set()

    def resize(self, columns, rows):
        """Breaks nothing anew: enough for what is asked afterwards."""
        self.columns, self.height = columns, rows

    def text(self):
        return ["".join(row).rstrip() for row in self.rows]

    def cursor(self):
        return "".join(self.rows[self.row][: self.column])

    def write(self, data):
        data = self.pending + data
        end = len(data)
        # Neither a sequence nor a character is read before it is complete.
        if (escape := data.rfind(b"\x1b")) >= 0 and not self.SEQUENCE.match(data[escape:].decode(errors="replace")):
            end = escape
        while True:
            try:
                text = data[:end].decode()
                break
            except UnicodeDecodeError as error:
                assert error.reason == "unexpected end of data", data
                end = error.start
        self.pending = data[end:]
        position = 0
        while position < len(text):
            if text[position] == "\x1b":
                found = self.SEQUENCE.match(text, position)
                assert found, f"not allowed: {text[position:position + 20]!r}"
                self._obey(*found.groups())
                position = found.end()
            else:
                self._put(text[position])
                position += 1

    def _obey(self, private, numbers, final):
        number = int(numbers) if numbers.isdigit() else 1
        if private:
            assert numbers in ("2004", "1049", "25") and final in "hl", f"not allowed: {numbers}{final}"
        elif final == "A":
            self.row = max(self.row - number, 0)
        elif final == "C":
            self.column = min(self.column + number, self.columns - 1)
        elif final == "H":
            self.row, self.column = max(0, len(self.rows) - self.height), 0
        elif final in "JK":
            del self.rows[self.row][self.column :]
            if final == "J":
                del self.rows[self.row + 1 :]
        else:
            assert final == "m", f"not allowed: {numbers}{final}"
            self.styles.add(numbers)

    def _put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self._down()
        else:
            assert unicodedata.category(character) not in ("Cc", "Zl", "Zp"), f"not allowed: {character!r}"
            wide = unicodedata.east_asian_width(character) in "WF"
            if self.column + 1 + wide > self.columns:
                self.column = 0
                self._down()
            row = self.rows[self.row]
            row.extend(" " * (self.column - len(row)))
            row[self.column : self.column + 1 + wide] = [character, ""] if wide else [character]
            self.column += 1 + wide

    def _down(self):
        self.row += 1
        if self.row == len(self.rows):
            self.rows.append([])
