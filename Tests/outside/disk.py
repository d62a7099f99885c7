"""A disk between the broker and its files that kills it at a certain call, is slow, or fails: disk.c, preloaded into it."""

import contextlib
import os
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import sys
import time

import pytest

from broker import PATIENCE

SOURCE = pathlib.Path(__file__).with_name("disk.c")
NUMBER = struct.Struct("=Q")
SECTOR, PAGE = 512, 4096
RESERVE = "reserve"
"""A file of a data directory that has nothing in it."""


class Disk:
    """Compiles disk.c into `directory`. A process that is started with `environment` has its files below `data` on this disk."""

    def __init__(self, directory, data):
        # Swift comes with clang; many machines have it under this name only.
        compiler = shutil.which("cc") or shutil.which("clang")
        if sys.platform != "linux" or compiler is None:
            pytest.skip("disk.c needs Linux and a C compiler, cc or clang; on Debian: apt-get install gcc libc6-dev")
        library, control = directory / "disk.so", directory / "disk"
        subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", library, SOURCE, "-ldl"], check=True)
        control.write_bytes(bytes(8 * NUMBER.size))
        self.control = os.open(control, os.O_RDWR | os.O_CLOEXEC)
        self.stable = directory / "stable"
        """The files as a power cut leaves them now, if the process was started with `unreliable`."""
        self.stable.mkdir(mode=0o700)
        self.environment = {"LD_PRELOAD": str(library), "DISK_CONTROL": str(control), "DISK_DIRECTORY": str(data)}

    @property
    def unreliable(self):
        """The environment of a process of which `stable` has what it has synced."""
        return {**self.environment, "DISK_STABLE": str(self.stable)}

    def _number(self, place):
        return NUMBER.unpack(os.pread(self.control, NUMBER.size, place * NUMBER.size))[0]

    def _set(self, place, number):
        os.pwrite(self.control, NUMBER.pack(number), place * NUMBER.size)

    @property
    def calls(self):
        """How many writing system calls there were."""
        return self._number(0)

    def kill_after(self, calls):
        """The process dies at the next call after so many others; half of what that one was to write is written, or nothing of less than a sector."""
        self._set(1, self.calls + calls + 1)

    def kill_in_copy(self, pages):
        """The process dies when, after so many others, a page is written into history.sqlite itself, as a checkpoint does it."""
        self._set(6, self._number(5) + pages + 1)

    @property
    def died_copying(self):
        """Whether a process has died at such a page."""
        return bool(self._number(7))

    def forget(self):
        """Nothing of what was asked for happens any more."""
        for place in (1, 2, 6, 7):
            self._set(place, 0)

    def fail_syncs(self, count):
        """So many of the next syncs of a -wal fail, and lose what they were for."""
        self._set(2, count)

    @property
    def failing(self):
        """How many syncs are still to fail."""
        return self._number(2)

    @contextlib.contextmanager
    def holding_syncs(self):
        """No sync of a -wal ends meanwhile."""
        self._set(3, 1)
        try:
            yield
        finally:
            self._set(3, 0)

    def wait_until_held(self):
        """Waits until a sync waits."""
        deadline = time.monotonic() + PATIENCE
        while self._number(4) == 0:
            assert time.monotonic() < deadline, "no sync has begun"
            time.sleep(0.001)

    def take_as_synced(self, data):
        """The files of `data` are on the disk as they are; no process may have them."""
        shutil.rmtree(self.stable)
        shutil.copytree(data, self.stable, ignore=shutil.ignore_patterns(RESERVE))

    def cut_power(self, data, choice=None):
        """What is left of the files, as `data`; the process has to be gone. With `choice`, any part of what was not synced is there.
        Returns the names of the files of which there is such a part."""
        parts = []
        if choice is not None:
            unit = choice.choice([SECTOR, PAGE, 1 << 40])
            for path in sorted(self.stable.iterdir()):
                written = data / path.name
                if path.name != RESERVE and path.is_file() and written.is_file() and not path.name.endswith("-shm"):
                    synced = path.read_bytes()
                    path.write_bytes(left := torn(synced, written.read_bytes(), unit, choice))
                    parts += [path.name] if left != synced else []
        shutil.rmtree(data)
        shutil.copytree(self.stable, data)
        return parts

    def close(self):
        os.close(self.control)


def torn(synced, written, unit, choice):
    """The bytes of a file of which, behind its last sync, some units of `written` have got to the disk."""
    chance = choice.choice([0.1, 0.5, 0.9])
    length = choice.choice([len(synced), len(written)])
    result = bytearray(synced[:length].ljust(length, b"\0"))
    for begin in range(0, min(length, len(written)), unit):
        if choice.random() < chance:
            end = min(begin + unit, length, len(written))
            result[begin:end] = written[begin:end]
    return result


def check_files(data, copy):
    """Checks a copy of both files: SQLite would take the -wal in when it closes them."""
    shutil.copytree(data, copy, ignore=shutil.ignore_patterns(RESERVE))
    for name in ("history.sqlite", "control.sqlite"):
        with contextlib.closing(sqlite3.connect(copy / name)) as file:
            assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)], name
    shutil.rmtree(copy)
