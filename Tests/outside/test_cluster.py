"""Three nodes and three nats-servers: to clients they are one broker, whichever of the six fails."""

import concurrent.futures
import contextlib
import json
import re
import shutil
import time
import uuid

import pytest

from admin import Admin
from broker import PATIENCE, alarms, run_to_end
from client import Client
from cluster import PARTITIONS, Cluster, is_built
from cli import Shell
from command import Command, run
from other_node import OtherNode
from rest import Rest
from tokens import token

pytestmark = pytest.mark.skipif(not is_built(), reason="the broker is built without the trait Cluster")

CHANNEL = (
    "--channel", "default,history=1000,grace=1s", "--channel", "patient,history=1000,grace=60s",
    "--loops", "2",
)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Its nodes run; a test that ends one starts it again."""
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        for index in range(3):
            cluster.start(index, *CHANNEL)
        for node in cluster.nodes:
            node.listening()
        yield cluster
        for node in cluster.nodes:
            assert alarms(node) == []
            assert node.terminate() == 0, node.tail()
    finally:
        cluster.stop()


def seqs(client, room):
    return [message["seq"] for message in client.ask({"type": "history", "room": room})["messages"]]


def test_members_of_two_nodes_talk_as_on_one(cluster):
    first, second, third = cluster.nodes
    with Client(first, "Ann") as ann, Client(second, "Bob") as bob, Client(third, "Cid") as cid:
        assert ann.subscribe("observable-talk")["seq"] == 0
        ann.expect("observable_members", count=1)
        bob.subscribe("observable-talk")
        assert {member["id"] for member in bob.expect("observable_members")["data"]} == {ann.id, bob.id}
        ann.expect("observable_member_join", data=bob.member)
        ids = []
        for number in range(20):
            ids.append((ann if number % 2 else bob).publish("observable-talk", number)["id"])
        for member in (ann, bob):
            messages = member.messages(20)
            assert [message["id"] for message in messages] == ids
            assert [message["seq"] for message in messages] == list(range(1, 21))
        # behind what it has published itself, a node has everything that was there before
        cid.publish("observable-talk", "last")
        assert seqs(cid, "observable-talk") == list(range(1, 22))
        ann.expect("publish", message="last")
        bob.ask({"type": "unsubscribe", "room": "observable-talk"})
        ann.expect("observable_member_leave", data=bob.member)


def test_a_message_that_is_sent_again_through_another_node_is_known(cluster):
    key = str(uuid.uuid4())
    with Client(cluster.nodes[0], "Ann") as ann, Client(cluster.nodes[1], "Ann") as again:
        first = ann.publish("once", "1", message_id=key)
        second = again.publish("once", "1", message_id=key)
        assert (second["seq"], second["id"], second["duplicate"]) == (first["seq"], first["id"], True)


def test_rest_of_one_node_reaches_members_of_another(cluster):
    with Client(cluster.nodes[0], "Ann") as ann:
        ann.subscribe("rest")
        with Rest(cluster.nodes[1]) as rest:
            rest.publish("default", "rest", b'"by REST"')
        ann.expect("publish", message="by REST")


# What administrators change


@contextlib.contextmanager
def admins(cluster):
    """The administrators of all nodes."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(contextlib.closing(Admin(node))) for node in cluster.nodes]


def test_a_channel_and_its_secret_are_those_of_all_nodes(cluster):
    with admins(cluster) as (first, second, third):
        first.done("POST", "/channels", {"id": "team", "authentication": "required", "history": {"count": 10}})
        assert second.done("GET", "/channels/team")["authentication"] == "required"
        old = token(cluster.nodes[0], "team")
        with Client(cluster.nodes[2], channel="team", token=old) as ann:
            ann.subscribe("r")
            ann.publish("r", "1")
            rotated = second.done("POST", "/channels/team/secret", {"overlap_seconds": 0})
            with Client(cluster.nodes[0], handshake=False) as late:
                late.refused({"type": "handshake", "channel": "team", "token": old}, "token_invalid")
            with Client(cluster.nodes[0], channel="team", token=token(cluster.nodes[1], "team", key=rotated["secret"])) as bob:
                bob.subscribe("r")
                third.done("PATCH", "/channels/team", {"presence": "all"})
                bob.expect("observable_members", count=2)
                assert ann.messages(1)[0]["message"] == "1"
                ann.expect("observable_members", count=2)
                second.done("DELETE", "/channels/team")
                for member in (ann, bob):
                    assert member.goodbye("unknown_channel")[1]["reconnect"] is False
        third.refused(404, "unknown_channel", "GET", "/channels/team")
        # what it had is gone, on all nodes
        third.done("POST", "/channels", {"id": "team", "presence": "all", "history": {"count": 10}})
        with Client(cluster.nodes[1], "Cid", channel="team") as cid:
            assert seqs(cid, "r") == []
            assert cid.ask({"type": "members", "room": "r"})["count"] == 0


