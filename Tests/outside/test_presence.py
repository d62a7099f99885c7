"""Who is in a room, and what the others are told."""

import uuid

from client import Client


def enter(client, room, **fields):
    """Subscribes and gives back the members that were told."""
    client.subscribe(room, **fields)
    return client.expect("observable_members", room=room)["data"]


def test_the_joiner_gets_the_members_and_the_others_its_join(connect, observable):
    ann, bob = connect("Ann"), connect("Bob")
    assert enter(ann, observable) == [ann.member]
    assert enter(bob, observable) == [bob.member, ann.member]
    joined = ann.expect("observable_member_join", room=observable, data=bob.member)
    assert joined["sender"] == bob.member
    assert ann.room_fence(observable) == []
    assert [frame["type"] for frame in bob.room_fence(observable)] == ["publish"]


def test_a_member_without_data_has_no_key_for_it(connect, observable):
    ann, nobody = connect("Ann"), connect()
    enter(ann, observable)
    assert enter(nobody, observable) == [{"id": nobody.id}, ann.member]
    ann.expect("observable_member_join", data={"id": nobody.id})


def test_a_leave_carries_the_whole_member_however_it_left(broker, connect, observable):
    ann = connect("Ann")
    enter(ann, observable)
    endings = {
        "unsubscribe": lambda client: client.ask({"type": "unsubscribe", "room": observable}),
        "close": Client.close,
        "half-close": Client.half_close,
        "reset": Client.reset,
    }
    for how, end in endings.items():
        client = connect(how)
        enter(client, observable)
        ann.expect("observable_member_join", data=client.member)
        end(client)
        left = ann.expect("observable_member_leave", room=observable, data=client.member)
        assert left["sender"] == client.member
    assert ann.ask({"type": "members", "room": observable})["members"] == [ann.member]


def test_the_one_who_leaves_gets_nothing_more(connect, observable):
    ann, bob = connect("Ann"), connect("Bob")
    enter(ann, observable)
    enter(bob, observable)
    ann.ask({"type": "unsubscribe", "room": observable})
    ann.inbox.clear()
    bob.publish(observable, "is she gone?")
    # another connection's message may reach the room before her leave does
    frames = {frame["type"]: frame for frame in (bob.next(), bob.next())}
    assert frames["observable_member_leave"]["data"] == ann.member
    assert frames["publish"]["message"] == "is she gone?"
    assert ann.fence() == []


def test_a_member_is_announced_before_its_first_message(connect, observable):
    ann = connect("Ann")
    enter(ann, observable)
    for number in range(20):
        bob = connect(f"Bob {number}")
        bob.post({"type": "subscribe", "room": observable})
        bob.post({"type": "publish", "room": observable, "message": number})
        ann.expect("observable_member_join", data=bob.member)
        ann.expect("publish", message=number, client_id=bob.id)


def test_a_room_of_another_name_shows_its_members_to_those_who_ask(connect, room):
    ann, bob, eve = connect("Ann"), connect("Bob"), connect("Eve")
    assert "presence" not in bob.subscribe(room)
    assert enter(ann, room, presence=True) == [ann.member, bob.member]
    assert eve.subscribe(room, presence=False)["presence"] is False
    ann.expect("observable_member_join", data=eve.member)
    eve.ask({"type": "update", "client_data": {"name": "Eva"}})
    ann.expect("observable_member_update", data={"id": eve.id, "clientData": {"name": "Eva"}})
    eve.ask({"type": "unsubscribe", "room": room})
    ann.expect("observable_member_leave")
    assert bob.ask({"type": "members", "room": room})["members"] == [ann.member, bob.member]
    assert bob.room_fence(room) == []
    # asked later
    assert bob.subscribe(room, presence=True)["presence"] is True
    assert bob.expect("observable_members")["data"] == [ann.member, bob.member]


def test_a_channel_may_show_fewer_rooms(administered, admin, room):
    channel = f"few-{uuid.uuid4().hex[:8]}"
    admin.done("POST", "/channels", {"id": channel, "presence": "prefix"})
    with Client(administered, "Ann", channel=channel) as ann:
        assert ann.subscribe(room, presence=True)["presence"] is False
        assert ann.subscribe(f"observable-{room}", presence=True)["presence"] is True
        ann.expect("observable_members")
        rooms = ann.ask({"type": "subscribe", "rooms": [room, f"observable-{room}"], "presence": True})["rooms"]
        assert [place["presence"] for place in rooms] == [False, True]
        ann.expect("observable_members")
        ann.refused({"type": "members", "room": room}, "not_observable")
        # the channel shows them now
        admin.done("PATCH", f"/channels/{channel}", {"presence": "ask"})
        assert ann.expect("observable_members", room=room)["data"] == [ann.member]


def test_member_data_changes_for_everyone(connect, observable, room):
    ann, bob = connect("Ann"), connect("Bob")
    enter(ann, observable)
    enter(bob, observable)
    ann.expect("observable_member_join")
    bob.subscribe(room)
    bob.ask({"type": "update", "client_data": {"name": "Robert", "mood": 1.5}})
    renamed = {"id": bob.id, "clientData": {"name": "Robert", "mood": 1.5}}
    for person in (ann, bob):
        event = person.expect("observable_member_update", room=observable, data=renamed)
        assert event["sender"] == renamed
    bob.publish(observable, "it is me")
    assert ann.expect("publish")["sender"] == renamed
    assert ann.ask({"type": "members", "room": observable})["members"] == [renamed, ann.member]


def test_members_are_told_to_somebody_outside(connect, observable):
    ann, bob = connect("Ann"), connect("Bob")
    enter(ann, observable)
    reply = bob.ask({"type": "members", "room": observable})
    assert reply["members"] == [ann.member] and reply["count"] == 1 and "truncated" not in reply
    empty = bob.ask({"type": "members", "room": observable + "-empty"})
    assert empty["members"] == [] and empty["count"] == 0


def test_above_the_limit_there_is_a_count(start, observable):
    broker = start("--max-members-listed", "3")
    people = []
    for number in range(5):
        person = Client(broker, f"P{number}")
        people.append(person)
        person.subscribe(observable)
        told = person.expect("observable_members")
        if number < 3:
            assert len(told["data"]) == number + 1 and "truncated" not in told
        else:
            assert told["data"] == [] and told["count"] == number + 1 and told["truncated"] is True
    reply = people[0].ask({"type": "members", "room": observable})
    assert reply["members"] == [] and reply["count"] == 5 and reply["truncated"] is True
    for person in people:
        person.close()
