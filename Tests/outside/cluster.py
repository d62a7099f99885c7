"""A cluster on this machine: nats-servers, and brokers that are its nodes."""

import contextlib
import json
import mmap
import pathlib
import random
import signal
import socket
import subprocess
import time

from broker import BINARY, ROOT, Broker
from rest import Rest

PARTITIONS = 4
NATS = ROOT / ".venv" / "bin" / "nats-server"


def is_built():
    """Whether the broker was built with the trait Cluster: then it needs the library."""
    if not BINARY.exists():
        return True  # whose absence the first test tells
    with open(BINARY, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as binary:
        return binary.find(b"libnats.") >= 0


def free_ports(count):
    """Below those that the system gives: while a server is down, its clients would reach whoever is given its port."""
    ports = []
    with contextlib.ExitStack() as stack:
        while len(ports) < count:
            port = random.randrange(20_000, 32_000)
            with contextlib.suppress(OSError):
                stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
                ports.append(port)
    return ports


class Cluster:
    """So many nats-servers of one JetStream cluster, and a node for each."""

    def __init__(self, directory, nodes=3, syncs_always=False):
        self.directory = pathlib.Path(directory)
        ports = free_ports(3 * nodes)
        self.ports, self.routes, self.monitoring = ports[:nodes], ports[nodes : 2 * nodes], ports[2 * nodes :]
        self.servers = [None] * nodes
        self.nodes = [None] * nodes
        for index in range(nodes):
            self.configure(index, syncs_always)
            self.start_server(index)

    def configure(self, index, syncs_always=False):
        routes = ", ".join(f"nats://127.0.0.1:{port}" for port in self.routes)
        cluster = f'cluster {{ name: test, listen: "127.0.0.1:{self.routes[index]}", routes: [{routes}] }}'
        (self.directory / f"nats-{index}.conf").write_text(
            f'server_name: s{index}\nlisten: "127.0.0.1:{self.ports[index]}"\n'
            f'http: "127.0.0.1:{self.monitoring[index]}"\n'
            f'jetstream {{ store_dir: "{self.directory}/jetstream-{index}"{", sync_interval: always" if syncs_always else ""} }}\n'
            + (cluster if len(self.ports) > 1 else "")
        )

    def start_server(self, index):
        with open(self.directory / f"nats-{index}.log", "ab") as log:
            command = [NATS, "-c", self.directory / f"nats-{index}.conf"]
            self.servers[index] = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def wait_until_listening(self):
        """Until each port is a server's: before that somebody else could be given it."""
        for port in [*self.ports, *self.routes, *self.monitoring]:
            while True:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.05)

    @property
    def urls(self):
        return ",".join(f"nats://127.0.0.1:{port}" for port in self.ports)

    def start(self, index, *flags, partitions=PARTITIONS, binary=BINARY, urls=None):
        """Starts a node; it listens once it has caught up."""
        self.nodes[index] = Broker(
            self.directory / f"data-{index}",
            "--cluster", urls or self.urls, "--cluster-replicas", str(len(self.ports)), "--cluster-partitions", str(partitions), *flags,
            admin=None, binary=binary,
        )
        return self.nodes[index]

    def trim(self, partitions, keep):
        """Leaves so many records in the streams of these partitions, as an age limit would."""
        return sum(self.ask_jetstream("PURGE", number, {"keep": keep})["purged"] for number in partitions)

    def lead(self, partition, index):
        """Has the leader of a partition hand over to this server."""
        server = f"s{index}"
        while True:
            # in an election nobody answers
            with contextlib.suppress(TimeoutError):
                if self.ask_jetstream("INFO", partition, {})["cluster"].get("leader") == server:
                    return
                self.ask_jetstream("LEADER.STEPDOWN", partition, {"placement": {"preferred": server}})
            time.sleep(0.1)

    def ask_jetstream(self, deed, partition, request):
        """Asks for a deed on the stream of a partition."""
        body = json.dumps(request).encode()
        with socket.create_connection(("127.0.0.1", self.ports[0]), timeout=5) as connection, connection.makefile("rwb") as file:
            file.write(b'CONNECT {"verbose":false}\r\nSUB answer 1\r\n')
            file.write(b"PUB $JS.API.STREAM.%s.RL_P%03d answer %d\r\n%s\r\n" % (deed.encode(), partition, len(body), body))
            file.flush()
            while not file.readline().startswith(b"MSG"):
                pass
            answer = json.loads(file.readline())
            if answer.get("error", {}).get("code") == 503:
                raise TimeoutError
            assert "error" not in answer, answer
            return answer

    def wait_until_ready(self):
        """Until each node follows all logs, of which some may elect a leader."""
        for node in self.nodes:
            with Rest(node) as rest:
                while b"cluster_partitions" in rest.get("/health").body:
                    time.sleep(0.1)

    def stop(self):
        for node in self.nodes:
            if node is not None and node.process.poll() is None:
                node.process.kill()
        for node in self.nodes:
            if node is not None:
                node.process.wait()
        for server in self.servers:
            server.send_signal(signal.SIGCONT)
            server.kill()
            server.wait()