def test_a_ban_holds_on_all_nodes_when_it_is_answered(cluster):
    path = "/channels/default/sanctions"
    with admins(cluster) as (first, second, third), Client(cluster.nodes[1], "Ann") as ann:
        ann.subscribe("banned")
        first.done("POST", path, {"kind": "ban", "room": "banned", "client_id": ann.id, "reason": "spam"})
        ann.refused({"type": "publish", "room": "banned", "message": 1}, "banned")
        ann.refused({"type": "subscribe", "room": "banned"}, "banned")
        assert len(third.done("GET", path)["sanctions"]) == 1
        third.done("DELETE", path, query={"kind": "ban", "room": "banned", "client_id": ann.id})
        ann.subscribe("banned")
        assert second.done("GET", path)["sanctions"] == []


def test_rules_hold_for_members_of_all_nodes_and_are_told_once(cluster):
    with admins(cluster) as (first, second, _), Client(cluster.nodes[1], "Ann") as ann:
        ann.subscribe("ruled")
        first.done("PATCH", "/channels/default/rooms/ruled/rules", {"locked": True, "lock_reason": "a talk"})
        ann.expect("notice", room="ruled", code="room_locked")
        ann.refused({"type": "publish", "room": "ruled", "message": 1}, "room_locked")
        second.done("PATCH", "/channels/default/rooms/ruled/rules", {"locked": False})
        ann.expect("notice", room="ruled", code="room_unlocked")
        ann.publish("ruled", "2")
        ann.expect("publish", message="2")


def test_a_member_of_another_node_is_kicked_out_of_a_room(cluster):
    with admins(cluster) as (first, *_), Client(cluster.nodes[1], "Ann") as ann:
        ann.subscribe("kicked")
        first.done("DELETE", f"/channels/default/rooms/kicked/members/{ann.id}", query={"reason": "enough"})
        ann.expect("removed", room="kicked", code="kicked", reason="enough")


@pytest.mark.parametrize("act", ["redact", "clear", "kick"])
def test_a_moderator_is_answered_when_all_nodes_have_applied_it(cluster, act):
    room = f"all-{act}"
    with contextlib.ExitStack() as stack:
        first, second, third = stack.enter_context(admins(cluster))
        late = stack.enter_context(OtherNode(cluster.ports[0], records=2))
        ann = stack.enter_context(Client(cluster.nodes[1], "Ann"))
        ann.subscribe(room)
        ann.publish(room, "secret")
        late.beat()
        for _ in cluster.nodes:
            late.asked("past")
        pool = stack.enter_context(concurrent.futures.ThreadPoolExecutor(1))
        path = f"/channels/default/rooms/{room}"
        method, path = {
            "redact": ("DELETE", f"{path}/messages/1"),
            "clear": ("POST", f"{path}/clear"),
            "kick": ("DELETE", f"{path}/members/{ann.id}"),
        }[act]
        answer = pool.submit(first.done, method, path)
        question = late.asked("applied")
        assert not answer.done()
        late.publish(question, {})
        answer.result(PATIENCE)
        for admin in (second, third):
            if act == "kick":
                assert admin.done("GET", f"/channels/default/rooms/{room}/members")["members"] == []
            else:
                assert "secret" not in json.dumps(admin.done("GET", f"/channels/default/rooms/{room}/history").body)


