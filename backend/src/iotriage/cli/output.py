"""Where a command's answer goes: standard output, or the file of `-o`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def declare_output(command: argparse.ArgumentParser) -> None:
    command.add_argument("-o", "--output", metavar="FILE", type=Path, help="write to FILE instead of standard output")


def write(printed: str, output: Path | None) -> str | None:
    """None where it is written; why not, where the file cannot be."""
    if output is None:
        sys.stdout.write(printed)
        return None
    try:
        output.write_text(printed, encoding="utf-8")
    except OSError as problem:
        return f"{output}: {problem.strerror}"
    return None
