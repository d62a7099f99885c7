"""The process: its flags, its start, its end."""

import json
import os
import signal
import socket
import ssl
import subprocess
import urllib.request

import pytest

from broker import BINARY, PATIENCE, Broker, run_to_end
from client import Client, TextClient
from command import Terminal


def refuses(*flags, env=None, says=()):
    """The broker does not start, and its error names all of `says`."""
    done = run_to_end("serve", "--tcp", "127.0.0.1:0", "--http", "off", "--data", ":memory:", *flags, env=env)
    assert done.returncode != 0
    for word in says:
        assert word in done.stderr, done.stderr


@pytest.mark.parametrize(
    "flags, says",
    [
        (["--nonsense", "1"], ["--nonsense"]),
        (["--max-lin", "1"], ["--max-lin", "--max-line"]),
        (["--max-line"], ["--max-line"]),
        (["--max-line", "huge"], ["--max-line", "huge", "KiB"]),
        (["--max-line", "-1"], ["--max-line", "-1"]),
        (["--max-connections", "some"], ["--max-connections", "some", "unlimited"]),
        (["--handshake-timeout", "10"], ["--handshake-timeout", "10"]),
        (["--tcp", "nonsense"], ["--tcp", "nonsense"]),
        (["--tcp", "127.0.0.1:99999"], ["--tcp", "99999"]),
        (["--channel", "x,history=many"], ["--channel", "many", "off"]),
        (["--channel", "x,durability=hope"], ["--channel", "hope", "process", "power"]),
        (["--channel", "x,colour=red"], ["--channel", "colour", "history"]),
        (["--channel", "admin"], ["--channel", "admin"]),
        (["--channel", "not valid!"], ["--channel", "not valid!"]),
        (["--text-room", ""], ["--text-room"]),
        (["--log-format", "xml"], ["--log-format", "xml", "json", "text"]),
        (["--log-level", "loud"], ["--log-level", "loud", "info"]),
        (["--tls-certificate", "cert.pem"], ["--tls-key"]),
        (["stray"], ["stray"]),
    ],
    ids=" ".join,
)
def test_bad_flags_are_refused_with_what_is_allowed(flags, says):
    refuses(*flags, says=says)


def test_bad_environment_is_refused():
    refuses(env={"ROOMLINE_MAX_LINE": "huge"}, says=["ROOMLINE_MAX_LINE", "huge"])
    refuses(env={"ROOMLINE_MAX_LIME": "1KiB"}, says=["ROOMLINE_MAX_LIME"])


def test_print_config_says_what_holds_and_where_it_comes_from():
    done = run_to_end(
        "serve", "--data", ":memory:", "--max-line", "64KiB", "--print-config", env={"ROOMLINE_MAX_MESSAGE": "32KiB"}
    )
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line.strip()}
    shown = {key.lstrip("-").rstrip(":="): line for key, line in lines.items()}
    assert "64KiB" in shown["max-line"] and "32KiB" in shown["max-message"] and "127.0.0.1:10000" in shown["tcp"]
    assert "ROOMLINE_MAX_MESSAGE" in shown["max-message"] or "environment" in shown["max-message"]
    assert "default" in shown["tcp"]
    done = run_to_end("serve", "--data", ":memory:", "--print-config", "--json", env={"ROOMLINE_MAX_MESSAGE": "32KiB"})
    shown = {option["option"]: option for option in map(json.loads, done.stdout.splitlines())}
    assert shown["max-message"] == {"option": "max-message", "value": "32KiB", "source": "environment"}
    assert shown["admin-socket"]["value"] == "off" and shown["loops"]["value"].isdigit()
    assert run_to_end("serve", "--json").returncode == 64


def test_help_is_for_strangers():
    done = run_to_end("serve", "--help")
    assert done.returncode == 0
    for word in ("--tcp", "127.0.0.1:10000", "--data", "--channel", "history=N", "--text-room", "--print-config", "ROOMLINE_", "unlimited"):
        assert word in done.stdout, word


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0"])
def test_an_open_channel_is_not_offered_to_the_world(address):
    options = ("serve", "--tcp", address, "--http", "off", "--data", ":memory:", "--channel", "default,auth=none")
    # as it stands in a file: the service manager does not try again
    for done in (run_to_end(*options), run_to_end(*options[:-2]), run_to_end(*options, "--print-config")):
        assert done.returncode == 78 and "--allow-open-channels" in done.stderr
    done = run_to_end(*options[:-1], "default,auth=required", "--print-config")
    assert done.returncode == 0, done.stderr


