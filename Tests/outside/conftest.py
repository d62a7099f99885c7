import uuid

import pytest

from broker import Broker, alarms
from client import Client, TextClient
from neighbours import Neighbours


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """The broker that most tests share; each has rooms of its own there."""
    broker = Broker(
        tmp_path_factory.mktemp("data") / "roomline",
        *("--channel", "default,history=1000"),
        *("--channel", "short,history=10"),
        *("--channel", "fleeting,history=off"),
        *("--channel", "quick,history=1000,grace=400ms"),
        *("--text-room", "lobby", "--text-channel", "default"),
        # By default a small machine has one: what goes from loop to loop is to be tested there, too.
        *("--loops", "3"),
    )
    try:
        yield broker.listening()
        assert broker.terminate() == 0, broker.tail()
        assert alarms(broker) == []
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