def test_a_redacted_text_is_gone_from_all_nodes_when_the_moderator_is_answered(cluster):
    room, path = "gone", "/channels/default/rooms/gone"
    with admins(cluster) as nodes, Client(cluster.nodes[0], "Ann") as ann:
        for number in range(30):
            seq = ann.publish(room, f"text {number}")["seq"]
            nodes[seq % 3].done("DELETE", f"{path}/messages/{seq}")
            for node in nodes:
                assert "text" not in json.dumps(node.done("GET", f"{path}/history").body)


def test_a_member_of_another_node_is_kicked_out_of_the_channel(cluster):
    with admins(cluster) as (first, *_):
        ann = Client(cluster.nodes[1], "Ann", channel="patient", resumable=True)
        ann.subscribe("kicked")
        assert first.done("DELETE", f"/channels/patient/members/{ann.id}", query={"reason": "enough"}).status == 204
        ann.goodbye("kicked")
        first.refused(404, "member_not_found", "DELETE", f"/channels/patient/members/{ann.id}")
        with Client(cluster.nodes[2], channel="patient", resume=ann.welcome["resume_token"]) as again:
            assert again.welcome["resumed"] is False


def doctor(cluster):
    """What the doctor of the first node's machine finds of the cluster."""
    node = cluster.nodes[0]
    result = run_to_end("doctor", "--json", "--data", node.data, "--cluster", cluster.urls)
    findings = json.loads(result.stdout)["findings"]
    return [(finding["status"], finding["text"]) for finding in findings if finding["check"] == "cluster"]


def status(node):
    """What `roomline cluster status` says of the cluster through a node, as one text and as JSON."""
    shell = Shell(node)
    return "\n".join(shell.says("cluster", "status")), shell.json("cluster", "status")


def test_the_status_shows_all_nodes_and_what_is_wrong(cluster):
    with Client(cluster.nodes[1], "Ann"):
        # what earlier tests have ended is heard of with the next heartbeat
        deadline = time.monotonic() + PATIENCE
        while True:
            text, shown = status(cluster.nodes[0])
            connections = sorted(node["connections"] for node in shown["nodes"])
            if re.search("^problems +none$", text, re.MULTILINE) and connections == [0, 0, 1]:
                break
            assert time.monotonic() < deadline, text
        assert doctor(cluster) == [("ok", "3 nodes and all servers of the cluster rl are ready")]
        assert [node["state"] for node in shown["nodes"]] == ["ready"] * 3
        assert [node["connections"] for node in shown["nodes"] if node["this"]] == [0]
        assert [stream["partition"] for stream in shown["streams"]] == [None, *range(PARTITIONS), None]
        assert all(len(stream["servers"]) == 3 and stream["available"] for stream in shown["streams"])
    cluster.servers[2].kill()
    cluster.servers[2].wait()
    try:
        # the others notice within seconds, and elect leaders
        deadline = time.monotonic() + PATIENCE
        while "the server s2 is away" not in text or any(stream["leader"] in (None, "s2") for stream in shown["streams"]):
            assert time.monotonic() < deadline, text
            text, shown = status(cluster.nodes[0])
        assert doctor(cluster)[0][0] == "problem"
    finally:
        cluster.start_server(2)
    deadline = time.monotonic() + PATIENCE
    while "problems    none" not in text:
        assert time.monotonic() < deadline, text
        text, shown = status(cluster.nodes[0])


def test_a_node_tells_of_its_cluster_in_figures(cluster):
    with Rest(cluster.nodes[1]) as rest:
        text = rest.get("/metrics").body
    assert "\nroomline_cluster_nodes 3\n" in text
    assert f'\nroomline_cluster_partitions{{state="ready"}} {PARTITIONS}\n' in text
    assert '\nroomline_cluster_partitions{state="disconnected"} 0\n' in text


