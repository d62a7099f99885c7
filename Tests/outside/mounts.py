"""Disks that only one process sees: in a mount namespace of its own, made before it begins."""

import contextlib
import ctypes
import os
import shutil
import subprocess

NEW_MOUNTS, BIND, REMOUNT, READ_ONLY, RECURSIVE, PRIVATE = 0x20000, 4096, 32, 1, 16384, 1 << 18


def read_only(path):
    """For a process that is about to begin: it sees this directory on a read-only disk."""
    path = str(path).encode()

    def prepare():
        _unshare()
        _mount(path, path, BIND)
        _mount(None, path, BIND | REMOUNT | READ_ONLY)

    return prepare


def small(path, megabytes, fill=lambda: None):
    """For a process that is about to begin: it sees this directory on a disk of this size, of which `fill` takes some already."""

    def prepare():
        _unshare()
        _mount(b"tmpfs", str(path).encode(), 0, b"tmpfs", f"size={megabytes}m,mode=700".encode())
        fill()

    return prepare


@contextlib.contextmanager
def kept(prepare):
    """Keeps a disk that `prepare` puts there for longer than the processes live that begin meanwhile with what this yields."""
    keeper = subprocess.Popen(["sleep", "infinity"], preexec_fn=prepare)

    def enter():
        with open(f"/proc/{keeper.pid}/ns/mnt") as namespace:
            if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), NEW_MOUNTS) != 0:
                raise OSError(ctypes.get_errno(), "setns")

    try:
        yield enter
    finally:
        keeper.kill()
        keeper.wait()


def inside(broker, *command):
    """Runs a command among the files that this broker sees."""
    subprocess.run(["nsenter", "--mount", "--target", str(broker.process.pid), *command], check=True)


def can_mount(path):
    child = os.fork()
    if child == 0:
        try:
            read_only(path)()
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0 and shutil.which("nsenter") is not None


def _unshare():
    if ctypes.CDLL(None, use_errno=True).unshare(NEW_MOUNTS) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    _mount(None, b"/", RECURSIVE | PRIVATE)


def _mount(source, target, flags, kind=None, options=None):
    if ctypes.CDLL(None, use_errno=True).mount(source, target, kind, ctypes.c_ulong(flags), options) != 0:
        raise OSError(ctypes.get_errno(), "mount")
