"""Redactions and clears while nodes and nats-servers die: `scripts/cluster-redactions`.

A member says texts of which some have been said before, and some several times in one write, so that one record has a text more than once. Now and then a room is cleared. After
each round a node or a server is killed, or a server is paused. In the end:

- no file of a stream has a text of which all messages are redacted or cleared;
- all nodes have the same history;
- a node with an empty directory, which reads the streams from their first records, has it too.
"""

import argparse
import contextlib
import random
import shutil
import signal
import tempfile
import time

from admin import Admin
from client import Client
from cluster import Cluster

CHANNEL = ("--channel", "default,history=100000")
ROOMS = ("a", "b", "c", "d", "e")
TEXTS = 600
PATIENCE = 120


def history(node, room):
    found, more = [], True
    with Client(node, "Reader") as reader:
        while more:
            after = found[-1]["seq"] if found else 0
            page = reader.ask({"type": "history", "room": room, "limit": 1_000, "after_seq": after})
            found, more = found + page["messages"], page["more"]
    return found


class Run:
    def __init__(self, cluster, seed):
        self.cluster = cluster
        self.choice = random.Random(seed)
        self.texts = [f"text {number} of {seed}" for number in range(TEXTS)]
        self.said = set()
        for index in range(3):
            cluster.start(index, *CHANNEL)
        for node in cluster.nodes:
            node.listening()

    @property
    def living(self):
        return [node for node in self.cluster.nodes if node.process.poll() is None]

    def talk(self):
        with Client(self.choice.choice(self.living), "Ann") as ann:
            for _ in range(20):
                room, text = self.choice.choice(ROOMS), self.choice.choice(self.texts)
                self.said.add(text)
                line = ann.valid_line({"type": "publish", "room": room, "message": text}) + "\n"
                ann.send_bytes((line * self.choice.choice([0, 0, 0, 2])).encode())
                ann.publish(room, text)

    def redact(self):
        with contextlib.closing(Admin(self.choice.choice(self.living))) as admin:
            for _ in range(4):
                room = self.choice.choice(ROOMS)
                standing = [one for one in history(self.choice.choice(self.living), room) if one.get("message") is not None]
                if standing:
                    seq = self.choice.choice(standing[-60:])["seq"]
                    admin.done("DELETE", f"/channels/default/rooms/{room}/messages/{seq}")

    def clear(self):
        with contextlib.closing(Admin(self.choice.choice(self.living))) as admin:
            admin.done("POST", f"/channels/default/rooms/{self.choice.choice(ROOMS)}/clear")

    def harm(self):
        index = self.choice.randrange(3)
        node, server = self.cluster.nodes[index], self.cluster.servers[index]
        match self.choice.choice(["node", "node", "server", "pause", "nothing"]):
            case "node":
                node.process.kill()
                node.process.wait()
            case "server":
                server.kill()
                server.wait()
                time.sleep(self.choice.random())
                self.cluster.start_server(index)
            case "pause":
                server.send_signal(signal.SIGSTOP)
                time.sleep(self.choice.random() * 2)
                server.send_signal(signal.SIGCONT)

    def start_nodes(self, chance=1.0):
        for index, node in enumerate(self.cluster.nodes):
            if node.process.poll() is not None and (len(self.living) < 2 or self.choice.random() < chance):
                self.cluster.start(index, *CHANNEL).listening()

    def copies(self, text):
        """How often the files of the streams have it; the Raft logs of the servers keep it for some minutes."""
        found = 0
        for path in self.cluster.directory.glob("jetstream-*/**/*"):
            # servers rename their files
            with contextlib.suppress(FileNotFoundError):
                if path.is_file() and "_js_" not in path.parts:
                    found += path.read_bytes().count(text.encode())
        return found

    def check(self):
        self.start_nodes()
        self.cluster.wait_until_ready()
        whole = {room: history(self.cluster.nodes[0], room) for room in ROOMS}
        entries = [entry for room in whole.values() for entry in room]
        standing = {entry.get("message") for entry in entries}
        gone = self.said - standing
        assert gone, "no text was redacted wherever it stood: there is nothing to look for"
        deadline = time.monotonic() + PATIENCE
        while left := [text for text in gone if self.copies(text)]:
            assert time.monotonic() < deadline, f"still in the streams: {left}"
            time.sleep(0.5)
        self.cluster.nodes[0].terminate()
        shutil.rmtree(self.cluster.nodes[0].data)
        self.cluster.start(0, *CHANNEL).listening()
        for node in self.cluster.nodes:
            for room in ROOMS:
                assert history(node, room) == whole[room], f"another history of {room}"
        redacted = sum(1 for entry in entries if entry.get("redacted"))
        print(f"{len(entries)} entries, {redacted} of them redacted messages; {len(gone)} of {len(self.said)} texts are gone from the streams")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", type=int, nargs="?", default=25)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    print(f"{options.rounds} rounds, seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="roomline-redactions-") as directory:
        cluster = Cluster(directory)
        try:
            run = Run(cluster, options.seed)
            for _ in range(options.rounds):
                run.talk()
                run.redact()
                if run.choice.random() < 0.1:
                    run.clear()
                run.harm()
                run.start_nodes(chance=0.7)
            run.check()
        finally:
            cluster.stop()


if __name__ == "__main__":
    main()
