"""What a broker has to have kept: its channels and their rooms, after each act and whether or not that was acknowledged."""

import copy
import dataclasses

from admin import name
from client import Client


@dataclasses.dataclass
class Room:
    epoch: str | None = None
    """None: any but those in `past`."""
    past: set = dataclasses.field(default_factory=set)
    seq: int = 0
    entries: dict = dataclasses.field(default_factory=dict)
    """The stored ones by seq: a message, None for a tombstone, or the seq that a redaction redacts."""
    sure: int = 0
    """So many of the newest entries may not have been trimmed."""
    was_cleared: bool = False

    def append(self, entry, count):
        self.seq += 1
        self.entries[self.seq] = entry
        self.sure = min(self.sure + 1, count)

    def prune(self, keep):
        self.entries = dict(list(self.entries.items())[max(0, len(self.entries) - keep) :])
        self.sure = min(self.sure, keep)

    def clear(self):
        self.past |= {self.epoch} - {None}
        self.epoch, self.seq, self.entries, self.sure, self.was_cleared = None, 0, {}, 0, True

    def difference(self, seen):
        """How `seen` cannot be this room; None if it can."""
        if seen.epoch in self.past or self.epoch not in (None, seen.epoch) and seen.seq + self.seq:
            return f"the epoch is {seen.epoch}: not {self.epoch}, or one of the past"
        if seen.seq != self.seq:
            return f"seq is {seen.seq}: not {self.seq}"
        kept = list(self.entries.items())
        found = list(seen.entries.items())
        if found != kept[len(kept) - len(found) :] or len(found) < self.sure:
            return f"the entries are {found}: not at least {self.sure} at the end of {kept}"
        return None


@dataclasses.dataclass
class Channel:
    count: int
    rooms: dict = dataclasses.field(default_factory=dict)

    def change(self, count):
        self.count = count
        for room in self.rooms.values():
            room.sure = min(room.sure, count)


class State(dict):
    """Channels by id."""

    def after(self, act):
        """A copy that the act has changed."""
        changed = copy.deepcopy(self)
        act(changed)
        return changed

    def difference(self, seen):
        if self.keys() != seen.keys():
            return f"the channels are {list(seen)}: not {list(self)}"
        for id, channel in self.items():
            if channel.count != seen[id].count:
                return f"{id} keeps {seen[id].count}: not {channel.count}"
            for room in channel.rooms.keys() | seen[id].rooms.keys():
                if said := channel.rooms.get(room, Room()).difference(seen[id].rooms.get(room, Room())):
                    return f"{id}/{room}: {said}"
        return None

    def take_over(self, seen):
        """What was left open, such as the epoch of a room that was cleared, is known now."""
        for id, channel in self.items():
            for name, room in channel.rooms.items():
                found = seen[id].rooms.get(name, Room())
                room.epoch = found.epoch
                # where as many are served as the channel keeps, older ones may come back when it keeps more
                if len(found.entries) < channel.count:
                    room.entries = found.entries


def observe(admin):
    """The state of a broker that runs."""
    state = State()
    for listed in admin.done("GET", "/channels", query={"limit": 1000})["channels"]:
        id = listed["id"]
        shown = admin.done("GET", f"/channels/{id}")
        channel = state[id] = Channel(shown["history"]["count"])
        for stored in admin.done("GET", f"/channels/{id}/stored-rooms", query={"limit": 1000})["rooms"]:
            room = channel.rooms[stored["name"]] = Room(stored["epoch"], seq=stored["seq"])
            after, more = 0, True
            while more:
                query = {"after_seq": after, "limit": 1000}
                page = admin.done("GET", f"/channels/{id}/rooms/{name(stored['name'])}/history", query=query)
                for frame in page["messages"]:
                    after = frame["seq"]
                    assert after not in room.entries, f"{after} is there twice"
                    room.entries[after] = frame["target_seq"] if frame["type"] == "message_redacted" else frame["message"]
                more = page["more"]
    return state


class Reader:
    """Follows `room` of the channel `default` from broker to broker; its client checks that no message is missing or comes twice."""

    def __init__(self):
        self.client, self.epoch, self.seq, self.seen, self.seen_ever = None, None, 0, {}, 0

    def come(self, broker):
        self.client = Client(broker, "Reader")
        since = {"since": {"epoch": self.epoch, "seq": self.seq}} if self.epoch else {}
        reply = self.client.subscribe("room", **since)
        if reply["epoch"] != self.epoch:
            self.epoch, self.seq, self.seen = reply["epoch"], 0, {}

    def leave(self):
        """Takes what has come."""
        for frame in self.client.rest():
            match frame["type"]:
                case "publish":
                    self.seq = frame["seq"]
                    self.seen[self.seq] = frame["message"]
                    self.seen_ever += 1
                case "message_redacted":
                    self.seq = frame["seq"]
                case "gap":
                    self.seq = frame["to_seq"]
                case "room_cleared":
                    self.epoch, self.seq, self.seen = frame["epoch"], 0, {}
                case other:
                    raise AssertionError(f"{other} was not expected: {frame}")
        self.client.check_no_holes()
        self.client.close()

    def check(self, room):
        """`room` is what was kept: all that it has seen, but for what was removed since."""
        if self.epoch != room.epoch:
            # one in which there was nothing may be forgotten
            assert room.was_cleared or not self.seen, f"the epoch is {room.epoch}: not {self.epoch}"
            return
        assert self.seq <= room.seq, f"it has seen {self.seq}, and the last one is {room.seq}"
        wrong = {seq: text for seq, text in self.seen.items() if room.entries.get(seq) not in (text, None)}
        assert not wrong, f"it has seen {wrong}: not {room.entries}"
