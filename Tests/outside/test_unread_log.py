"""Nobody reads the log: a terminal with Ctrl-S, a pipe whose reader has other things to do. The broker goes on, and says later how
much of the log is missing."""

import urllib.request

import pytest

from client import Client

CONNECTIONS = 1_500
"""Each has three lines of log, so all of them have more than a pipe and the queue of the broker take."""


@pytest.fixture(params=[False, True], ids=["pipe", "terminal"])
def unread(start, request):
    """A broker that logs much, and whose log nobody reads any more."""
    broker = start("--log-level", "debug", terminal=request.param)
    broker.reads_log.clear()
    # the thread is within a read of one more line
    Client(broker, "Last").close()
    return broker


def fill(broker):
    for number in range(CONNECTIONS):
        Client(broker, f"P{number}").close()


def test_everything_else_goes_on_and_the_log_says_what_is_missing(unread):
    with Client(unread, "Ann") as ann:
        ann.subscribe("room")
        fill(unread)
        ann.publish("room", "still here")
        with urllib.request.urlopen(f"http://127.0.0.1:{unread.http_port}/health/live") as response:
            assert response.status == 200
        unread.reads_log.set()
        record = unread.wait_for_log(lambda record: "dropped" in record["metadata"], "how many lines are missing")
        assert record["level"] == "warning" and int(record["metadata"]["dropped"]) > 0
        lines = [line for line in unread.records() if line["message"] in ("connection opened", "handshake accepted", "connection closed")]
        # every line is there or is counted; some come later
        assert len(lines) + int(record["metadata"]["dropped"]) >= 3 * CONNECTIONS
        with Client(unread, "Bob") as bob:
            unread.wait_for_log(lambda record: record["metadata"].get("client.id") == bob.id, "what comes next")
    assert unread.terminate() == 0


def test_sigterm_ends_a_broker_whose_log_nobody_reads(unread):
    fill(unread)
    with Client(unread, "Ann") as ann:
        ann.subscribe("room")
        unread.process.terminate()
        ann.goodbye("shutting_down")
    assert unread.process.wait(60) == 0


def test_the_last_lines_are_written_before_the_end(start):
    broker = start()
    assert broker.terminate() == 0
    # the look at the history file may end with it
    assert "stopped" in [record["message"] for record in broker.records()][-2:]
