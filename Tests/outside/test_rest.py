"""Scaledrone's REST as docs/protocol.md has it: written from the contract, not from our code."""

import concurrent.futures
import json
import uuid

import jsonschema_rs
import pytest
import rest_schemas

from client import Client
from rest import Rest, basic, exchange, secret, statuses, token


@pytest.mark.parametrize("name", rest_schemas.SCHEMAS)
def test_a_schema_is_valid_itself(name):
    schema = rest_schemas.SCHEMAS[name]
    assert jsonschema_rs.meta.is_valid(schema)
    assert schema["$id"] == f"{rest_schemas.BASE}{name}.schema.json"
    for example in schema["examples"]:
        rest_schemas.validate(name, example)


# Publishing


def test_a_member_sees_the_publish_with_its_stamp(rest, connect, room):
    ann = connect("Ann")
    ann.subscribe(room)
    receipt = rest.publish("default", room, '{"text":"hello"}')
    frame = ann.expect("publish", room=room)
    assert frame["message"] == {"text": "hello"}
    assert "client_id" not in frame
    assert frame["id"] == receipt["id"] and frame["seq"] == receipt["seq"] and frame["timestamp"] == receipt["timestamp"]
    assert frame["sender"]["kind"] == "rest"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("42", 42),
        ('"a string"', "a string"),
        ("null", None),
        (' \t[1, 2]\r\n', [1, 2]),
        ("hello there", "hello there"),
        ('{"half":', '{"half":'),
        ("{'a': 1}", "{'a': 1}"),
        ('1 2', "1 2"),
        ('say "hi"\n\\', 'say "hi"\n\\'),
        ("", ""),
        ("Grüße 🎈", "Grüße 🎈"),
        ("a=1&b=2", "a=1&b=2"),
        ("\ufeff42", 42),
        ("\ufeff\ufeff", "\ufeff"),
        ("\ufeffhello", "hello"),
        ("[object Object]", "[object Object]"),
    ],
)
@pytest.mark.parametrize("kind", [None, "application/json", "application/x-www-form-urlencoded"])
def test_the_body_is_json_or_a_string(rest, connect, room, body, message, kind):
    ann = connect("Ann")
    ann.subscribe(room)
    rest.publish("default", room, body, **({"Content-Type": kind} if kind else {}))
    assert ann.expect("publish", room=room)["message"] == message


@pytest.mark.parametrize("body", ["42", "1.23", "true", '"quoted"', "[1, 2]\n", "[object Object]", "", "Grüße 🎈", '{"a":'])
@pytest.mark.parametrize("kind", ["text/plain", "Text/Plain; charset=utf-8"])
def test_plain_text_is_text(rest, connect, room, body, kind):
    ann = connect("Ann")
    ann.subscribe(room)
    for mark in ("", "\ufeff"):
        rest.publish("default", room, mark + body, **{"Content-Type": kind})
        assert ann.expect("publish", room=room)["message"] == body


def test_json_passes_byte_for_byte_but_for_line_breaks(rest, connect, room):
    ann = connect("Ann")
    ann.subscribe(room)
    rest.publish("default", room, '{\r\n  "a" : 1.0,\n  "b" : 1e400, "c" : "\\u00e9\\n" }\n')
    frame = ann.expect("publish", room=room)
    assert b'"message":{    "a" : 1.0,   "b" : 1e400, "c" : "\\u00e9\\n" }' in ann.raw[frame["id"]]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"\xff\xfe", 400, "invalid_utf8"),
        (b'"\xff"', 400, "invalid_utf8"),
        (b"[" * 65 + b"]" * 65, 400, "nesting_too_deep"),
        (b'"' + b"x" * 65_535 + b'"', 413, "message_too_large"),
        (b"x" * 65_536, 413, "message_too_large"),
        (b"x" * 3_000_000, 413, "message_too_large"),
    ],
)
def test_a_body_that_is_no_message(broker, room, body, status, code):
    with Rest(broker) as rest:
        answer = rest.post(f"/default/{room}/publish", body)
    assert (answer.status, answer.body["code"]) == (status, code)


def test_a_chunked_body(broker, connect, room):
    ann = connect("Ann")
    ann.subscribe(room)
    with Rest(broker) as rest:
        rest.connection.request("POST", f"/default/{room}/publish", iter([b'["a",', b'"b"]']), encode_chunked=True)
        assert rest.connection.getresponse().status == 200
    assert ann.expect("publish", room=room)["message"] == ["a", "b"]


