"""`durability=power`: what was acknowledged is there after a power cut, also where the disk fails; and nobody else waits for its syncs.

ROOMLINE_CRASH_ROUNDS is the number of power cuts. ROOMLINE_SEED repeats the choices of a run that has printed it.
"""

import os

from client import Client, Closed
from disk import check_files
from seeds import choices
from test_durability import history

ROUNDS = int(os.environ.get("ROOMLINE_CRASH_ROUNDS", "4"))
FLAGS = ("--channel", "default,history=1000000", "--channel", "ledger,history=1000000,durability=power")


def publish(room, text):
    return {"type": "publish", "room": room, "message": text}


def test_rooms_that_survive_the_process_do_not_wait_for_syncs(start, disk):
    broker = start(*FLAGS, env=disk.environment)
    with Client(broker, "Ann", channel="ledger") as ann, Client(broker, "Ben") as ben:
        with disk.holding_syncs():
            waiting = ann.post(publish("room", "synced"))
            disk.wait_until_held()
            for number in range(20):
                assert ben.publish("room", f"not synced {number}")["seq"] == number + 1
            ann.fence()
            assert waiting not in ann.replies, "it was acknowledged before it was synced"
        assert ann.reply(waiting)["seq"] == 1
        assert ann.publish("room", "the next one")["seq"] == 2


def test_nothing_is_shown_before_it_is_synced(start, disk):
    broker = start(*FLAGS, env=disk.environment)
    with Client(broker, "Ann", channel="ledger") as ann, Client(broker, "Ben", channel="ledger") as ben:
        ann.subscribe("room")
        ann.publish("room", "first")
        assert ann.expect("publish")["message"] == "first"
        with disk.holding_syncs():
            waiting = ann.post(publish("room", "second"))
            disk.wait_until_held()
            assert ann.fence() == []
            asked = ben.post({"type": "history", "room": "room"})
            ben.fence()
            assert waiting not in ann.replies and asked not in ben.replies
        ann.reply(waiting)
        assert [frame["message"] for frame in ben.reply(asked)["messages"]] == ["first", "second"]


def test_a_sync_that_fails_is_not_made_good_by_the_next_one(start, disk, tmp_path):
    """What was written before a failed sync may never get to the disk, and no later sync says so."""
    broker = start(*FLAGS, env=disk.unreliable)
    acknowledged = {}
    with Client(broker, "Ann", channel="ledger") as ann, Client(broker, "Ben") as ben:
        epoch = ann.subscribe("room")["epoch"]
        for round in range(3):
            ben.publish("room", f"process {round}")
            disk.fail_syncs(1)
            ann.refused(publish("room", f"refused {round}"), "storage_unavailable")
            assert disk.failing == 0
            text = f"after {round}"
            while "error" in (reply := ann.request(publish("room", text))):
                assert reply["code"] == "storage_unavailable", reply
            acknowledged[reply["seq"]] = text
            ben.publish("room", f"process again {round}")
        broker.wait_for_log(lambda record: record["message"].startswith("history cannot be stored"), "that nothing is stored")
    broker.kill()
    disk.cut_power(broker.data)
    check_files(broker.data, tmp_path / "files")
    with Client(start(*FLAGS), "Ann", channel="ledger") as ann:
        assert ann.subscribe("room")["epoch"] == epoch
        found = {frame["seq"]: frame["message"] for frame in history(ann, "room")}
        assert acknowledged.items() <= found.items(), (acknowledged, found)


def test_power_cuts_and_failing_syncs(start, disk, tmp_path):
    choice = choices()
    acknowledged, epochs, number = {}, [], 0
    start(*FLAGS, env=disk.unreliable).terminate()
    for round in range(ROUNDS):
        disk.fail_syncs(0)
        broker = start(*FLAGS, env=disk.unreliable)
        with Client(broker, "Auditor", channel="ledger") as auditor:
            here = auditor.subscribe("room")["epoch"]
            # an epoch in which nothing was acknowledged may be forgotten
            assert not acknowledged or here == epochs[-1], f"round {round}: {here} after {epochs}"
            epochs.append(here)
        disk.kill_after(choice.randrange(choice.choice([100, 600])))
        try:
            with Client(broker, "Ann", channel="ledger") as ann, Client(broker, "Ben") as ben:
                while True:
                    number += 1
                    if choice.random() < 0.1:
                        disk.fail_syncs(choice.randint(1, 3))
                    also = ben.post(publish("room", "x" * choice.randrange(3000)))
                    reply = ann.request(publish("room", f"number {number}"))
                    if "error" not in reply:
                        acknowledged[reply["seq"]] = f"number {number}"
                    ben.reply(also)
        except (Closed, ConnectionError):
            pass
        assert broker.wait_for_exit() == -9, broker.tail()
        parts = disk.cut_power(broker.data, choice if choice.random() < 0.7 else None)
        check_files(broker.data, tmp_path / "files")
        disk.fail_syncs(0)
        broker = start(*FLAGS, env=disk.unreliable)
        with Client(broker, "Auditor", channel="ledger") as auditor:
            stored = [frame["message"] for frame in history(auditor, "room")]
            assert len(set(stored)) == len(stored), f"round {round}: a message is there twice"
            found = dict(enumerate(stored, 1))
            assert acknowledged.items() <= found.items(), f"round {round}: {acknowledged.items() - found.items()}"
            # What is there now has been synced by the start, and stays.
            acknowledged = found
        broker.terminate()
        print(f"round {round}: {len(acknowledged)} acknowledged, torn: {', '.join(parts)}")
    assert acknowledged
