"""Imports what reading needs, in a process that children are forked off."""

from __future__ import annotations

import contextlib
import importlib
from io import BytesIO

from iotriage_parsers.detect import read_or_unpack
from iotriage_parsers.reader import Limits

_OF_NO_FORMAT = b"a line\n"


def import_readers() -> None:
    """Every reader, and what they import when they first need it, which takes longer than to read most logs: Darshan's
    and what opens archives and mails by name, what text is looked through with by a line that is looked through for
    every format."""
    read_or_unpack(BytesIO(_OF_NO_FORMAT), Limits())
    importlib.import_module("iotriage_parsers.archives.open_archive")
    with contextlib.suppress(ImportError):
        importlib.import_module("isal.isal_zlib")
