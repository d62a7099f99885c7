"""How often the broker's process asks the C library for memory and the system: counts.c, preloaded into it."""

import collections
import pathlib
import shutil
import struct
import subprocess

SOURCE = pathlib.Path(__file__).with_name("counts.c")
ENTRY = struct.Struct("24sQ")
ALLOCATIONS = {"malloc", "calloc", "realloc", "aligned_alloc", "memalign", "posix_memalign"}
WAKING = {"eventfd_read", "eventfd_write"}


class Counts(collections.Counter):
    """How often each function was called."""

    @property
    def allocations(self):
        return sum(self[name] for name in ALLOCATIONS)

    @property
    def calls(self):
        """System calls, without those by which a thread wakes an event loop: they depend on whether it sleeps just then."""
        return sum(self[name] for name in self.keys() - ALLOCATIONS - WAKING) - self["eventfd_read"]


class Counting:
    """Compiles counts.c into `directory`. A process that is started with `environment` is counted."""

    def __init__(self, directory):
        library, self.file = directory / "counts.so", directory / "counts"
        # Swift comes with clang; many machines have it under this name only.
        compiler = shutil.which("cc") or "clang"
        subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", library, SOURCE, "-ldl"], check=True)
        self.file.touch()
        # With another seed in each process, Swift's hash tables would grow at other times.
        self.environment = {"LD_PRELOAD": str(library), "COUNTS_FILE": str(self.file), "SWIFT_DETERMINISTIC_HASHING": "1"}

    def now(self):
        """The counts since the process began."""
        entries = ENTRY.iter_unpack(self.file.read_bytes())
        return Counts({name.rstrip(b"\0").decode(): count for name, count in entries})
