"""Event streams that are not our code: Server-Sent Events over a bare socket, and frames by POST (WHATWG HTML §9.2).

What the broker sends is read strictly: only the fields that the broker uses, one line of data an event, no line break but
LF, nothing after the end but the end.
"""

import http.client
import json
import urllib.parse

import wire_schemas

from broker import PATIENCE
from client import Client, Wire

PATH = "/v3/events"


def query(**parameters):
    return "?" + urllib.parse.urlencode(parameters) if parameters else ""


class Refused(AssertionError):
    """The request for a stream got another answer."""

    def __init__(self, status, headers, body):
        super().__init__(f"{status} {headers} {body}")
        self.status, self.headers, self.body = status, headers, body
        self.code = body.get("code")


class EventStream(Wire):
    """A stream after the head of its response."""

    def __init__(self, port, *, headers=None, parameters=None, **options):
        super().__init__(port, **options)
        self.last_event_id = None
        """As a browser keeps it; it changes with an event's empty line."""
        self.retry = None
        self.comments = 0
        self.open(headers or {}, parameters or {})

    def open(self, headers, parameters):
        fields = {"Host": "%s:%d" % self.socket.getpeername(), "Accept": "text/event-stream", **headers}
        lines = [f"GET {PATH}{query(**parameters)} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
        self.send_bytes("\r\n".join(lines).encode() + b"\r\n\r\n")
        while (end := self.received.find(b"\r\n\r\n")) < 0:
            assert self._fill(), f"no answer: {bytes(self.received)!r}"
        status, *answered = bytes(self.received[:end]).decode("ascii").split("\r\n")
        del self.received[: end + 4]
        self.answered = {name.lower(): value for name, value in (line.split(": ", 1) for line in answered)}
        assert len(self.answered) == len(answered), f"a header stands twice: {answered}"
        if status != "HTTP/1.1 200 OK":
            while len(self.received) < int(self.answered["content-length"]):
                assert self._fill(), f"the answer is cut off: {bytes(self.received)!r}"
            self.close()
            raise Refused(int(status.split(" ")[1]), self.answered, json.loads(self.received))
        assert self.answered["content-type"] == "text/event-stream"
        assert self.answered["cache-control"] == "no-store" and self.answered["x-accel-buffering"] == "no"
        assert self.answered["connection"] == "close" and "content-length" not in self.answered

    def event(self, patience=PATIENCE):
        """The name and the data of the next event; None at the end of the stream, where what is not whole does not count."""
        name, data, place = "message", None, None
        while (line := Wire.read_line(self, patience)) is not None:
            if line == b"":
                if place is not None:
                    self.last_event_id = place
                if data is not None:
                    return name, data
                name, place = "message", None
                continue
            assert b"\r" not in line, line
            field, value = line.split(b": ", 1)
            if field == b"":
                assert value == b"ping"
                self.comments += 1
            elif field == b"id":
                place = value.decode("ascii")
            elif field == b"retry":
                self.retry = int(value)
            elif field == b"event":
                name = value.decode("ascii")
            else:
                assert field == b"data" and data is None, line
                data = value
        return None


class EventsClient(Client, EventStream):
    """A JSON client over an event stream. It posts each frame, and goes on when that is answered."""

    listener = "http_port"
    lists_members_first = True

    def __init__(self, broker, name=None, *, headers=None, **options):
        self._headers = headers or {}
        self._http_port = broker.http_port
        super().__init__(broker, name, **options)

    def open(self, headers, parameters):
        super().open(self._headers, parameters)
        name, data = self.event()
        assert name == "session", (name, data)
        self.secret = json.loads(data)["session"]
        self.web = http.client.HTTPConnection("127.0.0.1", self._http_port, timeout=PATIENCE)

    def post_body(self, body, content_type="application/json", **headers):
        """The status and the problem, if there is one."""
        fields = {"Roomline-Session": self.secret, "Content-Type": content_type, **headers}
        self.web.request("POST", PATH, body, {name: value for name, value in fields.items() if value is not None})
        answer = self.web.getresponse()
        text = answer.read()
        assert (answer.status == 204) == (text == b""), (answer.status, text)
        return answer.status, json.loads(text) if text else None

    def send_line(self, text):
        self.note(text)
        status, problem = self.post_body(text.encode("utf-8", "surrogatepass"))
        assert status == 204, problem

    def send_lines(self, *frames):
        """Many frames in one POST."""
        for frame in frames:
            self.note(json.dumps(frame))
        status, problem = self.post_body("\n".join(map(json.dumps, frames)), "application/jsonl")
        assert status == 204, problem

    def read_line(self, patience=PATIENCE):
        """The next frame; None when the broker has closed."""
        event = self.event(patience)
        if event is None:
            return None
        name, data = event
        assert name == "message", event
        return data

    def expect_end(self):
        line = self.read_line()
        assert line is None, line

    def close(self):
        self.web.close()
        super().close()


class RoomStream(EventStream):
    """A stream that is for one room, as a plain EventSource has it. Frames are not held to the schemas' replies here."""

    def __init__(self, broker, room, *, channel="default", headers=None, last_event_id=None, receive_buffer=None, **parameters):
        self.broker = broker
        fields = dict(headers or {})
        if last_event_id is not None:
            fields["Last-Event-ID"] = last_event_id
        super().__init__(
            broker.http_port,
            headers=fields,
            parameters={"channel": channel, "room": room, **parameters},
            receive_buffer=receive_buffer,
        )

    def next(self, patience=PATIENCE):
        """The next frame; None at the end."""
        event = self.event(patience)
        if event is None:
            return None
        name, data = event
        assert name == "message", event
        wire_schemas.validate("broker", wire_schemas.parse(data))
        return json.loads(data)

    def messages(self, count):
        frames = [self.next() for _ in range(count)]
        for frame in frames:
            assert frame["type"] in ("publish", "history_message"), frame
        return frames