def test_administrators_see_the_clients_of_all_nodes(cluster):
    with contextlib.ExitStack() as stack:
        first, _, third = stack.enter_context(admins(cluster))
        clients = [stack.enter_context(Client(node, f"client {number}")) for number, node in enumerate(cluster.nodes)]
        for client in clients:
            client.subscribe("seen")
        sent = clients[1].publish("seen", "1")
        for client in clients:
            client.expect("publish", message="1")
        path = "/channels/default/rooms/seen"
        assert third.done("GET", path)["members"] == 3
        for admin in (first, third):
            members = admin.done("GET", f"{path}/members")["members"]
            assert {member["id"] for member in members} == {client.id for client in clients}
            assert all(member["connection"]["address"] == "127.0.0.1" and member["client_data"]["name"] for member in members)
        assert first.done("GET", f"{path}/members/{clients[2].id}")["connection"]["lag"] == 0
        trace = third.done("GET", f"/trace/{sent['id']}", query={"channel": "default", "room": "seen"})
        assert (trace["passed"], trace["lagging"]) == (3, [])
        statistics = first.done("GET", "/statistics").body
        assert statistics["connections"] == 3
        assert [channel["connections"] for channel in statistics["channels"] if channel["id"] == "default"] == [3]
        assert [node["connections"] for node in statistics["nodes"]] == [1, 1, 1]
        assert [node["this"] for node in statistics["nodes"]].count(True) == 1
        # each message counts once, whatever node it came through
        for client in clients:
            client.publish("seen", "2")
        counted = third.done("GET", "/statistics").body
        assert counted["publishes"] - statistics["publishes"] == 3
        assert counted["published_bytes"] - statistics["published_bytes"] == 9
        with Rest(cluster.nodes[2]) as rest:
            assert rest.get("/default/stats").body == {"users_count": 3}
        assert re.search("^NODE +HOST +CONNECTIONS", "\n".join(Shell(cluster.nodes[0]).says("stats")), re.MULTILINE)


def test_an_admin_token_is_taken_by_all_nodes_and_acts_are_in_the_log_of_all(cluster):
    with admins(cluster) as (first, second, _):
        made = first.done("POST", "/tokens", {"name": "deploy", "scopes": ["read"]})
        with contextlib.closing(Admin(cluster.nodes[2], made["token"])) as reader:
            reader.done("GET", "/channels")
            second.done("DELETE", "/tokens/deploy")
            assert reader.call("GET", "/channels").status == 401
        logs = [admin.done("GET", "/audit", query={"limit": 5}).body for admin in (first, second)]
        assert logs[0] == logs[1]
        assert [entry["action"] for entry in logs[0]["entries"][:2]] == ["token.delete", "token.create"]


def test_no_channel_is_promised_to_survive_a_power_cut(cluster):
    with admins(cluster) as (first, *_):
        text = first.refused(409, "durability_unavailable", "POST", "/channels", {"id": "safe", "durability": "power"})
        assert "sync_interval: always" in text
        first.refused(409, "durability_unavailable", "PATCH", "/channels/default", {"durability": "power"})
    urls = ",".join(f"nats://127.0.0.1:{port}" for port in cluster.ports)
    flags = ("--cluster-partitions", str(PARTITIONS), "--channel", "safe,durability=power", "--data", ":memory:")
    told = run_to_end("serve", "--cluster", urls, *flags, "--tcp", "127.0.0.1:0", "--http", "off")
    assert told.returncode == 1
    assert "durability power, which the cluster cannot promise: --cluster-monitoring does not name" in told.stderr


def test_messages_are_pruned_on_all_nodes(cluster):
    room, nodes = "pruned", cluster.nodes
    with Client(nodes[0], "Ann") as ann, Client(nodes[1], "Bob") as bob, admins(cluster) as (_, second, third):
        for member in (ann, bob):
            member.subscribe(room)
        for number in range(1, 11):
            ann.publish(room, number)
        # the second node has them all
        bob.messages(10)
        path = "/channels/default/prune"
        assert second.done("POST", path, {"room": room, "keep": 4, "dry_run": True})["messages"] == 6
        pruned = second.done("POST", path, {"room": room, "keep": 4})
        assert (pruned["rooms"], pruned["messages"], pruned["next"]) == (1, 6, None)
        # the node that was asked at once, the others as soon as they have the record
        assert seqs(bob, room) == [7, 8, 9, 10]
        assert bob.publish(room, "a message behind it")["seq"] == 11
        ann.messages(11)
        assert seqs(ann, room) == [7, 8, 9, 10, 11]
        assert second.done("POST", path, {"room": room, "keep": 5})["messages"] == 0
        # through another node, in the middle of everything else
        assert third.done("POST", path, {"keep": 1, "older_than_seconds": 0})["messages"] >= 5
        epoch = bob.ask({"type": "rooms"})["rooms"][0]["epoch"]
    with Client(nodes[2], "Cid") as cid:
        assert seqs(cid, room) == []
        assert cid.subscribe(room, since={"epoch": epoch, "seq": 9})["recovered"] is False
        gap = cid.expect("gap")
        assert (gap["from_seq"], gap["to_seq"], gap["reason"]) == (10, 11, "trimmed")


