"""Two healthy people in a room of their own who talk all the time, while a test does something unpleasant next door."""

import threading
import time
import uuid

from client import Client

NOTICEABLE = 3.0
"""Seconds for one message to be stored, acknowledged and delivered: many times what it takes on a busy machine."""


class Neighbours:
    """Ann publishes, Bob answers, in turn, until the block ends; each message has to be acknowledged and to arrive."""

    def __init__(self, broker, channel="default"):
        self.broker = broker
        self.room = f"observable-neighbours-{uuid.uuid4()}"
        self.ann = Client(broker, "Ann", channel=channel)
        self.bob = Client(broker, "Bob", channel=channel)
        for neighbour in (self.ann, self.bob):
            neighbour.subscribe(self.room)
        self.ann.expect("observable_members")
        self.ann.expect("observable_member_join")
        self.bob.expect("observable_members")
        self.rounds = 0
        self.slowest = 0.0
        self._failure = None
        self._enough = threading.Event()
        self._thread = threading.Thread(target=self._talk)

    def talk(self):
        """One message each way, seen by both."""
        began = time.monotonic()
        for speaker in (self.ann, self.bob):
            reply = speaker.publish(self.room, f"round {self.rounds}")
            for listener in (self.ann, self.bob):
                listener.expect("publish", room=self.room, id=reply["id"], message=f"round {self.rounds}")
        self.rounds += 1
        self.slowest = max(self.slowest, time.monotonic() - began)

    def _talk(self):
        try:
            while not self._enough.wait(0.01):
                self.talk()
        except BaseException as failure:
            self._failure = failure

    def __enter__(self):
        self.talk()
        self._thread.start()
        return self

    def __exit__(self, kind, *_):
        self._enough.set()
        self._thread.join()
        try:
            if kind is None:
                assert self._failure is None, f"the neighbours noticed: {self._failure}"
                self.talk()
                assert self.slowest < NOTICEABLE, f"the neighbours noticed: a message took {self.slowest:.1f} s"
                assert self.broker.is_running()
        finally:
            self.ann.close()
            self.bob.close()
