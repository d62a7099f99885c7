"""HTTP itself: what is not a request, who may call, time-outs, the Unix socket, health, the end of a broker."""

import contextlib
import gzip
import http.client
import os
import signal
import socket
import ssl
import stat
import threading
import time
import urllib.request

import pytest

from admin import Admin
from broker import PATIENCE
from rest import Rest, basic, exchange, secret, statuses, token

GET = b"GET /fleeting/stats HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /fleeting/lobby/publish HTTP/1.1\r\nHost: localhost\r\n"


def only(data):
    """The status of the one answer that a refused request gets; nothing may follow it."""
    assert b"connection: close" in data.lower(), data
    found = statuses(data)
    assert len(found) == 1, data
    return found[0]


# What two servers could read in two ways, or is not HTTP


@pytest.mark.parametrize(
    "request_",
    [
        POST + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x/y HTTP/1.1\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
        POST + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\n1234",
        POST + b"Content-Length: 3\r\nContent-Length: 3\r\n\r\n123",
        POST + b"Content-Length: 3, 3\r\n\r\n123",
        POST + b"Content-Length: +3\r\n\r\n123",
        POST + b"Content-Length: -1\r\n\r\n",
        POST + b"Content-Length: 0x3\r\n\r\n123",
        POST + b"Content-Length: 99999999999999999999\r\n\r\n",
        POST + b"Content-Length : 3\r\n\r\n123",
        POST + b" Content-Length: 3\r\n\r\n123",
        POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\n1\nx\n0\n\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx\r\n0\r\n\r\n",
        GET + b"X-Folded: one\r\n two\r\n\r\n",
        GET + b"X-Bare: one\rtwo\r\n\r\n",
        GET + b"X-Nul: one\x00two\r\n\r\n",
        GET + b"X Space: 1\r\n\r\n",
        GET + b": nameless\r\n\r\n",
        GET + b"no colon\r\n\r\n",
        GET + b"Host: again\r\n\r\n",
        b"GET /fleeting/stats HTTP/1.1\r\n\r\n",
        b"GET http://localhost/fleeting/stats HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET fleeting/stats HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /fleeting\x00/stats HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /fleeting/stats#here HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /fleeting/st ats HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /fleeting/stats HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"GET /fleeting/stats\r\n\r\n",
        b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b'{"type":"handshake","channel":"default","callback":0}\n',
        b"hello\r\n\r\n",
    ],
)
def test_what_is_no_request_gets_one_answer_and_the_end(broker, request_):
    smuggled = b"GET /fleeting/stats HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answer = exchange(broker.http_port, request_ + smuggled, half_close=True)
    assert only(answer) in (400, 413), answer


def test_a_bad_request_behind_a_good_one_waits_for_its_turn(broker):
    data = exchange(broker.http_port, GET + b"\r\n" + b"nonsense\r\n\r\n" + GET + b"\r\n")
    assert statuses(data) == [200, 400]


def test_pipelined_requests_are_answered_in_order(broker):
    two = b"GET /nobody/stats HTTP/1.1\r\nHost: localhost\r\n\r\n"
    data = exchange(broker.http_port, (GET + b"\r\n" + two) * 20 + GET + b"Connection: close\r\n\r\n" + two)
    assert statuses(data) == [200, 404] * 20 + [200]


def test_half_a_message_is_none(broker, connect, room):
    ann = connect("Ann")
    ann.subscribe(room)
    head = f"POST /default/{room}/publish HTTP/1.1\r\nHost: localhost\r\n".encode()
    for body in (b"Content-Length: 10\r\n\r\n12345", b"Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n"):
        assert only(exchange(broker.http_port, head + body, half_close=True)) == 400
    with Rest(broker) as rest:
        rest.publish("default", room, '"whole"')
    assert ann.expect("publish", room=room)["message"] == "whole"


def test_http_1_0(broker):
    data = exchange(broker.http_port, b"GET /fleeting/stats HTTP/1.0\r\n\r\n")
    assert only(data) == 200


