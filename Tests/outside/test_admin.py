"""The admin API: every endpoint, what it refuses, and settings that change while people are at work."""

import json
import socket
import stat
import threading
import time
import uuid

import jwt
import pytest

import admin_schemas
import wire_schemas
from admin import Admin, UnixConnection, name
from broker import PATIENCE
from client import Client
from rest import Rest

FLAGS = ["--channel", "default,history=1000", "--channel", "held,history=5,grace=1s", "--loops", "2"]


@pytest.fixture
def channel(admin):
    """A channel of the test's own."""
    id = f"c-{uuid.uuid4().hex[:12]}"
    admin.done("POST", "/channels", {"id": id, "history": None})
    return id


def test_the_socket_is_the_owners_alone(administered):
    mode = (administered.data.parent / "a.sock").stat().st_mode
    assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600


def test_a_channel_lives(admin):
    id = f"life-{uuid.uuid4().hex[:8]}"
    created = admin.done("POST", "/channels", {"id": id, "history": {"count": 7}, "name": "Life"})
    assert created.status == 201 and created.headers["Location"] == f"/admin/v1/channels/{id}"
    assert created["history"] == {"count": 7, "age_seconds": 30 * 24 * 3600}
    shown = admin.done("GET", f"/channels/{id}")
    assert {**shown.body, "secret": created["secret"]} == created.body
    changed = admin.done(
        "PATCH",
        f"/channels/{id}",
        {"history": {"count": 8}, "limits": {"rooms": 3}, "allowed_origins": ["https://app.example"], "grace_seconds": 0.4},
        headers={"If-Match": shown.headers["ETag"]},
    )
    assert changed["history"]["count"] == 8 and changed["limits"]["rooms"] == 3 and changed["grace_seconds"] == 0.4
    assert changed["version"] == shown["version"] + 1
    admin.refused(412, "version_differs", "PATCH", f"/channels/{id}", {}, headers={"If-Match": shown.headers["ETag"]})
    rotated = admin.done("POST", f"/channels/{id}/secret", {"overlap_seconds": 60})
    assert rotated["secret"] != created["secret"] and len(rotated["previous_secrets"]) == 1
    assert admin.done("DELETE", f"/channels/{id}").status == 204
    admin.refused(404, "unknown_channel", "GET", f"/channels/{id}")


def test_channels_come_in_pages(admin):
    ids = sorted(f"page-{uuid.uuid4().hex[:8]}" for _ in range(3))
    for id in ids:
        admin.done("POST", "/channels", {"id": id})
    seen, query = [], {"limit": 2}
    while True:
        page = admin.done("GET", "/channels", query=query)
        assert len(page["channels"]) <= 2
        seen += [channel["id"] for channel in page["channels"]]
        if page["next"] is None:
            break
        query["after"] = page["next"]
    assert seen == sorted(seen) and len(seen) == len(set(seen)) and set(ids) < set(seen)


@pytest.mark.parametrize(
    ("method", "path", "document", "status", "code"),
    [
        ("POST", "/channels", {"id": "default"}, 409, "channel_exists"),
        ("POST", "/channels", {"id": "console"}, 400, "invalid_field"),
        ("POST", "/channels", {"id": "x", "histry": None}, 400, "unknown_field"),
        ("POST", "/channels", [], 400, "invalid_field"),
        ("PATCH", "/channels/held", {"history": None}, 409, "setting_locked"),
        ("PATCH", "/channels/held", {"grace_seconds": 2}, 409, "setting_locked"),
        ("DELETE", "/channels/held", None, 409, "setting_locked"),
        ("PATCH", "/channels/nobody", {}, 404, "unknown_channel"),
        ("PUT", "/channels/held", {}, 405, "method_not_allowed"),
        ("GET", "/channels?first=1", None, 400, "unknown_field"),
        ("GET", "/nothing", None, 404, "not_found"),
        ("GET", "/channels/held/rooms/nobody", None, 404, "unknown_room"),
        ("GET", "/channels/held/rooms/r/members/nobody", None, 404, "unknown_member"),
        ("GET", f"/trace/{uuid.UUID(int=7 << 76)}?channel=held&room=r", None, 404, "unknown_message"),
        ("POST", "/tokens", {"name": "x", "scopes": ["everything"]}, 400, "invalid_field"),
        ("DELETE", "/tokens/nobody", None, 404, "unknown_token"),
        ("GET", "/audit?before=x", None, 400, "invalid_field"),
    ],
)
def test_what_is_refused_says_why(admin, method, path, document, status, code):
    detail = admin.refused(status, code, method, path, document)
    if code == "setting_locked":
        assert "--channel held,history=5" in detail or "--channel held,grace=1s" in detail


