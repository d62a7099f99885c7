"""What was said before: history, queries, recovery by position, gaps."""

import pytest

UNKNOWN = "0123456789abcdef"


def fill(client, room, count, body=lambda number: number):
    """Publishes `count` messages and waits for their acknowledgements."""
    callbacks = [client.post({"type": "publish", "room": room, "message": body(number)}) for number in range(1, count + 1)]
    replies = [client.reply(callback) for callback in callbacks]
    assert [reply.get("seq") for reply in replies] == list(range(replies[0]["seq"], replies[0]["seq"] + count)), replies[0]
    return replies


def bodies(frames):
    return [frame["message"] for frame in frames]


def test_history_comes_after_the_reply_oldest_first(connect, room):
    ann, bob = connect("Ann"), connect("Bob")
    stamps = fill(ann, room, 7)
    reply = bob.subscribe(room, history_count=3)
    assert reply["seq"] == 7
    told = [bob.expect("history_message", room=room) for _ in range(3)]
    assert [(frame["index"], frame["message"], frame["seq"]) for frame in told] == [(0, 5, 5), (1, 6, 6), (2, 7, 7)]
    for frame, stamp in zip(told, stamps[4:], strict=True):
        assert (frame["id"], frame["timestamp"], frame["sender"]) == (stamp["id"], stamp["timestamp"], ann.member)
        assert frame["client_id"] == ann.id
    ann.publish(room, "live")
    bob.expect("publish", message="live", seq=8)


@pytest.mark.parametrize(
    "fields, count",
    [({}, 0), ({"history_count": 0}, 0), ({"history": 2}, 2), ({"history_count": 3, "history": 3}, 3), ({"history_count": 99}, 5),
     ({"history_count": None}, 0)],
)  # fmt: skip
def test_how_much_history(connect, room, fields, count):
    ann, bob = connect("Ann"), connect("Bob")
    fill(ann, room, 5)
    bob.subscribe(room, **fields)
    assert [frame["type"] for frame in bob.room_fence(room)] == ["history_message"] * count


def test_history_in_an_observable_room_follows_the_members(connect, observable):
    ann, bob = connect("Ann"), connect("Bob")
    fill(ann, observable, 2)
    bob.subscribe(observable, history_count=2)
    assert [bob.next()["type"] for _ in range(3)] == ["observable_members", "history_message", "history_message"]


def test_queries_page_through_the_history(connect, room):
    ann = connect("Ann")
    fill(ann, room, 25)

    def query(**fields):
        reply = ann.ask({"type": "history", "room": room, **fields})
        return [frame["seq"] for frame in reply["messages"]], reply["more"]

    assert query(limit=5) == ([21, 22, 23, 24, 25], True)
    assert query(before_seq=21, limit=5) == ([16, 17, 18, 19, 20], True)
    assert query(before_seq=4, limit=5) == ([1, 2, 3], False)
    assert query(after_seq=0, limit=5) == ([1, 2, 3, 4, 5], True)
    assert query(after_seq=22, limit=5) == ([23, 24, 25], False)
    assert query(after_seq=25) == ([], False)
    assert query(before_seq=1) == ([], False)
    assert query() == (list(range(1, 26)), False)
    assert query(limit=10**9) == (list(range(1, 26)), False)


def test_a_query_is_the_frames_as_they_were(connect, room):
    ann = connect("Ann")
    ann.subscribe(room)
    ann.publish(room, {"a": 1})
    live = ann.expect("publish")
    assert ann.ask({"type": "history", "room": room})["messages"] == [live]


def test_a_query_sees_what_this_connection_published_before(connect, room):
    ann = connect("Ann")
    for number in range(1, 21):
        ann.send({"type": "publish", "room": room, "message": number})
        query = ann.post({"type": "history", "room": room, "limit": 1})
        assert bodies(ann.reply(query)["messages"]) == [number]


def test_large_messages_come_in_several_answers(connect, room):
    ann = connect("Ann")
    fill(ann, room, 12, body=lambda number: f"{number} " + "x" * 50_000)
    seen, after, answers = [], 0, 0
    while True:
        reply = ann.ask({"type": "history", "room": room, "after_seq": after})
        seen += [frame["seq"] for frame in reply["messages"]]
        after, answers = seen[-1], answers + 1
        if not reply["more"]:
            break
    assert seen == list(range(1, 13)) and answers > 1


def test_rooms_and_their_positions(connect, room):
    ann = connect("Ann")
    reply = ann.subscribe(room)
    assert reply["seq"] == 0
    fill(ann, room, 3)
    assert ann.ask({"type": "rooms"})["rooms"] == [{"room": room, "epoch": reply["epoch"], "seq": 3}]


def test_a_channel_without_history_has_none(connect, room):
    ann, bob = connect("Ann", channel="fleeting"), connect("Bob", channel="fleeting")
    ann.subscribe(room)
    fill(ann, room, 3)
    bob.subscribe(room, history_count=10)
    assert bob.room_fence(room) == []
    ann.refused({"type": "history", "room": room}, "history_off")


