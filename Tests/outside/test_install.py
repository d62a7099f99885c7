"""`make install`, the files of the packages, and the scripts that dpkg runs. Nothing of this machine is changed: everything goes
below a directory of the test's, and the system's commands are played by scripts that note how they were called."""

import json
import os
import pathlib
import re
import shutil
import stat
import subprocess

import pytest

from broker import BINARY, PATIENCE, ROOT, run_to_end

PACKAGING = ROOT / "packaging"

FAKE_BINARY = """#!/bin/sh
case "$*" in
manual) echo '.TH ROOMLINE 1' ;;
"completions "*) echo "# $2" ;;
esac
"""


def run(*command, **environment):
    """With a umask that keeps files private, as many have it."""
    return subprocess.run(
        [str(part) for part in command], cwd=ROOT, env={**os.environ, **environment}, umask=0o077, capture_output=True, text=True,
        timeout=PATIENCE, check=True,
    )  # fmt: skip


@pytest.fixture
def built(tmp_path):
    """What stands for a build."""
    binary = tmp_path / "roomline"
    binary.write_text(FAKE_BINARY)
    binary.chmod(0o755)
    return binary


def install(built, tmp_path, prefix="/usr/local"):
    root = tmp_path / "root"
    run("scripts/install", built, prefix, DESTDIR=str(root), COMMIT="0123456789ab")
    return root


def test_everything_is_below_the_prefix_and_for_everybody(built, tmp_path):
    root = install(built, tmp_path)
    files = {path.relative_to(root).as_posix(): stat.S_IMODE(path.stat().st_mode) for path in root.rglob("*") if path.is_file()}
    share = "usr/local/share"
    assert files == {
        "usr/local/bin/roomline": 0o755,
        f"{share}/man/man1/roomline.1.gz": 0o644,
        f"{share}/bash-completion/completions/roomline": 0o644,
        f"{share}/zsh/site-functions/_roomline": 0o644,
        f"{share}/fish/vendor_completions.d/roomline.fish": 0o644,
        f"{share}/doc/roomline/examples/roomline.json": 0o644,
        f"{share}/doc/roomline/LICENSE": 0o644,
        f"{share}/doc/roomline/CHANGELOG.md": 0o644,
        f"{share}/doc/roomline/README.md": 0o644,
        **{f"{share}/doc/roomline/docs/{page.name}": 0o644 for page in (ROOT / "docs").glob("*.md")},
        "usr/local/lib/systemd/system/roomline.service": 0o644,
        "usr/local/lib/sysusers.d/roomline.conf": 0o644,
        "usr/local/lib/tmpfiles.d/roomline.conf": 0o644,
        "etc/roomline.json": 0o644,
    }
    unit = (root / "usr/local/lib/systemd/system/roomline.service").read_text()
    assert "\nExecStart=/usr/local/bin/roomline serve --config /etc/roomline.json\n" in unit
    assert "exec /usr/local/bin/roomline serve" in unit and "/usr/bin/" not in unit
    assert (root / "usr/local/share/zsh/site-functions/_roomline").read_text() == "# zsh\n"


def test_a_configuration_that_is_there_is_kept(built, tmp_path):
    root = install(built, tmp_path)
    (root / "etc/roomline.json").write_text('{"log-level": "debug"}')
    install(built, tmp_path)
    assert (root / "etc/roomline.json").read_text() == '{"log-level": "debug"}'


def test_the_installed_copy_has_no_symbols(tmp_path):
    missing = [tool for tool in ("cc", "objcopy", "nm") if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"no {missing[0]} here; on Debian: apt-get install gcc binutils")
    source, built = tmp_path / "roomline.c", tmp_path / "roomline"
    source.write_text('__attribute__((section(".roomline_commit"), used)) char commit[64];\nint main(void) { return 0; }\n')
    run("cc", "-o", built, source)
    assert " main" in run("nm", built).stdout
    root = install(built, tmp_path)
    assert run("nm", root / "usr/local/bin/roomline").stdout == ""
    assert run(root / "usr/local/bin/roomline").stdout == ""