def test_it_can_be_when_somebody_says_so(start):
    with Client(start("--allow-open-channels", tcp="0.0.0.0:0"), "Ann") as ann:
        ann.ask({"type": "ping"})


def test_a_port_in_use_is_said_plainly(start):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        broker = start(tcp=f"127.0.0.1:{port}", wait=False)
        assert broker.wait_for_exit() != 0
        assert str(port) in "\n".join(broker.log)


def test_flags_beat_the_environment_which_beats_the_file(start, tmp_path):
    file = tmp_path / "roomline.json"
    file.write_text('{"max-rooms-per-connection": 1}')
    places = [
        (["--config", str(file)], {}),
        (["--config", str(file)], {"ROOMLINE_MAX_ROOMS_PER_CONNECTION": "2"}),
        (["--config", str(file), "--max-rooms-per-connection", "3"], {"ROOMLINE_MAX_ROOMS_PER_CONNECTION": "2"}),
    ]
    for allowed, (flags, env) in enumerate(places, start=1):
        with Client(start(*flags, env=env, data=":memory:"), "Ann") as ann:
            for number in range(allowed):
                ann.subscribe(f"room-{number}")
            ann.refused({"type": "subscribe", "room": "one more"}, "too_many_rooms")


def test_a_blank_variable_counts_as_not_set():
    """A file of variables, or `docker -e`, can only empty one."""
    blank = {"ROOMLINE_CONFIG": "", "ROOMLINE_MAX_LINE": " ", "ROOMLINE_CHANNEL": "", "ROOMLINE_LOG_LEVEL": "\t", "ROOMLINE_SERVER": ""}
    done = run_to_end("serve", "--data", ":memory:", "--print-config", "--json", env=blank)
    assert done.returncode == 0, done.stderr
    shown = {row["option"]: row["source"] for row in map(json.loads, done.stdout.splitlines())}
    assert {key: source for key, source in shown.items() if source != "default"} == {"data": "flag"}
    refuses(env={"ROOMLINE_TEXT_ROOM": "off", "ROOMLINE_MAX_LINE": "x"}, says=["ROOMLINE_MAX_LINE"])


@pytest.mark.parametrize("place", ["/dev/stdin", "/dev/fd/{}"])
def test_the_configuration_comes_out_of_a_pipe(place):
    reader, writer = os.pipe()
    os.write(writer, b'{"max-nesting": 9}')
    os.close(writer)
    options = ("--data", ":memory:", "--print-config", "--json", "--config", place.format(reader))
    done = run_to_end("serve", *options, stdin=reader, pass_fds=[reader])
    os.close(reader)
    assert done.returncode == 0, done.stderr
    (row,) = [row for row in map(json.loads, done.stdout.splitlines()) if row["option"] == "max-nesting"]
    assert row["value"] == "9" and row["source"].startswith("file /dev/")


def test_an_endless_configuration_is_refused():
    refuses("--config", "/dev/zero", says=["/dev/zero", "more than 1MiB"])


