"""A cluster whose servers do not all reach each other: whoever reaches a majority goes on."""

import contextlib
import json
import time
import urllib.request
import uuid

import pytest

from broker import PATIENCE
from client import Client, Closed
from cluster import PARTITIONS, Cluster, is_built
from switch import Switch

pytestmark = pytest.mark.skipif(not is_built(), reason="the broker is built without the trait Cluster")

ROOMS = [f"room-{number}" for number in range(8)]
"""In all partitions, as good as surely."""


SYSTEM = b'"route_account":"$SYS"'
"""Marks the connection of two servers over which Raft and JetStream's API go. nats-server may make it past the switches, from gossip."""


class Links(Cluster):
    """Each server reaches each other one through a switch of the two."""

    def configure(self, index, syncs_always=False):
        if index == 0:
            self.switches = {
                (one, other): Switch(self.routes[other], SYSTEM)
                for one in range(len(self.routes))
                for other in range(len(self.routes))
                if one != other
            }
        super().configure(index, syncs_always)
        routes = ", ".join(
            f"nats://127.0.0.1:{switch.port}" for (one, _), switch in self.switches.items() if one == index
        )
        file = self.directory / f"nats-{index}.conf"
        kept = [line for line in file.read_text().splitlines() if not line.startswith("cluster")]
        # who does not advertise itself is reached as configured only
        cluster = f'cluster {{ name: test, listen: "127.0.0.1:{self.routes[index]}", no_advertise: true, routes: [{routes}] }}'
        file.write_text("\n".join([*kept, cluster]) + "\n")

    def wait_until_connected(self, *counts):
        """Until the servers have one of these numbers of connections each; None: it does not run."""
        while tuple(self.connections(index) for index in range(3)) not in counts:
            time.sleep(0.1)

    def connections(self, index):
        """None while the server starts."""
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{self.monitoring[index]}/connz") as answer:
            return json.load(answer)["num_connections"]

    @contextlib.contextmanager
    def cut(self, one, other, spares=False):
        switches = [self.switches[one, other], self.switches[other, one]]
        for switch in switches:
            switch.cut(spares=spares)
        try:
            yield
        finally:
            for switch in switches:
                switch.mend()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = Links(tmp_path_factory.mktemp("links"))
    cluster.wait_until_listening()
    try:
        for index in range(3):
            # its own server first
            ports = cluster.ports[index:] + cluster.ports[:index]
            urls = ",".join(f"nats://127.0.0.1:{port}" for port in ports)
            cluster.start(index, "--channel", "default,history=1000,grace=60s", "--loops", "2", urls=urls)
        for node in cluster.nodes:
            node.listening()
        yield cluster
        for node in cluster.nodes:
            assert node.terminate() == 0, node.tail()
    finally:
        cluster.stop()
        for switch in cluster.switches.values():
            switch.close()


def publish(node, room, message):
    """Until it is acknowledged: on a busy machine leaders are handed over too late, and an election takes longer than a node waits."""
    frame = {"type": "publish", "room": room, "message": message, "message_id": str(uuid.uuid4())}
    deadline = time.monotonic() + PATIENCE
    while True:
        assert time.monotonic() < deadline, f"nobody acknowledged it; the node's log:\n{node.tail()}"
        with contextlib.suppress(Closed), Client(node, "Ann") as client:
            if "error" not in (reply := client.request(frame)):
                return
            assert reply["code"] == "storage_unavailable", reply


@pytest.mark.parametrize(("one", "other", "spares"), [(0, 1, False), (1, 2, False), (0, 1, True), (1, 2, True)])
def test_two_servers_that_do_not_reach_each_other_hold_nobody_up_for_good(cluster, one, other, spares):
    """Wholly, or but for what servers tell each other: then the leaders stay where they are."""
    cluster.wait_until_ready()
    for partition in range(PARTITIONS):
        cluster.lead(partition, (one, other)[partition % 2])
    rooms = [f"{room}-{one}-{other}-{spares}" for room in ROOMS]
    nodes = cluster.nodes[one], cluster.nodes[other]
    with cluster.cut(one, other, spares):
        for room in rooms:
            for node in nodes:
                publish(node, room, node.port)
    cluster.wait_until_ready()
    for node in nodes:
        with Client(node) as client:
            for room in rooms:
                told = client.ask({"type": "history", "room": room})["messages"]
                assert [(message["seq"], message["message"]) for message in told] == [(1, nodes[0].port), (2, nodes[1].port)]
    for node in cluster.nodes:
        assert node.process.poll() is None


def test_a_node_goes_back_to_its_own_server(cluster):
    cluster.wait_until_connected((1, 1, 1))
    cluster.servers[0].kill()
    cluster.servers[0].wait()
    cluster.wait_until_connected((None, 2, 1), (None, 1, 2))
    cluster.start_server(0)
    cluster.wait_until_connected((1, 1, 1))
    cluster.wait_until_ready()
