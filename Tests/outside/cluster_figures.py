"""How fast a cluster is beside a broker that runs alone, on one machine: three nats-servers, three nodes, the broker alone, and
`roomline bench` share it. `scripts/cluster-figures` runs it with an optimised broker.
"""

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from broker import BINARY, Broker
from client import Client
from cluster import Cluster

FLAGS = ("--channel", "default,history=10000,grace=60s", "--publish-rate", "unlimited", "--connection-rate", "unlimited")
WORKLOADS = {
    "8 rooms": ("durable", "--rooms", "8", "--publishers", "8", "--burst", "32"),
    "1,000 rooms": ("durable", "--rooms", "1000", "--publishers", "1000", "--burst", "16"),
    "fan-out": ("fanout", "--rooms", "1", "--members", "1000"),
}


def latencies(publisher, subscriber, count=1000):
    """Milliseconds until a message of 100 bytes is delivered through another node, and until it is acknowledged, one at a time."""
    delivered, acknowledged = [], []
    with Client(publisher) as ann, Client(subscriber) as bob:
        bob.subscribe("latency")
        for _ in range(count):
            began = time.perf_counter()
            callback = ann.post({"type": "publish", "room": "latency", "message": "x" * 100})
            bob.read_line()
            delivered.append((time.perf_counter() - began) * 1e3)
            ann.reply(callback)
            acknowledged.append((time.perf_counter() - began) * 1e3)
            time.sleep(0.01)
        bob.check_no_holes = lambda: None  # its lines were only counted
    return delivered, acknowledged


def quantiles(times):
    cuts = statistics.quantiles(times, n=100)
    return f"p50 {cuts[49]:.2f} ms, p99 {cuts[98]:.2f} ms"


def bench(node, workload):
    place = ["--server", f"tcp://127.0.0.1:{node.port}", "--pid", str(node.process.pid)]
    command = [BINARY, "bench", "--workload", *workload, *place, "--duration", "5s", "--rounds", "3"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return lines[-1].strip()


def resumed_after_a_kill(cluster, rounds=5):
    """Milliseconds from kill -9 of a client's node until another node has resumed it and its room."""
    times = []
    for _ in range(rounds):
        with Client(cluster.nodes[0], "Ann", resumable=True) as ann:
            since = {"epoch": ann.subscribe("kill")["epoch"], "seq": ann.publish("kill", 1)["seq"]}
            cluster.nodes[0].kill()
            began = time.perf_counter()
            with Client(cluster.nodes[1], "Ann", resumable=True, resume=ann.welcome["resume_token"]) as again:
                assert again.welcome["resumed"] and again.subscribe("kill", since=since)["recovered"]
                times.append((time.perf_counter() - began) * 1e3)
            ann.check_no_holes = lambda: None
        cluster.start(0, *FLAGS, partitions=16).listening()
        cluster.wait_until_ready()
    return times


def main():
    with tempfile.TemporaryDirectory(prefix="roomline-figures-") as directory:
        directory = pathlib.Path(directory)
        alone = Broker(directory / "alone", *FLAGS)
        cluster = None
        try:
            alone.listening()
            (directory / "cluster").mkdir()
            cluster = Cluster(directory / "cluster")
            for index in range(3):
                cluster.start(index, *FLAGS, partitions=16)
            for node in cluster.nodes:
                node.listening()
            cluster.wait_until_ready()
            for name, nodes in (("cluster", cluster.nodes[:2]), ("alone", (alone, alone))):
                delivered, acknowledged = latencies(*nodes)
                print(f"idle, {name}: delivered {quantiles(delivered)}; acknowledged {quantiles(acknowledged)}", flush=True)
            for name, workload in WORKLOADS.items():
                for what, node in (("cluster", cluster.nodes[0]), ("alone", alone)):
                    print(f"{name}, {what}: {bench(node, workload)}", flush=True)
            times = resumed_after_a_kill(cluster)
            print(f"resumed after kill -9 of the node: median {statistics.median(times):.0f} ms of {[round(time) for time in times]}")
        finally:
            alone.close()
            if cluster:
                cluster.stop()


if __name__ == "__main__":
    sys.exit(main())
