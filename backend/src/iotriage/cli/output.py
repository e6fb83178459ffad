"""Where a command's answer goes: standard output, or the file of `-o`, which is written whole or stays as it was."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from iotriage.cli.places import typed_path
from iotriage.reports.wrapped import TERMINAL
from iotriage_parsers.frozen import frozen

_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def declare_output(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "-o", "--output", metavar="FILE", type=typed_path, help="write to FILE instead of standard output"
    )


NARROWEST: Final = 40


def columns(output: Path | None) -> int:
    """Of the terminal that shows the answer, as far as lines may be long; a file's and a pipe's are as long."""
    if output is not None:
        return TERMINAL
    return max(NARROWEST, min(TERMINAL, shutil.get_terminal_size((TERMINAL, 24)).columns))


def write(printed: str, output: Path | None) -> str | None:
    """None where it is written; why not, where the file cannot be."""
    with opened(output) as out:
        return out.write(printed)


class Output:
    """Where an answer will go; a file is as it was until then. `columns` of it are asked before a process gives up
    whatever reading does not need."""

    def __init__(self, path: Path | None, place: _Place | None, refused: str | None = None) -> None:
        self._path = path
        self._place = place
        self.refused = refused
        self.columns = columns(path)

    def write(self, printed: str) -> str | None:
        """None where it is written; why not, where it cannot be."""
        if self._place is None:
            if self.refused is None:
                sys.stdout.write(printed)
            return self.refused
        try:
            with os.fdopen(self._place.descriptor, "w", encoding="utf-8", closefd=False) as file:
                file.write(printed)
            self._place.finish()
        except OSError as problem:
            return f"{self._path}: {problem.strerror}"
        return None


@frozen
class _Place:
    """A file that is open for writing; `keeper` and `answer` are pipes to whoever gives it its name, None where it has
    that already."""

    descriptor: int
    keeper: int | None = None
    answer: int | None = None

    def finish(self) -> None:
        """Has it take the place of what was there. OSError where that cannot be."""
        if self.keeper is None or self.answer is None:
            return
        os.write(self.keeper, b"1")
        answer = os.read(self.answer, 1)
        if answer != b"\0":
            problem = answer[0] if answer else 0
            raise OSError(problem, os.strerror(problem) if problem else "nobody gave it its name")

    def close(self) -> None:
        for descriptor in (self.descriptor, self.keeper, self.answer):
            if descriptor is not None:
                os.close(descriptor)


@contextmanager
def opened(output: Path | None) -> Iterator[Output]:
    """Standard output, or the file, opened before its content is known: whoever reads a stranger's log then opens none
    any more."""
    if output is None:
        yield Output(None, None)
        return
    try:
        place = _place_of(output)
    except OSError as problem:
        yield Output(output, None, f"{output}: {problem.strerror}")
        return
    try:
        yield Output(output, place)
    finally:
        place.close()


def _place_of(output: Path) -> _Place:
    """A file beside it, which a process of its own renames when it is whole and removes where the command ends without:
    this one can do neither by then. What is no file on a disk, or lies where none can be made, is written as it is."""
    try:
        mode = stat.S_IMODE(output.stat().st_mode)
        if not output.is_file() or not os.access(output, os.W_OK):
            return _Place(_open(output, os.O_WRONLY))
    except FileNotFoundError:
        mode = None
    target = output.resolve()
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".unfinished", dir=target.parent)
    except OSError:
        return _Place(_open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC))
    os.fchmod(descriptor, 0o666 & ~_mask() if mode is None else mode)
    return _Place(descriptor, *_keeper(Path(name), target))


def _open(output: Path, flags: int) -> int:
    return os.open(output, flags | os.O_CLOEXEC, 0o666)


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _keeper(unfinished: Path, target: Path) -> tuple[int, int]:
    """Starts it; the pipe by which it is told that the file is whole, and the one by which it says what came of it."""
    told, tell = os.pipe()
    answer, answers = os.pipe()
    if os.fork():
        os.close(told)
        os.close(answers)
        return tell, answer
    try:
        os.close(tell)
        # It outlives the command, by whatever that is ended.
        for ending in _ENDINGS:
            signal.signal(ending, signal.SIG_IGN)
        _settle(told, answers, unfinished, target)
    finally:
        os._exit(0)


def _settle(told: int, answers: int, unfinished: Path, target: Path) -> None:
    problem = 0
    try:
        if os.read(told, 1):
            unfinished.replace(target)
    except OSError as error:
        problem = error.errno or 1
    with suppress(OSError):
        unfinished.unlink(missing_ok=True)
    with suppress(OSError):
        os.write(answers, bytes([problem & 0xFF]))
