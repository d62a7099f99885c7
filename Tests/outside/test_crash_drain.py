"""The broker dies while it drains after SIGTERM, or its machine does: what it had acknowledged is there.

ROOMLINE_CRASH_ROUNDS is the number of rounds. ROOMLINE_SEED repeats the choices of a run that has printed it.
"""

import contextlib
import os
import signal
import threading

import pytest

from client import Client, Closed
from crash_acts import DEATHS, Acts

ROUNDS = int(os.environ.get("ROOMLINE_CRASH_ROUNDS", "2"))
KEPT = 500


class Publisher(threading.Thread):
    """Publishes into the channel `crowd` until the broker is gone, or refuses because it stops."""

    def __init__(self, broker, name):
        super().__init__(name=name)
        self.client = Client(broker, name, channel="crowd")
        self.acknowledged, self.refused, self.failure = {}, [], None
        self.has_begun = threading.Event()

    def run(self):
        count = 0
        try:
            while True:
                text = f"{self.name} {count}"
                count += 1
                reply = self.client.request({"type": "publish", "room": "room", "message": text})
                if "error" in reply:
                    assert reply["code"] == "shutting_down", reply
                    self.refused.append(text)
                    break
                self.acknowledged[reply["seq"]] = text
                self.has_begun.set()
        except (Closed, *DEATHS):
            pass
        except BaseException as failure:
            self.failure = failure
        finally:
            self.has_begun.set()
            self.client.close()


@pytest.mark.parametrize("power", [False, True], ids=["death", "power cut"])
def test_a_drain_keeps_what_was_acknowledged(start, disk, tmp_path, power):
    """Publishers go on through the signal and the death."""
    acts = Acts(start, disk, tmp_path, "drain", power=power)
    acts.set_up()
    acts.aside = {"crowd"}
    acts.admin.done("POST", "/channels", {"id": "crowd", "history": {"count": KEPT}, "durability": acts.durability})
    acts.kill()
    for number in range(ROUNDS):
        acts.begin()
        publishers = [Publisher(acts.broker, f"{number} {letter}") for letter in "abc"]
        for publisher in publishers:
            publisher.start()
        for _ in range(acts.choice.randrange(5)):
            acts.anything()
        for publisher in publishers:
            publisher.has_begun.wait()
        disk.kill_after(acts.choice.randrange(acts.choice.choice([25, 100, 400])))
        with contextlib.suppress(ProcessLookupError):
            acts.broker.process.send_signal(signal.SIGTERM)
        code = acts.end(0, -9)
        for publisher in publishers:
            publisher.join()
            assert publisher.failure is None, publisher.failure
        crowd = acts.check()["crowd"].rooms["room"].entries
        last = max(crowd)
        acknowledged = {seq: text for publisher in publishers for seq, text in publisher.acknowledged.items()}
        print(f"round {number}: exit code {code}, {len(acknowledged)} acknowledged")
        assert list(crowd) == list(range(last + 1 - len(crowd), last + 1)), crowd
        assert len(set(crowd.values())) == len(crowd), "a message is there twice"
        assert {seq: text for seq, text in acknowledged.items() if seq > last - KEPT}.items() <= crowd.items()
        assert max(acknowledged) <= last
        assert not set(crowd.values()) & {text for publisher in publishers for text in publisher.refused}
        acts.kill()
