"""Behind a proxy: the PROXY headers are written by hand, as HAProxy and load balancers write them."""

import contextlib
import ipaddress
import json
import pathlib
import socket
import ssl
import struct
import time

import pytest

from broker import PATIENCE
from client import Client, Wire
from neighbours import Neighbours
from test_overload import allow_open_files
from test_process import SecureClient

HANDSHAKE = b'{"type":"handshake","channel":"default","callback":0}\n'
SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
BEHIND = ("--proxy-protocol", "required", "--trusted-proxies", "127.0.0.1,127.9.0.0/16", "--allow-open-channels")


def line(source, family="TCP4"):
    return f"PROXY {family} {source} {'10.0.0.1' if family == 'TCP4' else '::1'} 56324 10000\r\n".encode()


def binary(source=None, *, command=0x21, values=b""):
    """A header of version 2; without a source the proxy speaks for itself."""
    if source is None:
        return SIGNATURE + bytes([0x20, 0]) + struct.pack("!H", len(values)) + values
    packed = ipaddress.ip_address(source).packed
    block = packed + packed + struct.pack("!HH", 56324, 10000) + values
    return SIGNATURE + bytes([command, 0x11 if len(packed) == 4 else 0x21]) + struct.pack("!H", len(block)) + block


class ProxiedClient(Client):
    """A client whose first bytes are a header."""

    def __init__(self, broker, header, **fields):
        super().__init__(broker, handshake=False)
        self.note(HANDSHAKE.decode())
        self.send_bytes(header + HANDSHAKE)

    def welcomed(self):
        assert self.reply(0)["client_id"]
        return self


def from_address(broker, source):
    """A socket that connects from an address of this machine."""
    one = socket.socket()
    one.settimeout(PATIENCE)
    one.bind((source, 0))
    one.connect(("127.0.0.1", broker.port))
    return one


def is_ended(one):
    """Whether the broker ends the connection without a word."""
    try:
        return one.recv(4096) == b""
    except ConnectionResetError:
        return True


def refusal(broker, reason):
    return broker.wait_for_log(
        lambda record: "PROXY" in record["message"] and reason in record["metadata"].get("reason", ""), f"that a connection was closed: {reason}"
    )


@pytest.mark.parametrize(
    "header",
    [
        line("192.0.2.1"), line("2001:db8::1", "TCP6"), b"PROXY UNKNOWN\r\n", b"PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n", binary("192.0.2.1"),
        binary("2001:db8::1"), binary(), binary("192.0.2.1", values=b"\x02\0\4room" + b"\x03\0\4\1\2\3\4" + b"\x04\x03\xe8" + bytes(1000)),
    ],
    ids=ascii,
)  # fmt: skip
def test_both_versions_of_the_header(start, header):
    broker = start(*BEHIND)
    with ProxiedClient(broker, header) as ann, ProxiedClient(broker, header) as bob:
        for person in (ann.welcomed(), bob.welcomed()):
            person.subscribe("room")
        ann.publish("room", "hello")
        assert bob.expect("publish")["message"] == "hello"


def test_a_header_byte_by_byte(start):
    broker = start(*BEHIND)
    for header in (line("192.0.2.1"), binary("2001:db8::1", values=b"\x04\0\1x")):
        with Client(broker, handshake=False) as drip:
            drip.note(HANDSHAKE.decode())
            for byte in header + HANDSHAKE:
                drip.send_bytes(bytes([byte]))
            assert drip.reply(0)["client_id"]


def test_plain_text_behind_a_header(start):
    broker = start(*BEHIND)
    with Wire(broker.port) as leia:
        leia.send_bytes(line("192.0.2.1") + b"iam:Leia\n")
        assert leia.read_line() == b"Leia has joined"


def test_tls_behind_a_header(start, certificate):
    path, key = certificate
    broker = start(*BEHIND, "--tls-certificate", str(path), "--tls-key", str(key))
    for header in (line("192.0.2.1"), binary("2001:db8::1"), binary()):
        with SecureClient(broker, handshake=False) as ann:
            ann.send_bytes(header)
            ann.secure(path)
            ann.note(HANDSHAKE.decode())
            ann.send_bytes(HANDSHAKE)
            assert ann.reply(0)["client_id"]
    # header and hello in one packet
    context = ssl.create_default_context(cafile=path)
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    secure = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
    with Wire(broker.port) as wire:
        with contextlib.suppress(ssl.SSLWantReadError):
            secure.do_handshake()
        wire.send_bytes(line("192.0.2.1") + outgoing.read())
        while True:
            incoming.write(wire.socket.recv(65536))
            try:
                secure.do_handshake()
                break
            except ssl.SSLWantReadError:
                continue
    # TLS without a header is none, and a header inside of TLS is a line of rubbish
    with socket.create_connection(("127.0.0.1", broker.port), timeout=PATIENCE) as plain, pytest.raises((ssl.SSLError, ConnectionError)):
        context.wrap_socket(plain, server_hostname="localhost")


