"""A reader that writes into all its temporary files, tries to make another, and ends as the source says."""

from __future__ import annotations

import os
import signal
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from iotriage_parsers.evidence import Failure
from iotriage_parsers.reader import Limits
from iotriage_parsers.temporary_files import MOST_AT_A_TIME, temporary_file


def read(stream: BinaryIO, limits: Limits) -> Failure:
    with ExitStack() as stack:
        files = [stack.enter_context(temporary_file()) for _ in range(MOST_AT_A_TIME)]
        found = b"".join(file.read() for file in files)
        for file in files:
            file.write(b"of this source")
        end = stream.read().decode()
        if end == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if end == "sleep":
            signal.pause()
        return Failure("damaged", f"{found!r}, {_made(stack)}, {_made_by_name()}", "")


def _made(stack: ExitStack) -> str:
    try:
        stack.enter_context(temporary_file())
    except OSError:
        return "no more"
    return "another"


def _made_by_name() -> str:
    try:
        (Path(tempfile.gettempdir()) / "left").write_text("of this source")
    except OSError:
        return "none by name"
    return "one by name"
