"""`roomline bench`: every workload for a moment, over both transports; its files, and what it says where it cannot measure."""

import json
import signal
import socket

import pytest

from command import Terminal, run

SHORT = ["--duration", "50ms", "--rounds", "2"]
FEW = {
    "idle": ["--members", "20"],
    "fanout": ["--members", "6", "--rooms", "2", "--burst", "3"],
    "rooms": ["--members", "6", "--rooms", "3"],
    "latency": ["--members", "3", "--rate", "100"],
    "churn": ["--members", "4"],
    "durable": ["--publishers", "2", "--burst", "3"],
}


def server(broker, transport):
    return f"{transport}://127.0.0.1:{broker.port if transport == 'tcp' else broker.http_port}"


def measure(broker, *options, transport="tcp"):
    """The one JSON object that it writes."""
    done = run(server(broker, transport), "bench", *options, "--json")
    assert done.returncode == 0, done.stderr.decode()
    (line,) = done.stdout.decode().splitlines()
    return json.loads(line)


def refused(code, part, done):
    errors = done.stderr.decode().splitlines()
    assert done.returncode == code and len(errors) == 1 and part in errors[0], (done.returncode, errors)


@pytest.mark.parametrize("transport", ["tcp", "ws"])
@pytest.mark.parametrize("workload", FEW)
def test_every_workload_measures(broker, workload, transport):
    report = measure(broker, "--workload", workload, *FEW[workload], *SHORT, transport=transport)
    assert (report["format"], report["transport"], report["channel"]) == (1, transport, "default")
    (result,) = report["workloads"]
    assert result["workload"] == workload and not result["stopped"]
    assert len(result["rounds"]) == (1 if workload == "idle" else 2)
    # a round of 50 ms may pass on a busy machine before anything is answered
    assert all(measured["seconds"] > 0 for measured in result["rounds"])
    assert sum(measured["operations"] for measured in result["rounds"]) > 0
    assert sum(measured["bytes"] for measured in result["rounds"]) > 0
    for latencies in [measured["latency_us"] for measured in result["rounds"] if measured["operations"]]:
        assert 0 < latencies["p50"] <= latencies["p99"] <= latencies["p99.9"] <= latencies["max"]
    assert result.get("stored") == (None if workload in ("idle", "churn") else True)
    if workload == "idle":
        assert result["rounds"][0]["operations"] == result["connections"] == 20


def test_it_finds_the_process_of_the_broker(broker):
    # more than fit into the first piece of the kernel's table
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(60)]
    report = measure(broker, "--workload", "latency", *FEW["latency"], *SHORT)
    for listener in listeners:
        listener.close()
    (result,) = report["workloads"]
    assert all(measured["broker_cpu_seconds"] >= 0 for measured in result["rounds"])
    assert report["broker_version"] == report["version"]
    by_id = measure(broker, "--workload", "latency", *FEW["latency"], *SHORT, "--pid", str(broker.process.pid))
    assert "broker_cpu_seconds" in by_id["workloads"][0]["rounds"][0]


def test_the_tables_and_a_comparison(broker, tmp_path):
    before = tmp_path / "before.json"
    options = ["--workload", "fanout,idle", "--members", "6", *SHORT]
    done = run(broker, "bench", *options, "--output", str(before))
    assert done.returncode == 0 and done.stderr == b"", done.stderr
    lines = done.stdout.decode().splitlines()
    assert lines[0].split() == ["broker", f"tcp://127.0.0.1:{broker.port}"]
    assert lines[1].split() == ["channel", "default,", "history", "on"]
    assert lines[2].split()[:2] == ["process", str(broker.process.pid)]
    assert lines[4].startswith("WORKLOAD") and [line.split()[0] for line in lines[5:7]] == ["fanout", "idle"]
    assert json.loads(before.read_text())["workloads"][0]["settings"]["members"] == 6

    again = run(broker, "bench", *options, "--compare", str(before), "--output", str(before))
    assert again.returncode == 0, again.stderr
    ratios = again.stdout.decode().split("now / then: ")[1].splitlines()
    assert str(before) in ratios[0] and ratios[1].split() == ["WORKLOAD", "PER", "SECOND", "P50", "P99", "CPU", "KiB/CONN"]
    assert [line.split()[0] for line in ratios[2:4]] == ["fanout", "idle"]


def test_other_settings_are_not_compared(broker, tmp_path):
    before = tmp_path / "before.json"
    run(broker, "bench", "--workload", "churn", "--members", "2", *SHORT, "--output", str(before))
    compare = ["--compare", str(before)]
    refused(64, "churn: --members was 2 then, and is 3 now", run(broker, "bench", "--workload", "churn", "--members", "3", *SHORT, *compare))
    refused(64, "no result of the workload idle", run(broker, "bench", "--workload", "idle", "--members", "2", *SHORT, *compare))
    over_ws = ["--workload", "churn", "--members", "2", *SHORT, *compare]
    refused(64, "over tcp, and not over ws", run(server(broker, "ws"), "bench", *over_ws))


@pytest.mark.parametrize("text", ["", "hello", "{}", '{"format":1}'])
def test_a_file_that_is_no_result(broker, tmp_path, text):
    file = tmp_path / "file.json"
    file.write_text(text)
    refused(64, "is not a result of roomline bench", run(broker, "bench", "--compare", str(file)))


