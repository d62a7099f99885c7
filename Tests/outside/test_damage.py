"""Messages that are damaged in the history file: a gap wherever they are read, never a broken line, and the others as they were."""

import json
import re
import shutil

import pytest

from cli import Shell, noted
from client import Client
from rest import Rest
from seeds import choices
from test_backup import FREE, examine

ROOM = "observable-ledger"
COUNT = 400


@pytest.fixture
def damaged(start, tmp_path):
    """A broker whose room has COUNT messages, some of them damaged in the file: the broker, and the messages as they were."""
    choice = choices()
    broker = start("--channel", "default,history=100000")
    with Client(broker, "Ann") as ann:
        position = ann.subscribe(ROOM)
        ann.expect("observable_members")
        for number in range(0, COUNT, 20):
            callbacks = [ann.post({"type": "publish", "room": ROOM, "message": f"number {n:06d}"}) for n in range(number, number + 20)]
            for callback in callbacks:
                ann.reply(callback)
        messages = {frame["seq"]: frame for frame in ann.messages(COUNT)}
    broker.terminate()
    path = broker.data / "history.sqlite"
    data = bytearray(path.read_bytes())
    victims = sorted(choice.sample(range(COUNT), 5))
    for number in victims:
        # also in pages that the database does not use any more: it is not known which of them is read
        places = [found.start() for found in re.finditer(f"number {number:06d}".encode(), data)]
        assert places
        for offset in range(choice.randint(1, 12)):
            for place in places:
                data[place + offset] = choice.choice([0x00, 0x0A, 0x22, 0xFF, 0xC0, data[place + offset] ^ 1])
    path.write_bytes(data)
    broker = start("--channel", "default,history=100000", admin=tmp_path / "admin")
    return broker, {"epoch": position["epoch"], "seq": 0}, messages, {number + 1 for number in victims}


def covered(gaps):
    return {seq for gap in gaps for seq in range(gap["from_seq"], gap["to_seq"] + 1)}


def check(messages, found, lost, victims):
    """All is there as it was, or named; and nothing is named that is in another batch than a victim."""
    assert victims <= lost
    assert {frame["seq"]: frame for frame in found} == {seq: messages[seq] for seq in messages if seq not in lost}


def test_damaged_messages_are_a_gap_for_all_who_read_them(damaged):
    broker, since, messages, victims = damaged
    with Client(broker, "Ben") as ben:
        reply = ben.subscribe(ROOM, since=since)
        assert reply["epoch"] == since["epoch"]
        ben.expect("observable_members")
        found, gaps, next_seq = [], [], 1
        while next_seq <= COUNT:
            frame = ben.next()
            if frame["type"] == "gap":
                assert frame["reason"] == "lost" and frame["from_seq"] == next_seq, frame
                gaps.append(frame)
                next_seq = frame["to_seq"] + 1
            else:
                assert frame["type"] == "publish" and frame["seq"] == next_seq, frame
                found.append(frame)
                next_seq += 1
        check(messages, found, covered(gaps), victims)

        found, gaps, after = [], [], 0
        while True:
            page = ben.ask({"type": "history", "room": ROOM, "after_seq": after, "limit": 30})
            found += page["messages"]
            gaps += [page["gap"]] if "gap" in page else []
            after = max([after] + [frame["seq"] for frame in page["messages"]])
            if not page["more"]:
                break
        check(messages, found, covered(gaps), victims)

        found, gaps, before = [], [], COUNT + 1
        while True:
            page = ben.ask({"type": "history", "room": ROOM, "before_seq": before, "limit": 30})
            found += page["messages"]
            gaps += [page["gap"]] if "gap" in page else []
            before = min([before] + [frame["seq"] for frame in page["messages"]])
            if not page["more"]:
                break
        check(messages, found, covered(gaps), victims)
        assert ben.publish(ROOM, "next")["seq"] == COUNT + 1
    broker.wait_for_log(lambda record: "are damaged" in record["message"], "what is damaged")
    records = [record["metadata"] for record in broker.records() if "are damaged" in record["message"]]
    assert all(record["room"].endswith(ROOM) for record in records)
    assert not [record for record in broker.records() if record["level"] == "critical"]


def test_an_export_and_the_doctor_name_them(damaged, tmp_path):
    broker, _, messages, victims = damaged
    result = Shell(broker).run("history", "export", ROOM)
    lines = [json.loads(line) for line in result.stdout.decode().splitlines()]
    told = [line for line in noted(result) if "are damaged in the history file" in line]
    gaps = []
    for line in told:
        numbers = [int(word) for word in line.split() if word.isdigit()]
        gaps.append({"from_seq": numbers[0], "to_seq": numbers[1]})
    check(messages, lines, covered(gaps), victims)
    shown = Shell(broker).run("history", "show", ROOM, "--limit", str(COUNT))
    # the newest first, as they are read
    assert [line for line in noted(shown) if "are damaged in the history file" in line] == told[::-1]
    broker.terminate()
    (finding,) = examine("--data", str(broker.data), *FREE)["history"]
    assert finding["status"] == "problem" and ROOM in finding["text"]
    for gap in gaps:
        first, last = gap["from_seq"], gap["to_seq"]
        assert (f"message {first} of" if first == last else f"messages {first} to {last} of") in finding["text"]