def test_an_upgrade_that_is_not_offered_is_ignored(broker):
    fields = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"
    assert only(exchange(broker.http_port, GET + fields)) == 200


def test_expect_100_continue(broker):
    head = POST + b"Content-Length: 1\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", broker.http_port), timeout=PATIENCE) as connection:
        connection.sendall(head)
        assert connection.recv(1_000).startswith(b"HTTP/1.1 100 Continue\r\n\r\n")
        connection.sendall(b"1")
        assert connection.recv(1_000).startswith(b"HTTP/1.1 200 OK\r\n")
    large = POST + b"Content-Length: 9000000\r\nExpect: 100-continue\r\n\r\n"
    assert only(exchange(broker.http_port, large)) == 413
    assert only(exchange(broker.http_port, POST + b"Content-Length: 1\r\nExpect: a miracle\r\n\r\n")) == 417


# Sizes


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        (b"X-Large: " + b"x" * 17_000 + b"\r\n", 431),
        (b"".join(b"X-%d: %s\r\n" % (number, b"x" * 1_000) for number in range(40)), 431),
        (b"".join(b"X-%d: 1\r\n" % number for number in range(150)), 431),
        (b"X-%s: 1\r\n" % (b"n" * 17_000), 431),
        (b"X-Fine: " + b"x" * 8_000 + b"\r\n", 200),
    ],
)
def test_header_fields_are_bounded(broker, fields, status):
    assert only(exchange(broker.http_port, GET + fields + b"Connection: close\r\n\r\n")) == status


def test_who_is_refused_has_a_moment_to_read_why(start):
    """What it still sends does not take the answer back, and it is not waited for in vain."""
    broker = start("--http-header-timeout", "1h")  # does not count any more: it outlasts this test's patience
    with socket.create_connection(("127.0.0.1", broker.http_port), timeout=PATIENCE) as connection:
        connection.sendall(POST + b"Content-Length: 9000000\r\n\r\n" + b"x" * 500_000)
        data = b""
        while part := connection.recv(10_000):
            data += part
        assert only(data) == 413


