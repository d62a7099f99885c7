"""roomline token: what it makes lets clients in, and secrets come by file, standard input or environment only."""

import json
import stat

import pytest

from cli import Shell, facts, unique
from client import Client
from command import run


@pytest.fixture(scope="module")
def secret(administered, tmp_path_factory):
    """A file with the secret of the channel `shop`."""
    file = tmp_path_factory.mktemp("secret") / "shop.secret"
    file.write_bytes(Shell(administered).run("channel", "create", "shop", "--auth", "required").stdout)
    return file


def make(secret, *flags, **options):
    result = run(None, "token", "make", "--channel", "shop", "--secret-file", str(secret), *flags, **options)
    assert result.returncode == 0, result.stderr
    return result.stdout.decode().strip()


def test_a_token_lets_its_client_in(administered, secret):
    flags = ["--data", '{"user":7}', "--allow", "^lobby$=publish,subscribe,history:5"]
    with Client(administered, channel="shop") as luke:
        for name, refused in (("somebody-else", True), (luke.id, False)):
            token = make(secret, "--client", name, *flags)
            assert ("error" in luke.request({"type": "authenticate", "token": token})) == refused
        luke.subscribe("lobby")
        luke.publish("lobby", "hello")
        luke.refused({"type": "publish", "room": "staff", "message": "x"}, "permission_denied")
        (member,) = Shell(administered).lines("member", "list", "lobby", "--channel", "shop")
        assert member["id"] == luke.id and member["auth_data"] == {"user": 7}


def test_the_secret_comes_by_file_standard_input_or_environment(secret):
    flags = ["--channel", "shop", "--allow", ".*=subscribe"]
    text = secret.read_text()
    for options in ({"input": text}, {"env": {"ROOMLINE_SECRET": text.strip()}}):
        place = ["--secret-file", "-"] if "input" in options else []
        result = run(None, "token", "make", *flags, *place, **options)
        assert result.returncode == 0 and result.stdout.count(b".") == 2, result.stderr
    for options, part in (({}, b"--secret-file"), ({"env": {"ROOMLINE_SECRET": "short"}}, b"that is not a secret")):
        result = run(None, "token", "make", *flags, **options)
        assert result.returncode == 64 and part in result.stderr and b"short" not in result.stderr


def test_a_token_is_inspected(secret, tmp_path):
    made = json.loads(make(secret, "--expires", "10m", "--allow", "a=publish", "--deny", "b=publish", "--json"))
    assert made["claims"]["exp"] - made["claims"]["iat"] == 600
    file = tmp_path / "token"
    file.write_text(made["token"] + "\n")
    inspected = json.loads(run(None, "token", "inspect", str(file), "--json").stdout)
    assert inspected == {"header": {"alg": "HS256", "typ": "JWT"}, "claims": made["claims"]}
    shown = facts(run(None, "token", "inspect", input=made["token"]).stdout.decode().splitlines())
    assert shown["channel"] == "shop" and shown["permissions"] == "a  publish"
    result = run(None, "token", "inspect", input="nonsense")
    assert result.returncode == 1 and b"3 parts" in result.stderr


def test_a_token_is_verified(secret, tmp_path):
    file = tmp_path / "token"
    file.write_text(make(secret, "--allow", ".*=publish,subscribe,history:5", "--deny", "^staff=publish"))
    verify = ["token", "verify", str(file), "--secret-file", str(secret), "--channel"]
    lines = run(None, *verify, "shop", "--room", "lobby", "--room", "staff").stdout.decode().splitlines()
    assert [line.split() for line in lines[-2:]] == [["yes", "yes", "5", "-", "lobby"], ["-", "yes", "5", "-", "staff"]]
    answer = json.loads(run(None, *verify, "shop", "--room", "staff", "--json").stdout)
    assert answer["valid"] and answer["rooms"] == [{"room": "staff", "publish": False, "subscribe": True, "history": 5, "moderate": False}]
    assert run(None, *verify, "other").returncode == 1
    other = tmp_path / "other.secret"
    other.write_text("x" * 43)
    result = run(None, "token", "verify", str(file), "--secret-file", str(other), "--channel", "shop")
    assert result.returncode == 1 and b"signature" in result.stderr


@pytest.mark.parametrize(
    ("flags", "part"),
    [
        ([], "--allow"),
        (["--allow", "(=publish"], "--allow"),
        (["--allow", "a=write"], "--allow"),
        (["--allow", "a=publish", "--data", "{"], "--data is not JSON"),
        (["--allow", "a=publish", "--deny", "a=publish"], "say it once"),
        (["--allow", "a=publish", "--data", '"' + "x" * 3_000 + '"'], "a broker would refuse this token"),
    ],
)
def test_what_no_broker_takes_is_not_made(secret, flags, part):
    result = run(None, "token", "make", "--channel", "shop", "--secret-file", str(secret), *flags)
    assert result.returncode == 64 and part in result.stderr.decode() and result.stdout == b""


@pytest.mark.parametrize(
    "command,field",
    [
        (["channel", "create"], "secret"),
        (["channel", "rotate-secret", "--yes"], "secret"),
        (["admin-token", "create", "--scope", "read"], "token"),
    ],
)
def test_a_secret_goes_to_a_private_file(shell, tmp_path, command, field):
    name = unique("x")
    if command[1] == "rotate-secret":
        shell.says("channel", "create", name)
    file = tmp_path / "secret"
    (answer,) = shell.says(*command, name, "--output", str(file), "--json")
    assert field not in json.loads(answer) and stat.S_IMODE(file.stat().st_mode) == 0o600
    first = file.read_text().strip()
    assert len(first) > 20 and first not in answer
    shell.refused(64, "--overwrite", *command, unique("x"), "--output", str(file))
    if command[1] == "rotate-secret":
        file.chmod(0o644)
        assert shell.says(*command, name, "--output", str(file), "--overwrite") == []
        assert file.read_text().strip() != first and stat.S_IMODE(file.stat().st_mode) == 0o600
    # What is refused leaves no file, and the old one as it is.
    other = tmp_path / "other"
    shell.refused(1, "", *command, "a b", "--output", str(other))
    assert not other.exists() and sorted(path.name for path in tmp_path.iterdir()) == ["secret"]


def test_a_token_goes_to_a_private_file(secret, tmp_path):
    file = tmp_path / "luke.token"
    assert make(secret, "--allow", ".*=subscribe", "--output", str(file)) == ""
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and file.read_text().count(".") == 2
    result = run(None, "token", "inspect", str(file))
    assert result.returncode == 0