AN_HOUR_AGO = int(time.time() * 1_000) - 3_600_000


def test_what_an_older_node_cannot_read_waits_until_it_is_upgraded(cluster):
    # the heartbeats of the first release do not tell which records it reads
    with OtherNode(cluster.ports[0], host="old") as old, admins(cluster) as nodes:

        def pruned():
            old.beat()
            return nodes[0].call("POST", "/channels/default/prune", {"room": "r", "keep": 1})

        deadline = time.monotonic() + PATIENCE
        while (answer := pruned()).status != 409:
            assert time.monotonic() < deadline, answer
            time.sleep(0.05)
        assert answer.body["code"] == "cluster_upgrading" and f"node {old.number} on old" in answer.body["detail"]
        # it is not heard any more
        for node in nodes:
            while node.call("POST", "/channels/default/prune", {"room": "r", "keep": 1}).status != 200:
                assert time.monotonic() < deadline
                time.sleep(0.1)


def exported_id(seq):
    digits = f"{AN_HOUR_AGO:012x}"
    return f"{digits[:8]}-{digits[8:]}-7{seq:03x}-8f21-6c0d5e4b3a16"


def exported(first, count):
    """Lines of an export."""
    for seq in range(first, first + count):
        stamp = {"id": exported_id(seq), "timestamp": AN_HOUR_AGO // 1_000, "seq": seq, "sender": {"id": "rest", "kind": "rest"}}
        frame = {"type": "publish", "room": "elsewhere", **stamp, "message": f"message {seq} of before"}
        yield json.dumps(frame, separators=(",", ":"))


def import_part(admin, room, lines, refused=None, **after):
    path, body = f"/channels/default/rooms/{room}/history", "".join(line + "\n" for line in lines).encode()
    options = {"body": body, "headers": {"Content-Type": "application/x-ndjson"}, "query": after}
    return admin.refused(*refused, "POST", path, **options) if refused else admin.done("POST", path, **options)


def test_an_export_becomes_the_history_of_all_nodes(cluster):
    room, nodes = "imported", cluster.nodes
    with Client(nodes[0], "Ann") as ann, admins(cluster) as (first, second, third):
        ann.subscribe(room)
        part = import_part(second, room, exported(5, 3))
        assert (part["messages"], part["seq"], part["oldest_seq"]) == (3, 7, 5)
        assert ann.expect("gap")["epoch"] == part["epoch"]
        place = {"epoch": part["epoch"], "after_seq": 7}
        import_part(first, room, exported(9, 1), refused=(409, "history_moved"), **place)
        end = import_part(third, room, exported(8, 2), **place)
        assert end["seq"] == 9 and end["epoch"] != part["epoch"]
        assert ann.expect("gap")["epoch"] == end["epoch"]
        import_part(first, room, exported(1, 1), refused=(409, "room_not_empty"))
        import_part(first, room, exported(8, 2), refused=(409, "history_moved"), **place)
        assert ann.publish(room, "goes on")["seq"] == 10
        ann.messages(1)
        for node in nodes:
            with Client(node, "Bob") as bob:
                assert bob.subscribe(room, since={"epoch": end["epoch"], "seq": 8})["recovered"] is True
                assert [message["seq"] for message in bob.messages(2)] == [9, 10]
                assert seqs(bob, room) == list(range(5, 11))
        # by the name that it had where it was exported
        with Client(nodes[2], "Cid") as cid:
            cid.subscribe(room)
            first.done("DELETE", f"/channels/default/rooms/{room}/messages/{exported_id(6)}")
            for member in (ann, cid):
                assert member.expect("message_redacted")["target_seq"] == 6
    with Client(nodes[2], "Cid") as cid:
        messages = cid.ask({"type": "history", "room": room})["messages"]
        assert [message.get("message") for message in messages[:3]] == ["message 5 of before", None, "message 7 of before"]


def test_changes_on_two_nodes_at_once_are_all_made(cluster):
    with admins(cluster) as all_nodes:

        def create(index):
            for number in range(5):
                all_nodes[index].done("POST", "/channels", {"id": f"at-once-{index}-{number}"})
                path = f"/channels/at-once-{index}-{number}/sanctions"
                all_nodes[index].done("POST", path, {"kind": "ban", "user": "17"})

        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(create, range(3)))
        listed = [admin.done("GET", "/channels", query={"limit": 100})["channels"] for admin in all_nodes]
        assert listed[0] == listed[1] == listed[2]
        assert len([channel for channel in listed[0] if channel["id"].startswith("at-once")]) == 15
        for admin in all_nodes:
            for index in range(3):
                assert len(admin.done("GET", f"/channels/at-once-{index}-4/sanctions")["sanctions"]) == 1