def test_a_body_is_json_and_says_so(admin):
    admin.refused(415, "unsupported_media_type", "POST", "/channels", body="{}", headers={"Content-Type": "text/plain"})
    admin.refused(400, "malformed_json", "POST", "/channels", body="{", headers={"Content-Type": "application/json"})
    admin.refused(400, "duplicate_field", "POST", "/channels", body='{"id":"a","id":"b"}', headers={"Content-Type": "application/json"})
    large = '"' + "x" * 200_000 + '"'
    admin.refused(413, "body_too_large", "POST", "/channels", body=large, headers={"Content-Type": "application/json"})


def test_a_new_channel_keeps_what_the_default_one_does(admin):
    id = f"new-{uuid.uuid4().hex[:8]}"
    standard = {"count": 1000, "age_seconds": 30 * 24 * 3600}
    assert admin.done("GET", "/channels/default")["history"] == standard
    assert admin.done("POST", "/channels", {"id": id})["history"] == standard
    assert admin.done("PATCH", f"/channels/{id}", {"history": None})["history"] is None
    assert admin.done("PATCH", f"/channels/{id}", {"name": "Q"})["history"] is None, "it keeps what it has"
    assert admin.done("POST", "/channels", {"id": f"{id}-off", "history": None})["history"] is None


def test_rooms_members_history_and_trace(administered, admin, channel):
    admin.done("PATCH", f"/channels/{channel}", {"history": {}, "presence": "all"})
    rooms = ["a/b", "ü & more", "z"]
    with Client(administered, "Ann", channel=channel) as ann:
        for room in rooms:
            ann.subscribe(room)
        receipts = [ann.publish("a/b", {"n": n}) for n in range(5)]
        listed = admin.done("GET", f"/channels/{channel}/rooms", query={"limit": 2})
        rest = admin.done("GET", f"/channels/{channel}/rooms", query={"limit": 2, "after": listed["next"]})
        assert [room["name"] for room in listed["rooms"] + rest["rooms"]] == sorted(rooms, key=str.encode)
        assert listed["total"] == 3 and rest["next"] is None
        assert [room["name"] for room in admin.done("GET", f"/channels/{channel}/rooms", query={"prefix": "ü"})["rooms"]] == [rooms[1]]

        path = f"/channels/{channel}/rooms/{name('a/b')}"
        room = admin.done("GET", path)
        assert (room["members"], room["seq"], room["observable"]) == (1, 5, True)
        member = admin.done("GET", f"{path}/members")["members"][0]
        assert member["id"] == ann.id and member["client_data"] == {"name": "Ann"}
        assert member["connection"]["address"] == "127.0.0.1" and member["connection"]["lag"] == 0
        assert admin.done("GET", f"{path}/members/{ann.id}").body["id"] == ann.id

        page = admin.done("GET", f"{path}/history", query={"limit": 2})
        assert [message["message"] for message in page["messages"]] == [{"n": 3}, {"n": 4}] and page["more"]
        page = admin.done("GET", f"{path}/history", query={"after_seq": 1, "limit": 2})
        assert [message["seq"] for message in page["messages"]] == [2, 3]
        admin.refused(400, "invalid_field", "GET", f"{path}/history", query={"after_seq": 1, "before_seq": 3})

        trace = admin.done("GET", f"/trace/{receipts[2]['id']}", query={"channel": channel, "room": "a/b"})
        assert (trace["seq"], trace["stored"], trace["passed"], trace["lagging"]) == (3, True, 1, [])

        statistics = admin.done("GET", "/statistics")
        (own,) = [entry for entry in statistics["channels"] if entry["id"] == channel]
        assert (own["connections"], own["rooms"]) == (1, 3)
        assert own["stored"].keys() == {"rooms", "messages", "bytes", "bytes_are_estimated"}


