"""Plain text: people with a terminal, the clients of the socket tutorials, and their talk with JSON people."""

import json
import unicodedata
import uuid

import pytest
import wire_schemas

from client import Client, TextClient


@pytest.fixture
def name():
    return f"N{uuid.uuid4().hex[:8]}"


def test_iam_and_msg_are_seen_by_all(text, name):
    luke, leia = text().join(f"{name}1"), text().join(f"{name}2")
    assert luke.line() == f"{name}2 has joined"
    luke.say("msg:hello")
    assert luke.line() == leia.line() == f"{name}1: hello"


def test_another_line_is_seen_by_the_others(text, name):
    luke, leia = text().join(f"{name}1"), text().join(f"{name}2")
    luke.line()
    luke.say("just typing")
    assert leia.line() == f"{name}1: just typing"
    luke.say("msg:fence")
    assert luke.line() == leia.line() == f"{name}1: fence"


def test_a_line_without_a_name_looks_like_nobody_else_s(text, name):
    leia = text().join(name)
    nameless = text()
    nameless.say("Han: send me your money")
    assert leia.line() == "?: Han: send me your money"
    nameless.say("msg:Han has joined")
    assert leia.line() == "?: Han has joined"


def test_who_types_first_is_told_how_to_get_help(text, name):
    leia = text().join(name)
    typing = text()
    typing.say("hello?")
    greeting = typing.line()
    assert greeting.startswith("* ") and "help" in greeting and ":" not in greeting
    typing.say("Help")
    told = [typing.line() for _ in range(4)]
    assert all(line.startswith("* ") for line in told)
    assert all(any(word in line for line in told) for word in ("iam:NAME", "msg:TEXT", "quit"))
    typing.say("quit")
    assert typing.line() == "* goodbye"
    assert typing.read_to_end() == b""
    assert leia.line() == "?: hello?"
    leia.say("msg:fence")
    assert leia.line() == f"{name}: fence"


def test_who_waits_listens(start, name):
    broker = start("--text-listen-after", "50ms", "--channel", "default,history=100")
    with TextClient(broker) as listener, TextClient(broker) as han:
        assert "help" in listener.line()
        han.join(name)
        assert listener.line() == f"{name} has joined"
        listener.say("iam:Leia")
        assert listener.line() == han.line() == "Leia has joined"
        with TextClient(broker) as late:
            assert "help" in late.line()
            # what a listener was sent is not JSON, so whoever speaks frames now knows where they begin
            assert ask(late, {"type": "handshake", "channel": "default", "callback": 1})["client_id"]
            assert ask(late, {"type": "rooms", "callback": 2})["rooms"] == []
            han.say("msg:not for frames")
            assert listener.line() == f"{name}: not for frames"
            assert ask(late, {"type": "ping", "callback": 3})["callback"] == 3


def ask(client, frame):
    """Sends one frame, and gives the next line as the frame that it has to be."""
    wire_schemas.validate("client", frame)
    client.say(json.dumps(frame))
    reply = json.loads(client.line())
    wire_schemas.validate("broker", reply)
    return reply


def test_nobody_listens_where_it_is_off(start, name):
    broker = start("--text-listen-after", "off", "--text-handshake-timeout", "100ms")
    with TextClient(broker) as silent:
        assert json.loads(silent.line())["code"] == "handshake_timeout"


@pytest.mark.parametrize("bad", ["Han: hi", "*", "?x", "x" * 65, "\u202e\u200b\u2066\ufeff\u3164\u00a0"], ids=ascii)
def test_a_name_that_is_none_is_refused_with_the_reason(text, name, bad):
    leia, luke = text().join(f"{name}1"), text().join(f"{name}2")
    leia.line()
    luke.say(f"iam:{bad}")
    answer = luke.line()
    assert answer.startswith("* ") and "name" in answer
    luke.say("msg:still me")
    assert luke.line() == leia.line() == f"{name}2: still me"


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\u200d", "\u2066", "\ufeff", "\u00ad", "\u061c", "\u3164", "\U000e0041"], ids=ascii)
def test_what_cannot_be_seen_is_in_no_name(text, connect, name, hidden):
    leia, luke = text().join(f"{name}1"), text()
    luke.say(f"iam:{name}{hidden}2{hidden}")
    assert leia.line() == f"{name}2 has joined"
    json_person = connect(f"{hidden}* {name}{hidden}:3")
    json_person.publish("lobby", "from JSON")
    assert leia.line() == f"{name} 3: from JSON"


