"""SIGHUP, and a certificate that is renewed: what takes effect without a restart, and that nothing broken does."""

import json
import os
import signal
import socket
import ssl
import subprocess
import urllib.request

import pytest

from admin import Admin
from broker import PATIENCE, run_to_end
from client import Client


def code(word):
    return lambda record: record.get("metadata", {}).get("code") == word


def says(message):
    return lambda record: record.get("message") == message


def later(broker, matches):
    """The same for records that the log does not have yet."""
    known = set(broker.log)
    return lambda record: matches(record) and any(line not in known and json.loads(line) == record for line in list(broker.log))


def warnings(broker, scheme="http"):
    """What /health tells somebody who does not look at certificates."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    address = f"{scheme}://127.0.0.1:{broker.http_port}/health"
    with urllib.request.urlopen(address, timeout=PATIENCE, context=context if scheme == "https" else None) as answer:
        return json.load(answer).get("warnings", [])


class Configured:
    """A broker with a configuration file."""

    def __init__(self, start, tmp_path, *, first=None, **places):
        self.file = tmp_path / "roomline.json"
        self.write(**(first or {}))
        self.broker = start("--config", str(self.file), **places)

    def write(self, **options):
        self.file.write_text(json.dumps(options))

    def reload(self, matches=says("reloaded"), what="that it has reloaded"):
        """The record of the log that says what became of it."""
        new = later(self.broker, matches)
        self.broker.process.send_signal(signal.SIGHUP)
        return self.broker.wait_for_log(new, what)


@pytest.fixture
def configured(start, tmp_path):
    return Configured(start, tmp_path)


def test_channels_and_the_log_level_take_effect_and_nobody_is_disconnected(configured, start):
    with Client(configured.broker, "Ann") as ann:
        ann.subscribe("room")
        ann.publish("room", "before")
        configured.write(channel=["default,history=5", "talk,history=9"], **{"log-level": "debug", "max-line": "256KiB"})
        assert set(configured.reload()["metadata"]["changed"].split()) == {"channel", "log-level"}
        waiting = configured.broker.wait_for_log(code("restart_needed"), "what waits for a restart")
        assert waiting["metadata"]["options"] == "max-line" and waiting["level"] == "warning"
        ann.publish("room", "after")
        with Client(configured.broker, "Bob", channel="talk") as bob:
            bob.subscribe("room")
        configured.broker.wait_for_log(says("handshake accepted"), "what it says at the level debug")
    configured.write()
    assert set(configured.reload()["metadata"]["changed"].split()) == {"channel", "log-level"}


def test_a_configuration_that_is_the_same_says_so(configured):
    record = configured.reload(says("reloaded: nothing has changed"), "that nothing has changed")
    assert "changed" not in record["metadata"]
    configured.write(**{"max-line": "256KiB"})
    configured.reload(says("reloaded: nothing changes now"), "that it waits")
    configured.broker.wait_for_log(code("restart_needed"), "what waits for a restart")


def test_the_settings_that_the_file_names_are_locked_and_the_others_are_not(start, tmp_path):
    configured = Configured(start, tmp_path, admin=tmp_path / "a.sock")
    admin = Admin(configured.broker)
    admin.done("PATCH", "/channels/default", {"history": {"count": 7}})
    configured.write(channel=["default,history=5"])
    configured.reload()
    assert admin.done("GET", "/channels/default")["history"]["count"] == 5
    assert admin.call("PATCH", "/channels/default", {"history": {"count": 7}}).status == 409
    configured.write()
    configured.reload()
    assert admin.done("PATCH", "/channels/default", {"history": {"count": 7}})["history"]["count"] == 7
    (entry,) = [entry for entry in admin.done("GET", "/audit")["entries"] if entry["actor"] == "reload"]
    assert entry["details"] == {"changes": {"history_count": {"from": 7, "to": 5}}}, "as the entry of a restart says it"
    admin.close()


@pytest.mark.parametrize("text", ['{"log-level": "debug"', '{"log-level": "loud"}', '{"nonsense": 1}', "[]", ""])
def test_a_broken_file_changes_nothing(configured, text):
    configured.file.write_text(text)
    record = configured.reload(code("configuration_reload_failed"), "that the file cannot be used")
    assert record["level"] == "error" and record["metadata"]["error"]
    assert "configuration_reload_failed" in warnings(configured.broker)
    with Client(configured.broker, "Ann") as ann:
        ann.ask({"type": "ping"})
    configured.write(**{"log-level": "debug"})
    assert configured.reload()["metadata"]["changed"] == "log-level"
    assert "configuration_reload_failed" not in warnings(configured.broker)


def test_a_file_that_has_gone_changes_nothing(configured):
    os.remove(configured.file)
    configured.reload(code("configuration_reload_failed"), "that there is no file")
    with Client(configured.broker, "Ann") as ann:
        ann.ask({"type": "ping"})


def test_a_channel_that_would_be_open_to_strangers_stays_closed(start, tmp_path):
    configured = Configured(start, tmp_path, first={"channel": ["default,auth=required"]}, tcp="0.0.0.0:0")
    record = configured.broker.wait_for_log(code("tokens_without_tls"), "that tokens can be stolen")
    assert record["level"] == "warning" and record["metadata"]["addresses"] == "0.0.0.0:0"
    configured.write(channel=["default,auth=none"])
    record = configured.reload(code("channel_reload_failed"), "that the channel stays as it is")
    assert record["level"] == "error" and "--allow-open-channels" in record["metadata"]["error"]
    with Client(configured.broker, "Stranger") as stranger:
        assert stranger.welcome["require_auth"] is True


def certificate(directory, name):
    """A certificate that names `name`, and its key."""
    files = directory / f"{name}.pem", directory / f"{name}.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", f"/CN={name}", "-keyout", files[1], "-out", files[0]],
        check=True, capture_output=True,
    )  # fmt: skip
    return files


def shown(port):
    """The certificate that a new connection sees."""
    return ssl.get_server_certificate(("127.0.0.1", port), timeout=PATIENCE)


@pytest.fixture
def encrypted(start, tmp_path):
    one, two = certificate(tmp_path, "one"), certificate(tmp_path, "two")
    live = tmp_path / "live.pem", tmp_path / "live.key"
    for file, source in zip(live, one):
        file.write_bytes(source.read_bytes())
    broker = start("--tls-certificate", str(live[0]), "--tls-key", str(live[1]))
    return broker, live, one, two


def replace(live, files):
    for file, source in zip(live, files):
        fresh = file.with_suffix(".new")
        fresh.write_bytes(source.read_bytes())
        fresh.rename(file)


def test_a_renewed_certificate_is_noticed(encrypted):
    broker, live, one, two = encrypted
    context = ssl.create_default_context(cafile=one[0])
    context.check_hostname = False
    with context.wrap_socket(socket.create_connection(("127.0.0.1", broker.port), timeout=PATIENCE)) as old:
        assert shown(broker.port) == one[0].read_text() == shown(broker.http_port)
        replace(live, two)
        broker.wait_for_log(says("loaded the certificate"), "that it has loaded the certificate")
        assert shown(broker.port) == two[0].read_text() == shown(broker.http_port)
        # Those who are connected stay.
        old.sendall(b'{"type":"handshake","channel":"default","callback":0}\n')
        assert b"client_id" in old.recv(65536)


def test_a_certificate_that_is_the_same_is_not_loaded_anew(encrypted):
    broker, live, one, two = encrypted
    replace(live, one)
    broker.process.send_signal(signal.SIGHUP)
    broker.wait_for_log(says("reloaded: nothing has changed"), "that nothing has changed")
    assert not any("loaded the certificate" in line for line in broker.log)
    # Several signals before the look of the next second: the reload itself loads it.
    replace(live, two)
    broker.process.send_signal(signal.SIGHUP)
    broker.wait_for_log(says("loaded the certificate"), "that it has loaded the certificate")
    assert shown(broker.port) == two[0].read_text()


def test_a_broken_certificate_keeps_the_one_before(encrypted):
    broker, live, one, two = encrypted
    for broken in (b"rubbish", b"", two[1].read_bytes()):
        live[0].write_bytes(broken)
        failed = later(broker, code("tls_reload_failed"))
        broker.process.send_signal(signal.SIGHUP)
        broker.wait_for_log(failed, "that the certificate cannot be used")
        assert shown(broker.port) == one[0].read_text() == shown(broker.http_port)
    # The key of another certificate is noticed, too, without a signal.
    failed = later(broker, code("tls_reload_failed"))
    replace(live, [one[0], two[1]])
    broker.wait_for_log(failed, "that they do not fit")
    assert "tls_reload_failed" in warnings(broker, "https")
    assert shown(broker.port) == one[0].read_text()
    replace(live, two)
    broker.wait_for_log(says("loaded the certificate"), "that it has loaded the certificate")
    assert shown(broker.port) == two[0].read_text()
    assert "tls_reload_failed" not in warnings(broker, "https")


def test_a_key_that_is_put_back_is_told(encrypted):
    broker, live, one, two = encrypted
    failed = later(broker, code("tls_reload_failed"))
    live[1].write_bytes(two[1].read_bytes())
    broker.process.send_signal(signal.SIGHUP)
    broker.wait_for_log(failed, "that they do not fit")
    live[1].write_bytes(one[1].read_bytes())
    broker.wait_for_log(says("the certificate can be used again, it is the one in use"), "that all is well")
    assert "tls_reload_failed" not in warnings(broker, "https")
    broker.process.send_signal(signal.SIGHUP)
    broker.wait_for_log(says("reloaded: nothing has changed"), "that nothing has changed")
    assert sum("can be used again" in line for line in broker.log) == 1


def test_a_key_that_is_no_file_keeps_nobody_waiting(encrypted):
    broker, live, one, two = encrypted
    live[1].unlink()
    os.mkfifo(live[1])
    failed = later(broker, code("tls_reload_failed"))
    broker.process.send_signal(signal.SIGHUP)
    assert "is not a file" in broker.wait_for_log(failed, "that the key is not a file")["metadata"]["error"]
    assert shown(broker.port) == one[0].read_text()
    assert broker.terminate() == 0
    files = ("--tls-certificate", str(live[0]), "--tls-key", str(live[1]))
    for command in (("serve", "--data", ":memory:", *files), ("serve", "--print-config", *files)):
        done = run_to_end(*command)
        assert done.returncode == 1 and "live.key is not a file" in done.stderr


def test_the_file_can_name_another_certificate(start, tmp_path):
    one, two = certificate(tmp_path, "one"), certificate(tmp_path, "two")
    options = [{"tls-certificate": str(files[0]), "tls-key": str(files[1])} for files in (one, two)]
    file = tmp_path / "roomline.json"
    file.write_text(json.dumps(options[0]))
    broker = start("--config", str(file))
    file.write_text(json.dumps(options[1]))
    broker.process.send_signal(signal.SIGHUP)
    record = broker.wait_for_log(says("reloaded"), "that it has reloaded")
    assert set(record["metadata"]["changed"].split()) == {"tls-certificate", "tls-key"}
    assert shown(broker.port) == two[0].read_text()
    # TLS itself stays on until a restart.
    file.write_text("{}")
    broker.process.send_signal(signal.SIGHUP)
    broker.wait_for_log(code("restart_needed"), "that TLS is turned off by a restart only")
    assert shown(broker.port) == two[0].read_text()
