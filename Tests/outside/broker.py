"""The built broker as a process: start it, learn its port, stop or kill it."""

import contextlib
import json
import os
import pathlib
import pty
import signal
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
OLD_BINARY = os.environ.get("ROOMLINE_OLD_BINARY")
"""That of an earlier release, for tests of an upgrade."""
BINARY = pathlib.Path(os.environ.get("ROOMLINE_BINARY", ROOT / ".build" / "debug" / "roomline")).resolve()
PATIENCE = 120
"""Seconds until a test that waits for something gives up. Far above what anything takes, also on a machine that does three other
things; no test waits that long to pass."""


class Broker:
    """One `roomline serve`. Its log is read as it comes, line by line, while `reads_log` is set.

    `terminal`: standard error is one, and no pipe."""

    def __init__(
        self, data, *flags, tcp="127.0.0.1:0", http="127.0.0.1:0", admin="off", env=None, preexec=None, binary=BINARY, terminal=False
    ):
        if not pathlib.Path(binary).exists():
            raise FileNotFoundError(f"{binary} is not built; run make build, or set ROOMLINE_BINARY")
        self.data = pathlib.Path(data) if data != ":memory:" else None
        places = ["--tcp", tcp, "--http", http, "--data", str(data)]
        if admin is not None:
            places += ["--admin-socket", str(admin)]
        self.command = [str(binary), "serve", *places, "--log-format", "json", *flags]
        # An environment of ours only: a ROOMLINE_ variable of the shell must not decide about a test.
        clean = {key: value for key, value in os.environ.items() if not key.startswith("ROOMLINE_")}
        reader, writer = pty.openpty() if terminal else os.pipe()
        self.stderr = os.fdopen(reader, "rb")
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=writer,
            env={**clean, **(env or {})},
            preexec_fn=preexec,
            restore_signals=preexec is None,
        )
        os.close(writer)
        self.log = []
        self.reads_log = threading.Event()
        self.reads_log.set()
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        self.port = None
        self.http_port = None
        self.admin_socket = None

    def _read_log(self):
        try:
            while self.reads_log.wait() and (line := self.stderr.readline()):
                with self._news:
                    self.log.append(line.decode(errors="replace").rstrip("\r\n"))
                    self._news.notify_all()
        except OSError:  # the end of a terminal
            pass
        with self._news:
            self._news.notify_all()

    def records(self):
        """The log lines that are JSON objects."""
        for line in list(self.log):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                yield record

    def wait_for_log(self, matches, what, patience=PATIENCE):
        """The first record for which `matches` is true, waiting for it."""
        deadline = time.monotonic() + patience
        with self._news:
            while True:
                for record in self.records():
                    if matches(record):
                        return record
                left = deadline - time.monotonic()
                if left <= 0 or (self.process.poll() is not None and not self._reader.is_alive()):
                    raise AssertionError(f"the log does not say {what} (exit code {self.process.poll()}):\n{self.tail()}")
                self._news.wait(min(left, 0.5))

    def tail(self, lines=30):
        return "\n".join(self.log[-lines:])

    def listening(self):
        record = self.wait_for_log(lambda record: record.get("message") == "listening", "that it is listening")
        self.port = int(record["metadata"]["tcp.address"].rsplit(":", 1)[1])
        if address := record["metadata"].get("http.address"):
            self.http_port = int(address.rsplit(":", 1)[1])
        self.admin_socket = record["metadata"].get("admin.socket")
        return self

    def is_running(self):
        return self.process.poll() is None

    def resident_bytes(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")

    def processor_seconds(self):
        """Processor time that the process has used; where the system does not tell, the time of day."""
        try:
            return time.clock_gettime((~self.process.pid << 3) | 2)  # CPUCLOCK_SCHED of that process, on Linux
        except OSError:
            return time.monotonic()

    def wait_for_exit(self, patience=PATIENCE):
        code = self.process.wait(patience)
        self.reads_log.set()
        self._reader.join(patience)
        return code

    def kill(self):
        """kill -9: nothing of what the process still meant to do is done."""
        self.process.send_signal(signal.SIGKILL)
        return self.wait_for_exit()

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)
        return self.wait_for_exit()

    def close(self):
        """Whatever became of the test, no process outlives it."""
        if self.is_running():
            self.process.kill()
        self.process.wait(PATIENCE)
        self.reads_log.set()
        self._reader.join(PATIENCE)
        with contextlib.suppress(OSError):  # pytest keeps the directories of three runs, and each has 64 MiB of reserve
            os.unlink(f"{self.data}/reserve")
        self.stderr.close()


def run_to_end(*arguments, env=None, stdin=subprocess.DEVNULL, **options):
    """Runs the binary until it ends by itself; for what it refuses and prints."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ROOMLINE_")}
    return subprocess.run(
        [str(BINARY), *arguments], capture_output=True, text=True, timeout=PATIENCE, env={**clean, **(env or {})}, stdin=stdin, **options
    )


def alarms(broker, *, expected=()):
    """Log records of level error and above that no test asked for."""
    return [
        record
        for record in broker.records()
        if record.get("level") in ("error", "critical") and not any(word in json.dumps(record) for word in expected)
    ]