def test_a_node_that_was_away_has_what_changed_meanwhile(cluster):
    assert cluster.nodes[2].terminate() == 0
    with contextlib.closing(Admin(cluster.nodes[0])) as admin:
        admin.done("POST", "/channels", {"id": "meanwhile", "history": {"count": 10}})
        admin.done("POST", "/channels/meanwhile/sanctions", {"kind": "ban", "user": "17"})
    cluster.start(2, *CHANNEL).listening()
    with contextlib.closing(Admin(cluster.nodes[2])) as admin:
        assert len(admin.done("GET", "/channels/meanwhile/sanctions")["sanctions"]) == 1
    with Client(cluster.nodes[2], "Ann", channel="meanwhile") as ann:
        ann.publish("r", "1")


def test_a_new_node_starts_from_a_backup_where_the_log_is_trimmed(cluster, tmp_path):
    """A backup has a snapshot of the rooms: without one, a node would need the whole log."""
    with Client(cluster.nodes[0], "Ann") as ann:
        for number in range(100):
            ann.publish("large", number)
    backup = tmp_path / "backup"
    assert run_to_end("backup", str(backup), "--socket", str(cluster.nodes[0].admin_socket)).returncode == 0
    with Client(cluster.nodes[0], "Ann") as ann:
        ann.publish("large", "behind the backup")
    assert cluster.nodes[2].terminate() == 0
    shutil.rmtree(cluster.nodes[2].data)
    # what has come since the backup stays
    assert cluster.trim(range(PARTITIONS), keep=60) > 0
    empty = cluster.start(2, *CHANNEL)
    assert empty.wait_for_exit() == 1
    assert "give it another node's backup" in empty.tail()
    shutil.rmtree(empty.data)
    assert run_to_end("restore", str(backup), "--data", str(empty.data)).returncode == 0
    cluster.start(2, *CHANNEL).listening()
    with Client(cluster.nodes[2], "Bob") as bob:
        newest = bob.ask({"type": "history", "room": "large", "limit": 1})["messages"]
        assert [(message["seq"], message["message"]) for message in newest] == [(101, "behind the backup")]
        assert bob.publish("large", "102")["seq"] == 102


# What fails


def test_a_backup_of_a_node_is_the_data_of_a_broker_that_runs_alone(cluster, start, tmp_path):
    room = "observable-leaving"
    with Client(cluster.nodes[0], "Ann") as ann:
        epoch = ann.subscribe(room)["epoch"]
        for number in range(3):
            ann.publish(room, number)
    assert run_to_end("backup", tmp_path / "copy", "--data", cluster.nodes[0].data).returncode == 0
    node, data = tmp_path / "node", tmp_path / "alone"
    assert run_to_end("restore", tmp_path / "copy", "--data", node).returncode == 0
    told = run_to_end("serve", "--data", node, "--tcp", "127.0.0.1:0", "--http", "off")
    assert told.returncode == 1 and "has the files of a node of the cluster rl" in told.stderr
    assert run_to_end("restore", tmp_path / "copy", "--data", data, "--alone").returncode == 0
    alone = start(data=data)
    with Client(alone, "Ann") as ann:
        reply = ann.subscribe(room, since={"epoch": epoch, "seq": 2})
        # the cluster may have gone on, and the places are given again
        assert reply["epoch"] != epoch and reply["recovered"] is False
        ann.expect("observable_members", count=1)
        ann.expect("gap", reason="epoch")
        assert seqs(ann, room) == [1, 2, 3]
        assert ann.publish(room, "alone")["seq"] == 4