def test_a_start_at_a_terminal_says_what_a_newcomer_needs(tmp_path):
    """In a few lines that fit, in place of the log's first ones."""
    data = tmp_path / "d"
    places = ["--tcp", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", str(data)]
    env = {"NO_COLOR": "1"}
    with Terminal(None, "serve", *places, "--channel", "brief,history=off", "--channel", "talk", columns=240, env=env) as terminal:
        assert terminal.see("Ctrl-C stops it.").startswith("Roomline ")
        chat = terminal.see("  chat").split()[-1]
        assert terminal.see("  broker").split()[-1].startswith("tcp://127.0.0.1:")
        assert terminal.see("  data").split()[-1] == str(data)
        assert terminal.see("  console").split(maxsplit=1)[-1] == f"{BINARY} console --open --data {data}"
        assert terminal.see("  history").split(maxsplit=1)[-1] == "brief: off" and terminal.see("talk: 1000 messages, 30d")
        assert chat.endswith("/?channel=brief"), "the first channel that there is"
        with urllib.request.urlopen(chat, timeout=PATIENCE) as page:
            assert page.status == 200
        assert not any(word in line for word in ("listening", "serving pages", "made a channel") for line in terminal.screen.text())
        assert terminal.see("channels keep no history").startswith("20"), "other lines of the log come"
        terminal.type("\x03")
        assert terminal.end() == 0
    with Terminal(None, "serve", *places, "--log-level", "warning") as quiet:
        with socket.socket(socket.AF_UNIX) as door:
            quiet.wait(lambda _: door.connect_ex(str(data / "admin.sock")) == 0, "that it listens")
        assert quiet.end(signal.SIGTERM) == 0 and quiet.raw == b""


def test_sigterm_says_goodbye_and_ends_in_order(start):
    broker = start()
    people = [Client(broker, f"P{number}", resumable=number % 2 == 0) for number in range(20)]
    for person in people:
        person.subscribe("observable-room")
    with TextClient(broker) as text:
        text.join("Han")
        last = people[0].publish("observable-room", "last words")
        broker.process.send_signal(signal.SIGTERM)
        waits = []
        for person in people:
            seen, goodbye = person.goodbye("shutting_down")
            assert any(frame.get("id") == last["id"] for frame in seen)
            assert goodbye["reconnect"] is True
            waits.append(goodbye["retry_after_ms"])
            person.close()
        assert len(set(waits)) > 1, "all would come back at once"
        text.read_to_end()
    assert broker.wait_for_exit() == 0, broker.tail()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", broker.port), timeout=PATIENCE)


def test_sigterm_does_not_wait_for_one_who_never_reads(start):
    broker = start("--drain-timeout", "1s", "--channel", "default,history=off")
    with Client(broker, "Slow", receive_buffer=4096) as slow, Client(broker, "Ann") as ann:
        slow.subscribe("room")
        for _ in range(100):
            ann.publish("room", "x" * 60_000)
        assert broker.terminate() == 0


def test_sigterm_does_not_wait_for_sockets_left_open(start):
    """nc does that: it has seen the end of the stream, and waits for its own input to end."""
    broker = start("--drain-timeout", "1h")
    with Client(broker, "Ann") as ann:
        broker.process.send_signal(signal.SIGTERM)
        ann.goodbye("shutting_down")
        assert broker.wait_for_exit() == 0


def test_a_second_sigterm_is_immediate(start):
    broker = start("--drain-timeout", "1h", "--channel", "default,history=off")
    with Client(broker, "Slow", receive_buffer=4096) as slow, Client(broker, "Ann") as ann:
        slow.subscribe("room")
        for _ in range(100):
            ann.publish("room", "x" * 60_000)
        broker.process.send_signal(signal.SIGTERM)
        ann.goodbye("shutting_down")
        if broker.is_running():
            broker.process.send_signal(signal.SIGTERM)
        broker.wait_for_exit()


def test_the_exit_code_of_health_says_whether_the_broker_is_ready(start, tmp_path):
    path = str(tmp_path / "a.sock")
    broker = start("--drain-timeout", "1h", "--channel", "default,history=off", admin=path)
    for place in (["--socket", path], ["--server", f"http://127.0.0.1:{broker.http_port}"]):
        answer = run_to_end("health", *place)
        assert (answer.returncode, answer.stdout) == (0, "ready\n"), answer.stderr
    assert json.loads(run_to_end("health", "--socket", path, "--json").stdout)["status"] == "ok"
    with Client(broker, "Slow", receive_buffer=4096) as slow, Client(broker, "Ann") as ann:
        slow.subscribe("room")
        for _ in range(100):
            ann.publish("room", "x" * 60_000)
        broker.process.send_signal(signal.SIGTERM)
        ann.goodbye("shutting_down")
        assert "draining" in json.loads(run_to_end("stats", "--socket", path, "--json").stdout)["warnings"]
        answer = run_to_end("health", "--socket", path)
        assert answer.returncode == 1 and '"draining":true' in answer.stderr, answer.stderr
    broker.kill()
    assert run_to_end("health", "--socket", path).returncode == 69


def test_sigint_ends_it_as_well(start):
    broker = start()
    with Client(broker, "Ann") as ann:
        broker.process.send_signal(signal.SIGINT)
        ann.goodbye("shutting_down")
    assert broker.wait_for_exit() == 0


def test_the_log_has_no_message_in_it(start):
    broker = start("--log-level", "trace")
    with Client(broker, "Secret-Name") as ann:
        ann.subscribe("observable-room")
        ann.publish("observable-room", "secret-message")
        ann.send_line('{"type":"publish","room":"observable-room","message":"secret-garbage"')
        ann.next()
    broker.terminate()
    log = "\n".join(broker.log)
    assert "secret" not in log.lower()


def test_it_restarts_on_the_port_it_had(start):
    """SO_REUSEADDR: connections of the one before, still in TIME_WAIT, do not keep the port."""
    broker = start()
    port = broker.port
    ann = Client(broker, "Ann")
    broker.kill()
    ann.close()
    with Client(start(tcp=f"127.0.0.1:{port}"), "Ann") as ann:
        ann.ask({"type": "ping"})


class SecureClient(Client):
    def secure(self, certificate):
        context = ssl.create_default_context(cafile=certificate)
        self.socket = context.wrap_socket(self.socket, server_hostname="localhost")


def test_tls(start, certificate):
    path, key = certificate
    broker = start("--tls-certificate", str(path), "--tls-key", str(key))
    people = []
    for name in ("Ann", "Bob"):
        client = SecureClient(broker, handshake=False)
        client.secure(path)
        client.send({"type": "handshake", "channel": "default", "client_data": {"name": name}, "callback": 0})
        assert client.reply(0)["client_id"]
        client.subscribe("room")
        people.append(client)
    people[0].publish("room", "x" * 60_000)
    for person in people:
        person.expect("publish", message="x" * 60_000)
    # More than the kernel takes: the rest goes by way of the memory window and the store.
    callbacks = [people[0].post({"type": "publish", "room": "room", "message": f"{number} {'x' * 60_000}"}) for number in range(100)]
    for callback in callbacks:
        assert "error" not in people[0].reply(callback)
    for person in people:
        assert [frame["message"].split()[0] for frame in person.messages(100)] == [str(number) for number in range(100)]
    with TextClient(broker) as plain:
        plain.send_bytes(b'{"type":"handshake","channel":"default","callback":0}\n')
        assert b"client_id" not in plain.read_to_end()
    broker.process.send_signal(signal.SIGTERM)
    for person in people:
        person.goodbye("shutting_down")
    assert broker.wait_for_exit() == 0
    for person in people:
        person.close()


def test_open_files_are_raised(start):
    limits = open_files(start())
    assert limits[0] == limits[1]


def open_files(broker: Broker):
    for line in open(f"/proc/{broker.process.pid}/limits"):
        if line.startswith("Max open files"):
            return line.split()[3:5]
    raise AssertionError(f"no limit of open files for process {broker.process.pid} on {os.uname().sysname}")


def test_signals_that_mean_nothing_do_not_end_it(start):
    broker = start()
    meaningful = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL, signal.SIGQUIT, signal.SIGXCPU}
    # that something is wrong with the program itself, or that it is to stop for a while and go on
    faults = {signal.SIGILL, signal.SIGTRAP, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGSEGV, signal.SIGSYS}
    stops = {signal.SIGSTOP, signal.SIGTSTP}
    others = signal.valid_signals() - meaningful - faults - stops - {signal.SIGRTMAX}
    assert {signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGPIPE, signal.SIGIO, signal.SIGTTOU, signal.SIGRTMIN} <= others
    for number in sorted(others):
        os.kill(broker.process.pid, number)
    with Client(broker, "Ann") as ann:
        ann.subscribe("room")
        ann.publish("room", "still here")
    assert broker.is_running() and broker.terminate() == 0
