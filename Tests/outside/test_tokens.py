"""Tokens that PyJWT makes, shown to the built broker."""

import sqlite3
import time

import jwt
import pytest

from client import Client

# That HS512 would want a longer key is not what is tried here.
pytestmark = pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")

EVERYTHING = {".*": {"publish": True, "subscribe": True, "history": 100}}


@pytest.fixture
def guarded(start):
    """A broker whose channel `guarded` lets nobody in without a token."""
    return start("--channel", "guarded,auth=required,history=100")


@pytest.fixture
def mint(guarded, tmp_path):
    """Makes tokens as an app's backend does: with the channel's secret, as its owner finds it."""
    with sqlite3.connect(tmp_path / "data" / "control.sqlite") as database:
        (secret,) = database.execute("SELECT text FROM channel_secret WHERE channel = 'guarded'").fetchone()

    def mint(permissions=EVERYTHING, *, key=secret, algorithm="HS256", **claims):
        claims = {"channel": "guarded", "exp": time.time() + 300, "permissions": permissions, **claims}
        return jwt.encode(claims, key, algorithm=algorithm)

    return mint


def connect(broker, **fields):
    return Client(broker, channel="guarded", **fields)


def authenticate(client, token):
    return client.request({"type": "authenticate", "token": token})


def test_a_token_lets_a_member_do_what_it_says_and_no_more(guarded, mint):
    token = mint({".*": {"subscribe": True}, "^open-\\d+$": {"publish": True}, "^open-7$": {"publish": False}})
    with connect(guarded, token=token) as client:
        client.subscribe("open-1")
        client.publish("open-1", "hello")
        assert client.expect("publish")["message"] == "hello"
        client.refused({"type": "publish", "room": "open-7", "message": 1}, "permission_denied")
        client.refused({"type": "publish", "room": "closed", "message": 1}, "permission_denied")


def test_a_stock_client_authenticates_with_its_id(guarded, mint):
    with connect(guarded) as client:
        assert client.welcome["require_auth"] is True
        refused = client.request({"type": "subscribe", "room": "a"})
        assert refused["error"] == "Unauthorized"
        assert "error" not in authenticate(client, mint(client=client.id))
        client.subscribe("a")


def test_who_shows_no_token_in_time_has_to_go(start):
    broker = start("--channel", "guarded,auth=required", "--token-timeout", "1s")
    with connect(broker) as client:
        _, goodbye = client.goodbye("handshake_timeout")
        assert goodbye["reconnect"] is True


def test_data_passes_byte_for_byte(guarded, mint):
    with connect(guarded, token=mint(data={"name": "Ännchen", "n": 1.50})) as client:
        client.subscribe("observable-a")
        (member,) = client.expect("observable_members")["data"]
        assert member["authData"] == {"name": "Ännchen", "n": 1.5}


def test_what_is_no_token_is_told_so_in_scaledrones_words(guarded):
    with connect(guarded) as client:
        assert authenticate(client, "nonsense")["error"] == "JWT does not have 3 parts"


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("token_invalid", {"key": "guessed" * 8}),
        ("token_invalid", {"key": None, "algorithm": "none"}),
        ("token_invalid", {"algorithm": "HS512"}),
        ("token_invalid", {"channel": "default"}),
        ("token_invalid", {"client": "somebody-else"}),
        ("token_invalid", {"nbf": 4e9}),
        ("token_invalid", {"data": "x" * 3000}),
        ("token_expired", {"exp": 1}),
        ("token_expired", {"exp": 1_400_000_000_000}),
    ],
)
def test_other_tokens_let_nobody_in(guarded, mint, code, change):
    token = mint(**change)
    with connect(guarded) as client:
        reply = authenticate(client, token)
        assert reply["code"] == code
        assert not any(part and part in reply["error"] for part in token.split("."))


def test_milliseconds_are_taken(guarded, mint):
    with connect(guarded, token=mint(exp=int((time.time() + 300) * 1000))) as client:
        client.subscribe("a")


def test_a_slow_pattern_costs_its_holder_the_room_and_others_nothing(guarded, mint):
    name = "a" * 199 + "!"
    with connect(guarded, token=mint({"(a+)+$": {"publish": True}, "^(a|aa)+$": {"publish": True}})) as client:
        began = guarded.processor_seconds()
        client.refused({"type": "publish", "room": name, "message": 1}, "permission_denied")
        assert guarded.processor_seconds() - began < 2
    with connect(guarded, token=mint({".*": {"publish": True}, "(a|aa)+$": {"publish": False}})) as client:
        client.refused({"type": "publish", "room": name, "message": 1}, "permission_denied")