def test_iam_again_is_another_name(text, name):
    luke, leia = text().join(f"{name}1"), text().join(f"{name}2")
    luke.line()
    luke.say(f"iam:{name}3")
    assert luke.line() == leia.line() == f"{name}3 has joined"
    luke.say("msg:hello")
    assert luke.line() == leia.line() == f"{name}3: hello"


@pytest.mark.parametrize("bad", ["", "   ", "x" * 5000], ids=["empty", "blank", "too long"])
def test_a_bad_name_is_answered_with_a_line_that_says_so(text, name, bad):
    leia, luke = text().join(f"{name}1"), text().join(f"{name}2")
    leia.line()
    luke.say(f"iam:{bad}")
    assert "has joined" not in luke.line()
    luke.say("msg:still me")
    assert luke.line() == leia.line() == f"{name}2: still me"


@pytest.mark.parametrize("chunks", [["iam:{}"], ["iam:{}", "msg:hello"]], ids=["name", "name and message"])
def test_clients_that_send_no_newline(text, name, chunks):
    """As the tutorials have it: one send, one message. The pause in between is that of a person."""
    leia = text().join(f"{name}1")
    luke = text()
    luke.say(chunks[0].format(f"{name}2"), end="")
    assert luke.line() == leia.line() == f"{name}2 has joined"
    if len(chunks) > 1:
        luke.say(chunks[1], end="")
        assert luke.line() == leia.line() == f"{name}2: hello"


def test_a_character_is_never_cut_in_two(text, name):
    leia = text().join(f"{name}1")
    luke = text()
    luke.say(f"iam:{name}2", end="")
    assert luke.line() == leia.line() == f"{name}2 has joined"
    luke.send_bytes("msg:h€".encode()[:-1])
    leia.say("msg:meanwhile")
    assert luke.line() == leia.line() == f"{name}1: meanwhile"
    luke.send_bytes("msg:h€".encode()[-1:])
    assert luke.line() == leia.line() == f"{name}2: h€"


def test_after_the_first_newline_only_newlines_end_a_line(text, name):
    leia, luke = text().join(f"{name}1"), text().join(f"{name}2")
    leia.line()
    luke.say("msg:one ", end="")
    leia.say("msg:meanwhile")
    assert luke.line() == leia.line() == f"{name}1: meanwhile"
    luke.say("line\r\nmsg:and another")
    for person in (luke, leia):
        assert person.line() == f"{name}2: one line"
        assert person.line() == f"{name}2: and another"


def test_one_line_is_one_write_to_a_tutorial_client(text, name):
    luke = text().join(name)
    luke.say("msg:whole")
    assert luke.socket.recv(1 << 16) == f"{name}: whole\n".encode()


def test_a_byte_order_mark_is_no_part_of_the_line(text, name):
    luke = text()
    luke.send_bytes(b"\xef\xbb\xbfiam:" + name.encode() + b"\n")
    assert luke.line() == f"{name} has joined"


def test_a_line_that_looks_like_json_is_refused(text, name):
    leia, luke = text().join(f"{name}1"), text().join(f"{name}2")
    leia.line()
    luke.say('{"type":"publish","room":"lobby","message":"sneaky"}')
    assert "JSON" in luke.line()
    luke.say("msg:fence")
    assert luke.line() == leia.line() == f"{name}2: fence"


BIDIRECTIONAL = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
EVIL = [
    "\u202eevil", "\u2067evil", "\x1b[31mred", "\x1b]0;title\x07", "a\rfake: line", "nul\0byte", "a\u2028fake: line", "a\u2029b", "\u0085next", "\u009b31m", "back\bspace",
]  # fmt: skip


