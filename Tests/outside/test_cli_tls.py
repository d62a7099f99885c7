"""What the commands say when there is no TLS with a broker: each of its causes in words of its own."""

import json
import re
import shutil
import ssl
import subprocess
import time
import urllib.request

import pytest

from broker import PATIENCE
from command import Terminal, run

CONFIGURATION = """
[ca]
default_ca = own
[own]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
x509_extensions = names
[any]
commonName = supplied
[req]
distinguished_name = nobody
[nobody]
[names]
subjectAltName = IP:127.0.0.1,DNS:localhost
"""


@pytest.fixture(scope="module")
def expired(certificate, tmp_path_factory):
    """A certificate of 2020 for the key of `certificate`."""
    directory = tmp_path_factory.mktemp("expired")
    (directory / "ca.cnf").write_text(CONFIGURATION)
    (directory / "index.txt").touch()
    (directory / "serial").write_text("01\n")

    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=directory)

    openssl("req", "-new", "-config", "ca.cnf", "-key", str(certificate[1]), "-subj", "/CN=localhost", "-out", "request.pem")
    openssl(
        "ca", "-batch", "-notext", "-config", "ca.cnf", "-selfsign", "-keyfile", str(certificate[1]), "-in", "request.pem",
        "-startdate", "20200101000000Z", "-enddate", "20200201000000Z", "-out", "expired.pem",
    )  # fmt: skip
    return directory / "expired.pem", certificate[1]


def serve(start, pair):
    return start("--tls-certificate", str(pair[0]), "--tls-key", str(pair[1]))


def said(broker, *words, trust=False):
    """What an admin command and a client say of the same broker, and that both name --trust only where it helps."""
    admin = run(None, "stats", "--server", f"https://127.0.0.1:{broker.http_port}", *words, env={"ROOMLINE_TOKEN": "x"})
    client = run(f"tls://127.0.0.1:{broker.port}", "publish", "lobby", "x", *words)
    assert admin.returncode == client.returncode == 69, (admin, client)
    texts = [admin.stderr.decode(), client.stderr.decode()]
    assert all(("--trust FILE" in text) == trust for text in texts), texts
    return texts


def test_an_unknown_authority(start, certificate):
    assert all("nobody who is trusted has issued" in text for text in said(serve(start, certificate), trust=True))


def test_an_expired_certificate(start, expired):
    broker = serve(start, expired)
    texts = said(broker, "--trust", str(expired[0])) + said(broker)
    assert all("expired on 2020-02-01" in text for text in texts), texts


def test_another_name(start, certificate, tmp_path):
    other = tmp_path / "other.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-key", certificate[1], "-days", "2", "-subj", "/CN=elsewhere.example",
         "-addext", "subjectAltName=DNS:elsewhere.example", "-out", other],
        check=True, capture_output=True,
    )  # fmt: skip
    texts = said(serve(start, (other, certificate[1])), "--trust", str(other))
    assert all("certificate is for elsewhere.example, and not for the name in the URL\n" in text for text in texts), texts


def test_no_tls_at_all(broker):
    texts = said(broker)
    assert all("does not speak TLS" in text for text in texts), texts


def test_an_admin_url_without_tls_of_a_port_with_it(start, certificate):
    broker = serve(start, certificate)
    url = f"127.0.0.1:{broker.http_port}"
    result = run(None, "stats", "--server", f"http://{url}", env={"ROOMLINE_TOKEN": "x"})
    assert result.returncode == 69 and f"or the port speaks TLS: use https://{url}" in result.stderr.decode(), result


@pytest.mark.parametrize("content, reason", [(None, "No such file"), ("key", "has no certificate in PEM")], ids=["none", "a key"])
def test_certificates_that_cannot_be_trusted(certificate, tmp_path, content, reason):
    file = tmp_path / "trust.pem"
    if content:
        shutil.copyfile(certificate[1], file)
    result = run(None, "stats", "--server", "https://127.0.0.1:1", "--trust", str(file), env={"ROOMLINE_TOKEN": "x"})
    assert result.returncode == 64 and str(file) in result.stderr.decode() and reason in result.stderr.decode(), result


