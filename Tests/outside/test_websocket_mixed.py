"""Rooms with members of all wire formats: whatever happens, all see the same messages in the same order."""

import random
import uuid

import pytest

from client import Client, TextClient
from rest import Rest, basic, secret
from tokens import token
from websocket_client import WebSocketClient

COUNT = 60
"""Messages of one publisher."""
LARGE = "x" * 50_000


@pytest.fixture
def mixed(start):
    """A broker whose text room is one with tokens for moderators, so that everything can happen in it."""
    return start("--channel", "default,history=1000", "--channel", "ajar,auth=optional,history=1000", "--channel", "fleeting,history=off",
                 "--text-room", "lobby", "--text-channel", "ajar", "--loops", "3")  # fmt: skip


def as_text(frames):
    """Messages as a text client gets them."""
    return [f"{frame['sender']['clientData']['name']}: {frame['message']}" for frame in frames]


def publish_all(publishers, room, seed):
    """Each publishes its messages, in a random order of turns, without waiting for replies; which, in which order each."""
    source = random.Random(seed)
    turns = [publisher for publisher in publishers for _ in range(COUNT)]
    source.shuffle(turns)
    numbers = dict.fromkeys(publishers, 0)
    waiting = []
    for publisher in turns:
        message = f"{numbers[publisher]}." + "y" * source.choice([0, 5, 200, 3000])
        numbers[publisher] += 1
        if isinstance(publisher, TextClient):
            publisher.say(f"msg:{message}")
        else:
            waiting.append((publisher, publisher.post({"type": "publish", "room": room, "message": message})))
    for publisher, callback in waiting:
        assert "error" not in publisher.reply(callback)


def test_members_of_all_kinds_see_one_order(mixed):
    with (
        Client(mixed, "Lines", channel="ajar") as lines,
        WebSocketClient(mixed, "Socket", channel="ajar") as socket,
        WebSocketClient(mixed, "Binary", channel="ajar", binary=True) as binary,
        TextClient(mixed) as text,
        TextClient(mixed) as listener,
    ):
        text.join("Text")
        listener.join("Listener")
        members = (lines, socket, binary)
        for member in members:
            member.subscribe("lobby")
        while text.line() != "Listener has joined":
            pass
        publishers = (*members, text)
        publish_all(publishers, "lobby", seed=1)
        total = COUNT * len(publishers)
        orders = [member.messages(total, "lobby") for member in members]
        assert [[frame["id"] for frame in order] for order in orders] == [[frame["id"] for frame in orders[0]]] * 3
        # The frames themselves are the same bytes, in lines and in WebSocket messages.
        assert [lines.raw[frame["id"]] for frame in orders[0]] == [socket.raw[frame["id"]] for frame in orders[1]]
        assert [listener.line() for _ in range(total)] == as_text(orders[0])
        for publisher in members:
            own = [frame["message"].split(".")[0] for frame in orders[0] if frame["sender"]["id"] == publisher.id]
            assert own == [str(number) for number in range(COUNT)]
        history = WebSocketClient(mixed, channel="ajar")
        answer = history.ask({"type": "history", "room": "lobby", "limit": 1000})["messages"]
        assert [frame["id"] for frame in answer] == [frame["id"] for frame in orders[0]]
        history.leave()
        for member in (socket, binary):
            member.leave()


def test_presence_and_messages_are_one_order(broker, connect, observable):
    """Joins and leaves of each kind come between the same messages for all."""
    watchers = [connect("Lines"), WebSocketClient(broker, "Socket")]
    for watcher in watchers:
        watcher.subscribe(observable)
    kinds = [Client, WebSocketClient] * 10
    for number, kind in enumerate(kinds):
        guest = kind(broker, f"Guest {number}")
        guest.subscribe(observable)
        guest.publish(observable, f"hello from {number}")
        guest.reset() if number % 3 else guest.close()
        guest.check_no_holes()

    def told(watcher):
        order = []
        while sum(kind == "observable_member_leave" for kind, _ in order) < len(kinds):
            frame = watcher.next()
            order.append((frame["type"], frame["id"]))
        return order

    # The second one saw itself join; the first one was told.
    first, second = told(watchers[0]), told(watchers[1])
    assert first[0][0] == second[0][0] == "observable_members" and first[1][0] == "observable_member_join"
    assert first[2:] == second[1:]
    watchers[1].leave()


def test_a_member_that_lags_catches_up_in_the_same_order(broker, connect, room):
    """Behind the memory window it is served from the store, whose lines become WebSocket messages."""
    slow = WebSocketClient(broker, "Slow", receive_buffer=4096)
    lines, quick = connect("Lines"), WebSocketClient(broker, "Quick")
    for client in (slow, lines, quick):
        client.subscribe(room)
    for number in range(120):
        speaker = (lines, quick)[number % 2]
        speaker.publish(room, f"{number} {LARGE}")
        for listener in (lines, quick):
            listener.expect("publish", room=room)
    order = [int(frame["message"].split()[0]) for frame in slow.messages(120, room)]
    assert order == list(range(120))
    quick.publish(room, "live again")
    slow.expect("publish", message="live again")
    for client in (slow, quick):
        client.leave()