def test_a_history_holds_what_rest_published(rest, connect, room):
    receipts = [rest.publish("default", room, str(number)) for number in range(3)]
    assert [receipt["seq"] for receipt in receipts] == [1, 2, 3]
    ann = connect("Ann")
    ann.subscribe(room, history_count=3)
    found = [ann.expect("history_message", room=room) for _ in range(3)]
    assert [frame["id"] for frame in found] == [receipt["id"] for receipt in receipts]
    assert {frame["sender"]["kind"] for frame in found} == {"rest"}


def test_the_order_is_that_of_one_connection(rest, connect, room):
    ann = connect("Ann")
    ann.subscribe(room)
    for number in range(200):
        rest.publish("default", room, str(number))
    assert [ann.expect("publish", room=room)["message"] for _ in range(200)] == list(range(200))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("publish", "publish"),
        ("members", "members"),
        ("a%2Fb", "a/b"),
        ("a+b", "a+b"),
        ("a%20b", "a b"),
        ("..", ".."),
        ("%2e%2e%2fetc", "../etc"),
        ("r%C3%A4um", "räum"),
        ("a%3Fb%23c", "a?b#c"),
        ("%F0%9F%8E%88", "🎈"),
    ],
)
def test_a_room_has_the_name_that_its_path_encodes(rest, connect, path, name):
    ann = connect("Ann")
    ann.subscribe(name)
    rest.publish("default", path, '"here"')
    assert ann.expect("publish", room=name)["message"] == "here"
    assert rest.get(f"/default/{path}/members").body == [ann.id]


def test_a_path_is_ascii(broker):
    request = "GET /default/räum/members HTTP/1.1\r\nHost: localhost\r\n\r\n"
    assert statuses(exchange(broker.http_port, request.encode())) == [400]


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/default/%FF/publish", 400, "invalid_utf8"),
        ("/default/%C3/publish", 400, "invalid_utf8"),
        ("/default/%00/publish", 400, "room_name_invalid"),
        ("/default/a%0Ab/publish", 400, "room_name_invalid"),
        ("/default/%zz/publish", 400, "malformed_request"),
        ("/default/%/publish", 400, "malformed_request"),
        ("/default//publish", 400, "room_name_invalid"),
        (f"/default/{'x' * 201}/publish", 400, "room_name_invalid"),
        ("/default/a/b/publish", 404, "not_found"),
        ("/default/a/publish/", 404, "not_found"),
        ("/default", 404, "not_found"),
        ("/", 405, "method_not_allowed"),
        ("/nobody/a/publish", 404, "unknown_channel"),
        ("/v3/a/publish", 404, "not_found"),
        ("/default/publish/rooms", 400, "invalid_field"),
        ("/default/publish/rooms?x=1", 400, "invalid_field"),
        ("/default/publish/rooms?r=", 400, "room_name_invalid"),
        ("/default/publish/rooms?r=%FF", 400, "invalid_utf8"),
    ],
)
def test_a_path_that_leads_nowhere(rest, path, status, code):
    answer = rest.post(path, "1")
    assert (answer.status, answer.body["code"]) == (status, code)


def test_many_rooms_at_once(rest, connect, room):
    names = [room, f"{room} b", f"{room}+c"]
    ann = connect("Ann")
    for name in names:
        ann.subscribe(name)
    query = f"r={room}&r={room}+b&r={room}%2Bc&r={room}&other=1"
    answer = rest.post(f"/default/publish/rooms?{query}", '"all"')
    assert answer.status == 200
    assert [entry["room"] for entry in answer.body["rooms"]] == names
    frames = [ann.expect("publish") for _ in names]  # rooms have no order among each other
    assert {frame["room"]: frame["id"] for frame in frames} == {entry["room"]: entry["id"] for entry in answer.body["rooms"]}


# Idempotency


def test_a_key_is_good_for_one_message(rest, connect, room):
    ann = connect("Ann")
    ann.subscribe(room)
    key = str(uuid.uuid4())
    first = rest.publish("default", room, '"once"', Idempotency_Key=key)
    again = rest.publish("default", room, '"once"', Idempotency_Key=key)
    quoted = rest.publish("default", room, '"once"', Idempotency_Key=f'"{key.upper()}"')
    assert "duplicate" not in first
    assert again == quoted == {**first, "duplicate": True}
    other = rest.post(f"/default/{room}/publish", '"another"', Idempotency_Key=key)
    assert (other.status, other.body["code"]) == (409, "message_id_conflict")
    rest.publish("default", room, '"fence"')
    assert [ann.expect("publish", room=room)["message"] for _ in range(2)] == ["once", "fence"]


def test_a_socket_knows_the_key_too(rest, connect, room):
    key = str(uuid.uuid4())
    receipt = rest.publish("default", room, "1", Idempotency_Key=key)
    reply = connect("Ann").request({"type": "publish", "room": room, "message": 1, "message_id": key})
    assert reply["duplicate"] is True and reply["id"] == receipt["id"]