def test_a_wal_that_was_cut_never_gives_a_seq_out_twice_in_an_epoch(start):
    """And what was not cut, or only behind what was acknowledged, keeps the epoch."""
    choice = choices()
    places, epochs = {}, set()
    for number in range(8):
        broker = start("--channel", "default,history=100000,durability=" + choice.choice(["process", "power"]))
        with Client(broker, "Ann") as ann:
            reply = ann.subscribe("cut")
            if number:
                assert (reply["epoch"] == epoch) == is_whole, f"round {number}"
            epoch = reply["epoch"]
            epochs.add(epoch)
            for n in range(choice.randint(2, 20)):
                text = f"{number} {n} " + "x" * choice.randint(0, 3_000)
                ack = ann.publish("cut", text)
                assert places.setdefault((epoch, ack["seq"]), text) == text
        broker.kill()
        wal = broker.data / "history.sqlite-wal"
        is_whole = choice.random() < 0.3
        if is_whole:
            with wal.open("ab") as file:
                # less than a page, which the next start writes
                file.write(choice.randbytes(choice.randint(1, 4_000)))
        else:
            length = wal.stat().st_size
            with wal.open("rb+") as file:
                file.truncate(choice.randrange(length))
    assert len(epochs) > 1


def incomplete(broker, words):
    """It says so loudly, and goes on saying it."""
    (said,) = [record["message"] for record in broker.records() if record["level"] == "critical"]
    assert words in said, said
    assert Rest(broker).get("/health").body["warnings"] == ["history_incomplete"]
    findings = examine("--data", str(broker.data), "--admin-socket", str(broker.admin_socket), *FREE)["history"]
    assert any(finding["status"] == "warning" and "newest messages" in finding["text"] for finding in findings), findings


@pytest.mark.parametrize("fault", ["copied", "absent", "damaged"])
def test_who_comes_back_is_told_where_the_end_of_the_wal_and_its_record_are_lost(start, tmp_path, fault):
    flags = ("--channel", "default,history=100000,durability=power")
    broker = start(*flags)
    with Client(broker, "Ann") as ann:
        ann.publish("ledger", "before")
    assert broker.terminate() == 0
    broker = start(*flags)
    with Client(broker, "Ann") as ann:
        epoch = ann.subscribe("ledger")["epoch"]
        for number in range(100):
            last = ann.publish("ledger", f"lost {number}")["seq"]
        if fault == "copied":
            # as somebody copies it who takes a database for one file
            copy = tmp_path / "copy"
            copy.mkdir(mode=0o700)
            for path in broker.data.glob("*.sqlite"):
                shutil.copy(path, copy)
    broker.kill()
    if fault != "copied":
        copy = broker.data
        with (copy / "history.sqlite-wal").open("rb+") as file:
            file.truncate(32)
        record = copy / "history.sqlite-commits"
        if fault == "absent":
            record.unlink()
        else:
            record.write_bytes(bytes(byte ^ 1 for byte in record.read_bytes()))
    (finding,) = examine("--data", str(copy), *FREE)["history"]
    assert finding["status"] == "warning" and "newest messages may be lost" in finding["text"], finding

    broker = start(*flags, data=copy, admin=tmp_path / "admin")
    with Client(broker, "Ben") as ben:
        reply = ben.subscribe("ledger", since={"epoch": epoch, "seq": last})
        assert reply["epoch"] != epoch and reply["recovered"] is False, reply
        assert ben.expect("gap")["reason"] == "epoch"
        assert ben.publish("ledger", "after")["seq"] == reply["seq"] + 1
        again = ben.subscribe("other")["epoch"]
    incomplete(broker, "is damaged" if fault == "damaged" else "is missing")
    assert broker.terminate() == 0
    broker = start(*flags, data=copy)
    with Client(broker, "Ben") as ben:
        assert ben.subscribe("ledger")["epoch"] == reply["epoch"]
        assert ben.subscribe("other")["epoch"] == again
    assert "history_incomplete" not in Rest(broker).get("/health").body.get("warnings", [])


def one_finding(broker, of):
    (finding,) = [found for found in examine("--data", str(broker.data), *FREE)[of] if "reserve" not in found["text"]]
    return finding


def test_a_history_that_is_missing_is_told(start):
    broker = start()
    with Client(broker, "Ann") as ann:
        epoch = ann.subscribe("ledger")["epoch"]
        ann.publish("ledger", "gone")
    assert broker.terminate() == 0
    for path in broker.data.glob("history.sqlite"):
        path.unlink()
    finding = one_finding(broker, "history")
    assert finding["status"] == "problem" and "its messages are gone" in finding["text"], finding
    broker = start(data=broker.data)
    assert "the history file is missing" in "\n".join(broker.log)
    assert Rest(broker).get("/health").body["warnings"] == ["history_incomplete"]
    with Client(broker, "Ann") as ann:
        assert ann.subscribe("ledger", since={"epoch": epoch, "seq": 1})["recovered"] is False


def test_a_history_that_is_moved_aside_is_told_in_the_health(start):
    broker = start()
    with Client(broker, "Ann") as ann:
        ann.publish("ledger", "gone")
    assert broker.terminate() == 0
    with (broker.data / "history.sqlite").open("r+b") as file:
        file.write(b"not a database")
    broker = start(data=broker.data)
    assert "history file is corrupt" in "\n".join(broker.log)
    assert Rest(broker).get("/health").body["warnings"] == ["history_incomplete"]


def test_the_doctor_misses_the_channels(start):
    broker = start()
    assert broker.terminate() == 0
    for path in broker.data.glob("control.sqlite*"):
        path.unlink()
    finding = one_finding(broker, "control")
    assert finding["status"] == "problem" and "no broker starts so" in finding["text"], finding
