"""Two healthy people in a room of their own who talk all the time, while a test does something unpleasant next door."""

import statistics
import threading
import time
import uuid

from client import Client

SLACK = 0.4
"""Seconds that a usual round may take beyond three times one beside: this is a debug build, with several tests at once on
two cores."""


class Talk:
    """Ann publishes, Bob answers, in turn, until the end; each message has to be acknowledged and to arrive."""

    def __init__(self, broker, channel):
        self.broker = broker
        self.room = f"observable-neighbours-{uuid.uuid4()}"
        self.ann = Client(broker, "Ann", channel=channel)
        self.bob = Client(broker, "Bob", channel=channel)
        for neighbour in (self.ann, self.bob):
            neighbour.subscribe(self.room)
        self.ann.expect("observable_members")
        self.ann.expect("observable_member_join")
        self.bob.expect("observable_members")
        self.seconds = []
        """How long each round took."""
        self.failure = None
        self._enough = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def round(self):
        """One message each way, seen by both."""
        began = time.monotonic()
        for speaker in (self.ann, self.bob):
            reply = speaker.publish(self.room, f"round {len(self.seconds)}")
            for listener in (self.ann, self.bob):
                listener.expect("publish", room=self.room, id=reply["id"], message=f"round {len(self.seconds)}")
        self.seconds.append(time.monotonic() - began)

    def _run(self):
        try:
            while not self._enough.wait(0.01):
                self.round()
        except BaseException as failure:
            self.failure = failure

    def begin(self):
        self.round()
        self._thread.start()

    def end(self):
        self._enough.set()
        self._thread.join()

    def close(self):
        self.ann.close()
        self.bob.close()


class Neighbours:
    """Two people of the tested broker and two of a second one, which nobody attacks, talk until the block ends. Both
    brokers have the same machine at the same moment: those of the tested one must not notice more than the others."""

    beside = None
    """The second broker; the session starts and stops it."""

    def __init__(self, broker, channel="default"):
        self.here = Talk(broker, channel)
        self.there = Talk(self.beside, channel)

    @property
    def broker(self):
        return self.here.broker

    def __enter__(self):
        for talk in (self.there, self.here):
            talk.begin()
        return self

    def __exit__(self, kind, *_):
        for talk in (self.here, self.there):
            talk.end()
        try:
            if kind is None:
                self.check()
        finally:
            for talk in (self.here, self.there):
                talk.close()

    def check(self):
        for talk in (self.here, self.there):
            assert talk.failure is None, f"the neighbours noticed: {talk.failure}"
        self.here.round()
        here, there = self.here.seconds, self.there.seconds
        usual = statistics.median(here), statistics.median(there)
        longest = max(here), max(there)
        assert usual[0] <= 3 * usual[1] + SLACK, f"the neighbours noticed: a round takes {usual[0]:.3f} s, beside {usual[1]:.3f}"
        assert longest[0] <= 3 * longest[1] + 3, f"the neighbours noticed: {longest[0]:.1f} s, beside {longest[1]:.1f}"
        assert self.broker.is_running()
