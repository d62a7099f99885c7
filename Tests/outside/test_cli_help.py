"""Help and hints of commands, as somebody meets them who types for the first time."""

import pathlib
import tempfile

import pytest

import stranger
from broker import run_to_end

PRIVILEGED = int(pathlib.Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text())
"""The first port that needs no right."""


@pytest.mark.parametrize("words", [(), ("serve",), ("chat",), ("channel", "create"), ("member", "unmute"), ("room", "list"), ("history", "show")])
def test_a_short_h_is_help_everywhere(words):
    told = run_to_end(*words, "-h")
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout == run_to_end(*words, "--help").stdout
    assert f"USAGE: {' '.join(('roomline', *words))} " in told.stdout


def test_the_word_for_the_end_of_a_mute_is_lift():
    assert "Lift a mute" in run_to_end("member", "unmute", "--help").stdout


@pytest.mark.skipif(PRIVILEGED <= 80, reason="everybody may listen on port 80 here")
def test_a_port_that_needs_a_right_says_which():
    # where another user may write
    with tempfile.TemporaryDirectory() as directory:
        pathlib.Path(directory).chmod(0o777)
        told = stranger.run("serve", "--data", f"{directory}/data", "--tcp", "127.0.0.1:80", "--http", "off")
    assert told.returncode != 0 and b"CAP_NET_BIND_SERVICE" in told.stderr