@pytest.mark.parametrize("commit, shown", [("0123456789ab", " (0123456789ab)"), ("", "")])
def test_the_commit_is_in_the_installed_copy(tmp_path, commit, shown):
    if shutil.which("objcopy") is None:
        pytest.skip("no objcopy here; on Debian: apt-get install binutils")
    built = run_to_end("--version").stdout.strip()
    assert re.fullmatch(r"\d+\.\d+\.\d+", built)
    # As scripts/install does it, which would also have the big debug build write its pages.
    section, copy = tmp_path / "section", tmp_path / "roomline"
    section.write_bytes(commit.encode().ljust(64, b"\0"))
    run("objcopy", "--update-section", f".roomline_commit={section}", BINARY, copy)
    assert run(copy, "--version").stdout.strip() == built + shown


@pytest.mark.parametrize("file", ["roomline.json", "roomline.example.json"])
def test_the_configurations_are_ones_that_the_broker_takes(file, certificate, tmp_path):
    given = json.loads((PACKAGING / file).read_text())
    given |= dict(zip(("tls-certificate", "tls-key"), map(str, certificate), strict=True)) if "tls-key" in given else {}
    here = tmp_path / file
    here.write_text(json.dumps(given))
    shown = run_to_end("serve", "--config", str(here), "--print-config")
    assert shown.returncode == 0, shown.stderr
    values = {line.split(" = ")[0].strip(): line for line in shown.stdout.splitlines()}
    for key in given:
        assert f"(file {here})" in values[key]


@pytest.mark.parametrize("file", sorted(PACKAGING.rglob("roomline*.json")), ids=lambda file: file.name)
def test_a_configuration_is_safe_as_it_is(file):
    """Where others reach it, nobody on the way reads the tokens."""
    given = json.loads(file.read_text())
    is_reached = any(not given.get(name, "127.0.0.1").startswith("127.") for name in ("tcp", "http"))
    assert not is_reached or {"tls-certificate", "tls-key"} <= set(given)
    assert all("auth=required" in channel for channel in given.get("channel", [])) or not is_reached


# The scripts that dpkg runs


class Dpkg:
    """Runs the maintainer scripts below a root of the test's."""

    def __init__(self, directory):
        self.root = directory / "dpkg"
        self.calls = directory / "calls"
        self.commands = directory / "bin"
        for path in (self.root, self.commands):
            path.mkdir()
        for name in ("systemd-sysusers", "systemd-tmpfiles", "systemctl", "deb-systemd-helper", "deb-systemd-invoke"):
            self.play(name)
        self.play("systemctl", says='case "$*" in *=User\\ *) echo roomline ;; *=SupplementaryGroups\\ *) echo ssl-cert ;; esac')
        self.play("id", says='case "$1" in -G) echo 998 997 ;; *) echo 998 ;; esac')
        self.play("setpriv", says='while [ "$1" != -- ]; do shift; done; shift; exec "$@"')
        self.play_binary()
        # Nothing else is found, so nothing of this machine is asked.
        for name in ("rm", "tr"):
            (self.commands / name).symlink_to(shutil.which(name))

    def play(self, name, exit=0, says=""):
        command = self.commands / name
        command.write_text(f'#!/bin/sh\necho {name} "$@" >> {self.calls}\n{says}\nexit {exit}\n')
        command.chmod(0o755)

    def play_binary(self, refusal=None):
        """The new version, which accepts the configuration unless there is a reason not to."""
        binary = self.root / "usr/bin/roomline"
        binary.parent.mkdir(parents=True, exist_ok=True)
        end = f'echo "{refusal}" >&2\nexit 78\n' if refusal else "echo 'tcp = 127.0.0.1:10000'\n"
        binary.write_text(f'#!/bin/sh\n[ "$*" = "serve --config {self.root}/etc/roomline.json --print-config" ] || exit 64\n{end}')
        binary.chmod(0o755)

    def boot(self):
        """systemd runs."""
        (self.root / "run/systemd/system").mkdir(parents=True)

    def run(self, script, *arguments):
        """What was called meanwhile."""
        self.calls.write_text("")
        done = run(PACKAGING / "debian" / script, *arguments, DPKG_ROOT=str(self.root), PATH=str(self.commands))
        self.said = done.stdout + done.stderr
        return self.calls.read_text().splitlines()