def test_a_client_of_a_killed_node_goes_on_through_another(cluster):
    room = "observable-killed"
    with Client(cluster.nodes[1], "Bob") as bob:
        bob.subscribe(room)
        bob.expect("observable_members")
        ann = Client(cluster.nodes[0], "Ann")
        epoch = ann.subscribe(room)["epoch"]
        bob.expect("observable_member_join", data=ann.member)
        ann.publish(room, "before")
        bob.expect("publish", message="before")
        cluster.nodes[0].kill()
        bob.publish(room, "meanwhile")
        bob.expect("publish", message="meanwhile")
        with Client(cluster.nodes[2], "Ann") as again:
            reply = again.subscribe(room, since={"epoch": epoch, "seq": 1})
            assert reply["recovered"] is True
            bob.expect("observable_member_join", data=again.member)
            assert [frame["message"] for frame in (again.next(), again.next()) if frame["type"] == "publish"] == ["meanwhile"]
            # its node is taken for dead, and its grace is over
            bob.expect("observable_member_leave", data=ann.member)
        cluster.start(0, *CHANNEL).listening()
        with Client(cluster.nodes[0], "Cid") as cid:
            assert seqs(cid, room) == [1, 2]


def test_commands_go_on_through_another_node(cluster):
    room, channel = "observable-commands", ("--channel", "patient")
    servers = ",".join(f"tcp://127.0.0.1:{node.port}" for node in cluster.nodes)
    with (
        Client(cluster.nodes[1], "Bob", channel="patient") as bob,
        Command(servers, "publish", room, "--verbose", "--timeout", "60", *channel) as publish,
        Command(servers, "tail", room, "--json", *channel) as tail,
    ):
        assert json.loads(tail.next())["type"] == "members"
        bob.subscribe(room)
        bob.expect("observable_members", count=2)
        assert json.loads(tail.next())["type"] == "joined"
        publish.say("before")
        assert publish.next().startswith("1 ")
        assert json.loads(tail.next())["message"] == "before"
        cluster.nodes[0].kill()
        publish.say("meanwhile")
        assert publish.next().startswith("2 ")
        bob.publish(room, "after")
        # its session goes on: it sees the members as they are, and nobody sees it leave
        events = [json.loads(tail.next()) for _ in range(3)]
        assert sorted(event.get("message", "") for event in events) == ["", "after", "meanwhile"]
        assert [len(event["members"]) for event in events if event["type"] == "members"] == [2]
        assert [message["message"] for message in bob.messages(3)] == ["before", "meanwhile", "after"]
        assert publish.end() == 0
    # its first server does not answer
    assert run(servers, "publish", room, "last", *channel).returncode == 0
    cluster.start(0, *CHANNEL).listening()
    with Client(cluster.nodes[0], "Cid", channel="patient") as cid:
        assert seqs(cid, room) == [1, 2, 3, 4]


# Sessions that go on through another node


@contextlib.contextmanager
def watched(cluster, room, index):
    """Bob on the second node, who sees Ann come on another one, and Ann."""
    with Client(cluster.nodes[1], "Bob", channel="patient") as bob:
        bob.subscribe(room)
        bob.expect("observable_members")
        with Client(cluster.nodes[index], "Ann", channel="patient", resumable=True) as ann:
            ann.since = {"epoch": ann.subscribe(room)["epoch"], "seq": 0}
            bob.expect("observable_member_join", data=ann.member)
            yield ann, bob


def goes_on(ann, bob, room, node):
    """Ann comes to this node, and nobody notices."""
    bob.publish(room, "meanwhile")
    with Client(node, "Ann", channel="patient", resumable=True, resume=ann.welcome["resume_token"]) as again:
        assert again.welcome["resumed"] is True and again.id == ann.id
        assert again.subscribe(room, since=ann.since)["recovered"] is True
        again.expect("observable_members", count=2)
        assert again.messages(1)[0]["message"] == "meanwhile"
        again.publish(room, "back")
        assert [message["message"] for message in bob.messages(2)] == ["meanwhile", "back"]
        return bob.room_fence(room)


