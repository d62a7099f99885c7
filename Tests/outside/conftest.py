import ctypes
import os
import shutil
import subprocess
import uuid

import pytest

from admin import Admin
from broker import Broker, alarms
from browser import Browser, require
from cli import Shell
from client import Client, TextClient
from disk import Disk
from mounts import can_mount
from neighbours import Neighbours
from rest import Rest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    """A test that this machine cannot run is skipped with what is missing. In CI that is a failure: a promise would have no test."""
    report = yield
    if report.skipped and os.environ.get("CI"):
        report.outcome = "failed"
        report.longrepr = f"in CI no test may be skipped: {report.longrepr[2]}"
    return report


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """The broker that most tests share; each has rooms of its own there."""
    broker = Broker(
        tmp_path_factory.mktemp("data") / "roomline",
        *("--channel", "default,history=1000"),
        *("--channel", "short,history=10"),
        *("--channel", "fleeting,history=off"),
        *("--channel", "quick,history=1000,grace=400ms"),
        *("--channel", "unhurried,history=1000,grace=4s"),
        # on a busy machine many seconds pass between a connect and the first line
        *("--text-room", "lobby", "--text-channel", "default", "--text-listen-after", "2m"),
        *("--channel", "closed,auth=required,history=10"),
        *("--channel", "ajar,auth=optional,history=10"),
        # By default a small machine has one: what goes from loop to loop is to be tested there, too.
        *("--loops", "3"),
    )
    try:
        yield broker.listening()
        assert broker.terminate() == 0, broker.tail()
        assert alarms(broker) == []
    finally:
        broker.close()


@pytest.fixture(scope="session", autouse=True)
def beside(tmp_path_factory):
    """A broker that nobody attacks, for a comparison."""
    channels = ["--channel", "default,history=1000", "--channel", "fleeting,history=off"]
    broker = Broker(tmp_path_factory.mktemp("beside") / "roomline", *channels, "--loops", "3")
    try:
        Neighbours.beside = broker.listening()
        yield
        assert broker.terminate() == 0, broker.tail()
    finally:
        broker.close()


@pytest.fixture
def broker(shared):
    yield shared
    assert shared.is_running(), f"the broker is gone:\n{shared.tail()}"


@pytest.fixture
def start(tmp_path):
    """Starts brokers for one test: `start("--flag", …)`, on the same data directory unless told otherwise."""
    brokers = []

    def start(*flags, data=None, wait=True, **options):
        broker = Broker(data or tmp_path / "data", *flags, **options)
        brokers.append(broker)
        return broker.listening() if wait else broker

    yield start
    for broker in brokers:
        broker.close()


@pytest.fixture
def disk(tmp_path):
    """A disk below the usual data directory of `start`."""
    disk = Disk(tmp_path, tmp_path / "data")
    yield disk
    disk.close()


@pytest.fixture
def mountable(tmp_path):
    """A directory that can be put on another disk for one process."""
    path = tmp_path / "disk"
    path.mkdir(mode=0o700)
    if not hasattr(ctypes.CDLL(None), "unshare") or not can_mount(path):
        pytest.skip("only root with CAP_SYS_ADMIN (in a container: --privileged) can mount a disk for one process")
    return path


@pytest.fixture
def connect(broker):
    """Opens JSON clients of the shared broker; at the end none may have missed a message."""
    clients = []

    def connect(name=None, **fields):
        clients.append(Client(broker, name, **fields))
        return clients[-1]

    yield connect
    for client in clients:
        client.close()
    for client in clients:
        client.check_no_holes()


@pytest.fixture(scope="module")
def administered(request, tmp_path_factory):
    """A broker of the file's own, with an admin socket; the file's FLAGS are its flags."""
    data = tmp_path_factory.mktemp("administered")
    broker = Broker(data / "data", *getattr(request.module, "FLAGS", []), admin=data / "a.sock")
    try:
        yield broker.listening()
        assert broker.terminate() == 0, broker.tail()
    finally:
        broker.close()


@pytest.fixture
def admin(administered):
    """The admin API of the file's own broker."""
    admin = Admin(administered)
    yield admin
    admin.close()
    assert administered.is_running(), administered.tail()


@pytest.fixture
def shell(administered):
    """The admin commands, asking the file's own broker."""
    return Shell(administered)


@pytest.fixture
def rest(broker):
    """Calls the shared broker over HTTP, on one connection that is kept alive."""
    with Rest(broker) as rest:
        yield rest


@pytest.fixture
def text(broker):
    """Opens plain-text clients of the shared broker."""
    clients = []

    def text():
        clients.append(TextClient(broker))
        return clients[-1]

    yield text
    for client in clients:
        client.close()


@pytest.fixture
def room():
    return f"room-{uuid.uuid4()}"


@pytest.fixture
def observable():
    return f"observable-{uuid.uuid4()}"


@pytest.fixture
def neighbours(broker):
    """Two people of the shared broker who talk during the whole test and must notice nothing."""
    with Neighbours(broker) as neighbours:
        yield neighbours


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here to make a certificate with; on Debian: apt-get install openssl")
    directory = tmp_path_factory.mktemp("tls")
    certificate, key = directory / "certificate.pem", directory / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    return certificate, key


@pytest.fixture
def browser(start):
    """A browser; nothing may be wrong on its console in the end, while the brokers that the test has started still run."""
    require()
    browser = Browser()
    try:
        yield browser
        browser.check_quiet()
    finally:
        browser.close()