def test_an_administrator_publishes(administered, admin, channel):
    with Client(administered, "Ann", channel=channel) as ann:
        ann.subscribe("r")
        headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
        path = f"/channels/{channel}/rooms/r/messages"
        receipt = admin.done("POST", path, body='{"a": 1.0,\n"b":1e400}', headers=headers)
        frame = ann.expect("publish", room="r")
        assert frame["id"] == receipt["id"] and frame["sender"] == {"id": "uid:0", "kind": "admin"}
        again = admin.done("POST", path, body='{"a": 1.0,\n"b":1e400}', headers=headers)
        assert again["duplicate"] and again["id"] == receipt["id"]
        admin.refused(409, "message_id_conflict", "POST", path, body="2", headers=headers)
        admin.refused(400, "malformed_json", "POST", path, body="nope", headers={"Content-Type": "application/json"})
    entries = admin.done("GET", "/audit", query={"action": "message.publish"})["entries"]
    assert any(entry["target"] == f"{channel}/r" and entry["details"] == {"id": receipt["id"]} for entry in entries)


def test_tokens_and_their_scopes(administered, admin, channel):
    tokens = {scope: admin.done("POST", "/tokens", {"name": f"{scope}-{channel}", "scopes": [scope]}) for scope in ("read", "moderate", "manage")}
    clients = {scope: Admin(administered, token["token"]) for scope, token in tokens.items()}
    publish = ("POST", f"/channels/{channel}/rooms/r/messages")
    for scope, client in clients.items():
        client.done("GET", "/channels")
        if scope == "read":
            client.refused(403, "permission_denied", *publish, "hello")
        else:
            client.done(*publish, "hello")
        if scope == "manage":
            client.done("PATCH", f"/channels/{channel}", {"name": "by token"})
        else:
            client.refused(403, "permission_denied", "PATCH", f"/channels/{channel}", {"name": "x"})
            client.refused(403, "permission_denied", "GET", "/tokens")
    admin.refused(409, "token_exists", "POST", "/tokens", {"name": f"read-{channel}", "scopes": ["read"]})
    assert all("token" not in token for token in admin.done("GET", "/tokens")["tokens"])
    admin.done("DELETE", f"/tokens/read-{channel}")
    clients["read"].refused(401, "token_invalid", "GET", "/channels")
    nobody = Admin(administered, tcp=True)
    nobody.refused(401, "authentication_required", "GET", "/channels")
    entries = admin.done("GET", "/audit", query={"actor": f"token:manage-{channel}"})["entries"]
    assert [(entry["action"], entry["origin"]) for entry in entries] == [("channel.update", "127.0.0.1"), ("message.publish", "127.0.0.1")]
    shown = administered.tail(10_000) + json.dumps(admin.done("GET", "/audit", query={"limit": 1000}).body)
    assert not any(token["token"] in shown for token in tokens.values())
    for client in [*clients.values(), nobody]:
        client.close()


class Events:
    """A reader of the event stream."""

    def __init__(self, broker, last=None, path="/events"):
        self.connection = UnixConnection(broker.admin_socket)
        self.connection.request("GET", admin_schemas.PREFIX + path, headers={"Last-Event-ID": last} if last else {})
        self.response = self.connection.getresponse()
        assert self.response.status == 200 and self.response.headers["Content-Type"] == "text/event-stream"
        self.last = last

    def next(self):
        """The next event with its data; comments and times to wait are passed over."""
        fields = {}
        while True:
            line = self.response.readline().decode()
            assert line, "the stream has ended"
            line = line.rstrip("\n")
            if line and not line.startswith(":"):
                field, value = line.split(": ", 1)
                fields[field] = value
            elif not line and "event" in fields:
                break
        self.last = fields.get("id", self.last)
        data = json.loads(fields["data"])
        if "id" in fields:
            admin_schemas.check_component(data, "Event")
        return fields["event"], data

    def until(self, kind, **expected):
        while True:
            event, data = self.next()
            if event == kind and expected.items() <= data.items():
                return data

    def close(self):
        self.connection.close()