def test_a_path_is_bounded(broker):
    data = exchange(broker.http_port, b"GET /fleeting/" + b"x" * 20_000 + b"/members HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert only(data) in (414, 431)


# Who calls: names and pages


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST:1", 200),
        ("127.0.0.1", 200),
        ("127.9.9.9:10001", 200),
        ("[::1]:10001", 200),
        ("[::1]", 200),
        ("evil.example", 421),
        ("evil.example:10001", 421),
        ("localhost.evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("10.0.0.1", 421),
        ("localhost:port", 421),
        ("localhost@evil.example", 421),
        ("0177.0.0.1", 421),
        ("2130706433", 421),
        ("", 400),
    ],
)
@pytest.mark.parametrize("path", ["/fleeting/stats", "/health"])
def test_on_loopback_only_names_of_loopback_are_answered(broker, host, status, path):
    data = exchange(broker.http_port, f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    assert statuses(data) == [status]


def test_a_proxy_on_this_machine_may_use_its_name(start):
    broker = start("--http-host", "chat.example", "--allow-open-channels")
    with Rest(broker) as rest:
        assert rest.get("/default/stats", Host="chat.example").status == 200
        assert rest.get("/default/stats", Host="other.example").status == 421


@pytest.fixture
def doors(start, tmp_path):
    """A broker whose channels `open`, `ajar` and `closed` list https://app.example, and `…-any` list nothing."""
    kinds = {"open": "none", "ajar": "optional", "closed": "required"}
    flags = []
    for name, authentication in kinds.items():
        flags += ["--channel", f"{name},auth={authentication}", "--channel", f"{name}-any,auth={authentication}"]
    broker = start(*flags, admin=tmp_path / "a.sock")
    with contextlib.closing(Admin(broker)) as admin:
        for name in kinds:
            admin.done("PATCH", f"/channels/{name}", {"allowed_origins": ["https://app.example"]})
    return broker


PAGES = ["https://app.example", "https://evil.example", "null", "http://localhost:PORT", "https://app.example.evil"]


@pytest.mark.parametrize(
    ("channel", "allowed"),
    [
        ("open", [True, False, False, True, False]),
        ("open-any", [False, False, False, True, False]),
        ("ajar", [True, False, False, True, False]),
        ("ajar-any", [False, False, False, True, False]),
        ("ajar-any with a token", [True] * 5),
        ("ajar with a token", [True, False, False, True, False]),
        ("closed", [True, False, False, True, False]),
        ("closed-any", [True] * 5),
    ],
)
def test_pages_of_other_sites(doors, channel, allowed):
    name = channel.split()[0]
    headers = {}
    if name.startswith("closed") or "token" in channel:
        headers["Authorization"] = token(name, secret(doors, name), {".*": {"publish": True}})
    with Rest(doors) as rest:
        for page, may in zip(PAGES, allowed):
            page = page.replace("PORT", str(doors.http_port))
            host = f"localhost:{doors.http_port}"
            answer = rest.post(f"/{name}/lobby/publish", "1", Origin=page, Host=host, **headers)
            asked = rest.call(
                "OPTIONS",
                f"/{name}/lobby/publish",
                Origin=page,
                Host=host,
                Access_Control_Request_Method="POST",
                **({"Access_Control_Request_Headers": "authorization"} if headers else {}),
            )
            assert answer.status == (200 if may else 403), page
            assert asked.status == (204 if may else 403), page
            for one in (answer, asked):
                assert one.headers["Access-Control-Allow-Origin"] == (page if may else None)
            if may:
                assert asked.headers["Access-Control-Allow-Methods"] == "OPTIONS, POST"
                assert "Authorization" in asked.headers["Access-Control-Allow-Headers"]
            else:
                assert answer.body["code"] == "origin_refused"


def test_a_page_may_read_why_it_was_refused(doors):
    with Rest(doors) as rest:
        answer = rest.get("/closed-any/stats", Origin="https://app.example", Authorization=basic("closed-any", "x"))
        assert answer.status == 401 and answer.headers["Access-Control-Allow-Origin"] == "https://app.example"


@pytest.mark.parametrize("path", ["/metrics", "/admin/v1/channels"])
def test_no_page_calls_the_broker_itself(rest, broker, path):
    for page in ("https://evil.example", f"http://localhost:{broker.http_port}", "null"):
        answer = rest.get(path, Origin=page)
        assert answer.status == 403
        assert answer.headers["Access-Control-Allow-Origin"] is None


# Time


@pytest.mark.parametrize("path", ["/", "/console", "/roomline.js"])
def test_a_page_is_the_same_as_gzip(broker, path):
    def body(**headers):
        request = urllib.request.Request(f"http://127.0.0.1:{broker.http_port}{path}", headers=headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.read()

    plain, small = body(), body(**{"Accept-Encoding": "gzip"})
    assert gzip.decompress(small) == plain and len(small) < len(plain)


def test_a_slow_header_is_given_up(start):
    broker = start("--http-header-timeout", "200ms")
    with socket.create_connection(("127.0.0.1", broker.http_port), timeout=PATIENCE) as connection:
        connection.sendall(GET)
        data = connection.recv(10_000)
        assert only(data) == 408
        assert connection.recv(1) == b""
    check_ended(broker, "request_timeout", 408)


def test_what_is_no_request_is_counted_and_logged(start):
    broker = start()
    assert only(exchange(broker.http_port, b"this is not a request\r\n\r\n")) == 400
    check_ended(broker, "malformed_request", 400)


def check_ended(broker, code, status):
    """The log says why the broker has ended a connection without a request, and a metric counts it."""
    broker.wait_for_log(lambda record: record["message"] == "ended an HTTP connection" and record["metadata"]["code"] == code, code)
    web = http.client.HTTPConnection("127.0.0.1", broker.http_port, timeout=PATIENCE)
    web.request("GET", "/metrics")
    assert f'roomline_http_requests_total{{method="other",route="none",status="{status}"}} 1' in web.getresponse().read().decode()
    web.close()


def test_each_request_of_a_connection_has_its_time(start):
    broker = start("--http-header-timeout", "2s", "--channel", "fleeting,history=off")
    with socket.create_connection(("127.0.0.1", broker.http_port), timeout=PATIENCE) as connection:
        connection.sendall(GET + b"\r\n")
        assert connection.recv(10_000).startswith(b"HTTP/1.1 200")
        connection.sendall(b"GET /fleet")
        assert connection.recv(10_000).startswith(b"HTTP/1.1 408")


def test_an_idle_connection_is_closed(start):
    broker = start("--http-idle-timeout", "1s", "--channel", "fleeting,history=off")
    with socket.create_connection(("127.0.0.1", broker.http_port), timeout=PATIENCE) as connection:
        assert connection.recv(1) == b""
    with socket.create_connection(("127.0.0.1", broker.http_port), timeout=PATIENCE) as connection:
        connection.sendall(GET + b"\r\n")
        assert connection.recv(10_000).startswith(b"HTTP/1.1 200")
        assert connection.recv(1) == b""


def test_connections_count_with_all_others(start):
    broker = start("--max-connections", "2", "--channel", "fleeting,history=off")
    held = [socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) for port in (broker.port, broker.http_port)]
    held[1].sendall(GET + b"\r\n")
    assert held[1].recv(10_000).startswith(b"HTTP/1.1 200")
    data = exchange(broker.http_port, b"")
    assert only(data) == 503 and b"too_many_connections" in data and b"retry-after" in data.lower()
    for connection in held:
        connection.close()


# The Unix socket


def test_the_socket_is_for_its_user_alone(start, tmp_path):
    path = tmp_path / "a.sock"
    broker = start(admin=path)
    mode = os.stat(path)
    assert stat.S_ISSOCK(mode.st_mode) and stat.S_IMODE(mode.st_mode) == 0o600
    with Rest(broker, unix=True) as rest:
        assert rest.get("/health").body["status"] == "ok"
        assert rest.get("/default/stats", Host="any.example").status == 200
    assert broker.terminate() == 0
    assert not path.exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_another_user_is_not_let_in(start, tmp_path):
    broker = start(admin=tmp_path / "a.sock")
    os.chmod(broker.admin_socket, 0o777)
    for place in tmp_path.parents:
        if place.stat().st_uid == os.getuid() and str(place).startswith("/tmp/"):
            os.chmod(place, 0o755)
    os.chmod(tmp_path, 0o755)
    child = os.fork()
    if child == 0:
        code = 3
        try:
            os.setuid(65_534)
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(PATIENCE)
                connection.connect(broker.admin_socket)
                connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
                code = 0 if connection.recv(1_000) == b"" else 1
        except (BrokenPipeError, ConnectionResetError):
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_socket_that_was_left_behind_is_taken_over(start, tmp_path):
    first = start(admin=tmp_path / "a.sock")
    first.kill()
    assert (tmp_path / "a.sock").exists()
    with Rest(start(admin=tmp_path / "a.sock"), unix=True) as rest:
        assert rest.get("/health/live").status == 200


def refusal(start, **options):
    broker = start(wait=False, **options)
    assert broker.wait_for_exit() != 0
    return broker.tail()


def test_a_socket_that_is_served_is_left_alone(start, tmp_path):
    first = start(admin=tmp_path / "a.sock")
    assert "another process serves it" in refusal(start, admin=tmp_path / "a.sock", data=tmp_path / "other")
    with Rest(first, unix=True) as rest:
        assert rest.get("/health/live").status == 200


def test_what_is_no_socket_is_left_alone(start, tmp_path):
    path = tmp_path / "precious"
    path.write_text("data")
    assert "not a socket" in refusal(start, admin=path)
    assert path.read_text() == "data"


def test_a_path_too_long_is_refused(start, tmp_path):
    assert "--admin-socket" in (text := refusal(start, admin=tmp_path / ("x" * 120))) and "107" in text


def test_an_address_in_use_is_named(start, tmp_path):
    first = start()
    text = refusal(start, http=f"127.0.0.1:{first.http_port}", data=tmp_path / "other")
    assert "--http" in text and "in use" in text


def test_both_can_be_off(start):
    broker = start(http="off", admin="off")
    assert broker.http_port is None and broker.admin_socket is None


# Health and the end


def test_health(rest):
    for path in ("/health", "/health/ready"):
        answer = rest.get(path)
        assert answer.status == 200
        assert answer.body == {"status": "ok", "checks": {"listening": True, "store": True, "draining": False}}
    assert rest.get("/health/live").body == {"status": "ok"}
    assert rest.call("HEAD", "/health").body is None


def test_a_draining_broker_says_so(start):
    broker = start("--channel", "default", "--drain-timeout", "2m")
    # somebody who does not go away, so that the broker waits
    stuck = socket.create_connection(("127.0.0.1", broker.http_port), timeout=PATIENCE)
    stuck.sendall(b"POST /default/lobby/publish HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n1")
    idle = Rest(broker)
    assert idle.get("/health/ready").status == 200
    broker.process.send_signal(signal.SIGTERM)
    broker.wait_for_log(lambda record: record.get("message") == "draining", "that it drains")
    assert idle.connection.sock.recv(1) == b""
    with Rest(broker) as rest:
        answer = rest.get("/health/ready")
        assert answer.status == 503 and answer.body["checks"]["draining"] is True
        assert answer.headers["Connection"] == "close"
    with Rest(broker) as rest:
        assert rest.get("/health/live").status == 200
    with Rest(broker) as rest:
        answer = rest.post("/default/lobby/publish", "1")
        assert (answer.status, answer.body["code"]) == (503, "shutting_down")
        assert answer.headers["Retry-After"]
    stuck.close()
    assert broker.wait_for_exit() == 0


def test_what_is_under_way_is_answered(start, tmp_path):
    """Publishes go on while the broker ends: each is answered in full or not at all, and what was answered is kept."""
    broker = start("--channel", "default,history=100000")
    acknowledged, stop = [], threading.Event()

    def publish():
        try:
            with Rest(broker) as rest:
                while not stop.is_set():
                    answer = rest.post("/default/lobby/publish", "1")
                    if answer.status != 200:
                        assert answer.body["code"] == "shutting_down"
                        return
                    acknowledged.append(answer.body["seq"])
                    if answer.headers["Connection"] == "close":
                        return
        except OSError:
            pass  # between two requests the connection may end

    workers = [threading.Thread(target=publish) for _ in range(4)]
    for worker in workers:
        worker.start()
    while len(acknowledged) < 50:
        time.sleep(0.01)
    assert broker.terminate() == 0
    stop.set()
    for worker in workers:
        worker.join(PATIENCE)
    with Rest(start()) as rest:
        assert rest.publish("default", "lobby", "1")["seq"] > max(acknowledged)
    assert len(set(acknowledged)) == len(acknowledged)


def test_tls(start, certificate):
    broker = start("--tls-certificate", str(certificate[0]), "--tls-key", str(certificate[1]))
    context = ssl.create_default_context(cafile=str(certificate[0]))
    context.check_hostname = False
    connection = http.client.HTTPSConnection("localhost", broker.http_port, context=context, timeout=PATIENCE)
    connection.request("POST", "/default/lobby/publish", "1")
    assert connection.getresponse().status == 200
    connection.close()
    assert not exchange(broker.http_port, GET + b"\r\n").startswith(b"HTTP/1.1 200")
