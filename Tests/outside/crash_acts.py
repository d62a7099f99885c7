"""Administrators of a broker that dies amid their acts."""

import contextlib
import http.client
import json
import shutil
import signal

from admin import Admin
from cli import Shell
from crash_model import Channel, Reader, Room, State, observe
from disk import check_files
from seeds import choices

DEATHS = (OSError, http.client.HTTPException)
"""What a client is told when the broker dies."""
FLAGS = ("--loops", "3")


class Acts:
    """Administrators of one broker after the other over the same files, and what these have to hold.

    With `power`, a power cut follows each death, and the channels are to survive that.
    """

    def __init__(self, start, disk, tmp_path, kind, *, power=False):
        self.choice = choices(f"{kind} power" if power else kind)
        self.start, self.disk, self.directory = start, disk, tmp_path
        self.data = tmp_path / "data"
        self.durability = "power" if power else "process"
        self.environment = disk.unreliable if power else disk.environment
        self.reader = Reader()
        self.state = State(default=Channel(10), spare=Channel(10))
        self.pending = None
        self.halfway = []
        """What else there may be of the act that is pending, if it is done in several steps."""
        self.aside = set()
        """Channels that others use."""
        self.texts = 0
        self.acknowledged = 0
        self.broker = self.admin = None

    def begin(self):
        self.disk.forget()
        self.broker = self.start(*FLAGS, admin=self.directory / "a.sock", env=self.environment)
        self.admin = Admin(self.broker)

    def end(self, *codes):
        self.admin.close()
        code = self.broker.wait_for_exit()
        assert code in codes, self.broker.tail()
        self.leave_files()
        return code

    def leave_files(self):
        """What is left of the files when the broker is gone."""
        self.lose_unsynced()
        check_files(self.data, self.directory / "files")

    def lose_unsynced(self):
        """Cuts the power, where that follows each death."""
        if self.durability == "power":
            self.disk.cut_power(self.data, self.choice if self.choice.random() < 0.7 else None)

    def die_while_starting(self):
        """The next broker dies at a call of its start; where there are fewer, soon after it."""
        self.disk.kill_after(self.choice.randrange(self.choice.choice([10, 40, 160])))
        self.broker = self.start(*FLAGS, admin=self.directory / "a.sock", env=self.environment, wait=False)
        with contextlib.suppress(AssertionError):
            self.broker.listening()
        starts = self.broker.is_running()
        if starts:
            self.broker.process.send_signal(signal.SIGKILL)
        assert self.broker.wait_for_exit() == -9, self.broker.tail()
        self.leave_files()
        return not starts

    def kill(self):
        self.broker.process.send_signal(signal.SIGKILL)
        self.end(-9)

    def set_up(self):
        self.begin()
        self.admin.done("PATCH", "/channels/default", {"history": {"count": 10}, "durability": self.durability})
        self.admin.done("POST", "/channels", {"id": "spare", "history": {"count": 10}, "durability": self.durability})
        for _ in range(5):
            self.publish()

    def do(self, change, ask, halfway=()):
        """An act that is in effect once it is acknowledged, and before that wholly, or as far as `halfway` says, or not at all."""
        self.pending = self.state.after(change)
        self.halfway = [self.state.after(step) for step in halfway]
        ask()
        self.state, self.pending, self.halfway = self.pending, None, []
        self.acknowledged += 1

    def until_it_dies(self, act):
        """Acts and publishes until the broker is gone, while somebody reads."""
        self.reader.come(self.broker)
        self.disk.kill_after(self.choice.randrange(self.choice.choice([20, 200, 1000])))
        with contextlib.suppress(*DEATHS):
            while True:
                self.publish()
                act(self)
        self.end(-9)
        self.reader.leave()

    def check(self):
        """Starts the broker again: all that was acknowledged is there, and of the last act all or nothing."""
        self.begin()
        seen = observe(self.admin)
        aside = {id: seen.pop(id) for id in list(seen) if id not in self.state and id in self.aside}
        states = [self.state, *([] if self.pending is None else [self.pending]), *self.halfway]
        said = [state.difference(seen) for state in states]
        assert None in said, said
        self.state = states[said.index(None)]
        self.pending, self.halfway = None, []
        self.state.take_over(seen)
        self.reader.check(self.state["default"].rooms.get("room", Room()))
        return aside

    # Acts

    def publish(self):
        self.texts += 1
        text = f"text {self.texts}"
        id = self.choice.choice(list(self.state))

        def change(state):
            state[id].rooms.setdefault("room", Room()).append(text, state[id].count)

        def ask():
            receipt = self.admin.done("POST", f"/channels/{id}/rooms/room/messages", text)
            assert receipt["seq"] == self.pending[id].rooms["room"].seq

        self.do(change, ask)

    def redact(self):
        room = self.state["default"].rooms.get("room", Room())
        targets = [seq for seq in list(room.entries)[len(room.entries) - room.sure :] if isinstance(room.entries[seq], str)]
        if not targets:
            return
        target = self.choice.choice(targets)

        def change(state):
            room = state["default"].rooms["room"]
            room.entries[target] = None
            room.append(target, state["default"].count)

        self.do(change, lambda: self.admin.done("DELETE", f"/channels/default/rooms/room/messages/{target}"))

    def clear(self):
        self.do(
            lambda state: state["default"].rooms.setdefault("room", Room()).clear(),
            lambda: self.admin.done("POST", "/channels/default/rooms/room/clear"),
        )

    def prune(self):
        keep = self.choice.randrange(8)
        self.do(
            lambda state: state["default"].rooms.setdefault("room", Room()).prune(keep),
            lambda: self.admin.done("POST", "/channels/default/prune", {"room": "room", "keep": keep}),
        )

    def change_channels(self):
        count = self.choice.randrange(1, 20)
        if "spare" not in self.state:
            settings = {"id": "spare", "history": {"count": count}, "durability": self.durability}
            self.do(lambda state: state.update(spare=Channel(count)), lambda: self.admin.done("POST", "/channels", settings))
        elif self.choice.random() < 0.5:
            settings = {"history": {"count": count}}
            self.do(lambda state: state["spare"].change(count), lambda: self.admin.done("PATCH", "/channels/spare", settings))
        else:
            self.do(lambda state: state.pop("spare"), lambda: self.admin.done("DELETE", "/channels/spare"))

    def bring_in(self):
        """An import, into a room that was cleared; large messages come in several requests."""
        padding = "x" * self.choice.choice([0, 60_000])
        lines = [f"imported {number}{padding}" for number in range(self.choice.randrange(1, 13))]
        file = self.directory / "lines.jsonl"
        file.write_text("".join(json.dumps({"message": line}) + "\n" for line in lines))

        def change(count):
            def change(state):
                room = state["default"].rooms.setdefault("other", Room())
                room.clear()
                for line in lines[:count]:
                    room.append(line, state["default"].count)

            return change

        self.do(change(0), lambda: self.admin.done("POST", "/channels/default/rooms/other/clear"))
        halfway = [change(count) for count in range(1, len(lines))] if padding else []
        self.do(change(len(lines)), lambda: self.command("history", "import", "other", str(file)), halfway)

    def back_up(self):
        copy = self.directory / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        try:
            self.do(lambda state: None, lambda: self.command("backup", str(copy)))
        finally:
            assert copy.exists() == (self.pending is None), "a backup has its name when it is complete"

    def command(self, *words):
        result = Shell(self.broker).run(*words)
        if result.returncode != 0:
            assert self.broker.wait_for_exit() == -9, (result.stderr, self.broker.tail())
            raise ConnectionError(result.stderr)

    def anything(self):
        self.choice.choice(list(ACTS.values()))(self)


ACTS = {
    "trim": Acts.publish,
    "redact": Acts.redact,
    "clear": Acts.clear,
    "prune": Acts.prune,
    "channels": Acts.change_channels,
    "import": Acts.bring_in,
    "backup": Acts.back_up,
}
