"""`iotriage serve` as a person starts it."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from iotriage.cli import main
from iotriage.cli.serve import is_loopback, listen, serve
from iotriage.confinement.report import Confinement, Layer
from iotriage.settings import Settings


def test_it_says_where_it_is_answers_and_ends_on_a_signal(tmp_path: Path) -> None:
    environment = {**os.environ, "IOTRIAGE_DATA_DIR": str(tmp_path / "data"), "IOTRIAGE_OPEN_LOOPBACK": "1"}
    program = "from iotriage.cli import main; main()"
    command = [sys.executable, "-c", program, "serve", "--port", "0", "--root-path", "io", "--samples", str(tmp_path)]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().removeprefix("IOtriage: ").strip()
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{address}api/v1/info") as answer:
            assert json.load(answer)["default_site"] is None
        mapped = Path(f"/proc/{process.pid}/maps").read_text("utf-8")
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate()
    events = [json.loads(line) for line in log.splitlines()]
    assert {"method": "GET", "path": "/io/api/v1/info", "status": 200}.items() <= next(
        e for e in events if e["event"] == "request"
    ).items()
    assert {"folder": str(tmp_path), "lacks": "showcase.toml"}.items() <= events[0].items()
    assert process.returncode in (0, -signal.SIGTERM)
    assert "iotriage.sqlite3" in mapped
    # The web process needs no pydarshan.
    assert not [name for name in ("libdarshan-util", "pandas") if name in mapped]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.org", ""])
def test_it_does_not_listen_where_others_reach_it_before_it_is_said_how_people_log_in(
    host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert serve(Settings(data_dir=tmp_path), host, 0) == 2
    assert "IOTRIAGE_ACCESS=oidc" in capsys.readouterr().err


def test_a_port_that_is_taken_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert serve(Settings(data_dir=tmp_path), "127.0.0.1", taken.getsockname()[1]) == 2
    said = capsys.readouterr().err
    assert "it is in use; --port names another one" in said
    assert said.count("127.0.0.1") == 1


def test_a_second_server_leaves_the_first_ones_socket_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "socket"
    settings = Settings(data_dir=tmp_path, access="proxy", unix_socket=path, allow_unconfined=True)
    with listen(path, "", 0):
        assert serve(settings) == 2
        assert capsys.readouterr().err == f"iotriage serve: cannot listen on {path}: another server answers there\n"
        with socket.socket(socket.AF_UNIX) as proxy:
            proxy.connect(str(path))
    # One that was killed leaves its own behind.
    with listen(path, "", 0), socket.socket(socket.AF_UNIX) as proxy:
        proxy.connect(str(path))
    path.unlink()
    path.touch()
    assert serve(settings) == 2
    assert "a file is there that is no socket" in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may be another user for a while")
@pytest.mark.parametrize("mode", [0o660, 0o666])
def test_a_socket_that_another_user_left_behind_is_said(mode: int, capsys: pytest.CaptureFixture[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o1777)
        path = folder / "socket"
        listen(path, "", 0).close()
        path.chmod(mode)
        os.seteuid(65534)
        try:
            assert serve(Settings(data_dir=folder, access="proxy", unix_socket=path, allow_unconfined=True)) == 2
        finally:
            os.seteuid(0)
    assert "a socket of root is there; where no server of theirs runs any more" in capsys.readouterr().err


def test_a_server_to_which_nobody_else_can_connect_now_is_one(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with ExitStack() as held:
        busy = held.enter_context(socket.socket(socket.AF_UNIX))
        busy.bind(str(path))
        busy.listen(0)
        with suppress(BlockingIOError):
            while True:
                waiting = held.enter_context(socket.socket(socket.AF_UNIX))
                waiting.setblocking(False)
                waiting.connect(str(path))
        with pytest.raises(OSError, match="in use") as refused:
            listen(path, "", 0)
    assert refused.value.errno == errno.EADDRINUSE


def test_a_folder_of_samples_that_is_not_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--port", "0", "--samples", str(tmp_path / "gone")])
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"iotriage serve: --samples {tmp_path}/gone: there is no such folder\n"


@pytest.mark.parametrize("port", ["65536", "99999", "-1", "http", "80.5"])
def test_a_port_that_is_none_is_bad_use_and_no_failure_of_the_program(
    port: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--port", port])
    assert ended.value.code == 2
    assert f"{port!r} is not a port: a number from 0, for any free one, to 65535" in capsys.readouterr().err


def test_no_part_of_an_answer_waits_for_the_one_before_to_be_acknowledged() -> None:
    with (
        listen(None, "127.0.0.1", 0) as listening,
        socket.create_connection(listening.getsockname()),
        listening.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize(
    ("host", "answer"), [("localhost", True), ("127.8.9.1", True), ("::1", True), ("0.0.0.0", False), ("::", False)]
)
def test_what_a_loopback_is(host: str, answer: bool) -> None:
    assert is_loopback(host) is answer


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://me:secret@127.0.0.1:1/iotriage", "me:***@127.0.0.1:1/iotriage cannot be used"),
        ("mysql://me:secret@127.0.0.1/iotriage", "postgresql:// or sqlite://"),
        ("postgres//me:secret", "not the URL of a database"),
        ("sqlite:////proc/nowhere/x.sqlite3", "nowhere"),
    ],
)
def test_a_database_that_cannot_be_used_is_said_in_a_sentence_without_its_password(
    url: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IOTRIAGE_DATABASE_URL", url)
    monkeypatch.setenv("IOTRIAGE_DATA_DIR", str(tmp_path))
    with pytest.raises(SystemExit, match="2"):
        main(["serve", "--port", "0"])
    shown = capsys.readouterr()
    assert said in shown.err
    assert "secret" not in shown.err + shown.out
    assert len(shown.err.splitlines()) < 5


def _host_without(*lacking: str) -> Confinement:
    layers = tuple(
        Layer(name, name not in lacking, f"{name}: what it is for")
        for name in ("limits", "landlock", "seccomp", "namespaces", "own-root", "own-user")
    )
    return Confinement("Linux 4.18.0", "x86_64", 0 if "landlock" in lacking else 6, layers)


@pytest.mark.parametrize("lacking", ["landlock", "seccomp"])
def test_where_readers_are_not_held_others_are_let_in_only_when_that_is_accepted(
    lacking: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("iotriage.cli.serve.available", lambda: _host_without(lacking))
    with socket.create_server(("0.0.0.0", 0)) as taken:
        port = taken.getsockname()[1]
        remote = Settings(data_dir=tmp_path, access="proxy", identity_proxies=("10.0.0.1",))
        assert serve(remote, "0.0.0.0", port) == 2
        said = capsys.readouterr().err
        assert "--allow-unconfined" in said
        assert f"{lacking}: what it is for" in said
        # Then it goes on, as far as to the port.
        assert serve(remote.model_copy(update={"allow_unconfined": True}), "0.0.0.0", port) == 2
        assert "in use" in capsys.readouterr().err
        monkeypatch.setattr("iotriage.cli.serve.available", lambda: _host_without("own-user", "namespaces"))
        assert serve(remote, "0.0.0.0", port) == 2
        assert "in use" in capsys.readouterr().err


@pytest.mark.parametrize(("lacking", "status"), [("landlock", 1), ("seccomp", 1), ("own-user", 0)])
def test_check_says_what_is_missing_and_ends(
    lacking: str, status: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("iotriage.cli.serve.available", lambda: _host_without(lacking))
    with pytest.raises(SystemExit, match=str(status)):
        main(["serve", "--check"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Linux 4.18.0, x86_64"
    assert [line.split()[1] for line in lines if line.startswith("MISSING")] == [lacking]
    assert len([line for line in lines if line.startswith("in force")]) == 5