@pytest.fixture
def dpkg(tmp_path):
    return Dpkg(tmp_path)


def test_the_first_installation_makes_the_user_and_starts_the_broker(dpkg):
    dpkg.boot()
    assert dpkg.run("postinst", "configure", "") == [
        f"systemd-sysusers --root={dpkg.root} roomline.conf",
        f"systemd-tmpfiles --root={dpkg.root} --create roomline.conf",
        "deb-systemd-helper unmask roomline.service",
        "deb-systemd-helper --quiet was-enabled roomline.service",
        "deb-systemd-helper enable roomline.service",
        "systemctl --system daemon-reload",
        "deb-systemd-invoke start roomline.service",
    ]


def test_a_root_without_proc_is_no_reason_to_fail(dpkg):
    dpkg.play("systemd-tmpfiles", exit=1)
    assert dpkg.run("postinst", "configure", "")[-1] == "deb-systemd-helper enable roomline.service"


def test_an_upgrade_lets_the_broker_run_until_it_restarts(dpkg):
    dpkg.boot()
    assert dpkg.run("prerm", "upgrade", "0.2.0-1") == []
    assert dpkg.run("postrm", "upgrade", "0.2.0-1") == ["systemctl --system daemon-reload"]
    assert dpkg.run("postinst", "configure", "0.1.0-1")[-1] == "deb-systemd-invoke restart roomline.service"


def test_an_upgrade_leaves_a_broker_alone_whose_configuration_the_new_version_refuses(dpkg):
    dpkg.boot()
    dpkg.play_binary(refusal="roomline: max-line cannot be 1")
    calls = dpkg.run("postinst", "configure", "0.1.0-1")
    check = f"setpriv --reuid=roomline --regid=998 --groups=998,997,ssl-cert -- {dpkg.root}/usr/bin/roomline serve --config"
    assert calls[-1].startswith(check), "the check reads what the broker's user can read, and not what root can"
    told, reason = dpkg.said.splitlines()
    assert "not restarted" in told and str(dpkg.root / "etc/roomline.json") in told and reason == "roomline: max-line cannot be 1"
    dpkg.play_binary()
    assert dpkg.run("postinst", "configure", "0.1.0-1")[-1] == "deb-systemd-invoke restart roomline.service" and dpkg.said == ""


def test_a_service_that_was_disabled_is_not_enabled(dpkg):
    dpkg.play("deb-systemd-helper", exit=1)
    calls = dpkg.run("postinst", "configure", "0.1.0-1")
    assert "deb-systemd-helper update-state roomline.service" in calls and "deb-systemd-helper enable roomline.service" not in calls


def test_without_systemd_nothing_is_started_or_stopped(dpkg):
    for script, *arguments in (("postinst", "configure", ""), ("prerm", "remove"), ("postrm", "remove")):
        assert not any(call.startswith(("systemctl", "deb-systemd-invoke")) for call in dpkg.run(script, *arguments))


def test_only_purge_removes_data(dpkg):
    dpkg.boot()
    data = dpkg.root / "var/lib/roomline"
    data.mkdir(parents=True)
    (data / "history.sqlite").write_text("messages")
    assert dpkg.run("prerm", "remove") == ["deb-systemd-invoke stop roomline.service"]
    for word in ("remove", "upgrade", "failed-upgrade", "abort-install", "disappear"):
        dpkg.run("postrm", word)
        assert (data / "history.sqlite").exists()
    assert "deb-systemd-helper purge roomline.service" in dpkg.run("postrm", "purge")
    assert not data.exists() and (dpkg.root / "var/lib").exists()


def test_purge_works_when_the_commands_have_gone(dpkg):
    for command in dpkg.commands.glob("*sys*"):
        command.unlink()
    (dpkg.root / "var/lib/roomline").mkdir(parents=True)
    dpkg.run("postrm", "purge")
    assert not (dpkg.root / "var/lib/roomline").exists()
