"""Lines of the reports that are texts: no longer than their page, and no figure torn from its unit."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import sys
import termios
from pathlib import Path
from typing import NoReturn

import pytest
from sample_documents import document_of
from samples import case

from iotriage.cli import main
from iotriage.reports.terminal import as_text
from iotriage.reports.wrapped import wrapped

SAMPLES = Path(__file__).parents[3] / "sample-logs/darshan_log"
PAIR = [SAMPLES / name for name in ("39-heat2d-legacy", "40-heat2d-tuned")]
_SGR = re.compile(r"\x1b\[\d*m")
_CODE = re.compile(r"[;{}]|call |/\*|! ")


@pytest.mark.parametrize("width", range(20, 32))
@pytest.mark.parametrize(
    "figure", ["9 min 51 s", "2.61 MiB/s", "1 h 3 min", "< 1 MiB", "15.5 ×", "0.5 node-hours", "over 99 %"]
)
def test_a_figure_is_not_torn(figure: str, width: int) -> None:
    held = figure.removeprefix("over ")
    lines = wrapped(f"What all the ranks take is {figure} and then they go on", width)
    assert any(held in line for line in lines), lines
    assert " ".join(lines) == f"What all the ranks take is {figure} and then they go on"


def _in_terminal(columns: int, *arguments: str | Path) -> list[str]:
    """What the program prints there. In a fork of this process: to load the program takes longer than to run it."""
    child, terminal = pty.fork()
    if child == 0:
        _run_here(columns, *map(str, arguments))
    said = b""
    try:
        while got := os.read(terminal, 65536):
            said += got
    except OSError:
        """Linux answers EIO where nobody has the other end open any more."""
    finally:
        os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return _SGR.sub("", said.decode()).splitlines()


def _run_here(columns: int, *arguments: str) -> NoReturn:
    status = 70
    try:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.environ.pop("COLUMNS", None)
        sys.stdin, sys.stdout, sys.stderr = open(os.devnull), open(1, "w"), open(2, "w")  # noqa: PTH123, SIM115
        main(arguments)
    except SystemExit as ended:
        sys.stdout.flush()
        status = int(ended.code or 0)
    finally:
        os._exit(status)


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("arguments", [["diagnose", PAIR[0]], ["compare", *PAIR], ["rules"]], ids=lambda a: a[0])
def test_lines_are_no_longer_than_the_terminal(columns: int, arguments: list[str | Path]) -> None:
    """Code is never broken: it is copied. Beyond 100 columns nobody finds the next line."""
    lines = _in_terminal(columns, *arguments)
    longest = max(len(line) for line in lines if not _CODE.search(line))
    assert min(columns, 100) - 12 < longest <= min(columns, 100)


def test_a_report_for_a_narrow_terminal_says_the_same() -> None:
    document = document_of(case("39").sources)
    wide, narrow = as_text(document), as_text(document, width=60)
    assert narrow.split() == wide.split()
    assert len(narrow.splitlines()) > len(wide.splitlines())
