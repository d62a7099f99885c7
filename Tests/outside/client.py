"""Clients that are not our code: JSON lines and plain text over the standard library's sockets. `websocket_client.py` has the
third kind.

Every frame that `Client` sends and gets is held to Schemas/wire, its stamp to the clock in its id, and every message to
its place: no `seq` is missing, none comes twice, however the test came by the frames.
"""

import collections
import json
import re
import select
import socket
import struct
import uuid

import wire_schemas

from broker import PATIENCE

OWN_ID = re.compile(r"[0-9A-Za-z]{15}")
STORED = ("publish", "history_message")


class Closed(AssertionError):
    """The connection ended while something was expected on it."""


class Wire:
    """A socket with lines."""

    def __init__(self, port, *, host="127.0.0.1", receive_buffer=None):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(PATIENCE)
        self.socket.connect((host, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = bytearray()
        self.ended = False

    def send_bytes(self, data):
        self.socket.sendall(data)

    def _fill(self, patience=PATIENCE):
        """Waits for more bytes; False at the end of the stream."""
        if self.ended:
            return False
        self.socket.settimeout(patience)
        try:
            data = self.socket.recv(1 << 18)
        except TimeoutError:
            raise AssertionError(f"nothing came for {patience} s; unread: {bytes(self.received[-400:])!r}") from None
        except ConnectionResetError:
            data = b""
        if not data:
            self.ended = True
            return False
        self.received += data
        return True

    def read_line(self, patience=PATIENCE):
        """The next line without its LF; None at the end of the stream."""
        start = 0
        while (end := self.received.find(b"\n", start)) < 0:
            start = len(self.received)
            if not self._fill(patience):
                return None
        line = bytes(self.received[:end])
        del self.received[: end + 1]
        return line

    def read_to_end(self, patience=PATIENCE):
        """All bytes up to the end of the stream."""
        while self._fill(patience):
            pass
        rest = bytes(self.received)
        self.received.clear()
        return rest

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def reset(self):
        """Ends the connection with a RST, as a crashed machine's kernel would."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def moderation_reply(asked):
    """The schema of the answer to a moderator."""
    action = asked.get("action")
    if action == "redact" and ("user" in asked or "client_id" in asked) or asked.get("redact") is True:
        return "redact-all-reply"
    return {"redact": "redact-reply", "clear": "subscribe-reply", "show": "moderation-reply"}.get(action, "done-reply")


class Client(Wire):
    """A JSON client. `request` waits for its reply; what comes meanwhile is kept in `inbox`, in order."""

    listener = "port"
    """The broker's port that it connects to."""

    lists_members_first = False
    """By this wire format the members of a room come before the reply to the subscribe."""

    def __init__(self, broker, name=None, *, handshake=True, channel="default", receive_buffer=None, **fields):
        if handshake and name is not None:
            fields.setdefault("client_data", {"name": name})
        opening = {"type": "handshake", "channel": channel, **fields, "callback": 100}
        # Before it connects, because that takes a while on a busy machine, and a handshake has its time.
        line = self.valid_line(opening) if handshake else None
        super().__init__(getattr(broker, self.listener), receive_buffer=receive_buffer)
        self.broker = broker
        self.inbox = collections.deque()
        self.replies = {}
        self.raw = {}
        self.id = None
        self._callbacks = 100
        self._asked = {}
        self._places = {}
        self._listed = set()
        """Observable rooms whose members have come, and not the reply to the subscribe."""
        self._holes = set()
        self._unechoed = set()
        if handshake:
            self.send_line(line)
            self.welcome = self.reply(100)
            assert "error" not in self.welcome, self.welcome
            assert OWN_ID.fullmatch(self.welcome["client_id"]), self.welcome
            self.id = self.welcome["client_id"]
            self.member = {"id": self.id}
            if "client_data" in fields:
                self.member["clientData"] = fields["client_data"]

    # Out

    def send(self, frame):
        """Sends a frame that is valid by its schema."""
        self.send_line(self.valid_line(frame))

    @staticmethod
    def valid_line(frame):
        wire_schemas.validate("client", frame)
        return json.dumps(frame, ensure_ascii=False)

    def send_line(self, text):
        """Sends a line as it is, right or wrong."""
        self.note(text)
        self.send_bytes(text.encode("utf-8", "surrogatepass") + b"\n")

    def send_valid_line(self, text):
        """Sends a line as it is, after its schema has allowed it."""
        wire_schemas.validate("client", wire_schemas.parse(text))
        self.send_line(text)

    def post(self, frame):
        """Sends a request with a new callback, and returns the callback without waiting."""
        self._callbacks += 1
        self.send({**frame, "callback": self._callbacks})
        return self._callbacks

    def request(self, frame):
        return self.reply(self.post(frame))

    def ask(self, frame):
        """A request that succeeds."""
        reply = self.request(frame)
        assert "error" not in reply, reply
        return reply

    def subscribe(self, room, **fields):
        return self.ask({"type": "subscribe", "room": room, **fields})

    def publish(self, room, message, **fields):
        return self.ask({"type": "publish", "room": room, "message": message, **fields})

    # In

    def reply(self, callback):
        """The one reply to a callback."""
        while callback not in self.replies:
            self._read_one()
        return self.replies.pop(callback)

    def next(self):
        """The next frame that is not a reply to a callback."""
        while not self.inbox:
            self._read_one()
        return self.inbox.popleft()

    def expect(self, kind, **fields):
        """The next frame, which has to be of this type and to have these fields."""
        frame = self.next()
        assert frame.get("type") == kind, f"expected {kind}: {frame}"
        for key, value in fields.items():
            assert frame.get(key) == value, f"expected {key} to be {value!r}: {frame}"
        return frame

    def expect_error(self, code, **fields):
        """The next frame, which has to be an error about the connection with this code."""
        frame = self.next()
        assert frame.get("code") == code and "error" in frame, f"expected the error {code}: {frame}"
        for key, value in fields.items():
            assert frame.get(key) == value, f"expected {key} to be {value!r}: {frame}"
        return frame

    def refused(self, frame, code):
        """A request that fails with this code, and the connection goes on."""
        reply = self.request(frame)
        assert reply.get("code") == code, f"expected the error {code}: {reply}"
        return reply

    def messages(self, count, room=None):
        """The next `count` messages of the room; anything else on the way is wrong."""
        return [self.expect("publish", **({"room": room} if room else {})) for _ in range(count)]

    def fence(self):
        """Everything that came before the reply to a ping of now, and is not read yet."""
        self.ask({"type": "ping"})
        seen = list(self.inbox)
        self.inbox.clear()
        return seen

    def room_fence(self, room):
        """Everything of the room's order before a message of now: what had to come has come.

        A ping is no such fence: replies may overtake what a room delivers. `room` has to be subscribed.
        """
        token = f"fence {uuid.uuid4()}"
        self.publish(room, token, ephemeral=True)
        seen = []
        while (frame := self.next()).get("message") != token:
            seen.append(frame)
        return seen

    def goodbye(self, code):
        """Everything up to the goodbye, which has to have this code, and to be followed by the end of the stream."""
        seen = []
        while (frame := self.next()).get("type") != "goodbye":
            seen.append(frame)
        assert frame["code"] == code, frame
        self.expect_end()
        return seen, frame

    def rest(self):
        """All frames that still come, up to the end of the stream."""
        try:
            while True:
                self._read_one()
        except Closed:
            pass
        rest = list(self.inbox)
        self.inbox.clear()
        return rest

    def expect_end(self):
        rest = self.read_to_end()
        assert rest == b"", rest[:400]

    def _read_one(self):
        line = self.read_line()
        if line is None:
            raise Closed(f"the connection has ended; the broker's log:\n{self.broker.tail()}")
        self._take(line)

    def _take(self, line):
        frame = json.loads(line)
        parsed = wire_schemas.parse(line)
        try:
            wire_schemas.validate("broker", parsed)
        except wire_schemas.InvalidFrame as error:
            raise AssertionError(str(error)) from None
        self._check_stamp(frame)
        if "callback" in frame:
            callback = frame["callback"]
            assert callback in self._asked, f"a reply to nothing: {frame}"
            asked = self._asked.pop(callback)
            self._check_reply(frame, parsed, asked)
            # The acknowledgement of a publish has the id of the message itself.
            if asked.get("type") != "publish":
                self.raw[frame["id"]] = line
            self.replies[callback] = frame
        else:
            self._check_place(frame)
            self.raw[frame["id"]] = line
            self.inbox.append(frame)

    # What holds for every frame

    def note(self, text):
        """Takes notice of a frame that goes out by another way than `send`, so that its reply is known."""
        try:
            frame = json.loads(text)
        except ValueError:
            return
        callback = frame.get("callback") if isinstance(frame, dict) else None
        if isinstance(callback, int):
            self._asked[callback] = frame

    @staticmethod
    def _check_stamp(frame):
        stamped = uuid.UUID(frame["id"])
        assert stamped.version == 7 and stamped.variant == uuid.RFC_4122, frame
        assert frame["timestamp"] == (stamped.int >> 80) // 1000, f"the time is not that of the id: {frame}"

    def _check_reply(self, reply, parsed, asked):
        if "error" in reply:
            return
        kind = asked.get("type")
        schema = {
            "handshake": "handshake-reply",
            "publish": "publish-reply",
            "members": "members-reply",
            "history": "history-reply",
            "rooms": "rooms-reply",
            "subscribe": "subscribe-rooms-reply" if "rooms" in asked else "subscribe-reply",
            "unsubscribe": "unsubscribe-rooms-reply" if "rooms" in asked else "done-reply",
            "moderate": moderation_reply(asked),
        }.get(kind, "done-reply")
        wire_schemas.validate("broker", parsed, name=f"broker-{schema}")
        if kind == "subscribe" and self.lists_members_first and asked.get("room", "").startswith("observable-"):
            assert asked["room"] in self._listed, f"the members have not come before the reply: {reply}"
            self._listed.discard(asked["room"])
        if kind == "subscribe":
            positions = reply["rooms"] if "rooms" in asked else [{"room": asked["room"], **reply}]
            for position in positions:
                if "seq" in position:
                    since = asked["since"]["seq"] if reply.get("recovered") is not None else position["seq"]
                    self._places[position["room"]] = since
        elif kind == "publish" and asked.get("echo") is False:
            self._unechoed.add((asked["room"], reply["seq"]))

    def _asks_for(self, room):
        """Whether a subscribe to this one room waits for its reply."""
        return any(asked.get("type") == "subscribe" and asked.get("room") == room for asked in self._asked.values())

    def _check_place(self, frame):
        kind, room = frame.get("type"), frame.get("room")
        if kind == "gap":
            if frame["reason"] in ("slow", "trimmed", "expired", "lost"):
                assert frame["from_seq"] == self._places[room] + 1, f"a gap elsewhere than at {self._places[room]}: {frame}"
                assert frame["to_seq"] >= frame["from_seq"], frame
            self._places[room] = frame["to_seq"]
        elif kind == "room_cleared":
            self._places[room] = 0
        elif kind == "removed":
            self._places.pop(room, None)
        elif kind in ("publish", "message_redacted") and "seq" in frame:
            assert room in self._places, f"a message of a room that is not subscribed: {frame}"
            assert frame["seq"] > self._places[room], f"seq {self._places[room]} was there before: {frame}"
            self._holes.update((room, seq) for seq in range(self._places[room] + 1, frame["seq"]))
            self._places[room] = frame["seq"]
        elif kind == "observable_members" and self.lists_members_first and self._asks_for(room):
            self._listed.add(room)
        elif kind in STORED or (kind or "").startswith("observable_"):
            assert room in self._places, f"a frame of a room that is not subscribed: {frame}"

    def check_no_holes(self):
        missing = self._holes - self._unechoed
        assert not missing, f"messages never came: {sorted(missing)[:10]}"

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self.check_no_holes()
        finally:
            self.close()


class TextClient(Wire):
    """A plain-text client."""

    def __init__(self, broker, **options):
        super().__init__(broker.port, **options)

    def say(self, text, end="\n"):
        self.send_bytes((text + end).encode())

    def line(self, patience=PATIENCE):
        line = self.read_line(patience)
        assert line is not None, "the connection has ended"
        assert not line.endswith(b"\r"), line
        return line.decode()

    def join(self, name):
        self.say(f"iam:{name}")
        while self.line() != f"{name} has joined":
            pass
        return self


def wait_until_blocked(client, data, *, limit, pause=1.0):
    """Writes `data` again and again until the peer reads no more; returns how much went out.

    A peer that has stopped reading is one that takes nothing for `pause` seconds. Fails when it has taken `limit` bytes.
    """
    client.socket.setblocking(False)
    sent = 0
    try:
        while sent < limit:
            _, writable, _ = select.select([], [client.socket], [], pause)
            if not writable:
                return sent
            offset = sent % len(data)
            sent += client.socket.send(data[offset:])
    finally:
        client.socket.settimeout(PATIENCE)
    raise AssertionError(f"the broker took {sent} bytes and would take more")


LARGE = "x" * 60_000


def flood(client, room, count, first=1):
    """Publishes numbered large messages until all are acknowledged; few at a time, so that a slow disk makes nobody refuse them."""
    waiting = []
    for number in range(first, first + count):
        waiting.append(client.post({"type": "publish", "room": room, "message": f"{number} {LARGE}"}))
        if len(waiting) == 16:
            assert "error" not in client.reply(waiting.pop(0))
    for callback in waiting:
        assert "error" not in client.reply(callback)
