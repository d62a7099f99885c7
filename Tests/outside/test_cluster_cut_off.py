"""Nodes that do not hear from their cluster, for a while: nobody is served there what is not true any more."""

import contextlib
import json
import re
import signal
import time

import pytest

from admin import Admin
from broker import PATIENCE
from cli import Shell
from client import Client, Wire
from cluster import Cluster, is_built
from rest import Rest
from switch import Switch
from test_cluster import seqs

pytestmark = pytest.mark.skipif(not is_built(), reason="the broker is built without the trait Cluster")

CHANNEL = ("--channel", "default,history=1000,grace=60s", "--loops", "2")
LIMIT = 4
"""Seconds after an answer elsewhere in which a node may still serve what was true before."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Its first node reaches the servers through switches."""
    cluster = Cluster(tmp_path_factory.mktemp("cut-off"))
    cluster.wait_until_listening()
    cluster.switches = [Switch(port) for port in cluster.ports]
    urls = ",".join(f"nats://127.0.0.1:{switch.port}" for switch in cluster.switches)
    try:
        for index in range(3):
            cluster.start(index, *CHANNEL, urls=urls if index == 0 else None)
        for node in cluster.nodes:
            node.listening()
        yield cluster
        for node in cluster.nodes:
            assert node.terminate() == 0, node.tail()
    finally:
        cluster.stop()
        for switch in cluster.switches:
            switch.close()


def status(node, path="/health"):
    return Rest(node).get(path).status


def wait_for_status(node, wanted):
    end = time.monotonic() + PATIENCE
    while status(node) != wanted:
        assert time.monotonic() < end, node.tail()
        time.sleep(0.1)


def wait_for_silence(node, seconds):
    """Until this node has not heard one of the others for so long."""
    shell, end = Shell(node), time.monotonic() + PATIENCE
    while not any(int(found) >= seconds for found in re.findall(r"has been silent for (\d+)s", "\n".join(shell.says("cluster", "status")))):
        assert time.monotonic() < end, node.tail()


@contextlib.contextmanager
def cut(cluster, *ways):
    for switch in cluster.switches:
        switch.cut(*ways)
    try:
        yield
    finally:
        for switch in cluster.switches:
            switch.mend()


@pytest.mark.parametrize("ways", [("up", "down"), ("up",), ("down",)], ids="-".join)
def test_a_node_that_is_cut_off_serves_nobody_and_goes_on_by_itself(cluster, ways):
    node, room = cluster.nodes[0], f"cut-{'-'.join(ways)}"
    with Client(cluster.nodes[1], "Bob") as bob, contextlib.closing(Admin(cluster.nodes[1])) as admin:
        bob.subscribe(room)
        ann = Client(node, "Ann", resumable=True)
        epoch = ann.subscribe(room)["epoch"]
        bob.publish(room, "secret")
        ann.expect("publish", message="secret")
        with cut(cluster, *ways):
            admin.done("POST", "/channels/default/sanctions", {"kind": "ban", "room": room, "user": "troll"})
            admin.done("DELETE", f"/channels/default/rooms/{room}/messages/1")
            answered = time.monotonic()
            # the node finds out by itself
            ann.goodbye("shutting_down")
            assert time.monotonic() - answered < LIMIT
            assert status(node) == 503 and status(node, f"/default/{room}/messages") == 503
            with contextlib.closing(Wire(node.port)) as late:
                late.send_bytes(json.dumps({"type": "handshake", "channel": "default"}).encode() + b"\n")
                assert json.loads(late.read_line())["type"] == "goodbye"
            bob.publish(room, "meanwhile")
        wait_for_status(node, 200)
        with Client(node, "Ann", resumable=True, resume=ann.welcome["resume_token"]) as again:
            assert again.welcome["resumed"] is True and again.id == ann.id
            assert again.subscribe(room, since={"epoch": epoch, "seq": 1})["recovered"] is True
            again.expect("message_redacted", target_seq=1)
            again.expect("publish", message="meanwhile")
            assert "secret" not in json.dumps(again.ask({"type": "history", "room": room}))
            again.publish(room, "back")
        bob.expect("publish", message="secret")
        bob.expect("message_redacted", target_seq=1)
        assert [message["message"] for message in bob.messages(2)] == ["meanwhile", "back"]
        assert node.process.poll() is None


def test_a_machine_that_was_paused_comes_back_as_itself(cluster):
    node, room = cluster.nodes[2], "paused"
    with Client(cluster.nodes[1], "Bob") as bob, Client(node, "Ann") as ann:
        bob.subscribe(room)
        ann.subscribe(room)
        node.process.send_signal(signal.SIGSTOP)
        # for longer than a proof of life holds
        wait_for_silence(cluster.nodes[1], 5)
        for number in range(3):
            bob.publish(room, number)
        node.process.send_signal(signal.SIGCONT)
        assert [message["message"] for message in ann.messages(3)] == [0, 1, 2]
        assert ann.publish(room, 3)["seq"] == 4 and seqs(ann, room) == [1, 2, 3, 4]
        assert [message["message"] for message in bob.messages(4)] == [0, 1, 2, 3]
        assert node.process.poll() is None


def test_two_of_three_servers_that_are_away_send_clients_away_until_they_are_back(cluster):
    with Client(cluster.nodes[1], "Bob") as bob:
        bob.subscribe("halves")
        for server in cluster.servers[:2]:
            server.send_signal(signal.SIGSTOP)
        try:
            bob.goodbye("shutting_down")
        finally:
            for server in cluster.servers[:2]:
                server.send_signal(signal.SIGCONT)
    for node in cluster.nodes:
        wait_for_status(node, 200)
    with Client(cluster.nodes[1], "Bob") as bob:
        assert bob.publish("halves", 1)["seq"] == 1
