"""A broker that ran alone becomes the first node of a cluster, with all that it has."""

import contextlib
import shutil
import uuid

import pytest

from admin import Admin
from broker import Broker, alarms, run_to_end
from client import Client
from cluster import PARTITIONS, Cluster, is_built
from tokens import token

pytestmark = pytest.mark.skipif(not is_built(), reason="the broker is built without the trait Cluster")

NAME = ("--cluster-name", "rl", "--cluster-partitions", str(PARTITIONS), "--yes")
CHANNEL = ("--channel", "default,history=100")


@pytest.fixture
def cluster(tmp_path):
    """One nats-server: which data its nodes begin with is all that is looked at."""
    cluster = Cluster(tmp_path, nodes=1)
    try:
        yield cluster
    finally:
        cluster.stop()


def filled(data, start):
    """A broker that runs alone, and stops; what a client has to know to come back."""
    alone = start(*CHANNEL, data=data, admin=None)
    key = str(uuid.uuid4())
    with contextlib.closing(Admin(alone)) as admin, Client(alone, "Ann") as ann:
        admin.done("POST", "/channels", {"id": "team", "authentication": "required", "history": {"count": 10}})
        admin.done("PATCH", "/channels/default/rooms/locked/rules", {"locked": True})
        admin.done("POST", "/channels/default/sanctions", {"kind": "ban", "user": "17"})
        epoch = ann.subscribe("talk")["epoch"]
        for number in range(1, 4):
            ann.publish("talk", number)
        last = ann.publish("talk", "4", message_id=key)
    credential = token(alone, "team")
    assert alone.terminate() == 0
    return {"epoch": epoch, "last": last, "key": key, "token": credential}


def is_all_there(node, before):
    """Whoever comes back goes on where it was, and what administrators have set holds."""
    with Client(node, "Ann") as ann:
        assert ann.subscribe("talk", since={"epoch": before["epoch"], "seq": 2})["recovered"] is True
        assert [message["seq"] for message in ann.messages(2)] == [3, 4]
        again = ann.publish("talk", "4", message_id=before["key"])
        assert (again["id"], again["duplicate"]) == (before["last"]["id"], True)
        ann.refused({"type": "publish", "room": "locked", "message": 1}, "room_locked")
    with contextlib.closing(Admin(node)) as admin:
        assert [ban["user"] for ban in admin.done("GET", "/channels/default/sanctions")["sanctions"]] == ["17"]
        assert "channel.create" in [entry["action"] for entry in admin.done("GET", "/audit")["entries"]]
    with Client(node, channel="team", token=before["token"]) as member:
        member.subscribe("r")


def test_a_cluster_begins_with_the_data_of_a_broker(cluster, start, tmp_path):
    data = tmp_path / "data-0"
    before = filled(data, start)
    unprepared = cluster.start(0, *CHANNEL)
    assert unprepared.wait_for_exit() == 1 and "roomline cluster begin" in unprepared.tail()
    told = run_to_end("cluster", "begin", "--data", data, *NAME)
    assert told.returncode == 0, told.stderr
    assert "is ready: 2 channels and 2 rooms" in told.stderr
    # neither twice nor alone
    assert "is ready already" in run_to_end("cluster", "begin", "--data", data, *NAME).stderr
    alone = run_to_end("serve", "--data", data, "--tcp", "127.0.0.1:0", "--http", "off")
    assert alone.returncode == 1 and "has the files of a node of the cluster rl" in alone.stderr
    # another number of partitions would look for the rooms elsewhere
    other = cluster.start(0, *CHANNEL, partitions=2 * PARTITIONS)
    assert other.wait_for_exit() == 1 and f"start the node with --cluster-partitions {PARTITIONS}" in other.tail()
    first = cluster.start(0, *CHANNEL).listening()
    is_all_there(first, before)
    with Client(first, "Ann") as ann:
        newest = ann.publish("talk", "5")
        assert newest["seq"] == 5 and newest["id"] > before["last"]["id"]
    # another node needs the first one's backup
    options = ("--cluster", cluster.urls, "--cluster-replicas", "1", "--cluster-partitions", str(PARTITIONS), *CHANNEL)
    other = tmp_path / "data-1"
    with contextlib.closing(Broker(other, *options, admin=None)) as empty:
        assert empty.wait_for_exit() == 1
        assert "restore the backup of another node" in empty.tail() and "cluster_origin_differs" in empty.tail()
    assert run_to_end("backup", tmp_path / "copy", "--data", data).returncode == 0
    assert run_to_end("restore", tmp_path / "copy", "--data", other, "--replace", "--yes").returncode == 0
    with contextlib.closing(Broker(other, *options, admin=None).listening()) as second:
        is_all_there(second, before)
        with Client(second, "Bob") as bob:
            assert bob.publish("talk", "6")["seq"] == 6
        assert alarms(second) == []
        assert second.terminate() == 0
    # and it is the same after a kill
    first.kill()
    again = cluster.start(0, *CHANNEL).listening()
    with Client(again, "Ann") as ann:
        assert [message["seq"] for message in ann.ask({"type": "history", "room": "talk"})["messages"]] == list(range(1, 7))
    assert alarms(again) == []
    assert again.terminate() == 0


