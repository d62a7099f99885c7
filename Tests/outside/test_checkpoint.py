"""The broker dies, or the power is cut, while a checkpoint copies the -wal into the history file: what was acknowledged is there.

ROOMLINE_CRASH_ROUNDS is the number of rounds of each test. ROOMLINE_SEED repeats the choices of a run that has printed it.
"""

import collections
import os

import pytest

from client import Client, Closed
from disk import check_files
from seeds import choices
from test_durability import history

ROUNDS = int(os.environ.get("ROOMLINE_CRASH_ROUNDS", "1"))
KEPT = 40
FLAGS = ("--channel", f"default,history={KEPT}", "--channel", f"ledger,history={KEPT},durability=power", "--loops", "3")
FILLING = "x" * 60_000
"""A checkpoint begins when the -wal has 8,192 pages: after some 500 of these."""
WINDOW = 8


def publish(broker, channels, acknowledged, number):
    """Publishes into a room of each channel until the broker is gone, some ahead of what is acknowledged."""
    waiting = collections.deque()
    count = 0
    try:
        clients = {id: Client(broker, "Ann", channel=id) for id in channels}
        while True:
            while len(waiting) < WINDOW:
                id = channels[count % len(channels)]
                text = f"{number} {count} {FILLING}"
                waiting.append((id, text, clients[id].post({"type": "publish", "room": "room", "message": text})))
                count += 1
            id, text, callback = waiting.popleft()
            reply = clients[id].reply(callback)
            assert "error" not in reply, reply
            acknowledged[id][reply["seq"]] = text
    except (Closed, ConnectionError):
        pass


def check(broker, id, acknowledged, label):
    """What the channel has: the newest messages without a hole, those that were acknowledged among them."""
    with Client(broker, "Auditor", channel=id) as auditor:
        epoch = auditor.subscribe("room")["epoch"]
        stored = {frame["seq"]: frame["message"] for frame in history(auditor, "room")}
    last = max(stored, default=0)
    assert list(stored) == list(range(last + 1 - len(stored), last + 1)), label
    sure = {seq: text for seq, text in acknowledged.items() if seq > last - KEPT}
    assert sure.items() <= stored.items() and max(acknowledged, default=0) <= last, label
    assert len(set(stored.values())) == len(stored), f"{label}: a message is there twice"
    return epoch, stored


@pytest.mark.parametrize("end", ["death", "power cut"])
def test_a_checkpoint_that_is_cut_short_costs_nothing(start, disk, tmp_path, end):
    choice = choices(end)
    cut = end == "power cut"
    # a power cut may cost the others their newest messages
    channels = ["ledger"] if cut else ["default", "ledger"]
    environment = disk.unreliable if cut else disk.environment
    acknowledged = {id: {} for id in channels}
    epochs = {id: set() for id in channels}
    copying = 0
    start(*FLAGS, env=environment).terminate()
    for number in range(ROUNDS):
        broker = start(*FLAGS, env=environment)
        # at any page of the copy, or at any call from the first message to somewhere behind the copy
        in_copy = number == 0 or choice.random() < 0.5
        if in_copy:
            disk.kill_in_copy(choice.randrange(3_000))
        else:
            disk.kill_after(choice.randrange(40_000))
        publish(broker, channels, acknowledged, number)
        assert broker.wait_for_exit() == -9, broker.tail()
        copying += disk.died_copying
        size = (broker.data / "history.sqlite-wal").stat().st_size >> 20
        print(f"round {number}: died {'in the copy' if disk.died_copying else 'elsewhere'}, -wal {size} MiB")
        disk.forget()
        if cut:
            disk.cut_power(broker.data, choice if choice.random() < 0.7 else None)
        check_files(broker.data, tmp_path / "files")
        broker = start(*FLAGS, env=environment)
        for id in channels:
            epoch, stored = check(broker, id, acknowledged[id], f"round {number}, {id}")
            epochs[id].add(epoch)
            acknowledged[id] = stored
        # in order, the whole -wal is taken in; killed, the next checkpoint begins where this one was cut short
        if choice.random() < 0.3:
            assert broker.terminate() == 0
        else:
            broker.kill()
    print(f"{copying} of {ROUNDS} rounds ended in the copy")
    assert copying and all(acknowledged.values()) and all(len(found) == 1 for found in epochs.values()), (copying, epochs)
