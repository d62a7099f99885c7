"""The schemas themselves, and the protocol page that shows their frames. Needs no broker."""

import json
import pathlib
import re

import jsonschema_rs
import pytest
import wire_schemas

ROOT = pathlib.Path(__file__).resolve().parents[2]
FRAMES = [name for name in wire_schemas.SCHEMAS if name.startswith(("client-", "broker-"))]
EXAMPLES = [(name, example) for name in FRAMES for example in wire_schemas.SCHEMAS[name]["examples"]]
PAGE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def frames(page):
    fences = re.findall(r"^```json (client|broker)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return [(direction, line) for direction, body in fences for line in body.splitlines()]


def code_table():
    """The table of Code.swift: word → (retryable, reconnect, close code)."""
    source = (ROOT / "Sources" / "RoomModel" / "Code.swift").read_text(encoding="utf-8")
    words = {}
    for name, word in re.findall(r'^    case (`?\w+`?)(?: = "(\w+)")?$', source, re.MULTILINE):
        words[name.strip("`")] = word or name.strip("`")
    rows = re.findall(r"case \.(\w+): \((true|false), (true|false), (\d+)\)", source)
    assert {name for name, *_ in rows} == set(words)
    return {words[name]: (retryable == "true", reconnect == "true", int(close)) for name, retryable, reconnect, close in rows}


@pytest.mark.parametrize("name", wire_schemas.SCHEMAS)
def test_a_schema_is_valid_itself(name):
    schema = wire_schemas.SCHEMAS[name]
    assert jsonschema_rs.meta.is_valid(schema)
    assert schema["$id"] == f"{wire_schemas.BASE}{name}.schema.json"


@pytest.mark.parametrize("name, example", EXAMPLES)
def test_an_example_is_valid_by_its_own_schema_and_by_the_root(name, example):
    wire_schemas.validate(name.split("-")[0], example, name=name)
    wire_schemas.validate(name.split("-")[0], example, name=name.split("-")[0])


@pytest.mark.parametrize("name, example", EXAMPLES)
def test_only_clients_may_add_fields(name, example):
    valid = wire_schemas.validator(name).is_valid({**example, "version": 3})
    assert valid == name.startswith("client-")


@pytest.mark.parametrize("name, example", [pair for pair in EXAMPLES if pair[0].startswith("broker-")])
@pytest.mark.parametrize("field", ["id", "timestamp", "sender"])
def test_a_broker_frame_without_its_stamp_is_invalid(name, example, field):
    assert not wire_schemas.validator(name).is_valid({key: value for key, value in example.items() if key != field})


def test_the_roots_name_every_frame():
    for direction in ("client", "broker"):
        named = re.findall(rf'"{direction}-([a-z-]+)\.schema\.json', json.dumps(wire_schemas.SCHEMAS[direction]))
        assert sorted(named) == sorted(name.removeprefix(f"{direction}-") for name in FRAMES if name.startswith(direction))


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "publish", "room": "", "message": 1},
        {"type": "publish", "room": "a\u0007", "message": 1},
        {"type": "publish", "room": "a"},
        {"type": "publish", "room": "a", "message": 1, "ephemeral": True, "message_id": "3d6c0a52-6b0e-4c5e-9a53-0a3f1a2b4c5d"},
        {"type": "publish", "room": "a", "message": 1, "echo": False},
        {"type": "publish", "room": "a", "message": 1, "callback": "1"},
        {"type": "subscribe", "callback": 1},
        {"type": "subscribe", "room": "a", "rooms": ["a"]},
        {"type": "subscribe", "rooms": ["a"], "since": {"epoch": "0", "seq": 1}},
        {"type": "history", "room": "a", "before_seq": 1, "after_seq": 1, "callback": 1},
        {"type": "members", "room": "a"},
        {"type": "moderate", "room": "a"},
        {"type": "moderate", "room": "a", "action": "dance"},
        {"type": "moderate", "room": "a", "action": "kick", "user": "u"},
        {"type": "moderate", "room": "a", "action": "ban", "user": "u", "client_id": "c"},
        {"type": "moderate", "room": "a", "action": "mute", "user": "u", "seconds": 0},
        {"type": "moderate", "room": "a", "action": "redact", "target_seq": 0},
        {"type": "moderate", "room": "a", "action": "redact"},
        {"type": "moderate", "room": "a", "action": "slow_mode"},
        {"type": "moderate", "room": "a", "action": "notice", "text": ""},
        {"type": "telepathy"},
    ],
)
def test_a_bad_client_frame_is_invalid(frame):
    assert not wire_schemas.validator("client").is_valid(frame)


@pytest.mark.parametrize("direction, line", frames(PAGE) + frames(README))
def test_a_frame_that_a_page_shows_is_valid(direction, line):
    wire_schemas.validate(direction, wire_schemas.parse(line))


def test_the_protocol_page_shows_every_frame():
    shown = {direction: [wire_schemas.parse(line) for owner, line in frames(PAGE) if owner == direction]
             for direction in ("client", "broker")}
    for name in FRAMES:
        assert any(wire_schemas.validator(name).is_valid(frame) for frame in shown[name.split("-")[0]]), name


def test_the_protocol_page_lists_every_code_as_the_table_in_the_code_does():
    def yes(cell):
        assert cell in ("yes", "no")
        return cell == "yes"

    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (\w+) \| (\d+) \| .+ \|$", PAGE, re.MULTILINE)
    listed = {word: (yes(retryable), yes(reconnect), int(close)) for word, retryable, reconnect, close in rows}
    assert len(listed) == len(rows)
    assert listed == code_table()


def test_the_schemas_know_every_code():
    assert set(wire_schemas.SCHEMAS["common"]["$defs"]["code"]["enum"]) == set(code_table())
