"""A reader that leaves a file in its scratch folder and ends as the source says."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path
from typing import BinaryIO

from iotriage_parsers.evidence import Failure
from iotriage_parsers.reader import Limits


def read(stream: BinaryIO, limits: Limits) -> Failure:
    folder = Path(tempfile.gettempdir())
    found = [path.name for path in folder.iterdir()]
    (folder / "left").write_text("of this source")
    end = stream.read().decode()
    if end == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if end == "sleep":
        signal.pause()
    return Failure("damaged", str(folder), ",".join(found))
