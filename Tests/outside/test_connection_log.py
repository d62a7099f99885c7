"""What `--log-level debug` tells of connections, and what it never does."""

from client import Client


def test_a_connection_can_be_followed_through_the_log(start):
    broker = start("--log-level", "debug")
    with Client(broker, "s3cret name") as ann:
        ann.subscribe("room")
        ann.publish("room", "s3cret message")
        opened = broker.wait_for_log(lambda record: record["message"] == "connection opened", "that it was opened")
        number = opened["metadata"]["connection"]
        assert opened["metadata"]["peer.address"] == "127.0.0.1"
        accepted = broker.wait_for_log(lambda record: record["message"] == "handshake accepted", "the handshake")
        assert accepted["metadata"] == {"connection": number, "channel": "default", "client.id": ann.id}
    broker.wait_for_log(
        lambda record: record["message"] == "connection closed" and record["metadata"]["connection"] == number,
        "that it was closed",
    )
    assert not any("s3cret" in line for line in broker.log)


def test_a_goodbye_is_told_with_its_code_and_reason(start):
    broker = start()
    with Client(broker, "Ann") as ann:
        assert broker.terminate() == 0
        ann.goodbye("shutting_down")
    record = broker.wait_for_log(lambda record: record["message"] == "ended a connection", "the goodbye")
    assert record["level"] == "info"
    assert record["metadata"]["code"] == "shutting_down"
    assert record["metadata"]["reason"] == "the broker is shutting down"
    assert record["metadata"]["client.id"] == ann.id
    assert record["metadata"]["peer.address"] == "127.0.0.1"


def test_without_debug_nobody_tells_of_connections_that_their_clients_end(start):
    broker = start()
    with Client(broker, "Bob") as bob:
        bob.subscribe("observable-room")
        bob.expect("observable_members")
        with Client(broker, "Ann") as ann:
            ann.subscribe("observable-room")
        bob.expect("observable_member_join")
        bob.expect("observable_member_leave")
        assert broker.terminate() == 0
    told = [record["metadata"].get("client.id") for record in broker.records() if "connection" in record["message"]]
    assert told == [bob.id]


def test_a_client_that_reads_nothing_is_told_of_as_a_slow_consumer(start):
    """Its socket is full: no goodbye can reach it, and the system ends it."""
    broker = start("--tcp-user-timeout", "2s", "--channel", "default,history=5000")
    with Client(broker, "Ann") as ann, Client(broker, "Sloth", receive_buffer=4096) as sloth:
        sloth.subscribe("room")
        for _ in range(2_000):
            ann.publish("room", "x" * 4_000)
        record = broker.wait_for_log(lambda record: record["message"] == "ended a connection", "that it was cut off")
        assert record["metadata"]["code"] == "slow_consumer"
        assert record["metadata"]["client.id"] == sloth.id
