"""Where a command's answer goes: standard output, or the file of `-o`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def declare_output(command: argparse.ArgumentParser) -> None:
    command.add_argument("-o", "--output", metavar="FILE", type=Path, help="write to FILE instead of standard output")


def write(printed: str, output: Path | None) -> str | None:
    """None where it is written; why not, where the file cannot be."""
    with opened(output) as out:
        return out.write(printed)


class Output:
    """Where an answer will go; a file is as it was until then."""

    def __init__(self, path: Path | None, descriptor: int | None, refused: str | None = None) -> None:
        self._path = path
        self._descriptor = descriptor
        self.refused = refused

    def write(self, printed: str) -> str | None:
        """None where it is written; why not, where it cannot be."""
        if self._descriptor is None:
            if self.refused is None:
                sys.stdout.write(printed)
            return self.refused
        try:
            with suppress(OSError):
                # What is no file on a disk has no length.
                os.ftruncate(self._descriptor, 0)
            with os.fdopen(self._descriptor, "w", encoding="utf-8", closefd=False) as file:
                file.write(printed)
        except OSError as problem:
            return f"{self._path}: {problem.strerror}"
        return None


@contextmanager
def opened(output: Path | None) -> Iterator[Output]:
    """Standard output, or the file, opened before its content is known: whoever reads a stranger's log then opens none
    any more."""
    if output is None:
        yield Output(None, None)
        return
    try:
        descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as problem:
        yield Output(output, None, f"{output}: {problem.strerror}")
        return
    try:
        yield Output(output, descriptor)
    finally:
        os.close(descriptor)