@pytest.mark.usefixtures("neighbours")
@pytest.mark.parametrize("evil", EVIL, ids=ascii)
def test_nobody_forges_a_line_or_a_terminal_escape(text, connect, name, evil):
    leia, luke = text().join(f"{name}1"), text().join(f"{name}2")
    leia.line()

    def clean(line):
        assert not any(unicodedata.category(letter) in ("Cc", "Zl", "Zp") or letter in BIDIRECTIONAL for letter in line), repr(line)
        return line

    luke.say(f"msg:{evil}")
    assert clean(leia.line()).startswith(f"{name}2: ")
    luke.say(f"{evil}")
    assert clean(leia.line()).startswith(f"{name}2: ")
    # a colon would have the name refused
    luke.say(f"iam:{evil.replace(':', '')}{name}3")
    assert clean(leia.line()).endswith(f"{name}3 has joined")
    json_person = connect(f"{evil}{name}4")
    json_person.publish("lobby", f"{evil} from JSON")
    assert clean(leia.line()).endswith("from JSON")


def test_json_people_and_text_people_hear_each_other(text, connect, name):
    luke = connect(f"{name}1")
    luke.subscribe("lobby")
    han = text().join(f"{name}2")
    han.say("msg:hello")
    han.say("just typing")
    for said in ("hello", "just typing"):
        heard = luke.expect("publish", room="lobby", message=said)
        data = heard["sender"]["clientData"]
        assert data["name"] == f"{name}2" and isinstance(data["color"], str)
        assert heard["client_id"] == heard["sender"]["id"]
    assert [han.line()] == [f"{name}2: hello"]
    luke.publish("lobby", "a string")
    luke.publish("lobby", "typing…", ephemeral=True)
    luke.send_valid_line('{"type":"publish","room":"lobby","message":{"a": [1.0, "x"]},"callback":1}')
    luke.reply(1)
    assert han.line() == f"{name}1: a string"
    sender, shown = han.line().split(": ", 1)
    assert sender == f"{name}1" and json.loads(shown) == {"a": [1.0, "x"]} and "1.0" in shown
    luke.publish("lobby", "fence")
    assert han.line() == f"{name}1: fence"


def test_escapes_of_json_strings_are_text_to_text_people(text, connect, name):
    han = text().join(name)
    luke = connect("Luke")
    luke.send_valid_line('{"type":"publish","room":"lobby","message":"\\u0041 \\"quoted\\" \\ud83d\\ude00 \\n \\t.","callback":1}')
    luke.reply(1)
    line = han.line()
    assert line.startswith('Luke: A "quoted" 😀') and line.endswith(".")


def test_text_people_are_members(start, name):
    broker = start("--text-room", "observable-pub")
    with Client(broker, "Luke") as luke:
        luke.subscribe("observable-pub")
        luke.expect("observable_members")
        with TextClient(broker) as han:
            han.join(name)
            told = []
            while not told or told[-1]["data"].get("clientData", {}).get("name") != name:
                told.append(luke.next())
            assert told[0]["type"] == "observable_member_join"
            assert {frame["data"]["id"] for frame in told} == {told[0]["data"]["id"]}
            assert set(told[-1]["data"]["clientData"]) == {"name", "color"}
            han.say(f"iam:{name}2")
            han.line()
            renamed = luke.expect("observable_member_update")
            assert renamed["data"]["clientData"]["name"] == f"{name}2"
        left = luke.expect("observable_member_leave")
        assert left["data"] == renamed["data"]


def test_text_can_be_off(start):
    broker = start("--text-room", "off")
    with TextClient(broker) as han:
        han.say("iam:Han")
        han.read_to_end()
    with Client(broker, "Luke") as luke:
        luke.ask({"type": "ping"})


def test_a_text_channel_that_is_not_there_is_named(start):
    broker = start("--channel", "talk")
    with TextClient(broker) as luke:
        luke.say("iam:Luke")
        told = luke.line()
        assert 'there is no channel "default"' in told and "--text-channel" in told, told
