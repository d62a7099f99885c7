"""Two healthy people in a room of their own who talk all the time, while a test does something unpleasant next door."""

import statistics
import threading
import time
import uuid

from broker import PATIENCE
from client import Client

USUAL = 60
"""How many rounds beside a usual round may cost, in processor time of the broker: what it does for others while the two wait
is work, however busy the machine is. It is that of all event loops. The most on a quiet machine is 13; where three tests and
others share two cores it has been 36, since the broker goes on with the work of others while the two wait for a core. With
a queue that gives no turns it is 95."""

LONGEST = 1.0
"""What the longest round may cost beyond three times one beside, in seconds of the same, of a debug build, which is ten to
twenty times slower than a release one. The most of all tests is 0.6 s, while 5,000 clients connect at once."""

SHARE = 0.5
MOST = 3.0
"""On a machine that is overbooked the same work takes more processor time: the longest round may cost this share of all that
the test made the broker do, and no more than this."""


class Talk:
    """Ann publishes, Bob answers, in turn, until the end; each message has to be acknowledged and to arrive."""

    def __init__(self, broker, channel, client=Client):
        self.broker = broker
        self.room = f"observable-neighbours-{uuid.uuid4()}"
        self.ann = client(broker, "Ann", channel=channel)
        self.bob = client(broker, "Bob", channel=channel)
        for neighbour in (self.ann, self.bob):
            neighbour.subscribe(self.room)
        self.ann.expect("observable_members")
        self.ann.expect("observable_member_join")
        self.bob.expect("observable_members")
        self.work = []
        """What each round cost: processor time of the broker."""
        self.longest = 0
        """How long the longest round took, in seconds."""
        self.failure = None
        self._enough = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def round(self):
        """One message each way, seen by both."""
        began, worked = time.monotonic(), self.broker.processor_seconds()
        for speaker in (self.ann, self.bob):
            reply = speaker.publish(self.room, f"round {len(self.work)}")
            for listener in (self.ann, self.bob):
                listener.expect("publish", room=self.room, id=reply["id"], message=f"round {len(self.work)}")
        self.work.append(self.broker.processor_seconds() - worked)
        self.longest = max(self.longest, time.monotonic() - began)

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
    brokers have the same machine at the same moment: while those of the tested one wait, it must not do more for others than
    the second broker does, beyond a little."""

    beside = None
    """The second broker; the session starts and stops it."""

    def __init__(self, broker, channel="default", client=Client):
        self.here = Talk(broker, channel, client)
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
        here, there = self.here.work, self.there.work
        usual = statistics.median(here), statistics.median(there)
        most = max(here), max(there)
        assert usual[0] <= USUAL * usual[1], (
            f"the neighbours noticed: a round of {len(here)} costs {usual[0]:.4f} s of work, beside {usual[1]:.4f} of {len(there)}"
        )
        longest = 3 * most[1] + max(LONGEST, min(MOST, SHARE * sum(here)))
        assert most[0] <= longest, f"the neighbours noticed: {most[0]:.2f} s of work, beside {most[1]:.2f}"
        # A broker that waits uses no processor time: that has a bound, too, which is no measure of how fast the machine is.
        assert self.here.longest <= PATIENCE, f"the neighbours waited for {self.here.longest:.1f} s, beside {self.there.longest:.1f}"
        assert self.broker.is_running()
