"""The broker dies at any of its writing system calls, also half-way: what it had acknowledged is there, once and in order."""

import os

from client import Client, Closed
from disk import check_files
from seeds import choices
from test_durability import history

ROUNDS = int(os.environ.get("ROOMLINE_CRASH_ROUNDS", "8"))
CHANNELS = {"default": "process", "ledger": "power"}
FLAGS = [flag for id, durability in CHANNELS.items() for flag in ("--channel", f"{id},history=1000000,durability={durability}")]
FLAGS += ["--loops", "3"]


class Reader:
    """Follows the room of a channel from broker to broker, and comes back where it was."""

    def __init__(self, channel):
        self.channel, self.client, self.epoch, self.seen = channel, None, None, {}

    def come(self, broker):
        self.client = Client(broker, "Reader", channel=self.channel)
        since = {"since": {"epoch": self.epoch, "seq": len(self.seen)}} if self.epoch else {"history_count": 1_000}
        self.epoch = self.client.subscribe("room", **since)["epoch"]

    def leave(self):
        """Takes what has come; the client has checked that nothing is missing or there twice."""
        for frame in self.client.rest() if self.client else []:
            if frame["type"] in ("publish", "history_message"):
                assert frame["seq"] == len(self.seen) + 1, frame
                self.seen[frame["seq"]] = frame["message"]
            else:
                assert frame["type"] != "gap", frame
        self.client = None


def publish(broker, readers, acknowledged, number):
    """Publishes into a room of each channel until the broker is gone."""
    count = 0
    try:
        clients = {id: Client(broker, "Ann", channel=id) for id in CHANNELS}
        for reader in readers.values():
            reader.come(broker)
        while True:
            texts = {id: f"{number} {count}" for id in CHANNELS}
            waiting = {id: clients[id].post({"type": "publish", "room": "room", "message": texts[id]}) for id in CHANNELS}
            count += 1
            for id in CHANNELS:
                reply = clients[id].reply(waiting[id])
                assert "error" not in reply, reply
                acknowledged[id][reply["seq"]] = texts[id]
    except (Closed, ConnectionError):
        pass
    for reader in readers.values():
        reader.leave()


def test_what_was_acknowledged_is_there_after_a_crash_at_any_call(start, disk, tmp_path):
    choice = choices()
    acknowledged, epochs = {id: {} for id in CHANNELS}, {id: set() for id in CHANNELS}
    readers = {id: Reader(id) for id in CHANNELS}
    for number in range(ROUNDS):
        # the first broker lives long enough for messages, the others may die while they start
        first, last = (500, 700) if number == 0 else (0, choice.choice([60, 600]))
        disk.kill_after(choice.randrange(first, last))
        broker = start(*FLAGS, wait=False, env=disk.environment)
        try:
            broker.listening()
        except AssertionError:
            # it has died while it started
            assert not broker.is_running(), broker.tail()
        else:
            publish(broker, readers, acknowledged, number)
        assert broker.wait_for_exit() == -9, broker.tail()
        broker = start(*FLAGS)
        for id in CHANNELS:
            with Client(broker, "Auditor", channel=id) as auditor:
                epochs[id].add(auditor.subscribe("room")["epoch"])
                stored = history(auditor, "room") if acknowledged[id] or readers[id].seen else []
            places = {frame["seq"]: frame["message"] for frame in stored}
            assert list(places) == list(range(1, len(stored) + 1)), f"round {number}"
            assert len(set(places.values())) == len(stored), f"round {number}: a message is there twice"
            assert acknowledged[id].items() <= places.items(), f"round {number}"
            assert readers[id].seen.items() <= places.items(), f"round {number}: somebody saw what is not there"
        assert broker.kill() == -9
        check_files(broker.data, tmp_path / "files")
    assert all(reader.seen for reader in readers.values()), "nobody has seen anything"
    assert all(acknowledged.values()) and all(len(found) == 1 for found in epochs.values()), epochs
