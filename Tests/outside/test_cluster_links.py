"""A cluster whose servers do not all reach each other: whoever reaches a majority goes on."""

import contextlib
import json
import time
import urllib.request

import pytest

from client import Client
from cluster import Cluster, is_built
from switch import Switch
from test_cluster import seqs

pytestmark = pytest.mark.skipif(not is_built(), reason="the broker is built without the trait Cluster")

ROOMS = [f"room-{number}" for number in range(8)]
"""In all partitions, as good as surely."""


class Links(Cluster):
    """Each server reaches each other one through a switch of the two."""

    def configure(self, index, syncs_always=False):
        if index == 0:
            self.switches = {
                (one, other): Switch(self.routes[other])
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

    def wait_until_connected(self, counts):
        """Until the servers have so many connections each, by their numbers."""
        while counts != {index: self.connections(index) for index in counts}:
            time.sleep(0.1)

    def connections(self, index):
        """None while the server starts."""
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{self.monitoring[index]}/connz") as answer:
            return json.load(answer)["num_connections"]

    @contextlib.contextmanager
    def cut(self, one, other):
        switches = [self.switches[one, other], self.switches[other, one]]
        for switch in switches:
            switch.cut()
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


@pytest.mark.parametrize(("one", "other"), [(0, 1), (1, 2)])
def test_two_servers_that_do_not_reach_each_other_hold_nobody_up_for_good(cluster, one, other):
    cluster.wait_until_ready()
    with Client(cluster.nodes[one], "Ann") as ann, Client(cluster.nodes[other], "Bob") as bob:
        rooms = [f"{room}-{one}-{other}" for room in ROOMS]
        for room in rooms:
            ann.subscribe(room)
            bob.subscribe(room)
        with cluster.cut(one, other):
            for number, room in enumerate(rooms):
                ann.publish(room, f"a{number}")
                bob.publish(room, f"b{number}")
            for client in (ann, bob):
                told = [client.expect("publish")["message"] for _ in range(2 * len(rooms))]
                assert sorted(told) == sorted(f"{who}{number}" for who in "ab" for number in range(len(rooms)))
        for room in rooms:
            assert seqs(ann, room) == seqs(bob, room) == [1, 2]
    for node in cluster.nodes:
        assert node.process.poll() is None


def test_a_node_goes_back_to_its_own_server(cluster):
    cluster.wait_until_connected({0: 1, 1: 1, 2: 1})
    cluster.servers[0].kill()
    cluster.servers[0].wait()
    cluster.wait_until_connected({1: 2, 2: 1})
    cluster.start_server(0)
    cluster.wait_until_connected({0: 1, 1: 1, 2: 1})
    cluster.wait_until_ready()