@pytest.mark.parametrize("channel", ["default", "fleeting"])
def test_coming_back_gets_exactly_what_was_missed(connect, room, channel):
    ann, bob = connect("Ann", channel=channel), connect("Bob", channel=channel)
    ann.subscribe(room)
    position = bob.subscribe(room)
    fill(ann, room, 5)
    bob.messages(5)
    bob.close()
    fill(ann, room, 5, body=lambda number: {"n": number, "raw": 1.0})
    live = ann.messages(10)
    back = connect("Bob", channel=channel)
    reply = back.subscribe(room, since={"epoch": position["epoch"], "seq": 5}, history_count=100)
    assert (reply["recovered"], reply["seq"], reply["epoch"]) == (True, 10, position["epoch"])
    missed = back.messages(5)
    assert missed == live[5:]
    assert [back.raw[frame["id"]] for frame in missed] == [ann.raw[frame["id"]] for frame in live[5:]]
    ann.publish(room, "live")
    back.expect("publish", message="live", seq=11)


def test_nothing_missed_is_recovered_too(connect, room):
    ann = connect("Ann")
    fill(ann, room, 3)
    bob = connect("Bob")
    position = bob.subscribe(room)
    bob.ask({"type": "unsubscribe", "room": room})
    assert bob.subscribe(room, since={"epoch": position["epoch"], "seq": 3})["recovered"] is True
    assert bob.room_fence(room) == []


def test_recovery_beyond_the_memory_window_comes_from_the_store(connect, room):
    ann, bob = connect("Ann"), connect("Bob")
    epoch = bob.subscribe(room)["epoch"]
    bob.close()
    fill(ann, room, 40, body=lambda number: f"{number} " + "x" * 20_000)
    back = connect("Bob")
    assert back.subscribe(room, since={"epoch": epoch, "seq": 0})["recovered"] is True
    assert [frame["seq"] for frame in back.messages(40)] == list(range(1, 41))
    ann.publish(room, "live")
    back.expect("publish", message="live", seq=41)


def test_recovery_while_others_publish_has_no_hole_and_no_repeat(connect, room):
    ann, bob = connect("Ann"), connect("Bob")
    epoch = bob.subscribe(room)["epoch"]
    fill(ann, room, 300)
    for callback in [ann.post({"type": "publish", "room": room, "message": number}) for number in range(300)]:
        if callback % 50 == 0:
            back = connect("Bob")
            back.subscribe(room, since={"epoch": epoch, "seq": 10})
            back.expect("publish", seq=11)
            assert back.room_fence(room)[-1]["seq"] >= 300
        ann.reply(callback)


def test_what_the_history_no_longer_keeps_is_a_gap(connect, room):
    ann, bob = connect("Ann", channel="short"), connect("Bob", channel="short")
    epoch = bob.subscribe(room)["epoch"]
    bob.close()
    fill(ann, room, 30, body=lambda number: f"{number} " + "x" * 30_000)
    back = connect("Bob", channel="short")
    reply = back.subscribe(room, since={"epoch": epoch, "seq": 5})
    assert reply["recovered"] is False and reply["seq"] == 30
    gap = back.expect("gap", room=room, epoch=epoch, reason="trimmed", from_seq=6)
    rest = back.messages(30 - gap["to_seq"])
    assert rest[0]["seq"] == gap["to_seq"] + 1 and rest[-1]["seq"] == 30
    assert len(rest) >= 10


def test_a_room_without_history_and_members_keeps_nothing(connect, room):
    ann = connect("Ann", channel="fleeting")
    position = ann.subscribe(room)
    fill(ann, room, 3)
    ann.messages(3)
    ann.ask({"type": "unsubscribe", "room": room})
    fill(ann, room, 2)
    reply = ann.subscribe(room, since={"epoch": position["epoch"], "seq": 3})
    assert reply["recovered"] is False and reply["seq"] == 5
    ann.expect("gap", from_seq=4, to_seq=5, reason="trimmed")
    assert ann.room_fence(room) == []


@pytest.mark.parametrize("seq, known", [(3, False), (0, False), (99, True)])
def test_a_position_of_another_log_is_a_gap_and_nothing_more(connect, room, seq, known):
    ann, bob = connect("Ann"), connect("Bob")
    fill(ann, room, 5)
    epoch = ann.subscribe(room)["epoch"]
    reply = bob.subscribe(room, since={"epoch": epoch if known else UNKNOWN, "seq": seq})
    assert reply["recovered"] is False and reply["epoch"] == epoch and reply["seq"] == 5
    bob.expect("gap", epoch=epoch, reason="epoch")
    assert bob.room_fence(room) == []


def test_presence_is_not_replayed(connect, observable):
    ann, bob = connect("Ann"), connect("Bob")
    epoch = ann.subscribe(observable)["epoch"]
    ann.expect("observable_members")
    bob.subscribe(observable)
    ann.expect("observable_member_join")
    ann.ask({"type": "unsubscribe", "room": observable})
    bob.publish(observable, "missed")
    connect("Cid").subscribe(observable)
    ann.subscribe(observable, since={"epoch": epoch, "seq": 0})
    assert len(ann.expect("observable_members")["data"]) == 3
    ann.expect("publish", message="missed")
    assert ann.room_fence(observable) == []
