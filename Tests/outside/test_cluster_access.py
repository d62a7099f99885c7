"""How a node logs in to nats-servers: TLS, each kind of credentials, and no more rights than docs/cluster.md names."""

import contextlib
import json
import re
import subprocess

import pytest

from broker import ROOT, Broker
from client import Client
from cluster import NATS, free_ports, is_built
from nkeys import Key, credentials

pytestmark = pytest.mark.skipif(not is_built(), reason="the broker is built without the trait Cluster")


def permissions():
    """What the page says that a node's user needs: subjects to publish to, and to subscribe to."""
    page = (ROOT / "docs" / "cluster.md").read_text()
    sentence = re.search(r"needs to publish to (.*?), and to subscribe to\s+(.*?), where `NAME`", page, re.DOTALL)
    return [[subject.replace("NAME", "chat") for subject in re.findall("`(.*?)`", part)] for part in sentence.groups()]


class Server:
    """A nats-server with TLS that lets in whom `accounts` says."""

    def __init__(self, directory, certificate, accounts, tls=""):
        (self.port,) = free_ports(1)
        file, key = certificate
        (directory / "nats.conf").write_text(
            f'listen: "127.0.0.1:{self.port}"\njetstream {{ store_dir: "{directory}/jetstream" }}\n'
            f'tls {{ cert_file: "{file}", key_file: "{key}"{tls} }}\n{accounts}\n'
        )
        self.log = directory / "nats.log"
        self.process = subprocess.Popen([NATS, "-c", directory / "nats.conf", "-l", self.log])
        self.options = ["--cluster", f"tls://127.0.0.1:{self.port}", "--cluster-name", "chat", "--cluster-ca", str(file)]

    def stop(self):
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def serving(directory, certificate, accounts, tls=""):
    server = Server(directory, certificate, accounts, tls)
    try:
        yield server
    finally:
        server.stop()


def allowed():
    publish, subscribe = permissions()
    return f"permissions: {{ publish: {json.dumps(publish)}, subscribe: {json.dumps(subscribe)} }}"


def by_password(directory, _):
    file = directory / "password"
    file.write_text("correct horse\n")
    users = f'authorization {{ users: [ {{ user: "node", password: "correct horse", {allowed()} }} ] }}'
    return users, "", ["--cluster-user", "node", "--cluster-password-file", str(file)]


def by_key(directory, _):
    key, file = Key("user", directory), directory / "seed"
    file.write_text(key.seed)
    users = f"authorization {{ users: [ {{ nkey: {key.public}, {allowed()} }} ] }}"
    return users, "", ["--cluster-nkey", key.public, "--cluster-nkey-seed", str(file)]


def by_certificate(_, certificate):
    file, key = certificate
    users = f'authorization {{ users: [ {{ user: "CN=localhost", {allowed()} }} ] }}'
    return users, f', verify_and_map: true, ca_file: "{file}"', ["--cluster-certificate", str(file), "--cluster-key", str(key)]


def by_credentials(directory, _):
    operator, system, account, user = (Key(kind, directory) for kind in ("operator", "account", "account", "user"))
    unlimited = {name: -1 for name in ("subs", "data", "payload", "imports", "exports", "conn", "leaf")}
    limits = {**unlimited, "wildcards": True, "mem_storage": -1, "disk_storage": -1}
    publish, subscribe = permissions()
    rights = {"pub": {"allow": publish}, "sub": {"allow": subscribe}, "subs": -1, "data": -1, "payload": -1}
    file = directory / "node.creds"
    file.write_text(credentials(account.sign(user, "node", rights), user))
    users = (
        f"operator: {operator.sign(operator, 'operator', {'system_account': system.public})}\nresolver: MEMORY\n"
        f"resolver_preload: {{ {system.public}: {operator.sign(system, 'system', {'limits': unlimited})}\n"
        f"{account.public}: {operator.sign(account, 'chat', {'limits': limits})} }}"
    )
    return users, "", ["--cluster-credentials", str(file)]


NODE = ("--cluster-partitions", "2", "--cluster-replicas", "1", "--channel", "default,history=100,grace=60s")


@pytest.mark.parametrize("way", [by_password, by_key, by_certificate, by_credentials])
def test_nodes_need_no_other_rights_than_the_page_names(start, certificate, tmp_path, way):
    users, tls, login = way(tmp_path, certificate)
    with serving(tmp_path, certificate, users, tls) as server:
        first, second = (
            start(*NODE, *server.options, *login, data=tmp_path / name) for name in ("first", "second")
        )
        with Client(first, "Ann", resumable=True) as ann, Client(second, "Bob") as bob:
            bob.subscribe("r")
            ann.publish("r", 1)
            assert bob.messages(1)[0]["message"] == 1
            # nodes ask each other
            with Client(second, resumable=True, resume=ann.welcome["resume_token"]) as again:
                assert again.id == ann.id
        assert "ermissions Violation" not in server.log.read_text()


def test_a_wrong_password_is_told(certificate, tmp_path):
    users, _, login = by_password(tmp_path, certificate)
    with serving(tmp_path, certificate, users) as server:
        (tmp_path / "password").write_text("wrong\n")
        node = Broker(tmp_path / "data", *NODE, *server.options, *login, admin=None)
        try:
            assert node.wait_for_exit() == 1
            assert "cluster_denied" in node.tail(), node.tail()
        finally:
            node.close()


def test_a_server_that_takes_small_messages_only_is_told(certificate, tmp_path):
    users, _, login = by_password(tmp_path, certificate)
    with serving(tmp_path, certificate, f"{users}\nmax_payload: 65536") as server:
        node = Broker(tmp_path / "data", *NODE, *server.options, *login, admin=None)
        try:
            assert node.wait_for_exit() == 1
            assert "cluster_settings" in node.tail() and "65536 bytes at most (max_payload)" in node.tail(), node.tail()
        finally:
            node.close()


def test_an_unknown_authority_is_told(certificate, tmp_path):
    users, _, login = by_password(tmp_path, certificate)
    with serving(tmp_path, certificate, users) as server:
        without = [option for option in server.options if option not in ("--cluster-ca", str(certificate[0]))]
        node = Broker(tmp_path / "data", *NODE, *without, *login, admin=None)
        try:
            assert node.wait_for_exit() == 1
            assert "cluster_tls" in node.tail(), node.tail()
        finally:
            node.close()
