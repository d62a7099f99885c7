"""What the commands say when there is no TLS with a broker: each of its causes in words of its own."""

import subprocess

import pytest

from command import run

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


def said(broker, *words):
    """What an admin command and a client say of the same broker."""
    admin = run(None, "stats", "--server", f"https://127.0.0.1:{broker.http_port}", *words, env={"ROOMLINE_TOKEN": "x"})
    client = run(f"tls://127.0.0.1:{broker.port}", "publish", "lobby", "x", *words)
    assert admin.returncode == client.returncode == 69, (admin, client)
    texts = [admin.stderr.decode(), client.stderr.decode()]
    assert all("--trust FILE" in text for text in texts), texts
    return texts


def test_an_unknown_authority(start, certificate):
    assert all("nobody who is trusted has issued" in text for text in said(serve(start, certificate)))


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
    assert all("for another name" in text for text in texts), texts


def test_no_tls_at_all(broker):
    texts = said(broker)
    assert all("does not speak TLS" in text for text in texts), texts
