"""Sessions that outlive their connection, heartbeats."""

import re

from client import Client


def enter(client, room):
    client.subscribe(room)
    return client.expect("observable_members", room=room)["data"]


def test_a_resume_within_the_grace_period_is_not_noticed(broker, connect, observable):
    ann, bob = connect("Ann"), connect("Bob", resumable=True)
    enter(ann, observable)
    enter(bob, observable)
    ann.expect("observable_member_join")
    bob.reset()
    back = connect("Bob", resumable=True, resume=bob.welcome["resume_token"])
    assert back.welcome["resumed"] is True and back.id == bob.id
    assert back.welcome["resume_token"] != bob.welcome["resume_token"]
    assert enter(back, observable) == [back.member, ann.member]
    assert ann.room_fence(observable) == []
    back.publish(observable, "did you miss me?")
    ann.expect("publish", client_id=bob.id)
    back.close()
    again = connect("Bob", resumable=True, resume=back.welcome["resume_token"])
    assert again.welcome["resumed"] is True and again.id == bob.id


def test_a_resume_takes_over_from_a_connection_that_looks_alive(connect, observable):
    ann, bob = connect("Ann"), connect("Bob", resumable=True)
    enter(ann, observable)
    enter(bob, observable)
    ann.expect("observable_member_join")
    usurper = connect("Bob", resumable=True, resume=bob.welcome["resume_token"])
    assert usurper.welcome["resumed"] is True and usurper.id == bob.id
    _, goodbye = bob.goodbye("replaced")
    assert goodbye["reconnect"] is False
    assert enter(usurper, observable) == [usurper.member, ann.member]
    assert ann.room_fence(observable) == []


def test_a_token_is_used_once(connect):
    ann = connect("Ann", resumable=True)
    token = ann.welcome["resume_token"]
    ann.close()
    first = connect("Ann", resumable=True, resume=token)
    assert first.welcome["resumed"] is True
    second = connect("Ann", resumable=True, resume=token)
    assert second.welcome["resumed"] is False and second.id != ann.id
    assert first.fence() == []


def test_a_wrong_token_is_a_new_session(connect):
    ann = connect("Ann", resume="no such token")
    assert ann.welcome["resumed"] is False and "resume_token" not in ann.welcome


def test_nobody_gets_a_token_without_asking(connect):
    assert "resume_token" not in connect("Ann").welcome and "resumed" not in connect("Ann").welcome


def test_after_the_grace_period_the_member_has_left(connect, observable):
    ann = connect("Ann", channel="quick")
    enter(ann, observable)
    bob = connect("Bob", channel="quick", resumable=True)
    enter(bob, observable)
    ann.expect("observable_member_join")
    bob.close()
    ann.expect("observable_member_leave", data=bob.member)
    late = connect("Bob", channel="quick", resumable=True, resume=bob.welcome["resume_token"])
    assert late.welcome["resumed"] is False and late.id != bob.id


def test_rooms_that_are_not_subscribed_again_are_left_after_it(connect, observable):
    ann = connect("Ann", channel="unhurried")
    other = observable + "-2"
    for room in (observable, other):
        enter(ann, room)
    bob = connect("Bob", channel="unhurried", resumable=True)
    for room in (observable, other):
        enter(bob, room)
        ann.expect("observable_member_join", room=room)
    bob.close()
    back = connect("Bob", channel="unhurried", resume=bob.welcome["resume_token"])
    assert back.welcome["resumed"] is True
    enter(back, other)
    ann.expect("observable_member_leave", room=observable, data=bob.member)
    assert ann.room_fence(other) == []


def test_resume_and_position_together_lose_nothing(connect, observable):
    ann, bob = connect("Ann"), connect("Bob", resumable=True)
    enter(ann, observable)
    position = bob.subscribe(observable)
    bob.reset()
    ann.publish(observable, "while you were out")
    back = connect("Bob", resume=bob.welcome["resume_token"])
    assert back.subscribe(observable, since={"epoch": position["epoch"], "seq": position["seq"]})["recovered"] is True
    back.expect("observable_members")
    back.expect("publish", message="while you were out")


def test_a_resume_keeps_the_data_or_changes_it(connect, observable):
    ann, bob = connect("Ann"), connect("Bob", resumable=True)
    enter(ann, observable)
    enter(bob, observable)
    ann.expect("observable_member_join")
    bob.close()
    renamed = connect("Robert", resume=bob.welcome["resume_token"])
    enter(renamed, observable)
    ann.expect("observable_member_update", data={"id": bob.id, "clientData": {"name": "Robert"}})


def test_pings_are_answered(connect):
    ann = connect("Ann")
    ann.send({"type": "ping"})
    ann.expect("pong")
    assert "type" not in ann.ask({"type": "ping"})
    ann.send({"type": "pong"})
    assert ann.fence() == []


def test_a_client_that_asks_for_it_is_pinged_and_stays(connect):
    ann = connect("Ann", heartbeat=1)
    for _ in range(2):
        ann.expect("ping")
        ann.send({"type": "pong"})
    ann.ask({"type": "ping"})


def test_a_client_that_does_not_answer_its_pings_is_let_go(connect, observable):
    watcher = connect("Watcher")
    enter(watcher, observable)
    ann = connect("Ann", heartbeat=1)
    enter(ann, observable)
    watcher.expect("observable_member_join")
    seen, goodbye = ann.goodbye("heartbeat_timeout")
    assert "ping" in [frame["type"] for frame in seen] and goodbye["reconnect"] is True
    watcher.expect("observable_member_leave", data=ann.member)


def test_who_was_let_go_may_resume(connect, observable):
    watcher = connect("Watcher")
    enter(watcher, observable)
    ann = connect("Ann", heartbeat=1, resumable=True)
    enter(ann, observable)
    watcher.expect("observable_member_join")
    ann.goodbye("heartbeat_timeout")
    back = connect("Ann", resume=ann.welcome["resume_token"])
    assert back.welcome["resumed"] is True and back.id == ann.id
    enter(back, observable)
    assert watcher.room_fence(observable) == []


def test_ids_look_like_ours_and_differ(broker):
    clients = [Client(broker, handshake=True) for _ in range(20)]
    assert len({client.id for client in clients}) == 20
    assert all(re.fullmatch("[0-9A-Za-z]{15}", client.id) for client in clients)
    for client in clients:
        client.close()