def got(broker, path):
    """What HTTP answers to somebody who does not look at dates."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with urllib.request.urlopen(f"https://127.0.0.1:{broker.http_port}{path}", timeout=PATIENCE, context=context) as answer:
        return answer.read().decode()


def doctor(broker, pair, data):
    ports = ["--tcp", f"127.0.0.1:{broker.port}", "--http", f"127.0.0.1:{broker.http_port}"]
    files = ["--tls-certificate", str(pair[0]), "--tls-key", str(pair[1])]
    result = run(None, "doctor", "--json", "--data", str(data), *ports, *files)
    found = [finding for finding in json.loads(result.stdout)["findings"] if finding["check"] == "certificate"]
    return result.returncode, found


def code(word):
    return lambda record: record.get("metadata", {}).get("code") == word


def test_the_operator_is_told_of_an_expired_certificate_until_it_is_replaced(start, expired, certificate, tmp_path):
    pair = [tmp_path / "certificate.pem", tmp_path / "key.pem"]
    for source, target in zip(expired, pair, strict=True):
        shutil.copyfile(source, target)
        target.chmod(0o600)
    data = tmp_path / "data"
    broker = start("--tls-certificate", str(pair[0]), "--tls-key", str(pair[1]), admin=data / "admin.sock")
    place = ["--socket", str(broker.admin_socket)]

    said = broker.wait_for_log(code("certificate_expired"), "that the certificate has expired")
    assert said["level"] == "error" and said["metadata"]["file"] == str(pair[0])
    assert said["metadata"]["expires"] == "2020-02-01T00:00:00Z"
    health = json.loads(got(broker, "/health"))
    assert health["status"] == "ok" and "certificate_expired" in health["warnings"]
    assert "roomline_tls_certificate_expiry_timestamp_seconds 1580515200" in got(broker, "/metrics")
    sheet = run(None, "stats", *place).stdout.decode()
    assert "the certificate expired on 2020-02-01" in sheet
    with Terminal(None, "stats", "--watch", *place) as terminal:
        terminal.see("! the certificate expired on 2020-02-01 00:00:00 +00:00: clients refuse it")
        status, (file, running) = doctor(broker, pair, data)
        assert status == 1 and file["status"] == running["status"] == "problem"
        assert f"{pair[0]} expired on 2020-02-01T00:00:00Z" in file["text"] and str(pair[1]) in file["advice"]
        assert "the broker that runs says: the certificate expired" in running["text"]

        shutil.copyfile(certificate[0], tmp_path / "new")
        (tmp_path / "new").rename(pair[0])
        broker.wait_for_log(lambda record: record.get("message") == "loaded the certificate", "that it takes the new one")
        terminal.see_not("! the certificate")
        terminal.type("q")
        assert terminal.end() == 0
    assert "certificate_expired" not in json.loads(got(broker, "/health")).get("warnings", [])
    status, (file,) = doctor(broker, pair, data)
    assert file["status"] == "ok" and "can be used until" in file["text"]


def test_the_log_says_in_words_why_there_was_no_tls(start, expired):
    broker = serve(start, expired)
    run(f"tls://127.0.0.1:{broker.port}", "publish", "lobby", "x", "--trust", str(expired[0]))
    ended = broker.wait_for_log(lambda record: "TLS failed" in record.get("metadata", {}).get("reason", ""), "that TLS failed")
    assert ended["metadata"]["reason"] == "TLS failed: the client says that the certificate has expired"
    assert ended["metadata"]["code"] == "tls_failed"


def test_no_tls_is_no_wrong_protocol(start, certificate):
    broker = serve(start, certificate)
    run(f"tls://127.0.0.1:{broker.port}", "publish", "lobby", "x")
    run(f"tcp://127.0.0.1:{broker.port}", "publish", "lobby", "x")
    said = [broker.wait_for_log(lambda record: word in record.get("metadata", {}).get("reason", ""), word) for word in ("trust", "does not speak")]
    assert [record["metadata"]["code"] for record in said] == ["tls_failed"] * 2, said
    deadline = time.monotonic() + PATIENCE
    while int(closed(broker)["tls_failed"]) < 2 and time.monotonic() < deadline:
        pass
    assert int(closed(broker)["tls_failed"]) >= 2
    assert closed(broker)["wrong_protocol"] == "0"


def test_no_tls_with_the_http_port_is_told_too(start, certificate):
    broker = serve(start, certificate)
    run(None, "stats", "--server", f"https://127.0.0.1:{broker.http_port}", env={"ROOMLINE_TOKEN": "x"})
    run(None, "stats", "--server", f"http://127.0.0.1:{broker.http_port}", env={"ROOMLINE_TOKEN": "x"})
    for word in ("does not trust", "speaks HTTP without TLS"):
        said = broker.wait_for_log(lambda record: word in record.get("metadata", {}).get("reason", ""), word)
        assert said["message"] == "ended an HTTP connection" and said["metadata"]["code"] == "tls_failed", said
        assert said["metadata"]["peer.address"] == "127.0.0.1", said


def closed(broker):
    return dict(re.findall(r'roomline_connections_closed_total{reason="(\w+)"} (\d+)', got(broker, "/metrics")))


def test_the_doctor_names_a_key_of_another_certificate(start, certificate, tmp_path):
    other = tmp_path / "other.key"
    subprocess.run(["openssl", "genrsa", "-out", other, "2048"], check=True, capture_output=True)
    other.chmod(0o600)
    broker = start()
    status, (found,) = doctor(broker, (certificate[0], other), tmp_path / "data")
    assert status == 1 and found["status"] == "problem"
    assert f"{other}: the private key is not in PEM form, or not that of the certificate" in found["text"]


def test_print_config_tries_the_certificate_as_a_start_does(start, certificate, tmp_path):
    other = tmp_path / "other.key"
    subprocess.run(["openssl", "genrsa", "-out", other, "2048"], check=True, capture_output=True)
    cut = tmp_path / "cut.key"
    cut.write_text("-----BEGIN PRIVATE KEY-----\n")
    cut.chmod(0o600)
    other.chmod(0o600)
    for key, reason in ((certificate[1], None), (other, "not that of the certificate"), (cut, "not in PEM form")):
        files = ["--tls-certificate", str(certificate[0]), "--tls-key", str(key)]
        result = run(None, "serve", "--data", ":memory:", *files, "--print-config")
        assert b"tls-certificate" in result.stdout, "what is configured is shown all the same"
        if reason is None:
            assert result.returncode == 0 and result.stderr == b"", result
        else:
            refused = start(*files, wait=False)
            assert result.returncode == refused.wait_for_exit() == 1, result
            assert str(key).encode() in result.stderr and reason.encode() in result.stderr, result