def test_files_that_cannot_be_used(broker, tmp_path):
    newer = tmp_path / "newer.json"
    newer.write_text('{"format":2,"workloads":[]}')
    refused(64, "has the format 2", run(broker, "bench", "--compare", str(newer)))
    refused(64, "No such file", run(broker, "bench", "--compare", str(tmp_path / "none.json")))
    refused(64, "cannot be written", run(broker, "bench", "--output", str(tmp_path / "no" / "such.json")))


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--workload", "quick"], b"quick"),
        (["--workload", "idle,idle"], b"idle,idle"),
        (["--members", "0"], b"--members has to be 1 to"),
        (["--size", "9"], b"--size has to be 10 to"),
        (["--duration", "10ms"], b"--duration has to be 50ms to 1h"),
        (["--workload", "churn", "--rate", "5"], b"--rate is not a setting of churn"),
        (["--workload", "rooms", "--members", "3", "--rooms", "4"], b"3 members cannot be in 4 rooms"),
        (["--workload", "durable", "--publishers", "1", "--rooms", "2"], b"--publishers 2"),
        (["--workload", "fanout", "--burst", "10000", "--size", "1048576"], b"smaller --burst or --size"),
        (["--json", "--compare", "x"], b"exclude each other"),
    ],
)
def test_wrong_options(options, part):
    done = run(None, "bench", *options)
    assert done.returncode == 64 and part in done.stderr, done.stderr


def test_nobody_is_there(broker, tmp_path):
    file = tmp_path / "result.json"
    refused(69, "roomline serve", run("tcp://127.0.0.1:1", "bench", "--output", str(file)))
    assert not file.exists()
    refused(64, "is not the URL of a broker", run("http://127.0.0.1:1", "bench"))
    refused(64, "--pid 1073741824", run(broker, "bench", "--pid", "1073741824"))


def test_the_wrong_port(broker):
    http = run(f"tcp://127.0.0.1:{broker.http_port}", "bench", "--workload", "latency", *SHORT)
    refused(1, "does not speak the protocol of Roomline", http)
    refused(1, "in place of a WebSocket", run(f"ws://127.0.0.1:{broker.port}", "bench", "--workload", "latency", *SHORT))


def test_what_the_broker_refuses_is_said_with_the_option_that_allows_it(start):
    broker = start("--publish-rate", "100", "--channel", "off,history=off", "--channel", "closed,auth=required")
    burst = ["--members", "2", "--rooms", "1", "--burst", "300"]
    refused(1, "--publish-rate unlimited", run(broker, "bench", "--channel", "off", "--workload", "fanout", *burst, *SHORT))
    refused(1, "--channel bench,history", run(broker, "bench", "--channel", "off", "--workload", "durable", *FEW["durable"], *SHORT))
    refused(1, "(unknown_channel)", run(broker, "bench", "--channel", "none", "--workload", "churn", *SHORT))
    refused(1, "--token-file", run(broker, "bench", "--channel", "closed", "--workload", "idle", *FEW["idle"], *SHORT))


def test_a_refusal_does_not_end_the_other_workloads(start):
    broker = start("--channel", "off,history=off")
    done = run(broker, "bench", "--channel", "off", "--workload", "durable,churn", *SHORT)
    assert done.returncode == 1 and b"durable: " in done.stderr
    assert b"\nchurn " in done.stdout


def test_a_broker_that_goes_away(start):
    broker = start()
    with Terminal(broker, "bench", "--workload", "idle,fanout", "--members", "4", "--duration", "1h", columns=160) as terminal:
        terminal.see("idle: at rest")
        broker.kill()
        assert terminal.end() == 69
        (said,) = [row for row in terminal.screen.text() if row]
        assert said.startswith("roomline: idle: "), said


def test_ctrl_c_shows_what_was_measured(start):
    broker = start("--publish-rate", "unlimited")
    with Terminal(broker, "bench", "--workload", "fanout,churn", "--members", "4", "--duration", "1h", columns=160) as terminal:
        terminal.see("fanout: round 1 of 3, ")
        assert terminal.end(signal.SIGINT) == 0
        assert any(row.startswith("fanout ") and " deliveries " in row for row in terminal.screen.text())
        assert "fanout: stopped before its time" in terminal.screen.text()
        assert not any("round 1 of" in row for row in terminal.screen.text())


@pytest.mark.parametrize("transport", ["tls", "wss"])
def test_encrypted(start, certificate, transport):
    chain, key = certificate
    broker = start("--tls-certificate", str(chain), "--tls-key", str(key))
    port = broker.port if transport == "tls" else broker.http_port
    options = ["--workload", "churn,fanout", "--members", "2", *SHORT]
    done = run(f"{transport}://localhost:{port}", "bench", *options, "--trust", str(chain), "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["transport"] == transport and len(report["workloads"]) == 2
    distrusted = run(f"{transport}://localhost:{port}", "bench", "--workload", "churn", *SHORT)
    assert distrusted.returncode == 69 and b"nobody who is trusted has issued its certificate" in distrusted.stderr, distrusted.stderr
