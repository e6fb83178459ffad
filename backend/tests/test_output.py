"""The file of -o is written whole, or is as it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from iotriage.cli.output import opened, write

LOG = Path(__file__).parents[2] / "sample-logs/darshan_log/14-balanced/14-balanced.darshan"
_RUN = "import sys; from iotriage.cli import main; sys.exit(main())"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _RUN, *map(str, arguments)], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("before", [None, "what was there\n"])
def test_a_command_that_fails_leaves_the_file_as_it_was(tmp_path: Path, before: str | None) -> None:
    output = tmp_path / "answer.json"
    if before is not None:
        output.write_text(before)
    failed = run("diagnose", LOG, "--set", "no.such.threshold=1", "-o", output)
    assert failed.returncode == 2, failed.stderr
    assert [path.read_text() for path in tmp_path.iterdir()] == ([] if before is None else [before])


def test_a_command_that_works_replaces_it_and_keeps_its_mode(tmp_path: Path) -> None:
    output = tmp_path / "answer.txt"
    output.write_text("x" * 10**6)
    output.chmod(0o640)
    done = run("diagnose", LOG, "-o", output)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Nothing wrong" in output.read_text()
    assert output.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [output]


def test_a_command_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    output = tmp_path / "answer.txt"
    reading, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        with opened(output):
            os.write(told, b"1")
            signal.pause()
    os.read(reading, 1)
    (unfinished,) = tmp_path.iterdir()
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(told)
    # The keeper holds the pipe, too, and ends when it has cleaned up.
    assert os.read(reading, 1) == b""
    assert not unfinished.exists()
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_file_on_a_disk_is_written_as_it_is(tmp_path: Path) -> None:
    assert write("gone", Path("/dev/null")) is None
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert write("through", pipe) is None
    assert os.read(reading, 100) == b"through"
    os.close(reading)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target = tmp_path / "target"
    link = tmp_path / "link"
    link.symlink_to(target)
    assert write("new", link) is None
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    assert write("new", tmp_path / "none" / "answer") == f"{tmp_path}/none/answer: No such file or directory"
