"""The admin commands against one broker, in both output forms."""

import json
import uuid

from command import run


class Shell:
    """Runs admin commands by the admin socket of a broker, to their end."""

    def __init__(self, broker):
        self.place = ["--socket", str(broker.admin_socket)]

    def run(self, *command, **options):
        return run(None, *command, *self.place, **options)

    def says(self, *command, **options):
        """The lines on standard output; it has to have succeeded."""
        result = self.run(*command, **options)
        assert result.returncode == 0, result.stderr.decode()
        return result.stdout.decode().splitlines()

    def json(self, *command, **options):
        """The one object that it writes with --json."""
        (line,) = self.says(*command, "--json", **options)
        return json.loads(line)

    def lines(self, *command, **options):
        """The objects that it writes with --json, one a line."""
        return [json.loads(line) for line in self.says(*command, "--json", **options)]

    def refused(self, code, part, *command, **options):
        """The one line in which it says why it ends with this exit code."""
        result = self.run(*command, **options)
        errors = result.stderr.decode().splitlines()
        assert result.returncode == code and result.stdout == b"", (result.returncode, result.stdout, errors)
        assert len(errors) == 1 and errors[0].startswith("roomline: ") and part in errors[0], errors
        return errors[0]


def facts(lines):
    """A sheet as a dictionary; what stands below a value is left out."""
    pairs = [line.split("  ", 1) for line in lines if line and line[0] != " "]
    return {name: value.strip() for name, value in pairs}


def unique(prefix):
    return f"{prefix}-{uuid.uuid4().hex[:12]}"


def noted(result):
    """The lines on standard error of what has succeeded."""
    assert result.returncode == 0, result.stderr.decode()
    return result.stderr.decode().splitlines()