@pytest.mark.parametrize("path", ["/events", "/channels/default/rooms/r/events"])
def test_the_head_of_a_stream_is_that_of_get(administered, path):
    """RFC 9110 9.3.2: what GET has no length for has none here."""
    stream = Events(administered, path=path)
    expected = {name.lower(): value for name, value in stream.response.getheaders() if name != "Date"}
    stream.close()
    with socket.socket(socket.AF_UNIX) as head:
        head.settimeout(PATIENCE)
        head.connect(str(administered.admin_socket))
        head.sendall(f"HEAD {admin_schemas.PREFIX}{path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        answer = b"".join(iter(lambda: head.recv(65536), b"")).decode()
    lines, rest = answer.split("\r\n\r\n")
    assert rest == "", "it would be read as the next answer"
    headers = dict(line.lower().split(": ", 1) for line in lines.split("\r\n")[1:])
    assert headers.pop("connection") == "close" and headers.pop("date")
    assert headers == expected and "content-length" not in headers


def test_events_are_followed_and_resumed(administered, admin, channel):
    events = Events(administered)
    with Client(administered, "Ann", channel=channel) as ann:
        events.until("connected", channel=channel, client_id=ann.id)
        ann.subscribe("r")
        events.until("room_changed", channel=channel, room="r", members=1)
        events.close()
        admin.done("PATCH", f"/channels/{channel}", {"name": "x"})
    resumed = Events(administered, events.last)
    resumed.until("channel_changed", channel=channel)
    resumed.until("disconnected", channel=channel, client_id=ann.id)
    resumed.close()
    other = Events(administered, "00000000deadbeef-7")
    assert other.next() == ("gap", {})
    other.close()


class RoomEvents(Events):
    """A reader of the events of one room."""

    def __init__(self, broker, channel, room, last=None):
        super().__init__(broker, last, f"/channels/{channel}/rooms/{room}/events")

    def next(self):
        """A frame of the room, or what a gap says."""
        fields = {}
        while True:
            line = self.response.readline().decode()
            assert line, "the stream has ended"
            field, _, value = line.rstrip("\n").partition(": ")
            if not field and "data" in fields:
                break
            fields[field] = value
        self.last = fields.get("id", self.last)
        data = json.loads(fields["data"])
        if fields.get("event") == "gap":
            admin_schemas.check_component(data, "RoomGap")
            return {"type": "gap", **data}
        wire_schemas.validate("broker", data)
        if "seq" in data:
            assert fields["id"].endswith(f":{data['seq']}"), fields
        return data

    def messages(self, count):
        found = []
        while len(found) < count:
            frame = self.next()
            assert frame["type"] != "gap", frame
            if frame["type"] == "publish":
                found.append(frame["message"])
        return found


@pytest.mark.parametrize("history", [None, {"count": 1000}])
def test_a_room_is_followed_without_being_in_it(administered, admin, channel, history):
    admin.done("PATCH", f"/channels/{channel}", {"history": history})
    with Client(administered, "Ann", channel=channel) as ann:
        epoch = ann.subscribe("observable-r")["epoch"]
        reader = RoomEvents(administered, channel, "observable-r", f"{epoch}:0")
        ann.publish("observable-r", 1)
        assert reader.messages(1) == [1]
        reader.close()
        for number in range(2, 9):
            ann.publish("observable-r", number)
        back = RoomEvents(administered, channel, "observable-r", reader.last)
        ann.publish("observable-r", 9)
        assert back.messages(8) == list(range(2, 10))
        members = admin.done("GET", f"/channels/{channel}/rooms/observable-r/members")["members"]
        assert [member["id"] for member in members] == [ann.id]
        admin.done("POST", f"/channels/{channel}/rooms/observable-r/clear")
        gap = back.next()
        assert (gap["type"], gap["reason"], gap["to_seq"]) == ("gap", "epoch", 0)
        ann.publish("observable-r", "anew")
        assert back.messages(1) == ["anew"]
        back.close()


def test_a_token_without_the_scope_follows_no_room_and_a_revoked_one_no_more(administered, admin, channel):
    token = admin.done("POST", "/tokens", {"name": f"follower-{channel}", "scopes": ["read"]})["token"]
    path = f"/channels/{channel}/rooms/r/events"
    Admin(administered, "rla_wrong").refused(401, "token_invalid", "GET", path)
    Admin(administered, tcp=True).refused(401, "authentication_required", "GET", path)
    with Client(administered, "Ann", channel=channel) as ann:
        ann.subscribe("r")
        reader = Admin(administered, token)
        reader.connection.request("GET", admin_schemas.PREFIX + path, headers={"Authorization": f"Bearer {token}"})
        stream = reader.connection.getresponse()
        assert stream.readline() == b": roomline\n"
        ann.publish("r", "before")
        while b"before" not in (line := stream.readline()):
            assert line, "the stream has ended"
        admin.done("DELETE", f"/tokens/follower-{channel}")
        ann.publish("r", "after")
        assert b"after" not in stream.read()
        reader.close()


def test_settings_change_under_load(administered, admin, channel):
    """History, presence and limits are toggled while people talk: what is acknowledged is delivered, once and in order."""
    admin.done("PATCH", f"/channels/{channel}", {"history": {"count": 100_000}})
    stop, failures, acknowledged, news = threading.Event(), [], [], threading.Condition()

    def talk():
        try:
            with Client(administered, "Ann", channel=channel) as ann:
                while not stop.is_set():
                    id = ann.publish("busy", len(acknowledged))["id"]
                    with news:
                        acknowledged.append(id)
                        news.notify()
        except BaseException as failure:
            failures.append(failure)

    with Client(administered, "Bob", channel=channel) as bob:
        bob.subscribe("busy")
        speaker = threading.Thread(target=talk)
        speaker.start()
        changes = [
            {"history": None},
            {"presence": "all", "limits": {"publish_rate": 1_000_000}},
            {"history": {"count": 5}, "durability": "process"},
            {"presence": None, "history_rules": [{"pattern": "^bu", "history": None}]},
            {"history_rules": None, "limits": None, "history": {"count": 100_000}},
        ]
        for turn in range(3 * len(changes)):
            known = len(acknowledged)
            admin.done("PATCH", f"/channels/{channel}", changes[turn % len(changes)])
            with news:
                went_on = news.wait_for(lambda: len(acknowledged) >= known + 5, PATIENCE)
            assert went_on, f"nothing is acknowledged any more: {failures}"
        stop.set()
        speaker.join()
        assert not failures, failures
        received = []
        while len(received) < len(acknowledged):
            frame = bob.next()
            if frame.get("type") == "publish":
                received.append(frame["id"])
        assert received == acknowledged


def test_history_turned_off_and_on_begins_a_new_epoch(administered, admin, channel):
    admin.done("PATCH", f"/channels/{channel}", {"history": {}})
    with Client(administered, "Ann", channel=channel) as ann:
        before = ann.subscribe("r")
        ann.publish("r", "kept")
    admin.done("PATCH", f"/channels/{channel}", {"history": None})
    with Client(administered, "Ann", channel=channel) as ann:
        ann.publish("r", "not kept")
    admin.done("PATCH", f"/channels/{channel}", {"history": {}})
    with Client(administered, "Bob", channel=channel) as bob:
        after = bob.subscribe("r", since={"epoch": before["epoch"], "seq": 1})
        assert after["recovered"] is False and after["epoch"] != before["epoch"]
        assert bob.expect("gap", room="r")["reason"] == "epoch"


def test_history_turned_off_and_on_repeats_nothing_to_those_who_stay(administered, admin, channel):
    admin.done("PATCH", f"/channels/{channel}", {"history": {}})
    with Client(administered, "Ann", channel=channel) as ann:
        before = ann.subscribe("r")["epoch"]
        for number in range(3):
            ann.publish("r", number)
        assert len(ann.messages(3)) == 3
        admin.done("PATCH", f"/channels/{channel}", {"history": None})
        admin.done("PATCH", f"/channels/{channel}", {"history": {}})
        after = ann.subscribe("r", since={"epoch": before, "seq": 1})
        assert after["recovered"] is False and after["epoch"] != before
        frames = ann.fence()
        assert frames and all(frame["type"] == "gap" and frame["reason"] == "epoch" for frame in frames), frames


def test_a_start_that_turns_history_off_clears_it(start):
    def epoch(broker):
        with Client(broker, "Ann", channel="demo") as ann:
            ann.publish("r", "hello")
            return ann.subscribe("r")["epoch"]

    kept = start("--channel", "demo,history=10")
    first = epoch(kept)
    kept.terminate()
    again = start("--channel", "demo,history=10")
    assert epoch(again) == first
    again.terminate()
    start("--channel", "demo,history=off").terminate()
    assert epoch(start("--channel", "demo,history=10")) != first


def test_a_secret_signs_until_its_time_is_over(administered, admin):
    def enters(secret):
        token = jwt.encode({"channel": id, "exp": int(time.time()) + 60, "permissions": {"": {"subscribe": True}}}, secret, "HS256")
        with Client(administered, handshake=False) as client:
            return "error" not in client.request({"type": "handshake", "channel": id, "token": token})

    id = f"signed-{uuid.uuid4().hex[:8]}"
    first = admin.done("POST", "/channels", {"id": id, "authentication": "required"})["secret"]
    assert enters(first)
    second = admin.done("POST", f"/channels/{id}/secret", {"overlap_seconds": 60})["secret"]
    assert enters(first) and enters(second)
    third = admin.done("POST", f"/channels/{id}/secret", {"overlap_seconds": 0})
    assert third["previous_secrets"] == []
    assert enters(third["secret"]) and not enters(first) and not enters(second)
    shown = administered.tail(10_000) + json.dumps(admin.done("GET", "/audit", query={"limit": 1000}).body)
    assert not any(secret in shown for secret in (first, second, third["secret"]))


def test_no_channel_is_opened_to_strangers(start, tmp_path):
    broker = start("--channel", "default,auth=required", tcp="0.0.0.0:0", admin=tmp_path / "a.sock")
    admin = Admin(broker)
    admin.refused(409, "channel_exposed", "POST", "/channels", {"id": "open"})
    admin.done("POST", "/channels", {"id": "closed", "authentication": "required"})
    admin.refused(409, "channel_exposed", "PATCH", "/channels/closed", {"authentication": None})
    admin.close()


def test_a_deleted_channel_lets_its_members_go(administered, admin, channel):
    with Client(administered, "Ann", channel=channel) as ann:
        admin.done("DELETE", f"/channels/{channel}")
        ann.goodbye("unknown_channel")


def test_the_socket_survives_rubbish(administered, admin):
    for rubbish in (b"\x00" * 100, b"GET / HTTP/9.9\r\n\r\n", b"POST /admin/v1/channels HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{"):
        with socket.socket(socket.AF_UNIX) as raw:
            raw.connect(administered.admin_socket)
            raw.sendall(rubbish)
    admin.done("GET", "/channels")


def test_a_message_is_too_large_in_the_same_words_on_every_way_in(administered, admin):
    message, words = "x" * 65_535, '"message" has 65537 bytes; the limit is 65536'
    assert words in admin.refused(413, "message_too_large", "POST", "/channels/default/rooms/large/messages", message)
    with Rest(administered) as rest:
        answer = rest.post("/default/large/publish", json.dumps(message), Content_Type="application/json")
        assert (answer.status, answer.body["code"]) == (413, "message_too_large") and words in answer.body["message"]
    with Client(administered) as ann:
        answer = ann.refused({"type": "publish", "room": "large", "message": message}, "message_too_large")
        assert answer["error"] == words