def test_a_session_goes_on_through_another_node(cluster):
    room = "observable-moved"
    with watched(cluster, room, 0) as (ann, bob):
        ann.close()
        assert goes_on(ann, bob, room, cluster.nodes[2]) == []
        # once
        with Client(cluster.nodes[1], channel="patient", resume=ann.welcome["resume_token"]) as late:
            assert late.welcome["resumed"] is False


def test_a_session_moves_while_its_connection_lives(cluster):
    room = "observable-replaced"
    with watched(cluster, room, 0) as (ann, bob):
        assert goes_on(ann, bob, room, cluster.nodes[2]) == []
        ann.goodbye("replaced")


@pytest.mark.parametrize("end", ["killed", "terminated"])
def test_a_session_of_a_node_that_is_gone_goes_on(cluster, end):
    room = f"observable-{end}"
    with watched(cluster, room, 0) as (ann, bob):
        if end == "killed":
            cluster.nodes[0].kill()
        else:
            assert cluster.nodes[0].terminate() == 0
        assert goes_on(ann, bob, room, cluster.nodes[2]) == []
    cluster.start(0, *CHANNEL).listening()


def test_a_session_goes_on_in_the_next_life_of_its_node(cluster):
    room = "observable-next-life"
    with watched(cluster, room, 0) as (ann, bob):
        cluster.nodes[0].kill()
        cluster.start(0, *CHANNEL).listening()
        assert goes_on(ann, bob, room, cluster.nodes[0]) == []


def test_a_client_that_was_let_go_does_not_come_back_when_its_node_dies(cluster):
    with watched(cluster, "observable-expelled", 0) as (ann, bob):
        with contextlib.closing(Admin(cluster.nodes[1])) as admin:
            assert admin.done("DELETE", f"/channels/patient/members/{ann.id}").status == 204
        ann.goodbye("kicked")
        bob.expect("observable_member_leave", data=ann.member)
        cluster.nodes[0].kill()
        with Client(cluster.nodes[2], "Ann", channel="patient", resume=ann.welcome["resume_token"]) as again:
            assert again.welcome["resumed"] is False and again.id != ann.id
    cluster.start(0, *CHANNEL).listening()


def test_a_node_that_stops_in_order_is_gone_at_once(cluster):
    room = "observable-stopped"
    with Client(cluster.nodes[1], "Bob") as bob:
        bob.subscribe(room)
        bob.expect("observable_members")
        ann = Client(cluster.nodes[2], "Ann")
        ann.subscribe(room)
        bob.expect("observable_member_join")
        assert cluster.nodes[2].terminate() == 0
        bob.expect("observable_member_leave", data=ann.member)
        number = next(record["metadata"]["node"] for record in cluster.nodes[2].records() if "catching up" in record["message"])
        cluster.start(2, *CHANNEL).listening()
        # one that an earlier test has killed may be found dead only now
        dead = [record["metadata"]["node"] for record in cluster.nodes[1].records() if "taken for dead" in record["message"]]
        assert number not in dead


@pytest.mark.parametrize("index", range(3))
def test_a_killed_server_costs_no_message(cluster, index):
    """One of the three leads the room's log, and another the metadata."""
    room = f"server-{index}"
    with Client(cluster.nodes[0], "Ann") as ann, Client(cluster.nodes[1], "Bob") as bob:
        bob.subscribe(room)
        cluster.servers[index].kill()
        cluster.servers[index].wait()
        for number in range(20):
            key = str(uuid.uuid4())
            while "error" in (reply := ann.request({"type": "publish", "room": room, "message": number, "message_id": key})):
                assert reply["code"] == "storage_unavailable", reply
                time.sleep(reply["retry_after_ms"] / 1_000)
        assert [message["message"] for message in bob.messages(20)] == list(range(20))
        assert seqs(ann, room) == list(range(1, 21))
        cluster.start_server(index)
        cluster.wait_until_ready()


def test_a_node_with_other_partitions_is_refused(cluster):
    urls = ",".join(f"nats://127.0.0.1:{port}" for port in cluster.ports)
    told = run_to_end("serve", "--cluster", urls, "--cluster-partitions", "8", "--data", ":memory:")
    assert told.returncode == 1
    assert 'partitions of the cluster "4" instead of "8"' in told.stderr
    assert "cluster_stream_differs" in told.stderr
