"""What reading needs is there before a child is forked off."""

from __future__ import annotations

import subprocess
import sys

_READ = """
import sys
from io import BytesIO
from iotriage.intake.reader_imports import import_readers
from iotriage_parsers.detect import read_or_unpack
from iotriage_parsers.reader import Limits

import_readers()
before = set(sys.modules)
for content in (b"", b"of no format\\n", b"{}", b"From: a@b.c\\n\\nMPICH_MPIIO_STATS=1\\n"):
    read_or_unpack(BytesIO(content), Limits())
    print(*sorted(set(sys.modules) - before))
"""


def test_reading_imports_nothing_more() -> None:
    done = subprocess.run([sys.executable, "-c", _READ], capture_output=True, text=True, check=True)
    assert done.stdout == "\n" * 4