@pytest.mark.parametrize("channel", ["default", "fleeting"])
def test_a_member_comes_back_over_another_wire(broker, channel, room):
    """Positions and sessions do not depend on the wire format: from TCP to WebSocket and back."""
    with Client(broker, "Talker", channel=channel) as talker:
        talker.subscribe(room)
        first = Client(broker, "Wanderer", channel=channel, resumable=True)
        position = {"epoch": first.subscribe(room)["epoch"], "seq": 0}
        session, kinds = first, [WebSocketClient, Client, WebSocketClient]
        for round, kind in enumerate(kinds):
            session.reset()
            missed = [talker.publish(room, f"missed {round} {number}") for number in range(5)]
            session = kind(broker, "Wanderer", channel=channel, resumable=True, resume=session.welcome["resume_token"])
            assert session.welcome["resumed"] is True and session.id == first.id
            assert session.subscribe(room, since=position)["recovered"] is True
            assert [frame["id"] for frame in session.messages(5, room)] == [reply["id"] for reply in missed]
            position["seq"] = missed[-1]["seq"]
        session.leave()
        talker.messages(15)


def test_messages_by_rest_are_in_the_same_order(broker, connect, room):
    lines, socket = connect("Lines"), WebSocketClient(broker, "Socket")
    for client in (lines, socket):
        client.subscribe(room)
    key = basic("default", secret(broker, "default"))
    with Rest(broker) as web:
        for number in range(20):
            web.publish("default", room, f'"web {number}"', Authorization=key, Content_Type="application/json")
            socket.publish(room, f"socket {number}")
    orders = [[(frame["id"], frame["message"]) for frame in client.messages(40, room)] for client in (lines, socket)]
    assert orders[0] == orders[1] and [message for _, message in orders[0][::2]] == [f"web {number}" for number in range(20)]
    socket.leave()


MODERATOR = {".*": {"publish": True, "subscribe": True, "history": 100, "moderate": True}}


def test_what_is_redacted_is_redacted_for_all(broker, room):
    mod = WebSocketClient(broker, "Mod", channel="ajar", token=token(broker, "ajar", permissions=MODERATOR))
    with Client(broker, "Lines", channel="ajar") as lines, WebSocketClient(broker, "Socket", channel="ajar") as socket:
        members = (mod, lines, socket)
        epoch = [member.subscribe(room)["epoch"] for member in members][0]
        for number in range(3):
            socket.publish(room, f"the secret {number}")
        mod.ask({"type": "moderate", "room": room, "action": "redact", "target_seq": 2, "reason": "spam"})
        for member in members:
            member.messages(3)
            member.expect("message_redacted", target_seq=2)
        # What comes later is a tombstone, over each wire, from history and by recovery.
        for kind in (Client, WebSocketClient):
            with kind(broker, channel="ajar") as late:
                late.subscribe(room, history_count=3)
                told = [late.expect("history_message")["message"] for _ in range(3)]
                assert told == ["the secret 0", None, "the secret 2"]
            with kind(broker, channel="ajar") as late:
                late.subscribe(room, since={"epoch": epoch, "seq": 0})
                assert [late.expect("publish")["message"] for _ in range(3)] == told
                late.expect("message_redacted", target_seq=2)
        mod.ask({"type": "moderate", "room": room, "action": "clear"})
        socket.publish(room, "anew")
        for member in members:
            member.expect("room_cleared")
            member.expect("publish", message="anew", seq=1)
        for member in (mod, socket):
            member.leave()


def test_ephemeral_messages_and_those_without_echo(broker, connect, room):
    lines, socket, other = connect("Lines"), WebSocketClient(broker, "Socket"), WebSocketClient(broker, "Other")
    for client in (lines, socket, other):
        client.subscribe(room)
    for number in range(10):
        socket.publish(room, f"kept {number}")
        socket.publish(room, f"passing {number}", ephemeral=True)
        socket.publish(room, f"unechoed {number}", echo=False)
    orders = [[frame["message"] for frame in client.messages(30, room)] for client in (lines, other)]
    assert orders[0] == orders[1]
    assert [frame["message"] for frame in socket.messages(20, room)] == [message for message in orders[0] if "unechoed" not in message]
    for client in (socket, other):
        client.leave()


def test_chunks_of_every_size(broker, connect):
    """Many members of both formats on several loops, bursts of many sizes: each frame is whole and in its place."""
    room = f"room-{uuid.uuid4()}"
    talker, lines = connect("Talker"), connect("Lines")
    sockets = [WebSocketClient(broker, f"Socket {number}", binary=number % 2 == 0) for number in range(12)]
    members = [lines, *sockets]
    for member in members:
        member.subscribe(room)
    source = random.Random(2)
    sent = []
    for _ in range(6):
        burst = [source.choice("abcdef") * source.choice([0, 1, 30, 125, 126, 400, 4000, 60_000]) for _ in range(20)]
        for callback in [talker.post({"type": "publish", "room": room, "message": message}) for message in burst]:
            assert "error" not in talker.reply(callback)
        sent += burst
    for member in members:
        assert [frame["message"] for frame in member.messages(len(sent), room)] == sent
    for socket in sockets:
        socket.leave()
        socket.check_no_holes()