@pytest.mark.parametrize("key", ["", "1", "not-a-uuid", "01a1fe9e-044d-7000-a7f4-3640bf8f931", '"'])
def test_a_key_is_a_uuid(rest, room, key):
    answer = rest.post(f"/default/{room}/publish", "1", Idempotency_Key=key)
    assert (answer.status, answer.body["code"]) == (400, "invalid_field")


# Asking


def test_what_is_empty(rest, room):
    assert rest.get(f"/fleeting/{room}/members").body == []
    assert rest.get("/short/rooms") .body == []
    assert rest.get("/short/room-members").body == {}
    assert rest.get("/short/members").body == []
    assert rest.get("/short/stats").body == {"users_count": 0}


def test_who_is_where(rest, connect, room):
    ann, bob = connect("Ann", channel="quick"), connect("Bob", channel="quick")
    ann.subscribe(room)
    bob.subscribe(room)
    bob.subscribe(f"{room}-b")
    alone = connect("Eve", channel="quick")
    assert rest.get(f"/quick/{room}/members").body == [ann.id, bob.id]
    assert {room, f"{room}-b"} <= set(rest.get("/quick/rooms").body)
    map = rest.get("/quick/room-members").body
    assert map[room] == [ann.id, bob.id] and map[f"{room}-b"] == [bob.id]
    everybody = rest.get("/quick/members").body
    assert {ann.id, bob.id} <= set(everybody) and alone.id not in everybody and everybody.count(bob.id) == 1
    assert rest.get("/quick/stats").body["users_count"] >= 2
    bob.request({"type": "unsubscribe", "room": f"{room}-b"})
    # The answer may come before the loop of the room knows.
    assert any(rest.get(f"/quick/{room}-b/members").body == [] for _ in range(1000))


@pytest.mark.parametrize("path", ["stats", "members", "rooms", "room-members", "lobby/members"])
def test_head_is_get_without_the_body(rest, path):
    got = rest.get(f"/fleeting/{path}")
    head = rest.call("HEAD", f"/fleeting/{path}")
    assert head.status == 200 and head.body is None
    assert head.headers["Content-Length"] == got.headers["Content-Length"]


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("GET", "/default/lobby/publish", "OPTIONS, POST"),
        ("PUT", "/default/lobby/publish", "OPTIONS, POST"),
        ("POST", "/default/stats", "GET, HEAD, OPTIONS"),
        ("DELETE", "/default/lobby/members", "GET, HEAD, OPTIONS"),
        ("POST", "/health", "GET, HEAD"),
    ],
)
def test_a_method_that_is_not_possible(rest, method, path, allow):
    answer = rest.call(method, path, b"")
    assert (answer.status, answer.headers["Allow"], answer.body["code"]) == (405, allow, "method_not_allowed")


def test_options_tells_the_methods(rest):
    answer = rest.call("OPTIONS", "/default/lobby/publish")
    assert (answer.status, answer.headers["Allow"]) == (204, "OPTIONS, POST")
    assert "Access-Control-Allow-Methods" not in answer.headers


# Who may


READS = ["stats", "members", "rooms", "room-members", "lobby/members"]


def refused(answer, code="authentication_required"):
    assert (answer.status, answer.body["code"]) == (401, code), answer
    assert "Basic" in answer.headers["WWW-Authenticate"] and "Bearer" in answer.headers["WWW-Authenticate"]


@pytest.mark.parametrize("path", READS)
def test_a_closed_channel_wants_credentials_for_everything(rest, broker, path):
    key = secret(broker, "closed")
    refused(rest.get(f"/closed/{path}"))
    refused(rest.get(f"/closed/{path}", Authorization=basic("closed", "wrong")))
    refused(rest.get(f"/closed/{path}", Authorization=basic("other", key)))
    refused(rest.get(f"/closed/{path}", Authorization="Basic !!!"))
    refused(rest.get(f"/closed/{path}", Authorization="Digest x"))
    refused(rest.get(f"/closed/{path}", Authorization="Bearer"))
    refused(rest.get(f"/closed/{path}", Authorization="Bearer a.b"), "token_invalid")
    assert rest.get(f"/closed/{path}", Authorization=basic("closed", key)).status == 200


def test_the_secret_opens_a_closed_channel(rest, broker, room):
    refused(rest.post(f"/closed/{room}/publish", "1"))
    key = secret(broker, "closed")
    assert rest.publish("closed", room, "1", Authorization=basic("closed", key))["seq"] == 1
    refused(rest.post(f"/closed/{room}/publish", "1", Authorization=basic("closed", key[:-1])))
    refused(rest.post(f"/closed/{room}/publish", "1", Authorization=basic("closed", "")))