def test_limits_go_by_the_address_in_the_header(start):
    broker = start(*BEHIND, "--max-connections-per-ip", "2")
    with contextlib.ExitStack() as stack:

        def client(header):
            return stack.enter_context(ProxiedClient(broker, header))

        one, two = client(line("192.0.2.1")).welcomed(), client(binary("192.0.2.1")).welcomed()
        _, goodbye = client(line("::ffff:192.0.2.1", "TCP6")).goodbye("too_many_connections")
        assert goodbye["retry_after_ms"] > 0 and goodbye["reconnect"] is True
        client(line("192.0.2.2")).welcomed()
        for number in range(2):
            client(binary(f"2001:db8::{number + 1}")).welcomed()
        client(binary("2001:db8::99")).goodbye("too_many_connections")
        client(binary("2001:db8:0:1::1")).welcomed()
        for person in (one, two):
            person.ask({"type": "ping"})


def test_connections_of_one_address_come_at_a_rate(start):
    broker = start(*BEHIND, "--connection-rate", "2")
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(ProxiedClient(broker, line("192.0.2.1"))) for _ in range(40)]
        for client in clients[:20]:
            client.welcomed()
        _, goodbye = clients[-1].goodbye("rate_limited")
        assert goodbye["retry_after_ms"] >= 1000 and "connections a second" in goodbye["reason"]
        stack.enter_context(ProxiedClient(broker, line("192.0.2.2"))).welcomed()
        for client in clients[:20]:
            client.ask({"type": "ping"})


def test_a_header_is_believed_of_trusted_proxies_only(start):
    broker = start(*BEHIND)
    with from_address(broker, "127.9.4.4") as proxy:
        proxy.sendall(line("192.0.2.1") + HANDSHAKE)
        assert b"client_id" in proxy.recv(4096)
    with from_address(broker, "127.8.0.1") as stranger:
        with contextlib.suppress(ConnectionError):
            stranger.sendall(line("192.0.2.1") + HANDSHAKE)
        assert is_ended(stranger)
    record = refusal(broker, "none of the trusted proxies")
    assert record["level"] == "warning" and record["metadata"]["peer.address"] == "127.8.0.1"


def test_without_the_option_a_header_is_no_header(start):
    """Else anybody could choose an address. It is a line of text like any other."""
    broker = start("--trusted-proxies", "127.0.0.1", "--allow-open-channels")
    with Wire(broker.port) as watcher, Wire(broker.port) as forger:
        watcher.send_bytes(b"iam:Watcher\n")
        assert watcher.read_line() == b"Watcher has joined"
        forger.send_bytes(line("192.0.2.1"))
        assert watcher.read_line().startswith(b"?: PROXY TCP4 192.0.2.1")


@pytest.mark.parametrize(
    "garbage",
    [
        HANDSHAKE, b"hello\n", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"\n", b"PROXY TCP4 1.2.3.4\r\n",
        b"PROXY TCP4 192.0.2.1 10.0.0.1 1 2\n" + HANDSHAKE, b"PROXY " + b"x" * 200, SIGNATURE + b"\x31\x11\0\x0c" + bytes(12),
        SIGNATURE + b"\x21\x11\xff\xff", SIGNATURE + b"\x21\x11\0\x0b" + bytes(11), bytes(range(255, 0, -1)),
    ],
    ids=lambda data: ascii(data[:20]),
)  # fmt: skip
def test_garbage_instead_of_a_header(start, garbage):
    broker = start(*BEHIND)
    with ProxiedClient(broker, line("192.0.2.1")) as ann, Wire(broker.port) as evil:
        ann.welcomed().subscribe("lobby")
        evil.send_bytes(garbage)
        assert is_ended(evil.socket)
        assert ann.room_fence("lobby") == []
    # what it sent is nobody's business
    assert "handshake" not in json.dumps(refusal(broker, "PROXY"))


def test_slow_headers_hold_nothing(start):
    """A header has the time of a handshake, however its bytes drip; others come in meanwhile."""
    broker = start(*BEHIND, "--handshake-timeout", "2s")
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(Wire(broker.port)) for _ in range(200)]
        started = time.monotonic()
        for number, wire in enumerate(slow):
            # a busy machine may have ended the first ones by now
            with contextlib.suppress(ConnectionError):
                wire.send_bytes((line("192.0.2.1") if number % 2 else binary("192.0.2.1"))[: number % 16])
        with ProxiedClient(broker, line("192.0.2.1")) as ann:
            ann.welcomed().ask({"type": "ping"})
        for wire in slow:
            assert is_ended(wire.socket)
        assert time.monotonic() - started >= 1.5
    refusal(broker, "in time")


