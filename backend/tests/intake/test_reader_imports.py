"""What reading needs is there before a child is forked off."""

from __future__ import annotations

import subprocess
import sys

import pytest

_READ = """
import sys
from io import BytesIO
from iotriage.intake.reader_imports import import_readers
from iotriage_parsers.detect import read_or_unpack
from iotriage_parsers.reader import Limits

import_readers()
before = set(sys.modules)
read_or_unpack(BytesIO({content!r}), Limits())
print(*sorted(set(sys.modules) - before))
"""


@pytest.mark.parametrize("content", [b"", b"of no format\n", b"{}", b"From: a@b.c\n\nMPICH_MPIIO_STATS=1\n"])
def test_reading_imports_nothing_more(content: bytes) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _READ.format(content=content)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
