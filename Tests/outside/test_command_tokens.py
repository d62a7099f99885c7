"""`roomline chat`, `tail` and `publish` in a channel that wants tokens."""

import pathlib
import signal
import subprocess

import pytest

from broker import BINARY, PATIENCE
from command import Command, Terminal, environment, run
from full_screen import Grid
from tokens import token

COMMANDS = {
    "publish": ["publish", "lobby", "hello"],
    "tail": ["tail", "lobby", "--history", "1", "--exit-after", "1"],
    "chat": ["chat", "lobby", "--history", "1"],
}
NAMES = sorted(COMMANDS)


@pytest.fixture
def guarded(start):
    return start("--channel", "default,auth=required,history=1000", "--token-skew", "0s")


@pytest.fixture
def token_file(tmp_path):
    def token_file(text):
        path = tmp_path / "token"
        path.write_text(text + "\n")
        return ["--token-file", str(path)]

    return token_file


def refused(broker, command, options=(), env=None, shown=None):
    """What the command says on stderr, which is refused and never shows a token."""
    if command == "chat":
        with Terminal(broker, *COMMANDS[command], *options, env=env, screen=Grid) as chat:
            code, text, output = chat.end(), chat.raw.decode(), ""
    else:
        done = run(broker, *COMMANDS[command], *options, env=env, input="")
        code, text, output = done.returncode, done.stderr.decode(), done.stdout.decode()
    assert code == 1, (output, text)
    assert text.count("\n") == 1 and text.startswith("roomline: "), text
    if shown:
        for part in shown.split("."):
            assert part not in text and part not in output
    return text


def test_a_good_token_lets_all_commands_do_their_work(guarded, token_file):
    good = token(guarded)
    published = run(guarded, *COMMANDS["publish"], *token_file(good))
    assert (published.returncode, published.stderr) == (0, b"")
    for options, env in [(token_file(good), None), ([], {"ROOMLINE_TOKEN": good})]:
        tailed = run(guarded, *COMMANDS["tail"], *options, env=env)
        assert tailed.returncode == 0 and b"lobby tester: hello" in tailed.stdout
        with Terminal(guarded, *COMMANDS["chat"], *options, env=env, screen=Grid) as chatted:
            # "tester (ID): hello" where the one who has published is still seen
            chatted.see(": hello")


@pytest.mark.parametrize("command", NAMES)
def test_without_a_token_one_is_asked_for(guarded, command):
    text = refused(guarded, command)
    assert "wants an access token" in text and "--token-file FILE" in text and "ROOMLINE_TOKEN" in text


@pytest.mark.parametrize("command", NAMES)
def test_a_token_that_is_none_of_the_channels_is_refused(guarded, command, token_file):
    wrong = token(guarded, key="guessed" * 8)
    assert "is refused: " in refused(guarded, command, token_file(wrong), shown=wrong)
    assert "is refused: " in refused(guarded, command, env={"ROOMLINE_TOKEN": wrong}, shown=wrong)


@pytest.mark.parametrize("text", ["nonsense", "a.b.c", "eyJhbGciOiJub25lIn0.e30."])
@pytest.mark.parametrize("command", NAMES)
def test_a_text_that_is_no_token_is_refused(guarded, command, text, token_file):
    assert "is refused: " in refused(guarded, command, token_file(text))


@pytest.mark.parametrize("command", NAMES)
def test_an_expired_token_is_called_so(guarded, command, token_file):
    late = token(guarded, valid_for=-60)
    text = refused(guarded, command, token_file(late), shown=late)
    assert "expired" in text and "a new one" in text


@pytest.mark.parametrize("command", NAMES)
def test_what_the_token_does_not_allow_is_refused(guarded, command, token_file):
    narrow = token(guarded, permissions={"^attic$": {"subscribe": True}})
    assert "the token does not let this client" in refused(guarded, command, token_file(narrow), shown=narrow)


@pytest.mark.parametrize(("file", "text"), [("missing", "does not exist"), ("empty", "is empty")])
def test_a_token_file_that_has_none_is_a_mistake(guarded, tmp_path, file, text):
    (tmp_path / "empty").write_text("\n")
    done = run(guarded, *COMMANDS["publish"], "--token-file", str(tmp_path / file))
    assert done.returncode == 64 and text in done.stderr.decode()


def test_the_token_is_in_no_process_listing(guarded, token_file):
    good = token(guarded)
    options = token_file(good)
    assert run(guarded, *COMMANDS["publish"], *options).returncode == 0
    with Command(guarded, "tail", "lobby", "--history", "1", *options) as tail:
        tail.next()
        arguments = pathlib.Path(f"/proc/{tail.process.pid}/cmdline").read_text()
        assert not any(part in arguments for part in good.split("."))
        assert tail.end(signal.SIGINT) == 0


def test_an_empty_server_is_refused_with_a_sentence():
    done = subprocess.run(
        [str(BINARY), "publish", "lobby", "x", "--server", ""], capture_output=True, timeout=PATIENCE, env=environment({})
    )
    assert done.returncode == 64
    assert done.stderr.decode() == "roomline: --server is empty; it has to be like tcp://127.0.0.1:10000, or not there at all\n"


def test_one_of_several_servers_is_enough(broker, room):
    server = f"127.0.0.1:{broker.port}"
    assert run(f"tcp://127.0.0.1:1, {server}", "publish", room, "x").returncode == 0
    done = run("tcp://127.0.0.1:1,127.0.0.1:2", "publish", room, "x")
    assert done.returncode == 69
    assert done.stderr.startswith(b"roomline: tcp://127.0.0.1:1, tcp://127.0.0.1:2: "), done.stderr


@pytest.mark.parametrize(
    ("command", "servers", "text"),
    [
        (["publish", "lobby", "x"], "tcp://a,,tcp://b", "--server is tcp://a,,tcp://b, which has an empty URL"),
        (["publish", "lobby", "x"], "tcp://a,tls://b", "tls://b needs the scheme of the client's own URL"),
        (["bench"], "tcp://a,tcp://b", "bench measures one broker: give one URL, and not tcp://a, tcp://b"),
        (["context", "add", "x"], "tcp://a,http://b", "--server is tcp://a,http://b: give tcp://, tls://, ws:// or wss://."),
    ],
)
def test_servers_that_do_not_go_together_are_refused(command, servers, text):
    done = run(servers, *command)
    assert done.returncode == 64 and text in done.stderr.decode(), done.stderr
