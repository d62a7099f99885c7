"""The files for three machines, and for three nodes on one: nats-server and the broker take them."""

import json
import shutil
import subprocess

import pytest
import yaml

from broker import ROOT, run_to_end
from cluster import NATS, is_built

FILES = ROOT / "packaging" / "cluster"


def options(*arguments, env=None):
    """What the broker makes of a command line, option by option."""
    told = run_to_end(*arguments, "--print-config", env=env)
    assert told.returncode == 0, told.stderr
    return dict(line.split(" (")[0].split("=", 1) for line in told.stdout.replace(" = ", "=").splitlines() if "=" in line)


def value(found, name):
    return next(text.strip() for key, text in found.items() if key.strip() == name)


def test_the_broker_takes_its_configuration_of_a_node(certificate):
    document = json.loads((FILES / "roomline.json").read_text())
    tls = ("--tls-certificate", str(certificate[0]), "--tls-key", str(certificate[1]))
    found = options("serve", "--config", str(FILES / "roomline.json"), *tls)
    for name in ("cluster", "cluster-name", "cluster-user", "cluster-password-file"):
        assert value(found, name) == document[name]


@pytest.mark.skipif(not is_built(), reason="the broker is built without the trait Cluster")
def test_without_libnats_only_a_node_of_a_cluster_does_not_start(tmp_path):
    (tmp_path / "libnats.so.3.4").write_bytes(b"")
    env = {"LD_LIBRARY_PATH": str(tmp_path)}
    assert run_to_end("--version", env=env).returncode == 0
    told = run_to_end("serve", "--data", str(tmp_path / "data"), "--cluster", "nats://127.0.0.1:1", "--tcp", "127.0.0.1:0", env=env)
    assert told.returncode == 1
    assert "cluster_library" in told.stderr and "apt-get install libnats3.4" in told.stderr


@pytest.mark.skipif(not is_built(), reason="there is no nats-server where the broker is built without clusters")
def test_nats_server_takes_its_configuration(tmp_path):
    text = (FILES / "nats.conf").read_text()
    conf = tmp_path / "nats.conf"
    conf.write_text(text.replace("/var/lib/roomline-nats", str(tmp_path)))
    told = subprocess.run([NATS, "-t", "-c", conf], capture_output=True, text=True)
    assert told.returncode == 0 and "is valid" in told.stderr
    # the rights that docs/cluster.md names
    page = (ROOT / "docs" / "cluster.md").read_text()
    for subject in ("$JS.API.>", "$JS.FC.>", "$SYS.REQ.USER.INFO", "_INBOX.>"):
        assert f'"{subject}"' in text and f"`{subject}`" in page
    # and the name that the node's configuration has
    assert f'"{json.loads((FILES / "roomline.json").read_text())["cluster-name"]}.>"' in text


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd")
def test_systemd_takes_the_unit(tmp_path):
    unit = tmp_path / "roomline-nats.service"
    unit.write_text((FILES / "roomline-nats.service").read_text().replace("/usr/local/bin/nats-server", "/bin/true"))
    told = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    assert told.stderr == ""


@pytest.mark.skipif(not is_built(), reason="there is no nats-server where the broker is built without clusters")
def test_compose_starts_three_of_each(tmp_path):
    services = yaml.safe_load((FILES / "compose.yaml").read_text())["services"]
    nodes = [service for name, service in services.items() if name.startswith("node")]
    servers = {name: service for name, service in services.items() if name.startswith("nats")}
    assert len(nodes) == len(servers) == 3
    assert len({port for node in nodes for port in node["ports"]}) == 6
    for node in nodes:
        found = options(*node["command"], env=node["environment"] | {"ROOMLINE_DATA": str(tmp_path)})
        assert value(found, "cluster") == node["environment"]["ROOMLINE_CLUSTER"]
        assert {address.split("//")[1].split(":")[0] for address in value(found, "cluster").split(",")} == set(servers)
    conf = tmp_path / "empty.conf"
    conf.write_text("debug: false\n")
    for name, server in servers.items():
        command = [tmp_path if word == "/data" else word for word in server["command"]]
        assert command[1] == name
        told = subprocess.run([NATS, "-t", "-c", conf, *command], capture_output=True, text=True)
        assert told.returncode == 0, told.stderr