def test_data_do_not_begin_a_cluster_that_is_there(cluster, start, tmp_path):
    assert cluster.start(0, *CHANNEL).listening().terminate() == 0
    data = tmp_path / "alone"
    filled(data, start)
    assert run_to_end("cluster", "begin", "--data", data, *NAME).returncode == 0
    options = ("--cluster", cluster.urls, "--cluster-replicas", "1", "--cluster-partitions", str(PARTITIONS))
    with contextlib.closing(Broker(data, *options)) as node:
        assert node.wait_for_exit() == 1
        assert "give it another name" in node.tail() and "cluster_origin_differs" in node.tail()


def test_a_cluster_that_has_lost_its_log_begins_anew_with_what_a_node_has(cluster, start, tmp_path):
    data = tmp_path / "data-0"
    before = filled(data, start)
    assert run_to_end("cluster", "begin", "--data", data, *NAME).returncode == 0
    node = cluster.start(0, *CHANNEL).listening()
    with Client(node, "Ann") as ann:
        ann.publish("talk", "5")
    cluster.servers[0].kill()
    cluster.servers[0].wait()
    shutil.rmtree(tmp_path / "jetstream-0")
    cluster.start_server(0)
    assert node.kill() == -9
    gone = cluster.start(0, *CHANNEL)
    assert gone.wait_for_exit() == 1
    assert "cluster_streams_gone" in gone.tail() and "roomline cluster begin --lost-log" in gone.tail()
    assert "say --lost-log" in run_to_end("cluster", "begin", "--data", data, *NAME).stderr
    told = run_to_end("cluster", "begin", "--data", data, "--lost-log", *NAME)
    assert told.returncode == 0, told.stderr
    again = cluster.start(0, *CHANNEL).listening()
    with Client(again, "Ann") as ann:
        # what was acknowledged after the last write of the history may be lost: nobody's place counts any more
        reply = ann.subscribe("talk", since={"epoch": before["epoch"], "seq": 5})
        assert reply["epoch"] != before["epoch"] and reply["recovered"] is False
        newest = ann.ask({"type": "history", "room": "talk"})["messages"]
        assert [message["seq"] for message in newest][:4] == [1, 2, 3, 4]
        assert ann.publish("talk", "again")["seq"] == len(newest) + 1
    assert again.terminate() == 0


def say(node, text):
    with Client(node, "Ann") as ann:
        ann.publish("talk", text)
        # a reader has the history stored first
        assert ann.ask({"type": "history", "room": "talk"})["messages"][-1]["message"] == text


def ban(node, user):
    with contextlib.closing(Admin(node)) as admin:
        admin.done("POST", "/channels/default/sanctions", {"kind": "ban", "user": user})


@pytest.mark.parametrize(
    ("act", "lost", "words"), [(say, "RL_P*", "than this node has applied"), (ban, "RL_*", "than this node has made")]
)
def test_a_node_notices_that_the_log_went_on_without_its_end(cluster, tmp_path, act, lost, words):
    """As after a power cut: the node that comes back first has less than another one, and the log grows beyond that one's place."""
    jetstream, data = tmp_path / "jetstream-0", tmp_path / "data-0"

    def live(value):
        node = cluster.start(0, *CHANNEL).listening()
        act(node, value)
        assert node.terminate() == 0, node.tail()

    def stop_server():
        cluster.servers[0].kill()
        cluster.servers[0].wait()

    live("1")
    stop_server()
    shutil.copytree(jetstream, tmp_path / "jetstream-before")
    shutil.copytree(data, tmp_path / "data-before")
    cluster.start_server(0)
    live("lost")
    stop_server()
    for before in (tmp_path / "jetstream-before").glob(f"**/streams/{lost}"):
        stream = jetstream / before.relative_to(tmp_path / "jetstream-before")
        shutil.rmtree(stream)
        before.rename(stream)
    data.rename(tmp_path / "data-of-all")
    (tmp_path / "data-before").rename(data)
    cluster.start_server(0)
    # each life of a node is some records in each log
    for value in "345":
        live(value)

    data.rename(tmp_path / "data-that-went-on")
    (tmp_path / "data-of-all").rename(data)
    node = cluster.start(0, *CHANNEL)
    assert node.wait_for_exit() == 1, node.tail()
    assert words in node.tail() and "See the run book" in node.tail()


def test_what_cannot_begin_a_cluster_stays_as_it_is(start, tmp_path):
    told = run_to_end("cluster", "begin", "--data", tmp_path / "nothing", *NAME)
    assert told.returncode == 1 and "has no data of a broker" in told.stderr
    data = tmp_path / "safe"
    safe = start("--channel", "safe,durability=power", data=data)
    told = run_to_end("cluster", "begin", "--data", data, *NAME)
    assert told.returncode == 1 and "in use" in told.stderr
    assert safe.terminate() == 0
    told = run_to_end("cluster", "begin", "--data", data, *NAME)
    assert told.returncode == 1 and "durability power, which a cluster has only if its nats-servers" in told.stderr
    assert start(data=data).terminate() == 0