def test_checks_of_a_balancer_are_no_alarm(start):
    broker = start(*BEHIND)
    for _ in range(20):
        Wire(broker.port).close()
        with Wire(broker.port) as check:
            check.half_close()
            assert is_ended(check.socket)
        with Wire(broker.port) as check:
            check.send_bytes(binary())
            check.half_close()
            assert check.read_to_end() == b""
    assert not [record for record in broker.records() if record["level"] in ("warning", "error", "critical")]


def test_a_flood_from_one_address_costs_the_others_nothing(start):
    """Ten thousand connects, most of them refused; nothing of them stays, in the broker or in its log."""
    broker = start(*BEHIND, "--connection-rate", "10", "--loops", "2")
    with ProxiedClient(broker, line("192.0.2.2")) as ann:
        ann.welcomed().subscribe("room")
        before, slowest = open_files(broker), 0
        for number in range(10_000):
            one = socket.socket()
            with contextlib.suppress(ConnectionError):
                one.connect(("127.0.0.1", broker.port))
                one.sendall(line("192.0.2.1"))
            one.close()
            if number % 500 == 0:
                asked = broker.processor_seconds()
                ann.publish("room", number)
                ann.expect("publish", message=number)
                slowest = max(slowest, broker.processor_seconds() - asked)
        assert slowest < 2, f"somebody else waited while the broker worked for {slowest} s"
        deadline = time.monotonic() + PATIENCE
        while open_files(broker) > before + 5:
            assert time.monotonic() < deadline, f"{open_files(broker)} files are open, {before} were"
            time.sleep(0.05)
    assert len(broker.log) < 500, "each of 10,000 has a line"
    assert broker.resident_bytes() < 400 << 20


def test_a_flood_that_stays_is_bounded(start):
    """Those that are refused do not go when they are told to: they are closed, and no more than a thousand at once wait for it."""
    broker = start(*BEHIND, "--max-connections-per-ip", "5")
    allow_open_files(4000)
    flood = []
    try:
        for _ in range(1500):
            one = socket.create_connection(("127.0.0.1", broker.port), timeout=PATIENCE)
            flood.append(one)
            one.sendall(line("192.0.2.1"))
        with ProxiedClient(broker, line("192.0.2.2")) as ann:
            ann.welcomed().ask({"type": "ping"})
        deadline = time.monotonic() + PATIENCE
        while open_files(broker) > 60:
            assert time.monotonic() < deadline, f"{open_files(broker)} files are open"
            time.sleep(0.1)
    finally:
        for one in flood:
            one.close()


def test_rubbish_ends_its_connection(start):
    broker = start("--bad-frame-rate", "5")
    with Neighbours(broker), Client(broker, "Bad") as bad, Client(broker, "Ann") as ann:
        bad.send_bytes(b"nonsense\n" * 10_000)
        seen, goodbye = bad.goodbye("rate_limited")
        assert 50 <= len(seen) < 100 and {frame["code"] for frame in seen} == {"malformed_json"}
        assert "5 lines a second" in goodbye["reason"] and goodbye["retry_after_ms"] >= 1000
        for _ in range(30):
            ann.send_bytes(b"nonsense\n")
            ann.expect_error("malformed_json")
        ann.ask({"type": "ping"})


def test_secrets_are_in_no_listing_and_no_log(start, certificate):
    """The key's path may be seen, its contents nowhere: not in arguments, environment, title or log."""
    path, key = certificate
    broker = start(*BEHIND, "--tls-certificate", str(path), "--tls-key", str(key), "--log-level", "trace")
    secret = "".join(pathlib.Path(key).read_text().split("\n")[1:-2])[:40]
    assert len(secret) == 40
    with SecureClient(broker, handshake=False) as ann:
        ann.send_bytes(line("192.0.2.1"))
        ann.secure(path)
        ann.send_line(HANDSHAKE.decode().strip())
        assert ann.reply(0)["client_id"]
        ann.request({"type": "authenticate", "token": "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0.c2VjcmV0"})
    listing = b"".join(pathlib.Path(f"/proc/{broker.process.pid}/{name}").read_bytes() for name in ("cmdline", "environ", "comm"))
    assert broker.terminate() == 0
    for text in (listing.decode(errors="replace"), "\n".join(broker.log)):
        assert secret not in text and "c2VjcmV0" not in text and "PRIVATE KEY" not in text


def open_files(broker):
    return len(list(pathlib.Path(f"/proc/{broker.process.pid}/fd").iterdir()))
