"""Imports what reading needs, in a process that children are forked off."""

from __future__ import annotations

import contextlib
import importlib

from iotriage_parsers.detect import detect


def import_readers() -> None:
    """Every reader, and what Darshan's imports when it first needs it, which takes longer than to read most logs."""
    detect(b"")
    with contextlib.suppress(ImportError):
        importlib.import_module("isal.isal_zlib")
