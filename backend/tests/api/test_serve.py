"""`iotriage serve` as a person starts it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from iotriage.cli import main
from iotriage.cli.serve import is_loopback, serve
from iotriage.settings import Settings


def test_it_says_where_it_is_answers_and_ends_on_a_signal(tmp_path: Path) -> None:
    environment = {**os.environ, "IOTRIAGE_DATA_DIR": str(tmp_path / "data")}
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
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate()
    events = [json.loads(line) for line in log.splitlines()]
    assert {"method": "GET", "path": "/io/api/v1/info", "status": 200}.items() <= next(
        e for e in events if e["event"] == "request"
    ).items()
    assert process.returncode in (0, -signal.SIGTERM)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.org", ""])
def test_it_does_not_listen_where_others_reach_it_unless_told(
    host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert serve(Settings(data_dir=tmp_path), host, 0) == 2
    assert "--allow-remote" in capsys.readouterr().err


def test_a_port_that_is_taken_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert serve(Settings(data_dir=tmp_path), "127.0.0.1", taken.getsockname()[1]) == 2
    assert "in use" in capsys.readouterr().err


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
