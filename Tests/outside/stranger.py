"""The binary as another user of this machine runs it. Only root can become somebody else."""

import atexit
import functools
import os
import pathlib
import shutil
import subprocess
import tempfile

from broker import BINARY, PATIENCE

USER = 65_534


def run(*arguments, binary=BINARY, **options):
    """Runs it to its end as a user without rights."""
    binary, libraries = readable(binary)
    env = {"HOME": "/", **options.pop("env", {})}
    if libraries:
        env["LD_LIBRARY_PATH"] = str(libraries)
    return subprocess.run(
        [str(binary), *arguments], capture_output=True, timeout=PATIENCE, preexec_fn=lambda: os.setuid(USER), env=env, **options
    )


@functools.cache
def readable(binary):
    """A binary that everybody may run, and the directory of those libraries that are not where everybody may read them: a clone, or
    a Swift, in the home directory of root is for root alone."""
    listing = subprocess.run(["ldd", binary], capture_output=True, text=True, check=True).stdout
    files = [pathlib.Path(word) for line in listing.splitlines() if "=>" in line for word in line.split() if word.startswith("/")]
    private = [path for path in (binary, *files) if not is_open(path)]
    if not private:
        return binary, None
    directory = pathlib.Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, directory)
    directory.chmod(0o755)
    for path in private:
        shutil.copy(path, directory)
    return directory / binary.name if binary in private else binary, directory


def is_open(path):
    """Whether everybody may read it: by its own rights, and by those of all directories above it."""
    path = path.resolve()
    return path.stat().st_mode & 0o004 and all(place.stat().st_mode & 0o001 for place in path.parents)
