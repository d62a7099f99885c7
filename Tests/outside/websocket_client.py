"""WebSocket clients that are not our code: RFC 6455 over a bare socket, so that a test can send what no library sends.

What the broker sends is read strictly: no mask, no reserved bits, the shortest form of each length, whole control
frames of at most 125 bytes, fragments only in their order, nothing after a Close.
"""

import base64
import collections
import hashlib
import os
import struct

from broker import PATIENCE
from client import Client, Wire

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
PATH = "/v3/websocket"
ACCEPT_SUFFIX = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455 §1.3

Frame = collections.namedtuple("Frame", "opcode payload fin")
Message = collections.namedtuple("Message", "text")
Pong = collections.namedtuple("Pong", "payload")
Closed = collections.namedtuple("Closed", "code reason")
"""A Close frame; `code` is None when it is empty."""


def masked(payload, key):
    """The payload under the mask, in one go: some payloads are of megabytes."""
    length = len(payload)
    repeated = (key * (length // 4 + 1))[:length]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(length, "big")


def encode(opcode, payload=b"", *, fin=True, rsv=0, mask=True, length=None, form=None):
    """A frame as a client sends it, or wrong in the ways that are asked for.

    `length` is what the head says instead of the payload's length, `form` the bits (7, 16, 64) that it says it with.
    """
    length = len(payload) if length is None else length
    form = form or (7 if length < 126 else 16 if length < 1 << 16 else 64)
    first = bytes([fin << 7 | rsv << 4 | opcode])
    size = {7: length, 16: 126, 64: 127}[form]
    more = b"" if form == 7 else struct.pack(">H" if form == 16 else ">Q", length)
    if not mask:
        return first + bytes([size]) + more + payload
    key = os.urandom(4)
    return first + bytes([0x80 | size]) + more + key + masked(payload, key)


def close_payload(code=None, reason=b""):
    return b"" if code is None else struct.pack(">H", code) + reason


def fragments(opcode, payload, size):
    """The frames of one message in fragments of `size` bytes."""
    parts = [payload[start : start + size] for start in range(0, len(payload), size)] or [b""]
    last = len(parts) - 1
    return [encode(opcode if place == 0 else CONTINUATION, part, fin=place == last) for place, part in enumerate(parts)]


class WebSocket(Wire):
    """A connection after its upgrade."""

    def __init__(self, port, *, path=PATH, headers=None, **options):
        super().__init__(port, **options)
        self.upgrade(path, headers or {})
        self.close_sent = False
        self.closed = None
        """The broker's Close, once it has come."""
        self.pinged = 0
        self.answers_pings = True
        self._started = None

    def upgrade(self, path, headers):
        key = base64.b64encode(os.urandom(16))
        host = "%s:%d" % self.socket.getpeername()
        fields = {"Host": host, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", **headers}
        fields["Sec-WebSocket-Key"] = key.decode()
        lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
        self.send_bytes("\r\n".join(lines).encode() + b"\r\n\r\n")
        while (end := self.received.find(b"\r\n\r\n")) < 0:
            assert self._fill(), f"no answer to the upgrade: {bytes(self.received)!r}"
        status, *answered = bytes(self.received[:end]).decode("ascii").split("\r\n")
        del self.received[: end + 4]
        answered = [line.split(": ", 1) for line in answered]
        self.answered = {name.lower(): value for name, value in answered}
        assert len(self.answered) == len(answered), f"a header stands twice: {answered}"
        assert status.split(" ")[:2] == ["HTTP/1.1", "101"], (status, answered)
        assert self.answered["upgrade"].lower() == "websocket" and self.answered["connection"].lower() == "upgrade"
        accept = base64.b64encode(hashlib.sha1(key + ACCEPT_SUFFIX).digest()).decode()
        assert self.answered["sec-websocket-accept"] == accept
        # Nothing that the client offers is negotiated, and no protocol was asked for.
        assert not {"sec-websocket-extensions", "sec-websocket-protocol"} & set(self.answered), self.answered

    # Out

    def send_frame(self, opcode, payload=b"", **options):
        self.send_bytes(encode(opcode, payload, **options))

    def send_all(self, frames, *, chop=None):
        """Sends frames in one write, or in pieces of `chop` bytes. Ends early when the broker has closed."""
        data = b"".join(frames)
        try:
            for start in range(0, len(data), chop or len(data) or 1):
                self.send_bytes(data[start : start + chop] if chop else data)
        except (ConnectionResetError, BrokenPipeError):
            pass

    def ping(self, payload=b""):
        self.send_frame(PING, payload)

    def send_close(self, code=1000, reason=b""):
        self.close_sent = True
        self.send_frame(CLOSE, close_payload(code, reason))

    # In

    def _bytes(self, count, started=True):
        """Exactly so many bytes; None at the end of the stream, which must not be in the middle of a frame."""
        while len(self.received) < count:
            if not self._fill():
                assert not started and not self.received, f"the stream ended in a frame: {bytes(self.received[:200])!r}"
                return None
        data = bytes(self.received[:count])
        del self.received[:count]
        return data

    def read_frame(self):
        """The next frame, which has to be right by all rules; None at the end of the stream."""
        head = self._bytes(2, started=False)
        if head is None:
            return None
        fin, rsv, opcode, length = bool(head[0] & 0x80), head[0] >> 4 & 7, head[0] & 15, head[1] & 0x7F
        assert rsv == 0, f"reserved bits: {head!r}"
        assert not head[1] & 0x80, f"a mask: {head!r}"
        assert opcode in (CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG), f"a reserved opcode: {head!r}"
        if length == 126:
            length = int.from_bytes(self._bytes(2), "big")
            assert length > 125, "not the shortest form of the length"
        elif length == 127:
            length = int.from_bytes(self._bytes(8), "big")
            assert length > 0xFFFF, "not the shortest form of the length"
        if opcode >= CLOSE:
            assert fin and length <= 125, f"a control frame in fragments, or of {length} bytes"
        return Frame(opcode, self._bytes(length), fin)

    def event(self):
        """The next Message, Pong or Closed; None at the end of the stream. Answers pings and the Close on the way."""
        while (frame := self.read_frame()) is not None:
            assert self.closed is None, f"a frame after the Close: {frame}"
            if frame.opcode == PING:
                self.pinged += 1
                if self.answers_pings:
                    self._answer(encode(PONG, frame.payload))
            elif frame.opcode == PONG:
                return Pong(frame.payload)
            elif frame.opcode == CLOSE:
                return self._close_received(frame.payload)
            else:
                assert (frame.opcode == CONTINUATION) == (self._started is not None), f"a fragment out of order: {frame}"
                # Stock clients ignore binary messages.
                assert frame.opcode != BINARY, f"a binary message: {frame}"
                self._started = (self._started or b"") + frame.payload
                if frame.fin:
                    text, self._started = self._started, None
                    return Message(text.decode("utf-8"))
        return None

    def _close_received(self, payload):
        assert len(payload) != 1, "half a code"
        code = int.from_bytes(payload[:2], "big") if payload else None
        assert code is None or 1000 <= code <= 4999 and code not in (1004, 1005, 1006, 1015), f"a code that may not be sent: {code}"
        self.closed = Closed(code, payload[2:].decode("utf-8"))
        if not self.close_sent:
            self.close_sent = True
            self._answer(encode(CLOSE, payload[:2]))
        return self.closed

    def _answer(self, data):
        try:
            self.send_bytes(data)
        except (ConnectionResetError, BrokenPipeError):
            pass

    def events_to_end(self):
        """All that still comes. The connection must end by itself."""
        events = []
        while (event := self.event()) is not None:
            events.append(event)
        return events

    def expect_close(self, *codes):
        """The broker's Close with one of these codes, and then the end of the stream; what came before them."""
        *before, last = self.events_to_end() or [None]
        assert isinstance(last, Closed), f"the stream ended without a Close, after {[*before, last][-3:]}"
        assert last.code in codes, f"expected the close code {codes}: {last}"
        return before

    def finish(self, code=1000, reason=b"", accepts=None):
        """Closes as a client does: Close, the broker's Close with the same code, the end of TCP; what came before."""
        self.send_close(code, reason)
        return self.expect_close(*(accepts or (code, 1000)))


class WebSocketClient(Client, WebSocket):
    """A JSON client over WebSocket. `binary`: sends each frame as a binary message, as the stock Swift client does."""

    listener = "http_port"
    lists_members_first = True

    def __init__(self, broker, name=None, *, binary=False, headers=None, **options):
        self.opcode = BINARY if binary else TEXT
        self.pongs = []
        self._headers = headers or {}
        super().__init__(broker, name, **options)

    def upgrade(self, path, headers):
        super().upgrade(path, self._headers)

    def send_line(self, text):
        self.note(text)
        self.send_frame(self.opcode, text.encode("utf-8", "surrogatepass"))

    def send_message(self, payload, opcode=TEXT):
        """Sends a message as it is, right or wrong."""
        self.send_frame(opcode, payload.encode() if isinstance(payload, str) else payload)

    def read_line(self, patience=PATIENCE):
        """The next message; None when the broker has closed."""
        event = self.event()
        while isinstance(event, Pong):
            self.pongs.append(event.payload)
            event = self.event()
        if isinstance(event, Closed):
            assert self.event() is None
            return None
        return event and event.text.encode()

    def expect_pong(self, payload):
        """The pong with this payload; messages on the way wait in the inbox."""
        while payload not in self.pongs:
            match self.event():
                case Pong(found):
                    self.pongs.append(found)
                case Message(text):
                    self._take(text.encode())
                case other:
                    raise AssertionError(f"the connection ended before the pong: {other}")
        del self.pongs[: self.pongs.index(payload) + 1]

    def expect_end(self):
        line = self.read_line()
        assert line is None, line

    def goodbye(self, code, close=None):
        """As over TCP; then a Close with this close code, or none where stock clients shall come back."""
        seen, frame = super().goodbye(code)
        assert (self.closed and self.closed.code) == close, f"expected the close code {close}: {self.closed}"
        assert frame["reconnect"] == (close is None), frame
        return seen, frame

    def expect_closed(self, *codes):
        """The end of the connection by a Close with one of these codes; the frames that came before."""
        rest = self.rest()
        assert self.closed and self.closed.code in codes, f"expected the close code {codes}: {self.closed}, after {rest[-3:]}"
        return rest

    def expect_dropped(self):
        """The end of TCP without a Close, after which stock JavaScript clients come back; the frames that came before."""
        rest = self.rest()
        assert self.closed is None, f"there was a Close: {self.closed}"
        return rest

    def leave(self, code=1000, reason=b""):
        """Closes, and waits for the broker's Close and the end of TCP; the frames that came before."""
        self.send_close(code, reason)
        return self.expect_closed(*((None, 1000) if code is None else (code, 1000)))
