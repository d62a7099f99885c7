"""The web pages, and the session of the console, by the standard library's HTTP."""

import http.client
import json

import admin_schemas

from broker import PATIENCE
from cli import Shell, noted


class Browser:
    """One browser at one origin: keeps the cookie, and sends what browsers send."""

    def __init__(self, broker, host="localhost"):
        self.origin = f"http://{host}:{broker.http_port}"
        self.host = f"{host}:{broker.http_port}"
        self.connection = http.client.HTTPConnection("127.0.0.1", broker.http_port, timeout=PATIENCE)
        self.cookie = self.csrf = None

    def call(self, method, path, document=None, **changes):
        headers = {"Host": self.host, "Sec-Fetch-Site": "same-origin"}
        if method != "GET":
            headers["Origin"] = self.origin
        if document is not None:
            headers["Content-Type"] = "application/json"
        if self.cookie:
            headers["Cookie"] = self.cookie
        if self.csrf:
            headers["X-Roomline-CSRF"] = self.csrf
        headers.update({name.replace("_", "-"): value for name, value in changes.items()})
        headers = {name: value for name, value in headers.items() if value is not None}
        self.connection.request(method, path, None if document is None else json.dumps(document), headers)
        answer = self.connection.getresponse()
        data = answer.read()
        return answer.status, answer.headers, json.loads(data) if data and "json" in answer.headers["Content-Type"] else data

    def sign_in(self, document):
        status, headers, body = self.call("POST", "/console/session", document)
        if status == 200:
            admin_schemas.check_component(body, "CreatedConsoleSession")
            self.cookie = headers["Set-Cookie"].split(";")[0]
            self.csrf = body["csrf"]
        return status, headers, body


def test_pages_come_out_of_the_binary(administered):
    browser = Browser(administered)
    for path in ("/", "/console", "/roomline.js", "/assets/chat.css"):
        status, headers, data = browser.call("GET", path)
        assert status == 200 and data
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Cache-Control"] == "no-cache"
        assert f"connect-src 'self' ws://{browser.host} wss://{browser.host};" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert browser.call("GET", path, If_None_Match=headers["ETag"])[0] == 304
        status, headers, data = browser.call("HEAD", path, Origin=None)
        assert status == 200 and not data and int(headers["Content-Length"]) > 0
        assert browser.call("POST", path, Origin=None)[0] == 405


def test_a_link_signs_in_once(administered, shell):
    (link,) = shell.says("console")
    assert link.startswith(f"http://127.0.0.1:{administered.http_port}/console#code=")
    code = link.split("#code=")[1]
    browser = Browser(administered)
    status, headers, body = browser.sign_in({"code": code})
    assert status == 200 and body["name"].startswith("uid:")
    assert "HttpOnly" in headers["Set-Cookie"] and "SameSite=Strict" in headers["Set-Cookie"]
    assert browser.call("GET", "/admin/v1/channels")[0] == 200
    assert Browser(administered).sign_in({"code": code})[2]["code"] == "token_invalid"
    status, _, body = browser.call("GET", "/console/session")
    admin_schemas.check_component(body, "ConsoleSession")
    assert browser.call("DELETE", "/console/session")[0] == 204
    assert browser.call("GET", "/admin/v1/channels")[2]["code"] == "session_ended"


def test_a_link_as_json(shell):
    admin_schemas.check_component(shell.json("console"), "ConsoleLink")


def test_a_link_can_be_written_to_a_file_of_its_own(shell, administered, tmp_path):
    file = tmp_path / "link"
    (said,) = noted(shell.run("console", "--output", str(file)))
    assert said == f"roomline: the link is in {file}; it works once, within a minute"
    assert file.stat().st_mode & 0o777 == 0o600
    (link,) = file.read_text().splitlines()
    assert link.startswith(f"http://127.0.0.1:{administered.http_port}/console#code=")
    shell.refused(64, "is there already", "console", "--output", str(file))
    assert "url" not in shell.json("console", "--output", str(file), "--overwrite")
    assert file.read_text().splitlines() != [link]


def test_a_token_signs_in_and_is_named_in_the_audit_log(administered, shell):
    shell.run("admin-token", "delete", "desk", "--yes")
    token = shell.says("admin-token", "create", "desk", "--scope", "moderate")[0]
    browser = Browser(administered)
    assert browser.sign_in({"token": token})[0] == 200
    notice = {"text": "hello"}
    assert browser.call("POST", "/admin/v1/channels/default/notices", notice)[0] < 300
    assert browser.call("GET", "/admin/v1/tokens")[2]["code"] == "permission_denied"
    newest = json.loads(shell.run("audit", "--json", "--limit", "1").stdout.splitlines()[0])
    assert newest["actor"] == "token:desk" and newest["action"] == "channel.notice"
    assert shell.run("admin-token", "delete", "desk", "--yes").returncode == 0
    assert browser.call("GET", "/admin/v1/channels")[2]["code"] == "session_ended"


def test_a_page_of_another_site_cannot_sign_in(administered, shell):
    browser = Browser(administered)
    code = {"code": shell.says("console")[0].split("#code=")[1]}
    for changes in (
        {"Sec_Fetch_Site": "cross-site", "Origin": None},
        {"Sec_Fetch_Site": "same-site", "Origin": None},
        {"Origin": f"ws://{browser.host}"},
        {"Origin": f"chrome-extension://{browser.host}"},
    ):
        assert browser.call("POST", "/console/session", code, **changes)[2]["code"] == "origin_refused", changes
    # the code is still good: nobody has used it
    assert browser.sign_in(code)[0] == 200


def test_a_page_of_another_site_cannot_use_the_session(administered, shell):
    browser = Browser(administered)
    browser.sign_in({"code": shell.says("console")[0].split("#code=")[1]})
    path, notice = "/admin/v1/channels/default/notices", {"text": "hello"}
    for changes in (
        {"Origin": "https://evil.example"},
        {"Origin": "http://localhost:1"},
        {"Origin": "null"},
        {"Origin": f"ws://{browser.host}"},
        {"Sec_Fetch_Site": "cross-site", "Origin": None},
        {"Sec_Fetch_Site": "same-site", "Origin": None},
    ):
        assert browser.call("POST", path, notice, **changes)[2]["code"] == "origin_refused", changes
    assert browser.call("POST", path, notice, X_Roomline_CSRF=None)[2]["code"] == "csrf_token_missing"
    assert browser.call("POST", path, notice, X_Roomline_CSRF="x")[2]["code"] == "csrf_token_missing"
    assert browser.call("POST", path, notice, Host="evil.example")[2]["code"] == "host_unknown"
    assert browser.call("GET", "/admin/v1/channels", X_Roomline_CSRF=None)[2]["code"] == "csrf_token_missing"
    assert browser.call("POST", path, notice)[0] < 300


def test_pages_are_off_where_strangers_come(start, tmp_path):
    for arguments, is_on in (
        (("--pages", "off"), False),
        (("--http-host", "chat.example", "--channel", "default,auth=required"), False),
        (("--http-host", "chat.example", "--channel", "default,auth=required", "--pages", "on"), True),
    ):
        broker = start(*arguments, admin=tmp_path / "a.sock")
        browser = Browser(broker)
        for path in ("/", "/console", "/roomline.js", "/assets/chat.css"):
            assert browser.call("GET", path)[0] == (200 if is_on else 404), (arguments, path)
        expected = 400 if is_on else 403
        assert browser.call("POST", "/console/session", {})[0] == expected
        if not is_on:
            Shell(broker).refused(1, "--pages on", "console")
        assert broker.terminate() == 0
