"""A disk between the broker and its files that kills it at a certain call: disk.c, preloaded into it."""

import contextlib
import os
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(__file__).with_name("disk.c")
NUMBER = struct.Struct("=Q")


class Disk:
    """Compiles disk.c into `directory`. A process that is started with `environment` has its files below `data` on this disk."""

    def __init__(self, directory, data):
        # Swift comes with clang; many machines have it under this name only.
        compiler = shutil.which("cc") or shutil.which("clang")
        if sys.platform != "linux" or compiler is None:
            pytest.skip("disk.c needs Linux and a C compiler, cc or clang")
        library, control = directory / "disk.so", directory / "disk"
        subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", library, SOURCE, "-ldl"], check=True)
        control.write_bytes(bytes(2 * NUMBER.size))
        self.control = os.open(control, os.O_RDWR | os.O_CLOEXEC)
        self.environment = {"LD_PRELOAD": str(library), "DISK_CONTROL": str(control), "DISK_DIRECTORY": str(data)}

    @property
    def calls(self):
        """How many writing system calls there were."""
        return NUMBER.unpack(os.pread(self.control, NUMBER.size, 0))[0]

    def kill_after(self, calls):
        """The process dies at the next call after so many others; half of what that one was to write is written."""
        os.pwrite(self.control, NUMBER.pack(self.calls + calls + 1), NUMBER.size)

    def close(self):
        os.close(self.control)


def check_files(data, copy):
    """Checks a copy of both files: SQLite would take the -wal in when it closes them."""
    shutil.copytree(data, copy)
    for name in ("history.sqlite", "control.sqlite"):
        with contextlib.closing(sqlite3.connect(copy / name)) as file:
            assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)], name
    shutil.rmtree(copy)
