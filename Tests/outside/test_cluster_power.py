"""A channel is promised to survive a power cut of all servers only where all of them sync what they acknowledge."""

import contextlib

import pytest

from admin import Admin
from client import Client
from cluster import Cluster, is_built

pytestmark = pytest.mark.skipif(not is_built(), reason="the broker is built without the trait Cluster")

SAFE = ("--channel", "safe,durability=power")


@pytest.fixture
def cluster(tmp_path):
    cluster = Cluster(tmp_path, syncs_always=True)
    try:
        yield cluster
    finally:
        cluster.stop()


def monitoring(cluster, count=3):
    return ("--cluster-monitoring", ",".join(f"http://127.0.0.1:{port}" for port in cluster.monitoring[:count]))


def syncs(node):
    with contextlib.closing(Admin(node)) as admin:
        told = admin.done("GET", "/cluster").body
        return told["syncs"], told["syncs_reason"]


def refusal(cluster, index, *flags):
    """Why a node does not start."""
    node = cluster.start(index, *flags)
    assert node.wait_for_exit() == 1
    return node.tail()


def test_power_is_promised_where_all_servers_sync_always(cluster):
    first = cluster.start(0, *SAFE, *monitoring(cluster)).listening()
    assert syncs(first) == ("always", None)
    with Client(first, "Ann", channel="safe") as ann:
        ann.subscribe("talk")
        assert ann.publish("talk", "hello")["seq"] == 1
    with contextlib.closing(Admin(first)) as admin:
        admin.done("POST", "/channels", {"id": "safer", "durability": "power"})
    # one server less is named, one does not sync, one is away
    other = ("--channel", "other,durability=power")
    assert "--cluster-monitoring names 2 of 3 nats-servers" in refusal(cluster, 1, *other, *monitoring(cluster, 2))
    stopped = cluster.servers[2]
    stopped.kill()
    stopped.wait()
    assert f"127.0.0.1:{cluster.monitoring[2]} cannot be asked" in refusal(cluster, 1, *other, *monitoring(cluster))
    # what is promised already does not keep a node from its start
    second = cluster.start(1, *SAFE, *monitoring(cluster)).listening()
    assert "a channel is promised what the cluster may not keep" in second.tail()
    cluster.configure(2)
    cluster.start_server(2)
    cluster.wait_until_listening()
    assert f"127.0.0.1:{cluster.monitoring[2]} has no sync_interval: always" in refusal(cluster, 2, *other, *monitoring(cluster))
    third = cluster.start(2, *monitoring(cluster)).listening()
    word, reason = syncs(third)
    assert word == "not_always" and reason.endswith("has no sync_interval: always")
    with contextlib.closing(Admin(third)) as admin:
        admin.refused(409, "durability_unavailable", "POST", "/channels", {"id": "safest", "durability": "power"})
        admin.done("PATCH", "/channels/safe", {"history": {"count": 5}})
