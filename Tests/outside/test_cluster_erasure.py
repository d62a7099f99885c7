"""A redacted text is gone from the streams of the nats-servers, and who reads these from the start makes the same rooms."""

import contextlib
import json
import time
import uuid

import pytest

from admin import Admin
from client import Client
from cluster import Cluster, is_built

pytestmark = pytest.mark.skipif(not is_built(), reason="the broker is built without the trait Cluster")

CHANNEL = ("--channel", "default,history=100")
SPAM = "buy this of Mallory, 47 a piece"
OTHER = "and that, 11 a piece"
IMPORTED = "bought by Mallory"
CLEARED = "sold to Mallory"
AGAIN = "never again"


@pytest.fixture
def cluster(tmp_path):
    cluster = Cluster(tmp_path)
    try:
        for index in range(2):
            cluster.start(index, *CHANNEL).listening()
        yield cluster
    finally:
        cluster.stop()


def copies(cluster, text):
    """How often the files of the streams have the text. The servers' own Raft logs keep it until their next snapshot."""
    found = 0
    for path in cluster.directory.glob("jetstream-*/**/*"):
        # servers rename their files
        with contextlib.suppress(FileNotFoundError):
            if path.is_file() and "_js_" not in path.parts:
                found += path.read_bytes().count(text.encode())
    return found


def wait_until(cluster, text, count):
    deadline = time.monotonic() + 60
    while copies(cluster, text) != count:
        assert time.monotonic() < deadline, f"{copies(cluster, text)} times {text}, not {count}"
        time.sleep(0.1)


def redact(node, seq, room="talk"):
    with contextlib.closing(Admin(node)) as admin:
        admin.done("DELETE", f"/channels/default/rooms/{room}/messages/{seq}")


def import_lines(node, room, count):
    """Messages of a day ago, which all say the same."""
    then = int(time.time()) - 86_400
    lines = []
    for seq in range(1, count + 1):
        digits = f"{then * 1_000:012x}"
        stamp = {"id": f"{digits[:8]}-{digits[8:]}-7{seq:03x}-8f21-6c0d5e4b3a16", "timestamp": then, "seq": seq}
        frame = {"type": "publish", "room": room, **stamp, "sender": {"id": "rest", "kind": "rest"}, "message": IMPORTED}
        lines.append(json.dumps(frame, separators=(",", ":")) + "\n")
    with contextlib.closing(Admin(node)) as admin:
        headers = {"Content-Type": "application/x-ndjson"}
        admin.done("POST", f"/channels/default/rooms/{room}/history", body="".join(lines).encode(), headers=headers)


def history(client, room="talk"):
    return client.ask({"type": "history", "room": room})["messages"]


def test_a_redacted_text_is_erased_from_the_streams(cluster):
    first, second, _ = cluster.nodes
    import_lines(first, "old", 2)
    for seq in (1, 2):
        wait_until(cluster, IMPORTED, 6 // seq)
        redact(second, seq, "old")
        wait_until(cluster, IMPORTED, 3 * (2 - seq))
    with Client(first, "Ann") as ann, Client(second, "Bob") as bob:
        for member in (ann, bob):
            member.subscribe("talk")
        key = str(uuid.uuid4())
        sent = ann.publish("talk", SPAM, message_id=key)
        # again, through another node: the log has it twice
        assert bob.publish("talk", SPAM, message_id=key)["duplicate"] is True
        # all in one record
        texts = ["hello", OTHER, OTHER, "hello"]
        frames = [{"type": "publish", "room": "talk", "message": text} for text in texts]
        bob.send_bytes("".join(bob.valid_line(frame) + "\n" for frame in frames).encode())
        ann.messages(5)
        # all that was said in a cleared room, but nothing that is said behind the clear
        ann.subscribe("cleared")
        for _ in range(3):
            ann.publish("cleared", CLEARED)
        import_lines(first, "filled", 3)
        for room in ("cleared", "filled"):
            with contextlib.closing(Admin(second)) as admin:
                admin.done("POST", f"/channels/default/rooms/{room}/clear")
        ann.publish("cleared", AGAIN)
        for text in (CLEARED, IMPORTED):
            wait_until(cluster, text, 0)
        wait_until(cluster, AGAIN, 3)
        # a room that begins anew before its text is erased
        redact(first, ann.publish("cleared", CLEARED)["seq"], "cleared")
        with contextlib.closing(Admin(second)) as admin:
            admin.done("POST", "/channels/default/rooms/cleared/clear")
        wait_until(cluster, CLEARED, 0)
        for text in (SPAM, OTHER):
            wait_until(cluster, text, 6)
        redact(second, sent["seq"])
        wait_until(cluster, SPAM, 0)
        # another message of that record says the same, and stands
        redact(second, 3)
        redact(first, 2)
        redact(first, 5)
        wait_until(cluster, OTHER, 6)
        # whichever node is left
        first.process.kill()
        first.process.wait()
        redact(second, 4)
        wait_until(cluster, OTHER, 0)
        entries = history(bob)
    assert [entry.get("message") for entry in entries if entry["seq"] <= 5] == [None] * 5
    # from the first record on
    with Client(cluster.start(2, *CHANNEL).listening(), "Cid") as cid:
        assert history(cid) == entries
        assert [entry.get("message") for entry in history(cid, "old")] == [None] * 4
        assert cid.publish("talk", "goes on")["seq"] == entries[-1]["seq"] + 1
    # from its snapshot, or from the first record on as well
    with Client(cluster.start(0, *CHANNEL).listening(), "Ann") as ann:
        assert history(ann)[:-1] == entries