def test_a_token_does_what_it_says_and_no_more(rest, broker, room):
    key = secret(broker, "closed")
    may = token("closed", key, {f"^{room}-w$": {"publish": True}, f"^{room}-r$": {"subscribe": True}})
    assert rest.post(f"/closed/{room}-w/publish", "1", Authorization=may).status == 200
    for path in (f"{room}-r", f"{room}-x"):
        denied = rest.post(f"/closed/{path}/publish", "1", Authorization=may)
        assert (denied.status, denied.body["code"]) == (403, "permission_denied")
    assert rest.get(f"/closed/{room}-r/members", Authorization=may).body == []
    denied = rest.get(f"/closed/{room}-w/members", Authorization=may)
    assert (denied.status, denied.body["code"]) == (403, "permission_denied")
    some = rest.post(f"/closed/publish/rooms?r={room}-w&r={room}-x", "1", Authorization=may)
    assert (some.status, some.body["code"]) == (403, "permission_denied")
    assert [("id" in entry, entry.get("code")) for entry in some.body["rooms"]] == [(True, None), (False, "permission_denied")]


def test_lists_show_what_the_token_may_see(rest, broker, room):
    key = secret(broker, "closed")
    everything = {".*": {"publish": True, "subscribe": True}}
    with Client(broker, "Ann", channel="closed", token=token("closed", key, everything).split()[1]) as ann:
        ann.subscribe(f"{room}-a")
        ann.subscribe(f"{room}-b")
        may = token("closed", key, {f"^{room}-a$": {"subscribe": True}})
        assert rest.get("/closed/rooms", Authorization=may).body == [f"{room}-a"]
        assert rest.get("/closed/room-members", Authorization=may).body == {f"{room}-a": [ann.id]}


@pytest.mark.parametrize(
    "broken",
    [
        lambda key: token("closed", "another secret", {".*": {"publish": True}}),
        lambda key: token("other", key, {".*": {"publish": True}}),
        lambda key: token("closed", key, {".*": {"publish": True}})[:-3],
    ],
)
def test_a_token_that_is_none(rest, broker, room, broken):
    refused(rest.post(f"/closed/{room}/publish", "1", Authorization=broken(secret(broker, "closed"))), "token_invalid")


def test_a_client_claim_does_not_count(rest, broker, room):
    for key in (secret(broker, "closed"), "another secret"):
        made = token("closed", key, {"^*.$": {"publish": True}, ".*": {"publish": True}}, client="abc")
        answer = rest.post(f"/closed/{room}/publish", "1", Authorization=made)
        assert answer.status == (401 if key == "another secret" else 200)


def test_a_token_that_has_expired(rest, broker, room):
    old = token("closed", secret(broker, "closed"), {".*": {"publish": True}}, exp=1_000_000_000)
    refused(rest.post(f"/closed/{room}/publish", "1", Authorization=old), "token_expired")


@pytest.mark.parametrize("channel", ["default", "ajar"])
def test_an_open_channel_asks_for_nothing_but_takes_nothing_wrong(rest, broker, room, channel):
    assert rest.post(f"/{channel}/{room}/publish", "1").status == 200
    refused(rest.post(f"/{channel}/{room}/publish", "1", Authorization=basic(channel, "wrong")))
    refused(rest.post(f"/{channel}/{room}/publish", "1", Authorization="Bearer a.b.c"), "token_invalid")
    key = secret(broker, channel)
    assert rest.post(f"/{channel}/{room}/publish", "1", Authorization=basic(channel, key)).status == 200


def test_a_token_restricts_where_none_is_needed(rest, broker, room):
    may = token("ajar", secret(broker, "ajar"), {"^elsewhere$": {"publish": True}})
    assert rest.post(f"/ajar/{room}/publish", "1").status == 200
    assert rest.post(f"/ajar/{room}/publish", "1", Authorization=may).status == 403


# Load


def test_many_connections_publish_at_once(broker, connect, room):
    ann = connect("Ann")
    ann.subscribe(room)

    def run(worker):
        with Rest(broker) as rest:
            return [rest.publish("default", room, json.dumps([worker, turn]))["seq"] for turn in range(50)]

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        seqs = sorted(seq for seqs in pool.map(run, range(8)) for seq in seqs)
    assert seqs == list(range(1, 401))
    seen = [ann.expect("publish", room=room)["message"] for _ in range(400)]
    for worker in range(8):
        assert [turn for who, turn in seen if who == worker] == list(range(50))
