"""Rounds of faults on a cluster of three machines: network namespaces of this one, each with a nats-server and a node, while people
talk through all of them: some with JSON lines, some with the Swift client. `scripts/cluster-faults` runs it.

Each round has one or two faults, drawn by the seed, and ends when everything is whole again. Then: what was acknowledged is in the
room once, at its place; each person has read every message of each room once, in the order of the room; all nodes have the same
history, and the members that are there. Every frame is held to Schemas/wire.
"""

import argparse
import asyncio
import collections
import contextlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid

import wire_schemas

from broker import BINARY, ROOT

NATS = ROOT / ".venv" / "bin" / "nats-server"
MACHINES = 3
PEOPLE = 6
SDK_PEOPLE = 3
ROOMS = [f"observable-{number}" for number in range(3)]
GRACE = 30
"""Seconds in which a session can be resumed: longer than any fault."""


def run(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


class Machine:
    """A network namespace with an address, a nats-server and a node. What ends is started again, as a service manager does.

    The servers reach each other by another address, so that the link between two of them can be cut alone.
    """

    def __init__(self, number, directory):
        self.number, self.name, self.address, self.route = number, f"m{number}", f"10.77.0.{number}", f"10.78.0.{number}"
        self.directory = directory / self.name
        self.directory.mkdir()
        run("ip", "netns", "add", self.name)
        run("ip", "link", "add", f"v{number}", "type", "veth", "peer", "name", "eth0", "netns", self.name)
        run("ip", "link", "set", f"v{number}", "master", "br0")
        for address in (self.address, self.route):
            run("ip", "-n", self.name, "addr", "add", f"{address}/24", "dev", "eth0")
        for device in ("eth0", "lo"):
            run("ip", "-n", self.name, "link", "set", device, "up")
        self.set_link(True)
        self.disk = self.directory / "disk"
        self.disk.mkdir()
        run("mount", "-t", "tmpfs", "-o", "size=512m", self.name, self.disk)
        self.clock = self.directory / "clock"
        self.clock.write_bytes(bytes(8))
        routes = ", ".join(f"nats://10.78.0.{other}:6222" for other in range(1, MACHINES + 1))
        (self.directory / "nats.conf").write_text(
            f'server_name: s{number}\nlisten: "{self.address}:4222"\njetstream {{ store_dir: "{self.disk}/jetstream" }}\n'
            f'cluster {{ name: faults, listen: "{self.route}:6222", routes: [{routes}] }}\n'
        )
        self.processes = {}
        self.held = set()
        self.cuts = collections.Counter()
        self.exits = collections.Counter()

    def set_link(self, isUp):
        run("ip", "link", "set", f"v{self.number}", "up" if isUp else "down")

    def cut_from(self, other, isCut):
        """Nothing of this machine's reaches the other one."""
        for address in (other.address, other.route):
            self.cut_address(address, isCut)

    def cut_address(self, address, isCut):
        """Two faults of a round can cut the same way: it is whole again when both have ended."""
        before, self.cuts[address] = self.cuts[address], self.cuts[address] + (1 if isCut else -1)
        if (before == 0) == isCut and (self.cuts[address] == 0) != isCut:
            run("ip", "-n", self.name, "route", "add" if isCut else "del", "blackhole", f"{address}/32")

    def command(self, kind):
        if kind == "nats":
            return [NATS, "-c", self.directory / "nats.conf"]
        # its own one is preferred
        hosts = [self.address, *(f"10.77.0.{other}" for other in range(1, MACHINES + 1))]
        servers = ",".join(f"nats://{host}:4222" for host in dict.fromkeys(hosts))
        return [
            BINARY, "serve", "--data", self.disk / "data", "--tcp", f"{self.address}:10000", "--http", f"{self.address}:10001",
            "--allow-open-channels", "--channel", f"default,history=100000,grace={GRACE}s", "--loops", "1",
            "--publish-rate", "unlimited", "--cluster", servers, "--cluster-name", "faults", "--cluster-partitions", "4",
        ]

    def start(self, kind):
        self.held.discard(kind)
        # two faults of a round can end the same process, and each starts it again
        if kind in self.processes and self.processes[kind].poll() is None:
            return
        # a shim of the time of day, for the node only
        shim = {"LD_PRELOAD": os.environ["CLOCK_SHIM"], "CLOCK_CONTROL": str(self.clock)} if kind == "node" else {}
        # a ROOMLINE_ variable of the shell must not decide about a test
        clean = {key: value for key, value in os.environ.items() if not key.startswith("ROOMLINE_")}
        with open(self.directory / f"{kind}.log", "ab") as log:
            self.processes[kind] = subprocess.Popen(
                ["ip", "netns", "exec", self.name, *self.command(kind)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**clean, **shim},
            )

    def signal(self, kind, number):
        with contextlib.suppress(ProcessLookupError):
            self.processes[kind].send_signal(number)

    async def hold(self, kind, number):
        """Ends it, and keeps it from being started again."""
        self.held.add(kind)
        self.signal(kind, number)
        await asyncio.to_thread(self.processes[kind].wait)

    def set_clock(self, seconds):
        with open(self.clock, "r+b") as file:
            file.write(seconds.to_bytes(8, sys.byteorder, signed=True))

    async def supervise(self):
        while True:
            await asyncio.sleep(0.5)
            for kind, process in self.processes.items():
                if kind not in self.held and process.poll() is not None:
                    self.exits[kind, process.returncode] += 1
                    self.start(kind)


class Lost(Exception):
    """The connection has ended, or the broker says that it cannot help now."""


class Person:
    """Talks in all rooms through any machine. Connects again, with session and positions, whenever that ends."""

    def __init__(self, name, machines, ledger, random_):
        self.name, self.machines, self.ledger, self.random = name, machines, ledger, random_
        self.places, self.read = {}, {room: [] for room in ROOMS}
        self.token = self.id = None
        self.resumed = collections.Counter()
        self.longest_return = self.longest_publish = self.longest_read = 0.0
        self.goodbyes = 0
        self.writer = None
        self.callbacks, self.answers = 0, {}
        self.said = 0

    async def live(self):
        while True:
            try:
                await self.connect()
                self.reading = asyncio.create_task(self.read_all())
                try:
                    await self.enter()
                    while True:
                        await self.talk()
                finally:
                    self.reading.cancel()
                    await asyncio.gather(self.reading, return_exceptions=True)
            except (Lost, OSError, asyncio.TimeoutError):
                pass
            finally:
                if self.writer:
                    self.writer.close()
                for answer in self.answers.values():
                    answer.cancel()
                self.answers = {}
            await asyncio.sleep(self.random.uniform(0.05, 0.3))

    async def connect(self):
        machine = self.random.choice(self.machines)
        opened = asyncio.open_connection(machine.address, 10000, limit=1 << 24)
        self.reader, self.writer = await asyncio.wait_for(opened, 2)

    def send(self, frame):
        wire_schemas.validate("client", frame)
        self.writer.write(json.dumps(frame).encode() + b"\n")

    async def ask(self, frame, patience):
        if self.reading.done():
            raise Lost
        self.callbacks += 1
        answer = self.answers[self.callbacks] = asyncio.get_running_loop().create_future()
        self.send({**frame, "callback": self.callbacks})
        try:
            return await asyncio.wait_for(answer, patience)
        except asyncio.CancelledError:
            if asyncio.current_task().cancelling():
                raise
            raise Lost from None

    async def enter(self):
        began = time.monotonic()
        handshake = {"type": "handshake", "channel": "default", "client_data": {"name": self.name}, "resumable": True}
        if self.token:
            handshake["resume"] = self.token
        welcome = await self.ask(handshake, 5)
        if "error" in welcome:
            raise Lost
        if self.token:
            self.resumed[welcome["resumed"]] += 1
        self.token, self.id = welcome["resume_token"], welcome["client_id"]
        for room in ROOMS:
            frame = {"type": "subscribe", "room": room}
            if room in self.places:
                frame["since"] = self.places[room]
            answer = await self.ask(frame, 20)
            if "error" in answer:
                raise Lost
            if room not in self.places:
                self.places[room] = {"epoch": answer["epoch"], "seq": answer["seq"]}
            elif answer["epoch"] != self.places[room]["epoch"]:
                self.ledger.fault(f"{self.name}: {room} has another epoch")
        self.longest_return = max(self.longest_return, time.monotonic() - began)

    async def read_all(self):
        try:
            while line := await self.reader.readline():
                frame = json.loads(line)
                wire_schemas.validate("broker", wire_schemas.parse(line.rstrip(b"\n")))
                self.take(frame)
        except (OSError, ValueError):
            pass
        for answer in self.answers.values():
            answer.cancel()

    def take(self, frame):
        if "callback" in frame:
            answer = self.answers.pop(frame["callback"], None)
            if answer and not answer.done():
                answer.set_result(frame)
        elif frame.get("type") == "gap":
            self.ledger.fault(f"{self.name} gets a gap: {frame}")
        elif frame.get("type") == "publish" and "seq" in frame:
            room, place = frame["room"], self.places[frame["room"]]
            if frame["seq"] != place["seq"] + 1:
                self.ledger.fault(f"{self.name} reads {frame['seq']} behind {place['seq']} of {room}")
            place["seq"] = frame["seq"]
            self.read[room].append(frame["message"])
            self.longest_read = max(self.longest_read, self.ledger.age(frame["message"]))
        elif frame.get("type") == "goodbye":
            self.goodbyes += 1

    async def talk(self):
        """Publishes one message, by as many connections as it takes."""
        if self.name not in self.ledger.open and not self.ledger.is_quiet:
            self.said += 1
            message = {"id": str(uuid.uuid4()), "room": self.random.choice(ROOMS), "text": f"{self.name} {self.said}"}
            self.ledger.open[self.name] = (message, time.monotonic())
            self.ledger.begins(message["text"])
        opened = self.ledger.open.get(self.name)
        if opened:
            await self.publish(*opened)
        elif self.reading.done():
            raise Lost
        await asyncio.sleep(self.random.uniform(0, 0.1))

    async def publish(self, message, began):
        frame = {"type": "publish", "room": message["room"], "message": message["text"], "message_id": message["id"]}
        answer = await self.ask(frame, 20)
        if "error" in answer:
            if answer["code"] != "storage_unavailable":
                self.ledger.fault(f"{self.name} is refused: {answer}")
            raise Lost
        self.longest_publish = max(self.longest_publish, time.monotonic() - began)
        del self.ledger.open[self.name]
        self.ledger.acknowledged[message["room"]][answer["seq"]] = message["text"]


class SDKPerson:
    """Reads all rooms by `roomline tail` and publishes in one by `roomline publish`, whose Swift client does what it takes."""

    def __init__(self, number, machines, ledger, random_):
        self.name, self.room, self.ledger, self.random = f"s{number}", ROOMS[number % len(ROOMS)], ledger, random_
        self.places, self.read = {}, {room: [] for room in ROOMS}
        self.longest_publish = 0.0
        self.said = 0
        others = machines[number % len(machines):] + machines[:number % len(machines)]
        self.servers = ",".join(f"tcp://{machine.address}:10000" for machine in others)
        self.news = collections.Counter()

    async def live(self):
        tail = await self.command("tail", *ROOMS, "--json", "--name", self.name)
        publish = await self.command("publish", self.room, "--verbose", "--timeout", "300", "--name", self.name)
        try:
            await asyncio.gather(
                self.read_all(tail), self.talk(publish), *[self.follow_news(process) for process in (tail, publish)]
            )
        finally:
            for process in (tail, publish):
                if process.returncode is None:
                    process.kill()
                await process.wait()

    async def command(self, *words):
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(
            BINARY, *words, "--server", self.servers, stdin=pipe, stdout=pipe, stderr=pipe, limit=1 << 24
        )

    async def follow_news(self, process):
        """What a command says of its connection: that it is lost, and back."""
        while line := await process.stderr.readline():
            self.news[line.decode().strip().removeprefix("roomline: ").split(",")[0]] += 1

    async def read_all(self, tail):
        while line := await tail.stdout.readline():
            event = json.loads(line)
            room = event["room"]
            if event["type"] == "members":
                self.places.setdefault(room, {})
            elif event["type"] == "gap":
                self.ledger.fault(f"{self.name} gets a gap: {event}")
            elif event["type"] == "message":
                place = self.places[room]
                if event["seq"] != place.get("seq", event["seq"] - 1) + 1:
                    self.ledger.fault(f"{self.name} reads {event['seq']} behind {place['seq']} of {room}")
                if event["epoch"] != place.get("epoch", event["epoch"]):
                    self.ledger.fault(f"{self.name}: {room} has another epoch")
                place.update(epoch=event["epoch"], seq=event["seq"])
                self.read[room].append(event["message"])
        self.ledger.fault(f"the tail of {self.name} has ended")

    async def talk(self, publish):
        while True:
            await asyncio.sleep(self.random.uniform(0, 0.1))
            if self.ledger.is_quiet or len(self.places) < len(ROOMS):
                continue
            self.said += 1
            text, began = f"{self.name} {self.said}", time.monotonic()
            self.ledger.open[self.name] = ({"text": text}, began)
            self.ledger.begins(text)
            publish.stdin.write(text.encode() + b"\n")
            await publish.stdin.drain()
            answer = (await publish.stdout.readline()).split()
            if not answer:
                self.ledger.fault(f"{text} is not acknowledged")
                return
            self.longest_publish = max(self.longest_publish, time.monotonic() - began)
            del self.ledger.open[self.name]
            self.ledger.acknowledged[self.room][int(answer[0])] = text


class Ledger:
    def __init__(self):
        self.acknowledged = {room: {} for room in ROOMS}
        self.open = {}
        self.is_quiet = False
        self.faults = []
        self.said = {}

    def begins(self, text):
        self.said[text] = time.monotonic()

    def age(self, text):
        """The seconds since somebody began to say it."""
        return time.monotonic() - self.said[text]

    def fault(self, text):
        self.faults.append(text)
        print("FAULT", text, flush=True)


class Faults:
    """What can fail, by name: each is a coroutine that breaks something and mends it."""

    def __init__(self, machines, random_, are_whole):
        self.machines, self.random, self.are_whole = machines, random_, are_whole

    def one(self):
        return self.random.choice(self.machines)

    def some_time(self, longest=8.0):
        return self.random.uniform(0.5, longest)

    async def killed(self, kind, machine):
        await machine.hold(kind, signal.SIGKILL)
        await asyncio.sleep(self.some_time())
        machine.start(kind)

    async def node_killed(self):
        await self.killed("node", self.one())

    async def node_stopped(self):
        machine = self.one()
        await machine.hold("node", signal.SIGTERM)
        await asyncio.sleep(self.some_time(4))
        machine.start("node")

    async def paused(self, kind):
        machine = self.one()
        machine.signal(kind, signal.SIGSTOP)
        await asyncio.sleep(self.some_time())
        machine.signal(kind, signal.SIGCONT)

    async def node_paused(self):
        await self.paused("node")

    async def server_paused(self):
        await self.paused("nats")

    async def server_killed(self):
        await self.killed("nats", self.one())

    async def two_servers_killed(self):
        await asyncio.gather(*[self.killed("nats", machine) for machine in self.random.sample(self.machines, 2)])

    async def machine_killed(self):
        machine = self.one()
        await asyncio.gather(self.killed("nats", machine), self.killed("node", machine))

    async def slow(self, kind):
        """Runs for one part in four of the time."""
        machine, end = self.one(), time.monotonic() + self.some_time()
        while time.monotonic() < end:
            machine.signal(kind, signal.SIGSTOP)
            await asyncio.sleep(0.15)
            machine.signal(kind, signal.SIGCONT)
            await asyncio.sleep(0.05)

    async def node_paused_long(self):
        machine = self.one()
        machine.signal("node", signal.SIGSTOP)
        await asyncio.sleep(20)
        machine.signal("node", signal.SIGCONT)

    async def node_slow(self):
        await self.slow("node")

    async def server_slow(self):
        await self.slow("nats")

    async def machine_cut_off(self):
        machine = self.one()
        machine.set_link(False)
        await asyncio.sleep(self.some_time(14))
        machine.set_link(True)

    async def two_machines_apart(self):
        one, other = self.random.sample(self.machines, 2)
        one.cut_from(other, True)
        other.cut_from(one, True)
        await asyncio.sleep(self.some_time(14))
        one.cut_from(other, False)
        other.cut_from(one, False)

    async def one_way(self):
        one, other = self.random.sample(self.machines, 2)
        one.cut_from(other, True)
        await asyncio.sleep(self.some_time(14))
        one.cut_from(other, False)

    async def link_between(self, isCut, one, other):
        one.cut_address(other.route, isCut)
        other.cut_address(one.route, isCut)

    async def link_cut(self):
        """Between two servers; all else goes on."""
        one, other = self.random.sample(self.machines, 2)
        await self.link_between(True, one, other)
        await asyncio.sleep(self.some_time(20))
        await self.link_between(False, one, other)

    async def link_one_way(self):
        one, other = self.random.sample(self.machines, 2)
        one.cut_address(other.route, True)
        await asyncio.sleep(self.some_time(20))
        one.cut_address(other.route, False)

    async def link_flaps(self):
        (one, other), end = self.random.sample(self.machines, 2), time.monotonic() + self.some_time(14)
        while time.monotonic() < end:
            await self.link_between(True, one, other)
            await asyncio.sleep(self.some_time(2))
            await self.link_between(False, one, other)
            await asyncio.sleep(self.some_time(2))

    async def rolling_restart(self):
        """As docs/cluster.md says: one machine after the other, its server by lame duck mode and then its node."""
        for machine in self.machines:
            for kind, number in (("nats", signal.SIGUSR2), ("node", signal.SIGTERM)):
                await machine.hold(kind, number)
                machine.start(kind)
                await until(self.are_whole, "whole")

    async def clock_jump(self):
        machine = self.one()
        machine.set_clock(self.random.choice([-3600, 3600]))
        await asyncio.sleep(self.some_time())
        machine.set_clock(0)

    async def disk_full(self):
        """Of a machine, so of its server and its node. What a server did not survive is started again with room on the disk."""
        machine = self.one()
        filler = machine.disk / "filler"
        with contextlib.suppress(OSError), open(filler, "wb") as file:
            while True:
                file.write(bytes(1 << 20))
                file.flush()
        await asyncio.sleep(self.some_time())
        # another fault of the round may have filled the same disk
        filler.unlink(missing_ok=True)
        await self.killed("nats", machine)


NAMES = [
    "node_killed", "node_stopped", "node_paused", "node_slow", "server_killed", "server_paused", "server_slow", "two_servers_killed",
    "machine_killed", "machine_cut_off", "two_machines_apart", "one_way", "link_cut", "link_one_way", "link_flaps", "clock_jump",
    "disk_full", "node_paused_long", "rolling_restart",
]


async def asked(machine, *frames):
    """The answers of a node to a client that only asks."""
    reader, writer = await asyncio.wait_for(asyncio.open_connection(machine.address, 10000, limit=1 << 26), 5)
    try:
        answers = []
        for callback, frame in enumerate([{"type": "handshake", "channel": "default"}, *frames]):
            wire_schemas.validate("client", {**frame, "callback": callback})
            writer.write(json.dumps({**frame, "callback": callback}).encode() + b"\n")
            answers.append(json.loads(await asyncio.wait_for(reader.readline(), 20)))
        return answers[1:]
    finally:
        writer.close()


async def history(machine, room, known):
    """All messages of a room, by their `seq`, from `known` on."""
    messages = dict(known)
    while True:
        frame = {"type": "history", "room": room, "limit": 1000, "after_seq": max(messages, default=0)}
        (answer,) = await asked(machine, frame)
        if "error" in answer:
            raise Lost
        messages.update({message["seq"]: message["message"] for message in answer["messages"]})
        if not answer["more"]:
            return messages


async def until(condition, what, patience=90):
    end = time.monotonic() + patience
    while True:
        with contextlib.suppress(Lost, OSError, asyncio.TimeoutError, ValueError, KeyError):
            if await condition():
                return True
        if time.monotonic() > end:
            return False
        await asyncio.sleep(0.2)


class Rounds:
    def __init__(self, seed, directory):
        self.random = random.Random(seed)
        self.ledger = Ledger()
        self.machines = [Machine(number, directory) for number in range(1, MACHINES + 1)]
        self.people = [
            Person(f"p{number}", self.machines, self.ledger, random.Random(f"{seed} {number}")) for number in range(PEOPLE)
        ]
        self.sdk_people = [
            SDKPerson(number, self.machines, self.ledger, random.Random(f"{seed} s{number}")) for number in range(SDK_PEOPLE)
        ]
        self.readers = self.people + self.sdk_people
        self.faults = Faults(self.machines, self.random, self.ready)
        self.kinds = {}
        self.checked = {room: {} for room in ROOMS}

    async def ready(self):
        for machine in self.machines:
            reader, writer = await asyncio.wait_for(asyncio.open_connection(machine.address, 10001), 2)
            writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            answer = await asyncio.wait_for(reader.read(), 5)
            writer.close()
            if b" 200 " not in answer.split(b"\r\n")[0] or b"cluster_partitions" in answer:
                return False
        return True

    async def all_read(self):
        return all(person.places.get(room, {}).get("seq") for person in self.readers for room in ROOMS)

    async def settled(self):
        """Nothing is under way, and everybody is at the end of each room."""
        if self.ledger.open:
            return False
        for room in ROOMS:
            newest = {person.places.get(room, {}).get("seq") for person in self.readers}
            if len(newest) != 1 or max(self.ledger.acknowledged[room], default=0) > min(newest):
                return False
        return True

    async def have_members(self):
        """By the `client_id`, or by the name where only the Swift client knows the `client_id`."""
        names = {person.name for person in self.sdk_people}
        expected = sorted([person.id for person in self.people] + list(names))
        for machine in self.machines:
            for answer in await asked(machine, *[{"type": "members", "room": room} for room in ROOMS]):
                found = [(member["clientData"]["name"], member["id"]) for member in answer["members"]]
                if sorted(name if name in names else id_ for name, id_ in found) != expected:
                    return False
        return True

    async def history(self, room):
        """What all nodes have. One that finds itself taken for dead ends only now, and starts again; one that nobody reads from may be behind."""
        found = []

        async def are_the_same():
            found[:] = [await history(machine, room, self.checked[room]) for machine in self.machines]
            return all(other == found[0] for other in found)

        if not await until(are_the_same, "histories"):
            self.ledger.fault(f"the nodes have other histories of {room}, or none: {[len(other) for other in found]}")
        return found[0] if found else {}

    async def check(self):
        fault = self.ledger.fault
        if not await until(self.ready, "ready"):
            fault("the nodes are not ready again")
        if not await until(self.settled, "settled"):
            fault(f"not everybody is at the end: {[person.places for person in self.readers]}, open {self.ledger.open}")
        if not await until(self.have_members, "members", patience=GRACE + 15):
            fault("the members are not those who are there")
        for room in ROOMS:
            first = await self.history(room)
            if sorted(first) != list(range(1, len(first) + 1)):
                fault(f"the history of {room} has holes")
            if len(set(first.values())) != len(first):
                twice = [text for text, count in collections.Counter(first.values()).items() if count > 1]
                fault(f"{room} has messages twice: {twice}")
            for seq, text in self.ledger.acknowledged[room].items():
                if first.get(seq) != text:
                    fault(f"{text}, acknowledged as {seq} of {room}, is not there, but {first.get(seq)}")
            for person in self.readers:
                expected = [first[seq] for seq in range(len(first) - len(person.read[room]) + 1, len(first) + 1)]
                if person.read[room] != expected:
                    fault(f"{person.name} has not read what {room} has")
            self.checked[room] = first

    async def run(self, rounds, names):
        for machine in self.machines:
            machine.start("nats")
        await asyncio.sleep(5)
        for machine in self.machines:
            machine.start("node")
        tasks = [asyncio.create_task(machine.supervise()) for machine in self.machines]
        if not await until(self.ready, "ready"):
            self.ledger.fault("the cluster does not start")
            return
        tasks += [asyncio.create_task(person.live()) for person in self.readers]
        # Their places are known by the first message.
        if not await until(self.all_read, "read"):
            self.ledger.fault("not everybody reads")
            return
        for number in range(1, rounds + 1):
            await self.one_round(number, names, tasks)
            if self.ledger.faults:
                break
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def one_round(self, number, names, tasks):
        count = 2 if self.random.random() < 0.3 else 1
        drawn = [self.random.choice(names) for _ in range(count)]
        started, began = time.strftime("%H:%M:%S", time.gmtime()), time.monotonic()
        for person in self.people:
            person.longest_return = person.longest_publish = person.longest_read = 0.0
            person.goodbyes = 0
            person.resumed.clear()
        for person in self.sdk_people:
            person.longest_publish = 0.0
            person.news.clear()
        self.ledger.is_quiet = False
        await asyncio.sleep(0.5)
        outcomes = await asyncio.gather(*[getattr(self.faults, name)() for name in drawn], return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                self.ledger.fault(f"the fault itself failed: {outcome!r}")
        await asyncio.sleep(1)
        self.ledger.is_quiet = True
        await self.check()
        for task in tasks:
            if task.done():
                self.ledger.fault(f"a task has ended: {task.exception()!r}")
        resumed = sum((person.resumed for person in self.people), collections.Counter())
        seen = {
            "longest_publish": round(max(person.longest_publish for person in self.readers), 2),
            "longest_read": round(max(person.longest_read for person in self.people), 2),
            "longest_return": round(max(person.longest_return for person in self.people), 2),
            "goodbyes": sum(person.goodbyes for person in self.people),
            "resumed": resumed[True], "not_resumed": resumed[False],
        }
        self.note(drawn[0] if len(drawn) == 1 else "two at once", seen)
        print(
            json.dumps({
                "round": number, "faults": drawn, "from": started, "seconds": round(time.monotonic() - began, 1),
                "messages": sum(len(found) for found in self.checked.values()),
                **seen,
                "sdk_news": sum((person.news for person in self.sdk_people), collections.Counter()),
            }),
            flush=True,
        )

    def note(self, kind, seen):
        """The longest of each wait, and the sums of what is counted, by the kind of fault."""
        kept = self.kinds.setdefault(kind, {"rounds": 0})
        kept["rounds"] += 1
        for key, value in seen.items():
            kept[key] = max(kept.get(key, 0), value) if key.startswith("longest") else kept.get(key, 0) + value

    def stop(self):
        for machine in self.machines:
            for kind in machine.processes:
                machine.signal(kind, signal.SIGKILL)
                machine.signal(kind, signal.SIGCONT)
                machine.processes[kind].wait()


def main():
    parser = argparse.ArgumentParser(prog="scripts/cluster-faults", description=__doc__.split("\n\n")[0])
    parser.add_argument("rounds", type=int, nargs="?", default=20)
    parser.add_argument("--seed", type=int, default=None, help="what decides about the faults (default: any)")
    parser.add_argument("--fault", action="append", choices=NAMES, help="only these faults (default: all)")
    parser.add_argument("--keep", metavar="DIR", help="keep the logs there")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="roomline-faults-") as directory:
        rounds = Rounds(seed, pathlib.Path(directory))
        try:
            asyncio.run(rounds.run(options.rounds, options.fault or NAMES))
        finally:
            rounds.stop()
            exits = sum((machine.exits for machine in rounds.machines), collections.Counter())
            for kind, seen in sorted(rounds.kinds.items()):
                print(json.dumps({"kind": kind, **seen}), flush=True)
            print(json.dumps({"exits": {f"{kind} {code}": count for (kind, code), count in exits.items()}}), flush=True)
            if options.keep:
                subprocess.run(["cp", "-r", directory, options.keep], check=False)
            for machine in rounds.machines:
                run("umount", machine.disk)
    return 1 if rounds.ledger.faults else 0


if __name__ == "__main__":
    sys.exit(main())
